//! The browser for the test of `npy view`.

use std::env;
use std::ffi::OsString;
use std::process::Command;

use crate::{Result, apt};

/// The remedy if there is no browser.
const REMEDY: &str = "\
The test of `npy view` opens a page in Chromium:
  Debian, Ubuntu   apt install chromium
  Fedora           dnf install chromium
  macOS            brew install --cask chromium
Another browser of its kind: NPY_BROWSER=google-chrome cargo xtask slow
Without one, `cargo test --workspace` runs everything else.";

/// The names by which Chromium is installed.
const NAMES: [&str; 4] = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];

/// Returns a cargo command whose tests find a browser. Debian's is installed if there is none.
pub(crate) fn with_browser(mut cargo: Command) -> Result<Command> {
    cargo.env("NPY_BROWSER", browser()?);
    Ok(cargo)
}

/// Returns the browser that `NPY_BROWSER` names, or else one of these names, or else the package of Debian.
fn browser() -> Result<OsString> {
    if let Some(browser) = find() {
        return Ok(browser);
    }
    apt::install("chromium", REMEDY)?;
    Ok(find().ok_or(REMEDY)?)
}

fn find() -> Option<OsString> {
    let named = env::var_os("NPY_BROWSER");
    let all = named.into_iter().chain(NAMES.map(OsString::from));
    all.into_iter().find(|name| {
        Command::new(name).arg("--version").output().is_ok_and(|output| output.status.success())
    })
}
