//! `npz`: archives written and read, and those that lie.

mod failing;
mod layout;
mod round_trips;
