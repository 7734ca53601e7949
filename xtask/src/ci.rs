//! `cargo xtask ci`: everything that must hold before a change lands, the quick checks first.

use std::time::Instant;

use crate::command::{cargo, run as run_command};
use crate::{Result, cross, features, fixtures, miri, test, tidy};

/// What is checked, and the command that checks it alone.
struct Step {
    command: &'static str,
    run: fn() -> Result,
}

const STEPS: [Step; 9] = [
    Step {
        command: "cargo fmt --all --check",
        run: || run_command(&mut cargo(&["fmt", "--all", "--check"])),
    },
    Step { command: "cargo xtask tidy", run: tidy::run },
    Step {
        command: "cargo clippy --workspace --all-targets --all-features -- -D warnings",
        run: || {
            let targets = ["clippy", "--workspace", "--all-targets", "--all-features"];
            run_command(cargo(&targets).args(["--", "-D", "warnings"]))
        },
    },
    Step {
        command: "cargo clippy --package npy-core --lib --no-default-features --features EACH -- -D warnings",
        run: features::each_alone,
    },
    Step {
        command: "RUSTDOCFLAGS='-D warnings' cargo doc --workspace --no-deps --all-features",
        run: || {
            let mut doc = cargo(&["doc", "--workspace", "--no-deps", "--all-features"]);
            run_command(doc.env("RUSTDOCFLAGS", "-D warnings"))
        },
    },
    Step { command: "cargo xtask fixtures --check", run: fixtures::check },
    Step { command: "cargo xtask cross", run: cross::run },
    Step { command: "cargo xtask miri", run: miri::run },
    // Last, so that what is printed ends with the counts of the tests.
    Step { command: "cargo xtask test", run: || test::run(&[]) },
];

pub(crate) fn run() -> Result {
    let start = Instant::now();
    for step in &STEPS {
        // The time up to here: a line at the end would stand behind the counts of the tests.
        println!("\n== {} (at {} s)", step.command, start.elapsed().as_secs());
        let again = |error| format!("{error}\n\nto run this step again: {}", step.command);
        (step.run)().map_err(again)?;
    }
    Ok(())
}
