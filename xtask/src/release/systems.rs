//! The oldest Rust, and the systems that this machine does not run.

use std::process::Command;

use super::packages::{PUBLISHED, list, metadata, text};
use crate::command::{cargo, output, run as run_command};
use crate::{Result, root};

/// Windows and macOS. They are checked, not run.
const OTHERS: [&str; 2] = ["x86_64-pc-windows-gnu", "x86_64-apple-darwin"];

/// Builds with the Rust that the manifest names, if rustup has it.
pub(super) fn oldest_rust() -> Result<Vec<String>> {
    let manifest = std::fs::read_to_string(root().join("Cargo.toml"))?;
    let version = manifest.lines().find_map(|line| line.strip_prefix("rust-version = "));
    let version = version.ok_or("Cargo.toml has no rust-version")?.trim_matches('"');
    let toolchains = output(Command::new("rustup").args(["toolchain", "list"]))?;
    let starts = |line: &str| {
        let rest = line.strip_prefix(version);
        rest.is_some_and(|rest| rest.starts_with(['-', '.', ' ']) || rest.is_empty())
    };
    if toolchains.lines().any(starts) {
        let mut check = Command::new("cargo");
        check.arg(format!("+{version}")).args(["check", "--all-features", "--lib", "--bins"]);
        check.args(["--target-dir", "target/oldest-rust"]).current_dir(root());
        // This program was started by another cargo, whose choice of a compiler would be inherited.
        check.env_remove("RUSTUP_TOOLCHAIN").env_remove("CARGO").env_remove("RUSTC");
        for name in PUBLISHED {
            check.args(["--package", name]);
        }
        run_command(&mut check)?;
        return Ok(Vec::new());
    }
    // The lint knows since when each function of the standard library exists.
    let mut clippy = cargo(&["clippy", "--all-features", "--lib", "--bins"]);
    for name in PUBLISHED {
        clippy.args(["--package", name]);
    }
    run_command(clippy.args(["--", "-D", "clippy::incompatible_msrv"]))?;
    Ok(vec![format!(
        "no build with Rust {version}, only clippy's lint: `rustup toolchain install {version} --profile minimal`"
    )])
}

/// Checks that the packages compile for other systems, if rustup has their standard libraries.
pub(super) fn others() -> Result<Vec<String>> {
    let installed = output(Command::new("rustup").args(["target", "list", "--installed"]))?;
    let mut notes = Vec::new();
    let features = features()?;
    for target in OTHERS {
        if !installed.lines().any(|line| line == target) {
            notes.push(format!("{target} was not checked: `rustup target add {target}`"));
            continue;
        }
        println!("{target}");
        let mut check = cargo(&["check", "--lib", "--bins", "--target", target]);
        check.args(["--features", &features]);
        for name in PUBLISHED {
            check.args(["--package", name]);
        }
        run_command(&mut check)?;
    }
    Ok(notes)
}

/// Returns all features of the published packages but the one that needs a C compiler for the other system.
fn features() -> Result<String> {
    const OF_C: &str = "zstd-write";
    let workspace = metadata(&["--no-deps"])?;
    let mut features = Vec::new();
    for package in list(&workspace, "packages") {
        let name = text(package, "name");
        if let Some(of_package) =
            package["features"].as_object().filter(|_| PUBLISHED.contains(&name))
        {
            let others = of_package.keys().filter(|feature| *feature != OF_C);
            features.extend(others.map(|feature| format!("{name}/{feature}")));
        }
    }
    Ok(features.join(","))
}
