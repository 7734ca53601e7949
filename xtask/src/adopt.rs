//! `cargo xtask adopt`: builds and runs the programs of `examples/adopt`, a workspace of its own, which check their own results.

use std::path::Path;
use std::process::Command;

use crate::Result;
use crate::command::{cargo, output, run as run_command};
use crate::python::interpreter;

const MANIFEST: [&str; 2] = ["--manifest-path", "examples/adopt/Cargo.toml"];

/// Programs that are built in less than a minute; `cargo xtask ci` runs them.
const SMALL: [&str; 5] = ["ndarray", "nalgebra", "faer", "numpy", "tract"];

/// Programs whose crates take minutes.
const LARGE: [&str; 3] = ["candle", "burn", "polars"];

pub(crate) fn small() -> Result {
    run_command(cargo(&["fmt", "--all", "--check"]).args(MANIFEST))?;
    SMALL.into_iter().try_for_each(program)
}

pub(crate) fn all() -> Result {
    small()?;
    LARGE.into_iter().try_for_each(program)
}

/// Builds and runs one program.
fn program(name: &str) -> Result {
    println!("-- {name}");
    let mut run = cargo(&["run", "--locked", "--package", &format!("adopt-{name}")]);
    run.args(MANIFEST).args(["--target-dir", "target/adopt"]);
    if name == "numpy" {
        with_python_inside(&mut run)?;
    }
    run_command(&mut run)
}

/// Lets a program find the library of Python, which it runs in its own process, and NumPy.
fn with_python_inside(program: &mut Command) -> Result {
    let python = interpreter()?;
    let ask = "import sysconfig as s; print(s.get_path('purelib'), s.get_config_var('LIBDIR'), sep='\\n')";
    let folders = output(Command::new(&python).args(["-c", ask]))?;
    let (packages, library) = folders.trim_end().split_once('\n').unwrap_or((&folders, ""));
    program.env("PYO3_PYTHON", python).env("PYTHONPATH", Path::new(packages));
    program.env("LD_LIBRARY_PATH", library);
    Ok(())
}
