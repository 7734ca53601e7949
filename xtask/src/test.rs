//! `cargo xtask test`: runs the tests that are quick, including those against a real NumPy. `cargo xtask test --all`: runs the others, too.

use std::process::Command;

use crate::command::{cargo, run as run_command};
use crate::engine::moto;
use crate::power::with_strace;
use crate::python::with_numpy;
use crate::release::metadata;
use crate::{Result, programs};

/// Packages whose tests need crates that nothing else needs, or a second build of the library.
const LEFT_OUT: [&str; 4] = ["npy-arrow", "npy-clouds", "npy-core-derive", "npy-examples"];

/// Features whose crates nothing else needs: the clients of clouds, and the reference code of Zstandard in C.
const OFF: [&str; 5] = [
    "npy-cli/clouds",
    "npy-cli/zstd-write",
    "npy-core/zstd-write",
    "npy-tests/zstd-write",
    "npy-zip/zstd-write",
];

/// The note before the tests.
const NOTE: &str = "\
quick tests: without files at URLs (npy-cli/clouds, npy-clouds), members that are written by Zstandard (zstd-write), the
packages npy-arrow, npy-core-derive and npy-examples, the examples in documentation, and the many repetitions of some
tests; all of them: cargo xtask test --all";

/// Runs the quick tests. Arguments narrow the run; `--all` as the first one widens it.
pub(crate) fn run(args: &[&str]) -> Result {
    if let ["--all", rest @ ..] = args {
        return all(rest);
    }
    // Cargo has such an option, too, with another meaning.
    if args.iter().take_while(|arg| **arg != "--").any(|arg| *arg == "--all") {
        return Err("write --all first: cargo xtask test --all".into());
    }
    println!("{NOTE}");
    let mut test = cargo(&["test", "--workspace", "--features", &features()?]);
    test.args(LEFT_OUT.iter().flat_map(|name| ["--exclude", name]));
    if args.is_empty() {
        return programs::run(&test, against_numpy);
    }
    run_command(against_numpy(test)?.args(args))
}

/// Runs every test that takes no minute, each with all its repetitions.
fn all(args: &[&str]) -> Result {
    let mut test = cargo(&["test", "--workspace", "--all-features"]);
    test.env("NPY_THOROUGH", "1");
    if args.is_empty() {
        return programs::run_with_docs(&test, |test| with_moto(against_numpy(test)?));
    }
    // A program that does not need it runs without a network.
    let is_without = args.windows(2).any(|pair| pair[0] == "--test" && pair[1] != "all");
    let test = if is_without { test } else { with_moto(test)? };
    run_command(against_numpy(test)?.args(args))
}

fn with_moto(mut test: Command) -> Result<Command> {
    test.env("NPY_MOTO", moto()?);
    Ok(test)
}

fn against_numpy(test: Command) -> Result<Command> {
    Ok(with_strace(with_numpy(test)?))
}

/// Returns the features of all packages but those that are left out.
fn features() -> Result<String> {
    let workspace = metadata(&["--no-deps"])?;
    let mut all = Vec::new();
    for package in workspace["packages"].as_array().ok_or("cargo metadata has no packages")? {
        let name = package["name"].as_str().ok_or("a package has no name")?;
        let features = package["features"].as_object().ok_or("a package has no features")?;
        let named = features.keys().map(|feature| format!("{name}/{feature}"));
        if !LEFT_OUT.contains(&name) {
            all.extend(named.filter(|feature| !OFF.contains(&feature.as_str())));
        }
    }
    Ok(all.join(","))
}

#[cfg(test)]
mod tests {
    use super::{OFF, features};

    #[test]
    fn all_features_but_a_few_are_tested_quickly() {
        let features = features().unwrap();
        let is_used = |name: &str| features.split(',').any(|feature| feature == name);
        for used in ["npy-core/zstd", "npy-tests/live", "npy-cli/live", "npy-repair/live"] {
            assert!(is_used(used), "{used}: {features}");
        }
        for off in OFF {
            assert!(!is_used(off), "{features}");
        }
    }
}
