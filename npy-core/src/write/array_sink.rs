//! What arrays are written to: a writer that learns first how long an array is.

use std::io::{self, Write};

/// What an array is written to.
#[doc(hidden)]
pub trait ArraySink: Write {
    /// Called once before the first byte, with the number of bytes that will come.
    ///
    /// # Errors
    ///
    /// As [`Write::write`].
    fn begin(&mut self, bytes: u64) -> io::Result<()>;
}

/// For bytes that are written elsewhere later.
impl ArraySink for Vec<u8> {
    fn begin(&mut self, _: u64) -> io::Result<()> {
        Ok(())
    }
}

/// A writer that has no use for the length of an array.
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
