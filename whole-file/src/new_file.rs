//! Files that replace others when they are complete.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;

use crate::destination::{self, Destination};
use crate::temporary::Existing;
use crate::{Directory, ScratchFile, Spool, names};

/// A file that gets its name when it is complete: a file that exists is replaced whole or not at all, and nothing is left after an error.
///
/// The [crate](crate) says what is kept of the old file, and which temporary names there are.
///
/// ```
/// # let dir = tempfile::tempdir()?;
/// # std::env::set_current_dir(&dir)?;
/// use std::io::Write;
///
/// use whole_file::NewFile;
///
/// let mut file = NewFile::create("rows.csv")?;
/// file.write_all(b"a,b\n1,2\n")?;
/// assert!(!std::fs::exists("rows.csv")?);
/// file.finish()?;
/// assert_eq!(std::fs::read("rows.csv")?, b"a,b\n1,2\n");
/// # Ok::<(), std::io::Error>(())
/// ```
#[must_use = "the file gets its name by `finish`"]
#[derive(Debug)]
pub struct NewFile {
    file: File,
    destination: Destination,
}

impl NewFile {
    /// Creates a file that will replace one that has this path already.
    ///
    /// ```
    /// # let dir = tempfile::tempdir()?;
    /// # std::env::set_current_dir(&dir)?;
    /// use whole_file::NewFile;
    ///
    /// NewFile::create("done")?.finish()?;
    /// # Ok::<(), std::io::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Those of the system: if the directory does not exist, if no file can be created in it ([`NoTemporaryFile`](crate::NoTemporaryFile)), or
    /// if a file that has the path is write-protected.
    pub fn create(path: impl AsRef<Path>) -> io::Result<Self> {
        Options::new().create(path)
    }

    /// Creates a file that replaces no other: if the path exists now, or when the file is complete, that is an error.
    ///
    /// ```
    /// # let dir = tempfile::tempdir()?;
    /// # std::env::set_current_dir(&dir)?;
    /// use whole_file::NewFile;
    ///
    /// std::fs::write("done", "")?;
    /// let error = NewFile::create_new("done").unwrap_err();
    /// assert_eq!(error.to_string(), "the file exists, and is kept; use another name");
    /// # Ok::<(), std::io::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`create`](Self::create), and [`io::ErrorKind::AlreadyExists`].
    pub fn create_new(path: impl AsRef<Path>) -> io::Result<Self> {
        Options::new().keep_existing(true).create(path)
    }

    /// Returns the open file.
    ///
    /// ```
    /// # let dir = tempfile::tempdir()?;
    /// # std::env::set_current_dir(&dir)?;
    /// use std::io::Write;
    ///
    /// use whole_file::NewFile;
    ///
    /// let mut file = NewFile::create("x")?;
    /// file.write_all(b"abc")?;
    /// assert_eq!(file.file().metadata()?.len(), 3);
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn file(&self) -> &File {
        &self.file
    }

    /// Gives the file its name, and returns the open file. Without this call, the file is removed when it is dropped.
    ///
    /// ```
    /// # let dir = tempfile::tempdir()?;
    /// # std::env::set_current_dir(&dir)?;
    /// use whole_file::NewFile;
    ///
    /// drop(NewFile::create("never")?);
    /// assert!(!std::fs::exists("never")?);
    /// NewFile::create("empty")?.finish()?;
    /// assert!(std::fs::exists("empty")?);
    /// # Ok::<(), std::io::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Those of the system if the file cannot get its name; [`io::ErrorKind::AlreadyExists`] if another file has the name now, and
    /// [is to be kept](Options::keep_existing).
    pub fn finish(self) -> io::Result<File> {
        self.destination.finish(self.file)
    }

    /// Returns the open file and its final name, for a program that passes the file to a writer of its own.
    ///
    /// ```
    /// # let dir = tempfile::tempdir()?;
    /// # std::env::set_current_dir(&dir)?;
    /// use std::io::{BufWriter, Write};
    ///
    /// use whole_file::NewFile;
    ///
    /// let (file, destination) = NewFile::create("x")?.into_parts();
    /// let mut writer = BufWriter::new(file);
    /// writer.write_all(b"abc")?;
    /// destination.finish(writer.into_inner()?)?;
    /// assert_eq!(std::fs::read("x")?, b"abc");
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn into_parts(self) -> (File, Destination) {
        (self.file, self.destination)
    }

    /// Removes all incomplete files of this process that have a temporary name: for the handler of a signal, right before it ends the
    /// process, because nothing is dropped then.
    ///
    /// Files without a name need no such call. After it, no file that needs a temporary name can be created. Only files of this version of the
    /// crate are removed: if another dependency uses another version, that version has a list of its own.
    ///
    /// ```
    /// use whole_file::NewFile;
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
        names::remove_all();
    }
}

impl Read for NewFile {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.file.read(buffer)
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

/// Options for new files.
///
/// ```
/// # let dir = tempfile::tempdir()?;
/// # std::env::set_current_dir(&dir)?;
/// use std::io::Write;
///
/// use whole_file::Options;
///
/// let mut file = Options::new().sync(true).prefix(".ledger-").create("ledger")?;
/// file.write_all(b"1\n")?;
/// file.finish()?;
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Options {
    existing: Existing,
    sync: bool,
    prefix: &'static str,
}

impl Default for Options {
    fn default() -> Self {
        Options { existing: Existing::Replace, sync: false, prefix: ".whole-file-" }
    }
}

impl Options {
    /// Returns the defaults: an existing file is replaced, and nothing waits for the disk.
    ///
    /// ```
    /// # let dir = tempfile::tempdir()?;
    /// # std::env::set_current_dir(&dir)?;
    /// use whole_file::Options;
    ///
    /// Options::new().create("x")?.finish()?; // as NewFile::create
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn new() -> Self {
        Options::default()
    }

    /// Sets whether an existing file is kept, and it is an error if there is one.
    ///
    /// ```
    /// # let dir = tempfile::tempdir()?;
    /// # std::env::set_current_dir(&dir)?;
    /// use std::io::ErrorKind;
    ///
    /// use whole_file::Options;
    ///
    /// let file = Options::new().keep_existing(true).create("x")?;
    /// std::fs::write("x", "of another program")?;
    /// assert_eq!(file.finish().unwrap_err().kind(), ErrorKind::AlreadyExists);
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn keep_existing(&mut self, keep: bool) -> &mut Self {
        self.existing = if keep { Existing::Keep } else { Existing::Replace };
        self
    }

    /// Sets whether the file must survive a loss of power. By default it need not, which is much faster.
    ///
    /// If set, [`NewFile::finish`] returns once the file and (on Unix) its name are on the disk. A loss of power before it returns leaves the
    /// old or the new file; a later one leaves the new file.
    ///
    /// ```
    /// # let dir = tempfile::tempdir()?;
    /// # std::env::set_current_dir(&dir)?;
    /// use whole_file::Options;
    ///
    /// Options::new().sync(true).create("x")?.finish()?;
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn sync(&mut self, sync: bool) -> &mut Self {
        self.sync = sync;
        self
    }

    /// Sets the start of temporary names, which tells whose file it is if one is left; by default `.whole-file-`. Sixteen random digits and
    /// `.tmp` follow. It must be a valid start of a file's name.
    ///
    /// ```
    /// # let dir = tempfile::tempdir()?;
    /// # std::env::set_current_dir(&dir)?;
    /// use whole_file::Options;
    ///
    /// // At some moments, the file is called `.ledger-0123456789abcdef.tmp`.
    /// Options::new().prefix(".ledger-").create("ledger")?.finish()?;
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn prefix(&mut self, prefix: &'static str) -> &mut Self {
        self.prefix = prefix;
        self
    }

    /// Creates a file that gets this path when it is complete.
    ///
    /// ```
    /// # let dir = tempfile::tempdir()?;
    /// # std::env::set_current_dir(&dir)?;
    /// use whole_file::Options;
    ///
    /// Options::new().sync(true).create("x")?.finish()?;
    /// # Ok::<(), std::io::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`NewFile::create`], and [`NewFile::create_new`] if an existing file is kept.
    pub fn create(&self, path: impl AsRef<Path>) -> io::Result<NewFile> {
        let begun = destination::begin(path.as_ref(), self.existing, self.sync, self.prefix);
        begun.map(|(file, destination)| NewFile { file, destination })
    }

    /// Creates a file in a directory for bytes that are needed for a while.
    ///
    /// ```
    /// # let dir = tempfile::tempdir()?;
    /// use whole_file::{Directory, Options};
    ///
    /// let file = Options::new().scratch(&Directory::open(&std::env::temp_dir())?)?;
    /// # let _ = file;
    /// # Ok::<(), std::io::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Those of the system.
    pub fn scratch(&self, directory: &Directory) -> io::Result<ScratchFile> {
        ScratchFile::create(directory, self.prefix)
    }

    /// Creates an empty [`Spool`], whose file will be in this directory, or in the system's temporary directory.
    ///
    /// ```
    /// use std::io::Write;
    ///
    /// use whole_file::Options;
    ///
    /// let mut spool = Options::new().prefix(".ledger-").spool(None);
    /// spool.write_all(b"1\n")?;
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn spool(&self, directory: Option<&Directory>) -> Spool {
        Spool::new(directory, self.prefix)
    }
}
