//! The source of bytes: a stream or a file, with a buffer for reading ahead.

mod input;

use std::fs::{File, Metadata};
use std::io::{ErrorKind, Read, Result, Seek};

use crate::checked;
use crate::element::block::BLOCK;
use crate::limits;
pub(super) use input::FileAt;
use input::{Input, read_full, read_some};

/// A reader and the bytes that were read ahead.
pub(super) struct Source<R> {
    inner: Input<R>,
    /// The bytes that were read ahead are at `used..end`.
    buffer: Vec<u8>,
    used: usize,
    end: usize,
    /// The number of bytes to read ahead the next time.
    read_ahead: usize,
    /// The number of bytes from the start of the data to the end of `inner`, if it was known at the start. A file may have grown since.
    length: Option<u64>,
    /// The number of bytes from the start of the data that a stream was seen to have, for messages; `u64::MAX` if it does not know its end.
    seen: u64,
    /// The position of `inner`, relative to the start of the data.
    end_at: u64,
    /// The number of threads that may read the file.
    threads: usize,
    /// The bytes that may follow a pickle, whose length is known only once it was read.
    end_of_array: EndOfArray,
}

/// The bytes after an array whose length is unknown until it was read.
#[cfg_attr(not(feature = "npz"), allow(dead_code))]
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum EndOfArray {
    /// They stay in the stream.
    Left,
    /// They may be read, and are ignored.
    Ignored,
    /// There may be none.
    Refused,
}

/// The smallest read that is worth starting threads.
const PARALLEL_MIN_BYTES: usize = 4 << 20;

impl<R> Source<R> {
    /// Creates the source of a stream, from which no byte after the array is read.
    pub(super) fn stream(inner: R) -> Self {
        Source::from(Input::Stream(inner), None)
    }

    /// Creates the source of an archive member, which holds one array. `length` is the number of its bytes, if known.
    #[cfg(feature = "npz")]
    pub(super) fn member(inner: R, length: Option<u64>) -> Self {
        Source { end_of_array: EndOfArray::Refused, ..Source::from(Input::Stream(inner), length) }
    }

    fn from(inner: Input<R>, length: Option<u64>) -> Self {
        Source {
            inner,
            buffer: Vec::new(),
            used: 0,
            end: 0,
            read_ahead: 0,
            length,
            seen: 0,
            end_at: 0,
            threads: 1,
            end_of_array: EndOfArray::Left,
        }
    }

    /// Returns the stream; `None` for a file that was opened here.
    #[cfg(feature = "npz")]
    pub(super) fn inner(&self) -> Option<&R> {
        match &self.inner {
            Input::Stream(stream) => Some(stream),
            Input::File(_) => None,
        }
    }

    /// Returns the bytes that were read ahead.
    #[inline]
    pub(super) fn buffered(&self) -> &[u8] {
        checked::slice(&self.buffer, self.used..self.end)
    }
}

impl Source<File> {
    /// Creates the source of a file, and reads its first 4 KiB, which are all of a small file. Up to `threads` threads may read a regular file.
    /// Only one thread reads any other file, because a thread that waits for a pipe cannot be stopped.
    pub(super) fn file(mut file: File, threads: usize) -> Result<Self> {
        const AHEAD: usize = 4096;
        let mut buffer = vec![0; AHEAD];
        let read = read_some(&mut file, &mut buffer)?;
        let whole = if read == AHEAD { Some(file.metadata()?) } else { None };
        // Only the length of a regular file is the number of its bytes. Its position need not be 0: `/dev/fd/3`.
        let whole = whole.filter(Metadata::is_file).map(|metadata| metadata.len());
        let position = whole.and_then(|_| file.stream_position().ok());
        let end_at = limits::to_u64(read);
        let left = whole.zip(position).map(|(whole, position)| whole.saturating_sub(position));
        let length = left.map(|left| left.saturating_add(end_at));
        let input = match position {
            Some(position) => Input::File(FileAt::new(file, position)),
            None => Input::Stream(file),
        };
        let end_of_array = EndOfArray::Ignored;
        let source = Source::from(input, length);
        Ok(Source { buffer, end: read, end_at, threads, end_of_array, ..source })
    }
}

impl<R: Read> Source<R> {
    /// Returns the next `bytes` bytes, or fewer at the end, and reads no byte after them.
    ///
    /// Memory grows as bytes arrive, whatever `bytes` is.
    pub(super) fn take(&mut self, bytes: usize) -> Result<&[u8]> {
        self.buffer(bytes, limits::to_u64(bytes))?;
        Ok(self.take_buffered(bytes))
    }

    /// Appends `bytes` bytes to `out`, or fewer at the end; returns the number.
    ///
    /// Memory grows as bytes arrive, whatever `bytes` is.
    pub(super) fn append(&mut self, out: &mut Vec<u8>, bytes: usize) -> Result<usize> {
        let before = out.len();
        out.extend_from_slice(self.take_buffered(bytes));
        let start = out.len();
        let missing = checked::sub(bytes, checked::sub(start, before));
        let in_file = limits::to_u64(missing);
        if self.available(in_file) == Some(in_file) {
            out.try_reserve(missing).map_err(|_| ErrorKind::OutOfMemory)?;
        }
        let result = (&mut self.inner).take(in_file).read_to_end(out);
        // These bytes are gone from the stream even if the read failed.
        self.have_read(checked::sub(out.len(), start));
        result.map(|_| checked::sub(out.len(), before))
    }

    /// Replaces the contents of `block` by the next `bytes` bytes, or fewer at the end; returns their number. `most` is the number of bytes
    /// that the array has left.
    ///
    /// A small block is read through the buffer, a large one directly. A block that has this length already is not cleared first.
    pub(super) fn fill(&mut self, block: &mut Vec<u8>, bytes: usize, most: u64) -> Result<usize> {
        const FEW: usize = BLOCK / 4;
        if bytes > BLOCK {
            // One element that is larger than a block: memory grows as its bytes arrive.
            block.clear();
            return self.append(block, bytes);
        }
        if bytes < FEW {
            self.buffer(bytes, most)?;
        }
        block.resize(bytes, 0);
        let found = self.fill_slice(block);
        block.truncate(*found.as_ref().unwrap_or(&0));
        found
    }

    /// Fills `out` with the next bytes, or only its start if the source ends; returns their number.
    pub(super) fn fill_slice(&mut self, out: &mut [u8]) -> Result<usize> {
        let ahead = self.take_buffered(out.len());
        let (start, rest) = out.split_at_mut(ahead.len());
        start.copy_from_slice(ahead);
        let (read, result) = read_full(&mut self.inner, rest);
        self.have_read(read);
        result.map(|()| checked::add(start.len(), read))
    }

    /// Reads ahead until at least `needed` bytes are buffered, or the source ends; returns the number of buffered bytes.
    ///
    /// Reads at most `most` ahead, so that a stream is left directly after its array. After a seek it reads little ahead, as the next read
    /// may be elsewhere.
    pub(super) fn buffer(&mut self, needed: usize, most: u64) -> Result<usize> {
        const FIRST: usize = 4 << 10;
        if self.buffered().len() >= needed {
            return Ok(self.buffered().len());
        }
        self.buffer.copy_within(self.used..self.end, 0);
        (self.used, self.end) = (0, checked::sub(self.end, self.used));
        let most = usize::try_from(most).unwrap_or(usize::MAX);
        let wanted = needed.max(self.read_ahead.min(most));
        self.read_ahead = self.read_ahead.saturating_mul(4).clamp(FIRST, BLOCK);
        while self.end < needed {
            // One element may be larger than a block: memory grows as its bytes arrive.
            let capacity = wanted.min(self.end.saturating_mul(2).max(BLOCK));
            if self.buffer.len() < capacity {
                self.buffer.resize(capacity, 0);
            }
            let free = checked::slice_mut(&mut self.buffer, self.end..capacity);
            let read = read_some(&mut self.inner, free)?;
            if read == 0 {
                break;
            }
            self.end = checked::add(self.end, read);
            self.have_read(read);
        }
        Ok(self.end)
    }

    /// Returns true if several threads may read this many bytes, and are faster.
    pub(super) fn is_worth_threads(&self, bytes: usize) -> bool {
        self.threads > 1 && bytes >= PARALLEL_MIN_BYTES && self.shared().is_some()
    }

    /// Returns what may follow an array whose length is unknown.
    pub(super) fn end_of_array(&self) -> EndOfArray {
        self.end_of_array
    }

    /// Returns how many of the next `bytes` bytes exist, if that is known.
    pub(super) fn available(&self, bytes: u64) -> Option<u64> {
        let ahead = limits::to_u64(self.buffered().len());
        if ahead >= bytes {
            return Some(bytes);
        }
        // Nothing is left after a seek past the end.
        let left = |length: u64| length.saturating_sub(self.offset()).min(bytes);
        match self.length.map(left)? {
            found if found < bytes => self.length().map(left),
            found => Some(found),
        }
    }
}

impl<R> Source<R> {
    /// Returns the offset of the next byte from the start of the data. This is the position of a reader: no other number says where it is.
    #[inline]
    pub(super) fn offset(&self) -> u64 {
        self.end_at.wrapping_sub(limits::to_u64(self.end.wrapping_sub(self.used)))
    }

    /// Returns the number of bytes from the start of the data to the end of the source, if it is known before they are read. A file is asked each
    /// time, as it may grow.
    pub(super) fn length(&self) -> Option<u64> {
        match &self.inner {
            Input::File(file) => file.length_from(self.end_at),
            Input::Stream(_) => self.length,
        }
    }

    /// Returns the number of bytes of the data that were found, once the source has ended.
    pub(super) fn found(&self) -> u64 {
        // After a seek past the end, there are fewer bytes than the position says.
        self.end_at.min(self.length().unwrap_or(self.seen))
    }

    /// Returns the file at the start of the data, to read it at any offset or in other threads, and the number of threads that may do so.
    pub(super) fn shared(&self) -> Option<(FileAt<&File>, usize)> {
        match &self.inner {
            Input::File(file) => Some((file.before(self.end_at)?, self.threads)),
            Input::Stream(_) => None,
        }
    }

    /// Consumes bytes that are buffered; returns their offset in [`buffer_bytes`](Self::buffer_bytes).
    #[inline]
    pub(super) fn consume(&mut self, bytes: usize) -> usize {
        debug_assert!(bytes <= self.buffered().len());
        let start = self.used;
        self.used = start.wrapping_add(bytes);
        start
    }

    /// Consumes and returns what is buffered, at most this many bytes.
    fn take_buffered(&mut self, most: usize) -> &[u8] {
        let bytes = self.buffered().len().min(most);
        let start = self.consume(bytes);
        checked::slice(&self.buffer, start..self.used)
    }

    /// Returns the complete buffer, including the bytes that were consumed.
    #[inline]
    pub(super) fn buffer_bytes(&self) -> &[u8] {
        &self.buffer
    }

    /// Counts bytes that were read from `inner`.
    fn have_read(&mut self, bytes: usize) {
        self.end_at = self.end_at.saturating_add(limits::to_u64(bytes));
        // After a seek past the end, nothing is read.
        if bytes > 0 {
            self.seen = self.seen.max(self.end_at);
        }
    }

    /// Moves a [shared](Self::shared) file to this offset from the start of the data. A stream is not moved: it can only be read or sought.
    pub(super) fn move_shared(&mut self, offset: u64) {
        debug_assert!(matches!(self.inner, Input::File(_)), "only a file is moved");
        if let Input::File(file) = &mut self.inner {
            file.move_by(self.end_at, offset);
            self.forget(offset);
        }
    }

    /// Empties the buffer, after `inner` was moved to this offset.
    fn forget(&mut self, offset: u64) {
        (self.used, self.end, self.end_at) = (0, 0, offset);
    }

    /// Marks the next byte as the start of the data.
    pub(super) fn start_data(&mut self) {
        let before = self.offset();
        self.read_ahead = 0;
        self.length = self.length.map(|length| length.saturating_sub(before));
        self.end_at = limits::to_u64(self.buffered().len());
        self.seen = self.end_at;
    }
}

impl<R: Read + Seek> Source<R> {
    /// Seeks to this offset from the start of the data.
    pub(super) fn seek_to_data(&mut self, offset: u64) -> Result<()> {
        self.read_ahead = 0;
        // The bytes of a file are read again, as it may have changed. A stream is not moved to bytes that were read ahead: it is after them, and a
        // compressed member would be inflated again to go back.
        let ahead = usize::try_from(offset.wrapping_sub(self.offset())).unwrap_or(usize::MAX);
        if matches!(self.inner, Input::Stream(_)) && ahead <= self.buffered().len() {
            self.consume(ahead);
            return Ok(());
        }
        let (from, to) = (i128::from(self.end_at), i128::from(offset));
        let by = i64::try_from(to.saturating_sub(from)).map_err(|_| ErrorKind::InvalidInput)?;
        if offset > self.seen {
            self.seen = self.inner.length(self.end_at)?.unwrap_or(u64::MAX);
        }
        self.inner.seek_by(by)?;
        self.forget(offset);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stream_is_taken_to_the_byte() {
        let mut bytes: &[u8] = b"abcdef";
        let mut out = Vec::new();
        let mut source = Source::stream(&mut bytes);
        assert_eq!(source.available(2), None);
        assert_eq!(source.append(&mut out, 2).unwrap(), 2);
        assert_eq!(source.append(&mut out, 0).unwrap(), 0);
        assert_eq!((out.as_slice(), bytes), (&b"ab"[..], &b"cdef"[..]));
    }

    /// Returns up to three bytes at a time, and is interrupted in between.
    struct Bits<'b>(&'b [u8], bool);

    impl Read for Bits<'_> {
        fn read(&mut self, out: &mut [u8]) -> Result<usize> {
            self.1 = !self.1;
            if self.1 {
                return Err(ErrorKind::Interrupted.into());
            }
            let most = out.len().min(3);
            self.0.read(&mut out[..most])
        }
    }

    #[test]
    fn a_block_is_filled_from_what_was_read_ahead_and_then_from_the_reader() {
        let mut source = Source::stream(Bits(b"abcdefgh", false));
        assert_eq!(source.buffer(2, 2).unwrap(), 2);
        assert_eq!(source.buffered(), b"ab");
        let mut block = b"before".to_vec();
        assert_eq!(source.fill(&mut block, 1, 1).unwrap(), 1);
        assert_eq!(block, b"a");
        assert_eq!(source.fill(&mut block, 6, 6).unwrap(), 6);
        assert_eq!(block, b"bcdefg");
        assert_eq!(source.fill(&mut block, 6, 6).unwrap(), 1);
        assert_eq!(block, b"h");
        assert_eq!(source.end_at, 8);
    }

    #[test]
    fn a_claim_takes_no_memory() {
        let mut out = Vec::new();
        let found = Source::stream(&b"abc"[..]).append(&mut out, usize::MAX).unwrap();
        assert_eq!(found, 3);
        assert!(out.capacity() < 1 << 16);
    }
}
