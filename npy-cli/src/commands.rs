//! The subcommands: each file has the arguments (`Args`) and a method `run`.

pub(crate) mod info;
