//! A buffer for bytes that are written elsewhere later.

use std::env;
use std::io::{self, Cursor, Read, Seek, SeekFrom, Write};
use std::path::PathBuf;

use crate::{Directory, ScratchFile};

const MAX_BYTES_IN_MEMORY: usize = 1 << 20;

/// Bytes in memory, or in a [`ScratchFile`] once they are more than a mebibyte. [`Options::spool`](crate::Options::spool) creates it.
///
/// ```
/// use std::io::{Read, Seek, Write};
///
/// use whole_file::Options;
///
/// let mut spool = Options::new().spool(None);
/// spool.write_all(b"abc")?;
/// spool.rewind()?;
/// let mut text = String::new();
/// spool.read_to_string(&mut text)?;
/// assert_eq!(text, "abc");
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct Spool {
    bytes: Bytes,
    /// The directory of the temporary file; `None` for the system's temporary directory, which is then opened on first use.
    directory: Option<Directory>,
    path: PathBuf,
    prefix: &'static str,
}

#[derive(Debug)]
enum Bytes {
    InMemory(Cursor<Vec<u8>>),
    InFile(ScratchFile),
}

trait Stream: Read + Write + Seek {}

impl<T: Read + Write + Seek> Stream for T {}

impl Spool {
    pub(crate) fn new(directory: Option<&Directory>, prefix: &'static str) -> Self {
        let path = match directory {
            Some(directory) => directory.path().to_owned(),
            None => {
                let path = env::temp_dir();
                // The path is made absolute because the process may change its directory. `join(".")` makes an empty path the current
                // directory.
                std::path::absolute(path.join(".")).unwrap_or(path)
            }
        };
        let bytes = Bytes::InMemory(Cursor::default());
        Spool { bytes, directory: directory.cloned(), path, prefix }
    }

    fn stream(&mut self) -> &mut dyn Stream {
        match &mut self.bytes {
            Bytes::InMemory(bytes) => bytes,
            Bytes::InFile(file) => file,
        }
    }

    /// Moves the bytes to a file if `more` bytes would be too many for memory.
    fn reserve(&mut self, more: usize) -> io::Result<()> {
        if let Bytes::InMemory(bytes) = &mut self.bytes
            && bytes.get_ref().len().saturating_add(more) > MAX_BYTES_IN_MEMORY
        {
            let directory = self.directory.clone().map_or_else(|| Directory::open(&self.path), Ok);
            let made = directory.and_then(|directory| ScratchFile::create(&directory, self.prefix));
            let mut file = made.map_err(|error| {
                let directory = self.path.display();
                let reason = format!("no temporary file can be created in {directory}: {error}");
                io::Error::new(error.kind(), reason)
            })?;
            file.write_all(bytes.get_ref())?;
            file.seek(SeekFrom::Start(bytes.position()))?;
            self.bytes = Bytes::InFile(file);
        }
        Ok(())
    }
}

impl Write for Spool {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.reserve(bytes.len())?;
        self.stream().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.stream().flush()
    }
}

impl Read for Spool {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.stream().read(buffer)
    }
}

impl Seek for Spool {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.stream().seek(to)
    }
}
