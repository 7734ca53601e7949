//! The features of `npy-core`, alone and in pairs, which cargo-hack checks.

use crate::Result;
use crate::command::{cargo, output, run};

/// Checks the library with no feature, each feature and each pair, and the documentation of each. Returns a note if cargo-hack is not installed.
pub(crate) fn each_pair() -> Result<Vec<String>> {
    if output(&mut cargo(&["hack", "--version"])).is_err() {
        return Ok(vec!["features alone and in pairs: cargo install cargo-hack --locked".into()]);
    }
    let library = ["--package", "npy-core", "--lib", "--exclude-features", "default,__test-hooks"];
    let mut pairs = cargo(&["hack", "clippy", "--feature-powerset", "--depth", "2"]);
    run(pairs.args(library).args(["--", "-D", "warnings"]))?;
    let mut doc = cargo(&["hack", "doc", "--no-deps", "--each-feature"]);
    run(doc.args(library).env("RUSTDOCFLAGS", "-D warnings"))?;
    Ok(Vec::new())
}
