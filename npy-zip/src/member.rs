//! The bytes of a member.

use std::fmt;
use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom, Take};
use std::mem;
use std::ops::Range;
use std::sync::Arc;

use crate::ahead::Ahead;
use crate::checked;
use crate::checksum::Checksum;
use crate::chunks::Chunk;
use crate::decode::Decoder;
use crate::directory::{Directory, Entry};
use crate::error::{Error, Result, corrupt, to_u64};
use crate::index::{Found, Gap, Index};
use crate::inflate::Inflater;
use crate::limits::Limits;
use crate::room;
use crate::source::{Handle, Source};
use crate::writer::Interrupt;

/// The bytes of a member, inflated as they are read; made by [`Directory::member`].
///
/// The read that reaches the end of the member checks its checksum. If it is wrong, this read fails instead of returning bytes.
///
/// # Seeking
///
/// A member that is not compressed can seek. After a seek the checksum is not checked, except after a seek to the start.
///
/// A deflated member with a seek index can seek, too ([`Compression::seek_every`](crate::Compression::seek_every)). The next read inflates
/// a chunk of at most 4 MiB, and checks it before it returns a byte. If this package wrote the index, each chunk has a checksum; otherwise
/// only the structure of the chunk is checked. An index that is wrong is as none: if a chunk is not what it says, the member is inflated from
/// its start, and read if its own checksum is right. Without an index, or if it is damaged, too, the bytes after a seek are not checked
/// unless they are read up to the end.
///
/// Any other compressed member is inflated up to the new position: from the old one or, if the new one is before it, from its start. If it is
/// not deflated, it can only seek forward. [`Directory::is_seekable`] returns true if nothing before the new position, or before its
/// chunk, is read.
pub struct Member<R> {
    body: Body<R>,
    size: u64,
    left: u64,
    /// The checksum of the bytes that were read one after another from the start.
    sum: Checksum,
    expected: u32,
    /// True if the end need not be checked (again): it was, or the member was not read from its start because of a seek.
    ended: bool,
    interrupt: Option<Interrupt>,
}

/// The reader of the bytes in the archive.
enum Body<R> {
    Stored(Take<R>),
    Compressed(Box<Compressed<R>>),
}

/// A compressed member. A seek moves the member and not the decoder, which follows at the next read.
struct Compressed<R> {
    decoder: Decoder<R>,
    /// The position of the decoder in the member; `None` if it must start over.
    decoded: Option<u64>,
    /// The compressed bytes in the archive.
    data: Range<u64>,
    /// Set by a seek, and for threads; until then, the decoder is where the member is.
    read_elsewhere: Option<ReadElsewhere<R>>,
    /// The bytes after it, in which its index may be.
    gap: Option<Box<Gap>>,
    index: Lookup,
    /// True if a chunk was not what the index says, and then the member not what its checksum says.
    is_damaged: bool,
    /// The threads that inflate it, until one fails.
    ahead: Option<Box<Ahead>>,
    /// The chunk that was inflated last: its position in the member, and its bytes.
    chunk: (u64, Vec<u8>),
}

/// Reads where the decoder is not: returns the number of bytes, or moves the decoder there and returns `None`.
///
/// It is a function pointer so that the linker drops unused code: only a seek names [`Member::read_by_index`], so a program that never seeks has
/// none of the code for indexes, and only the call with threads names [`Member::read_by_threads`].
type ReadElsewhere<R> = fn(&mut Member<R>, &mut [u8]) -> Result<Option<usize>>;

/// The seek index of a member.
enum Lookup {
    /// There may be one, which is looked for after the first seek.
    Possible,
    Found(Box<Index>),
    /// There is none, or it is wrong.
    None,
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
        let data = self.readable(entry, &mut reader, limits)?;
        reader.seek(SeekFrom::Start(data.start))?;
        let bytes = reader.take(entry.compressed);
        let body = match entry.compression() {
            Some(method) => Body::Compressed(Box::new(Compressed {
                decoder: Decoder::new(method, entry, bytes)?,
                decoded: Some(0),
                read_elsewhere: None,
                gap: self.gap(entry, &data).map(Box::new),
                index: Lookup::Possible,
                is_damaged: false,
                data,
                ahead: None,
                chunk: (0, Vec::new()),
            })),
            None => Body::Stored(bytes),
        };
        Ok(Member {
            body,
            size: entry.size,
            left: entry.size,
            sum: Checksum::new(),
            expected: entry.crc,
            ended: false,
            interrupt: None,
        })
    }

    /// Opens a member of a file, to read it from its start with several threads. This is as [`member`](Self::member), but faster, if the member
    /// is deflated and has a seek index ([`Compression::seek_every`](crate::Compression::seek_every)) and at least 2 MiB.
    ///
    /// Up to 8 MiB for each thread are inflated ahead of what is read. The checksum is compared before the last chunk is returned. If a chunk is not as the
    /// index says, the member is read as if there was no index. After a seek, one thread reads.
    ///
    /// ```
    /// # let dir = tempfile::tempdir()?;
    /// # std::env::set_current_dir(&dir)?;
    /// use std::fs::File;
    /// use std::io::{Read, Write};
    /// use std::sync::Arc;
    ///
    /// use npy_zip::{Compression, Directory, Handle, Limits, Source, Writer};
    ///
    /// let mut writer = Writer::file(File::create("x.zip")?, Compression::deflate(6, 2))?;
    /// writer.add("a", |member| {
    ///     member.begin(3 << 20)?;
    ///     member.write_all(&vec![7; 3 << 20])
    /// })?;
    /// writer.finish()?;
    ///
    /// let limits = Limits::default();
    /// let source = Arc::new(Source::file(File::open("x.zip")?));
    /// let directory = Directory::read(Handle::new(&source), &limits)?;
    /// let a = &directory.entries()[0];
    /// let mut bytes = Vec::new();
    /// directory.member_on_threads(a, &source, &limits, 2)?.read_to_end(&mut bytes)?;
    /// assert_eq!(bytes, vec![7; 3 << 20]);
    /// # Ok::<(), npy_zip::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`member`](Self::member).
    pub fn member_on_threads(
        &self,
        entry: &Entry,
        source: &Arc<Source<File>>,
        limits: &Limits,
        threads: usize,
    ) -> Result<Member<Handle<File>>> {
        /// The fewest bytes for which another thread is of use.
        const LEAST: u64 = 1 << 20;
        let mut member = self.member(entry, Handle::new(source), limits)?;
        let useful = entry.size.checked_div(LEAST).unwrap_or(0);
        let threads = usize::try_from(useful).unwrap_or(threads).min(threads);
        if threads > 1
            && source.parallel().is_some()
            && let Body::Compressed(data) = &mut member.body
            && let Some(chunks) = self.chunks(entry, &mut Handle::new(source), limits)?
        {
            data.decoded = None;
            data.ahead = Some(Box::new(Ahead::new(Arc::clone(source), threads, chunks, entry.crc)));
            data.read_elsewhere = Some(Member::read_by_threads);
        }
        Ok(member)
    }
}

impl<R> Member<R> {
    /// Calls this function before each read, and between the blocks that a read skips. The read fails with its error.
    ///
    /// ```
    /// use std::io::{self, Cursor, Read};
    ///
    /// use npy_zip::{Compression, Directory, Limits, Writer};
    ///
    /// let mut writer = Writer::seekable(Cursor::new(Vec::new()), Compression::stored())?;
    /// writer.add("a", |member| member.begin(0))?;
    /// let mut file = writer.finish()?;
    /// let directory = Directory::read(&mut file, &Limits::default())?;
    /// let member = directory.member(&directory.entries()[0], &mut file, &Limits::default())?;
    /// let stopped = || Err(io::Error::other("stopped"));
    /// assert!(member.interrupt(Some(stopped)).read(&mut [0]).is_err());
    /// # Ok::<(), npy_zip::Error>(())
    /// ```
    #[must_use]
    pub fn interrupt(self, interrupt: Option<Interrupt>) -> Self {
        Member { interrupt, ..self }
    }

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

    /// Returns true if the end is to be checked: the last byte was read, after all others.
    fn is_at_end(&self) -> bool {
        let is_read = match &self.body {
            Body::Stored(_) => true,
            Body::Compressed(data) => data.decoded == Some(self.size),
        };
        self.left == 0 && !self.ended && is_read
    }

    fn truncated(&self, found: u64) -> Error {
        Error::Truncated { expected: self.size, found }
    }
}

impl<R: Read + Seek> Compressed<R> {
    /// Looks for the index, once. Returns true if there is one.
    fn has_index(&mut self) -> Result<bool> {
        if let (Lookup::Possible, Some(gap), Decoder::Deflate(inflater)) =
            (&self.index, &self.gap, &mut self.decoder)
        {
            // If a call fails, the position of the reader is unknown.
            let decoded = self.decoded.take();
            let reader = inflater.reader();
            let position = reader.stream_position()?;
            let index = gap.find(reader)?;
            reader.seek(SeekFrom::Start(position))?;
            self.decoded = decoded;
            self.index = index.map_or(Lookup::None, |index| Lookup::Found(Box::new(index)));
        }
        Ok(matches!(self.index, Lookup::Found(_)))
    }

    /// Returns the bytes from this position of the member to the end of its chunk; `None` if the index is wrong.
    fn in_chunk(&mut self, position: u64) -> Result<Option<&[u8]>> {
        let (start, bytes) = &self.chunk;
        if position.checked_sub(*start).is_none_or(|offset| offset >= to_u64(bytes.len()))
            && !self.inflate_chunk(position)?
        {
            return Ok(None);
        }
        let (start, bytes) = &self.chunk;
        let offset = position.checked_sub(*start).and_then(|offset| usize::try_from(offset).ok());
        Ok(offset.and_then(|offset| bytes.get(offset..)).filter(|bytes| !bytes.is_empty()))
    }

    /// Inflates and checks the chunk with this position of the member. Returns false if the index is wrong.
    fn inflate_chunk(&mut self, position: u64) -> Result<bool> {
        let (Lookup::Found(index), Decoder::Deflate(inflater)) = (&self.index, &mut self.decoder)
        else {
            return Ok(false);
        };
        self.decoded = None;
        let mut bytes = mem::take(&mut self.chunk.1);
        let Some(chunk) = index.chunk(position, inflater.reader())? else { return Ok(false) };
        bytes.clear();
        room::growing(&mut bytes, chunk.size)?;
        bytes.resize(chunk.size, 0);
        if !inflater.chunk(chunk.range.clone(), chunk.is_last, &mut bytes)?
            || chunk.checksum.is_some_and(|checksum| checksum != Checksum::of(&bytes))
        {
            return Ok(false);
        }
        self.chunk = (chunk.position, bytes);
        Ok(true)
    }

    /// Compares what the index shows with the bytes from the start: [`Member::check_index`].
    fn check_index(&mut self) -> Result<bool> {
        const PIECE: usize = 64 << 10;
        let (Some(gap), Decoder::Deflate(inflater)) = (&self.gap, &mut self.decoder) else {
            return Ok(true);
        };
        self.decoded = None;
        let source = Arc::new(Source::stream(inflater.reader()));
        let mut reader = Handle::new(&source);
        let index = match gap.look(&mut reader)? {
            Found::Nothing => return Ok(true),
            Found::Wrong => return Ok(false),
            Found::Index(index) => index,
        };
        let open = || {
            let data = BufReader::with_capacity(PIECE, Handle::new(&source).take(0));
            Inflater::new(data)
        };
        let (mut from_start, mut by_index) = (open(), open());
        from_start.restart(self.data.clone())?;
        let (mut piece, mut expected) = (Vec::new(), Vec::new());
        for buffer in [&mut piece, &mut expected] {
            room::growing(buffer, PIECE)?;
            buffer.resize(PIECE, 0);
        }
        let mut at = 0;
        while let Some(chunk) = index.chunk(at, &mut reader)? {
            let mut sum = Checksum::new();
            let mut is_equal = |piece: &[u8]| {
                sum.update(piece);
                let expected = expected.get_mut(..piece.len()).unwrap_or_default();
                match from_start.read_exact(expected).map_err(damaged) {
                    Ok(()) => Ok(expected == piece),
                    Err(Error::Io(error)) => Err(error),
                    Err(_) => Ok(false),
                }
            };
            let Chunk { range, is_last, size, .. } = chunk;
            if !by_index.chunk_in_pieces(range, is_last, size, &mut piece, &mut is_equal)?
                || chunk.checksum.is_some_and(|checksum| checksum != sum.value())
            {
                return Ok(false);
            }
            at = checked::add(chunk.position, to_u64(size));
            if is_last {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

impl<R: Read + Seek> Member<R> {
    /// Inflates all chunks by the seek index, if there is one, and compares them with the bytes that are read from the start. Returns false if
    /// they differ, or if the index is damaged: a reader could find other bytes by it than the member has. Chunks of any size are compared, also
    /// those that are not used here. The bytes themselves are checked by reading the member.
    ///
    /// ```
    /// use std::io::{Cursor, Write};
    ///
    /// use npy_zip::{Compression, Directory, Limits, Writer};
    ///
    /// let mut writer = Writer::seekable(Cursor::new(Vec::new()), Compression::deflate(6, 1))?;
    /// writer.add("a", |member| {
    ///     member.begin(2 << 20)?;
    ///     member.write_all(&vec![7; 2 << 20])
    /// })?;
    /// let mut file = writer.finish()?;
    /// let directory = Directory::read(&mut file, &Limits::default())?;
    /// let mut member = directory.member(&directory.entries()[0], &mut file, &Limits::default())?;
    /// assert!(member.check_index()?);
    /// # Ok::<(), npy_zip::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::Io`].
    pub fn check_index(&mut self) -> Result<bool> {
        let Body::Compressed(data) = &mut self.body else { return Ok(true) };
        data.ahead = None;
        data.read_elsewhere = Some(Member::read_by_index);
        data.check_index()
    }

    /// Reads what the threads have inflated, and returns the number of bytes. If one of them has failed, moves the decoder to the position, and
    /// returns `None`.
    fn read_by_threads(&mut self, out: &mut [u8]) -> Result<Option<usize>> {
        let Body::Compressed(data) = &mut self.body else { return Ok(None) };
        if let Some(count) = data.ahead.as_mut().and_then(|ahead| ahead.read(out)) {
            self.left = checked::sub(self.left, to_u64(count));
            return Ok(Some(count));
        }
        data.ahead = None;
        self.catch_up()?;
        Ok(None)
    }

    /// Checks size and checksum against the directory.
    fn end(&mut self) -> Result<()> {
        self.ended = true;
        // `io::copy` retries an interrupted read. If the interruption were returned here, the bytes that this call has read would be lost.
        if let Body::Compressed(data) = &mut self.body
            && io::copy(&mut (&mut data.decoder).take(1), &mut io::sink()).map_err(damaged)? > 0
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
        let position = self.position();
        if let Body::Compressed(data) = &mut self.body
            && data.decoded != Some(position)
            && let Some(read) = data.read_elsewhere
            && let Some(count) = read(self, out)?
        {
            return Ok(count);
        }
        let count = match &mut self.body {
            Body::Stored(data) => data.read(out)?,
            Body::Compressed(data) => {
                match data.decoder.read(out) {
                    // The compressed bytes end, and those before are not known to be damaged.
                    Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => 0,
                    read => {
                        let count = read.map_err(damaged)?;
                        data.decoded = Some(checked::add(position, to_u64(count)));
                        count
                    }
                }
            }
        };
        if count == 0 {
            return Err(self.truncated(position));
        }
        self.sum.update(out.get(..count).unwrap_or_default());
        // A reader may lie about the number of bytes.
        self.left = self.left.saturating_sub(to_u64(count));
        Ok(count)
    }

    /// Reads from a chunk, and returns the number of bytes. If there is no index, moves the decoder to the position, and returns `None`.
    fn read_by_index(&mut self, out: &mut [u8]) -> Result<Option<usize>> {
        let position = self.position();
        let Body::Compressed(data) = &mut self.body else { return Ok(None) };
        // From the start, all is read one after another, and the checksum of the member compared.
        if position > 0 && data.has_index()? {
            if let Some(bytes) = data.in_chunk(position)? {
                let count = bytes.len().min(out.len());
                if let (Some(to), Some(from)) = (out.get_mut(..count), bytes.get(..count)) {
                    to.copy_from_slice(from);
                }
                self.left = checked::sub(self.left, to_u64(count));
                return Ok(Some(count));
            }
            self.reject_index()?;
        }
        self.catch_up()?;
        Ok(None)
    }

    /// Decodes the bytes before the position, to which a seek has moved.
    fn catch_up(&mut self) -> Result<()> {
        const DROPPED: usize = 64 << 10;
        let position = self.position();
        let Body::Compressed(data) = &mut self.body else { return Ok(()) };
        if data.decoded.is_none_or(|decoded| decoded > position) {
            data.decoded = None;
            data.decoder.restart(data.data.clone())?;
            data.decoded = Some(0);
            self.sum = Checksum::new();
            self.ended = false;
        }
        let (mut dropped, interrupt) = (Vec::new(), self.interrupt);
        while let Some(decoded) = data.decoded.filter(|&decoded| decoded < position) {
            interrupt.map_or(Ok(()), |interrupt| interrupt())?;
            let most =
                usize::try_from(checked::sub(position, decoded)).unwrap_or(DROPPED).min(DROPPED);
            dropped.resize(most, 0);
            let count = data.decoder.read(&mut dropped).map_err(damaged)?;
            if count == 0 {
                return Err(self.truncated(decoded));
            }
            self.sum.update(dropped.get(..count).unwrap_or_default());
            data.decoded = Some(checked::add(decoded, to_u64(count)));
        }
        Ok(())
    }

    /// Gives up the index, in which a chunk is not as it says. Either it is wrong, or the bytes are damaged: then their own checksum is wrong,
    /// and this is the error.
    #[cold]
    fn reject_index(&mut self) -> Result<()> {
        if let Body::Compressed(data) = &self.body
            && data.is_damaged
        {
            return Err(corrupt(DAMAGED));
        }
        let left = mem::replace(&mut self.left, 0);
        let checked = self.catch_up().and_then(|()| self.end());
        self.left = left;
        if let Body::Compressed(data) = &mut self.body {
            match &checked {
                Ok(()) => data.index = Lookup::None,
                // It may be another one the next time.
                Err(Error::Io(_)) => {}
                Err(_) => data.is_damaged = true,
            }
        }
        checked
    }
}

/// The most bytes that a read returns if it can be interrupted.
const READ_AT_ONCE: usize = 256 << 10;

const DAMAGED: &str = "the compressed bytes are damaged";

/// Converts an error of the decoder, which may mean that the bytes cannot be decompressed.
fn damaged(error: io::Error) -> Error {
    match error.kind() {
        io::ErrorKind::InvalidInput | io::ErrorKind::InvalidData | io::ErrorKind::UnexpectedEof => {
            corrupt(DAMAGED)
        }
        _ => error.into(),
    }
}

impl<R: Read + Seek> Read for Member<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let most = match self.interrupt {
            Some(interrupt) => interrupt().map(|()| READ_AT_ONCE)?,
            None => usize::MAX,
        };
        let max = usize::try_from(self.left).unwrap_or(usize::MAX).min(out.len()).min(most);
        let out = out.get_mut(..max).unwrap_or_default();
        let read = if out.is_empty() { Ok(0) } else { self.part(out) };
        let read = match read {
            Ok(count) if self.is_at_end() => self.end().map(|()| count),
            read => read,
        };
        read.map_err(io::Error::from)
    }
}

impl<R: Read + Seek> Seek for Member<R> {
    /// Moves within a member; see [above](Member#seeking). [`Unsupported`](io::ErrorKind::Unsupported) if it cannot go back.
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
        let left = self.size.checked_sub(target).ok_or(io::ErrorKind::InvalidInput)?;
        match &mut self.body {
            Body::Stored(data) => {
                let by = i64::try_from(i128::from(target).saturating_sub(i128::from(position)));
                let by = by.map_err(|_| io::ErrorKind::InvalidInput)?;
                data.get_mut().seek(SeekFrom::Current(by))?;
                data.set_limit(left);
                self.sum = Checksum::new();
                self.ended = target > 0;
            }
            Body::Compressed(data) => {
                if data.decoded.is_some_and(|decoded| target < decoded) {
                    data.decoder.check_restart()?;
                }
                data.ahead = None;
                data.read_elsewhere = Some(Member::read_by_index);
            }
        }
        self.left = left;
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

    /// Guards seeks forward and back, with a seek index and without, and reads across chunks and to the end.
    #[test]
    fn a_compressed_member_can_seek() {
        for every in [0, 4096] {
            let file = archive(Compression::deflate(6, 1).seek_every(every));
            let mut member = open(&file);
            for at in [40, 9000, 8191, 8192, 4000, 4000, 0, 9999, 1, 10_000] {
                assert_eq!(member.seek(SeekFrom::Start(at)).unwrap(), at);
                assert_eq!(member.position(), at);
                let mut found = [0; 300];
                let count = found.len().min(10_000 - usize::try_from(at).unwrap());
                member.read_exact(&mut found[..count]).unwrap();
                let at = usize::try_from(at).unwrap();
                assert_eq!(found[..count], bytes()[at..at + count], "{every}: {at}");
                assert_eq!(member.seek(SeekFrom::End(-5)).unwrap(), 9995);
                let mut found = Vec::new();
                member.read_to_end(&mut found).unwrap();
                assert_eq!(found, bytes()[9995..]);
            }
            assert!(member.seek(SeekFrom::End(1)).is_err());
            member.rewind().unwrap();
            let mut found = Vec::new();
            member.read_to_end(&mut found).unwrap();
            assert_eq!((found, member.position()), (bytes(), 10_000));
        }
    }

    /// Guards that the checksum is compared after seeks without an index: all bytes are read one after another.
    #[test]
    fn a_member_without_an_index_is_checked_after_a_seek() {
        let mut file = archive(Compression::deflate(6, 1).seek_every(0));
        let crc = crc32fast::hash(&bytes()).to_le_bytes();
        let at = file.windows(4).rposition(|bytes| bytes == crc).unwrap();
        file[at] ^= 1;
        let mut member = open(&file);
        member.seek(SeekFrom::Start(9000)).unwrap();
        let error = Error::from(member.read_to_end(&mut Vec::new()).unwrap_err());
        assert!(matches!(error, Error::Checksum { .. }), "{error}");
    }

    /// A file that another program changes while its index is checked: a read of all compressed bytes returns others than a read of a chunk.
    struct Changing {
        file: Cursor<Vec<u8>>,
        /// The compressed bytes.
        data: Range<u64>,
        /// The offset in them of the byte that changes.
        changed: usize,
    }

    impl Read for Changing {
        fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
            let reads_all = self.file.position() == self.data.start
                && self.data.end <= self.data.start + out.len() as u64;
            let count = self.file.read(out)?;
            if reads_all {
                out[self.changed] ^= 6;
            }
            Ok(count)
        }
    }

    impl Seek for Changing {
        fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
            self.file.seek(to)
        }
    }

    /// Guards the comparison of chunks with the bytes from the start: a byte that differs, and bytes that cannot be inflated.
    #[test]
    fn chunks_that_are_not_the_bytes_from_the_start_are_found() {
        // The blocks are stored, so each byte of the member is in the compressed bytes.
        let file = archive(Compression::deflate(1, 1).seek_every(4096));
        let limits = Limits::default();
        let directory = Directory::read(Cursor::new(&file), &limits).unwrap();
        let entry = directory.find("x").unwrap();
        let data = directory.readable(entry, &mut Cursor::new(&file), &limits).unwrap();
        assert!(open(&file).check_index().unwrap());
        for changed in [0, 50, 4000, 9000] {
            let file = Changing { file: Cursor::new(file.clone()), data: data.clone(), changed };
            let mut member = directory.member(entry, file, &limits).unwrap();
            assert!(!member.check_index().unwrap(), "{changed}");
        }
    }
}
