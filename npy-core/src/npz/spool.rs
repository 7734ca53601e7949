//! A buffer for bytes that are written elsewhere later.

use std::env;
use std::io::{self, Cursor, Read, Seek, SeekFrom, Write};
use std::path::PathBuf;

use crate::write::replace::{self, Directory, ScratchFile};

const MAX_BYTES_IN_MEMORY: usize = 1 << 20;

/// Bytes in memory, or in a temporary file once there are too many.
pub(super) struct Spool {
    bytes: Bytes,
    /// The directory of the temporary file; `None` for the system's temporary directory, which is then opened on first use.
    directory: Option<Directory>,
    path: PathBuf,
}

enum Bytes {
    InMemory(Cursor<Vec<u8>>),
    InFile(ScratchFile),
}

trait Stream: Read + Write + Seek {}

impl<T: Read + Write + Seek> Stream for T {}

impl Spool {
    /// Creates an empty spool. Its file will be in this directory, or in the system's temporary directory.
    pub(super) fn new(directory: Option<&Directory>) -> Self {
        let path = match directory {
            Some(directory) => directory.path().to_owned(),
            None => {
                let path = env::temp_dir();
                // The path is made absolute because the process may change its directory. `join(".")` makes an empty path the current
                // directory.
                std::path::absolute(path.join(".")).unwrap_or(path)
            }
        };
        Spool { bytes: Bytes::InMemory(Cursor::default()), directory: directory.cloned(), path }
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
            let made = directory.and_then(|directory| replace::scratch(&directory));
            let mut file = made.map_err(|error| {
                let directory = self.path.display();
                let reason =
                    format!("no temporary file for rows can be created in {directory}: {error}");
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
