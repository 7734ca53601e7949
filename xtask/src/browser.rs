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

/// Firefox, for the package for npm.
const FIREFOX: [&str; 2] = ["firefox-esr", "firefox"];

/// The remedy if there is no Firefox.
const FIREFOX_REMEDY: &str = "\
The package for npm is tested in Firefox, too:
  Debian, Ubuntu   apt install firefox-esr
  Fedora           dnf install firefox
  macOS            brew install --cask firefox
Another name: NPY_FIREFOX=firefox-nightly cargo xtask js";

/// Returns a cargo command whose tests find a browser. Debian's is installed if there is none.
pub(crate) fn with_browser(mut cargo: Command) -> Result<Command> {
    cargo.env("NPY_BROWSER", browser("NPY_BROWSER", &NAMES, "chromium", REMEDY)?);
    Ok(cargo)
}

/// Returns a command whose tests find Firefox, which is installed like Chromium.
pub(crate) fn with_firefox(mut command: Command) -> Result<Command> {
    command.env("NPY_FIREFOX", browser("NPY_FIREFOX", &FIREFOX, "firefox-esr", FIREFOX_REMEDY)?);
    Ok(command)
}

/// Returns the browser that a variable names, or else one of these, or else a package of Debian.
fn browser(variable: &str, names: &[&str], package: &str, remedy: &str) -> Result<OsString> {
    if let Some(browser) = find(variable, names) {
        return Ok(browser);
    }
    apt::install(package, remedy)?;
    Ok(find(variable, names).ok_or(remedy)?)
}

fn find(variable: &str, names: &[&str]) -> Option<OsString> {
    let named = env::var_os(variable);
    let all = named.into_iter().chain(names.iter().map(OsString::from));
    all.into_iter().find(|name| {
        Command::new(name).arg("--version").output().is_ok_and(|output| output.status.success())
    })
}
