//! NumPy, in one process for all rounds.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use crate::{Query, Result};

/// A Python process that answers queries. It ends when its input is closed.
pub(crate) struct Numpy {
    _child: Child,
    stdin: ChildStdin,
    stdout: BufReader<ChildStdout>,
}

impl Numpy {
    pub(crate) fn start(directory: &Path) -> Result<Self> {
        let python =
            std::env::var_os("NPY_PYTHON").ok_or("NPY_PYTHON names no Python with NumPy")?;
        let mut child = Command::new(python)
            .args(["-I", "-c", include_str!("numpy.py")])
            .arg(directory)
            // The engine has one thread for the same product.
            .env("OPENBLAS_NUM_THREADS", "1")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let pipes = child.stdin.take().zip(child.stdout.take());
        let (stdin, stdout) = pipes.ok_or("pipes to Python")?;
        Ok(Numpy { _child: child, stdin, stdout: BufReader::new(stdout) })
    }

    /// Runs a query. Returns the CPU time in milliseconds, and a sum of the result.
    pub(crate) fn run(&mut self, query: &Query) -> Result<(f64, f64)> {
        self.ask(query.name)
    }

    /// Runs the query of this name.
    pub(crate) fn ask(&mut self, name: &str) -> Result<(f64, f64)> {
        writeln!(self.stdin, "{name}")?;
        let mut answer = String::new();
        self.stdout.read_line(&mut answer)?;
        let (cpu, sum) = answer.trim().split_once(' ').ok_or("Python has failed")?;
        Ok((cpu.parse()?, sum.parse()?))
    }
}
