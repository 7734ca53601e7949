//! Replaces a file completely or not at all.

#[cfg(unix)]
mod attributes;
mod names;
#[cfg(not(unix))]
mod other;
#[cfg(unix)]
mod unix;

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io;
use std::path::Path;

#[cfg(feature = "npz")]
use crate::error::ErrorKind;
use crate::error::Result;
use names::Name;
pub(crate) use names::remove_all;
#[cfg(not(unix))]
pub(crate) use other::Directory;
#[cfg(not(unix))]
use other::{Old, find};
#[cfg(unix)]
pub(crate) use unix::Directory;
#[cfg(unix)]
use {attributes::Old, unix::find};

/// Writes a temporary file in the directory of `path`, and renames it to `path` once it is complete. Returns the open file.
///
/// With `sync`, the file and (on Unix) its name are on the disk when this returns.
pub(crate) fn replace(
    path: &Path,
    sync: bool,
    write: &mut dyn FnMut(&mut File) -> Result<()>,
) -> Result<File> {
    let (mut file, destination) = begin(path, Existing::Replace)?;
    write(&mut file)?;
    destination.commit(file, sync)
}

/// The file that a path leads to.
enum Found {
    /// A pipe, a device or an open file of a process: it cannot be replaced.
    Direct(File),
    /// A name in a directory. A regular file may have the name already.
    Name(Target),
}

/// A name in a directory.
#[derive(Debug)]
struct Target {
    directory: Directory,
    name: OsString,
    /// The permissions of the file that has this name; `None` if there is no such file.
    old: Option<Old>,
}

/// The final name of a new file. If this is dropped before [`commit`](Self::commit), the file is removed.
#[derive(Debug)]
pub(crate) struct Destination {
    /// `None` for a file that is written to directly.
    name: Option<(Target, Temporary)>,
    existing: Existing,
}

/// What happens to a file that has the name already.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Existing {
    Replace,
    /// It stays, and [`begin`] or [`Destination::commit`] fails with [`io::ErrorKind::AlreadyExists`].
    Keep,
}

/// Creates a file in the directory of `path`, to be renamed to `path` later. A pipe, a device or an
/// open file of a process is opened instead.
pub(crate) fn begin(path: &Path, existing: Existing) -> Result<(File, Destination)> {
    let target = match find(path)? {
        Found::Direct(file) => return Ok((file, Destination { name: None, existing })),
        Found::Name(target) => target,
    };
    if existing == Existing::Keep && target.old.is_some() {
        return Err(exists().into());
    }
    // If there is an old file, only the owner may read the new one until it gets the permissions of the old one.
    let is_private = target.old.is_some();
    let (file, temporary) = target.directory.create(is_private).map_err(|error| {
        let directory = target.directory.path();
        if error.kind() == io::ErrorKind::NotFound {
            return missing(directory);
        }
        let reason = format!(
            "cannot create a file in {}, which would get its name once it is complete: {error}; write_npy_to and Writer::new write to an open file instead",
            directory.display(),
        );
        io::Error::new(error.kind(), reason)
    })?;
    Ok((file, Destination { name: Some((target, temporary)), existing }))
}

impl Destination {
    /// Returns the directory of the file; `None` if the file is written to directly.
    pub(crate) fn directory(&self) -> Option<&Directory> {
        self.name.as_ref().map(|(target, _)| &target.directory)
    }

    /// Opens the file that will be replaced.
    #[cfg(feature = "npz")]
    pub(crate) fn open_old(&self) -> Result<File> {
        let target = self.target()?;
        Ok(target.directory.open_file(&target.name)?)
    }

    /// Returns true if `file` still has the name, and will be replaced.
    #[cfg(feature = "npz")]
    pub(crate) fn is_old(&self, file: &File) -> Result<bool> {
        let target = self.target()?;
        Ok(target.directory.has(file, &target.name)?)
    }

    #[cfg(feature = "npz")]
    fn target(&self) -> Result<&Target> {
        let what = || "replacing a device or an open file of a process".into();
        let needs = "a regular file: open it by its own path";
        let target = self.name.as_ref().map(|(target, _)| target);
        target.ok_or_else(|| ErrorKind::Unsupported { what: what(), needs }.into())
    }

    /// Gives the file its final name, and returns the open file.
    pub(crate) fn commit(self, file: File, sync: bool) -> Result<File> {
        match self.name {
            Some((target, temporary)) => {
                if let Some(old) = &target.old {
                    old.give_to(&file, &target)?;
                }
                let renamed = temporary.rename(&file, &target.name, self.existing, sync);
                renamed.map_err(|error| match error.kind() {
                    io::ErrorKind::AlreadyExists => exists(),
                    _ => error,
                })?;
            }
            // A pipe has nothing to sync.
            None if sync && file.metadata()?.is_file() => file.sync_all()?,
            None => {}
        }
        Ok(file)
    }
}

/// Returns the error for a directory that does not exist.
fn missing(directory: &Path) -> io::Error {
    let reason = format!("no directory {}; create it first", directory.display());
    io::Error::new(io::ErrorKind::NotFound, reason)
}

/// A new file, which is removed when this is dropped, unless it has its final name.
#[derive(Debug)]
pub(crate) struct Temporary {
    directory: Directory,
    /// The temporary name; `None` if the file has no name yet, or has its final name.
    name: Option<Name>,
}

impl Temporary {
    /// Renames the file to its final name `to`.
    fn rename(mut self, file: &File, to: &OsStr, existing: Existing, sync: bool) -> io::Result<()> {
        if sync {
            file.sync_all()?;
        }
        #[cfg(target_os = "linux")]
        if self.name.is_none() {
            // With `sync`, the file is not on the disk yet. A file that replaces others is always renamed, as programs that wait for
            // complete files watch for that.
            if existing == Existing::Keep && !sync {
                return self.directory.link(file, to);
            }
            let link = |name: &OsStr| self.directory.link(file, name);
            let ((), name) = with_new_name(&self.directory, link)?;
            self.name = Some(name);
        }
        if sync && cfg!(unix) {
            // Syncs again, because some file systems (Btrfs) do not sync a file without a name.
            file.sync_all()?;
        }
        if let Some(name) = &self.name {
            match existing {
                Existing::Replace => self.directory.rename(name.as_os_str(), to)?,
                Existing::Keep => self.directory.rename_new(name.as_os_str(), to)?,
            }
        }
        self.name = None;
        if sync { self.directory.sync() } else { Ok(()) }
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        if let Some(name) = &self.name {
            // There is nobody to report a failure to.
            let _ = self.directory.remove(name.as_os_str());
        }
    }
}

/// The error for a file that is not replaced.
fn exists() -> io::Error {
    io::Error::new(io::ErrorKind::AlreadyExists, "the file exists, and is kept; use another name")
}

/// Calls `make` with a random name in the directory, and again with another name if a file with it exists.
fn with_new_name<A>(
    directory: &Directory,
    mut make: impl FnMut(&OsStr) -> io::Result<A>,
) -> io::Result<(A, Name)> {
    // A name of 64 random bits exists only if somebody guesses it.
    const TRIES: usize = 16;
    let mut error = io::Error::from(io::ErrorKind::AlreadyExists);
    for _ in 0..TRIES {
        let directory = directory.clone();
        let name = Name::new(Box::new(move |name| directory.remove(name)))?;
        match make(name.as_os_str()) {
            Ok(made) => return Ok((made, name)),
            Err(other) => error = other,
        }
        if error.kind() != io::ErrorKind::AlreadyExists {
            break;
        }
    }
    Err(error)
}
