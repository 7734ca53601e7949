//! The bytes of a member.

use std::fmt;
use std::io::{self, Read, Seek, SeekFrom};

use npy_zip::Handle;

use crate::error::{Error, Result};

/// The bytes of a member, inflated as they are read. [`Reader::member`](super::Reader::member) returns it.
///
/// The read that reaches the end of the member checks its checksum. If it is wrong, this read fails instead of returning bytes.
///
/// # Seeking
///
/// A member that is not compressed can seek. After a seek the checksum is not checked, except after a seek to the start.
///
/// A deflated member with a seek index can seek, too; this crate writes one by default ([`WriteOptions::seek_every`](super::WriteOptions::seek_every)).
/// The next read inflates a chunk of at most 4 MiB, and checks it before it returns a byte. If this crate wrote the index, each chunk has a
/// checksum; otherwise only the structure of the chunk is checked. An index that is wrong is as none. A file that was forged can
/// show other values by its index than from its start.
///
/// Any other compressed member, such as one of `np.savez_compressed`, is inflated up to the new position by the next read: from the old one or, if
/// the new one is before it, from its start. If it is not deflated, it can only seek forward.
/// [`Reader::is_seekable`](super::Reader::is_seekable) returns true if nothing before the new position, or before its chunk, is read.
pub struct Member<R>(npy_zip::Member<Handle<R>>);

impl<R> Member<R> {
    pub(super) fn new(member: npy_zip::Member<Handle<R>>) -> Self {
        Member(member)
    }

    /// Returns the number of bytes that the directory states.
    pub(super) fn size(&self) -> u64 {
        self.0.size()
    }

    /// Returns the number of bytes that were read.
    pub(super) fn position(&self) -> u64 {
        self.0.position()
    }
}

impl<R: Read + Seek> Member<R> {
    /// Returns false if the seek index is wrong.
    pub(super) fn check_index(&mut self) -> Result<bool> {
        Ok(self.0.check_index()?)
    }
}

impl<R: Read + Seek> Read for Member<R> {
    #[inline]
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        self.0.read(out).map_err(ours)
    }
}

impl<R: Read + Seek> Seek for Member<R> {
    /// Moves within a member; see [above](Member#seeking). [`Unsupported`](io::ErrorKind::Unsupported) if it cannot go back.
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.0.seek(to).map_err(ours)
    }
}

/// Converts an error of the container that passes through [`Read`] to one of this crate.
#[cold]
fn ours(error: io::Error) -> io::Error {
    if error.get_ref().is_some_and(|inner| inner.is::<npy_zip::Error>()) {
        return Error::from(error).into();
    }
    error
}

impl<R> fmt::Debug for Member<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("npz::Member")
            .field("size", &self.size())
            .field("left", &self.size().saturating_sub(self.position()))
            .finish_non_exhaustive()
    }
}
