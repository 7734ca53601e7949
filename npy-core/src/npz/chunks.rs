//! The parts of compressed members that can be fetched and inflated alone.

use std::ops::Range;
use std::sync::Arc;

use crate::error::{Error, Result};
use crate::header::Header;
use crate::limits::{to_u64, to_usize};
use crate::shape::{self, Order};

/// The bytes of an archive that hold given rows of a deflated member; made by [`Reader::chunks`](super::Reader::chunks).
///
/// It does not refer to the archive, so the bytes can be fetched in any way, for example by requests to a server for ranges of a file, several
/// at the same time.
#[derive(Clone, Debug)]
pub struct Chunks {
    /// All chunks of the member, in order.
    all: npy_zip::Chunks,
    /// The name of the member.
    member: Arc<str>,
    header: Header,
    /// The number of bytes before the data.
    header_bytes: u64,
    rows: usize,
    row_bytes: usize,
}

impl Chunks {
    pub(super) fn new(
        all: npy_zip::Chunks,
        member: &str,
        header: Header,
        header_bytes: u64,
    ) -> Result<Self> {
        let slowest = match header.order() {
            Order::C => header.shape().first(),
            Order::Fortran => header.shape().last(),
        };
        let rows = slowest.copied().unwrap_or(1);
        let row_bytes = to_usize(header.data_bytes().checked_div(to_u64(rows)).unwrap_or(0))?;
        Ok(Chunks { all, member: member.into(), header, header_bytes, rows, row_bytes })
    }

    /// Returns the header of the array.
    ///
    /// ```
    /// use std::io::Cursor;
    ///
    /// use npy_core::npz;
    ///
    /// let mut options = npz::WriteOptions::new();
    /// let mut writer = options.deflate(6).writer(Cursor::new(Vec::new()))?;
    /// writer.write("x", &vec![0.5f64; 1 << 18])?;
    /// let archive = npz::Reader::new(writer.finish()?)?;
    /// let chunks = archive.chunks("x")?.expect("it was written with an index");
    /// assert_eq!(chunks.header().shape(), [1 << 18]);
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// Returns the chunks that have these rows, in order. Their data, [inflated](Chunk::inflate) and joined, is that of the rows. Rows are counted as
    /// by [`seek_to`](crate::Reader::seek_to): along the first dimension or, in Fortran order, along the last. There
    /// are none for no rows, such as `5..2`.
    ///
    /// ```
    /// use std::io::Cursor;
    ///
    /// use npy_core::{Reader, npz};
    ///
    /// let numbers: Vec<u32> = (0..1_000_000).collect();
    /// let mut options = npz::WriteOptions::new();
    /// let mut writer = options.deflate(6).writer(Cursor::new(Vec::new()))?;
    /// writer.write("x", &numbers)?;
    /// let file = writer.finish()?.into_inner();
    ///
    /// let archive = npz::Reader::new(Cursor::new(&file))?;
    /// let chunks = archive.chunks("x")?.expect("it was written with an index");
    /// let mut data = Vec::new();
    /// for chunk in chunks.of_rows(700_000..700_002)? {
    ///     let range = chunk.range(); // a request to a server would ask for it
    ///     data.extend(chunk.inflate(&file[range.start as usize..range.end as usize])?);
    /// }
    /// let dtype = chunks.header().dtype().clone();
    /// assert_eq!(Reader::headerless(&data[..], dtype, [2])?.read_vec::<u32>()?, [700_000, 700_001]);
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Shape`](crate::ErrorKind::Shape) if the array has fewer rows.
    pub fn of_rows(&self, rows: Range<usize>) -> Result<Vec<Chunk>> {
        if rows.end > self.rows {
            let (end, count) = (rows.end, self.rows);
            let reason = format!("no rows up to {end}: there are {count}; request fewer");
            return Err(shape::invalid(self.header.shape(), reason));
        }
        let (start, end) = (self.position(rows.start)?, self.position(rows.end)?);
        self.all.of_bytes(start..end).map(|chunk| self.part(chunk, start, end)).collect()
    }

    /// Returns the position of a row in the member.
    fn position(&self, row: usize) -> Result<u64> {
        Ok(shape::bytes_in_file(&[row], self.row_bytes)?.saturating_add(self.header_bytes))
    }

    /// Returns the part of a chunk between these positions of the member; it has at least one byte.
    fn part(&self, chunk: npy_zip::Chunk, start: u64, end: u64) -> Result<Chunk> {
        let start = start.max(chunk.position);
        let end = end.min(chunk.position.saturating_add(to_u64(chunk.size)));
        let in_chunk = |at: u64| to_usize(at.saturating_sub(chunk.position));
        let part = in_chunk(start)?..in_chunk(end)?;
        let data = start.saturating_sub(self.header_bytes)..end.saturating_sub(self.header_bytes);
        let row = |at: u64| to_usize(at.checked_div(to_u64(self.row_bytes)).unwrap_or(0));
        let last = data.end.saturating_add(to_u64(self.row_bytes).saturating_sub(1));
        let rows = row(data.start)?..row(last)?;
        Ok(Chunk { chunk, part, data, rows, member: Arc::clone(&self.member) })
    }
}

/// A part of an archive that is inflated alone; made by [`Chunks::of_rows`].
#[derive(Clone, Debug)]
pub struct Chunk {
    chunk: npy_zip::Chunk,
    /// The part of its bytes that belongs to the rows.
    part: Range<usize>,
    /// The positions of this part in the data of the array.
    data: Range<u64>,
    rows: Range<usize>,
    member: Arc<str>,
}

impl Chunk {
    /// Returns the range of its bytes in the archive.
    ///
    /// ```
    /// use std::io::Cursor;
    ///
    /// use npy_core::npz;
    ///
    /// let mut options = npz::WriteOptions::new();
    /// let mut writer = options.deflate(6).writer(Cursor::new(Vec::new()))?;
    /// writer.write("x", &vec![0.5f64; 1 << 20])?;
    /// let archive = npz::Reader::new(writer.finish()?)?;
    /// let chunks = archive.chunks("x")?.expect("it was written with an index");
    /// let chunks = chunks.of_rows(0..1 << 20)?;
    /// assert_eq!(chunks[0].range().end, chunks[1].range().start);
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    pub fn range(&self) -> Range<u64> {
        self.chunk.range.clone()
    }

    /// Returns the rows that it has bytes of, among those that were requested. The first and the last may be continued in the chunks next to it.
    ///
    /// ```
    /// use std::io::Cursor;
    ///
    /// use npy_core::npz;
    ///
    /// let mut options = npz::WriteOptions::new();
    /// let mut writer = options.deflate(6).writer(Cursor::new(Vec::new()))?;
    /// writer.write("x", &vec![7u8; 3 << 20])?;
    /// let archive = npz::Reader::new(writer.finish()?)?;
    /// let chunks = archive.chunks("x")?.expect("it was written with an index");
    /// let end = (1 << 20) - 128; // after a header of 128 bytes
    /// assert_eq!(chunks.of_rows(5..3 << 20)?[0].rows(), 5..end);
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    pub fn rows(&self) -> Range<usize> {
        self.rows.clone()
    }

    /// Returns the positions that its bytes of the requested rows have in the data of the array, which begins after the header.
    ///
    /// ```
    /// use std::io::Cursor;
    ///
    /// use npy_core::npz;
    ///
    /// let mut options = npz::WriteOptions::new();
    /// let mut writer = options.deflate(6).writer(Cursor::new(Vec::new()))?;
    /// writer.write("x", &vec![7u16; 1 << 20])?;
    /// let archive = npz::Reader::new(writer.finish()?)?;
    /// let chunks = archive.chunks("x")?.expect("it was written with an index");
    /// let end = (1 << 20) - 128; // after a header of 128 bytes
    /// let chunks = chunks.of_rows(5..1 << 20)?;
    /// assert_eq!(chunks[0].data_range(), 10..end);
    /// assert_eq!(chunks[1].data_range().start, end);
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    pub fn data_range(&self) -> Range<u64> {
        self.data.clone()
    }

    /// Inflates the bytes of the [range](Self::range), and returns the data of the rows that were requested: elements as the file has them, one after
    /// another. The checksum of the chunk is compared, if this crate wrote the index.
    ///
    /// ```
    /// use std::io::Cursor;
    ///
    /// use npy_core::npz;
    ///
    /// let mut options = npz::WriteOptions::new();
    /// let mut writer = options.deflate(6).writer(Cursor::new(Vec::new()))?;
    /// writer.write("x", &vec![7u8; 3 << 20])?;
    /// let file = writer.finish()?.into_inner();
    /// let archive = npz::Reader::new(Cursor::new(&file))?;
    /// let chunks = archive.chunks("x")?.expect("it was written with an index");
    /// let chunk = &chunks.of_rows(5..8)?[0];
    /// let range = chunk.range();
    /// assert_eq!(chunk.inflate(&file[range.start as usize..range.end as usize])?, [7, 7, 7]);
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Archive`](crate::ErrorKind::Archive) if these are not the bytes of the chunk; [`ErrorKind::Checksum`](crate::ErrorKind::Checksum); [`ErrorKind::Memory`](crate::ErrorKind::Memory).
    pub fn inflate(&self, compressed: &[u8]) -> Result<Vec<u8>> {
        let inflated = self.chunk.inflate(compressed);
        let mut bytes = inflated.map_err(|error| Error::from(error).in_member(&self.member))?;
        bytes.truncate(self.part.end);
        bytes.drain(..self.part.start);
        Ok(bytes)
    }
}
