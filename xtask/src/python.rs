//! Virtual environments: one with the NumPy of `tests/requirements.txt`, and others.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::command::{installs, run};
use crate::{Result, root};

/// The remedy if Python, or a part of it, is missing.
const REMEDY: &str = "\
The tests against NumPy need Python 3.11 or newer with venv and pip:
  Debian, Ubuntu   apt install python3 python3-venv python3-pip
  Fedora           dnf install python3 python3-pip
  macOS            brew install python
  Windows          winget install Python.Python.3.13, and PYTHON=py
If python3 is another one, name the right one: PYTHON=python3.12 cargo xtask test
Without Python, `cargo test --workspace` runs everything else.";

/// Returns the interpreter of the environment, and creates the environment if it is missing.
pub(crate) fn interpreter() -> Result<PathBuf> {
    environment("venv", "tests/requirements.txt")
}

/// Returns the interpreter of an environment in cargo's target folder, and creates the environment if it is missing.
pub(crate) fn environment(name: &str, requirements: &str) -> Result<PathBuf> {
    let requirements = root().join(requirements);
    let wanted = fs::read_to_string(&requirements)?;
    let venv = target()?.join(name);
    let python = program(&venv, "python");
    let _lock = installs()?;
    // Written last, so that an incomplete environment lacks it.
    let stamp = venv.join("requirements.stamp");
    if !is_made(&stamp, &python, &wanted) {
        make(&venv, &python, &requirements)?;
        fs::write(stamp, wanted)?;
    }
    Ok(python)
}

/// Returns the path of a program in an environment.
pub(crate) fn program(venv: &Path, name: &str) -> PathBuf {
    match cfg!(windows) {
        true => venv.join("Scripts").join(format!("{name}.exe")),
        false => venv.join("bin").join(name),
    }
}

/// Returns a cargo command whose tests find NumPy if the environment exists.
pub(crate) fn with_numpy_if_there(cargo: Command) -> Result<Command> {
    let is_there = target()?.join("venv/requirements.stamp").exists();
    if is_there { with_numpy(cargo) } else { Ok(cargo) }
}

/// Returns a cargo command whose tests find NumPy.
pub(crate) fn with_numpy(mut cargo: Command) -> Result<Command> {
    cargo.env("NPY_PYTHON", interpreter()?);
    Ok(cargo)
}

/// Returns cargo's target folder. The environment is in it, so that `cargo clean` removes both.
pub(crate) fn target() -> Result<PathBuf> {
    match env::var_os("CARGO_TARGET_DIR") {
        Some(target) => Ok(std::path::absolute(target)?),
        None => Ok(root().join("target")),
    }
}

/// Returns true if the environment is complete, and has these requirements.
fn is_made(stamp: &Path, python: &Path, wanted: &str) -> bool {
    python.exists() && fs::read_to_string(stamp).is_ok_and(|made_with| made_with == wanted)
}

fn make(venv: &Path, python: &Path, requirements: &Path) -> Result {
    println!("installing {} in {}", requirements.display(), venv.display());
    if venv.exists() {
        fs::remove_dir_all(venv)?;
    }
    let system = env::var_os("PYTHON").unwrap_or_else(|| OsString::from("python3"));
    let with_remedy = |error| format!("{error}\n\n{REMEDY}");
    run(Command::new(system).args(["-m", "venv"]).arg(venv)).map_err(with_remedy)?;
    run(Command::new(python)
        .args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check"])
        .args(["--no-compile", "-r"])
        .arg(requirements))
    .map_err(with_remedy)?;
    // Not by pip, which also compiles the packages' own tests, twice as long as the rest. A file that cannot be compiled is not imported.
    let mut compile = Command::new(python);
    compile.args(["-m", "compileall", "-qq", "-x", r"[/\\]tests?[/\\]"]).arg(venv).status()?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::is_made;
    use std::fs;

    #[test]
    fn an_environment_is_made_anew_if_half_made_or_of_other_requirements() {
        let venv = std::env::temp_dir().join(format!("xtask-venv-{}", std::process::id()));
        fs::create_dir_all(&venv).unwrap();
        let (stamp, python) = (venv.join("stamp"), venv.join("python"));
        fs::write(&python, "").unwrap();
        assert!(!is_made(&stamp, &python, "numpy==1"), "half-made");
        fs::write(&stamp, "numpy==1").unwrap();
        assert!(is_made(&stamp, &python, "numpy==1"));
        assert!(!is_made(&stamp, &python, "numpy==2"), "other requirements");
        fs::remove_file(&python).unwrap();
        assert!(!is_made(&stamp, &python, "numpy==1"), "no interpreter");
        fs::remove_dir_all(&venv).unwrap();
    }
}
