//! The bytes of a member.

use std::fmt;
use std::io::{self, Read, Seek, SeekFrom, Take};

use super::checksum::Checksum;
use super::decode::Decoder;
use super::directory::{Entry, corrupt};
use super::source::Handle;
use crate::error::{Error, ErrorKind, Result};
use crate::limits::to_u64;

/// The bytes of a member, inflated as they are read. [`Reader::member`](super::Reader::member) returns it.
///
/// The read that reaches the end of the member checks its checksum. If it is wrong, this read fails instead of returning bytes.
///
/// A member that is not compressed can seek. After a seek the checksum is not checked, except after a seek to the start.
pub struct Member<R> {
    body: Body<Handle<R>>,
    size: u64,
    left: u64,
    sum: Checksum,
    expected: u32,
    /// True if the end need not be checked (again): it was, or the member was not read from its start because of a seek.
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
            sum: Checksum::new(),
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
        // `io::copy` retries an interrupted read. If the interruption were returned here, the bytes that this call has read would be lost.
        if let Body::Compressed(data) = &mut self.body
            && io::copy(&mut data.take(1), &mut io::sink()).map_err(damaged)? > 0
        {
            let size = self.size;
            return Err(corrupt(format!(
                "the member inflates to more than the {size} bytes that the directory states"
            )));
        }
        let found = self.sum.value();
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

impl<R: Read + Seek> Seek for Member<R> {
    /// Moves within a member that is not compressed; [`Unsupported`](io::ErrorKind::Unsupported) for any other.
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let position = self.position();
        let target = match to {
            SeekFrom::Start(target) => Some(target),
            SeekFrom::Current(by) => position.checked_add_signed(by),
            SeekFrom::End(by) => self.size.checked_add_signed(by),
        };
        let target = target.ok_or(io::ErrorKind::InvalidInput)?;
        if target == position {
            return Ok(position);
        }
        let Body::Stored(data) = &mut self.body else {
            let reason = "a compressed member cannot seek";
            return Err(io::Error::new(io::ErrorKind::Unsupported, reason));
        };
        let left = self.size.checked_sub(target).ok_or(io::ErrorKind::InvalidInput)?;
        let by = i64::try_from(i128::from(target).saturating_sub(i128::from(position)));
        data.get_mut().seek(SeekFrom::Current(by.map_err(|_| io::ErrorKind::InvalidInput)?))?;
        data.set_limit(left);
        self.left = left;
        self.sum = Checksum::new();
        self.ended = target > 0;
        Ok(target)
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

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use crate::error::ErrorKind;
    use crate::npz;

    /// Guards that rows are found after a seek, that damage before them does not matter then, and that it does if all is read.
    #[test]
    fn a_stored_member_can_seek() {
        let mut writer = npz::Writer::new(Cursor::new(Vec::new())).unwrap();
        writer.write("a", &[7u16; 5]).unwrap();
        writer.write("x", &(0..5000u16).collect::<Vec<_>>()).unwrap();
        let mut file = writer.finish().unwrap().into_inner();
        let row = file.windows(4).position(|bytes| bytes == [100, 0, 101, 0]).unwrap();
        file[row] ^= 1;
        let archive = npz::Reader::new(Cursor::new(file)).unwrap();
        let mut reader = archive.member("x").unwrap();
        for row in [4998, 17, 17, 4000, 0, 4999] {
            reader.seek_to(usize::from(row)).unwrap();
            let mut found = Vec::new();
            reader.read_chunk::<u16>(&mut found, 1).unwrap();
            assert_eq!(found, [row]);
        }
        let error = archive.member("x").unwrap().read_vec::<u16>().unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::Checksum { .. }), "{error}");
    }

    /// Guards that a compressed member refuses to seek, and can be read on.
    #[test]
    fn a_compressed_member_cannot_seek() {
        let options = npz::WriteOptions::new().deflate(1).clone();
        let mut writer = options.writer(Cursor::new(Vec::new())).unwrap();
        writer.write("x", &(0..50_000u16).collect::<Vec<_>>()).unwrap();
        let archive = npz::Reader::new(writer.finish().unwrap()).unwrap();
        let mut reader = archive.member("x").unwrap();
        let error = reader.seek_to(40_000).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::Io(_)), "{error}");
        assert_eq!(reader.read_vec::<u16>().unwrap().len(), 50_000);
    }
}
