//! The underlying reader: a stream, or a file with a position of its own.

use std::borrow::Borrow;
use std::fs::File;
use std::io::{ErrorKind, Read, Result, Seek, SeekFrom};

use crate::limits;

/// The underlying reader. `File` is a regular file that this crate opened; seeking in it takes no system call.
pub(super) enum Input<R> {
    Stream(R),
    File(FileAt),
}

/// A file, and the position of the next read.
pub(in crate::read) struct FileAt<F = File> {
    file: F,
    position: u64,
}

impl FileAt {
    /// Creates the reader of a regular file that is at `position`.
    pub(super) fn new(file: File, position: u64) -> Self {
        FileAt { file, position }
    }

    /// Returns the file at `bytes` bytes before the position, for several threads; `None` if the system cannot read at an offset.
    pub(super) fn before(&self, bytes: u64) -> Option<FileAt<&File>> {
        let position = self.position.checked_sub(bytes)?;
        cfg!(any(unix, windows)).then_some(FileAt { file: &self.file, position })
    }

    /// Moves as far as from the offset `from` to the offset `to`.
    pub(super) fn move_by(&mut self, from: u64, to: u64) {
        self.position = self.position.saturating_sub(from).saturating_add(to);
    }

    /// Returns the same file at the same position.
    #[cfg(feature = "objects")]
    pub(in crate::read) fn borrowed(&self) -> FileAt<&File> {
        FileAt { file: &self.file, position: self.position }
    }
}

impl<F: Borrow<File>> FileAt<F> {
    /// Returns the number of bytes of the file from `before` bytes before the position; `None` if the system does not say.
    pub(in crate::read) fn length_from(&self, before: u64) -> Option<u64> {
        let length = self.file.borrow().metadata().ok()?.len();
        Some(length.saturating_sub(self.position.saturating_sub(before)))
    }
}

impl FileAt<&File> {
    /// Returns the file with a handle of its own.
    #[cfg(feature = "objects")]
    pub(in crate::read) fn cloned(&self) -> Result<FileAt> {
        Ok(FileAt { file: self.file.try_clone()?, position: self.position })
    }

    /// Returns the file at `bytes` bytes after the position.
    pub(in crate::read) fn at(&self, bytes: u64) -> Self {
        FileAt { file: self.file, position: self.position.saturating_add(bytes) }
    }

    /// Reads until `out` is full or the file ends, and returns the number of bytes.
    pub(in crate::read) fn fill_slice(mut self, out: &mut [u8]) -> Result<usize> {
        let (read, result) = read_full(&mut self, out);
        result.map(|()| read)
    }
}

#[cfg(unix)]
fn read_at(file: &File, out: &mut [u8], at: u64) -> Result<usize> {
    std::os::unix::fs::FileExt::read_at(file, out, at)
}

#[cfg(windows)]
fn read_at(file: &File, out: &mut [u8], at: u64) -> Result<usize> {
    std::os::windows::fs::FileExt::seek_read(file, out, at)
}

#[cfg(not(any(unix, windows)))]
fn read_at(mut file: &File, out: &mut [u8], at: u64) -> Result<usize> {
    file.seek(SeekFrom::Start(at))?;
    file.read(out)
}

impl<F: Borrow<File>> Read for FileAt<F> {
    fn read(&mut self, out: &mut [u8]) -> Result<usize> {
        let read = read_at(self.file.borrow(), out, self.position)?;
        self.position = self.position.saturating_add(limits::to_u64(read));
        Ok(read)
    }
}

impl<R: Read> Read for Input<R> {
    #[inline]
    fn read(&mut self, out: &mut [u8]) -> Result<usize> {
        match self {
            Input::Stream(stream) => stream.read(out),
            Input::File(file) => file.read(out),
        }
    }
}

impl<R: Seek> Input<R> {
    /// Returns the number of bytes of a stream from `before` bytes before the position; `None` if it does not know its end.
    pub(super) fn length(&mut self, before: u64) -> Result<Option<u64>> {
        let Input::Stream(stream) = self else { return Ok(None) };
        let position = stream.stream_position()?;
        let end = stream.seek(SeekFrom::End(0)).ok();
        stream.seek(SeekFrom::Start(position))?;
        Ok(end.map(|end| end.saturating_add(before).saturating_sub(position)))
    }

    /// Seeks `by` bytes forward, or back if `by` is negative.
    pub(super) fn seek_by(&mut self, by: i64) -> Result<()> {
        match self {
            Input::Stream(stream) => stream.seek(SeekFrom::Current(by)).map(drop),
            Input::File(FileAt { position, .. }) => {
                *position = position.checked_add_signed(by).ok_or(ErrorKind::InvalidInput)?;
                Ok(())
            }
        }
    }
}

/// Reads at least one byte, unless the input has ended. Tries again if a signal interrupts the read.
pub(super) fn read_some(inner: &mut impl Read, out: &mut [u8]) -> Result<usize> {
    loop {
        match inner.read(out) {
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            result => return result,
        }
    }
}

/// Reads until `out` is full or the input ends. Returns the number of bytes, even if a read failed after them.
pub(super) fn read_full(inner: &mut impl Read, mut out: &mut [u8]) -> (usize, Result<()>) {
    let wanted = out.len();
    loop {
        let read = wanted.saturating_sub(out.len());
        if out.is_empty() {
            return (read, Ok(()));
        }
        match read_some(inner, out) {
            Ok(0) => return (read, Ok(())),
            Ok(n) => out = out.get_mut(n..).unwrap_or_default(),
            Err(error) => return (read, Err(error)),
        }
    }
}
