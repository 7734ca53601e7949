//! Runs programs two at a time: while one waits for its last thread, the other one works.

use std::io::{self, Read};
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Instant;

use crate::Result;

/// Programs at a time: each builds, or runs its tests, with a thread for each core.
const AT_A_TIME: usize = 2;

/// A program, and the name that a reader of its output knows it by.
pub(crate) struct Program {
    pub(crate) name: String,
    pub(crate) command: Command,
}

/// A program that has ended.
struct Ended<'a> {
    name: &'a str,
    seconds: u64,
    tests: u64,
    is_ok: bool,
}

/// Runs programs in their order, and prints the output of each when it ends. With `stops`, none starts after a failure.
pub(crate) fn run(programs: &[Program], stops: bool) -> Result {
    let next = AtomicUsize::new(0);
    let worker = || {
        let mut all = Vec::new();
        while let Some(program) = programs.get(next.fetch_add(1, Ordering::Relaxed)) {
            let ended = program.run();
            if stops && !ended.is_ok {
                next.store(programs.len(), Ordering::Relaxed);
            }
            all.push(ended);
        }
        all
    };
    let all = thread::scope(|scope| {
        let workers = [(); AT_A_TIME].map(|()| scope.spawn(worker));
        workers
            .into_iter()
            .flat_map(|worker| worker.join().expect("its message is above"))
            .collect::<Vec<_>>()
    });
    println!("\nseconds  tests");
    for Ended { name, seconds, tests, is_ok } in &all {
        println!("{seconds:7} {tests:6}  {name}{}", if *is_ok { "" } else { " FAILED" });
    }
    println!("{} tests passed", all.iter().map(|ended| ended.tests).sum::<u64>());
    let failed: Vec<_> = all.iter().filter(|ended| !ended.is_ok).map(|ended| ended.name).collect();
    if failed.is_empty() { Ok(()) } else { Err(format!("failed: {}", failed.join(", ")).into()) }
}

impl Program {
    fn run(&self) -> Ended<'_> {
        let start = Instant::now();
        println!("== {} has started", self.name);
        let (is_ok, output) = self.output().unwrap_or_else(|error| (false, error.to_string()));
        let seconds = start.elapsed().as_secs();
        println!("\n== {} ({seconds} s)\n{output}", self.name);
        Ended { name: &self.name, seconds, tests: tests(&output), is_ok }
    }

    /// Runs it; returns true if it succeeded, and all it printed.
    fn output(&self) -> io::Result<(bool, String)> {
        let (mut reader, writer) = io::pipe()?;
        let mut command = copy(&self.command);
        let mut child = command.stdout(writer.try_clone()?).stderr(writer).spawn()?;
        // It keeps the end for writing open.
        drop(command);
        let mut printed = Vec::new();
        reader.read_to_end(&mut printed)?;
        Ok((child.wait()?.success(), String::from_utf8_lossy(&printed).into_owned()))
    }
}

/// Returns a command that is the same.
pub(crate) fn copy(command: &Command) -> Command {
    let mut copy = like(command, command.get_program().as_ref());
    copy.args(command.get_args());
    copy.current_dir(command.get_current_dir().unwrap_or(Path::new(".")));
    copy
}

/// Returns a command for another program, with the same variables.
pub(crate) fn like(command: &Command, program: &Path) -> Command {
    let mut other = Command::new(program);
    for (name, value) in command.get_envs() {
        match value {
            Some(value) => other.env(name, value),
            None => other.env_remove(name),
        };
    }
    other
}

/// Returns the tests that passed, of the lines in which test programs count them.
fn tests(output: &str) -> u64 {
    let counts = output.lines().filter_map(|line| line.strip_prefix("test result: ok. "));
    counts.filter_map(|line| line.split_once(' ')?.0.parse::<u64>().ok()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(text: &str) -> Program {
        let mut command = Command::new("sh");
        command.args(["-c", text]);
        Program { name: text.into(), command }
    }

    #[cfg(unix)]
    #[test]
    fn a_failure_is_named_and_may_be_the_end() {
        let folder = std::env::temp_dir().join(format!("xtask-parallel-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let last = folder.join("last");
        let programs = ["exit 3", "sleep 1", &format!("touch {}", last.display())].map(shell);
        let error = run(&programs, true).unwrap_err().to_string();
        assert!(error == "failed: exit 3" && !last.exists(), "{error}");
        assert!(run(&programs, false).is_err() && last.exists());
        assert!(run(&programs[1..], true).is_ok());
        std::fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn tests_that_passed_are_counted() {
        let output = "test result: ok. 3 passed; 0 failed\nx\ntest result: FAILED. 9 passed\ntest result: ok. 40 passed;";
        assert_eq!(super::tests(output), 43);
    }
}
