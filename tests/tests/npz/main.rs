//! `npz`: archives written and read, and those that lie.

mod round_trips;
