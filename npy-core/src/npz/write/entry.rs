//! A member that is being written.

use std::io::{self, Write};

use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, DateTime, System};

use super::archive::Archive;
use crate::element::block::BLOCK;
use crate::error::Result;
use crate::write::array_sink::ArraySink;

/// Where the data of a member may start: any item is aligned there, and a line of the cache begins.
const ALIGN: u16 = 64;

/// How a member is written.
pub(super) fn options(level: Option<u8>, large: bool) -> SimpleFileOptions {
    let method = match level {
        Some(_) => CompressionMethod::Deflated,
        None => CompressionMethod::Stored,
    };
    SimpleFileOptions::default()
        .compression_method(method)
        .compression_level(level.map(i64::from))
        // Nothing that differs from run to run or from system to system.
        .last_modified_time(DateTime::default())
        .system(System::Unix)
        .unix_permissions(0o644)
        .large_file(large)
        .with_alignment(ALIGN)
}

/// Whether a member of this many bytes needs the sizes of zip64.
pub(super) fn is_large(bytes: u64) -> bool {
    // Near 4 GiB, as what cannot be compressed becomes a little larger.
    bytes >= 0xfff0_0000
}

/// A member that is written to the archive as it comes.
pub(super) struct Entry<'a, W: Write> {
    archive: &'a mut Archive<W>,
    file: &'a str,
    level: Option<u8>,
    /// What waits: of a member that is stored the header, until more comes, so that one whose first values are invalid is not
    /// begun; of one that is compressed a block, as its bytes depend on the lengths of those.
    waiting: Vec<u8>,
    /// How many bytes it has.
    size: u64,
    begun: bool,
}

impl<'a, W: Write> Entry<'a, W> {
    pub(super) fn new(archive: &'a mut Archive<W>, file: &'a str, level: Option<u8>) -> Self {
        Entry { archive, file, level, waiting: Vec::new(), size: 0, begun: false }
    }

    /// Writes the member; if that fails, there is none.
    pub(super) fn write(
        mut self,
        write: &mut dyn FnMut(&mut dyn ArraySink) -> Result<()>,
    ) -> Result<()> {
        let written = write(&mut self).and_then(|()| Ok(self.emit()?));
        let begun = std::mem::take(&mut self.begun);
        if let Err(error) = &written
            && begun
        {
            self.archive.abort(error);
        }
        written
    }

    /// Writes what waits; before the first of it, begins the member.
    fn emit(&mut self) -> io::Result<()> {
        if !self.begun {
            self.archive.start(self.file, options(self.level, is_large(self.size)))?;
            self.begun = true;
        }
        self.archive.write_all(&self.waiting)?;
        self.waiting.clear();
        Ok(())
    }
}

/// A value may panic, and the program go on: half a member is none.
impl<W: Write> Drop for Entry<'_, W> {
    fn drop(&mut self) {
        if self.begun {
            self.archive.abort(&io::Error::other("a value panicked").into());
        }
    }
}

impl<W: Write> ArraySink for Entry<'_, W> {
    fn begin(&mut self, bytes: u64) -> io::Result<()> {
        self.size = bytes;
        Ok(())
    }
}

impl<W: Write> Write for Entry<'_, W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.level.is_some() {
            let room = BLOCK.saturating_sub(self.waiting.len());
            let bytes = bytes.get(..room).unwrap_or(bytes);
            self.waiting.extend_from_slice(bytes);
            if self.waiting.len() >= BLOCK {
                self.emit()?;
            }
            return Ok(bytes.len());
        }
        if !self.begun && self.waiting.is_empty() {
            self.waiting.extend_from_slice(bytes);
            return Ok(bytes.len());
        }
        if !self.waiting.is_empty() {
            self.emit()?;
        }
        // A block at a time: its checksum is made while it is in the cache.
        self.archive.write(bytes.get(..BLOCK).unwrap_or(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
