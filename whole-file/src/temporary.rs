//! Files that have a temporary name, or none yet.

use std::error::Error;
use std::ffi::OsStr;
use std::fmt;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use crate::Directory;
use crate::names::Name;

/// The treatment of a file that has the name already.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Existing {
    Replace,
    /// It stays, and creating or naming the new file fails with [`io::ErrorKind::AlreadyExists`].
    Keep,
}

/// A new file, which is removed when this is dropped, unless it has its final name.
#[derive(Debug)]
pub(crate) struct Temporary {
    directory: Directory,
    /// The start of the name that a file without one gets.
    #[cfg_attr(not(target_os = "linux"), expect(dead_code))]
    prefix: &'static str,
    /// The temporary name; `None` if the file has no name yet, or has its final name.
    name: Option<Name>,
}

impl Temporary {
    /// A file with this name, or without a name.
    pub(crate) fn new(directory: &Directory, prefix: &'static str, name: Option<Name>) -> Self {
        Temporary { directory: directory.clone(), prefix, name }
    }

    /// Renames the file to its final name `to`.
    pub(crate) fn rename(
        mut self,
        file: &File,
        to: &OsStr,
        existing: Existing,
        sync: bool,
    ) -> io::Result<()> {
        #[cfg(target_os = "linux")]
        if self.name.is_none() {
            // With `sync`, the file is not on the disk yet. A file that replaces others is always renamed, as programs that wait for
            // complete files watch for that.
            if existing == Existing::Keep && !sync {
                return self.directory.link(file, to);
            }
            let link = |name: &OsStr| self.directory.link(file, name);
            let ((), name) = with_new_name(&self.directory, self.prefix, link)?;
            self.name = Some(name);
        }
        if sync {
            // It has a name now: some file systems (Btrfs) do not sync a file without one.
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

/// Calls `make` with a random name in the directory, and again with another name if a file with it exists.
pub(crate) fn with_new_name<A>(
    directory: &Directory,
    prefix: &str,
    mut make: impl FnMut(&OsStr) -> io::Result<A>,
) -> io::Result<(A, Name)> {
    // A name of 64 random bits exists only if somebody guesses it.
    const TRIES: usize = 16;
    let mut error = io::Error::from(io::ErrorKind::AlreadyExists);
    for _ in 0..TRIES {
        let directory = directory.clone();
        let name = Name::new(prefix, Box::new(move |name| directory.remove(name)))?;
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

/// The inner error of an [`io::Error`] if no file can be created in the directory of a path: a program may then write to an open file instead.
///
/// ```
/// # let dir = tempfile::tempdir()?;
/// # std::env::set_current_dir(&dir)?;
/// use std::fs::File;
/// use std::io::Write;
///
/// use whole_file::{NewFile, NoTemporaryFile};
///
/// let mut file: Box<dyn Write> = match NewFile::create("x") {
///     Ok(file) => Box::new(file),
///     Err(error) if error.get_ref().is_some_and(|inner| inner.is::<NoTemporaryFile>()) => {
///         eprintln!("{error}; x is changed in place");
///         Box::new(File::create("x")?)
///     }
///     Err(error) => return Err(error),
/// };
/// file.write_all(b"abc")?;
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct NoTemporaryFile {
    directory: PathBuf,
    error: io::Error,
}

impl NoTemporaryFile {
    /// Returns the error for a directory.
    pub(crate) fn error(directory: &Path, error: io::Error) -> io::Error {
        io::Error::new(error.kind(), NoTemporaryFile { directory: directory.to_owned(), error })
    }
}

impl fmt::Display for NoTemporaryFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "cannot create a file in {}, which would get its name once it is complete: {}",
            self.directory.display(),
            self.error
        )
    }
}

impl Error for NoTemporaryFile {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        // `Display` already prints the error.
        self.error.source()
    }
}
