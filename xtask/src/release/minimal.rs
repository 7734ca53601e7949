//! The lowest versions of dependencies that the manifests allow: a user may have them locked.

use std::fs;
use std::path::Path;

use super::packages::PUBLISHED;
use crate::command::{cargo, run as run_command};
use crate::{Result, root};

/// The folders of the packages.
const FOLDERS: [&str; 4] = ["npy-derive", "npy-core", "npy-arrow", "npy-cli"];

/// Checks copies of the packages with the lowest versions of the crates that they name.
pub(super) fn check() -> Result<Vec<String>> {
    let copy = root().join("target/minimal");
    let _ = fs::remove_dir_all(&copy);
    fs::create_dir_all(&copy)?;
    let manifest = fs::read_to_string(root().join("Cargo.toml"))?;
    fs::write(copy.join("Cargo.toml"), with_members(&manifest)?)?;
    for folder in FOLDERS {
        copy_folder(&root().join(folder), &copy.join(folder))?;
        let manifest = copy.join(folder).join("Cargo.toml");
        fs::write(&manifest, without_tests(&fs::read_to_string(&manifest)?))?;
    }
    // `-Z` needs a nightly cargo, or this variable.
    let minimal = |args: &[&str]| {
        let mut command = cargo(args);
        command.current_dir(&copy).env("RUSTC_BOOTSTRAP", "1");
        command
    };
    run_command(&mut minimal(&["-Zdirect-minimal-versions", "generate-lockfile"]))?;
    for name in PUBLISHED {
        let mut check = minimal(&["check", "--all-features", "--lib", "--bins", "--package", name]);
        run_command(check.arg("--target-dir").arg(root().join("target/minimal-versions")))?;
    }
    Ok(Vec::new())
}

/// Returns the manifest of the workspace, of these packages alone.
fn with_members(manifest: &str) -> Result<String> {
    let mut lines: Vec<String> = manifest.lines().map(str::to_owned).collect();
    let members = lines.iter_mut().find(|line| line.starts_with("members = "));
    *members.ok_or("Cargo.toml has no members")? = format!("members = {FOLDERS:?}");
    lines.retain(|line| !line.starts_with("exclude = "));
    Ok(lines.join("\n") + "\n")
}

/// Returns a manifest without tests and their dependencies.
fn without_tests(manifest: &str) -> String {
    let mut kept = String::new();
    let mut is_kept = true;
    for line in manifest.lines() {
        if line.starts_with('[') {
            is_kept = !line.contains("dev-dependencies") && line != "[[test]]";
        }
        if is_kept {
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
    use super::{with_members, without_tests};

    #[test]
    fn only_tests_are_left_out_of_a_manifest() {
        let manifest = "[package]\nname = \"x\"\n[dev-dependencies]\na = \"1\"\n[[test]]\nname = \"t\"\n[lints]\nworkspace = true\n";
        assert_eq!(without_tests(manifest), "[package]\nname = \"x\"\n[lints]\nworkspace = true\n");
        let workspace =
            with_members("[workspace]\nmembers = [\"a\"]\nexclude = [\"b\"]\n").unwrap();
        assert_eq!(
            workspace,
            "[workspace]\nmembers = [\"npy-derive\", \"npy-core\", \"npy-arrow\", \"npy-cli\"]\n"
        );
    }
}
