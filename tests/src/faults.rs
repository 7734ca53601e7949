//! Streams that fail when they are told to, or give and take little at a time.

use std::io::{self, Read, Seek, SeekFrom, Write};

/// What a faulty stream does, once, when so many bytes have passed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Fault {
    /// It fails, and goes on if it is asked again.
    Error(io::ErrorKind),
    /// It fails, now and ever after.
    Dead,
    /// It ends: reads give nothing more, writes take nothing more.
    End,
}

/// A stream that passes some bytes at a time, and fails at one of them.
#[derive(Debug, Clone)]
pub struct Faulty<S> {
    inner: S,
    /// Bytes that a call passes at the most.
    step: usize,
    /// Bytes until the fault; none if there is to be none.
    left: Option<usize>,
    fault: Fault,
    /// How many calls there were.
    pub calls: usize,
}

impl<S> Faulty<S> {
    /// A stream that does this when `at` bytes have passed.
    pub fn new(inner: S, step: usize, at: usize, fault: Fault) -> Self {
        Faulty { inner, step, left: Some(at), fault, calls: 0 }
    }

    /// A stream that is only slow.
    pub fn slow(inner: S, step: usize) -> Self {
        Faulty { inner, step, left: None, fault: Fault::End, calls: 0 }
    }

    /// What it passes to.
    pub fn get_ref(&self) -> &S {
        &self.inner
    }

    /// How many of these bytes may pass now.
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
