//! `npz`: archives written and read, and those that lie.

mod appending;
mod columns;
mod failing;
mod foreign;
mod hostile;
mod layout;
mod map;
mod panicking;
mod round_trips;
