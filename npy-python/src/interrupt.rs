//! Ctrl-C: long work asks Python between blocks, and ends with its exception.

use std::io::{self, Read, Seek, SeekFrom, Write};
use std::time::{Duration, Instant};

use pyo3::prelude::*;

/// The time between two questions. Ctrl-C should end work within a tenth of a second.
const PAUSE: Duration = Duration::from_millis(30);

/// Asks Python for signals, but not more often than every [`PAUSE`].
#[derive(Debug)]
pub(crate) struct Signals {
    asked: Instant,
}

impl Signals {
    pub(crate) fn new() -> Self {
        Signals { asked: Instant::now() }
    }

    /// Returns the exception of a handler, such as `KeyboardInterrupt`, as an error of `io`.
    pub(crate) fn check(&mut self) -> io::Result<()> {
        if self.asked.elapsed() < PAUSE {
            return Ok(());
        }
        let result = Python::attach(|py| py.check_signals());
        self.asked = Instant::now();
        result.map_err(io::Error::other)
    }
}

/// A file or stream each of whose calls may end with Ctrl-C.
#[derive(Debug)]
pub(crate) struct Interruptible<T> {
    pub(crate) inner: T,
    signals: Signals,
}

impl<T> Interruptible<T> {
    pub(crate) fn new(inner: T) -> Self {
        Interruptible { inner, signals: Signals::new() }
    }
}

/// The most bytes that one call writes.
const BLOCK: usize = 4 << 20;

impl<T: Read> Read for Interruptible<T> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.signals.check()?;
        self.inner.read(buffer)
    }
}

impl<T: Write> Write for Interruptible<T> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.signals.check()?;
        self.inner.write(&bytes[..bytes.len().min(BLOCK)])
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

impl<T: Seek> Seek for Interruptible<T> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.inner.seek(to)
    }
}
