//! Names in a directory, on systems other than Unix.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File, OpenOptions, Permissions};
use std::io;
use std::path::{Path, PathBuf};

use super::{Found, Target, with_new_name};

/// Finds the file that a path leads to, through links.
pub(super) fn find(path: &Path) -> io::Result<Found> {
    let old = match fs::metadata(path) {
        Ok(metadata) => Some(metadata),
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => return Err(error),
    };
    if old.as_ref().is_some_and(|old| !old.is_file()) {
        // A pipe or a device; the error for a directory is the system's.
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

/// The path that links lead to, also if there is no file yet.
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

/// The permissions of a file that is to be replaced.
#[derive(Debug)]
pub(super) struct Old(Permissions);

impl Old {
    pub(super) fn give_to(&self, file: &File, _: &Target) -> io::Result<()> {
        file.set_permissions(self.0.clone())
    }
}

/// A directory, by its path from the root: the process may be elsewhere later.
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

    /// Opens a file.
    #[cfg(feature = "npz")]
    pub(super) fn open_file(&self, name: &OsStr) -> io::Result<File> {
        File::open(self.path.join(name))
    }

    /// Whether this file has the name: here a file does not tell which one it is, and there are no locks either.
    #[cfg(feature = "npz")]
    #[expect(clippy::unnecessary_wraps)]
    pub(super) fn has(&self, _: &File, _: &OsStr) -> io::Result<bool> {
        Ok(true)
    }

    /// Makes a file to read and write; who else may is for the directory to say.
    pub(crate) fn create(&self, _is_private: bool) -> io::Result<(File, Temporary)> {
        let mut options = OpenOptions::new();
        options.read(true).write(true).create_new(true);
        let (file, name) = with_new_name(|name| options.open(self.path.join(name)))?;
        Ok((file, Temporary { directory: self.clone(), name: Some(name) }))
    }

    /// There is no call that syncs names here.
    #[expect(clippy::unnecessary_wraps)]
    pub(crate) fn sync(&self) -> io::Result<()> {
        Ok(())
    }
}

/// A file that is removed when dropped.
#[derive(Debug)]
pub(crate) struct Temporary {
    directory: Directory,
    /// `None` once it has its last name.
    name: Option<OsString>,
}

impl Temporary {
    /// Gives the file its last name, in place of the file that has it.
    pub(super) fn rename(mut self, file: &File, to: &OsStr, sync: bool) -> io::Result<()> {
        if sync {
            file.sync_all()?;
        }
        if let Some(name) = &self.name {
            fs::rename(self.directory.path.join(name), self.directory.path.join(to))?;
        }
        self.name = None;
        Ok(())
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        if let Some(name) = &self.name {
            // If it cannot be removed, nobody is there to be told.
            let _ = fs::remove_file(self.directory.path.join(name));
        }
    }
}
