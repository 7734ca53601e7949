//! The writer of an archive. It gathers small writes, and writes nothing more after a write has failed.

use std::fmt;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};

use super::Interrupt;
use crate::checked;
use crate::error::{Error, Result, to_u64};

/// The capacity for small writes; longer ones go directly to the writer.
const MAX_GATHERED: usize = 64 << 10;

/// The bytes that are copied before the next question whether to go on.
const COPIED_AT_ONCE: u64 = 4 << 20;

/// A writer, and the bytes that are not written to it yet.
pub(super) struct Output<W> {
    /// `None` once the archive is complete.
    inner: Option<W>,
    /// `None` for a stream.
    seek: Option<fn(&mut W, SeekFrom) -> io::Result<u64>>,
    set_len: Option<fn(&mut W, u64) -> io::Result<()>>,
    gathered: Vec<u8>,
    /// The position of the inner writer. The gathered bytes will be written there.
    base: u64,
    /// True once the writer was told to seek.
    has_sought: bool,
    /// True if the position is to be checked after the next write.
    check_next: bool,
    /// The text of the first error; empty if the writer panicked; `None` if it has not failed.
    failure: Option<String>,
    pub(super) interrupt: Option<Interrupt>,
}

impl<W: Write + Seek> Output<W> {
    /// Continues at the position of the writer.
    pub(super) fn seekable(mut inner: W) -> io::Result<Self> {
        let base = inner.stream_position()?;
        // No file is longer, so that later positions do not overflow.
        if i64::try_from(base).is_err() {
            return Err(io::ErrorKind::InvalidInput.into());
        }
        Ok(Output { seek: Some(W::seek), base, check_next: true, ..Output::stream(inner) })
    }
}

impl Output<File> {
    /// Continues at the position of the file, which can be truncated.
    pub(super) fn file(file: File) -> io::Result<Self> {
        let set_len: fn(&mut File, u64) -> io::Result<()> = |file, length| file.set_len(length);
        Ok(Output { set_len: Some(set_len), ..Output::seekable(file)? })
    }
}

impl<W: Write> Output<W> {
    /// Creates the output of a writer that cannot seek. Positions count from zero.
    pub(super) fn stream(inner: W) -> Self {
        Output {
            inner: Some(inner),
            seek: None,
            set_len: None,
            gathered: Vec::new(),
            base: 0,
            has_sought: false,
            check_next: false,
            failure: None,
            interrupt: None,
        }
    }

    pub(super) fn is_stream(&self) -> bool {
        self.seek.is_none()
    }

    /// Returns the position of the next byte.
    pub(super) fn position(&self) -> u64 {
        checked::add(self.base, to_u64(self.gathered.len()))
    }

    /// Returns an error if a call of the writer has failed.
    pub(super) fn check(&self) -> io::Result<()> {
        match &self.failure {
            None => Ok(()),
            Some(reason) => Err(stopped(reason)),
        }
    }

    /// Makes all later writes fail for this reason, unless there is an earlier one.
    pub(super) fn fail(&mut self, why: &dyn fmt::Display) {
        self.failure.get_or_insert_with(|| why.to_string());
    }

    /// As `check`, and asks the caller whether to go on.
    fn ask(&mut self) -> io::Result<()> {
        self.check()?;
        let answer = self.interrupt.map_or(Ok(()), |interrupt| interrupt());
        answer.inspect_err(|error| self.fail(error))
    }

    pub(super) fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.ask()?;
        if checked::add(self.gathered.len(), bytes.len()) > MAX_GATHERED {
            self.write_gathered()?;
        }
        if bytes.len() > MAX_GATHERED {
            return self.write_through(bytes);
        }
        self.gathered.extend_from_slice(bytes);
        Ok(())
    }

    /// Writes all bytes of a reader, and returns their number.
    pub(super) fn copy(&mut self, mut from: io::Take<impl Read>) -> io::Result<u64> {
        self.ask()?;
        let room = checked::sub(MAX_GATHERED, self.gathered.len());
        if from.limit() <= to_u64(room) {
            return from.read_to_end(&mut self.gathered).map(to_u64);
        }
        self.write_gathered()?;
        let start = self.base;
        loop {
            let mut block = (&mut from).take(COPIED_AT_ONCE);
            let copied = self.attempt(|inner| io::copy(&mut block, inner))?;
            self.base = checked::add(self.base, copied);
            if copied < COPIED_AT_ONCE {
                return Ok(checked::sub(self.base, start));
            }
            self.ask()?;
        }
    }

    /// Overwrites bytes that were written by one call.
    pub(super) fn rewrite(&mut self, position: u64, bytes: &[u8]) -> io::Result<()> {
        if let Some(old) = self.gathered_from(position).and_then(|old| old.get_mut(..bytes.len())) {
            old.copy_from_slice(bytes);
            return Ok(());
        }
        let end = self.position();
        self.write_gathered()?;
        self.go_to(position)?;
        self.write_through(bytes)?;
        self.go_to(end)
    }

    /// Goes back to this position, so that later bytes overwrite those after it. A file is truncated.
    pub(super) fn go_back(&mut self, position: u64) -> io::Result<()> {
        if let Some(dropped) = self.gathered_from(position).map(|bytes| bytes.len()) {
            self.gathered.truncate(checked::sub(self.gathered.len(), dropped));
            return Ok(());
        }
        self.gathered.clear();
        self.go_to(position)?;
        match self.set_len {
            Some(set_len) => self.attempt(|inner| set_len(inner, position)),
            None => Ok(()),
        }
    }

    /// Seeks so that a directory of this many bytes ends at or after the end of the existing data.
    pub(super) fn go_to_directory(&mut self, count: u64) -> io::Result<()> {
        let Some(seek) = self.seek else { return Ok(()) };
        self.write_gathered()?;
        let length = self.attempt(|inner| seek(inner, SeekFrom::End(0)))?;
        self.go_to(self.base.max(length.saturating_sub(count)))
    }

    /// Writes the gathered bytes, and returns the writer.
    pub(super) fn take_inner(&mut self) -> Result<W> {
        self.write_gathered()?;
        self.attempt(W::flush)?;
        self.inner.take().ok_or_else(|| finished().into())
    }

    /// Returns the gathered bytes from this position on; `None` if the position is not within them.
    fn gathered_from(&mut self, position: u64) -> Option<&mut [u8]> {
        let offset = usize::try_from(position.checked_sub(self.base)?).ok()?;
        self.gathered.get_mut(offset..)
    }

    fn write_gathered(&mut self) -> io::Result<()> {
        if self.gathered.is_empty() {
            return Ok(());
        }
        let mut gathered = std::mem::take(&mut self.gathered);
        self.write_through(&gathered)?;
        gathered.clear();
        self.gathered = gathered;
        Ok(())
    }

    fn write_through(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.attempt(|inner| inner.write_all(bytes))?;
        self.base = checked::add(self.base, to_u64(bytes.len()));
        match (self.seek, std::mem::take(&mut self.check_next)) {
            (Some(seek), true) => self.check_position(seek),
            _ => Ok(()),
        }
    }

    /// Refuses a file that was opened for appending: the last write went to its end instead. Refuses a device, too.
    fn check_position(&mut self, seek: fn(&mut W, SeekFrom) -> io::Result<u64>) -> io::Result<()> {
        let base = self.base;
        self.attempt(|inner| {
            // A buffered writer reports its position only after a flush.
            inner.flush()?;
            match seek(inner, SeekFrom::Current(0))? {
                found if found == base => Ok(()),
                found => Err(Error::Position { found, expected: base }.into()),
            }
        })
    }

    /// Seeks. The caller has written or dropped the gathered bytes.
    fn go_to(&mut self, position: u64) -> io::Result<()> {
        let Some(seek) = self.seek else {
            let reason = "what was written to a stream cannot be changed";
            return Err(io::Error::new(io::ErrorKind::Unsupported, reason));
        };
        self.attempt(|inner| seek(inner, SeekFrom::Start(position)))?;
        self.base = position;
        self.check_next |= !std::mem::replace(&mut self.has_sought, true);
        Ok(())
    }

    /// Calls the writer, unless an earlier call failed or panicked.
    fn attempt<A>(&mut self, call: impl FnOnce(&mut W) -> io::Result<A>) -> io::Result<A> {
        self.check()?;
        let inner = self.inner.as_mut().ok_or_else(finished)?;
        // If the call panics, this empty text stays.
        self.failure = Some(String::new());
        let result = call(inner);
        self.failure = result.as_ref().err().map(ToString::to_string);
        result
    }
}

#[cold]
fn stopped(reason: &str) -> io::Error {
    let reason = if reason.is_empty() { "it panicked" } else { reason };
    io::Error::other(format!(
        "an earlier write failed ({reason}), so nothing more is written; the archive must be written again"
    ))
}

#[cold]
fn finished() -> io::Error {
    io::Error::other("the archive is finished")
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::io::Cursor;

    use super::*;

    #[test]
    fn rewritten_bytes_replace_the_old_ones() {
        // Sizes below, at and above the capacity.
        for size in [
            10,
            MAX_GATHERED - 9,
            MAX_GATHERED - 8,
            MAX_GATHERED,
            MAX_GATHERED + 1,
            3 * MAX_GATHERED,
        ] {
            let mut output = Output::seekable(Cursor::new(Vec::new())).unwrap();
            output.write_all(&[0; 4]).unwrap();
            output.write_all(&[1; 8]).unwrap();
            output.write_all(&vec![2; size]).unwrap();
            output.rewrite(4, &[3; 8]).unwrap();
            assert_eq!(output.position(), 12 + size as u64);
            output.write_all(&[4; 2]).unwrap();
            let bytes = output.take_inner().unwrap().into_inner();
            assert_eq!(bytes[..12], [0, 0, 0, 0, 3, 3, 3, 3, 3, 3, 3, 3]);
            assert!(bytes[12..12 + size].iter().all(|&byte| byte == 2));
            assert_eq!(bytes[12 + size..], [4, 4]);
        }
    }

    #[test]
    fn a_copy_is_interrupted_between_blocks() {
        thread_local!(static ASKED: Cell<u32> = const { Cell::new(0) });
        let mut output = Output::seekable(Cursor::new(Vec::new())).unwrap();
        output.interrupt = Some(|| {
            ASKED.set(ASKED.get() + 1);
            if ASKED.get() > 3 { Err(io::Error::other("enough")) } else { Ok(()) }
        });
        let zeros = |blocks: u64| io::repeat(0).take(blocks * COPIED_AT_ONCE);
        assert_eq!(output.copy(zeros(1)).unwrap(), COPIED_AT_ONCE);
        assert_eq!(output.copy(zeros(4)).unwrap_err().to_string(), "enough");
        assert_eq!(output.position(), 2 * COPIED_AT_ONCE);
        assert!(output.write_all(&[1]).unwrap_err().to_string().contains("(enough)"));
    }

    #[test]
    fn a_stream_goes_back_only_within_the_gathered_bytes() {
        let mut output = Output::stream(Vec::new());
        output.write_all(&[1; 10]).unwrap();
        output.go_back(5).unwrap();
        output.write_all(&vec![2; 2 * MAX_GATHERED]).unwrap();
        assert!(output.go_back(6).is_err());
        assert_eq!(output.take_inner().unwrap()[..6], [1, 1, 1, 1, 1, 2]);
    }
}
