//! Where bytes come from: a stream, or a file that is read ahead a little.

mod input;

use std::fs::{File, Metadata};
use std::io::{ErrorKind, Read, Result, Seek};

use crate::element::block::BLOCK;
use crate::limits;
pub(super) use input::FileAt;
#[cfg(feature = "npz")]
pub(crate) use input::read_at;
use input::{Input, read_full};

/// A reader, and what has been read ahead of it.
pub(super) struct Source<R> {
    inner: Input<R>,
    /// What was read ahead is at `used..end`.
    buffer: Vec<u8>,
    used: usize,
    end: usize,
    /// How many bytes to read ahead the next time.
    read_ahead: usize,
    /// Bytes that `inner` is known to have left.
    left: Option<i64>,
    /// Where `inner` is, counted from [`Source::start_data`].
    end_at: u64,
    /// How many threads may read the file.
    threads: usize,
}

/// Reading by several threads takes longer to begin than to read less.
const PARALLEL_MIN_BYTES: usize = 4 << 20;

impl<R> Source<R> {
    /// A stream. Only what is asked for is read from it.
    pub(super) fn stream(inner: R) -> Self {
        Source::of(inner, None)
    }

    /// A stream that is known to have this many bytes, if that is known.
    pub(super) fn of(inner: R, left: Option<u64>) -> Self {
        Source::from(Input::Stream(inner), left)
    }

    fn from(inner: Input<R>, left: Option<u64>) -> Self {
        Source {
            inner,
            buffer: Vec::new(),
            used: 0,
            end: 0,
            read_ahead: 0,
            left: left.map(|left| i64::try_from(left).unwrap_or(i64::MAX)),
            end_at: 0,
            threads: 1,
        }
    }

    /// The stream, unless it is a file that was opened here.
    #[cfg(feature = "npz")]
    pub(super) fn inner(&self) -> Option<&R> {
        match &self.inner {
            Input::Stream(stream) => Some(stream),
            Input::File(_) => None,
        }
    }

    /// What was read ahead.
    #[inline]
    pub(super) fn buffered(&self) -> &[u8] {
        self.buffer.get(self.used..self.end).unwrap_or_default()
    }
}

impl Source<File> {
    /// A file. Its first 4 KiB are read at once: for a small one that is all it takes.
    pub(super) fn file(mut file: File) -> Result<Self> {
        const AHEAD: usize = 4096;
        let mut buffer = vec![0; AHEAD];
        let read = loop {
            match file.read(&mut buffer) {
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                other => break other?,
            }
        };
        let whole = if read == AHEAD { Some(file.metadata()?) } else { None };
        // Only a regular file's length says what is in it. It need not have been opened at its start: `/dev/fd/3`.
        let whole = whole.filter(Metadata::is_file).map(|metadata| metadata.len());
        let position = whole.and_then(|_| file.stream_position().ok());
        let left = whole.zip(position).map(|(whole, position)| whole.saturating_sub(position));
        let input = match position {
            Some(position) => Input::File(FileAt::new(file, position)),
            None => Input::Stream(file),
        };
        Ok(Source { buffer, end: read, ..Source::from(input, left) })
    }

    /// Lets this many threads read the file, if it is regular: nobody stops a thread that waits for a pipe.
    pub(super) fn with_threads(self, threads: usize) -> Self {
        Source { threads, ..self }
    }
}

impl<R: Read> Source<R> {
    /// Appends `bytes` bytes to `out`, or fewer at the end; tells how many.
    ///
    /// Memory grows as bytes arrive, whatever `bytes` is.
    pub(super) fn append(&mut self, out: &mut Vec<u8>, bytes: usize) -> Result<usize> {
        let ahead = self.buffered();
        let ahead = ahead.get(..bytes).unwrap_or(ahead);
        out.extend_from_slice(ahead);
        let taken = ahead.len();
        self.used = self.used.saturating_add(taken);
        let missing = bytes.saturating_sub(taken);
        if missing == 0 {
            return Ok(taken);
        }
        if self.available(missing) == Some(missing) {
            out.try_reserve(missing).map_err(|_| ErrorKind::OutOfMemory)?;
        }
        let (read, result) = append_full(&mut self.inner, out, missing);
        // Also if it failed: these bytes are gone.
        self.have_read(read);
        result?;
        Ok(taken.saturating_add(read))
    }

    /// Makes `block` the next `bytes` bytes of `most` that follow, or fewer at the end; tells how many.
    ///
    /// Few bytes are read ahead with others, many with one read. A block of the same length as before is not cleared first.
    pub(super) fn fill(&mut self, block: &mut Vec<u8>, bytes: usize, most: usize) -> Result<usize> {
        const FEW: usize = BLOCK / 4;
        if bytes > BLOCK {
            // One item that is larger than a block: memory grows as its bytes arrive.
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

    /// Fills `out` with the next bytes, or a part of it at the end; tells how many.
    pub(super) fn fill_slice(&mut self, out: &mut [u8]) -> Result<usize> {
        let ahead = self.buffered();
        let (start, rest) = out.split_at_mut(ahead.len().min(out.len()));
        start.copy_from_slice(ahead.get(..start.len()).unwrap_or_default());
        self.used = self.used.saturating_add(start.len());
        let ahead = start.len();
        let (read, result) = read_full(&mut self.inner, rest);
        let found = ahead.saturating_add(read);
        self.have_read(read);
        result.map(|()| found)
    }

    /// Reads ahead until `needed` bytes are buffered, or the end comes; tells how many are, which may be more.
    ///
    /// No more than `most` are read ahead, so that the stream is left after its array. After a seek little is, as the next read may be elsewhere.
    pub(super) fn buffer(&mut self, needed: usize, most: usize) -> Result<usize> {
        const FIRST: usize = 4 << 10;
        if self.buffered().len() >= needed {
            return Ok(self.buffered().len());
        }
        self.buffer.copy_within(self.used..self.end, 0);
        (self.used, self.end) = (0, self.end.saturating_sub(self.used));
        let wanted = needed.max(self.read_ahead.min(most));
        self.read_ahead = self.read_ahead.saturating_mul(4).clamp(FIRST, BLOCK);
        while self.end < needed {
            // One item may be larger than a block: memory grows as its bytes arrive.
            let capacity = wanted.min(self.end.saturating_mul(2).max(BLOCK));
            if self.buffer.len() < capacity {
                self.buffer.resize(capacity, 0);
            }
            let free = self.buffer.get_mut(self.end..capacity).unwrap_or_default();
            let read = match self.inner.read(free) {
                Ok(0) => break,
                Ok(read) => read,
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                Err(error) => return Err(error),
            };
            self.end = self.end.saturating_add(read);
            self.have_read(read);
        }
        Ok(self.end)
    }

    /// Whether several threads may read this many bytes, and gain by it.
    pub(super) fn is_worth_threads(&self, bytes: usize) -> bool {
        self.threads > 1 && bytes >= PARALLEL_MIN_BYTES && self.shared().is_some()
    }

    /// How many of `bytes` bytes are there, if that is known.
    pub(super) fn available(&self, bytes: usize) -> Option<usize> {
        let ahead = self.buffered().len();
        if ahead >= bytes {
            return Some(bytes);
        }
        // It is negative after a seek past the end.
        let left = usize::try_from(self.left?.max(0)).unwrap_or(usize::MAX);
        Some(ahead.saturating_add(left).min(bytes))
    }
}

impl<R> Source<R> {
    /// The file at the next byte for other threads, and how many threads may read it, this one included.
    pub(super) fn shared(&self) -> Option<(FileAt<&File>, usize)> {
        match &self.inner {
            Input::File(file) => {
                Some((file.before(limits::to_u64(self.buffered().len()))?, self.threads))
            }
            Input::Stream(_) => None,
        }
    }

    /// Takes bytes that are buffered; tells where in [`buffer_bytes`](Self::buffer_bytes) they start.
    #[inline]
    pub(super) fn consume(&mut self, bytes: usize) -> usize {
        debug_assert!(bytes <= self.buffered().len());
        let start = self.used;
        self.used = start.wrapping_add(bytes);
        start
    }

    /// All of the buffer, with what was taken from it.
    #[inline]
    pub(super) fn buffer_bytes(&self) -> &[u8] {
        &self.buffer
    }

    /// Counts bytes that were read from `inner`.
    fn have_read(&mut self, bytes: usize) {
        self.left = self.left.map(|left| left.saturating_sub(signed(bytes)));
        self.end_at = self.end_at.saturating_add(limits::to_u64(bytes));
    }

    /// Passes over bytes that other threads have read.
    pub(super) fn skip(&mut self, bytes: usize) {
        let ahead = self.buffered().len().min(bytes);
        self.used = self.used.saturating_add(ahead);
        let read = bytes.saturating_sub(ahead);
        if let Input::File(file) = &mut self.inner {
            file.skip(limits::to_u64(read));
        }
        self.have_read(read);
    }

    /// Counts positions from here on.
    pub(super) fn start_data(&mut self) {
        self.end_at = limits::to_u64(self.buffered().len());
    }
}

impl<R: Read + Seek> Source<R> {
    /// Goes to this many bytes after the start of the data.
    pub(super) fn seek_to_data(&mut self, bytes: usize) -> Result<()> {
        let there = limits::to_u64(bytes);
        let (from, to) = (i128::from(self.end_at), i128::from(there));
        let by = i64::try_from(to.saturating_sub(from)).map_err(|_| ErrorKind::InvalidInput)?;
        self.inner.go(by)?;
        (self.used, self.end, self.read_ahead) = (0, 0, 0);
        self.left = self.left.map(|left| left.saturating_sub(by));
        self.end_at = there;
        Ok(())
    }
}

/// Appends up to `bytes` bytes; tells how many, also if it failed then. Memory is made for what comes next: little at first, then as
/// much as came.
fn append_full(inner: &mut impl Read, out: &mut Vec<u8>, bytes: usize) -> (usize, Result<()>) {
    const LITTLE: usize = 8 << 10;
    let mut found = 0usize;
    loop {
        let start = out.len();
        let free = out.capacity().saturating_sub(start).clamp(LITTLE, BLOCK);
        let wanted = free.min(bytes.saturating_sub(found));
        out.resize(start.saturating_add(wanted), 0);
        let (read, result) = read_full(inner, out.get_mut(start..).unwrap_or_default());
        out.truncate(start.saturating_add(read));
        found = found.saturating_add(read);
        if read < wanted || found >= bytes || result.is_err() {
            return (found, result);
        }
    }
}

/// A length that memory has.
fn signed(bytes: usize) -> i64 {
    i64::try_from(bytes).unwrap_or(i64::MAX)
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

    /// Gives up to three bytes at a time, and is interrupted in between.
    struct Bits<'b>(&'b [u8], bool);

    impl Read for Bits<'_> {
        fn read(&mut self, room: &mut [u8]) -> Result<usize> {
            self.1 = !self.1;
            if self.1 {
                return Err(ErrorKind::Interrupted.into());
            }
            let most = room.len().min(3);
            self.0.read(&mut room[..most])
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
