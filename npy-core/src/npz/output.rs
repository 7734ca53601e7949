//! Layer 7: where an archive is written: small writes gathered, and nothing more once one has failed.

use std::fs::File;
use std::io::{self, Seek, SeekFrom, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::error::{Error, Result};
use crate::limits::to_u64;
use crate::write::APPENDS;
use crate::write::failure::Failure;

/// What has become of a writer, for those who cannot reach it.
#[derive(Debug, Default)]
pub(super) struct Fate {
    failure: Mutex<Failure>,
    /// Whether it was given up: what is still written is dropped.
    dropped: AtomicBool,
    /// Whether nobody needs to hear of a failure again.
    finishing: AtomicBool,
    /// Whether what stands behind the next byte is to go.
    cut: AtomicBool,
}

impl Fate {
    /// An error if a write has failed.
    pub(super) fn check(&self) -> Result<()> {
        Ok(self.try_check()?)
    }

    pub(super) fn try_check(&self) -> io::Result<()> {
        self.failure().check("the archive must be written anew")
    }

    /// Nothing is written from here on.
    pub(super) fn fail(&self, error: &Error) {
        self.failure().set(error.to_string());
    }

    /// Poisoning is ignored: nothing panics while holding the lock.
    fn failure(&self) -> MutexGuard<'_, Failure> {
        self.failure.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Writes from here on are dropped in silence.
    pub(super) fn give_up(&self) {
        self.dropped.store(true, Ordering::Relaxed);
    }

    /// The first failure from here on is the last that is told of: `zip` tries again when dropped, and prints what comes of it.
    pub(super) fn finishing(&self) {
        self.finishing.store(true, Ordering::Relaxed);
    }

    /// What stands behind the next byte to be written is of no member, and goes.
    pub(super) fn cut(&self) {
        self.cut.store(true, Ordering::Relaxed);
    }

    fn is_dropped(&self) -> bool {
        let told = || self.finishing.load(Ordering::Relaxed) && self.try_check().is_err();
        self.dropped.load(Ordering::Relaxed) || told()
    }
}

/// A writer and what waits to be written to it.
///
/// What waits can be gone back to: the header of a small member is patched before it is written.
#[derive(Debug)]
pub(super) struct Output<W> {
    inner: W,
    seek: Option<fn(&mut W, SeekFrom) -> io::Result<u64>>,
    /// What shortens a file to where it stands.
    shorten: Option<fn(&mut W, u64) -> io::Result<()>>,
    fate: Arc<Fate>,
    waiting: Vec<u8>,
    /// The position that is 0 to whoever writes here: bytes may come before an archive.
    origin: u64,
    /// Where `inner` stands, which is where the waiting bytes go.
    base: u64,
    /// The next byte to write, counted from there.
    cursor: usize,
    /// The furthest place that was left.
    furthest: u64,
    /// Whether the next write shows if the writer writes at its position: the first one, and the one after each seek.
    unsure: bool,
}

/// Bytes that may wait; writes that are larger go through.
const ROOM: usize = 64 << 10;

impl<W: Write + Seek> Output<W> {
    /// A writer that can seek, from where it stands.
    pub(super) fn seeking(mut inner: W) -> io::Result<(Self, Arc<Fate>)> {
        let base = inner.stream_position()?;
        Ok(Output::new(inner, Some(W::seek), base))
    }
}

impl Output<File> {
    /// A file, from where it stands; positions count from `origin`.
    pub(super) fn file(file: File, origin: u64) -> io::Result<(Self, Arc<Fate>)> {
        let (output, fate) = Output::seeking(file)?;
        let shorten: fn(&mut File, u64) -> io::Result<()> = |file, length| file.set_len(length);
        Ok((Output { shorten: Some(shorten), origin, ..output }, fate))
    }
}

impl<W: Write> Output<W> {
    /// A writer that only goes on; it counts from zero.
    pub(super) fn streaming(inner: W) -> (Self, Arc<Fate>) {
        Output::new(inner, None, 0)
    }

    fn new(
        inner: W,
        seek: Option<fn(&mut W, SeekFrom) -> io::Result<u64>>,
        base: u64,
    ) -> (Self, Arc<Fate>) {
        let fate = Arc::<Fate>::default();
        let output = Output {
            inner,
            seek,
            shorten: None,
            fate: Arc::clone(&fate),
            waiting: Vec::new(),
            origin: 0,
            base,
            cursor: 0,
            furthest: 0,
            unsure: seek.is_some(),
        };
        (output, fate)
    }

    /// The writer, which has everything.
    pub(super) fn into_inner(mut self) -> io::Result<W> {
        self.flush()?;
        Ok(self.inner)
    }

    fn position(&self) -> u64 {
        self.base.saturating_add(to_u64(self.cursor))
    }

    /// Lets go what stands behind the next byte, if that was asked for.
    fn cut(&mut self) -> io::Result<()> {
        if !self.fate.cut.swap(false, Ordering::Relaxed) {
            return Ok(());
        }
        self.waiting.truncate(self.cursor);
        let Some(shorten) = self.shorten else { return Ok(()) };
        let end = self.base;
        self.attempt(|inner| shorten(inner, end))
    }

    /// Does something with the writer; if that fails, it was the last.
    fn attempt<A>(&mut self, act: impl FnOnce(&mut W) -> io::Result<A>) -> io::Result<A> {
        self.fate.try_check()?;
        self.fate.failure().begin();
        let result = act(&mut self.inner);
        let error = result.as_ref().err();
        // Who is interrupted has done nothing.
        self.fate.failure().end(error.filter(|error| error.kind() != io::ErrorKind::Interrupted));
        result
    }

    /// Writes what waits, and goes to where the next byte is to be.
    fn settle(&mut self) -> io::Result<()> {
        if self.waiting.is_empty() {
            return Ok(());
        }
        let position = self.position();
        let waiting = std::mem::take(&mut self.waiting);
        self.cursor = 0;
        // Also if it fails: so far it had come.
        self.base = self.base.saturating_add(to_u64(waiting.len()));
        self.attempt(|inner| inner.write_all(&waiting))?;
        self.waiting = waiting;
        self.waiting.clear();
        self.check_position()?;
        if self.base != position {
            self.go(SeekFrom::Start(position))?;
        }
        Ok(())
    }

    /// Goes there. Nothing waits.
    fn go(&mut self, to: SeekFrom) -> io::Result<u64> {
        let Some(seek) = self.seek else {
            let reason = "what was written to a stream cannot be changed";
            return Err(io::Error::new(io::ErrorKind::Unsupported, reason));
        };
        self.base = self.attempt(|inner| seek(inner, to))?;
        self.unsure = true;
        Ok(self.base)
    }

    /// Refuses a writer whose last write went elsewhere: a file that was opened for appending.
    fn check_position(&mut self) -> io::Result<()> {
        let (true, Some(seek)) = (std::mem::take(&mut self.unsure), self.seek) else {
            return Ok(());
        };
        let base = self.base;
        self.attempt(|inner| {
            // The position of a writer with a buffer is known once that is written.
            inner.flush()?;
            match seek(inner, SeekFrom::Current(0))? {
                position if position == base => Ok(()),
                _ => Err(io::Error::new(io::ErrorKind::Unsupported, APPENDS)),
            }
        })
    }
}

impl<W: Write> Write for Output<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.fate.is_dropped() {
            return Ok(bytes.len());
        }
        self.cut()?;
        if self.cursor.saturating_add(bytes.len()) > ROOM {
            self.settle()?;
        }
        if bytes.len() > ROOM {
            let written = self.attempt(|inner| inner.write(bytes))?;
            self.base = self.base.saturating_add(to_u64(written));
            self.check_position()?;
            return Ok(written);
        }
        // Over what waits there already, then behind it.
        let over = self.waiting.len().saturating_sub(self.cursor).min(bytes.len());
        let (old, new) = bytes.split_at_checked(over).unwrap_or((bytes, &[]));
        let end = self.cursor.saturating_add(over);
        if let Some(place) = self.waiting.get_mut(self.cursor..end) {
            place.copy_from_slice(old);
        }
        self.waiting.extend_from_slice(new);
        self.cursor = self.cursor.saturating_add(bytes.len());
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        if self.fate.is_dropped() {
            return Ok(());
        }
        self.cut()?;
        self.settle()?;
        self.attempt(W::flush)
    }
}

impl<W: Write> Seek for Output<W> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let to = match to {
            SeekFrom::Start(position) => SeekFrom::Start(position.saturating_add(self.origin)),
            relative => relative,
        };
        Ok(self.seek_in_inner(to)?.saturating_sub(self.origin))
    }
}

impl<W: Write> Output<W> {
    /// `seek`, with positions in the inner writer.
    fn seek_in_inner(&mut self, to: SeekFrom) -> io::Result<u64> {
        let here = self.position();
        let target = match to {
            SeekFrom::Start(target) => Some(target),
            SeekFrom::Current(by) => here.checked_add_signed(by),
            SeekFrom::End(_) => None,
        };
        self.furthest = self.furthest.max(here);
        if self.fate.is_dropped() {
            // `zip` counts on having come so far.
            return Ok(self.furthest);
        }
        self.cut()?;
        if target == Some(here) {
            return Ok(here);
        }
        let behind = target.and_then(|target| target.checked_sub(self.base));
        if let Some(behind) = behind.and_then(|behind| usize::try_from(behind).ok())
            && behind <= self.waiting.len()
            && self.seek.is_some()
        {
            self.cursor = behind;
            return Ok(self.position());
        }
        self.settle()?;
        self.go(target.map_or(to, SeekFrom::Start))
    }
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;

    #[test]
    fn what_is_gone_back_to_is_changed_where_it_stands() {
        // Sizes on both sides of what may wait, and of a patch that lies in what was written and what waits.
        for size in [10, ROOM - 1, ROOM, ROOM + 1, 3 * ROOM] {
            let (mut output, _) = Output::seeking(Cursor::new(Vec::new())).unwrap();
            output.write_all(&[1; 8]).unwrap();
            output.write_all(&vec![2; size]).unwrap();
            output.seek(SeekFrom::Start(4)).unwrap();
            output.write_all(&[3; 8]).unwrap();
            assert_eq!(output.stream_position().unwrap(), 12);
            let end = output.seek(SeekFrom::End(0)).unwrap();
            assert_eq!(end, 8 + size as u64);
            output.write_all(&[4; 2]).unwrap();
            let bytes = output.into_inner().unwrap().into_inner();
            assert_eq!(bytes[..12], [1, 1, 1, 1, 3, 3, 3, 3, 3, 3, 3, 3]);
            assert!(bytes[12..8 + size].iter().all(|&byte| byte == 2));
            assert_eq!(bytes[8 + size..], [4, 4]);
        }
    }

    #[test]
    fn what_is_given_up_writes_nothing_more() {
        let (mut output, fate) = Output::seeking(Cursor::new(Vec::new())).unwrap();
        output.write_all(b"waits").unwrap();
        fate.give_up();
        output.write_all(&[1; 2 * ROOM]).unwrap();
        output.flush().unwrap();
        assert!(output.inner.into_inner().is_empty());
    }
}
