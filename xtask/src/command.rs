//! Runs other programs to completion.

use std::fs::{self, File};
use std::process::{Command, ExitStatus, Stdio};

use crate::python::target;
use crate::{Result, root};

/// Returns a command for the cargo that runs this, in the workspace.
pub(crate) fn cargo(args: &[&str]) -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or("cargo".into()));
    command.args(args).current_dir(root());
    command
}

/// Runs a command that prints its own errors; the error returned says only that it failed.
pub(crate) fn run(command: &mut Command) -> Result {
    let status = command.status().map_err(|error| cannot_start(command, &error))?;
    ended(command, status)
}

/// Returns the error of a command that has failed.
pub(crate) fn ended(command: &Command, status: ExitStatus) -> Result {
    if status.success() { Ok(()) } else { Err(format!("{} ({status})", shown(command)).into()) }
}

/// Runs a command and returns its output.
pub(crate) fn output(command: &mut Command) -> Result<String> {
    let output = command.stderr(Stdio::inherit()).output();
    let output = output.map_err(|error| cannot_start(command, &error))?;
    ended(command, output.status)?;
    Ok(String::from_utf8(output.stdout)?)
}

/// Waits until nothing else is installed by these chores. The file that it returns holds the others up.
pub(crate) fn installs() -> Result<File> {
    fs::create_dir_all(target()?)?;
    let lock = File::create(target()?.join("installs.lock"))?;
    lock.lock()?;
    Ok(lock)
}

pub(crate) fn cannot_start(command: &Command, error: &std::io::Error) -> String {
    format!("{} cannot be started: {error}", command.get_program().display())
}

fn shown(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    let words: Vec<_> = words.map(|word| word.to_string_lossy()).collect();
    format!("failed: {}", words.join(" "))
}
