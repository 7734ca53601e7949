//! Builds test programs and runs two of them at a time: while the last test of one waits, the other one works.

use std::io::{self, Read};
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Instant;

use serde_json::Value;

use crate::Result;
use crate::command::{output, run as run_command};

/// Programs at a time. Each runs as many of its own tests at a time as there are cores.
const AT_A_TIME: usize = 2;

/// A test program, or the examples in docs.
struct Program {
    name: String,
    command: Command,
}

/// Runs all tests of a `cargo test` command that has no filter. All programs run, also after a failure.
pub(crate) fn run(test: &Command) -> Result {
    run_command(&mut with(test, &["--no-run"]))?;
    // All is built by now; this lists it.
    let built = output(&mut with(test, &["--no-run", "--quiet", "--message-format=json"]))?;
    let mut programs = vec![Program { name: "docs".into(), command: with(test, &["--doc"]) }];
    for line in built.lines() {
        programs.extend(program(&serde_json::from_str(line)?, test));
    }
    let (programs, next) = (programs.as_slice(), AtomicUsize::new(0));
    let worker = || {
        let mine = || programs.get(next.fetch_add(1, Ordering::Relaxed));
        std::iter::from_fn(mine).filter_map(|program| program.failure()).collect::<Vec<_>>()
    };
    let failed = thread::scope(|scope| {
        let workers = [(); AT_A_TIME].map(|()| scope.spawn(worker));
        // A panic of a worker has printed its message.
        workers.map(|worker| worker.join().unwrap_or_else(|_| vec!["a thread".into()])).concat()
    });
    if failed.is_empty() { Ok(()) } else { Err(format!("failed: {}", failed.join(", ")).into()) }
}

/// Returns the command with more arguments.
fn with(command: &Command, more: &[&str]) -> Command {
    let mut copy = like(command, command.get_program().as_ref());
    copy.args(command.get_args()).args(more);
    copy.current_dir(command.get_current_dir().unwrap_or(Path::new(".")));
    copy
}

/// Returns a command for a program with the variables of another command.
fn like(command: &Command, program: &Path) -> Command {
    let mut copy = Command::new(program);
    copy.envs(command.get_envs().filter_map(|(name, value)| Some((name, value?))));
    copy
}

/// Returns the test program that a message of cargo tells of.
fn program(message: &Value, test: &Command) -> Option<Program> {
    if message["profile"]["test"] != true {
        return None;
    }
    let folder = Path::new(message["manifest_path"].as_str()?).parent()?;
    let mut command = like(test, Path::new(message["executable"].as_str()?));
    command.current_dir(folder);
    let package = folder.file_name()?.to_string_lossy();
    let name = format!("{package}: {}", message["target"]["name"].as_str()?);
    Some(Program { name, command })
}

impl Program {
    /// Runs it, and prints its output when it ends; returns its name if a test failed.
    fn failure(&self) -> Option<String> {
        let start = Instant::now();
        let (is_ok, output) = self.output().unwrap_or_else(|error| (false, error.to_string()));
        println!("     Ran {} in {} s\n{output}", self.name, start.elapsed().as_secs());
        (!is_ok).then(|| self.name.clone())
    }

    /// Runs it; returns true if it succeeded, and all it printed.
    fn output(&self) -> io::Result<(bool, String)> {
        let (mut reader, writer) = io::pipe()?;
        let mut command = with(&self.command, &[]);
        let mut child = command.stdout(writer.try_clone()?).stderr(writer).spawn()?;
        // It keeps the end for writing open.
        drop(command);
        let mut printed = Vec::new();
        reader.read_to_end(&mut printed)?;
        Ok((child.wait()?.success(), String::from_utf8_lossy(&printed).into_owned()))
    }
}
