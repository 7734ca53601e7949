//! The packed crates, and a program that has no others of ours.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::super::packages::{ENGINE, OF_ENGINE, PUBLISHED};
use super::{Page, add, empty_place, folder};
use crate::Result;
use crate::command::{cargo, run as run_command};
use crate::package;
use crate::python::target;

/// Packs all crates. Those of the engine are packed without a lock file, which would need ours on crates.io.
pub(in super::super) fn pack(version: &str) -> Result<Vec<String>> {
    let packed = target()?.join("release-check/package");
    let pack = |packages: &[&str], more: &[&str]| {
        let mut pack = cargo(&["package", "--no-verify", "--allow-dirty"]);
        pack.arg("--target-dir").arg(target()?.join("release-check")).args(more);
        run_command(pack.args(packages.iter().flat_map(|name| ["--package", name])))
    };
    // Packages of an earlier version would be found, too.
    let _ = fs::remove_dir_all(&packed);
    pack(&PUBLISHED, &[])?;
    pack(&OF_ENGINE, &["--exclude-lockfile", "--manifest-path", ENGINE])?;
    let out = folder(version, "crates")?;
    let crates = crates(&packed)?;
    for path in &crates {
        add(path, &out)?;
    }
    let expected = PUBLISHED.len() + OF_ENGINE.len();
    if crates.len() != expected {
        return Err(format!("{} crates were packed, and not {expected}", crates.len()).into());
    }
    check(version, &crates)?;
    Ok(vec![format!("{}: packed, but not built from the package", OF_ENGINE.join(", "))])
}

fn crates(folder: &Path) -> Result<Vec<PathBuf>> {
    let entries =
        fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<Result<Vec<_>>>()?;
    Ok(entries
        .into_iter()
        .filter(|path| path.extension().is_some_and(|end| end == "crate"))
        .collect())
}

/// Builds the program of the page from the packed crates, and runs it.
fn check(version: &str, crates: &[PathBuf]) -> Result {
    let place = empty_place("crates")?;
    let mut dependencies = format!("npy-core = \"={version}\"\n\n[patch.crates-io]\n");
    for path in crates {
        run_command(Command::new("tar").arg("-xzf").arg(path).arg("-C").arg(&place))?;
        let unpacked = path.file_stem().ok_or("a crate without a name")?.to_string_lossy();
        if let Some(name) = unpacked.strip_suffix(&format!("-{version}"))
            && PUBLISHED.contains(&name)
        {
            dependencies += &format!("{name} = {{ path = \"../{unpacked}\" }}\n");
        }
    }
    let page = Page::of("rust", "rust")?;
    let manifest = package::write(&place, "first", &dependencies, &page.program)?;
    let mut run = cargo(&["run", "--quiet", "--manifest-path"]);
    run.arg(manifest).arg("--target-dir").arg(target()?.join("release-check/first"));
    page.check(run.current_dir(&place))
}
