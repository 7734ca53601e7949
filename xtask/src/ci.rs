//! `cargo xtask ci`: everything that must hold before a change lands, the quick checks first.

use std::time::Instant;

use crate::command::{cargo, run as run_command};
use crate::{Result, adopt, cross, engine, fixtures, js, miri, slow, test, tidy, wheel};

/// The checks, each with the command that runs it alone.
struct Step {
    command: &'static str,
    run: fn() -> Result,
}

const STEPS: [Step; 13] = [
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
        command: "RUSTDOCFLAGS='-D warnings' cargo doc --workspace --no-deps --all-features",
        run: || {
            let mut doc = cargo(&["doc", "--workspace", "--no-deps", "--all-features"]);
            run_command(doc.env("RUSTDOCFLAGS", "-D warnings"))
        },
    },
    Step { command: "cargo xtask fixtures --check", run: fixtures::check },
    Step { command: "cargo xtask cross", run: cross::run },
    Step { command: "cargo xtask miri", run: miri::run },
    Step { command: "cargo xtask engine", run: engine::run },
    Step { command: "cargo xtask adopt", run: adopt::small },
    Step { command: "cargo xtask js", run: js::run },
    Step { command: "cargo xtask python", run: wheel::test },
    Step { command: "cargo xtask slow", run: slow::run },
    // Last, so that the output ends with the test counts.
    Step { command: "cargo xtask test --all", run: || test::run(&["--all"]) },
];

pub(crate) fn run() -> Result {
    let start = Instant::now();
    for step in &STEPS {
        // The time so far; printed here because the output should end with the test counts.
        println!("\n== {} (at {} s)", step.command, start.elapsed().as_secs());
        let again = |error| format!("{error}\n\nto run this step again: {}", step.command);
        (step.run)().map_err(again)?;
    }
    Ok(())
}
