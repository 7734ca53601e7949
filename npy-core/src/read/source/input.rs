//! What is read from: a stream, or a file of which each read says where.

use std::fs::File;
use std::io::{ErrorKind, Read, Result, Seek, SeekFrom};

/// A reader. A regular file that was opened here has a place of its own: to go elsewhere in it takes no call of the system.
#[derive(Debug)]
pub(super) struct Input<R> {
    inner: R,
    at: Option<At<R>>,
}

/// Where the next read is, and what reads there.
#[derive(Debug)]
struct At<R> {
    place: u64,
    read: fn(&R, &mut [u8], u64) -> Result<usize>,
}

impl<R> Input<R> {
    pub(super) fn stream(inner: R) -> Self {
        Input { inner, at: None }
    }

    #[cfg(feature = "npz")]
    pub(super) fn inner(&self) -> &R {
        &self.inner
    }

    #[cfg(any(unix, windows))]
    pub(super) fn into_inner(self) -> R {
        self.inner
    }

    /// Goes over bytes that were read in another way.
    pub(super) fn step_over(&mut self, bytes: u64) {
        if let Some(at) = &mut self.at {
            at.place = at.place.saturating_add(bytes);
        }
    }
}

impl Input<File> {
    /// A regular file, from this place on.
    #[cfg(any(unix, windows))]
    pub(super) fn file(file: File, place: u64) -> Self {
        #[cfg(unix)]
        let read = |file: &File, room: &mut [u8], place| {
            std::os::unix::fs::FileExt::read_at(file, room, place)
        };
        #[cfg(windows)]
        let read = |file: &File, room: &mut [u8], place| {
            std::os::windows::fs::FileExt::seek_read(file, room, place)
        };
        Input { inner: file, at: Some(At { place, read }) }
    }

    /// The same file for another thread, from here on; `None` if both would move one place, as in a pipe.
    pub(super) fn second(&self) -> Option<Self> {
        let At { place, read } = *self.at.as_ref()?;
        Some(Input { inner: self.inner.try_clone().ok()?, at: Some(At { place, read }) })
    }
}

impl<R: Read> Read for Input<R> {
    #[inline]
    fn read(&mut self, room: &mut [u8]) -> Result<usize> {
        let Some(at) = &mut self.at else { return self.inner.read(room) };
        let read = (at.read)(&self.inner, room, at.place)?;
        // A place that a file has.
        at.place = at.place.saturating_add(crate::limits::to_u64(read));
        Ok(read)
    }
}

impl<R: Read + Seek> Input<R> {
    /// Goes so many bytes forward, or back.
    pub(super) fn go(&mut self, by: i64) -> Result<()> {
        let Some(at) = &mut self.at else {
            return self.inner.seek(SeekFrom::Current(by)).map(drop);
        };
        at.place = at.place.checked_add_signed(by).ok_or(ErrorKind::InvalidInput)?;
        Ok(())
    }
}
