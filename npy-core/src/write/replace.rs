//! A file that is replaced completely or not at all.

#[cfg(unix)]
mod attributes;
#[cfg(not(unix))]
mod other;
#[cfg(unix)]
mod unix;

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::io;
use std::path::Path;
use std::process;

#[cfg(feature = "npz")]
use crate::error::ErrorKind;
use crate::error::Result;
#[cfg(not(unix))]
pub(crate) use other::{Directory, Temporary};
#[cfg(not(unix))]
use other::{Old, find};
#[cfg(unix)]
pub(crate) use unix::{Directory, Temporary};
#[cfg(unix)]
use {attributes::Old, unix::find};

/// Writes a temporary file in the directory of `path`, and moves it there once it is complete. The file stays open.
///
/// With `sync` all of that is on the disk when this returns.
pub(crate) fn replace(
    path: &Path,
    sync: bool,
    write: &mut dyn FnMut(&mut File) -> Result<()>,
) -> Result<File> {
    let (mut file, place) = begin(path)?;
    write(&mut file)?;
    place.take(file, sync)
}

/// The file that a path leads to.
enum Found {
    /// A pipe, a device or an open file of a process: it cannot be replaced.
    Direct(File),
    /// A name in a directory, of a regular file or of none.
    Name(Target),
}

/// A name in a directory.
#[derive(Debug)]
struct Target {
    directory: Directory,
    name: OsString,
    /// The file that has the name.
    old: Option<Old>,
}

/// The name that a file gets once it is written; if it never does, the file is removed.
#[derive(Debug)]
pub(crate) struct Place(Option<(Target, Temporary)>);

/// Makes a new file in the directory of `path`, to take that name.
pub(crate) fn begin(path: &Path) -> Result<(File, Place)> {
    let target = match find(path)? {
        Found::Direct(file) => return Ok((file, Place(None))),
        Found::Name(target) => target,
    };
    // Until it replaces the old file, only its owner may read it.
    let is_private = target.old.is_some();
    let (file, temporary) = target.directory.create(is_private).map_err(|error| {
        let directory = target.directory.path();
        if error.kind() == io::ErrorKind::NotFound {
            return missing(directory);
        }
        let reason = format!(
            "no temporary file can be made in {}, to replace the old one once it is complete: {error}",
            directory.display(),
        );
        io::Error::new(error.kind(), reason)
    })?;
    Ok((file, Place(Some((target, temporary)))))
}

impl Place {
    /// The directory of the file; `None` if it is written to directly.
    pub(crate) fn directory(&self) -> Option<&Directory> {
        self.0.as_ref().map(|(target, _)| &target.directory)
    }

    /// Opens the file that is to be replaced.
    #[cfg(feature = "npz")]
    pub(crate) fn open_old(&self) -> Result<File> {
        let target = self.target()?;
        Ok(target.directory.open_file(&target.name)?)
    }

    /// Whether this is the file that is to be replaced: it still has the name.
    #[cfg(feature = "npz")]
    pub(crate) fn is_old(&self, file: &File) -> Result<bool> {
        let target = self.target()?;
        Ok(target.directory.has(file, &target.name)?)
    }

    #[cfg(feature = "npz")]
    fn target(&self) -> Result<&Target> {
        match &self.0 {
            Some((target, _)) => Ok(target),
            None => {
                let what = "replacing a device or an open file of a process".into();
                Err(ErrorKind::Unsupported {
                    what,
                    needs: "a regular file: open it by its own path",
                }
                .into())
            }
        }
    }

    /// Gives the file its name, in place of the old file. It stays open.
    pub(crate) fn take(self, file: File, sync: bool) -> Result<File> {
        match self.0 {
            Some((target, temporary)) => {
                if let Some(old) = &target.old {
                    old.give_to(&file, &target)?;
                }
                temporary.rename(&file, &target.name, sync)?;
            }
            // A pipe has nothing to sync.
            None if sync && file.metadata()?.is_file() => file.sync_all()?,
            None => {}
        }
        Ok(file)
    }
}

/// The error for a directory that does not exist.
fn missing(directory: &Path) -> io::Error {
    let reason = format!("there is no directory {}; make it first", directory.display());
    io::Error::new(io::ErrorKind::NotFound, reason)
}

/// Makes something under a name that no file has.
fn with_new_name<A>(mut make: impl FnMut(&OsStr) -> io::Result<A>) -> io::Result<(A, OsString)> {
    // A name of 64 random bits is taken only if somebody guesses it.
    const TRIES: usize = 16;
    let mut error = io::Error::from(io::ErrorKind::AlreadyExists);
    for _ in 0..TRIES {
        let name = OsString::from(format!(".npy-{:016x}.tmp", random()));
        match make(&name) {
            Ok(made) => return Ok((made, name)),
            Err(other) => error = other,
        }
        if error.kind() != io::ErrorKind::AlreadyExists {
            break;
        }
    }
    Err(error)
}

/// A number that nobody knows beforehand: from the keys of the standard library's hash tables, which a forked process shares with its
/// parent.
fn random() -> u64 {
    let mut hasher = RandomState::new().build_hasher();
    hasher.write_u32(process::id());
    hasher.finish()
}
