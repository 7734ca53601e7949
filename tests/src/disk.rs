//! A disk that fails on request.

use std::cell::RefCell;
use std::io::{self, Seek, SeekFrom, Write};
use std::rc::Rc;

/// A file on a disk that gets full, or stops responding. Its contents outlive the writer.
#[derive(Clone, Debug)]
pub struct Disk {
    bytes: Rc<RefCell<Vec<u8>>>,
    at: usize,
    room: usize,
    calls: usize,
    failure: Failure,
}

/// The effect of the first call that is one too many. Later ones have the same effect, except after `PanicOnce`.
#[derive(Clone, Copy, Debug)]
enum Failure {
    Error,
    PanicOnce,
    Panic,
}

impl Disk {
    /// Makes a disk that never fails.
    pub fn sound() -> Self {
        Disk {
            bytes: Rc::default(),
            at: 0,
            room: usize::MAX,
            calls: usize::MAX,
            failure: Failure::Error,
        }
    }

    /// Makes a disk with a capacity of `room` bytes. A write that does not fit is written in part; existing bytes can
    /// be overwritten.
    pub fn with_room(room: usize) -> Self {
        Disk { room, ..Disk::sound() }
    }

    /// Makes a disk that succeeds for this many calls, and fails from then on.
    pub fn with_calls(calls: usize) -> Self {
        Disk { calls, ..Disk::sound() }
    }

    /// Makes a disk that succeeds for this many calls, and then panics: once, or in every call.
    pub fn with_panic(calls: usize, forever: bool) -> Self {
        let failure = if forever { Failure::Panic } else { Failure::PanicOnce };
        Disk { calls, failure, ..Disk::sound() }
    }

    /// Returns the contents.
    pub fn bytes(&self) -> Vec<u8> {
        self.bytes.borrow().clone()
    }

    fn call(&mut self) -> io::Result<()> {
        if let Some(left) = self.calls.checked_sub(1) {
            self.calls = left;
            return Ok(());
        }
        match self.failure {
            Failure::Error => return Err(io::Error::other("disk on fire")),
            Failure::PanicOnce => self.calls = usize::MAX,
            Failure::Panic => {}
        }
        panic!("a writer that panics");
    }
}

impl Write for Disk {
    fn write(&mut self, new: &[u8]) -> io::Result<usize> {
        self.call()?;
        let n = new.len().min(self.room.saturating_sub(self.at));
        if n == 0 && !new.is_empty() {
            return Err(io::Error::new(io::ErrorKind::StorageFull, "disk full"));
        }
        let mut bytes = self.bytes.borrow_mut();
        let (at, end) = (self.at, self.at + n);
        let length = bytes.len().max(end);
        bytes.resize(length, 0);
        bytes[at..end].copy_from_slice(&new[..n]);
        self.at = end;
        Ok(n)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.call()
    }
}

impl Seek for Disk {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.call()?;
        let at = match to {
            SeekFrom::Start(at) => Some(at),
            SeekFrom::Current(by) => (self.at as u64).checked_add_signed(by),
            SeekFrom::End(by) => (self.bytes.borrow().len() as u64).checked_add_signed(by),
        };
        let at = at.and_then(|at| usize::try_from(at).ok());
        self.at = at.ok_or(io::ErrorKind::InvalidInput)?;
        Ok(self.at as u64)
    }
}

#[cfg(test)]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind};

    use super::*;

    #[test]
    fn a_full_disk_takes_what_fits_and_lets_it_be_written_over() {
        let mut disk = Disk::with_room(3);
        assert_eq!(disk.write(b"abcd").unwrap(), 3);
        assert!(disk.write(b"d").is_err());
        disk.seek(SeekFrom::Start(1)).unwrap();
        disk.write_all(b"xy").unwrap();
        assert_eq!(disk.bytes(), b"axy");
    }

    #[test]
    fn a_disk_panics_once_or_in_every_call() {
        for forever in [false, true] {
            let mut disk = Disk::with_panic(1, forever);
            disk.write_all(b"a").unwrap();
            let mut panics = || catch_unwind(AssertUnwindSafe(|| disk.write_all(b"b"))).is_err();
            assert_eq!([panics(), panics()], [true, forever]);
            assert_eq!(disk.bytes(), if forever { &b"a"[..] } else { b"ab" });
        }
    }

    #[test]
    fn calls_are_counted() {
        let mut disk = Disk::with_calls(2);
        disk.flush().unwrap();
        disk.write_all(b"a").unwrap();
        assert!(disk.write(b"b").is_err() && disk.flush().is_err() && disk.rewind().is_err());
        assert_eq!(disk.bytes(), b"a");
    }
}
