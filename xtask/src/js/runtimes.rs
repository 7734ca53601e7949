//! The package in Deno and Bun, which npm has.

use std::fs;
use std::process::Command;

use crate::command::{output, run as run_command};
use crate::npm::Package;
use crate::{Result, root};

/// The runtimes, and how each runs a script.
const RUNTIMES: [(&str, &[&str]); 2] =
    [("deno@2.9.6", &["run", "--allow-all"]), ("bun@1.4.5", &[])];

/// Runs the behaviors in each, and prints how many passed.
pub(super) fn run(npm: &Package) -> Result {
    let folder = root().join("target/runtimes");
    fs::create_dir_all(&folder)?;
    let packages = RUNTIMES.map(|(package, _)| package);
    let stamp = folder.join(".installed");
    if fs::read_to_string(&stamp).is_ok_and(|found| found == packages.join(" ")) {
        println!("{} are installed", packages.join(" and "));
    } else {
        fs::write(folder.join("package.json"), "{\"private\":true}\n")?;
        let mut install = Command::new("npm");
        install.args(["install", "--silent", "--no-save"]).args(packages).current_dir(&folder);
        run_command(&mut install)?;
        fs::write(stamp, packages.join(" "))?;
    }
    for (package, arguments) in RUNTIMES {
        let name = package.split('@').next().unwrap_or(package);
        let mut runtime = npm.command(folder.join("node_modules/.bin").join(name));
        let passed = output(runtime.args(arguments).arg("test/runtime.mjs"))?;
        println!("{package}: {}", passed.trim());
    }
    Ok(())
}
