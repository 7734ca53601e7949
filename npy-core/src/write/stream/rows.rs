//! Writing rows whose shape is only known at run time.

use std::fmt;
use std::fs::File;
use std::io::{Seek, Write};
use std::path::Path;

use super::super::replace::Existing;
use super::append;
use super::{Growing, Length, WriteOptions, Writer};
use crate::checked;
use crate::element::item_shape::ItemShape;
use crate::element::type_info::TypeInfo;
use crate::element::{Element, block, type_name};
use crate::error::{Result, counted};
use crate::header::Header;
use crate::limits;
use crate::shape;

/// An array that is written row by row; the shape of its rows is given at run time.
///
/// The first dimension of the file is the number of rows; the other dimensions are those of a row.
/// For rows whose length is a constant, a [`Writer`] of arrays (`Writer::<[f32; 3]>`) writes the
/// same file.
///
/// ```
/// # let dir = tempfile::tempdir()?;
/// # std::env::set_current_dir(&dir)?;
/// use npy_core::{NpyArray, ReadNpy, RowWriter};
///
/// let width = 3;
/// let mut writer = RowWriter::<f32>::create("x.npy", &[width])?;
/// writer.push_row(&[1.0, 2.0, 3.0])?;
/// writer.push_rows(&[4.0, 5.0, 6.0, 7.0, 8.0, 9.0])?;
/// let error = writer.push_row(&[1.0, 2.0]).unwrap_err();
/// assert!(error.to_string().contains("a row has 3 elements, found 2"), "{error}");
/// writer.finish()?;
///
/// let mut writer = RowWriter::<f32>::append("x.npy")?;
/// assert_eq!((writer.count(), writer.row_shape()), (3, &[3][..]));
/// writer.push_row(&[0.0; 3])?;
/// writer.finish()?;
/// assert_eq!(NpyArray::<f32>::read_npy("x.npy")?.shape(), [4, 3]);
/// # Ok::<(), npy_core::Error>(())
/// ```
///
/// Rows are collected in a block of 256 KiB, or of one row if that is larger; the block is written
/// when it is full. A row is added as a whole or not at all: if one of its values is invalid, no
/// byte of it is written, and the writer can go on. Locks, the length in the header, and the state
/// of the file after a kill or a drop are as for a [`Writer`].
#[must_use = "`finish` is the only way to learn that all was written"]
pub struct RowWriter<T: Element, W: Write = File> {
    writer: Writer<T, W>,
    /// The dimensions of a row, without those of an element that is a sub-array.
    row_shape: Vec<usize>,
    /// The number of elements in a row.
    row: usize,
}

impl<T: Element> RowWriter<T, File> {
    /// Creates a file, for rows of this shape: `&[width]`, or several dimensions. Replaces an existing file like [`Writer::create`].
    ///
    /// ```
    /// # let dir = tempfile::tempdir()?;
    /// # std::env::set_current_dir(&dir)?;
    /// use npy_core::{Header, RowWriter};
    ///
    /// let mut writer = RowWriter::<f32>::create("weights.npy", &[3])?;
    /// writer.push_row(&[0.5, 1.0, 1.5])?;
    /// writer.finish()?;
    /// assert_eq!(Header::read_npy("weights.npy")?.shape(), [1, 3]);
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`Writer::create`]; [`ErrorKind::Shape`](crate::ErrorKind::Shape) for a row without dimensions or larger than any memory.
    pub fn create<P: AsRef<Path>>(path: P, row: &[usize]) -> Result<Self> {
        WriteOptions::new().create_rows(path, row)
    }

    /// Opens a file, to write more rows after those it has. The file determines the shape of a row
    /// ([`row_shape`](Self::row_shape)).
    ///
    /// ```
    /// # let dir = tempfile::tempdir()?;
    /// # std::env::set_current_dir(&dir)?;
    /// use npy_core::{Header, RowWriter, save};
    ///
    /// save("weights.npy", &[[0.5f32, 1.0, 1.5]])?;
    /// let mut writer = RowWriter::<f32>::append("weights.npy")?;
    /// writer.push_row(&[2.0, 2.5, 3.0])?;
    /// writer.finish()?;
    /// assert_eq!(Header::read_npy("weights.npy")?.shape(), [2, 3]);
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`Writer::append`]; [`ErrorKind::Rank`](crate::ErrorKind::Rank) for an array of fewer than two dimensions (use a
    /// [`Writer`]).
    pub fn append<P: AsRef<Path>>(path: P) -> Result<Self> {
        WriteOptions::new().append_rows(path)
    }

    /// Opens a file as [`append`](Self::append) does, or creates it as [`create`](Self::create) does if it does not exist; see
    /// [`Writer::append_or_create`].
    ///
    /// ```
    /// # let dir = tempfile::tempdir()?;
    /// # std::env::set_current_dir(&dir)?;
    /// use npy_core::{Header, RowWriter};
    ///
    /// for _ in 0..2 {
    ///     let mut writer = RowWriter::<f32>::append_or_create("weights.npy", &[3])?;
    ///     writer.push_row(&[0.5, 1.0, 1.5])?;
    ///     writer.finish()?;
    /// }
    /// assert_eq!(Header::read_npy("weights.npy")?.shape(), [2, 3]);
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`append`](Self::append) or [`create`](Self::create), and [`ErrorKind::Shape`](crate::ErrorKind::Shape) if the rows of the file have another shape.
    pub fn append_or_create<P: AsRef<Path>>(path: P, row: &[usize]) -> Result<Self> {
        WriteOptions::new().append_or_create_rows(path, row)
    }

    /// Like [`flush`](Self::flush), but waits until the rows are on the disk; see [`Writer::sync`].
    ///
    /// ```
    /// # let dir = tempfile::tempdir()?;
    /// # std::env::set_current_dir(&dir)?;
    /// use npy_core::{Header, RowWriter};
    ///
    /// let mut writer = RowWriter::<f32>::create("weights.npy", &[2])?;
    /// writer.push_row(&[0.5, 1.0])?;
    /// writer.sync()?;
    /// assert_eq!(Header::read_npy("weights.npy")?.shape(), [1, 2]);
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`flush`](Self::flush).
    pub fn sync(&mut self) -> Result<()> {
        self.writer.sync()
    }
}

impl<T: Element, W: Write + Seek> RowWriter<T, W> {
    /// Starts an array of rows of this shape at the position of `writer`; see [`Writer::new`].
    ///
    /// ```
    /// use std::io::Cursor;
    ///
    /// use npy_core::{NpyArray, ReadNpy, RowWriter};
    ///
    /// let mut writer = RowWriter::<u8, _>::new(Cursor::new(Vec::new()), &[2, 2])?;
    /// for n in 0..3 {
    ///     writer.push_row(&[n; 4])?;
    /// }
    /// let file = writer.finish()?.into_inner();
    /// assert_eq!(NpyArray::<u8>::read_npy_from(&file[..])?.shape(), [3, 2, 2]);
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`create`](RowWriter::create), and [`ErrorKind::Io`](crate::ErrorKind::Io) for a file that was opened for appending.
    pub fn new(writer: W, row: &[usize]) -> Result<Self> {
        WriteOptions::new().row_writer(writer, row)
    }
}

impl<T: Element, W: Write> RowWriter<T, W> {
    /// Creates a writer of rows from a writer of elements, to which no element was added yet.
    pub(super) fn of(mut writer: Writer<T, W>) -> Result<Self> {
        let (row_shape, row) = match &writer.length {
            Length::Grows(growing) => {
                let inner = ItemShape::of(&TypeInfo::of::<T>().canonical_to_write()?).ndim();
                let end = checked::sub(growing.shape().len(), inner);
                (checked::slice(growing.shape(), 1..end).to_vec(), growing.row())
            }
            Length::Stated(_) | Length::Unstated => (Vec::new(), 1),
        };
        // A block has at least one row.
        shape::bytes(&[row], T::SIZE)?;
        writer.pending.align(row, checked::sub(writer.max_elements, writer.written));
        Ok(RowWriter { writer, row_shape, row })
    }

    /// Returns the dimensions of a row, without those of an element that is a sub-array.
    ///
    /// ```
    /// # let dir = tempfile::tempdir()?;
    /// # std::env::set_current_dir(&dir)?;
    /// use npy_core::{RowWriter, save};
    ///
    /// save("weights.npy", &[[0.5f32, 1.0, 1.5]])?;
    /// assert_eq!(RowWriter::<f32>::append("weights.npy")?.row_shape(), [3]);
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    pub fn row_shape(&self) -> &[usize] {
        &self.row_shape
    }

    /// Returns the number of rows of the array, including those that the file had before and those not yet written.
    ///
    /// ```
    /// # let dir = tempfile::tempdir()?;
    /// # std::env::set_current_dir(&dir)?;
    /// use npy_core::{RowWriter, save};
    ///
    /// save("weights.npy", &[[0.5f32, 1.0]])?;
    /// let mut writer = RowWriter::<f32>::append("weights.npy")?;
    /// writer.push_rows(&[1.5, 2.0, 2.5, 3.0])?;
    /// assert_eq!(writer.count(), 3);
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    pub fn count(&self) -> usize {
        match &self.writer.length {
            Length::Grows(growing) => growing.rows_of(self.writer.count()),
            Length::Stated(_) | Length::Unstated => self.writer.count(),
        }
    }

    /// Returns the inner writer. The last rows may not have been written to it yet.
    ///
    /// ```
    /// use std::io::Cursor;
    ///
    /// use npy_core::RowWriter;
    ///
    /// let mut writer = RowWriter::<u8, _>::new(Cursor::new(Vec::new()), &[2])?;
    /// writer.push_row(&[7, 9])?;
    /// writer.flush()?;
    /// assert_eq!(writer.get_ref().get_ref()[128..], [7, 9]);
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    pub fn get_ref(&self) -> &W {
        self.writer.get_ref()
    }

    /// Adds one row. The elements of a row of several dimensions are in C order: the last index changes fastest.
    ///
    /// ```
    /// # let dir = tempfile::tempdir()?;
    /// # std::env::set_current_dir(&dir)?;
    /// use npy_core::{ErrorKind, RowWriter};
    ///
    /// let mut writer = RowWriter::<f32>::create("weights.npy", &[2])?;
    /// writer.push_row(&[0.5, 1.0])?;
    /// let error = writer.push_row(&[1.5]).unwrap_err();
    /// assert!(matches!(error.kind(), ErrorKind::Shape { .. }));
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Shape`](crate::ErrorKind::Shape) for another number of elements than a row has,
    /// [`ErrorKind::InvalidValue`](crate::ErrorKind::InvalidValue) for a value that its dtype cannot hold,
    /// [`ErrorKind::Unsupported`](crate::ErrorKind::Unsupported) if the header of a file that is appended to has no blanks left
    /// for a longer number. After these errors, no byte of the row is written, and the writer can
    /// go on. [`ErrorKind::Io`](crate::ErrorKind::Io) if the inner writer fails or has failed.
    #[inline]
    pub fn push_row(&mut self, row: &[T]) -> Result<()> {
        if row.len() != self.row {
            return self.refuse(row.len(), "");
        }
        self.writer.write_row(row)
    }

    /// Adds rows that are one after the other in a slice.
    ///
    /// ```
    /// # let dir = tempfile::tempdir()?;
    /// # std::env::set_current_dir(&dir)?;
    /// use npy_core::RowWriter;
    ///
    /// let mut writer = RowWriter::<f32>::create("weights.npy", &[2])?;
    /// writer.push_rows(&[0.5, 1.0, 1.5, 2.0])?;
    /// assert_eq!(writer.count(), 2);
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`push_row`](Self::push_row), for the first row that fails: those before it are added, and none after it. If the elements do not
    /// make complete rows, none is added.
    pub fn push_rows(&mut self, mut rows: &[T]) -> Result<()> {
        if rows.len().checked_rem(self.row).unwrap_or(rows.len()) > 0 {
            return self.refuse(rows.len(), ", which do not make complete rows");
        }
        // If no value can be invalid, all rows for which the block has slots are added at once.
        while self.writer.pending.plain.is_some() && !rows.is_empty() {
            let slots = self.writer.located(|writer| writer.prepare(rows.len()))?;
            let (now, later) = checked::split(rows, slots.max(self.row));
            self.writer.write_row(now)?;
            rows = later;
        }
        rows.chunks(self.row.max(1)).try_for_each(|row| self.writer.write_row(row))
    }

    /// Adds the path of the file to an error, if it was opened by one.
    pub(super) fn located<A>(&mut self, result: Result<A>) -> Result<A> {
        self.writer.located(|_| result)
    }

    #[cold]
    fn refuse(&mut self, found: usize, reason: &str) -> Result<()> {
        let row = counted(self.row, "element");
        let reason = format!("a row has {row}, found {found}{reason}");
        self.writer.located(|_| Err(shape::invalid(&self.row_shape, reason)))
    }

    /// Writes the added rows, then their number into the header: from here on the file has them. Also flushes the inner writer.
    ///
    /// ```
    /// # let dir = tempfile::tempdir()?;
    /// # std::env::set_current_dir(&dir)?;
    /// use npy_core::{Header, RowWriter};
    ///
    /// let mut writer = RowWriter::<f32>::create("weights.npy", &[2])?;
    /// writer.push_row(&[0.5, 1.0])?;
    /// assert_eq!(Header::read_npy("weights.npy")?.shape(), [0, 2]);
    /// writer.flush()?;
    /// assert_eq!(Header::read_npy("weights.npy")?.shape(), [1, 2]);
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`Writer::flush`].
    pub fn flush(&mut self) -> Result<()> {
        self.writer.flush()
    }

    /// Drops the writer on purpose; see [`Writer::discard`].
    ///
    /// ```
    /// # let dir = tempfile::tempdir()?;
    /// # std::env::set_current_dir(&dir)?;
    /// use npy_core::WriteOptions;
    ///
    /// let mut writer = WriteOptions::new().atomic(true).create_rows::<f32>("x.npy", &[2])?;
    /// writer.push_row(&[0.5, 1.5])?;
    /// writer.discard();
    /// assert!(!std::fs::exists("x.npy")?);
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    pub fn discard(self) {
        self.writer.discard();
    }

    /// Writes the remaining rows, and returns the inner writer, whose position is after the array.
    ///
    /// ```
    /// # let dir = tempfile::tempdir()?;
    /// # std::env::set_current_dir(&dir)?;
    /// use npy_core::{NpyArray, RowWriter, load};
    ///
    /// let mut writer = RowWriter::<f32>::create("weights.npy", &[2])?;
    /// writer.push_row(&[0.5, 1.0])?;
    /// writer.finish()?;
    /// assert_eq!(load::<NpyArray<f32>>("weights.npy")?.at(&[0, 1]), Some(&1.0));
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`Writer::finish`].
    pub fn finish(self) -> Result<W> {
        self.writer.finish()
    }
}

impl<T: Element, W: Write> Writer<T, W> {
    /// Adds a row, or no byte of it; or the rows that the block has slots for, if no value can be invalid. The caller has checked their length,
    /// and the block is [aligned](block::Pending::align) to rows.
    #[inline]
    fn write_row(&mut self, row: &[T]) -> Result<()> {
        self.located(|writer| {
            if row.is_empty() {
                return writer.growing().map_or(Ok(()), Growing::add_empty_row);
            }
            if writer.prepare(row.len())? < row.len() {
                return Err(writer.full());
            }
            writer.pending.fill_all(row).map_err(|error| {
                block::invalid(error, writer.count()).in_row_of(limits::to_u64(row.len()))
            })
        })
    }

    fn growing(&mut self) -> Option<&mut Growing<W>> {
        match &mut self.length {
            Length::Grows(growing) => Some(growing),
            Length::Stated(_) | Length::Unstated => None,
        }
    }
}

impl<T: Element, W: Write> fmt::Debug for RowWriter<T, W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct(&type_name::<Self>())
            .field("path", &self.writer.file.as_ref().map(|file| &file.path))
            .field("row_shape", &self.row_shape)
            .field("count", &self.count())
            .finish_non_exhaustive()
    }
}

impl WriteOptions {
    /// Creates a file to write rows of this shape to; see [`RowWriter::create`].
    ///
    /// ```
    /// # let dir = tempfile::tempdir()?;
    /// # std::env::set_current_dir(&dir)?;
    /// use npy_core::{ByteOrder, Header, WriteOptions};
    ///
    /// let mut writer = WriteOptions::new().byte_order(ByteOrder::Big).create_rows::<i16>("x.npy", &[2])?;
    /// writer.push_row(&[7, 8])?;
    /// writer.finish()?;
    /// assert_eq!(Header::read_npy("x.npy")?.dtype().to_string(), ">i2");
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`RowWriter::create`].
    pub fn create_rows<T: Element>(
        &self,
        path: impl AsRef<Path>,
        row: &[usize],
    ) -> Result<RowWriter<T, File>> {
        check_row(row)?;
        RowWriter::of(self.create_file(path.as_ref(), row, Existing::Replace)?)
    }

    /// Opens a file to write more rows after those it has; see [`RowWriter::append`]. Its header decides the version and the byte order.
    ///
    /// ```
    /// # let dir = tempfile::tempdir()?;
    /// # std::env::set_current_dir(&dir)?;
    /// use npy_core::{Header, WriteOptions, save};
    ///
    /// save("weights.npy", &[[0.5f32, 1.0]])?;
    /// let mut writer = WriteOptions::new().sync(true).append_rows::<f32>("weights.npy")?;
    /// writer.push_row(&[1.5, 2.0])?;
    /// writer.finish()?;
    /// assert_eq!(Header::read_npy("weights.npy")?.shape(), [2, 2]);
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`RowWriter::append`].
    pub fn append_rows<T: Element>(&self, path: impl AsRef<Path>) -> Result<RowWriter<T, File>> {
        let check = &mut |header: &Header| append::check_rows(TypeInfo::of::<T>(), header);
        RowWriter::of(append::open(self, path.as_ref(), check)?)
    }

    /// Opens a file to write more rows after those it has, or creates it; see [`RowWriter::append_or_create`].
    ///
    /// ```
    /// # let dir = tempfile::tempdir()?;
    /// # std::env::set_current_dir(&dir)?;
    /// use npy_core::{Header, WriteOptions};
    ///
    /// let mut writer = WriteOptions::new().sync(true).append_or_create_rows::<f32>("weights.npy", &[2])?;
    /// writer.push_row(&[1.5, 2.0])?;
    /// writer.finish()?;
    /// assert_eq!(Header::read_npy("weights.npy")?.shape(), [1, 2]);
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`RowWriter::append_or_create`].
    pub fn append_or_create_rows<T: Element>(
        &self,
        path: impl AsRef<Path>,
        row: &[usize],
    ) -> Result<RowWriter<T, File>> {
        let path = path.as_ref();
        check_row(row)?;
        let create = || RowWriter::of(self.create_file(path, row, Existing::Keep)?);
        let writer = append::or_create(|| self.append_rows(path), create)?;
        if writer.row_shape() == row {
            return Ok(writer);
        }
        let reason =
            format!("the rows of the file have the shape {}", shape::repr(writer.row_shape()));
        Err(shape::invalid(row, reason).in_file(path))
    }

    /// Starts an array of rows of this shape in a writer that can seek; see [`RowWriter::new`].
    ///
    /// ```
    /// use std::io::Cursor;
    ///
    /// use npy_core::{ByteOrder, WriteOptions};
    ///
    /// let mut options = WriteOptions::new();
    /// options.byte_order(ByteOrder::Big);
    /// let mut writer = options.row_writer::<u16, _>(Cursor::new(Vec::new()), &[2])?;
    /// writer.push_row(&[7, 9])?;
    /// assert_eq!(writer.finish()?.into_inner()[128..], [0, 7, 0, 9]);
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`RowWriter::new`].
    pub fn row_writer<T: Element, W: Write + Seek>(
        &self,
        writer: W,
        row: &[usize],
    ) -> Result<RowWriter<T, W>> {
        check_row(row)?;
        RowWriter::of(self.start_in(writer, row)?)
    }
}

/// Refuses rows without dimensions, which are single elements.
fn check_row(row: &[usize]) -> Result<()> {
    if !row.is_empty() {
        return Ok(());
    }
    let reason = "a row has at least one dimension; a Writer writes single elements";
    Err(shape::invalid(row, reason))
}
