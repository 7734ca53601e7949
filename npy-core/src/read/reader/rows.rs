//! Rows of an array that are lent one after the other.

use std::fmt;
use std::io::Read;

use super::Reader;
use super::parts::decode_next;
use crate::checked;
use crate::element::block::{BLOCK, Buffers};
use crate::element::cast::Plain;
use crate::element::decode::decode_slice;
use crate::element::typed_plan::{ItemPlan, check_zero_size_items};
use crate::element::{Element, type_name};
use crate::error::{Error, Result};
use crate::limits;
use crate::read::data::RowLayout;
use crate::shape;

/// Makes the rows of [`Reader::rows`].
pub(super) fn rows<R: Read, T: Element>(reader: &mut Reader<R>) -> Result<RowReader<'_, R, T>> {
    let (plan, layout, row_shape, next) = reader.located(|reader| {
        let plan = reader.take_plan::<T>()?;
        let outer = plan.shape(&reader.header);
        let (Some((_, row_shape @ [_, ..])), Some(layout)) =
            (outer.split_first(), RowLayout::of(&reader.header)?)
        else {
            let remedy = "for elements without rows, use records, read_chunk or read_vec";
            let who = format!("Reader::rows::<{}>", type_name::<T>());
            return Err(reader.header.rank(&who, "two or more dimensions", remedy));
        };
        Ok((plan.items, layout, row_shape.to_vec(), reader.data.next_row(&layout)?))
    })?;
    let row = shape::count(&row_shape)?;
    let row_bytes = row.saturating_mul(plan.plan.src_itemsize);
    let is_contiguous =
        plan.plan.is_exact() && !layout.is_strided && (1..=BLOCK).contains(&row_bytes);
    let in_place = T::__INTERNALS.plain().filter(|_| is_contiguous);
    Ok(RowReader {
        reader,
        plan,
        layout,
        row_shape,
        row,
        row_bytes,
        in_place,
        next,
        values: Vec::new(),
        at: 0,
        consumed: 0,
        buffers: Buffers::default(),
        gathered: Vec::new(),
        gather_bytes: GATHER_FIRST_BYTES,
        error: None,
    })
}

/// The size of the first block of gathered rows. It is small, as a program may need only a few rows.
const GATHER_FIRST_BYTES: u64 = 1 << 20;

/// The rows that remain of an array: those that [`Reader::rows`] lends.
///
/// Rows are decoded a block at a time: as many as have 256 KiB, at least one, and at least the number that is requested. Rows that were
/// not lent stay in the reader.
///
/// It is not an iterator, because a row is lent from a buffer that is used again:
///
/// ```
/// use npy_core::{NpyArray, Reader, WriteNpy};
///
/// let mut file = Vec::new();
/// NpyArray::new(vec![1, 2, 3, 4, 5, 6], [3, 2])?.write_npy_to(&mut file)?;
/// let mut reader = Reader::new(&file[..])?;
/// let mut rows = reader.rows::<i32>()?;
/// while let Some(row) = rows.next_row()? {
///     assert_eq!(row[1], row[0] + 1);
/// }
/// # Ok::<(), npy_core::Error>(())
/// ```
pub struct RowReader<'r, R, T> {
    reader: &'r mut Reader<R>,
    plan: ItemPlan,
    layout: RowLayout,
    row_shape: Vec<usize>,
    /// The number of values in a row.
    row: usize,
    /// The number of bytes of a row in the file.
    row_bytes: usize,
    /// The proof that the bytes of a row in the buffer of the reader are its values: if aligned, they are lent as they are.
    in_place: Option<Plain<T>>,
    /// The index of the next row.
    next: usize,
    /// Decoded rows; those from `at` on were not lent yet.
    values: Vec<T>,
    at: usize,
    /// The number of bytes of a value that leave the buffer of the reader when it is lent: none if they were not read by way of the buffer.
    consumed: usize,
    buffers: Buffers,
    /// The bytes of the last block of rows that were gathered, and the size of the next one.
    gathered: Vec<u8>,
    gather_bytes: u64,
    /// The error that comes after the decoded rows.
    error: Option<Error>,
}

impl<R, T> RowReader<'_, R, T> {
    /// Returns the dimensions of a row; elements that are sub-arrays have their own.
    ///
    /// ```
    /// use npy_core::{NpyArray, Reader, WriteNpy};
    ///
    /// let mut file = Vec::new();
    /// NpyArray::new(vec![1, 2, 3, 4, 5, 6], [3, 2])?.write_npy_to(&mut file)?;
    /// let mut reader = Reader::new(&file[..])?;
    /// let rows = reader.rows::<i32>()?;
    /// assert_eq!(rows.row_shape(), [2]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn row_shape(&self) -> &[usize] {
        &self.row_shape
    }

    /// Returns the number of rows left.
    ///
    /// ```
    /// use npy_core::{NpyArray, Reader, WriteNpy};
    ///
    /// let mut file = Vec::new();
    /// NpyArray::new(vec![1, 2, 3, 4, 5, 6], [3, 2])?.write_npy_to(&mut file)?;
    /// let mut reader = Reader::new(&file[..])?;
    /// let rows = reader.rows::<i32>()?;
    /// assert_eq!(rows.len(), 3);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn len(&self) -> usize {
        checked::sub(self.layout.rows, self.next)
    }

    /// Returns true if no row is left.
    ///
    /// ```
    /// use npy_core::{NpyArray, Reader, WriteNpy};
    ///
    /// let mut file = Vec::new();
    /// NpyArray::new(vec![1, 2, 3, 4, 5, 6], [3, 2])?.write_npy_to(&mut file)?;
    /// let mut reader = Reader::new(&file[..])?;
    /// let rows = reader.rows::<i32>()?;
    /// assert!(!rows.is_empty());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl<R: Read, T: Element> RowReader<'_, R, T> {
    /// Lends the next row; `None` after the last one. A row without elements is an empty slice.
    ///
    /// ```
    /// use npy_core::{NpyArray, Reader, WriteNpy};
    ///
    /// let mut file = Vec::new();
    /// NpyArray::new(vec![1, 2, 3, 4, 5, 6], [3, 2])?.write_npy_to(&mut file)?;
    /// let mut reader = Reader::new(&file[..])?;
    /// let mut rows = reader.rows::<i32>()?;
    /// while let Some(row) = rows.next_row()? {
    ///     assert_eq!(row.len(), 2);
    /// }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Truncated`](crate::ErrorKind::Truncated) and [`ErrorKind::InvalidValue`](crate::ErrorKind::InvalidValue) after the
    /// complete, valid rows before; [`ErrorKind::Io`](crate::ErrorKind::Io). Every later call fails too.
    #[inline]
    pub fn next_row(&mut self) -> Result<Option<&[T]>> {
        if self.row_in_place() {
            Ok(Some(self.lend_in_place()))
        } else if self.at < self.values.len() && self.consumed > 0 {
            Ok(Some(self.lend_buffered()))
        } else {
            self.next_row_of_block()
        }
    }

    /// Lends the first row of the next block.
    #[cold]
    #[inline(never)]
    fn next_row_of_block(&mut self) -> Result<Option<&[T]>> {
        if self.in_place.is_some() && !self.is_empty() {
            self.refill(1, true)?;
        }
        match self.row_in_place() {
            true => Ok(Some(self.lend_in_place())),
            false => self.next_rows(1),
        }
    }

    /// Returns true if the next row is in the buffer of the reader, where its bytes are its values.
    #[inline]
    fn row_in_place(&self) -> bool {
        let Some(plain) = &self.in_place else { return false };
        let row = self.reader.data.source.buffered().get(..self.row_bytes);
        // After the last row, the buffer may have bytes that follow the array.
        let is_next = self.at == self.values.len() && self.next < self.layout.rows;
        is_next && row.is_some_and(|row| plain.values(row).is_some())
    }

    #[inline]
    fn lend_in_place(&mut self) -> &[T] {
        self.next = self.next.wrapping_add(1);
        let start = self.reader.data.source.consume(self.row_bytes);
        let bytes = self.reader.data.source.buffer_bytes();
        let row = checked::slice(bytes, start..checked::add(start, self.row_bytes));
        checked::some(self.in_place.as_ref().and_then(|plain| plain.values(row)))
    }

    /// Lends one of the decoded rows, with as few steps as possible: this runs for each row. The rows are complete, have elements, and their
    /// bytes are in the buffer of the reader.
    #[inline]
    fn lend_buffered(&mut self) -> &[T] {
        let start = self.at;
        self.at = start.wrapping_add(self.row);
        self.next = self.next.wrapping_add(1);
        self.reader.data.source.consume(self.row.wrapping_mul(self.consumed));
        checked::slice(&self.values, start..self.at)
    }

    /// Lends the next `n` rows, one after the other in a slice: fewer only at the end of the array, or before an error. Returns `None` after
    /// the last row (or if `n` is zero).
    ///
    /// Takes the memory of `n` rows if they have more than a block.
    ///
    /// ```
    /// use npy_core::{NpyArray, Reader, WriteNpy};
    ///
    /// let mut file = Vec::new();
    /// NpyArray::new(vec![1, 2, 3, 4, 5, 6], [3, 2])?.write_npy_to(&mut file)?;
    /// let mut reader = Reader::new(&file[..])?;
    /// let mut rows = reader.rows::<i32>()?;
    /// assert_eq!(rows.next_rows(2)?, Some(&[1, 2, 3, 4][..]));
    /// assert_eq!(rows.next_rows(2)?, Some(&[5, 6][..]));
    /// assert_eq!(rows.next_rows(2)?, None);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`next_row`](Self::next_row).
    #[inline]
    pub fn next_rows(&mut self, n: usize) -> Result<Option<&[T]>> {
        let wanted = n.min(self.len());
        if wanted == 0 {
            return Ok(None);
        }
        let values = wanted.saturating_mul(self.row);
        if checked::sub(self.values.len(), self.at) < values {
            self.refill(wanted, false)?;
        }
        let start = self.at;
        self.at = self.values.len().min(start.saturating_add(values));
        let values = checked::sub(self.at, start);
        self.reader.data.source.consume(checked::mul(values, self.consumed));
        // Rows without values are all there.
        let rows = values.checked_div(self.row).unwrap_or(wanted);
        self.next = checked::add(self.next, rows);
        self.reader.data.pass_rows(&self.layout, self.next);
        Ok(Some(checked::slice(&self.values, start..self.at)))
    }

    /// Decodes at least the next `n` rows, or those before an error. Rows that were decoded ahead are decoded again. `in_place`: only fills
    /// the buffer, if the next row can be lent from there.
    #[cold]
    #[inline(never)]
    fn refill(&mut self, n: usize, in_place: bool) -> Result<()> {
        if self.error.is_some() && self.at < self.values.len() {
            return Ok(());
        }
        if let Some(error) = self.error.take() {
            return Err(self.failed(error));
        }
        self.reader.located(|reader| reader.data.next_row(&self.layout))?;
        self.values.clear();
        (self.at, self.consumed) = (0, 0);
        let bytes = n.saturating_mul(self.row).saturating_mul(self.plan.plan.src_itemsize);
        let decoded = if self.layout.is_strided {
            self.decode_strided(n)
        } else if bytes == 0 || bytes > BLOCK {
            self.decode_directly(n)
        } else {
            self.decode_buffered(n, in_place)
        };
        let Err(error) = decoded else { return Ok(()) };
        let error = self.reader.in_file(error.in_row_of(limits::to_u64(self.row)));
        let part = self.values.len().checked_rem(self.row).unwrap_or(0);
        self.values.truncate(checked::sub(self.values.len(), part));
        if self.values.is_empty() {
            return Err(self.failed(error));
        }
        self.error = Some(error);
        Ok(())
    }

    /// Every later call fails, too.
    fn failed(&mut self, error: Error) -> Error {
        self.reader.data.lose();
        self.in_place = None;
        error
    }

    /// Decodes rows that are buffered, and leaves them there until they are lent: a multiple of `n`, if possible, so that none is decoded twice.
    fn decode_buffered(&mut self, n: usize, in_place: bool) -> Result<()> {
        let RowReader { reader, plan, row, .. } = self;
        let (size, wanted) = (plan.plan.src_itemsize, n.saturating_mul(*row));
        let block = plan.per_block.checked_div(wanted).unwrap_or(0).max(1).saturating_mul(wanted);
        let most = block.min(reader.items_left(plan));
        let bytes = limits::to_u64(checked::mul(most, size));
        let found = reader.data.source.buffer(wanted.saturating_mul(size), bytes)?;
        let items = found.checked_div(size).unwrap_or(0).min(most);
        let multiple = if items < wanted { *row } else { wanted };
        let count = checked::sub(items, items.checked_rem(multiple).unwrap_or(0));
        if count == 0 {
            return Err(reader.data.ended());
        }
        if in_place && self.row_in_place() {
            return Ok(());
        }
        let RowReader { reader, plan, values, buffers, consumed, .. } = self;
        *consumed = size;
        let first = reader.next_row(plan);
        let found = checked::slice(reader.data.source.buffered(), 0..checked::mul(count, size));
        decode_slice(plan, first, found, count, buffers, values)
    }

    /// Decodes the next `n` rows, and no more.
    fn decode_directly(&mut self, n: usize) -> Result<()> {
        let RowReader { reader, plan, values, row, .. } = self;
        let count = reader.allowed_items::<T>(plan, n.saturating_mul(*row))?;
        decode_next(reader, plan, count, values)
    }

    /// Gathers and decodes at least the next `n` rows of a file in Fortran order.
    fn decode_strided(&mut self, n: usize) -> Result<()> {
        let RowReader { reader, plan, layout, values, buffers, gathered, .. } = self;
        // Only the rows that were asked for can exceed the limits: those ahead keep to them.
        let asked = n.min(checked::sub(layout.rows, self.next));
        let empty = asked.saturating_mul(self.row);
        check_zero_size_items::<T>(&plan.plan, empty, &reader.limits)?;
        reader.limits.check_array(layout.bytes(asked, &reader.header))?;
        let most = self.gather_bytes.min(reader.limits.array_bytes.unwrap_or(u64::MAX));
        self.gather_bytes = self.gather_bytes.saturating_mul(4).min(gather_most(layout));
        let ahead = match layout.bytes(1, &reader.header) {
            0 => n,
            bytes => usize::try_from(most.checked_div(bytes).unwrap_or(0)).unwrap_or(usize::MAX),
        };
        // A multiple of `n`, so that no row is gathered twice.
        let count = ahead.checked_div(n).unwrap_or(0).max(1).saturating_mul(n);
        let rows = self.next..self.next.saturating_add(count).min(layout.rows);
        let first = self.next.saturating_mul(self.row);
        let count = shape::count(&[rows.len(), self.row])?;
        reader.gather_rows(layout, rows, gathered)?;
        decode_slice(plan, first, gathered, count, buffers, values)
    }
}

/// Returns the largest size of a block of strided rows: each element of a row takes one read, which should not be too small.
fn gather_most(layout: &RowLayout) -> u64 {
    const READ_BYTES: u64 = 16 << 10;
    limits::to_u64(layout.elements).saturating_mul(READ_BYTES).clamp(GATHER_FIRST_BYTES, 32 << 20)
}

impl<R, T> fmt::Debug for RowReader<'_, R, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RowReader")
            .field("row_shape", &self.row_shape)
            .field("left", &self.len())
            .finish_non_exhaustive()
    }
}
