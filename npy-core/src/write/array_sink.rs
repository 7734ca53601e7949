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
pub(super) struct PlainWriter<W> {
    inner: W,
    has_begun: bool,
}

impl<W> PlainWriter<W> {
    pub(super) fn new(inner: W) -> Self {
        PlainWriter { inner, has_begun: false }
    }

    /// Returns an error if the array type has written nothing: an empty file is not a `.npy` file.
    pub(super) fn check_begun(&self) -> io::Result<()> {
        if self.has_begun {
            return Ok(());
        }
        let reason = "no array was written: write_npy_array must pass one to the ArrayWriter that it receives, also if it has no elements";
        Err(io::Error::new(io::ErrorKind::InvalidInput, reason))
    }
}

impl<W: Write> Write for PlainWriter<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.inner.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

impl<W: Write> ArraySink for PlainWriter<W> {
    fn begin(&mut self, _: u64) -> io::Result<()> {
        self.has_begun = true;
        Ok(())
    }
}
