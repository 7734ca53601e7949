//! Runs the command, for tests of what it does with files.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

/// Runs the command in a directory.
pub(crate) fn npy(directory: &Path, args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_npy")).args(args).current_dir(directory).output().unwrap()
}

/// Runs the command, and returns its exit code and its messages.
pub(crate) fn code(directory: &Path, args: &[&str]) -> (i32, String) {
    let output = npy(directory, args);
    (output.status.code().unwrap(), String::from_utf8(output.stderr).unwrap())
}

/// Runs a command that succeeds.
pub(crate) fn ok(directory: &Path, args: &[&str]) -> String {
    let output = npy(directory, args);
    assert!(output.status.success(), "{args:?}: {output:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// Returns the names of the files in a directory, in their order.
pub(crate) fn names(directory: &Path) -> Vec<String> {
    let entries = fs::read_dir(directory).unwrap();
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}
