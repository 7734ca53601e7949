//! Layer 7: bytes that wait until they are written elsewhere.

use std::env;
use std::fs::File;
use std::io::{self, Cursor, Read, Seek, SeekFrom, Write};
use std::path::PathBuf;

use crate::write::replace::{Directory, Temporary};

/// So many bytes wait in memory.
const IN_MEMORY: usize = 1 << 20;

/// Bytes in memory, and in a temporary file once they are many.
pub(super) struct Spool {
    bytes: Bytes,
    place: Place,
}

/// Where a file is made.
enum Place {
    In(Directory),
    /// In the system's directory for temporary files, which is opened only if it is needed.
    System(PathBuf),
}

enum Bytes {
    InMemory(Cursor<Vec<u8>>),
    /// The file is closed before it is removed, as some systems want it.
    InFile {
        file: File,
        _temporary: Option<Temporary>,
    },
}

impl Spool {
    /// Nothing yet; a file will stand in this directory, or where the system has such files.
    pub(super) fn new(directory: Option<&Directory>) -> Self {
        let place = match directory {
            Some(directory) => Place::In(directory.clone()),
            None => {
                let path = env::temp_dir();
                // From the root: the process may be elsewhere later. An empty path is where it is now.
                Place::System(std::path::absolute(path.join(".")).unwrap_or(path))
            }
        };
        Spool { bytes: Bytes::InMemory(Cursor::default()), place }
    }

    /// What has the bytes now, with room for so many more.
    fn with_room(&mut self, more: usize) -> io::Result<&mut Bytes> {
        if let Bytes::InMemory(bytes) = &mut self.bytes
            && bytes.get_ref().len().saturating_add(more) > IN_MEMORY
        {
            // For nobody else to read: where it stands, others may look.
            let (path, made) = match &self.place {
                Place::In(directory) => (directory.path(), directory.create(true)),
                Place::System(path) => {
                    let directory = Directory::open(path);
                    (path.as_path(), directory.and_then(|directory| directory.create(true)))
                }
            };
            let (mut file, temporary) = made.map_err(|error| {
                let place = path.display();
                let reason = format!("no file for rows that wait can be made in {place}: {error}");
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
        match self.with_room(bytes.len())? {
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
