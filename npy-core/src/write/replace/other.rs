//! Finds, creates and renames files in a directory, on systems other than Unix.

use std::ffi::OsStr;
use std::fs::{self, File, OpenOptions, Permissions};
use std::io;
use std::path::{Path, PathBuf};

use super::{Found, Target, Temporary, with_new_name};

/// Finds the file that a path leads to, following links.
pub(super) fn find(path: &Path) -> io::Result<Found> {
    let old = match fs::metadata(path) {
        Ok(metadata) => Some(metadata),
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => return Err(error),
    };
    if old.as_ref().is_some_and(|old| !old.is_file()) {
        // Opens a pipe or a device; for a directory, opening it for writing fails.
        return Ok(Found::Direct(OpenOptions::new().write(true).open(path)?));
    }
    let target = followed(path);
    let Some(name) = target.file_name() else {
        return Err(io::ErrorKind::IsADirectory.into());
    };
    let directory = Directory::open(parent(&target))?;
    let old = old.map(|old| Old(old.permissions()));
    Ok(Found::Name(Target { directory, name: name.to_owned(), old }))
}

/// Follows links, and returns the last path, even if there is no file at it yet.
fn followed(path: &Path) -> PathBuf {
    const MAX_LINKS: usize = 40;
    let mut path = path.to_owned();
    for _ in 0..MAX_LINKS {
        let Ok(link) = fs::read_link(&path) else { break };
        path = parent(&path).join(link);
    }
    path
}

fn parent(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if parent != Path::new("") => parent,
        _ => Path::new("."),
    }
}

/// The permissions of a file that will be replaced.
#[derive(Debug)]
pub(super) struct Old(Permissions);

impl Old {
    pub(super) fn give_to(&self, file: &File, _: &Target) -> io::Result<()> {
        file.set_permissions(self.0.clone())
    }
}

/// A directory. Its path is absolute, as the process may change its working directory.
#[derive(Clone, Debug)]
pub(crate) struct Directory {
    path: PathBuf,
}

impl Directory {
    pub(crate) fn open(path: &Path) -> io::Result<Self> {
        Ok(Directory { path: std::path::absolute(path)? })
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    #[cfg(feature = "npz")]
    pub(super) fn open_file(&self, name: &OsStr) -> io::Result<File> {
        File::open(self.path.join(name))
    }

    /// Returns true without a check, as std cannot compare files here.
    #[cfg(feature = "npz")]
    #[expect(clippy::unnecessary_wraps)]
    pub(super) fn has(&self, _: &File, _: &OsStr) -> io::Result<bool> {
        Ok(true)
    }

    /// Creates a file to read and write, with the permissions that the directory gives it.
    pub(crate) fn create(&self, _is_private: bool) -> io::Result<(File, Temporary)> {
        let mut options = OpenOptions::new();
        options.read(true).write(true).create_new(true);
        let (file, name) = with_new_name(self, |name| options.open(self.path.join(name)))?;
        Ok((file, Temporary { directory: self.clone(), name: Some(name) }))
    }

    /// Does nothing, as these systems have no call that syncs names.
    #[expect(clippy::unnecessary_wraps)]
    pub(crate) fn sync(&self) -> io::Result<()> {
        Ok(())
    }

    pub(super) fn rename(&self, from: &OsStr, to: &OsStr) -> io::Result<()> {
        fs::rename(self.path.join(from), self.path.join(to))
    }

    /// Renames a file, unless another file has the new name.
    pub(super) fn rename_new(&self, from: &OsStr, to: &OsStr) -> io::Result<()> {
        match fs::hard_link(self.path.join(from), self.path.join(to)) {
            Ok(()) => self.remove(from),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Err(error),
            // A file system without hard links.
            Err(_) => self.rename(from, to),
        }
    }

    pub(super) fn remove(&self, name: &OsStr) -> io::Result<()> {
        fs::remove_file(self.path.join(name))
    }
}
