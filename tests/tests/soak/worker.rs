//! The process that works on the files, and is sometimes killed.

use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Stdio};
use std::time::Duration;

use crate::operation::Operation;
use crate::state::{State, Values};

const WORKER: &str = "NPY_SOAK_WORKER";

/// Not a test of its own: reads one operation per line, and prints a line when it is done.
#[test]
#[ignore = "started by `files_hold_the_expected_contents_after_kills`"]
fn child() {
    let Some(directory) = std::env::var_os(WORKER) else { return };
    let mut out = std::io::stdout().lock();
    for line in std::io::stdin().lines() {
        let line = line.unwrap();
        let (name, rest) = line.split_once(' ').unwrap();
        let (state, operation) = rest.split_once(';').unwrap();
        let operation = Operation::parse(operation).unwrap();
        let said = match operation.run(&Path::new(&directory).join(name), &parse(state)) {
            Ok(()) => "done\n".into(),
            Err(error) => format!("failed: {error}\n"),
        };
        out.write_all(said.as_bytes()).and_then(|()| out.flush()).unwrap();
    }
}

/// Formats a state as a line: its kind, seeds and counts.
fn shown(state: &State) -> String {
    let (kind, values) = match state {
        State::Nothing => ('n', &[][..]),
        State::Rows(values) => ('r', std::slice::from_ref(values)),
        State::Archive(members) => ('a', &members[..]),
    };
    values.iter().fold(kind.to_string(), |text, it| format!("{text},{},{}", it.seed, it.count))
}

fn parse(text: &str) -> State {
    let numbers: Vec<usize> = text.split(',').skip(1).map(|it| it.parse().unwrap()).collect();
    let pairs = numbers.as_chunks::<2>().0.iter();
    let values: Vec<_> = pairs.map(|&[seed, count]| Values { seed: seed as u64, count }).collect();
    match (text.as_bytes()[0], values.as_slice()) {
        (b'r', &[values]) => State::Rows(values),
        (b'a', _) => State::Archive(values),
        _ => State::Nothing,
    }
}

/// The parent's side of the worker process.
pub(crate) struct Worker {
    child: Child,
    stdin: ChildStdin,
    stdout: BufReader<ChildStdout>,
}

impl Worker {
    pub(crate) fn start(directory: &Path) -> Self {
        let mut child = npy_tests::again("worker::child");
        child.env(WORKER, directory).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = child.spawn().unwrap();
        let (stdin, stdout) = child.stdin.take().zip(child.stdout.take()).unwrap();
        Worker { child, stdin, stdout: BufReader::new(stdout) }
    }

    pub(crate) fn begin(&mut self, name: &str, state: &State, operation: &Operation) {
        writeln!(self.stdin, "{name} {};{operation}", shown(state)).unwrap();
    }

    /// Waits until the operation is done.
    pub(crate) fn wait(&mut self) -> Result<(), String> {
        let mut line = String::new();
        while self.stdout.read_line(&mut line).unwrap() > 0 {
            match line.trim_end() {
                "done" => return Ok(()),
                failed if failed.starts_with("failed: ") => return Err(failed.into()),
                // Output of the test harness.
                _ => line.clear(),
            }
        }
        Err("the worker ended".into())
    }

    /// Kills the process after a while; returns true if the operation was done before.
    pub(crate) fn kill(mut self, after: Duration) -> bool {
        std::thread::sleep(after);
        self.child.kill().unwrap();
        self.child.wait().unwrap();
        let mut said = String::new();
        self.stdout.read_to_string(&mut said).unwrap();
        assert!(!said.contains("failed: "), "{said}");
        said.lines().any(|line| line == "done")
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        // It is waiting for another line.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
