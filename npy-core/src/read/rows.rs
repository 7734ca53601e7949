//! Rows of an array that are lent one after the other.

use std::fmt;
use std::io::Read;
use std::mem;
use std::ops::Range;

use super::data::RowLayout;
use super::reader::Reader;
use crate::checked;
use crate::element::block::{self, BLOCK, Buffers};
use crate::element::decode::{decode, decode_items};
use crate::element::typed_plan::ItemPlan;
use crate::element::{Element, type_name};
use crate::error::{Error, Result};
use crate::limits;
use crate::reserve;
use crate::shape;

impl<R: Read> Reader<R> {
    /// Reads the rows that remain of an array of two or more dimensions, one or several at a time, into a buffer that is used again. A row is
    /// everything after the first dimension, as `for row in array` in NumPy; its elements are in C order.
    ///
    /// ```
    /// use npy_core::{NpyArray, Reader, WriteNpy};
    ///
    /// let mut file = Vec::new();
    /// NpyArray::new((0..12).collect(), [4, 3])?.write_npy_to(&mut file)?;
    ///
    /// let mut reader = Reader::new(&file[..])?;
    /// let mut rows = reader.rows::<i32>()?;
    /// assert_eq!(rows.row_shape(), [3]);
    /// assert_eq!(rows.next_row()?, Some(&[0, 1, 2][..]));
    /// while let Some(two) = rows.next_rows(2)? {
    ///     for row in two.chunks(3) {
    ///         println!("{row:?}");
    ///     }
    /// }
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    ///
    /// # Fortran order
    ///
    /// In a file in Fortran order, the elements of a row are far apart, and so rows are gathered:
    ///
    /// - From a regular file that was opened by its path, blocks of rows are gathered: each takes a read for each element of a row, or fewer if
    ///   the array has few rows. A block has 1 to 32 MiB (16 KiB for each of these reads), and is decoded into as much memory again.
    /// - Any other source is read into memory completely before the first row.
    ///
    /// After some of the rows, nothing but more rows can be read from such a reader, until it [seeks](Self::seek_to).
    ///
    /// # Errors
    ///
    /// As [`Reader::read_vec`]; [`ErrorKind::Rank`](crate::ErrorKind::Rank) for an array of fewer dimensions, which [`records`](Self::records)
    /// and [`read_chunk`](Self::read_chunk) read; [`ErrorKind::Unsupported`](crate::ErrorKind::Unsupported) if a part of a row was read before.
    pub fn rows<T: Element>(&mut self) -> Result<RowReader<'_, R, T>> {
        let (plan, layout, row_shape, next) = self.located(|reader| {
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
        Ok(RowReader {
            reader: self,
            plan,
            layout,
            row_shape,
            row,
            next,
            values: Vec::new(),
            at: 0,
            is_ahead: true,
            buffers: Buffers::default(),
            gathered: Vec::new(),
            gather_bytes: GATHER_FIRST_BYTES,
            error: None,
        })
    }
}

/// The size of the first block of gathered rows. It is small, as a program may need only a few rows.
const GATHER_FIRST_BYTES: u64 = 1 << 20;

/// The rows that remain of an array: those that [`Reader::rows`] lends.
///
/// Rows are decoded a block at a time: as many as have 256 KiB, at least one, and at least the number that is requested. Rows that were
/// not lent stay in the reader.
pub struct RowReader<'r, R, T> {
    reader: &'r mut Reader<R>,
    plan: ItemPlan,
    layout: RowLayout,
    row_shape: Vec<usize>,
    /// The number of values in a row.
    row: usize,
    /// The index of the next row.
    next: usize,
    /// Decoded rows; those from `at` on were not lent yet.
    values: Vec<T>,
    at: usize,
    /// True if the reader is still at the first row that was not lent; otherwise it is after all decoded rows.
    is_ahead: bool,
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
        self.layout.rows.saturating_sub(self.next)
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
        if self.at < self.values.len() && self.is_ahead && !self.layout.is_strided && self.row > 0 {
            return Ok(Some(self.lend_decoded()));
        }
        self.next_rows(1)
    }

    /// Lends one of the decoded rows, with as few steps as possible: this runs for each row. The rows are complete, have elements, and their
    /// bytes are buffered in the reader.
    #[inline]
    fn lend_decoded(&mut self) -> &[T] {
        let start = self.at;
        self.at = start.wrapping_add(self.row);
        self.next = self.next.wrapping_add(1);
        self.reader.data.source.consume(self.row.wrapping_mul(self.plan.plan.src_itemsize));
        self.values.get(start..self.at).unwrap_or_default()
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
        if self.values.len().saturating_sub(self.at) < values {
            self.refill(wanted)?;
        }
        let start = self.at;
        let end = self.values.len().min(start.saturating_add(values));
        self.at = end;
        self.lend(end.saturating_sub(start), wanted);
        Ok(Some(self.values.get(start..end).unwrap_or_default()))
    }

    /// Moves past rows of this many values, or past `empty` rows of none.
    #[inline]
    fn lend(&mut self, values: usize, empty: usize) {
        let rows = values.checked_div(self.row).unwrap_or(empty);
        if self.is_ahead {
            if !self.layout.is_strided {
                self.reader.data.source.consume(values.saturating_mul(self.plan.plan.src_itemsize));
            }
            self.reader.data.pass_rows(&self.layout, self.next.saturating_add(rows));
        }
        self.next = self.next.saturating_add(rows);
    }

    /// Decodes at least the next `n` rows, or those before an error. Rows that were decoded ahead are decoded again.
    #[cold]
    #[inline(never)]
    fn refill(&mut self, n: usize) -> Result<()> {
        if self.error.is_some() && self.at < self.values.len() {
            return Ok(());
        }
        if let Some(error) = self.error.take() {
            self.reader.data.lose();
            return Err(error);
        }
        self.reader.located(|reader| reader.data.next_row(&self.layout))?;
        self.values.clear();
        self.at = 0;
        let size = limits::to_u64(self.plan.plan.src_itemsize);
        let bytes = size.saturating_mul(limits::to_u64(n.saturating_mul(self.row)));
        let decoded = if self.layout.is_strided {
            self.decode_strided(n)
        } else if bytes == 0 || bytes > limits::to_u64(BLOCK) {
            self.decode_directly(n)
        } else {
            self.decode_ahead(n)
        };
        let Err(error) = decoded else { return Ok(()) };
        let error = self.reader.in_file(error.in_row_of(limits::to_u64(self.row)));
        let part = self.values.len().checked_rem(self.row).unwrap_or(0);
        self.values.truncate(self.values.len().saturating_sub(part));
        if self.values.is_empty() {
            self.reader.data.lose();
            return Err(error);
        }
        self.error = Some(error);
        Ok(())
    }

    /// Decodes rows that are buffered, and leaves them there: a multiple of `n`, if possible, so that none is decoded twice.
    fn decode_ahead(&mut self, n: usize) -> Result<()> {
        let RowReader { reader, plan, values, buffers, .. } = self;
        let (size, wanted) = (plan.plan.src_itemsize, n.saturating_mul(self.row));
        let block = plan.per_block.checked_div(wanted).unwrap_or(0).max(1).saturating_mul(wanted);
        let most = block.min(reader.items_left(plan));
        let bytes = limits::to_u64(most.saturating_mul(size));
        let found = reader.data.source.buffer(wanted.saturating_mul(size), bytes)?;
        let items = found.checked_div(size).unwrap_or(0).min(most);
        let multiple = if items < wanted { self.row } else { wanted };
        let count = items.saturating_sub(items.checked_rem(multiple).unwrap_or(0));
        if count == 0 {
            return Err(reader.data.ended());
        }
        self.is_ahead = true;
        reserve::growing(values, count)?;
        let items = reader.data.source.buffered();
        let items = items.get(..count.saturating_mul(size)).unwrap_or(items);
        decode_items(&plan.plan, items, count, buffers, values)
            .map_err(|error| block::invalid(error, reader.next_row(plan)))
    }

    /// Decodes the next `n` rows, and no more.
    fn decode_directly(&mut self, n: usize) -> Result<()> {
        let RowReader { reader, plan, values, buffers, .. } = self;
        let count = reader.allowed_items::<T>(plan, n.saturating_mul(self.row))?;
        self.is_ahead = false;
        let mut block = mem::take(buffers);
        let decode =
            |n, buffers: &mut Buffers, out: &mut Vec<T>| decode(&plan.plan, n, buffers, out);
        let decoded = reader.decode_next(plan, count, &mut block, values, decode);
        *buffers = block.kept();
        decoded
    }

    /// Gathers and decodes at least the next `n` rows of a file in Fortran order.
    fn decode_strided(&mut self, n: usize) -> Result<()> {
        let RowReader { reader, plan, layout, values, buffers, gathered, .. } = self;
        let row_bytes = layout.bytes(1, &reader.header).max(1);
        let rows = self.gather_bytes.checked_div(row_bytes).unwrap_or(0);
        let rows = usize::try_from(rows).unwrap_or(usize::MAX);
        // Only the rows that were asked for can exceed the limits: those ahead keep to them.
        let asked = n.min(checked::sub(layout.rows, self.next));
        plan.check_zero_size_items::<T>(asked.saturating_mul(self.row), &reader.limits)?;
        reader.limits.check_array(layout.bytes(asked, &reader.header))?;
        let most =
            reader.limits.array_bytes.unwrap_or(u64::MAX).checked_div(row_bytes).unwrap_or(0);
        let rows = rows.min(usize::try_from(most).unwrap_or(usize::MAX));
        let rows = if plan.plan.src_itemsize == 0 { n } else { rows };
        // A multiple of `n`, so that no row is gathered twice.
        let rows = rows.checked_div(n).unwrap_or(0).max(1).saturating_mul(n);
        let rows = self.next..self.next.saturating_add(rows).min(layout.rows);
        self.gather_bytes = self.gather_bytes.saturating_mul(4).min(gather_most(layout));
        let count = rows.len().saturating_mul(self.row);
        let first = self.next.saturating_mul(self.row);
        reader.gather_rows(layout, rows, gathered)?;
        self.is_ahead = true;
        let size = plan.plan.src_itemsize;
        let fill = &mut |block: &mut Vec<u8>, items: Range<usize>| {
            block.clear();
            let gathered_at = checked::sub(items.start, first)..checked::sub(items.end, first);
            block.extend_from_slice(block::bytes_of(gathered, gathered_at, size));
            Ok((items.len(), None))
        };
        let decode =
            |n, buffers: &mut Buffers, out: &mut Vec<T>| decode(&plan.plan, n, buffers, out);
        let items = first..first.saturating_add(count);
        block::decode_blocks(plan.per_block, items, buffers, values, fill, decode)
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
