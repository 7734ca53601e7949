//! Finds, creates and renames files in a directory, on systems other than Unix.

use std::ffi::OsStr;
use std::fs::{self, File, OpenOptions, Permissions};
use std::io;
use std::path::{Path, PathBuf};

use crate::destination::{Found, Target};
use crate::temporary::{Temporary, with_new_name};

/// Finds the file that a path leads to, following links.
pub(crate) fn find(path: &Path) -> io::Result<Found> {
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
pub(crate) struct Old(Permissions);

impl Old {
    pub(crate) fn give_to(&self, file: &File, _: &Target) -> io::Result<()> {
        file.set_permissions(self.0.clone())
    }
}

/// A directory. Its path is absolute, as the process may change its working directory.
///
/// ```
/// use whole_file::{Directory, Options};
///
/// let directory = Directory::open(&std::env::temp_dir())?;
/// let file = Options::new().scratch(&directory)?;
/// # let _ = file;
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Directory {
    path: PathBuf,
}

impl Directory {
    /// Opens a directory.
    ///
    /// ```
    /// use whole_file::Directory;
    ///
    /// let directory = Directory::open(&std::env::temp_dir())?;
    /// assert_eq!(directory.path(), std::env::temp_dir());
    /// # Ok::<(), std::io::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Those of the system.
    pub fn open(path: &Path) -> io::Result<Self> {
        Ok(Directory { path: std::path::absolute(path)? })
    }

    /// Returns the absolute path.
    ///
    /// ```
    /// use whole_file::Directory;
    ///
    /// let directory = Directory::open(&std::env::temp_dir())?;
    /// assert_eq!(directory.path(), std::env::temp_dir());
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn open_file(&self, name: &OsStr) -> io::Result<File> {
        File::open(self.path.join(name))
    }

    /// Returns true without a check, as std cannot compare files here.
    #[expect(clippy::unnecessary_wraps)]
    pub(crate) fn has(&self, _: &File, _: &OsStr) -> io::Result<bool> {
        Ok(true)
    }

    /// Creates a file to read and write, with the permissions that the directory gives it.
    pub(crate) fn create(
        &self,
        _is_private: bool,
        prefix: &'static str,
    ) -> io::Result<(File, Temporary)> {
        let mut options = OpenOptions::new();
        options.read(true).write(true).create_new(true);
        let (file, name) = with_new_name(self, prefix, |name| options.open(self.path.join(name)))?;
        Ok((file, Temporary::new(self, prefix, Some(name))))
    }

    /// Does nothing, as these systems have no call that syncs names.
    ///
    /// ```
    /// # let dir = tempfile::tempdir()?;
    /// # std::env::set_current_dir(&dir)?;
    /// use std::path::Path;
    ///
    /// use whole_file::Directory;
    ///
    /// let file = std::fs::File::create("x")?;
    /// file.sync_all()?;
    /// // The name, too, must survive a loss of power.
    /// Directory::open(Path::new("."))?.sync()?;
    /// # Ok::<(), std::io::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Those of the system.
    pub fn sync(&self) -> io::Result<()> {
        Ok(())
    }

    pub(crate) fn rename(&self, from: &OsStr, to: &OsStr) -> io::Result<()> {
        fs::rename(self.path.join(from), self.path.join(to))
    }

    /// Renames a file, unless another file has the new name.
    pub(crate) fn rename_new(&self, from: &OsStr, to: &OsStr) -> io::Result<()> {
        match fs::hard_link(self.path.join(from), self.path.join(to)) {
            Ok(()) => self.remove(from),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Err(error),
            // A file system without hard links.
            Err(_) => self.rename(from, to),
        }
    }

    pub(crate) fn remove(&self, name: &OsStr) -> io::Result<()> {
        fs::remove_file(self.path.join(name))
    }
}
