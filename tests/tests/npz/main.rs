//! `npz`: archives written and read, valid and hostile.

mod appending;
mod columns;
mod compressed;
mod editing;
mod failing;
mod foreign;
mod hostile;
mod judged;
mod layout;
mod map;
mod panicking;
mod round_trips;
mod seeking;
mod shared;
mod unfinished;
