//! The member to which an array is being written.

use std::fmt;
use std::io::{self, Write};

use super::archive::Archive;
use super::deflate::Compressor;
use crate::element::block::BLOCK;
use crate::error::Result;
use crate::write::array_sink::ArraySink;

/// A member that is being written. If this is dropped before the member is complete, the archive does not get the member.
pub(super) struct MemberSink<'a, W: Write> {
    archive: &'a mut Archive<W>,
    /// `None` if members are written uncompressed.
    compressor: Option<&'a mut Compressor>,
    name: &'a str,
    is_open: bool,
}

impl<'a, W: Write> MemberSink<'a, W> {
    pub(super) fn new(
        archive: &'a mut Archive<W>,
        compressor: Option<&'a mut Compressor>,
        name: &'a str,
    ) -> Self {
        MemberSink { archive, compressor, name, is_open: true }
    }

    /// Writes the member, or discards it after an error.
    pub(super) fn write_with(
        mut self,
        write: &mut dyn FnMut(&mut dyn ArraySink) -> Result<()>,
    ) -> Result<()> {
        let written = write(&mut self).and_then(|()| Ok(self.end()?));
        if let Err(error) = &written {
            self.abort(error);
        }
        written
    }

    fn end(&mut self) -> io::Result<()> {
        match &mut self.compressor {
            None => self.archive.end()?,
            Some(compressor) => compressor.end(self.archive)?,
        }
        self.is_open = false;
        Ok(())
    }

    fn abort(&mut self, why: &dyn fmt::Display) {
        self.is_open = false;
        let is_in_archive = match &mut self.compressor {
            None => true,
            Some(compressor) => compressor.abort(),
        };
        if is_in_archive {
            self.archive.abort(why);
        }
    }
}

/// Discards the member if encoding a value panicked, because the program may catch the panic and write other members.
impl<W: Write> Drop for MemberSink<'_, W> {
    fn drop(&mut self) {
        if self.is_open {
            self.abort(&"a value panicked");
        }
    }
}

impl<W: Write> ArraySink for MemberSink<'_, W> {
    fn begin(&mut self, bytes: u64) -> io::Result<()> {
        match &mut self.compressor {
            None => self.archive.begin(self.name.to_owned(), bytes, false),
            Some(compressor) => compressor.begin(self.name.to_owned(), bytes),
        }
    }
}

impl<W: Write> Write for MemberSink<'_, W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if let Some(compressor) = &mut self.compressor {
            return compressor.write(bytes, self.archive);
        }
        // At most one block, so that it is still in the cache when it is written after its checksum is computed.
        let block = bytes.get(..BLOCK).unwrap_or(bytes);
        self.archive.write_stored(block)?;
        Ok(block.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
