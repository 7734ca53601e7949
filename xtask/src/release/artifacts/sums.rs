//! The list of what is in the artifacts, and their checksums.

use std::ffi::OsString;
use std::fs;
use std::path::Path;
use std::process::Command;

use super::super::packages::PUBLISHED;
use super::folder;
use crate::command::{cargo, output, run as run_command};
use crate::{Result, root};

const SUMS: &str = "SHA256SUMS";

/// Writes the crates that are in each package of ours (an SBOM of CycloneDX), by cargo-cyclonedx.
pub(in super::super) fn components(version: &str) -> Result<Vec<String>> {
    if output(&mut cargo(&["cyclonedx", "--version"])).is_err() {
        return Ok(vec!["no SBOM: cargo install cargo-cyclonedx --locked".into()]);
    }
    let out = folder(version, "sbom")?;
    run_command(&mut cargo(&["cyclonedx", "--format", "json", "--all-features"]))?;
    for entry in fs::read_dir(root())? {
        // The tool writes a file beside each manifest.
        let Ok(files) = fs::read_dir(entry?.path()) else { continue };
        for file in files {
            let path = file?.path();
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            let Some(package) = name.strip_suffix(".cdx.json") else { continue };
            if PUBLISHED.contains(&package) {
                fs::copy(&path, out.join(&*name))?;
            }
            fs::remove_file(path)?;
        }
    }
    println!("{}", out.display());
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
