//! `cargo xtask power`: the test of what a loss of power leaves, with many states.

use std::process::{Command, Stdio};

use crate::command::{cargo, run as run_command};
use crate::{Result, apt};

/// The default number of states after each operation, which takes some minutes.
const STATES: &str = "2000";

/// The remedy if there is no strace.
const REMEDY: &str = "\
The test of what a loss of power leaves records a program with strace, on Linux:
  Debian, Ubuntu   apt install strace
  Fedora           dnf install strace
In a container, strace needs the permission to trace: --cap-add SYS_PTRACE";

pub(crate) fn run(states: Option<&str>) -> Result {
    install()?;
    let test = ["test", "--release", "--package", "npy-tests", "--test", "power"];
    let mut test = cargo(&test);
    test.args(["--", "--nocapture", "--test-threads", "1"]).env("NPY_STRACE", "strace");
    run_command(test.env("NPY_POWER_STATES", states.unwrap_or(STATES)))
}

/// Returns a cargo command whose tests must find strace, where there is one or it can be installed. Elsewhere they say that they were left out.
pub(crate) fn with_strace(mut cargo: Command) -> Command {
    match install() {
        Ok(()) => drop(cargo.env("NPY_STRACE", "strace")),
        Err(error) => eprintln!("\nNOT TESTED: what a loss of power leaves.\n{error}\n"),
    }
    cargo
}

/// Has strace installed if it is missing.
fn install() -> Result {
    if !cfg!(target_os = "linux") {
        return Err(REMEDY.into());
    }
    if works() {
        return Ok(());
    }
    apt::install("strace", REMEDY)?;
    if works() { Ok(()) } else { Err(REMEDY.into()) }
}

/// Returns true if strace may look at other processes.
fn works() -> bool {
    let mut strace = Command::new("strace");
    strace.args(["-o", "/dev/null", "true"]).stdout(Stdio::null()).stderr(Stdio::null());
    strace.status().is_ok_and(|status| status.success())
}
