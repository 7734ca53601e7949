//! `cargo xtask miri`: the tests of `unsafe` code in an interpreter that knows what is undefined.

use std::process::Command;

use crate::Result;
use crate::command::run as run_command;
use crate::python::target;

/// What installs it.
const INSTALL: &str =
    "rustup toolchain install nightly --profile minimal --component miri,rust-src";

/// The unit tests: by file.
const UNIT: [&str; 3] = ["element::cast::", "view::", "reserve::"];

/// The tests from outside, those of views in memory: a map of a file is the system's, which Miri does not run.
const OUTSIDE: [&str; 4] =
    ["padding", "what_is_written_to_a_view", "sub_arrays", "one_item_no_items"];

pub(crate) fn run() -> Result {
    if !is_there() {
        let mut words = INSTALL.split(' ');
        let mut install = Command::new(words.next().unwrap_or_default());
        let installed = run_command(install.args(words));
        if installed.is_err() || !is_there() {
            return Err(format!(
                "Miri is not installed, and nothing was checked: it takes `{INSTALL}`, and access to static.rust-lang.org"
            )
            .into());
        }
    }
    run_command(miri()?.args(["--package", "npy-core", "--lib", "--"]).args(UNIT))?;
    run_command(miri()?.args(["--package", "npy-tests", "--test", "view", "--"]).args(OUTSIDE))
}

/// Whether there is a nightly toolchain with Miri.
fn is_there() -> bool {
    let mut miri = Command::new("rustup");
    miri.args(["run", "nightly", "cargo", "miri", "--version"]).env("RUSTUP_AUTO_INSTALL", "0");
    miri.output().is_ok_and(|output| output.status.success())
}

/// A `cargo miri test`.
fn miri() -> Result<Command> {
    let mut command = Command::new("rustup");
    command.args(["run", "nightly", "cargo", "miri", "test"]).current_dir(crate::root());
    // With the caller's environment, files and clock; a pointer may not be made of a number.
    command.env("MIRIFLAGS", "-Zmiri-disable-isolation -Zmiri-strict-provenance");
    command.env("CARGO_TARGET_DIR", target()?.join("miri"));
    Ok(command)
}
