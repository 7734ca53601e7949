//! Licences and advisories of the crates that users of the published packages compile.

use std::collections::{HashMap, HashSet};
use std::process::Command;

use serde_json::Value;

use super::Options;
use super::packages::{ENGINE, PUBLISHED, list, metadata, text};
use crate::Result;
use crate::command::run as run_command;

/// Licences that ask for no more than a notice.
const ALLOWED: [&str; 15] = [
    "MIT",
    "MIT-0",
    "Apache-2.0",
    "Apache-2.0 WITH LLVM-exception",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "0BSD",
    "BSL-1.0",
    "Bitstream-Vera",
    "CC0-1.0",
    "ISC",
    "Unicode-3.0",
    "Unlicense",
    "Zlib",
    "bzip2-1.0.6",
];

pub(super) fn check(options: &Options) -> Result<Vec<String>> {
    let mut problems = Vec::new();
    for args in [&[][..], &["--manifest-path", ENGINE][..]] {
        let metadata = metadata(args)?;
        let crates = compiled(&metadata);
        println!("{} crates", crates.len());
        for package in crates {
            let licence = text(package, "license");
            if !is_allowed(licence) {
                let (name, version) = (text(package, "name"), text(package, "version"));
                problems.push(format!("{name} {version} has the licence {licence:?}"));
            }
        }
    }
    if !problems.is_empty() {
        problems
            .push("a licence that asks for no more than a notice may be added to `ALLOWED`".into());
        return Err(problems.join("\n").into());
    }
    advisories(options)
}

/// Returns the packages that a build of those that are published compiles, on any system: without dependencies of tests.
fn compiled(metadata: &Value) -> Vec<&Value> {
    let nodes = list(&metadata["resolve"], "nodes").iter();
    let nodes: HashMap<&str, &Value> = nodes.map(|node| (text(node, "id"), node)).collect();
    let packages = list(metadata, "packages");
    let is_root = |package: &&Value| {
        let name = text(package, "name");
        PUBLISHED.contains(&name) || name == "npy-datafusion"
    };
    let mut left: Vec<&str> =
        packages.iter().filter(is_root).map(|package| text(package, "id")).collect();
    let mut seen = HashSet::new();
    while let Some(id) = left.pop() {
        let Some(node) = nodes.get(id).filter(|_| seen.insert(id)) else { continue };
        for dependency in list(node, "deps") {
            let is_for_tests = |kind: &Value| text(kind, "kind") == "dev";
            if !list(dependency, "dep_kinds").iter().all(is_for_tests) {
                left.push(text(dependency, "pkg"));
            }
        }
    }
    packages.iter().filter(|package| seen.contains(text(package, "id"))).collect()
}

/// Returns true if one of the alternatives of an SPDX expression is allowed.
fn is_allowed(expression: &str) -> bool {
    // Older crates write `MIT/Apache-2.0`.
    let expression = expression.replace('/', " OR ");
    alternatives(&expression, " OR ").iter().any(|alternative| {
        alternatives(alternative, " AND ").iter().all(|part| {
            let inner = part.strip_prefix('(').and_then(|part| part.strip_suffix(')'));
            inner.map_or_else(|| ALLOWED.contains(part), is_allowed)
        })
    })
}

/// Splits an expression at an operator outside of parentheses.
fn alternatives<'a>(expression: &'a str, operator: &str) -> Vec<&'a str> {
    let mut parts = Vec::new();
    let (mut depth, mut start) = (0_i32, 0);
    for (at, c) in expression.char_indices() {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ if depth == 0 && at >= start && expression[at..].starts_with(operator) => {
                parts.push(expression[start..at].trim());
                start = at + operator.len();
            }
            _ => {}
        }
    }
    parts.push(expression[start..].trim());
    parts
}

/// Asks the database of RustSec, which is on another machine.
fn advisories(options: &Options) -> Result<Vec<String>> {
    let remedy =
        "`cargo install cargo-deny`, then `cargo xtask release --dry-run --online licences`";
    let has_deny = Command::new("cargo-deny").arg("--version").output().is_ok();
    if !options.is_online || !has_deny {
        return Ok(vec![format!("advisories of RustSec: {remedy}")]);
    }
    run_command(
        Command::new("cargo-deny").args(["check", "advisories"]).current_dir(crate::root()),
    )?;
    Ok(Vec::new())
}

#[cfg(test)]
mod tests {
    use super::is_allowed;

    #[test]
    fn one_alternative_with_all_of_its_parts_is_enough() {
        for good in [
            "MIT",
            "MIT OR GPL-3.0",
            "MIT/Apache-2.0",
            "(MIT OR Apache-2.0) AND Unicode-3.0",
            "Apache-2.0 WITH LLVM-exception OR GPL-2.0",
        ] {
            assert!(is_allowed(good), "{good}");
        }
        for bad in ["", "GPL-3.0", "MIT AND GPL-3.0", "(MIT AND GPL-2.0) OR MPL-2.0"] {
            assert!(!is_allowed(bad), "{bad}");
        }
    }
}
