//! `cargo xtask wheel`: the Python package. `cargo xtask python`: its tests, types and examples, in an environment that has nothing else.

pub(crate) mod linux;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::command::{output, run};
use crate::python::{environment, program, target};
use crate::{Result, root};

const REQUIREMENTS: &str = "npy-python/requirements.txt";

/// Builds the wheel into `target/wheels`, and returns its path.
pub(crate) fn build() -> Result<PathBuf> {
    build_with("release", "wheels")
}

fn build_with(profile: &str, folder: &str) -> Result<PathBuf> {
    let tools = environment("python-venv", REQUIREMENTS)?;
    let wheels = target()?.join(folder);
    // Wheels of earlier versions would be installed, too.
    let _ = fs::remove_dir_all(&wheels);
    let mut maturin = Command::new(&tools);
    maturin.args(["-m", "maturin", "build", "--profile", profile, "--manifest-path"]);
    maturin.arg(root().join("npy-python/Cargo.toml")).arg("--out").arg(&wheels);
    maturin.args(["--target-dir".as_ref(), target()?.join("python").as_os_str()]);
    run(maturin.arg("--interpreter").arg(&tools))?;
    let wheel = fs::read_dir(&wheels)?.next().ok_or("maturin built no wheel")??.path();
    println!("{}", wheel.display());
    Ok(wheel)
}

/// Builds a wheel that is compiled soon, installs it, and runs all checks of it.
pub(crate) fn test() -> Result {
    let wheel = build_with("dev", "python/wheels")?;
    let tools = environment("python-venv", REQUIREMENTS)?;
    let python = installed(&wheel, &tools)?;
    let package = root().join("npy-python");
    let check = |program: &Path, arguments: &[&str]| {
        run(Command::new(program).args(arguments).current_dir(&package))
    };
    check(&program(&target()?.join("python-empty"), "npy"), &["--version"])?;
    check(&python, &["-m", "pytest", "tests"])?;
    check(&python, &["tests/examples.py"])?;
    check(&tools, &["-m", "mypy", "--strict", "python/npy_core", "tests/typed.py"])?;
    check(&tools, &["-m", "pyright", "--pythonpath", &python.to_string_lossy()])
}

/// Makes an environment with the wheel. The packages of the tests are found in the other environment, so that nothing is loaded twice.
fn installed(wheel: &Path, tools: &Path) -> Result<PathBuf> {
    let venv = target()?.join("python-empty");
    run(Command::new(tools).args(["-m", "venv", "--clear", "--without-pip"]).arg(&venv))?;
    let python = program(&venv, "python");
    let pip = ["-m", "pip", "--quiet", "--disable-pip-version-check", "--python"];
    run(Command::new(tools).args(pip).arg(&python).args(["install", "--no-deps"]).arg(wheel))?;
    let folder = "import sysconfig; print(sysconfig.get_path('purelib'))";
    let folder_of = |python: &Path| output(Command::new(python).args(["-c", folder]));
    fs::write(Path::new(folder_of(&python)?.trim()).join("tools.pth"), folder_of(tools)?)?;
    Ok(python)
}
