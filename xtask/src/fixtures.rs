//! `cargo xtask fixtures`: makes the files in `tests/golden` with NumPy.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::command::run;
use crate::python::interpreter;
use crate::{Result, root};

/// Rewrites all of them, and removes files that the script no longer makes.
pub(crate) fn write() -> Result {
    let golden = golden();
    // First into another folder, so that a script that fails halfway leaves the files unchanged.
    let made = generate()?;
    for name in files(&golden)?.keys() {
        fs::remove_file(golden.join(name))?;
    }
    for (name, bytes) in &made {
        fs::write(golden.join(name), bytes)?;
    }
    println!("{}: {} files", golden.display(), made.len());
    Ok(())
}

/// Compares them with the files that NumPy writes now.
pub(crate) fn check() -> Result {
    let different = differences(&files(&golden())?, &generate()?);
    if different.is_empty() {
        return Ok(());
    }
    let list = different.join("\n");
    Err(format!("tests/golden is not what tests/fixtures.py writes:\n{list}\n`cargo xtask fixtures` writes it anew").into())
}

fn golden() -> PathBuf {
    root().join("tests/golden")
}

type Files = BTreeMap<String, Vec<u8>>;

fn generate() -> Result<Files> {
    let python = interpreter()?;
    let directory = std::env::temp_dir().join(format!("npy-fixtures-{}", std::process::id()));
    fs::create_dir_all(&directory)?;
    let script = root().join("tests/fixtures.py");
    let made = run(Command::new(python).arg("-I").arg(script).arg(&directory))
        .and_then(|()| files(&directory));
    fs::remove_dir_all(&directory)?;
    made
}

/// Returns the arrays in a folder; other files in it are not written by NumPy.
fn files(folder: &Path) -> Result<Files> {
    let mut files = Files::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.extension().is_some_and(|it| it == "npy")
            && let Some(name) = path.file_name().and_then(|name| name.to_str())
        {
            files.insert(name.to_owned(), fs::read(&path)?);
        }
    }
    Ok(files)
}

fn differences(committed: &Files, made: &Files) -> Vec<String> {
    let gone = committed.keys().filter(|name| !made.contains_key(*name));
    let gone = gone.map(|name| format!("  {name}: the script does not make it"));
    let changed = made.iter().filter_map(|(name, bytes)| match committed.get(name) {
        None => Some(format!("  {name}: not there")),
        Some(old) if old != bytes => Some(format!("  {name}: other bytes")),
        Some(_) => None,
    });
    gone.chain(changed).collect()
}

#[cfg(test)]
mod tests {
    use super::{Files, differences};

    #[test]
    fn differences_are_named() {
        let files = |pairs: &[(&str, u8)]| -> Files {
            pairs.iter().map(|&(name, byte)| (name.to_owned(), vec![byte])).collect()
        };
        let committed = files(&[("same", 1), ("old", 2), ("gone", 3)]);
        let made = files(&[("same", 1), ("old", 4), ("new", 5)]);
        assert_eq!(
            differences(&committed, &made),
            ["  gone: the script does not make it", "  new: not there", "  old: other bytes"]
        );
        assert!(differences(&made, &made).is_empty());
    }
}
