//! The published artifacts, in `target/release-VERSION`. Each artifact is installed into an empty place, and runs the program of its page in `docs/start`.

pub(super) mod command;
pub(super) mod crates;
pub(super) mod extension;
pub(super) mod npm;
pub(super) mod sums;
pub(super) mod wheel;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::python::target;
use crate::{Result, root};

/// Returns a folder for artifacts, which is made.
fn folder(version: &str, part: &str) -> Result<PathBuf> {
    let folder = target()?.join(format!("release-{version}")).join(part);
    fs::create_dir_all(&folder)?;
    Ok(folder)
}

/// Returns a folder without files, into which something is installed.
fn empty_place(name: &str) -> Result<PathBuf> {
    let place = target()?.join("release-check/empty").join(name);
    if place.exists() {
        fs::remove_dir_all(&place)?;
    }
    fs::create_dir_all(&place)?;
    Ok(place)
}

/// Copies an artifact into a folder.
fn add(artifact: &Path, folder: &Path) -> Result {
    let name = artifact.file_name().ok_or("an artifact without a name")?;
    fs::copy(artifact, folder.join(name))?;
    println!("{}", folder.join(name).display());
    Ok(())
}

/// Adds the page that shows files in a browser, which nothing installs.
pub(super) fn page(version: &str) -> Result<Vec<String>> {
    add(&crate::page::build()?, &folder(version, "page")?)?;
    Ok(Vec::new())
}

/// A page of `docs/start`: the program that a reader pastes, and what it prints.
struct Page {
    program: String,
    printed: String,
}

impl Page {
    fn of(name: &str, language: &str) -> Result<Self> {
        let page = fs::read_to_string(root().join(format!("docs/start/{name}.md")))?;
        let between = |start: &str, end: &str| {
            let part = page.split_once(start)?.1.split_once(end)?.0;
            Some(part.to_owned())
        };
        let program = between(&format!("```{language}\n"), "```");
        let printed = between("It prints `", "`");
        match program.zip(printed) {
            Some((program, printed)) => Ok(Page { program, printed }),
            None => Err(format!(
                "docs/start/{name}.md has no program in {language}, or not what it prints"
            )
            .into()),
        }
    }

    /// Runs the program, and compares what it prints.
    fn check(&self, command: &mut Command) -> Result {
        let printed = crate::command::output(command)?;
        if printed.trim() != self.printed {
            return Err(format!(
                "the first example prints {printed:?}, and not {:?}",
                self.printed
            )
            .into());
        }
        println!("the first example prints what its page says: {}", self.printed);
        Ok(())
    }
}
