//! The chunks of a member, found by its seek index.

use std::fmt;
use std::io::{BufReader, Cursor, Read};
use std::ops::Range;

use crate::checked;
use crate::checksum::Checksum;
use crate::error::{Error, Result, corrupt, to_u64};
use crate::inflate::Inflater;
use crate::room;

/// The number of bytes of a checksum in an index.
pub(crate) const CHECKSUM_SIZE: u64 = 4;

/// The form of an index, and the member that it is about.
#[derive(Clone)]
pub(crate) struct Layout {
    /// The number of bytes that each chunk but the last inflates to.
    pub(crate) chunk: u64,
    /// The number of chunks.
    pub(crate) count: u64,
    /// The size of the member after inflating.
    pub(crate) size: u64,
    /// Its compressed bytes in the file.
    pub(crate) data: Range<u64>,
    /// The size of a position in the list, which has none for the first chunk: it begins at 0.
    pub(crate) position_size: u64,
}

impl Layout {
    /// Returns the number of bytes that a chunk inflates to.
    pub(crate) fn size_of(&self, number: u64) -> u64 {
        self.chunk.min(checked::sub(self.size, checked::mul(number, self.chunk)))
    }

    /// Returns the indices in the list of the positions that bound chunks of these numbers. The first chunk begins at 0, and the last one ends with
    /// the data; between them, the end of a chunk is the position of the next.
    pub(crate) fn positions(&self, numbers: &Range<u64>) -> Range<u64> {
        numbers.start.saturating_sub(1)..checked::sub(self.count, 1).min(numbers.end)
    }
}

/// The chunks of a deflated member, in order; made by [`Directory::chunks`](crate::Directory::chunks).
///
/// They take about as many bytes of memory as the index takes in the file: 4 to 12 for each chunk.
#[derive(Clone)]
pub struct Chunks {
    layout: Layout,
    /// The numbers of the chunks among all of the member.
    numbers: Range<u64>,
    /// The list of positions that bound them, as it is in the file.
    positions: Vec<u8>,
    /// The list of their checksums, as it is in the file, if the index has one.
    checksums: Option<Vec<u8>>,
}

impl Chunks {
    /// Returns the chunks of these numbers; `None` if one of them cannot be.
    pub(crate) fn new(
        layout: Layout,
        numbers: Range<u64>,
        positions: Vec<u8>,
        checksums: Option<Vec<u8>>,
    ) -> Option<Self> {
        let chunks = Chunks { layout, numbers, positions, checksums };
        chunks.numbers.clone().all(|number| chunks.part(number).is_some()).then_some(chunks)
    }

    /// Returns the number of chunks.
    ///
    /// ```
    /// use std::io::{Cursor, Write};
    ///
    /// use npy_zip::{Compression, Directory, Limits, Writer};
    ///
    /// let mut writer = Writer::seekable(Cursor::new(Vec::new()), Compression::deflate(6, 1))?;
    /// writer.add("a", |member| {
    ///     member.begin(3 << 20)?;
    ///     member.write_all(&vec![7; 3 << 20])
    /// })?;
    /// let mut file = writer.finish()?;
    /// let directory = Directory::read(&mut file, &Limits::default())?;
    /// let a = &directory.entries()[0];
    /// let chunks = directory.chunks(a, &mut file, &Limits::default())?.expect("it has an index");
    /// assert_eq!(chunks.len(), 3);
    /// # Ok::<(), npy_zip::Error>(())
    /// ```
    #[expect(clippy::len_without_is_empty, reason = "a member with an index has at least two")]
    pub fn len(&self) -> usize {
        // Each has bytes in the list of positions.
        usize::try_from(checked::sub(self.numbers.end, self.numbers.start)).unwrap_or(usize::MAX)
    }

    /// Returns a chunk; `None` if there are fewer.
    ///
    /// ```
    /// use std::io::{Cursor, Write};
    ///
    /// use npy_zip::{Compression, Directory, Limits, Writer};
    ///
    /// let mut writer = Writer::seekable(Cursor::new(Vec::new()), Compression::deflate(6, 1))?;
    /// writer.add("a", |member| {
    ///     member.begin(3 << 20)?;
    ///     member.write_all(&vec![7; 3 << 20])
    /// })?;
    /// let mut file = writer.finish()?;
    /// let directory = Directory::read(&mut file, &Limits::default())?;
    /// let a = &directory.entries()[0];
    /// let chunks = directory.chunks(a, &mut file, &Limits::default())?.expect("it has an index");
    /// assert_eq!(chunks.get(2).map(|chunk| chunk.position), Some(2 << 20));
    /// assert!(chunks.get(3).is_none());
    /// # Ok::<(), npy_zip::Error>(())
    /// ```
    pub fn get(&self, index: usize) -> Option<Chunk> {
        let number = self.numbers.start.checked_add(to_u64(index))?;
        if self.numbers.contains(&number) { self.part(number) } else { None }
    }

    /// Iterates over the chunks.
    ///
    /// ```
    /// use std::io::{Cursor, Write};
    ///
    /// use npy_zip::{Compression, Directory, Limits, Writer};
    ///
    /// let mut writer = Writer::seekable(Cursor::new(Vec::new()), Compression::deflate(6, 1))?;
    /// writer.add("a", |member| {
    ///     member.begin(3 << 20)?;
    ///     member.write_all(&vec![7; 3 << 20])
    /// })?;
    /// let mut file = writer.finish()?;
    /// let directory = Directory::read(&mut file, &Limits::default())?;
    /// let a = &directory.entries()[0];
    /// let chunks = directory.chunks(a, &mut file, &Limits::default())?.expect("it has an index");
    /// assert!(chunks.iter().all(|chunk| chunk.size == 1 << 20));
    /// # Ok::<(), npy_zip::Error>(())
    /// ```
    pub fn iter(&self) -> impl Iterator<Item = Chunk> {
        (0..self.len()).map_while(|index| self.get(index))
    }

    /// Iterates over the chunks that have these bytes of the member.
    ///
    /// ```
    /// use std::io::{Cursor, Write};
    ///
    /// use npy_zip::{Compression, Directory, Limits, Writer};
    ///
    /// let mut writer = Writer::seekable(Cursor::new(Vec::new()), Compression::deflate(6, 1))?;
    /// writer.add("a", |member| {
    ///     member.begin(3 << 20)?;
    ///     member.write_all(&vec![7; 3 << 20])
    /// })?;
    /// let mut file = writer.finish()?;
    /// let directory = Directory::read(&mut file, &Limits::default())?;
    /// let a = &directory.entries()[0];
    /// let chunks = directory.chunks(a, &mut file, &Limits::default())?.expect("it has an index");
    /// let positions = |chunk: npy_zip::Chunk| chunk.position;
    /// assert!(chunks.of_bytes(5..(1 << 20) + 1).map(positions).eq([0, 1 << 20]));
    /// assert_eq!(chunks.of_bytes(5..5).count(), 0);
    /// # Ok::<(), npy_zip::Error>(())
    /// ```
    pub fn of_bytes(&self, bytes: Range<u64>) -> impl Iterator<Item = Chunk> {
        let first = bytes.start.checked_div(self.layout.chunk).unwrap_or(0);
        let end = if bytes.is_empty() { first } else { bytes.end.div_ceil(self.layout.chunk) };
        let numbers = first.max(self.numbers.start)..end.min(self.numbers.end);
        numbers.map_while(|number| self.part(number))
    }

    /// Returns the chunk of this number; `None` if there is no such chunk.
    fn part(&self, number: u64) -> Option<Chunk> {
        /// Deflate makes nothing smaller than this.
        const MAX_RATIO: u64 = 1032;
        let layout = &self.layout;
        let next = checked::add(number, 1);
        let size = layout.size_of(number);
        let (start, end) = (self.start(number)?, self.start(next)?);
        let length = end.checked_sub(start)?;
        let start = layout.data.start.checked_add(start)?;
        let end = layout.data.start.checked_add(end)?;
        let checksum = match &self.checksums {
            Some(list) => {
                let index = checked::sub(number, self.numbers.start);
                Some(u32::try_from(number_of(list, index, CHECKSUM_SIZE)?).ok()?)
            }
            None => None,
        };
        let can_be = end <= layout.data.end && size <= length.saturating_mul(MAX_RATIO);
        can_be.then_some(Chunk {
            position: checked::mul(number, layout.chunk),
            size: usize::try_from(size).ok()?,
            range: start..end,
            is_last: next == layout.count,
            checksum,
        })
    }

    /// Returns where a chunk begins among the compressed bytes; for the number after the last one, where they end.
    fn start(&self, number: u64) -> Option<u64> {
        let layout = &self.layout;
        if number == layout.count {
            return Some(checked::sub(layout.data.end, layout.data.start));
        }
        let Some(index) = number.checked_sub(1) else { return Some(0) };
        let first = layout.positions(&self.numbers).start;
        number_of(&self.positions, checked::sub(index, first), layout.position_size)
    }
}

impl fmt::Debug for Chunks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Chunks").field("len", &self.len()).finish_non_exhaustive()
    }
}

/// Returns a number of a list of numbers of `size` bytes; `None` if there are fewer.
fn number_of(list: &[u8], index: u64, size: u64) -> Option<u64> {
    let start = usize::try_from(index.checked_mul(size)?).ok()?;
    let bytes = list.get(start..)?.get(..usize::try_from(size).ok()?)?;
    Some(bytes.iter().rev().fold(0, |number, &byte| number << 8 | u64::from(byte)))
}

/// A part of a deflated member that is inflated alone; one of [`Chunks`].
///
/// It does not refer to the archive, so its bytes can be fetched in any way, for example by a request to a server for a range of a file.
#[derive(Clone, Debug)]
pub struct Chunk {
    /// The position of its bytes in the member.
    pub position: u64,
    /// The number of bytes that it inflates to, at most 4 MiB.
    pub size: usize,
    /// The range of its compressed bytes in the archive.
    pub range: Range<u64>,
    pub(crate) is_last: bool,
    pub(crate) checksum: Option<u32>,
}

impl Chunk {
    /// Inflates the bytes of the [range](Self#structfield.range), and compares their checksum, if the index has one.
    ///
    /// ```
    /// use std::io::{Cursor, Write};
    ///
    /// use npy_zip::{Compression, Directory, Limits, Writer};
    ///
    /// let mut writer = Writer::seekable(Cursor::new(Vec::new()), Compression::deflate(6, 1))?;
    /// writer.add("a", |member| {
    ///     member.begin(3 << 20)?;
    ///     member.write_all(&vec![7; 3 << 20])
    /// })?;
    /// let mut file = writer.finish()?;
    ///
    /// let directory = Directory::read(&mut file, &Limits::default())?;
    /// let a = &directory.entries()[0];
    /// let chunks = directory.chunks(a, &mut file, &Limits::default())?.expect("it has an index");
    /// let chunk = chunks.get(1).expect("there are three");
    /// let compressed = &file.get_ref()[chunk.range.start as usize..chunk.range.end as usize];
    /// assert_eq!(chunk.inflate(compressed)?, vec![7; 1 << 20]);
    /// # Ok::<(), npy_zip::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::Malformed`] if these are not the bytes of a chunk of this size; [`Error::Checksum`]; [`Error::Io`] without memory.
    pub fn inflate(&self, compressed: &[u8]) -> Result<Vec<u8>> {
        let mut bytes = Vec::new();
        room::growing(&mut bytes, self.size)?;
        bytes.resize(self.size, 0);
        let end = to_u64(compressed.len());
        let mut inflater = Inflater::new(BufReader::new(Cursor::new(compressed).take(end)));
        if !inflater.chunk(0..end, self.is_last, &mut bytes)? {
            let (start, size) = (self.position, self.size);
            return Err(corrupt(format!(
                "the chunk at byte {start} of the member does not inflate to the {size} bytes that its seek index states"
            )));
        }
        match (self.checksum, Checksum::of(&bytes)) {
            (Some(expected), found) if found != expected => {
                Err(Error::Checksum { expected, found })
            }
            _ => Ok(bytes),
        }
    }
}
