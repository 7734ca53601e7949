//! `cargo xtask miri`: runs the tests of `unsafe` code in Miri, an interpreter that detects undefined behavior.

use std::process::Command;

use crate::Result;
use crate::command::{installs, run as run_command};
use crate::python::target;

/// The command that installs Miri.
const INSTALL: &str =
    "rustup toolchain install nightly --profile minimal --component miri,rust-src";

/// The unit tests, by file.
const UNIT: [&str; 3] = ["element::cast::", "view::", "reserve::"];

/// The integration tests of views in memory. Miri cannot map files.
const OUTSIDE: [&str; 5] = [
    "view::a_crate_that_lies",
    "view::padding",
    "view::what_is_written_to_a_view",
    "view::sub_arrays",
    "view::one_item_no_items",
];

pub(crate) fn run() -> Result {
    let lock = installs()?;
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
    drop(lock);
    run_command(miri()?.args(["--package", "npy-core", "--lib", "--"]).args(UNIT))?;
    run_command(miri()?.args(["--package", "npy-tests", "--test", "views", "--"]).args(OUTSIDE))
}

/// Returns true if there is a nightly toolchain with Miri.
fn is_there() -> bool {
    let mut miri = Command::new("rustup");
    miri.args(["run", "nightly", "cargo", "miri", "--version"]).env("RUSTUP_AUTO_INSTALL", "0");
    miri.output().is_ok_and(|output| output.status.success())
}

/// Returns a `cargo miri test` command.
fn miri() -> Result<Command> {
    let mut command = Command::new("rustup");
    command.args(["run", "nightly", "cargo", "miri", "test"]).current_dir(crate::root());
    // Grants access to the environment, files and clock, and forbids making a pointer from an integer.
    command.env("MIRIFLAGS", "-Zmiri-disable-isolation -Zmiri-strict-provenance");
    command.env("CARGO_TARGET_DIR", target()?.join("miri"));
    Ok(command)
}
