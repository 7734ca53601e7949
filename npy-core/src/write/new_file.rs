//! Files of any content that replace others when they are complete.

use std::fs::File;
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use super::replace::{self, Destination, Existing};
use crate::error::{Error, Result};

/// A file of any content that gets its name when it is complete, as files of this library do: a file that exists is replaced whole or not
/// at all, and nothing is left after an error.
///
/// On Linux the file has no name until then, if the file system allows it, so that nothing is left even if the process is killed.
/// Elsewhere it has a temporary name in the same directory.
///
/// The new file has the permissions of the old one. Links are followed. A pipe or a device is written directly.
///
/// ```
/// # let dir = tempfile::tempdir()?;
/// # std::env::set_current_dir(&dir)?;
/// use std::io::Write;
///
/// use npy_core::NewFile;
///
/// let mut file = NewFile::create("rows.csv")?;
/// file.write_all(b"a,b\n1,2\n")?;
/// assert!(!std::fs::exists("rows.csv")?);
/// file.finish()?;
/// assert_eq!(std::fs::read("rows.csv")?, b"a,b\n1,2\n");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use = "the file gets its name by `finish`"]
#[derive(Debug)]
pub struct NewFile {
    file: File,
    destination: Destination,
    path: PathBuf,
}

impl NewFile {
    /// Creates a file that will replace one that has this path already.
    ///
    /// ```
    /// # let dir = tempfile::tempdir()?;
    /// # std::env::set_current_dir(&dir)?;
    /// use npy_core::NewFile;
    ///
    /// NewFile::create("done")?.finish()?;
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Io`](crate::ErrorKind::Io) if the directory does not exist, if no file can be created in it, or if a file that has
    /// the path is write-protected.
    pub fn create(path: impl AsRef<Path>) -> Result<Self> {
        NewFile::begin(path.as_ref(), Existing::Replace)
    }

    /// Creates a file that replaces no other: if the path exists now, or when the file is complete, that is an error.
    ///
    /// ```
    /// # let dir = tempfile::tempdir()?;
    /// # std::env::set_current_dir(&dir)?;
    /// use npy_core::NewFile;
    ///
    /// std::fs::write("done", "")?;
    /// let error = NewFile::create_new("done").unwrap_err();
    /// assert_eq!(error.to_string(), "done: the file exists, and is kept; use another name");
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`create`](Self::create), and [`io::ErrorKind::AlreadyExists`].
    pub fn create_new(path: impl AsRef<Path>) -> Result<Self> {
        NewFile::begin(path.as_ref(), Existing::Keep)
    }

    fn begin(path: &Path, existing: Existing) -> Result<Self> {
        let begun = replace::begin(path, existing);
        let (file, destination) = begun.map_err(|error: Error| error.in_file(path))?;
        Ok(NewFile { file, destination, path: path.to_owned() })
    }

    /// Gives the file its name, and returns the open file. Without this call, the file is removed when it is dropped.
    ///
    /// ```
    /// # let dir = tempfile::tempdir()?;
    /// # std::env::set_current_dir(&dir)?;
    /// use npy_core::NewFile;
    ///
    /// drop(NewFile::create("never")?);
    /// assert!(!std::fs::exists("never")?);
    /// NewFile::create("empty")?.finish()?;
    /// assert!(std::fs::exists("empty")?);
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Io`](crate::ErrorKind::Io) if the file cannot get its name.
    pub fn finish(self) -> Result<File> {
        let NewFile { file, destination, path } = self;
        destination.commit(file, false).map_err(|error| error.in_file(&path))
    }

    /// Removes the incomplete files of this process, those of all writers of this library: for the handler of a signal, right before
    /// it ends the process, because nothing is dropped then.
    ///
    /// Files without a name need no such call. After it, no file that needs a temporary name can be created.
    ///
    /// ```
    /// use npy_core::NewFile;
    ///
    /// // In a thread that waits for Ctrl-C, such as that of the crate `ctrlc` or `signal-hook`:
    /// let interrupted = || {
    ///     NewFile::remove_incomplete();
    ///     std::process::exit(130)
    /// };
    /// # let _ = interrupted;
    /// # NewFile::remove_incomplete();
    /// ```
    pub fn remove_incomplete() {
        replace::remove_all();
    }
}

impl Write for NewFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn write_vectored(&mut self, parts: &[io::IoSlice<'_>]) -> io::Result<usize> {
        self.file.write_vectored(parts)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl Seek for NewFile {
    fn seek(&mut self, position: SeekFrom) -> io::Result<u64> {
        self.file.seek(position)
    }
}
