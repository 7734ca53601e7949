//! Writers that are told the length of an array before its first byte.

use std::io::{self, Write};

/// A writer that is told the length of an array before its first byte.
pub(crate) trait ArraySink: Write {
    /// Announces the number of bytes of the array. The caller does this once, before the first byte.
    ///
    /// # Errors
    ///
    /// As [`Write::write`].
    fn begin(&mut self, bytes: u64) -> io::Result<()>;
}

impl ArraySink for Vec<u8> {
    fn begin(&mut self, _: u64) -> io::Result<()> {
        Ok(())
    }
}

/// A writer that does not need the length of an array.
pub(super) struct PlainWriter<W>(pub(super) W);

impl<W: Write> Write for PlainWriter<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

impl<W: Write> ArraySink for PlainWriter<W> {
    fn begin(&mut self, _: u64) -> io::Result<()> {
        Ok(())
    }
}
