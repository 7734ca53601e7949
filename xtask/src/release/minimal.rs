//! The lowest versions of dependencies that the manifests allow: a user may have them locked. cargo-minimal-versions checks them.

use super::packages::PUBLISHED;
use crate::Result;
use crate::command::{cargo, output, run as run_command};

/// Checks the packages with the lowest versions of the crates that they name themselves. The versions of others follow from these.
pub(super) fn check() -> Result<Vec<String>> {
    if output(&mut cargo(&["minimal-versions", "--version"])).is_err() {
        let install = "cargo install cargo-minimal-versions cargo-hack --locked";
        return Ok(vec![format!("the lowest versions of dependencies: {install}")]);
    }
    // The parts of `npy-core` are required in exactly the version that they have here.
    let mut minimal = cargo(&["minimal-versions", "check", "--direct"]);
    minimal.args(["--detach-path-deps=skip-exact", "--all-features"]);
    minimal.args(["--target-dir", "target/minimal-versions"]);
    minimal.args(PUBLISHED.iter().flat_map(|package| ["--package", package]));
    run_command(minimal.env("RUSTFLAGS", "--cap-lints allow"))?;
    Ok(Vec::new())
}
