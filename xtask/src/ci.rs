//! `cargo xtask ci`: everything that must hold before a change lands.

use std::env::current_exe;
use std::process::Command;

use crate::command::cargo;
use crate::parallel::{self, Program};
use crate::{Result, root};

/// The checks, in the order in which they start, two at a time. The longest one comes first: it builds in a folder of its own, and most of
/// its time goes by in crates that are built one after another. Those that come last have folders of their own, too.
const STEPS: [&str; 12] = [
    "xtask engine",
    "fmt --all --check",
    "xtask tidy",
    "xtask fixtures --check",
    "clippy --workspace --all-targets --all-features -- -D warnings",
    "doc --workspace --no-deps --all-features",
    "xtask cross",
    "xtask slow",
    "xtask test --all",
    "xtask python",
    "xtask js",
    "xtask miri",
];

pub(crate) fn run() -> Result {
    let programs = STEPS.iter().map(|step| step_of(step)).collect::<Result<Vec<_>>>()?;
    parallel::run(&programs, true)
        .map_err(|error| format!("{error}\n\nEach is a command that runs this step again.").into())
}

fn step_of(words: &str) -> Result<Program> {
    let mut command = match words.strip_prefix("xtask ") {
        // Not by cargo, which would wait for another step to end its build.
        Some(words) => {
            let mut xtask = Command::new(current_exe()?);
            xtask.args(words.split(' ')).current_dir(root());
            xtask
        }
        None => cargo(&words.split(' ').collect::<Vec<_>>()),
    };
    let mut name = format!("cargo {words}");
    if words.starts_with("doc ") {
        command.env("RUSTDOCFLAGS", "-D warnings");
        name.insert_str(0, "RUSTDOCFLAGS='-D warnings' ");
    }
    Ok(Program { name, command })
}
