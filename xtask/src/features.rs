//! Checks that each feature of `npy-core` compiles by itself, and its documentation.

use std::{fs, iter};

use crate::command::{cargo, output, run};
use crate::{Result, root};

/// Checks the library with one feature after the other.
pub(crate) fn each_alone() -> Result {
    let manifest = fs::read_to_string(root().join("npy-core/Cargo.toml"))?;
    // The empty name: no feature at all.
    for feature in iter::once("").chain(features(&manifest)) {
        let alone = ["clippy", "--package", "npy-core", "--lib", "--no-default-features"];
        run(cargo(&alone).args(["--features", feature, "--", "-D", "warnings"]))?;
        let alone = ["doc", "--package", "npy-core", "--no-deps", "--no-default-features"];
        let mut doc = cargo(&alone);
        run(doc.args(["--features", feature]).env("RUSTDOCFLAGS", "-D warnings"))?;
    }
    Ok(())
}

/// Has cargo-hack check the library with every pair of features. Returns a note if it is not installed.
pub(crate) fn each_pair() -> Result<Vec<String>> {
    if output(&mut cargo(&["hack", "--version"])).is_err() {
        return Ok(vec!["pairs of features: cargo install cargo-hack --locked".into()]);
    }
    let pairs = ["hack", "check", "--package", "npy-core", "--lib", "--feature-powerset"];
    let of_two = ["--depth", "2", "--exclude-features", "default,__test-hooks"];
    run(cargo(&pairs).args(of_two).env("RUSTFLAGS", "-D warnings"))?;
    Ok(Vec::new())
}

/// Returns the names in the table of features.
fn features(manifest: &str) -> impl Iterator<Item = &str> {
    let lines = manifest.lines().skip_while(|line| line.trim() != "[features]").skip(1);
    let lines = lines.take_while(|line| !line.starts_with('['));
    lines
        .filter_map(|line| Some(line.split_once('=')?.0.trim()))
        .filter(|name| !name.starts_with('#'))
}

#[cfg(test)]
mod tests {
    use super::features;

    #[test]
    fn features_are_found_in_their_table() {
        let manifest = "[package]\nname = \"x\"\n\n[features]\n# a = b\ndefault = [\"y\"]\nnum-complex = []\n\n[dependencies]\nz = \"1\"\n";
        assert_eq!(features(manifest).collect::<Vec<_>>(), ["default", "num-complex"]);
    }
}
