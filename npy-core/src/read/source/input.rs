//! What is read from: a stream, or a file of which each read says where.

use std::borrow::Borrow;
use std::fs::File;
use std::io::{ErrorKind, Read, Result, Seek, SeekFrom};

use crate::limits;

/// A reader. A regular file that was opened here has a place of its own: to go elsewhere in it takes no call of the system.
pub(super) enum Input<R> {
    Stream(R),
    Placed(Placed),
}

/// A file, and where it is read next.
pub(in crate::read) struct Placed<F = File> {
    file: F,
    place: u64,
}

impl Placed {
    /// A regular file that stands at this place.
    pub(super) fn new(file: File, place: u64) -> Self {
        Placed { file, place }
    }

    /// The same file, so many bytes before here, for another thread; `None` if the system has no second handle, or has one place for
    /// both.
    pub(super) fn again(&self, before: u64) -> Option<Self> {
        let apart = cfg!(any(unix, windows));
        let file = apart.then(|| self.file.try_clone().ok()).flatten()?;
        Some(Placed { file, place: self.place.saturating_sub(before) })
    }

    /// The same file, so many bytes further.
    pub(super) fn at(&self, bytes: u64) -> Placed<&File> {
        Placed { file: &self.file, place: self.place.saturating_add(bytes) }
    }

    /// Goes over bytes that were read elsewhere.
    pub(super) fn step_over(&mut self, bytes: u64) {
        self.place = self.place.saturating_add(bytes);
    }
}

#[cfg(unix)]
fn read_at(file: &File, room: &mut [u8], place: u64) -> Result<usize> {
    std::os::unix::fs::FileExt::read_at(file, room, place)
}

#[cfg(windows)]
fn read_at(file: &File, room: &mut [u8], place: u64) -> Result<usize> {
    std::os::windows::fs::FileExt::seek_read(file, room, place)
}

#[cfg(not(any(unix, windows)))]
fn read_at(mut file: &File, room: &mut [u8], place: u64) -> Result<usize> {
    file.seek(SeekFrom::Start(place))?;
    file.read(room)
}

impl<F: Borrow<File>> Read for Placed<F> {
    fn read(&mut self, room: &mut [u8]) -> Result<usize> {
        let read = read_at(self.file.borrow(), room, self.place)?;
        self.place = self.place.saturating_add(limits::to_u64(read));
        Ok(read)
    }
}

impl<R: Read> Read for Input<R> {
    #[inline]
    fn read(&mut self, room: &mut [u8]) -> Result<usize> {
        match self {
            Input::Stream(stream) => stream.read(room),
            Input::Placed(file) => file.read(room),
        }
    }
}

impl<R: Seek> Input<R> {
    /// Goes so many bytes forward, or back.
    pub(super) fn go(&mut self, by: i64) -> Result<()> {
        match self {
            Input::Stream(stream) => stream.seek(SeekFrom::Current(by)).map(drop),
            Input::Placed(Placed { place, .. }) => {
                *place = place.checked_add_signed(by).ok_or(ErrorKind::InvalidInput)?;
                Ok(())
            }
        }
    }
}
