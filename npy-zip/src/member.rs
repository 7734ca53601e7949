//! The bytes of a member.

use std::fmt;
use std::io::{self, Read, Seek, SeekFrom, Take};

use crate::checked;
use crate::checksum::Checksum;
use crate::decode::Decoder;
use crate::directory::{Directory, Entry};
use crate::error::{Error, Result, corrupt, to_u64};
use crate::limits::Limits;

/// The bytes of a member, inflated as they are read; made by [`Directory::member`].
///
/// The read that reaches the end of the member checks its checksum. If it is wrong, this read fails instead of returning bytes.
///
/// A member that is not compressed can seek. After a seek the checksum is not checked, except after a seek to the start.
pub struct Member<R> {
    body: Body<R>,
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

impl Directory {
    /// Opens a member, to read it from its start.
    ///
    /// ```
    /// use std::io::{Cursor, Write};
    ///
    /// use npy_zip::{Compression, Directory, Limits, Writer};
    ///
    /// let mut writer = Writer::seekable(Cursor::new(Vec::new()), Compression::stored())?;
    /// writer.add("a", |member| {
    ///     member.begin(5)?;
    ///     member.write_all(b"hello")
    /// })?;
    /// let mut file = writer.finish()?;
    /// let directory = Directory::read(&mut file, &Limits::default())?;
    /// let member = directory.member(&directory.entries()[0], &mut file, &Limits::default())?;
    /// assert_eq!(std::io::read_to_string(member)?, "hello");
    /// # Ok::<(), npy_zip::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::Malformed`] if the member is not where the directory says, or overlaps another one; [`Error::Limit`] for its size after
    /// inflating; [`Error::Unsupported`] if it is encrypted, or compressed by a method whose feature is off or that is unknown;
    /// [`Error::Io`].
    pub fn member<R: Read + Seek>(
        &self,
        entry: &Entry,
        mut reader: R,
        limits: &Limits,
    ) -> Result<Member<R>> {
        let data = self.readable(entry, &mut reader, limits)?.start;
        reader.seek(SeekFrom::Start(data))?;
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
}

impl<R> Member<R> {
    /// Returns the number of bytes that the directory states.
    ///
    /// ```
    /// use std::io::{Cursor, Write};
    ///
    /// use npy_zip::{Compression, Directory, Limits, Writer};
    ///
    /// let mut writer = Writer::seekable(Cursor::new(Vec::new()), Compression::stored())?;
    /// writer.add("a", |member| {
    ///     member.begin(5)?;
    ///     member.write_all(b"hello")
    /// })?;
    /// let mut file = writer.finish()?;
    /// let directory = Directory::read(&mut file, &Limits::default())?;
    /// let member = directory.member(&directory.entries()[0], &mut file, &Limits::default())?;
    /// assert_eq!(member.size(), 5);
    /// # Ok::<(), npy_zip::Error>(())
    /// ```
    pub fn size(&self) -> u64 {
        self.size
    }

    /// Returns the number of bytes before the position.
    ///
    /// ```
    /// use std::io::{Cursor, Read, Write};
    ///
    /// use npy_zip::{Compression, Directory, Limits, Writer};
    ///
    /// let mut writer = Writer::seekable(Cursor::new(Vec::new()), Compression::stored())?;
    /// writer.add("a", |member| {
    ///     member.begin(5)?;
    ///     member.write_all(b"hello")
    /// })?;
    /// let mut file = writer.finish()?;
    /// let directory = Directory::read(&mut file, &Limits::default())?;
    /// let mut member = directory.member(&directory.entries()[0], &mut file, &Limits::default())?;
    /// member.read_exact(&mut [0; 2])?;
    /// assert_eq!(member.position(), 2);
    /// # Ok::<(), npy_zip::Error>(())
    /// ```
    pub fn position(&self) -> u64 {
        // A seek past the end is refused, so no more than all bytes are left.
        checked::sub(self.size, self.left)
    }
}

impl<R: Read + Seek> Member<R> {
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
        if found == expected { Ok(()) } else { Err(Error::Checksum { expected, found }) }
    }

    fn part(&mut self, out: &mut [u8]) -> Result<usize> {
        let count = match &mut self.body {
            Body::Stored(data) => data.read(out)?,
            Body::Compressed(data) => data.read(out).map_err(damaged)?,
        };
        if count == 0 {
            let (expected, found) = (self.size, self.position());
            return Err(Error::Truncated { expected, found });
        }
        self.sum.update(out.get(..count).unwrap_or_default());
        // A reader may lie about the number of bytes.
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
        read.map_err(io::Error::from)
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
        f.debug_struct("Member")
            .field("size", &self.size)
            .field("left", &self.left)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Cursor, Write};

    use super::*;
    use crate::writer::{Compression, Writer};

    /// Returns an archive of two members of 10,000 bytes each.
    fn archive(compression: Compression) -> Vec<u8> {
        let mut writer = Writer::seekable(Cursor::new(Vec::new()), compression).unwrap();
        for name in ["a", "x"] {
            let add = |member: &mut crate::MemberWriter<'_, _>| {
                member.begin(10_000)?;
                member.write_all(&bytes())
            };
            writer.add(name, add).unwrap();
        }
        writer.finish().unwrap().into_inner()
    }

    fn bytes() -> Vec<u8> {
        (0..5000u16).flat_map(u16::to_le_bytes).collect()
    }

    fn open(file: &[u8]) -> Member<Cursor<&[u8]>> {
        let limits = Limits::default();
        let directory = Directory::read(Cursor::new(file), &limits).unwrap();
        directory.member(directory.find("x").unwrap(), Cursor::new(file), &limits).unwrap()
    }

    /// Guards that bytes are found after a seek, that damage before them does not matter then, and that it does if all are read.
    #[test]
    fn a_stored_member_can_seek() {
        let mut file = archive(Compression::stored());
        let damaged = file.windows(4).rposition(|bytes| bytes == [100, 0, 101, 0]).unwrap();
        file[damaged] ^= 1;
        let mut member = open(&file);
        for row in [4998, 17, 17, 4000, 0, 4999u16] {
            let to = u64::from(row) * 2;
            assert_eq!(member.seek(SeekFrom::Start(to)).unwrap(), to);
            let mut found = [0; 2];
            member.read_exact(&mut found).unwrap();
            assert_eq!(u16::from_le_bytes(found), row);
        }
        for beyond in [SeekFrom::End(1), SeekFrom::End(-10_001)] {
            assert!(member.seek(beyond).is_err(), "{beyond:?}");
        }
        let error = Error::from(open(&file).read_to_end(&mut Vec::new()).unwrap_err());
        assert!(matches!(error, Error::Checksum { .. }), "{error}");
    }

    /// Guards that a compressed member refuses to seek, and can be read on.
    #[test]
    fn a_compressed_member_cannot_seek() {
        let file = archive(Compression::deflate(1, 1));
        let mut member = open(&file);
        let error = member.seek(SeekFrom::Start(40)).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::Unsupported);
        let mut found = Vec::new();
        member.read_to_end(&mut found).unwrap();
        assert_eq!((found, member.position()), (bytes(), 10_000));
    }
}
