//! `cargo xtask adopt`: builds and runs the programs of `examples/adopt` and `examples/remote`, workspaces of their own, which check their own
//! results. They rarely fail: `cargo xtask release` has them as a step, which also runs each week, and `cargo xtask ci` leaves them out.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::command::{cargo, output, run as run_command};
use crate::python::interpreter;
use crate::{Result, root};

const MANIFEST: [&str; 2] = ["--manifest-path", "examples/adopt/Cargo.toml"];

/// Programs whose crates take minutes. The others are built in less than a minute.
const LARGE: [&str; 3] = ["candle", "burn", "polars"];

pub(crate) fn small() -> Result {
    run_command(cargo(&["fmt", "--all", "--check"]).args(MANIFEST))?;
    let programs = programs()?;
    let mut small = programs.iter().filter(|name| !LARGE.contains(&name.as_str()));
    small.try_for_each(|name| program(name))?;
    for name in ["stream", "ranges"] {
        let remote = ["run", "--manifest-path", "examples/remote/Cargo.toml", "--bin", name];
        run_command(cargo(&remote).args(["--target-dir", "target/remote"]))?;
    }
    Ok(())
}

pub(crate) fn all() -> Result {
    small()?;
    LARGE.into_iter().try_for_each(program)
}

/// Returns the names of the programs, which are those of their folders.
fn programs() -> Result<Vec<String>> {
    let mut names = Vec::new();
    for entry in fs::read_dir(root().join("examples/adopt"))? {
        let entry = entry?;
        if entry.path().join("Cargo.toml").exists() {
            names.push(entry.file_name().to_string_lossy().into_owned());
        }
    }
    names.sort();
    Ok(names)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_folder_is_a_program() {
        let programs = programs().unwrap();
        assert!(programs.len() > LARGE.len(), "{programs:?}");
        assert!(LARGE.iter().all(|name| programs.iter().any(|it| it == name)), "{programs:?}");
    }
}
