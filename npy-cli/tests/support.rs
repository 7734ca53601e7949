//! Runs the command, for tests of what it does with files.

use std::ffi::OsStr;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

/// Runs the command in a directory.
pub(crate) fn npy(directory: &Path, args: &[impl AsRef<OsStr>]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_npy")).args(args).current_dir(directory).output().unwrap()
}

/// Runs the command, and returns its exit code and its messages.
pub(crate) fn code(directory: &Path, args: &[impl AsRef<OsStr>]) -> (i32, String) {
    let output = npy(directory, args);
    (output.status.code().unwrap(), String::from_utf8(output.stderr).unwrap())
}

/// Runs a command that succeeds.
pub(crate) fn ok(directory: &Path, args: &[&str]) -> String {
    let output = npy(directory, args);
    assert!(output.status.success(), "{args:?}: {output:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// Returns a command that is ended when a processor has worked for it this many seconds: on a machine that does other things as well, the clock runs on.
#[cfg(unix)]
pub(crate) fn limited(seconds: u32) -> Command {
    let mut shell = Command::new("sh");
    let script = format!("ulimit -t {seconds}; exec \"$0\" \"$@\"");
    shell.args(["-c", &script, env!("CARGO_BIN_EXE_npy")]);
    shell
}

/// Runs a command that succeeds, and returns the seconds that a processor has worked for it.
#[cfg(unix)]
pub(crate) fn processor_time(directory: &Path, args: &[&str]) -> f64 {
    let mut shell = Command::new("sh");
    let script = "\"$0\" \"$@\" > out && times";
    shell.args(["-c", script, env!("CARGO_BIN_EXE_npy")]).args(args);
    let output = shell.current_dir(directory).output().unwrap();
    assert!(output.status.success(), "{args:?}: {output:?}");
    // The second line is about the command: `0m1.500s 0m0.250s`.
    let times = String::from_utf8(output.stdout).unwrap();
    let parts = times.lines().nth(1).unwrap().split_whitespace();
    let seconds = |part: &str| -> f64 {
        let (minutes, seconds) = part.trim_end_matches('s').split_once('m').unwrap();
        60.0 * minutes.parse::<f64>().unwrap() + seconds.parse::<f64>().unwrap()
    };
    parts.map(seconds).sum()
}

/// Returns the names of the files in a directory, in their order.
pub(crate) fn names(directory: &Path) -> Vec<String> {
    let entries = fs::read_dir(directory).unwrap();
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}
