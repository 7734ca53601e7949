//! `npz`: archives written and read, and those that lie.

mod columns;
mod failing;
mod foreign;
mod hostile;
mod layout;
mod map;
mod round_trips;
