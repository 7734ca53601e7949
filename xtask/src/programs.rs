//! Builds the test programs of a `cargo test` command, and runs them two at a time.

use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::Result;
use crate::command::{output, run as run_command};
use crate::parallel::{self, Program, copy, like};

/// Runs all tests of a command that has no filter, and the examples in the documentation. All programs run, also after a failure.
pub(crate) fn run_with_docs(test: &Command) -> Result {
    run_all(test, vec![Program { name: "docs".into(), command: with(test, &["--doc"]) }])
}

/// Runs all tests of a command that has no filter, without the examples in the documentation.
pub(crate) fn run(test: &Command) -> Result {
    run_all(test, Vec::new())
}

fn run_all(test: &Command, mut programs: Vec<Program>) -> Result {
    run_command(&mut with(test, &["--no-run"]))?;
    // All is built by now; this lists it.
    let built = output(&mut with(test, &["--no-run", "--quiet", "--message-format=json"]))?;
    for line in built.lines() {
        programs.extend(program(&serde_json::from_str(line)?, test));
    }
    parallel::run(&programs, false)
}

/// Returns the command with more arguments.
fn with(command: &Command, more: &[&str]) -> Command {
    let mut longer = copy(command);
    longer.args(more);
    longer
}

/// Returns the test program that a message of cargo tells of.
fn program(message: &Value, test: &Command) -> Option<Program> {
    if message["profile"]["test"] != true {
        return None;
    }
    let folder = Path::new(message["manifest_path"].as_str()?).parent()?;
    let mut command = like(test, Path::new(message["executable"].as_str()?));
    command.current_dir(folder).env("CARGO_MANIFEST_DIR", folder);
    let package = folder.file_name()?.to_string_lossy();
    let name = format!("{package}: {}", message["target"]["name"].as_str()?);
    Some(Program { name, command })
}
