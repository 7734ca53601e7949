//! `npy sql`: runs `npy-sql`, a program of its own, because it brings a query engine.

use std::env;
use std::ffi::OsString;
use std::io;
use std::path::PathBuf;
use std::process::{self, Command};

use crate::output::{Failure, Result};

/// The program that `npy sql` runs.
const PROGRAM: &str = "npy-sql";

#[derive(clap::Args)]
pub(crate) struct Args {
    /// The statement, the files, and options of npy-sql
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    arguments: Vec<OsString>,
}

impl Args {
    pub(crate) fn run(self) -> Result {
        let mut program = PathBuf::from(PROGRAM);
        let mut status = Command::new(&program).args(&self.arguments).status();
        if let Err(error) = &status
            && error.kind() == io::ErrorKind::NotFound
            && let Ok(this) = env::current_exe()
        {
            // A copy that is not in `PATH`, in the directory of this program.
            program = this.with_file_name(PROGRAM).with_extension(env::consts::EXE_EXTENSION);
            status = Command::new(&program).args(&self.arguments).status();
        }
        let status = status.map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => Failure::usage(
                "npy-sql is not installed: it is a separate program; `cargo install npy-sql` (Rust 1.94) installs it",
            ),
            _ => Failure::new(program.display(), error),
        })?;
        // Its messages and exit codes are those of this command.
        process::exit(status.code().unwrap_or(2))
    }
}
