//! `npy sql` and `npy index`: run `npy-sql`, a program of its own, because it brings a query engine.

use std::env;
use std::ffi::OsString;
use std::io::{self, Write};
use std::path::PathBuf;
use std::process::{self, Command, ExitStatus};

use clap::CommandFactory;

use crate::args::Npy;
use crate::output::{Failure, Output, Result};

/// The program that both run.
const PROGRAM: &str = "npy-sql";
const INSTALL: &str = "it is a separate program; `cargo install npy-sql` (Rust 1.94) installs it; without it, npy cat --tsv prints rows for awk -F'\\t' and other programs, and npy convert --from tsv reads theirs";

#[derive(clap::Args)]
pub(crate) struct Args {
    /// The arguments of npy-sql
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    arguments: Vec<OsString>,
}

impl Args {
    pub(crate) fn run(self) -> Result {
        self.run_as("sql")
    }

    /// Writes an index: the first argument says so.
    pub(crate) fn run_index(mut self) -> Result {
        self.arguments.insert(0, "index".into());
        self.run_as("index")
    }

    fn run_as(self, command: &str) -> Result {
        let mut program = PathBuf::from(PROGRAM);
        let mut status = run(Command::new(&program).args(&self.arguments));
        if let Err(error) = &status
            && error.kind() == io::ErrorKind::NotFound
            && let Ok(this) = env::current_exe()
        {
            // A copy that is not in `PATH`, in the directory of this program.
            program = this.with_file_name(PROGRAM).with_extension(env::consts::EXE_EXTENSION);
            status = run(Command::new(&program).args(&self.arguments));
        }
        let is_missing = |error: &io::Error| error.kind() == io::ErrorKind::NotFound;
        if status.as_ref().is_err_and(is_missing) && self.asks_for_help() {
            return help(command);
        }
        let status = status.map_err(|error| match is_missing(&error) {
            true => Failure::usage(format!("npy-sql is not installed: {INSTALL}")),
            false => Failure::new(program.display(), error),
        })?;
        // Its messages and exit codes are those of this command.
        process::exit(status.code().unwrap_or(2))
    }

    fn asks_for_help(&self) -> bool {
        self.arguments.iter().any(|argument| argument == "--help" || argument == "-h")
    }
}

/// Becomes the other program, so that a signal to this process ends the query; returns only if that fails.
#[cfg(unix)]
fn run(program: &mut Command) -> io::Result<ExitStatus> {
    use std::os::unix::process::CommandExt;

    Err(program.exec())
}

/// Runs the other program.
#[cfg(not(unix))]
fn run(program: &mut Command) -> io::Result<ExitStatus> {
    program.status()
}

/// Prints what is known without the other program.
fn help(command: &str) -> Result {
    let mut npy = Npy::command();
    npy.build();
    let mut out = Output::stdout();
    if let Some(subcommand) = npy.find_subcommand_mut(command) {
        write!(out, "{}", subcommand.render_long_help())?;
    }
    writeln!(out, "\nThe options are those of npy-sql, which is not installed: {INSTALL}")?;
    out.finish()
}
