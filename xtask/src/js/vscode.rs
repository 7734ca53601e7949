//! The extension of `npy-js/vscode`, which shows the page in an editor.

use std::fs;

use crate::browser::with_browser;
use crate::command::run as run_command;
use crate::npm::Package;
use crate::{Result, page, root};

/// Builds the extension, packs it and tests it.
pub(super) fn run() -> Result {
    let page = page::build()?;
    let npm = Package::install("npy-js/vscode")?;
    npm.clean("dist")?;
    fs::create_dir_all(npm.path("media"))?;
    fs::copy(page, npm.path("media/npy.html"))?;
    fs::copy(root().join("LICENSE-MIT"), npm.path("LICENSE-MIT"))?;
    fs::copy(root().join("LICENSE-APACHE"), npm.path("LICENSE-APACHE"))?;
    run_command(&mut npm.tool("tsc"))?;
    run_command(&mut with_browser(npm.tests()?)?)?;
    let file = root().join("target/js/npy-viewer.vsix");
    let mut pack = npm.tool("vsce");
    pack.args(["package", "--no-dependencies", "--allow-missing-repository", "--skip-license"]);
    run_command(pack.arg("--out").arg(&file))?;
    println!("{}", file.display());
    Ok(())
}
