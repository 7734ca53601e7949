//! The name that a new file will have, and the file that has it now.

use std::ffi::OsString;
use std::fs::File;
use std::io;
use std::path::Path;

use crate::Directory;
#[cfg(not(unix))]
use crate::other::{Old, find};
use crate::temporary::{Existing, NoTemporaryFile, Temporary};
#[cfg(unix)]
use crate::{attributes::Old, unix::find};

/// The file that a path leads to.
pub(crate) enum Found {
    /// A pipe, a device or an open file of a process: it cannot be replaced.
    Direct(File),
    /// A name in a directory. A regular file may have the name already.
    Name(Target),
}

/// A name in a directory.
#[derive(Debug)]
pub(crate) struct Target {
    pub(crate) directory: Directory,
    pub(crate) name: OsString,
    /// The permissions of the file that has this name; `None` if there is no such file.
    pub(crate) old: Option<Old>,
}

/// The final name of a new file. If this is dropped before [`finish`](Self::finish), the file is removed.
///
/// ```
/// # let dir = tempfile::tempdir()?;
/// # std::env::set_current_dir(&dir)?;
/// use std::io::{Read, Write};
///
/// use whole_file::{Lock, NewFile};
///
/// std::fs::write("list", "one\n")?;
/// let (mut file, destination) = NewFile::create("list")?.into_parts();
/// let mut text = String::new();
/// if let Some(mut old) = destination.open_old()? {
///     let _lock = Lock::take(&old)?;
///     old.read_to_string(&mut text)?;
///     file.write_all(format!("{text}two\n").as_bytes())?;
///     assert!(destination.is_old(&old)?, "another program replaced the file");
///     destination.finish(file)?;
/// }
/// assert_eq!(std::fs::read_to_string("list")?, "one\ntwo\n");
/// # Ok::<(), std::io::Error>(())
/// ```
#[must_use = "the file gets its name by `finish`"]
#[derive(Debug)]
pub struct Destination {
    /// `None` for a file that is written to directly.
    name: Option<(Target, Temporary)>,
    existing: Existing,
    sync: bool,
}

/// Creates a file in the directory of `path`, to be renamed to `path` later. A pipe, a device or an
/// open file of a process is opened instead.
pub(crate) fn begin(
    path: &Path,
    existing: Existing,
    sync: bool,
    prefix: &'static str,
) -> io::Result<(File, Destination)> {
    let target = match find(path)? {
        Found::Direct(file) => return Ok((file, Destination { name: None, existing, sync })),
        Found::Name(target) => target,
    };
    if existing == Existing::Keep && target.old.is_some() {
        return Err(exists());
    }
    // If there is an old file, only the owner may read the new one until it gets the permissions of the old one.
    let is_private = target.old.is_some();
    let (file, temporary) = target.directory.create(is_private, prefix).map_err(|error| {
        let directory = target.directory.path();
        // A file system such as that at /proc has the directory, and no files of ours.
        if error.kind() == io::ErrorKind::NotFound && !directory.is_dir() {
            return missing(directory);
        }
        NoTemporaryFile::error(directory, error)
    })?;
    Ok((file, Destination { name: Some((target, temporary)), existing, sync }))
}

impl Destination {
    /// Returns the directory of the file; `None` if the file is a pipe, a device or an open file of a process, which is written to directly.
    ///
    /// ```
    /// # let dir = tempfile::tempdir()?;
    /// # std::env::set_current_dir(&dir)?;
    /// use whole_file::NewFile;
    ///
    /// let (file, destination) = NewFile::create("x")?.into_parts();
    /// let directory = destination.directory().cloned();
    /// destination.finish(file)?;
    /// // Later: now the name must survive a loss of power.
    /// if let Some(directory) = directory {
    ///     directory.sync()?;
    /// }
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn directory(&self) -> Option<&Directory> {
        self.name.as_ref().map(|(target, _)| &target.directory)
    }

    /// Opens the file that will be replaced; `None` if none is, because the file is written to directly.
    ///
    /// It is open for reading, and if that is allowed for writing, too: some network file systems lock no others.
    ///
    /// ```
    /// # let dir = tempfile::tempdir()?;
    /// # std::env::set_current_dir(&dir)?;
    /// use whole_file::NewFile;
    ///
    /// std::fs::write("x", "old")?;
    /// let (_file, destination) = NewFile::create("x")?.into_parts();
    /// let old = destination.open_old()?.ok_or("x is a device")?;
    /// assert_eq!(std::io::read_to_string(old)?, "old");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`io::ErrorKind::NotFound`] if there is no such file.
    pub fn open_old(&self) -> io::Result<Option<File>> {
        let name = self.name.as_ref();
        name.map(|(target, _)| target.directory.open_file(&target.name)).transpose()
    }

    /// Returns true if `file` still has the name, and will be replaced. On systems other than Unix this is not checked, and true.
    ///
    /// ```
    /// # let dir = tempfile::tempdir()?;
    /// # std::env::set_current_dir(&dir)?;
    /// use whole_file::NewFile;
    ///
    /// std::fs::write("x", "old")?;
    /// let (_file, destination) = NewFile::create("x")?.into_parts();
    /// let old = destination.open_old()?.ok_or("x is a device")?;
    /// assert!(destination.is_old(&old)?);
    /// # #[cfg(unix)] {
    /// std::fs::remove_file("x")?;
    /// assert!(!destination.is_old(&old)?);
    /// # }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Those of the system.
    pub fn is_old(&self, file: &File) -> io::Result<bool> {
        match &self.name {
            Some((target, _)) => target.directory.has(file, &target.name),
            None => Ok(false),
        }
    }

    /// Gives `file` its final name, and returns it. It must be the file that was created with this value.
    ///
    /// ```
    /// # let dir = tempfile::tempdir()?;
    /// # std::env::set_current_dir(&dir)?;
    /// use whole_file::NewFile;
    ///
    /// let (file, destination) = NewFile::create("x")?.into_parts();
    /// assert!(!std::fs::exists("x")?);
    /// destination.finish(file)?;
    /// assert!(std::fs::exists("x")?);
    /// # Ok::<(), std::io::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`NewFile::finish`](crate::NewFile::finish).
    pub fn finish(self, file: File) -> io::Result<File> {
        match self.name {
            Some((target, temporary)) => {
                if let Some(old) = &target.old {
                    old.give_to(&file, &target)?;
                }
                let renamed = temporary.rename(&file, &target.name, self.existing, self.sync);
                renamed.map_err(|error| match error.kind() {
                    io::ErrorKind::AlreadyExists => exists(),
                    _ => error,
                })?;
            }
            // A pipe has nothing to sync.
            None if self.sync && file.metadata()?.is_file() => file.sync_all()?,
            None => {}
        }
        Ok(file)
    }
}

/// Returns the error for a directory that does not exist.
pub(crate) fn missing(directory: &Path) -> io::Error {
    let reason = format!("no directory {}; create it first", directory.display());
    io::Error::new(io::ErrorKind::NotFound, reason)
}

/// The error for a file that is not replaced.
fn exists() -> io::Error {
    io::Error::new(io::ErrorKind::AlreadyExists, "the file exists, and is kept; use another name")
}
