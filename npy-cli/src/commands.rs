//! The subcommands: each file has the arguments (`Args`) and a method `run`.

pub(crate) mod cat;
pub(crate) mod head;
pub(crate) mod info;
