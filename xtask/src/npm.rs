//! Packages with tools of npm: those of the lock file beside `package.json`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::command::{installs, run as run_command};
use crate::{Result, root};

/// The remedy if there is no Node.
const REMEDY: &str = "\
The package for npm is built and tested with Node 20 or newer, and npm:
  Debian, Ubuntu   apt install nodejs npm
  Fedora           dnf install nodejs
  macOS            brew install node";

/// A folder with a `package.json`.
pub(crate) struct Package {
    folder: PathBuf,
}

impl Package {
    /// Installs the tools of the lock file, unless they are there.
    pub(crate) fn install(folder: &str) -> Result<Self> {
        let package = Package { folder: root().join(folder) };
        let _others = installs()?;
        let lock = fs::read(package.path("package-lock.json"))?;
        let stamp = package.path("node_modules/.lock");
        if fs::read(&stamp).is_ok_and(|installed| installed == lock) {
            return Ok(package);
        }
        let ci = run_command(package.command("npm").arg("ci"));
        ci.map_err(|error| format!("{error}\n\n{REMEDY}"))?;
        fs::write(stamp, lock)?;
        Ok(package)
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    /// Returns a command that runs in the folder.
    pub(crate) fn command(&self, program: impl AsRef<std::ffi::OsStr>) -> Command {
        let mut command = Command::new(program);
        command.current_dir(&self.folder);
        command
    }

    /// Returns a tool of the lock file.
    pub(crate) fn tool(&self, name: &str) -> Command {
        self.command(self.path("node_modules/.bin").join(name))
    }

    /// Returns the command that runs the tests.
    pub(crate) fn tests(&self) -> Result<Command> {
        let mut node = self.command("node");
        node.args(["--test", "--test-reporter=spec"]);
        node.args(files(&self.path("test"), ".test.mjs")?);
        Ok(node)
    }

    /// Removes a folder that a build makes, because files that were renamed would stay.
    pub(crate) fn clean(&self, name: &str) -> Result {
        let folder = self.path(name);
        if folder.exists() {
            fs::remove_dir_all(folder)?;
        }
        Ok(())
    }
}

/// Returns the files in a folder that end like this.
pub(crate) fn files(folder: &Path, ending: &str) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.to_str().is_some_and(|path| path.ends_with(ending)) {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}
