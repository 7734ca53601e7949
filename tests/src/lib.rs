//! Shared parts of the integration tests: paths of the test files, a real NumPy, child processes, memory measurement, a
//! disk that fails, items that refuse values, and the properties that must hold for any bytes.

use std::ffi::OsStr;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

pub mod alloc;
pub mod attacks;
pub mod disk;
pub mod faults;
pub mod fuzz;
pub mod pickles;
pub mod picky;
pub mod random_archive;
#[cfg(counted)]
pub mod steps;
pub mod time;
pub mod zips;

/// The real NumPy that `cargo xtask test` installs.
#[derive(Debug)]
pub struct Numpy;

impl Numpy {
    /// Runs a Python script with these arguments in `sys.argv[1:]`, and returns its output.
    ///
    /// # Panics
    ///
    /// If the script fails, with Python's message; and if `NPY_PYTHON` is not set, as a test that is skipped silently
    /// looks like one that passes.
    #[track_caller]
    pub fn run(script: &str, args: &[&OsStr]) -> String {
        // A file and not `-c`: a traceback then shows the line.
        let directory = tempfile::tempdir().expect("a temporary directory");
        let path = directory.path().join("script.py");
        std::fs::write(&path, script).expect("the script can be written");
        let mut python = Self::python();
        let output = python.arg(&path).args(args).output();
        let output =
            output.unwrap_or_else(|error| panic!("{}: {error}", python.get_program().display()));
        let stdout = String::from_utf8_lossy(&output.stdout);
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "the script failed\n{stdout}{stderr}");
        stdout.into_owned()
    }

    /// Starts a Python in this directory that runs one line at a time: see [`Session`].
    ///
    /// # Panics
    ///
    /// If `NPY_PYTHON` is not set, or cannot be started.
    #[track_caller]
    pub fn session(directory: &Path) -> Session {
        const LOOP: &str = "
import sys
import numpy as np
names = {'np': np}
for line in sys.stdin:
    try:
        code = compile(line, line, 'eval')
    except SyntaxError:
        code = compile(line, line, 'exec')
    print(repr(eval(code, names)), flush=True)
";
        let mut python = Self::python();
        python.args(["-c", LOOP]).current_dir(directory);
        let child = python.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
        let mut child =
            child.unwrap_or_else(|error| panic!("{}: {error}", python.get_program().display()));
        let pipes = child.stdin.take().zip(child.stdout.take());
        let (stdin, stdout) = pipes.expect("pipes to Python");
        Session { child, stdin, stdout: BufReader::new(stdout) }
    }

    #[track_caller]
    fn python() -> Command {
        let Some(python) = std::env::var_os("NPY_PYTHON") else {
            panic!(
                "NPY_PYTHON names no Python with NumPy: `cargo xtask test` makes one and runs this"
            )
        };
        // Isolated from other Python packages on this machine.
        let mut command = Command::new(python);
        command.args(["-I", "-X", "utf8"]);
        command
    }
}

/// A Python process that keeps its variables, and the files it has mapped, from one line to the next. It ends when dropped.
#[derive(Debug)]
pub struct Session {
    child: Child,
    stdin: ChildStdin,
    stdout: BufReader<ChildStdout>,
}

impl Session {
    /// Evaluates or runs a line of Python, and returns the `repr` of its value.
    ///
    /// # Panics
    ///
    /// If the line raises an exception.
    #[track_caller]
    pub fn ask(&mut self, line: &str) -> String {
        let mut answer = String::new();
        let asked =
            writeln!(self.stdin, "{line}").and_then(|()| self.stdout.read_line(&mut answer));
        // Its traceback is on stderr.
        assert!(asked.is_ok() && answer.ends_with('\n'), "Python failed at: {line}");
        answer.truncate(answer.len() - 1);
        answer
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        // It is waiting for another line.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Returns true in `cargo xtask test --all`, and if `NPY_THOROUGH` is set: tests that repeat the same with other values do it as often as they can.
pub fn is_thorough() -> bool {
    std::env::var_os("NPY_THOROUGH").is_some()
}

/// Returns the number of repetitions of a test, a fifth of them in quick runs.
pub fn rounds(all: usize) -> usize {
    if is_thorough() { all } else { all.div_ceil(5) }
}

/// Returns a command that starts this test program again, to run one test in a child process of another test. Tests that run in this way alone
/// are marked as ignored.
///
/// # Panics
///
/// If there is no such test: a program that runs none succeeds. Also if the system does not know the path of this program.
pub fn again(test: &str) -> Command {
    let command = || {
        let mut command = Command::new(std::env::current_exe().expect("the path of this program"));
        command.args(["--exact", test, "--ignored"]);
        command
    };
    let list = command().arg("--list").output().expect("a list of tests").stdout;
    let list = String::from_utf8_lossy(&list);
    assert!(list.lines().any(|line| line == format!("{test}: test")), "no test {test}: {list}");
    let mut command = command();
    command.arg("--nocapture");
    command
}

/// The path of one of the golden files, which NumPy wrote: `tests/golden/README.md`.
///
/// ```
/// assert!(npy_tests::golden("bool.npy").is_file());
/// ```
pub fn golden(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("golden").join(name)
}

/// Returns the names of the files in a directory, sorted.
///
/// # Panics
///
/// If the directory cannot be read, or a name is not UTF-8.
pub fn names(directory: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(directory).expect("a directory");
    let name = |entry: std::io::Result<std::fs::DirEntry>| {
        entry.expect("an entry").file_name().into_string().expect("UTF-8")
    };
    let mut names: Vec<_> = entries.map(name).collect();
    names.sort();
    names
}

/// The directory of the files with expected values: `tests/corpus/README.md`.
pub fn corpus() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus")
}
