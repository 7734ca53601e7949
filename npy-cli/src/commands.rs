//! The subcommands: each file has the arguments (`Args`) and a method `run`.

mod align;
pub(crate) mod append;
pub(crate) mod cat;
pub(crate) mod completions;
pub(crate) mod concat;
mod conversion;
pub(crate) mod convert;
pub(crate) mod diff;
pub(crate) mod head;
pub(crate) mod info;
mod members;
pub(crate) mod npz;
pub(crate) mod plot;
pub(crate) mod repair;
pub(crate) mod sql;
pub(crate) mod stats;
pub(crate) mod structs;
pub(crate) mod verify;
pub(crate) mod view;
