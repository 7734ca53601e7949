//! Packages of Debian that the checks need.

use std::path::Path;
use std::process::Command;

use crate::Result;
use crate::command::{installs, output, run as run_command};

/// Has apt-get install a package, which needs root; elsewhere it is an error that states the remedy.
pub(crate) fn install(package: &str, remedy: &str) -> Result {
    let is_root = output(Command::new("id").arg("-u")).is_ok_and(|id| id.trim() == "0");
    let has_apt = Path::new("/usr/bin/apt-get").exists();
    if !is_root || !has_apt {
        return Err(remedy.into());
    }
    let _lock = installs()?;
    println!("installing {package}");
    let apt = || {
        let mut apt = Command::new("apt-get");
        apt.env("DEBIAN_FRONTEND", "noninteractive").arg("-qq");
        apt
    };
    let with_remedy = |error| format!("{error}\n\n{remedy}");
    run_command(apt().arg("update")).map_err(with_remedy)?;
    let install = ["install", "--yes", "--no-install-recommends", package];
    Ok(run_command(apt().args(install)).map_err(with_remedy)?)
}
