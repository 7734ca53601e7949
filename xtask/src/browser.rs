//! The browser for the test of `npy view`.

use std::env;
use std::ffi::OsString;
use std::process::Command;

use crate::Result;

/// The remedy if there is no browser.
const REMEDY: &str = "\
The test of `npy view` opens a page in Chromium:
  Debian, Ubuntu   apt install chromium
  Fedora           dnf install chromium
  macOS            brew install --cask chromium
Another browser of its kind: NPY_BROWSER=google-chrome cargo xtask test
Without one, `cargo test --workspace` runs everything else.";

/// The names by which Chromium is installed.
const NAMES: [&str; 4] = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];

/// Returns a cargo command whose tests find a browser. Where `CI` is set, Debian's is installed if there is none.
pub(crate) fn with_browser(mut cargo: Command) -> Result<Command> {
    let browser = match find() {
        Some(browser) => browser,
        None if env::var_os("CI").is_some() && install() => find().ok_or(REMEDY)?,
        None => return Err(REMEDY.into()),
    };
    cargo.env("NPY_BROWSER", browser);
    Ok(cargo)
}

fn find() -> Option<OsString> {
    let named = env::var_os("NPY_BROWSER");
    let all = named.into_iter().chain(NAMES.map(OsString::from));
    all.into_iter().find(|name| {
        Command::new(name).arg("--version").output().is_ok_and(|output| output.status.success())
    })
}

/// Installs the package alone, without the fonts and tools that it recommends. Returns false if that fails.
fn install() -> bool {
    let apt = |args: &[&str]| {
        Command::new("apt-get").args(args).status().is_ok_and(|status| status.success())
    };
    apt(&["update", "-q"]) && apt(&["install", "-qy", "--no-install-recommends", "chromium"])
}
