//! The extension of `npy-js/vscode`, which shows the page in an editor.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::browser::with_browser;
use crate::command::run as run_command;
use crate::npm::Package;
use crate::{Result, page, root};

/// Builds the extension, tests it and packs it.
pub(super) fn run() -> Result {
    let npm = compile()?;
    run_command(&mut with_browser(npm.tests()?)?)?;
    println!("{}", pack(&npm)?.display());
    Ok(())
}

/// Builds the extension, and returns the path of the packed one.
pub(super) fn build() -> Result<PathBuf> {
    pack(&compile()?)
}

/// Returns the command that tests an extension in another folder, without a browser.
pub(super) fn tests_of(folder: &Path) -> Command {
    let mut node = Command::new("node");
    node.args(["--test", "--test-reporter=spec", "npy-js/vscode/test/editor.test.mjs"]);
    node.env("NPY_EXTENSION", folder).current_dir(root());
    node
}

fn compile() -> Result<Package> {
    let page = page::build()?;
    let npm = Package::install("npy-js/vscode")?;
    npm.clean("dist")?;
    fs::create_dir_all(npm.path("media"))?;
    fs::copy(page, npm.path("media/npy.html"))?;
    fs::copy(root().join("LICENSE-MIT"), npm.path("LICENSE-MIT"))?;
    fs::copy(root().join("LICENSE-APACHE"), npm.path("LICENSE-APACHE"))?;
    run_command(&mut npm.tool("tsc"))?;
    Ok(npm)
}

fn pack(npm: &Package) -> Result<PathBuf> {
    let target = root().join("target/js");
    fs::create_dir_all(&target)?;
    let file = target.join("npy-viewer.vsix");
    let mut pack = npm.tool("vsce");
    pack.args(["package", "--no-dependencies", "--allow-missing-repository", "--skip-license"]);
    run_command(pack.arg("--out").arg(&file))?;
    Ok(file)
}
