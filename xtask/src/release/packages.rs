//! The packages that are published: their versions, metadata and files.

use std::fs;
use std::path::PathBuf;

use serde_json::Value;

use crate::command::{cargo, output, run as run_command};
use crate::{Result, root};

/// The published packages of the workspace of DataFusion, whose version they have.
pub(super) const OF_ENGINE: [&str; 2] = ["npy-datafusion", "npy-sql"];

/// In the order in which they are published.
pub(super) const PUBLISHED: [&str; 10] = [
    "npy-core-derive",
    "npy-pickle",
    "npy-zip",
    "whole-file",
    "npy-core",
    "npy-codegen",
    "npy-repair",
    "npy-arrow",
    "npy-clouds",
    "npy-cli",
];

/// The package that is a workspace of its own.
pub(super) const ENGINE: &str = "npy-datafusion/Cargo.toml";

/// The keys that every package must have.
const FIELDS: [&str; 5] = ["description", "license", "rust_version", "readme", "documentation"];

/// Returns what cargo knows about the packages of a workspace and their dependencies.
pub(crate) fn metadata(args: &[&str]) -> Result<Value> {
    let all = ["metadata", "--format-version", "1", "--all-features"];
    Ok(serde_json::from_str(&output(cargo(&all).args(args))?)?)
}

/// Returns the elements of a list.
pub(super) fn list<'a>(value: &'a Value, key: &str) -> &'a [Value] {
    value[key].as_array().map_or(&[], Vec::as_slice)
}

/// Returns a text, or an empty one.
pub(super) fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value[key].as_str().unwrap_or_default()
}

pub(super) fn check() -> Result<Vec<String>> {
    let mut problems = Vec::new();
    let mut notes = Vec::new();
    let workspace = metadata(&["--no-deps"])?;
    let engine = metadata(&["--no-deps", "--manifest-path", ENGINE])?;
    let all = list(&workspace, "packages").iter().chain(list(&engine, "packages"));
    // A package that may be published has `null`.
    let published: Vec<&Value> = all.filter(|package| package["publish"].is_null()).collect();
    let names: Vec<&str> = published.iter().map(|package| text(package, "name")).collect();
    for name in PUBLISHED {
        if !names.contains(&name) {
            problems.push(format!("{name} may not be published: its manifest says so"));
        }
    }
    let version = |name: &str| {
        published.iter().find(|package| text(package, "name") == name).map(|it| text(it, "version"))
    };
    let released = version("npy-core").unwrap_or_default();
    for package in &published {
        let name = text(package, "name");
        if name == "npy-core" {
            problems.extend(inexact(package, released));
        }
        if !PUBLISHED.contains(&name) && !OF_ENGINE.contains(&name) {
            problems.push(format!("{name} would be published; add `publish = false`"));
        }
        if PUBLISHED.contains(&name) && version(name) != Some(released) {
            problems.push(format!("{name} has another version than npy-core {released}"));
        }
        for field in FIELDS {
            if text(package, field).is_empty() {
                problems.push(format!("{name} has no `{field}`"));
            }
        }
        if text(package, "repository").is_empty() {
            notes.push(format!("{name} has no `repository`: add it when its address is known"));
        }
        if list(package, "keywords").len() > 5 || list(package, "categories").is_empty() {
            problems.push(format!("{name} needs a category, and at most five keywords"));
        }
        let manifest = text(package, "manifest_path");
        let files = ["package", "--list", "--allow-dirty", "--manifest-path", manifest];
        let files = output(&mut cargo(&files))?;
        for needed in ["LICENSE-MIT", "LICENSE-APACHE", "README.md"] {
            if !files.lines().any(|file| file == needed) {
                problems.push(format!("the package {name} has no {needed}"));
            }
        }
        println!("{name} {}: {} files", text(package, "version"), files.lines().count());
    }
    for (manifest, line) in [
        ("npy-python/Cargo.toml", format!("version = \"{released}\"")),
        ("npy-js/package.json", format!("  \"version\": \"{released}\",")),
        ("npy-js/vscode/package.json", format!("  \"version\": \"{released}\",")),
    ] {
        if !fs::read_to_string(root().join(manifest))?.lines().any(|other| other == line) {
            problems.push(format!("{manifest} has another version than npy-core {released}"));
        }
    }
    let changelog = fs::read_to_string(root().join("CHANGELOG.md"))?;
    match changelog.lines().find(|line| is_heading_of(line, released)) {
        None => problems.push(format!("CHANGELOG.md has no section for {released}")),
        Some(line) if line.contains("unreleased") => {
            notes.push(format!("CHANGELOG.md says `{line}`: put the date there"));
        }
        Some(_) => {}
    }
    match problems.is_empty() {
        true => Ok(notes),
        false => Err(problems.join("\n").into()),
    }
}

/// Returns the parts of a package that it does not require in exactly this version.
fn inexact(package: &Value, version: &str) -> Vec<String> {
    let of_part = |dependency: &&Value| {
        dependency["kind"].is_null() && PUBLISHED.contains(&text(dependency, "name"))
    };
    let is_exact = |dependency: &&Value| text(dependency, "req") == format!("={version}");
    let parts = list(package, "dependencies").iter().filter(of_part);
    let name = text(package, "name");
    let problem = |part: &Value| {
        format!("{name} must require {} in exactly the version {version}", text(part, "name"))
    };
    parts.filter(|part| !is_exact(part)).map(problem).collect()
}

/// Removes the packages that an earlier call unpacked: cargo takes one of the same version as it is, even if it has changed since.
fn remove_unpacked() -> Result {
    let cargo_home = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    let cargo_home = cargo_home.or_else(|| Some(std::env::home_dir()?.join(".cargo")));
    let unpacked = cargo_home.ok_or("there is no home directory")?.join("registry/src");
    let workspace = metadata(&["--no-deps"])?;
    for registry in fs::read_dir(unpacked)? {
        let registry = registry?.path();
        for package in list(&workspace, "packages") {
            let name = text(package, "name");
            let folder = registry.join(format!("{name}-{}", text(package, "version")));
            if PUBLISHED.contains(&name) && folder.exists() {
                fs::remove_dir_all(folder)?;
            }
        }
    }
    Ok(())
}

fn is_heading_of(line: &str, version: &str) -> bool {
    let rest = line.strip_prefix("## ").and_then(|rest| rest.strip_prefix(version));
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
}

/// Packs and builds the packages as crates.io would receive them, each with the others from here.
pub(super) fn publish() -> Result<Vec<String>> {
    remove_unpacked()?;
    let mut publish = cargo(&["publish", "--dry-run", "--allow-dirty"]);
    publish.args(["--target-dir", "target/release-check"]);
    for name in PUBLISHED {
        publish.args(["--package", name]);
    }
    run_command(&mut publish)?;
    let note = "npy-datafusion, a workspace of its own, can only be packed after npy-core and npy-arrow are on crates.io";
    Ok(vec![note.to_owned()])
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{inexact, is_heading_of};

    #[test]
    fn a_part_of_another_version_is_found() {
        let part = |name, req, kind| json!({ "name": name, "req": req, "kind": kind });
        let package = json!({ "name": "npy-core", "dependencies": [
            part("npy-zip", "=0.1.0", None),
            part("whole-file", "^0.1.0", None),
            part("npy-arrow", "^0.1.0", Some("dev")),
            part("serde", "^1", None),
        ] });
        let problems = inexact(&package, "0.1.0");
        assert_eq!(problems, ["npy-core must require whole-file in exactly the version 0.1.0"]);
    }

    #[test]
    fn a_version_is_not_the_start_of_another() {
        assert!(is_heading_of("## 0.1.0 (unreleased)", "0.1.0"));
        assert!(is_heading_of("## 0.1.0", "0.1.0"));
        assert!(!is_heading_of("## 0.1.01", "0.1.0"));
        assert!(!is_heading_of("0.1.0", "0.1.0"));
    }
}
