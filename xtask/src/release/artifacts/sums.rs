//! The list of what is in the artifacts, and their checksums.

use std::ffi::OsString;
use std::fs;
use std::path::Path;
use std::process::Command;

use super::super::packages::{ENGINE, OF_ENGINE, PUBLISHED};
use super::folder;
use crate::command::{cargo, output, run as run_command};
use crate::{Result, root};

const SUMS: &str = "SHA256SUMS";

/// The workspaces whose packages are published.
const MANIFESTS: [&str; 3] = ["Cargo.toml", ENGINE, "npy-python/Cargo.toml"];

/// The packages whose modules are in the wheel, in the package for npm and in the page.
const IN_ARTIFACTS: [&str; 3] = ["npy-python", "npy-js", "npy-page"];

/// Writes the crates that are in each package of ours (an SBOM of CycloneDX), by cargo-cyclonedx.
pub(in super::super) fn components(version: &str) -> Result<Vec<String>> {
    if output(&mut cargo(&["cyclonedx", "--version"])).is_err() {
        return Ok(vec!["no SBOM: cargo install cargo-cyclonedx --locked".into()]);
    }
    let out = folder(version, "sbom")?;
    for manifest in MANIFESTS {
        let list = ["cyclonedx", "--format", "json", "--spec-version", "1.5", "--all-features"];
        run_command(cargo(&list).args(["--manifest-path", manifest]))?;
    }
    // The tool writes a file beside each manifest.
    let untracked = ["ls-files", "--others", "--exclude-standard", "*.cdx.json"];
    let made = output(Command::new("git").args(untracked).current_dir(root()))?;
    for file in made.lines() {
        let path = root().join(file);
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let package = name.trim_end_matches(".cdx.json");
        if [&PUBLISHED[..], &OF_ENGINE, &IN_ARTIFACTS].concat().contains(&package) {
            // The file names the folders of this machine.
            let list = fs::read_to_string(&path)?;
            fs::write(out.join(&*name), list.replace(&root().display().to_string(), ""))?;
        }
        fs::remove_file(&path)?;
    }
    println!("{}: {} lists", out.display(), fs::read_dir(&out)?.count());
    Ok(Vec::new())
}

/// Writes the checksum of each artifact, and compares them once.
pub(in super::super) fn write(version: &str) -> Result<Vec<String>> {
    let out = folder(version, "")?;
    let mut files = Vec::new();
    for entry in fs::read_dir(&out)? {
        let path = entry?.path();
        if path.is_dir() {
            files.extend(names(&path)?);
        }
    }
    files.sort();
    let mut sums = Command::new("sha256sum");
    fs::write(out.join(SUMS), output(sums.args(files).current_dir(&out))?)?;
    run_command(Command::new("sha256sum").args(["--check", SUMS]).current_dir(&out))?;
    Ok(Vec::new())
}

/// Returns the files in a folder, with its name.
fn names(folder: &Path) -> Result<Vec<OsString>> {
    let mut names = Vec::new();
    for entry in fs::read_dir(folder)? {
        let of = Path::new(folder.file_name().unwrap_or_default());
        names.push(of.join(entry?.file_name()).into_os_string());
    }
    Ok(names)
}
