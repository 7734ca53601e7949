//! Where bytes come from: a stream, or a file that is read ahead a little.

mod ahead;
mod both;
mod input;

use std::fs::{File, Metadata};
use std::io::{ErrorKind, Read, Result, Seek};

use crate::element::block::BLOCK;
use crate::limits;
use ahead::Ahead;
use input::{Input, Placed};

/// A reader, and what has been read ahead of it.
pub(super) struct Source<R> {
    inner: Input<R>,
    /// What was read ahead stands from `used` to `end`.
    buffer: Vec<u8>,
    used: usize,
    end: usize,
    /// Bytes that `inner` surely still has, where that is known.
    left: Option<i64>,
    /// Bytes that were taken since [`Source::data_starts`].
    taken: u64,
    /// Whether a second thread may read the same file.
    two_threads: bool,
    running: Option<Ahead>,
}

impl<R> Source<R> {
    /// A stream, of which nothing is taken that is not asked for.
    pub(super) fn stream(inner: R) -> Self {
        Source::of(inner, None)
    }

    /// A stream that surely has so many bytes, if that is known.
    pub(super) fn of(inner: R, left: Option<u64>) -> Self {
        Source::from(Input::Stream(inner), left)
    }

    fn from(inner: Input<R>, left: Option<u64>) -> Self {
        Source {
            inner,
            buffer: Vec::new(),
            used: 0,
            end: 0,
            left: left.map(|left| i64::try_from(left).unwrap_or(i64::MAX)),
            taken: 0,
            two_threads: false,
            running: None,
        }
    }

    /// The stream, unless it is a file that was opened here. Of what it gave, nothing waits unless [`Source::look`] was called.
    #[cfg(feature = "npz")]
    pub(super) fn inner(&self) -> Option<&R> {
        match &self.inner {
            Input::Stream(stream) => Some(stream),
            Input::Placed(_) => None,
        }
    }

    /// What was read ahead.
    fn ahead(&self) -> &[u8] {
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
        let place = whole.and_then(|_| file.stream_position().ok());
        let left = whole.zip(place).map(|(whole, place)| whole.saturating_sub(place));
        let input = match place {
            Some(place) => Input::Placed(Placed::new(file, place)),
            None => Input::Stream(file),
        };
        Ok(Source { buffer, end: read, ..Source::from(input, left) })
    }

    /// Lets a second thread read the file ahead, if it is regular: nobody stops a thread that waits for a pipe.
    pub(super) fn with_second_thread(self) -> Self {
        Source { two_threads: true, ..self }
    }
}

impl<R: Read> Source<R> {
    /// Appends `bytes` bytes to `out`, or fewer at the end; tells how many.
    ///
    /// Memory grows as bytes arrive, whatever `bytes` is.
    pub(super) fn append(&mut self, out: &mut Vec<u8>, bytes: usize) -> Result<usize> {
        let ahead = self.ahead();
        let ahead = ahead.get(..bytes).unwrap_or(ahead);
        out.extend_from_slice(ahead);
        let taken = ahead.len();
        self.used = self.used.saturating_add(taken);
        self.taken = self.taken.saturating_add(limits::to_u64(taken));
        let missing = bytes.saturating_sub(taken);
        if missing == 0 {
            return Ok(taken);
        }
        if self.available(missing) == Some(missing) {
            out.try_reserve(missing).map_err(|_| ErrorKind::OutOfMemory)?;
        }
        let (read, result) = append_full(&mut self.inner, out, missing);
        // Also if it failed: these bytes are gone.
        self.left = self.left.map(|left| left.saturating_sub(signed(read)));
        self.taken = self.taken.saturating_add(limits::to_u64(read));
        result?;
        Ok(taken.saturating_add(read))
    }

    /// Makes `block` the next `bytes` bytes, or fewer at the end; tells how many.
    ///
    /// With one read where one is enough; a block of the same length as before is not cleared first.
    pub(super) fn fill(&mut self, block: &mut Vec<u8>, bytes: usize) -> Result<usize> {
        if bytes > BLOCK {
            // One item that is larger than a block: memory grows as its bytes arrive.
            block.clear();
            return self.append(block, bytes);
        }
        if let Some(result) = self.running.as_mut().and_then(|running| running.take(block)) {
            self.took(block.len());
            return result.map(|()| block.len());
        }
        block.resize(bytes, 0);
        let found = self.fill_slice(block);
        block.truncate(*found.as_ref().unwrap_or(&0));
        found
    }

    /// Fills `room` with the next bytes, or a part of it at the end; tells how many.
    pub(super) fn fill_slice(&mut self, room: &mut [u8]) -> Result<usize> {
        let ahead = self.ahead();
        let (start, rest) = room.split_at_mut(ahead.len().min(room.len()));
        start.copy_from_slice(ahead.get(..start.len()).unwrap_or_default());
        self.used = self.used.saturating_add(start.len());
        let ahead = start.len();
        let (read, result) = read_full(&mut self.inner, rest);
        let found = ahead.saturating_add(read);
        self.left = self.left.map(|left| left.saturating_sub(signed(read)));
        self.taken = self.taken.saturating_add(limits::to_u64(found));
        result.map(|()| found)
    }

    /// Fills `room` with the next bytes, `part` bytes at a time, with a second thread if there is one; tells how many there were.
    ///
    /// Each part is turned while it is in the cache, by the thread that has read it.
    pub(super) fn fill_parts(
        &mut self,
        room: &mut [u8],
        part: usize,
        turn: both::Turn<'_>,
        second: Option<Placed>,
    ) -> Result<usize> {
        let part = part.max(1);
        if let Some(file) = second {
            return both::fill(self, &file, room, part, turn);
        }
        let mut found = 0usize;
        for part in room.chunks_mut(part) {
            let read = self.fill_slice(part)?;
            turn(part);
            found = found.saturating_add(read);
            if read < part.len() {
                break;
            }
        }
        Ok(found)
    }

    /// Lets the second thread, if there is one, read what [`Source::fill`] will ask for: `bytes` bytes in blocks of this length.
    pub(super) fn read_ahead(&mut self, block: usize, bytes: usize) {
        let may = block <= BLOCK && self.ahead().is_empty() && self.running.is_none();
        if let Some(file) = may.then(|| self.second(bytes)).flatten() {
            self.running = Ahead::start(file, block, bytes);
        }
    }

    /// How many of so many bytes to ask [`Source::fill`] for at a time.
    pub(super) fn block(&self, bytes: usize) -> usize {
        if self.placed(bytes).is_some() { ahead::BLOCK } else { BLOCK }
    }

    /// The file for a second thread, at what comes next, if there may be one and so many bytes are worth it.
    pub(super) fn second(&self, bytes: usize) -> Option<Placed> {
        self.placed(bytes)?.again(limits::to_u64(self.ahead().len()))
    }

    /// The file, if a second thread may read it and so many bytes are worth it.
    fn placed(&self, bytes: usize) -> Option<&Placed> {
        /// Less is read before a thread has started.
        const WORTH_IT: usize = 4 << 20;
        match &self.inner {
            Input::Placed(file) if self.two_threads && bytes >= WORTH_IT => Some(file),
            _ => None,
        }
    }

    /// Goes over bytes that another thread has read.
    fn took(&mut self, bytes: usize) {
        let ahead = self.ahead().len().min(bytes);
        self.used = self.used.saturating_add(ahead);
        let read = bytes.saturating_sub(ahead);
        if let Input::Placed(file) = &mut self.inner {
            file.step_over(limits::to_u64(read));
        }
        self.left = self.left.map(|left| left.saturating_sub(signed(read)));
        self.taken = self.taken.saturating_add(limits::to_u64(bytes));
    }

    /// Ends what [`Source::read_ahead`] began.
    pub(super) fn stop(&mut self) {
        if let Some(running) = self.running.take() {
            running.stop();
        }
    }

    /// Shows the next `bytes` bytes, or fewer at the end, and takes none.
    pub(super) fn look(&mut self, bytes: usize) -> Result<&[u8]> {
        if self.ahead().len() < bytes {
            self.buffer.copy_within(self.used..self.end, 0);
            (self.used, self.end) = (0, self.end.saturating_sub(self.used));
        }
        while self.end < bytes {
            // One item may be larger than a block: memory grows as its bytes arrive.
            let room = bytes.min(self.end.saturating_mul(2).max(BLOCK));
            if self.buffer.len() < room {
                self.buffer.resize(room, 0);
            }
            let room = self.buffer.get_mut(self.end..room).unwrap_or_default();
            let wanted = room.len();
            let (read, result) = read_full(&mut self.inner, room);
            self.end = self.end.saturating_add(read);
            self.left = self.left.map(|left| left.saturating_sub(signed(read)));
            result?;
            if read < wanted {
                break;
            }
        }
        let ahead = self.ahead();
        Ok(ahead.get(..bytes).unwrap_or(ahead))
    }

    /// How many of `bytes` bytes are there, if that is known.
    pub(super) fn available(&self, bytes: usize) -> Option<usize> {
        let ahead = self.ahead().len();
        if ahead >= bytes {
            return Some(bytes);
        }
        // After going behind its end there is less than nothing.
        let left = usize::try_from(self.left?.max(0)).unwrap_or(usize::MAX);
        Some(ahead.saturating_add(left).min(bytes))
    }
}

impl<R> Source<R> {
    /// Takes bytes that [`Source::look`] has shown.
    pub(super) fn step(&mut self, bytes: usize) {
        self.used = self.used.saturating_add(bytes).min(self.end);
        self.taken = self.taken.saturating_add(limits::to_u64(bytes));
    }

    /// Counts what is taken from here on.
    pub(super) fn data_starts(&mut self) {
        self.taken = 0;
    }
}

impl<R: Read + Seek> Source<R> {
    /// Goes so many bytes behind the start of the data.
    pub(super) fn seek_to_data(&mut self, bytes: usize) -> Result<()> {
        // It still runs if decoding has panicked.
        self.stop();
        let ahead = limits::to_u64(self.ahead().len());
        let here = self.taken.saturating_add(ahead);
        let there = limits::to_u64(bytes);
        let (from, to) = (i128::from(here), i128::from(there));
        let by = i64::try_from(to.saturating_sub(from)).map_err(|_| ErrorKind::InvalidInput)?;
        self.inner.go(by)?;
        (self.used, self.end) = (0, 0);
        self.left = self.left.map(|left| left.saturating_sub(by));
        self.taken = there;
        Ok(())
    }
}

/// Reads until the room is full or the input ends; tells how many bytes, also if it failed then.
fn read_full(inner: &mut impl Read, mut room: &mut [u8]) -> (usize, Result<()>) {
    let whole = room.len();
    loop {
        let read = whole.saturating_sub(room.len());
        if room.is_empty() {
            return (read, Ok(()));
        }
        match inner.read(room) {
            Ok(0) => return (read, Ok(())),
            Ok(n) => room = room.get_mut(n..).unwrap_or_default(),
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return (read, Err(error)),
        }
    }
}

/// Appends up to `bytes` bytes; tells how many, also if it failed then. Memory is made for what comes next: little at first, then as
/// much as came.
fn append_full(inner: &mut impl Read, out: &mut Vec<u8>, bytes: usize) -> (usize, Result<()>) {
    const LITTLE: usize = 8 << 10;
    let mut found = 0usize;
    loop {
        let start = out.len();
        let room = out.capacity().saturating_sub(start).clamp(LITTLE, BLOCK);
        let room = room.min(bytes.saturating_sub(found));
        out.resize(start.saturating_add(room), 0);
        let (read, result) = read_full(inner, out.get_mut(start..).unwrap_or_default());
        out.truncate(start.saturating_add(read));
        found = found.saturating_add(read);
        if read < room || found >= bytes || result.is_err() {
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
        assert_eq!(source.look(2).unwrap(), b"ab");
        let mut block = b"before".to_vec();
        assert_eq!(source.fill(&mut block, 1).unwrap(), 1);
        assert_eq!(block, b"a");
        assert_eq!(source.fill(&mut block, 6).unwrap(), 6);
        assert_eq!(block, b"bcdefg");
        assert_eq!(source.fill(&mut block, 6).unwrap(), 1);
        assert_eq!(block, b"h");
        assert_eq!(source.taken, 8);
    }

    #[test]
    fn a_claim_takes_no_memory() {
        let mut out = Vec::new();
        let found = Source::stream(&b"abc"[..]).append(&mut out, usize::MAX).unwrap();
        assert_eq!(found, 3);
        assert!(out.capacity() < 1 << 16);
    }
}
