//! The browsers that tests open pages in.

use std::env;
use std::ffi::OsString;
use std::process::Command;

use crate::{Result, apt};

/// A browser: the variable by which tests learn its name, the names by which it is installed, and its package of Debian.
struct Browser {
    variable: &'static str,
    names: &'static [&'static str],
    package: &'static str,
    remedy: &'static str,
}

const CHROMIUM: Browser = Browser {
    variable: "NPY_BROWSER",
    names: &["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"],
    package: "chromium",
    remedy: "\
The tests of pages open them in Chromium:
  Debian, Ubuntu   apt install chromium
  Fedora           dnf install chromium
  macOS            brew install --cask chromium
Another browser of its kind: NPY_BROWSER=google-chrome cargo xtask slow
Without one, `cargo test --workspace` runs everything else.",
};

const FIREFOX: Browser = Browser {
    variable: "NPY_FIREFOX",
    names: &["firefox-esr", "firefox"],
    package: "firefox-esr",
    remedy: "\
The tests of the package for npm run in Firefox, too:
  Debian           apt install firefox-esr
  Fedora           dnf install firefox
  macOS            brew install --cask firefox
One of another name: NPY_FIREFOX=/opt/firefox/firefox cargo xtask js",
};

/// Returns a command whose tests find Chromium. Debian's is installed if there is none.
pub(crate) fn with_browser(command: Command) -> Result<Command> {
    CHROMIUM.known_to(command)
}

/// Returns a command whose tests find Firefox. Debian's is installed if there is none.
pub(crate) fn with_firefox(command: Command) -> Result<Command> {
    FIREFOX.known_to(command)
}

impl Browser {
    fn known_to(&self, mut command: Command) -> Result<Command> {
        command.env(self.variable, self.find_or_install()?);
        Ok(command)
    }

    /// Returns the browser that the variable names, or else one of these names, or else the package of Debian.
    fn find_or_install(&self) -> Result<OsString> {
        if let Some(browser) = self.find() {
            return Ok(browser);
        }
        apt::install(self.package, self.remedy)?;
        Ok(self.find().ok_or(self.remedy)?)
    }

    fn find(&self) -> Option<OsString> {
        let named = env::var_os(self.variable);
        let all = named.into_iter().chain(self.names.iter().map(OsString::from));
        all.into_iter().find(|name| {
            Command::new(name).arg("--version").output().is_ok_and(|output| output.status.success())
        })
    }
}
