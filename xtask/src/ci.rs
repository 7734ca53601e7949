//! `cargo xtask ci`: everything that must hold before a change lands, the quick checks first. Steps that build in folders of their own run at the same
//! time as the others, in a second process, because many steps wait: for one long crate, for Miri, or for processes of a test.

use std::fs::File;
use std::io::copy;
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus};
use std::time::Instant;

use crate::command::{cargo, run as run_command};
use crate::{
    Result, adopt, cross, engine, fixtures, js, miri, python, root, slow, test, tidy, wheel,
};

/// The checks, each with the command that runs it alone.
struct Step {
    command: &'static str,
    run: fn() -> Result,
}

/// The steps that build in `target/debug`, or take no time.
const STEPS: [Step; 10] = [
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
    Step { command: "cargo xtask adopt", run: adopt::small },
    Step { command: "cargo xtask js", run: js::run },
    Step { command: "cargo xtask python", run: wheel::test },
    Step { command: "cargo xtask slow", run: slow::run },
];

/// The steps of the second process, which have target folders of their own. The longest comes first.
const SECOND: [Step; 2] = [
    Step { command: "cargo xtask engine", run: engine::run },
    Step { command: "cargo xtask miri", run: miri::run },
];

/// Last and alone, so that the output ends with the test counts, and that nothing disturbs the tests that measure.
const LAST: Step = Step { command: "cargo xtask test --all", run: || test::run(&["--all"]) };

pub(crate) fn run() -> Result {
    let start = Instant::now();
    // Both processes use this environment, and only one of them may make it.
    python::interpreter()?;
    let mut second = Second::start()?;
    let mut first = Ok(());
    for step in &STEPS {
        first = first.and_then(|()| step.run_at(start)).and_then(|()| second.check());
    }
    // Even after a failure: what it has started would go on.
    let rest = second.end(start);
    first.and(rest)?;
    LAST.run_at(start)
}

/// Runs the steps of the second process.
pub(crate) fn run_second() -> Result {
    let start = Instant::now();
    SECOND.iter().try_for_each(|step| step.run_at(start))
}

impl Step {
    fn run_at(&self, start: Instant) -> Result {
        // The time so far; printed here because the output should end with the test counts.
        println!("\n== {} (at {} s)", self.command, start.elapsed().as_secs());
        (self.run)()
            .map_err(|error| format!("{error}\n\nto run this step again: {}", self.command).into())
    }
}

/// The second process, and the file with its output.
struct Second {
    process: Child,
    output: PathBuf,
}

impl Second {
    fn start() -> Result<Self> {
        let output = python::target()?.join("ci-second.txt");
        println!("at the same time, with the output in {}:", output.display());
        SECOND.iter().for_each(|step| println!("   {}", step.command));
        let file = File::create(&output)?;
        let mut command = Command::new(std::env::current_exe()?);
        command.args(["ci", "--second"]).current_dir(root());
        command.stdout(file.try_clone()?).stderr(file);
        Ok(Second { process: command.spawn()?, output })
    }

    /// Returns an error if it has failed already.
    fn check(&mut self) -> Result {
        self.process.try_wait()?.map_or(Ok(()), passed)
    }

    /// Waits for it, and prints its output.
    fn end(&mut self, start: Instant) -> Result {
        println!("\n== the steps of the second process (at {} s)", start.elapsed().as_secs());
        let status = self.process.wait()?;
        copy(&mut File::open(&self.output)?, &mut std::io::stdout())?;
        passed(status)
    }
}

fn passed(status: ExitStatus) -> Result {
    if status.success() { Ok(()) } else { Err("a step of the second process failed".into()) }
}
