//! The package for npm, in an empty folder.

use std::fs;
use std::process::Command;

use super::{Page, add, empty_place, folder};
use crate::Result;
use crate::command::{output, run as run_command};
use crate::js;

pub(in super::super) fn build(version: &str) -> Result<Vec<String>> {
    let package = js::build()?;
    add(&package, &folder(version, "npm")?)?;
    let place = empty_place("npm")?;
    let npm = |arguments: &[&str]| {
        let mut npm = Command::new("npm");
        npm.args(arguments).current_dir(&place);
        npm
    };
    output(&mut npm(&["init", "--yes", "--silent"]))?;
    run_command(npm(&["install", "--offline", "--silent"]).arg(package))?;
    let page = Page::of("typescript", "ts")?;
    fs::write(place.join("first.mjs"), &page.program)?;
    page.check(Command::new("node").arg("first.mjs").current_dir(&place))?;
    Ok(Vec::new())
}
