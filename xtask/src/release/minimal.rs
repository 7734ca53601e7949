//! The lowest versions of dependencies that the manifests allow: a user may have them locked.

use std::fs;
use std::path::Path;

use super::packages::PUBLISHED;
use crate::command::{cargo, run as run_command};
use crate::{Result, root};

/// Checks each package with the lowest versions of the crates that it names itself. The versions of others follow from these.
pub(super) fn check() -> Result<Vec<String>> {
    let copy = root().join("target/minimal");
    let _ = fs::remove_dir_all(&copy);
    let workspace = fs::read_to_string(root().join("Cargo.toml"))?;
    let mut manifests = Vec::new();
    for package in PUBLISHED {
        let folder = if package == "npy-core-derive" { "npy-derive" } else { package };
        copy_folder(&root().join(folder), &copy.join(folder))?;
        let path = copy.join(folder).join("Cargo.toml");
        let manifest = alone(&fs::read_to_string(&path)?, &workspace);
        fs::write(&path, &manifest)?;
        manifests.push((path, manifest));
    }
    for (path, manifest) in &manifests {
        // A workspace of its own; the other packages are then dependencies like any other.
        fs::write(path, format!("{manifest}\n[workspace]\n"))?;
        // `-Z` needs a nightly cargo, or this variable.
        let minimal = |args: &[&str]| {
            let mut command = cargo(args);
            command.arg("--manifest-path").arg(path).env("RUSTC_BOOTSTRAP", "1");
            command
        };
        run_command(&mut minimal(&["-Zdirect-minimal-versions", "generate-lockfile"]))?;
        let mut check = minimal(&["check", "--all-features"]);
        check.env("RUSTFLAGS", "--cap-lints allow");
        run_command(check.arg("--target-dir").arg(root().join("target/minimal-versions")))?;
        fs::write(path, manifest)?;
    }
    Ok(Vec::new())
}

/// Returns a manifest without tests and their dependencies, which names what it would have from the workspace.
fn alone(manifest: &str, workspace: &str) -> String {
    let value = |key: &str| {
        let line = workspace.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(" = "));
        line.unwrap_or_default().replace("path = \"", "path = \"../")
    };
    let mut kept = String::new();
    let mut is_kept = true;
    for line in manifest.lines() {
        if line.starts_with('[') {
            is_kept =
                !line.contains("dev-dependencies") && !["[[test]]", "[lints]"].contains(&line);
        }
        if !is_kept {
            continue;
        }
        if let Some(key) = line.strip_suffix(".workspace = true") {
            kept += &format!("{key} = {}\n", value(key));
        } else if let Some((key, rest)) = line.split_once(" = { workspace = true") {
            let dependency = value(key);
            let dependency = dependency.trim_end_matches(" }");
            kept += &format!("{key} = {dependency}{rest}\n");
        } else {
            kept += &format!("{line}\n");
        }
    }
    kept
}

fn copy_folder(from: &Path, to: &Path) -> Result {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let (path, target) = (entry.path(), to.join(entry.file_name()));
        if path.is_dir() {
            copy_folder(&path, &target)?;
        } else {
            fs::copy(&path, &target)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::alone;

    /// Guards that a package keeps all that its users compile.
    #[test]
    fn a_manifest_alone_has_the_values_of_the_workspace_and_no_tests() {
        let workspace = "[workspace.package]\nversion = \"1.2.3\"\n[workspace.dependencies]\na = { path = \"a\", version = \"1\" }\n";
        let manifest = "[package]\nversion.workspace = true\n[dependencies]\na = { workspace = true, optional = true }\n[dev-dependencies]\nb = \"1\"\n[[test]]\nname = \"t\"\n[lints]\nworkspace = true\n";
        let expected = "[package]\nversion = \"1.2.3\"\n[dependencies]\na = { path = \"../a\", version = \"1\", optional = true }\n";
        assert_eq!(alone(manifest, workspace), expected);
    }
}
