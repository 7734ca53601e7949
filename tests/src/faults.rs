//! Streams that fail on request, or pass few bytes at a time.

use std::io::{self, Read, Seek, SeekFrom, Write};

/// The fault that a stream has once a given number of bytes has passed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Fault {
    /// It fails once; later calls succeed.
    Error(io::ErrorKind),
    /// It fails, and so does every later call.
    Dead,
    /// It ends: reads return 0 bytes, and writes accept none.
    End,
}

/// A stream that passes few bytes per call, and fails at one of them.
#[derive(Debug, Clone)]
pub struct Faulty<S> {
    inner: S,
    /// The most bytes that a call passes.
    step: usize,
    /// The number of bytes until the fault; `None` if there is no fault.
    left: Option<usize>,
    fault: Fault,
    /// The number of calls so far.
    pub calls: usize,
}

impl<S> Faulty<S> {
    /// Makes a stream that has this fault once `at` bytes have passed.
    pub fn new(inner: S, step: usize, at: usize, fault: Fault) -> Self {
        Faulty { inner, step, left: Some(at), fault, calls: 0 }
    }

    /// Makes a stream that is slow and never fails.
    pub fn slow(inner: S, step: usize) -> Self {
        Faulty { inner, step, left: None, fault: Fault::End, calls: 0 }
    }

    /// Returns the inner stream.
    pub fn get_ref(&self) -> &S {
        &self.inner
    }

    /// Returns how many of these bytes may pass now.
    fn pass(&mut self, bytes: usize) -> io::Result<usize> {
        self.calls += 1;
        if self.left != Some(0) {
            return Ok(bytes.min(self.step).min(self.left.unwrap_or(bytes)));
        }
        match self.fault {
            Fault::Error(kind) => {
                self.left = None;
                Err(kind.into())
            }
            Fault::Dead => Err(io::Error::other("pulled out")),
            Fault::End => Ok(0),
        }
    }

    fn passed(&mut self, bytes: usize) -> usize {
        self.left = self.left.map(|left| left - bytes);
        bytes
    }
}

impl<S: Read> Read for Faulty<S> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let n = self.pass(out.len())?;
        let n = self.inner.read(&mut out[..n])?;
        Ok(self.passed(n))
    }
}

impl<S: Write> Write for Faulty<S> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let n = self.pass(bytes.len())?;
        let n = self.inner.write(&bytes[..n])?;
        Ok(self.passed(n))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

impl<S: Seek> Seek for Faulty<S> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.inner.seek(to)
    }
}
