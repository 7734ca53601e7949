//! The bytes of a member.

use std::fmt;
use std::io::{self, Read, Seek, Take};

use super::decode::Decoder;
use super::directory::{Entry, corrupt};
use super::source::Handle;
use crate::error::{Error, ErrorKind, Result};
use crate::limits::to_u64;

/// The bytes of a member, inflated as they are read. [`Reader::member`](super::Reader::member) returns it.
///
/// The read that reaches the end of the member checks its checksum. If it is wrong, this read fails instead of returning bytes.
pub struct Member<R> {
    body: Body<Handle<R>>,
    size: u64,
    left: u64,
    sum: crc32fast::Hasher,
    expected: u32,
    /// True once the end was checked.
    ended: bool,
}

/// The reader of the bytes in the archive.
enum Body<R> {
    Stored(Take<R>),
    Compressed(Box<Decoder<R>>),
}

impl<R: Read + Seek> Member<R> {
    /// Reads the member whose data is at the position of the reader.
    pub(super) fn new(reader: Handle<R>, entry: &Entry) -> Result<Self> {
        let data = reader.take(entry.compressed);
        let body = match entry.compression() {
            Some(method) => Body::Compressed(Box::new(Decoder::new(method, entry, data)?)),
            None => Body::Stored(data),
        };
        Ok(Member {
            body,
            size: entry.size,
            left: entry.size,
            sum: crc32fast::Hasher::new(),
            expected: entry.crc,
            ended: false,
        })
    }

    /// Returns the number of bytes that the directory states.
    pub(super) fn size(&self) -> u64 {
        self.size
    }

    /// Returns the number of bytes that were read.
    pub(super) fn position(&self) -> u64 {
        self.size.saturating_sub(self.left)
    }

    /// Checks size and checksum against the directory.
    fn end(&mut self) -> Result<()> {
        self.ended = true;
        // `io::copy` retries an interrupted read. Returning its error would lose the bytes that were read just before.
        if let Body::Compressed(data) = &mut self.body
            && io::copy(&mut data.take(1), &mut io::sink()).map_err(damaged)? > 0
        {
            let size = self.size;
            return Err(corrupt(format!(
                "the member inflates to more than the {size} bytes that the directory states"
            )));
        }
        let found = self.sum.clone().finalize();
        let expected = self.expected;
        if found == expected { Ok(()) } else { Err(ErrorKind::Checksum { expected, found }.into()) }
    }

    fn part(&mut self, out: &mut [u8]) -> Result<usize> {
        let count = match &mut self.body {
            Body::Stored(data) => data.read(out)?,
            Body::Compressed(data) => data.read(out).map_err(damaged)?,
        };
        if count == 0 {
            let (expected, found) = (self.size, self.position());
            return Err(ErrorKind::Truncated { what: "the member", expected, found }.into());
        }
        self.sum.update(out.get(..count).unwrap_or_default());
        self.left = self.left.saturating_sub(to_u64(count));
        Ok(count)
    }
}

/// Converts an error of the decoder, which may mean that the bytes cannot be decompressed.
fn damaged(error: io::Error) -> Error {
    match error.kind() {
        io::ErrorKind::InvalidInput | io::ErrorKind::InvalidData | io::ErrorKind::UnexpectedEof => {
            corrupt("the compressed bytes are damaged")
        }
        _ => error.into(),
    }
}

impl<R: Read + Seek> Read for Member<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let max = usize::try_from(self.left).unwrap_or(usize::MAX).min(out.len());
        let out = out.get_mut(..max).unwrap_or_default();
        let read = if out.is_empty() { Ok(0) } else { self.part(out) };
        let read = match read {
            Ok(count) if self.left == 0 && !self.ended => self.end().map(|()| count),
            read => read,
        };
        read.map_err(|error| match error.kind() {
            ErrorKind::Io(io) if io.kind() == io::ErrorKind::Interrupted => io.kind().into(),
            _ => error.into(),
        })
    }
}

impl<R> fmt::Debug for Member<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("npz::Member")
            .field("size", &self.size)
            .field("left", &self.left)
            .finish_non_exhaustive()
    }
}
