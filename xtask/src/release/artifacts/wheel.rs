//! The wheel, in an environment that has only what it brings.

use std::fs;
use std::process::Command;

use super::{Page, add, empty_place, folder};
use crate::Result;
use crate::command::{output, run as run_command};
use crate::python::program;
use crate::wheel;

pub(in super::super) fn build(version: &str) -> Result<Vec<String>> {
    let wheel = wheel::build()?;
    add(&wheel, &folder(version, "python")?)?;
    let place = empty_place("wheel")?;
    let venv = place.join("first");
    let system = std::env::var_os("PYTHON").unwrap_or_else(|| "python3".into());
    run_command(Command::new(system).args(["-m", "venv"]).arg(&venv))?;
    let python = program(&venv, "python");
    let pip = ["-m", "pip", "--quiet", "--disable-pip-version-check", "install"];
    run_command(Command::new(&python).args(pip).arg(wheel))?;
    let page = Page::of("python", "python")?;
    fs::write(place.join("first.py"), &page.program)?;
    page.check(Command::new(&python).arg("first.py").current_dir(&place))?;
    let shown = output(Command::new(program(&venv, "npy")).arg("--version"))?;
    match shown.trim() == format!("npy {version}") {
        true => Ok(Vec::new()),
        false => Err(format!("the command of the wheel says {shown:?}").into()),
    }
}
