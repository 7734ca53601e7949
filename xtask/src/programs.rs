//! Builds the test programs of a `cargo test` command, and runs them two at a time.

use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::Result;
use crate::command::{cannot_start, ended, output};
use crate::parallel::{self, Program, copy, like};

/// Adds to a `cargo test` command the variables with which its tests find what they need, and installs it if it is missing.
type Prepare = fn(Command) -> Result<Command>;

/// Runs all tests of a command that has no filter, and the examples in the documentation. All programs run, also after a failure.
pub(crate) fn run_with_docs(test: &Command, prepare: Prepare) -> Result {
    let test = built(test, prepare)?;
    run_all(&test, vec![Program { name: "docs".into(), command: with(&test, &["--doc"]) }])
}

/// Runs all tests of a command that has no filter, without the examples in the documentation.
pub(crate) fn run(test: &Command, prepare: Prepare) -> Result {
    run_all(&built(test, prepare)?, Vec::new())
}

/// Builds the programs, and prepares the command at the same time: what it installs waits for the network and the disk.
fn built(test: &Command, prepare: Prepare) -> Result<Command> {
    let mut build = with(test, &["--no-run"]);
    let mut child = build.spawn().map_err(|error| cannot_start(&build, &error))?;
    let prepared = prepare(copy(test));
    if prepared.is_err() {
        // So that its message is the last one, and comes at once.
        child.kill()?;
    }
    let status = child.wait()?;
    let test = prepared?;
    ended(&build, status)?;
    Ok(test)
}

fn run_all(test: &Command, mut programs: Vec<Program>) -> Result {
    // All is built by now; this lists it.
    let listed = output(&mut with(test, &["--no-run", "--quiet", "--message-format=json"]))?;
    for line in listed.lines() {
        programs.extend(program(&serde_json::from_str(line)?, test));
    }
    parallel::run(&programs, false)
}

/// Returns the command with more arguments.
fn with(command: &Command, more: &[&str]) -> Command {
    let mut longer = copy(command);
    longer.args(more);
    longer
}

/// Returns the test program that a message of cargo tells of.
fn program(message: &Value, test: &Command) -> Option<Program> {
    if message["profile"]["test"] != true {
        return None;
    }
    let folder = Path::new(message["manifest_path"].as_str()?).parent()?;
    let mut command = like(test, Path::new(message["executable"].as_str()?));
    command.current_dir(folder).env("CARGO_MANIFEST_DIR", folder);
    let package = folder.file_name()?.to_string_lossy();
    let name = format!("{package}: {}", message["target"]["name"].as_str()?);
    Some(Program { name, command })
}

#[cfg(all(test, unix))]
mod tests {
    use std::process::Command;
    use std::time::{Duration, Instant};

    use super::built;

    fn shell(text: &str) -> Command {
        let mut command = Command::new("sh");
        command.args(["-c", text]);
        command
    }

    /// Guards that a missing Python is told at once, not after minutes of a build.
    #[test]
    fn a_build_ends_if_the_tests_lack_something() {
        let start = Instant::now();
        let error = built(&shell("exec sleep 60"), |_| Err("no Python".into())).unwrap_err();
        assert_eq!(error.to_string(), "no Python");
        assert!(start.elapsed() < Duration::from_secs(30));
    }

    #[test]
    fn tests_run_with_what_was_prepared_while_they_were_built() {
        let prepare = |mut test: Command| {
            test.env("NPY_PYTHON", "x");
            Ok(test)
        };
        let test = built(&shell("exit 0"), prepare).unwrap();
        assert!(test.get_envs().any(|(name, _)| name == "NPY_PYTHON"));
        let error = built(&shell("exit 3"), prepare).unwrap_err().to_string();
        assert!(error.contains("--no-run"), "{error}");
    }
}
