//! Generated programs: a folder with a manifest and one source file.

use std::fs;
use std::path::{Path, PathBuf};

use crate::Result;

/// Writes a program outside any workspace; returns the path of its manifest.
pub(crate) fn write(parent: &Path, name: &str, dependencies: &str, code: &str) -> Result<PathBuf> {
    let package = parent.join(name);
    fs::create_dir_all(package.join("src"))?;
    let manifest = package.join("Cargo.toml");
    fs::write(
        &manifest,
        format!(
            "[package]\nname = \"{name}\"\nedition = \"2024\"\n\n[dependencies]\n{dependencies}\n\n[workspace]\n"
        ),
    )?;
    fs::write(package.join("src/main.rs"), code)?;
    Ok(manifest)
}
