//! The extension for editors, unpacked as an editor does it.

use std::process::Command;

use super::{add, empty_place, folder};
use crate::Result;
use crate::command::run as run_command;
use crate::js;

pub(in super::super) fn build(version: &str) -> Result<Vec<String>> {
    let packed = js::extension()?;
    add(&packed, &folder(version, "vscode")?)?;
    let place = empty_place("vscode")?;
    let system = std::env::var_os("PYTHON").unwrap_or_else(|| "python3".into());
    let unpack = ["-m", "zipfile", "--extract"];
    run_command(Command::new(system).args(unpack).arg(&packed).arg(&place))?;
    // There is no page of it in `docs/start`: its tests open files in it.
    run_command(&mut js::tests_of_extension(&place.join("extension")))?;
    Ok(Vec::new())
}
