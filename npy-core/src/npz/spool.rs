//! Layer 7: bytes that are kept until they are written elsewhere.

use std::env;
use std::fs::File;
use std::io::{self, Cursor, Read, Seek, SeekFrom, Write};
use std::path::PathBuf;

use crate::write::replace::{Directory, Temporary};

/// The most bytes that are kept in memory.
const MAX_IN_MEMORY: usize = 1 << 20;

/// Bytes in memory, or in a temporary file once there are too many.
pub(super) struct Spool {
    bytes: Bytes,
    location: Location,
}

/// The directory of the temporary file.
enum Location {
    In(Directory),
    /// In the system's directory for temporary files, which is opened only if it is needed.
    System(PathBuf),
}

enum Bytes {
    InMemory(Cursor<Vec<u8>>),
    /// The file is closed before it is removed, as some systems need it.
    InFile {
        file: File,
        _temporary: Option<Temporary>,
    },
}

impl Spool {
    /// No bytes yet; a file will be made in this directory, or in that of the system.
    pub(super) fn new(directory: Option<&Directory>) -> Self {
        let location = match directory {
            Some(directory) => Location::In(directory.clone()),
            None => {
                let path = env::temp_dir();
                // From the root: the process may be elsewhere later. An empty path is where it is now.
                Location::System(std::path::absolute(path.join(".")).unwrap_or(path))
            }
        };
        Spool { bytes: Bytes::InMemory(Cursor::default()), location }
    }

    /// Moves the bytes to a file if more than these are too many.
    fn reserve(&mut self, more: usize) -> io::Result<&mut Bytes> {
        if let Bytes::InMemory(bytes) = &mut self.bytes
            && bytes.get_ref().len().saturating_add(more) > MAX_IN_MEMORY
        {
            // Only its owner may read it: the directory may be open to others.
            let (path, made) = match &self.location {
                Location::In(directory) => (directory.path(), directory.create(true)),
                Location::System(path) => {
                    let directory = Directory::open(path);
                    (path.as_path(), directory.and_then(|directory| directory.create(true)))
                }
            };
            let (mut file, temporary) = made.map_err(|error| {
                let directory = path.display();
                let reason =
                    format!("no temporary file for rows can be made in {directory}: {error}");
                io::Error::new(error.kind(), reason)
            })?;
            file.write_all(bytes.get_ref())?;
            file.seek(SeekFrom::Start(bytes.position()))?;
            // On Unix a file may lose its name while it is open: then nothing is left of it if the process is killed.
            let _temporary = (!cfg!(unix)).then_some(temporary);
            self.bytes = Bytes::InFile { file, _temporary };
        }
        Ok(&mut self.bytes)
    }
}

impl Write for Spool {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self.reserve(bytes.len())? {
            Bytes::InMemory(memory) => memory.write(bytes),
            Bytes::InFile { file, .. } => file.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match &mut self.bytes {
            Bytes::InMemory(_) => Ok(()),
            Bytes::InFile { file, .. } => file.flush(),
        }
    }
}

impl Read for Spool {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match &mut self.bytes {
            Bytes::InMemory(bytes) => bytes.read(buffer),
            Bytes::InFile { file, .. } => file.read(buffer),
        }
    }
}

impl Seek for Spool {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        match &mut self.bytes {
            Bytes::InMemory(bytes) => bytes.seek(to),
            Bytes::InFile { file, .. } => file.seek(to),
        }
    }
}
