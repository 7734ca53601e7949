//! Elements in parts: one by one, in chunks, or one field of each. An iterator owns the block that it decodes, and the reader, or it borrows
//! the reader; whatever it does not return stays in the reader, as the bytes of an element leave the buffer when it is returned.

use std::fmt;
use std::io::{Read, Seek};
use std::marker::PhantomData;
use std::mem;
use std::ops::DerefMut;

use super::Reader;
use super::whole::{fill_parts, next_blocks, swap_in_place, values};
use crate::array::NpyArray;
use crate::checked;
use crate::dynamic::DynArray;
use crate::element::block::{self, BLOCK, Buffers};
use crate::element::cast::{Replaced, Values};
use crate::element::decode::{decode, valid};
use crate::element::type_info::TypeInfo;
use crate::element::typed_plan::ItemPlan;
use crate::element::{Element, InvalidValue, type_name};
use crate::error::{Error, Result};
use crate::limits;
use crate::read::data::RowLayout;
use crate::shape::{self, Order};
#[cfg(feature = "serde")]
use crate::{
    dtype::DType,
    limits::Limits,
    plan::{Cast, Plan},
};

/// The remedy for sub-arrays of a file in Fortran order.
pub(super) const ROWS_OR_WHOLE: &str = "Reader::rows of their elements, which gathers each row, from the start or after seek_to_row, or the whole array: read_vec or read_array";

/// Makes the iterator of [`Reader::records`] and [`Reader::into_records`].
pub(super) fn records<O, R, T>(mut reader: O) -> Result<Records<O, T>>
where
    O: DerefMut<Target = Reader<R>>,
    R: Read,
    T: Element,
{
    let plan = reader.located(|reader| {
        reader.data.check()?;
        let plan = reader.take_plan::<T>()?;
        plan.check_contiguous(ROWS_OR_WHOLE)?;
        Ok(plan)
    })?;
    Ok(Records { items: Items::new(reader, plan.items, T::check), of: PhantomData })
}

/// Reads the chunk of [`Reader::read_chunk`].
#[inline]
pub(super) fn chunk<R: Read, T: Element>(
    reader: &mut Reader<R>,
    out: &mut Vec<T>,
    max: usize,
) -> Result<usize> {
    match decode_buffered(reader, out, max) {
        Some(count) => Ok(count),
        None => next_chunk(reader, out, max),
    }
}

/// Reads a chunk, also if it is not buffered yet.
#[inline(never)]
fn next_chunk<R: Read, T: Element>(
    reader: &mut Reader<R>,
    out: &mut Vec<T>,
    max: usize,
) -> Result<usize> {
    reader.with_plan::<T, _>(|reader, plan| {
        plan.check_contiguous(ROWS_OR_WHOLE)?;
        let count = reader.allowed_items::<T>(&plan.items, max)?;
        decode_next(reader, &plan.items, count, out).map(|()| count)
    })
}

/// Reads the values of [`Reader::read_into`].
#[inline]
pub(super) fn into_slice<R: Read, T: Element>(reader: &mut Reader<R>, out: &mut [T]) -> Result<()> {
    let count = out.len();
    let mut replaced = Replaced(out);
    match decode_buffered(reader, &mut replaced, count) {
        Some(_) => Ok(()),
        None => next_into_slice(reader, replaced.0),
    }
}

/// Reads the next values into `out`, also if they are not buffered yet.
#[inline(never)]
fn next_into_slice<R: Read, T: Element>(reader: &mut Reader<R>, out: &mut [T]) -> Result<()> {
    reader.with_plan::<T, _>(|reader, plan| {
        plan.check_contiguous(ROWS_OR_WHOLE)?;
        let plan = &plan.items;
        let count = reader.allowed_items::<T>(plan, out.len())?;
        if count < out.len() {
            return Err(reader.too_few(count, out.len()));
        }
        let bytes = limits::to_u64(count).saturating_mul(limits::to_u64(plan.plan.src_itemsize));
        reader.data.check_exist(bytes)?;
        let is_large = bytes >= limits::to_u64(BLOCK) && plan.plan.is_in_place();
        let Some(plain) = T::__INTERNALS.plain().filter(|_| is_large) else {
            return decode_next(reader, plan, count, &mut Replaced(out));
        };
        let part = checked::mul(plan.per_block, T::SIZE);
        reader.data.lose();
        let swap = |part: &mut [u8]| swap_in_place::<T>(plan, part);
        fill_parts(reader, plain.bytes_mut(out), part, &swap)?;
        reader.data.resume();
        Ok(())
    })
}

/// Decodes the next `max` values, if all of them are buffered, valid and canonical in the file.
///
/// This is the fast path of small chunks.
#[inline]
fn decode_buffered<R: Read, T: Element>(
    reader: &mut Reader<R>,
    out: &mut impl Values<T>,
    max: usize,
) -> Option<usize> {
    let plan = reader.plan.as_ref().filter(|plan| plan.is_for::<T>() && !plan.is_strided)?;
    let plan = &plan.items;
    let bytes = max.checked_mul(T::SIZE).filter(|&bytes| bytes > 0)?;
    let items = reader.data.source.buffered().get(..bytes)?;
    if !plan.plan.is_exact()
        || !reader.data.is_between(plan.per_item)
        || !reader.data.has_left(bytes)
        || reader.limits.check_array(limits::to_u64(bytes)).is_err()
        || T::check(items).is_err()
    {
        return None;
    }
    out.reserve(max).ok()?;
    out.append(Few { items, of: PhantomData });
    reader.data.source.consume(bytes);
    Some(max)
}

/// Iterates over a few canonical items. The item size is a constant here; `chunks_exact` would load and check it at run time.
struct Few<'b, T> {
    items: &'b [u8],
    of: PhantomData<T>,
}

impl<T: Element> Iterator for Few<'_, T> {
    type Item = T;

    #[inline(always)]
    fn next(&mut self) -> Option<T> {
        let (item, rest) = self.items.split_at_checked(T::SIZE)?;
        self.items = rest;
        Some(T::decode(item))
    }
}

/// Decodes the next `count` values, block by block, in the buffers of the reader.
pub(super) fn decode_next<R: Read, T: Element>(
    reader: &mut Reader<R>,
    plan: &ItemPlan,
    count: usize,
    out: &mut impl Values<T>,
) -> Result<()> {
    let mut buffers = mem::take(&mut reader.buffers);
    let read = next_blocks(reader, plan, count, &mut buffers, out, |n, buffers, out| {
        decode(&plan.plan, n, buffers, out)
    });
    if reader.remaining() > 0 {
        reader.buffers = buffers.kept();
    }
    read
}

/// Reads the column of [`Reader::read_column`].
pub(super) fn column<R: Read, F: Element>(reader: &mut Reader<R>, path: &str) -> Result<Vec<F>> {
    reader.located(|reader| {
        reader.header.without_objects()?;
        let plan = TypeInfo::of::<F>().column_plan(reader.header.dtype(), path, reader.cast)?;
        let plan = ItemPlan::of_elements(plan, &reader.header);
        let shape = reader.header.shape().to_vec();
        let is_c = reader.header.order().normalized(&shape) == Order::C;
        let is_over = reader.data.elements_left() == 0;
        // Nothing is left because of a seek, or because there are no elements.
        let is_empty = is_over && (reader.data.at_end || shape.contains(&0));
        if (is_over || !is_c) && !is_empty {
            reader.check_nothing_read()?;
        }
        if is_c || is_empty {
            return values(reader, &plan, false);
        }
        let column = NpyArray::with_order(values(reader, &plan, false)?, shape, Order::Fortran)?;
        Ok(column.into_order(Order::C).into_vec_memory_order())
    })
}

/// Reads the rows of [`Reader::read_dyn_chunk`].
pub(super) fn dyn_chunk<R: Read>(reader: &mut Reader<R>, n: usize) -> Result<DynArray> {
    reader.located(|reader| {
        reader.header.without_objects()?;
        let Some(layout) = RowLayout::of(&reader.header)? else {
            let remedy = "read a single element with read_dyn";
            let who = format!("{} in parts", type_name::<DynArray>());
            return Err(reader.header.rank(&who, "one or more dimensions", remedy));
        };
        let first = reader.data.next_row(&layout)?;
        let rows = first..first.saturating_add(n).min(layout.rows);
        let mut shape = reader.header.shape().to_vec();
        if let Some(length) = shape.first_mut() {
            *length = rows.len();
        }
        let header = reader.header.with_shape(shape, Order::C)?;
        reader.limits.check_array(header.data_bytes())?;
        let mut data = Vec::new();
        if layout.is_strided {
            reader.gather_rows(&layout, rows.clone(), &mut data)?;
        } else {
            next_bytes(reader, header.data_bytes(), &mut data)?;
        }
        reader.data.pass_rows(&layout, rows.end);
        let array = DynArray::from_parts(header, data)?.with_limits(reader.limits);
        match reader.order {
            Some(order) => array.to_order(order),
            None => Ok(array),
        }
    })
}

/// Reads the next bytes.
fn next_bytes<R: Read>(reader: &mut Reader<R>, bytes: u64, out: &mut Vec<u8>) -> Result<()> {
    let data = &mut reader.data;
    data.check_exist(bytes)?;
    let wanted = limits::to_usize(bytes)?;
    let left = data.bytes_left();
    data.lose();
    if data.source.fill(out, wanted, left)? < wanted {
        return Err(data.ended());
    }
    data.resume();
    Ok(())
}

/// Moves to a row along the dimension that changes slowest in the file, or, `by_rows`, along the first one.
pub(super) fn seek<R: Read + Seek>(
    reader: &mut Reader<R>,
    row: usize,
    by_rows: bool,
) -> Result<()> {
    reader.located(|reader| {
        let shape = reader.header.shape();
        let (&rows, inner) = match reader.header.order() {
            Order::Fortran if !by_rows => shape.split_last(),
            _ => shape.split_first(),
        }
        .unwrap_or((&1, &[]));
        if row > rows {
            let reason = match by_rows || reader.header.order().normalized(shape) == Order::C {
                true => format!("no row {row}: the array has {rows}"),
                false => format!(
                    "no position {row} of {rows} in the last dimension; in Fortran order, seek_to_row moves to a row"
                ),
            };
            return Err(shape::invalid(shape, reason));
        }
        match RowLayout::of(&reader.header)? {
            Some(layout) if by_rows && layout.is_strided => reader.data.seek_strided(&layout, row),
            _ => reader.data.seek(row, rows, shape::bytes_in_file(inner, 1)?),
        }
    })
}

impl<R> Reader<R> {
    /// The error for more elements than the array has left.
    fn too_few(&self, left: usize, wanted: usize) -> Error {
        let left = match left {
            1 => "1 element is left".to_owned(),
            n => format!("{n} elements are left"),
        };
        let are = if wanted == 1 { "is" } else { "are" };
        let reason = format!("{left}, and {wanted} {are} expected; nothing was read");
        shape::invalid(self.header.shape(), reason)
    }
}

/// The iterator of [`Reader::records`], which borrows its reader (`O` is `&mut Reader<R>`), and of [`Reader::into_records`], which owns it
/// (`O` is `Box<Reader<R>>`).
pub struct Records<O, T> {
    items: Items<O>,
    of: PhantomData<T>,
}

/// The iterator of [`Reader::into_records`].
pub type IntoRecords<R, T> = Records<Box<Reader<R>>, T>;

impl<O: DerefMut<Target = Reader<R>>, R: Read, T: Element> Iterator for Records<O, T> {
    type Item = Result<T>;

    #[inline]
    fn next(&mut self) -> Option<Result<T>> {
        Some(self.items.advance()?.map(|()| T::decode(self.items.item(T::SIZE))))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        // One more item if an error comes last.
        (0, self.len().checked_add(1))
    }

    // `sum`, `for_each` and adapters call this: it decodes a block in one loop.
    #[inline]
    fn fold<A, F: FnMut(A, Result<T>) -> A>(mut self, first: A, mut f: F) -> A {
        let mut folded = first;
        while let Some(item) = self.next() {
            folded = f(folded, item);
            folded = self
                .items
                .fold_block(T::SIZE, folded, |folded, item| f(folded, Ok(T::decode(item))));
        }
        folded
    }
}

impl<O: DerefMut<Target = Reader<R>>, R, T> Records<O, T> {
    /// Returns the number of elements left. An error ends the iteration earlier, so this is not an [`ExactSizeIterator`].
    ///
    /// ```
    /// use npy_core::{Reader, WriteNpy};
    ///
    /// let mut file = Vec::new();
    /// [1.0, 2.0, 3.0].write_npy_to(&mut file)?;
    /// let mut reader = Reader::new(&file[..])?;
    /// let mut values = reader.records::<f64>()?;
    /// values.next();
    /// assert_eq!(values.len(), 2);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn len(&self) -> usize {
        self.items.len()
    }

    /// Returns true if no element is left.
    ///
    /// ```
    /// use npy_core::{Reader, WriteNpy};
    ///
    /// let mut file = Vec::new();
    /// [1.0, 2.0, 3.0].write_npy_to(&mut file)?;
    /// let mut reader = Reader::new(&file[..])?;
    /// assert!(!reader.records::<f64>()?.is_empty());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl<O: DerefMut<Target = Reader<R>>, R, T> fmt::Debug for Records<O, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Records").field("left", &self.len()).finish_non_exhaustive()
    }
}

/// Canonical elements one by one, read a block at a time.
pub(crate) struct Items<O> {
    reader: O,
    plan: ItemPlan,
    /// Finds elements that are not valid values.
    check: fn(&[u8]) -> Result<(), InvalidValue>,
    buffers: Buffers,
    /// The offset of the element in [`bytes`](Self::bytes).
    at: usize,
    /// The number of elements after it in the block.
    left: usize,
    /// The error that comes after the elements of the block.
    error: Option<Error>,
}

impl<O: DerefMut<Target = Reader<R>>, R> Items<O> {
    fn new(reader: O, plan: ItemPlan, check: fn(&[u8]) -> Result<(), InvalidValue>) -> Self {
        let buffers = Buffers::default();
        Items { reader, plan, check, buffers, at: 0, left: 0, error: None }
    }

    /// Creates an iterator over the bytes of the elements that remain, if `check` allows their dtype and number.
    #[cfg(feature = "serde")]
    pub(crate) fn of_elements(
        mut reader: O,
        check: impl FnOnce(&DType, usize, &Limits) -> Result<()>,
    ) -> Result<Self> {
        let plan = reader.located(|reader| {
            reader.data.check()?;
            reader.header.without_objects()?;
            let dtype = reader.header.dtype();
            check(dtype, reader.remaining(), &reader.limits)?;
            Ok(ItemPlan::of_elements(Plan::new(dtype, dtype, Cast::Exact)?, &reader.header))
        })?;
        Ok(Items::new(reader, plan, |_| Ok(())))
    }

    #[cfg(feature = "serde")]
    pub(crate) fn reader(&self) -> &Reader<R> {
        &self.reader
    }

    /// Returns the number of elements after this one.
    pub(crate) fn len(&self) -> usize {
        self.reader.items_left(&self.plan)
    }

    /// Returns the bytes of the element that [`advance`](Self::advance) went to. The size is a parameter, so that it can be a constant in the compiled loop.
    #[inline]
    pub(crate) fn item<'i>(&'i self, itemsize: usize) -> &'i [u8]
    where
        R: 'i,
    {
        checked::slice(self.bytes(), self.at..self.at.wrapping_add(itemsize))
    }

    /// Returns the buffer that holds the canonical elements of the block: the read-ahead buffer, if the elements are canonical in the file.
    #[inline]
    fn bytes<'i>(&'i self) -> &'i [u8]
    where
        R: 'i,
    {
        match self.plan.plan.is_exact() {
            true => self.reader.data.source.buffer_bytes(),
            false => self.buffers.result(&self.plan.plan),
        }
    }

    /// Returns the index of this element.
    #[cfg(feature = "serde")]
    pub(crate) fn index(&self) -> usize {
        self.reader.next_row(&self.plan).saturating_sub(1)
    }

    /// Folds the remaining elements of the block. If `f` panics, the position of the reader is unknown.
    #[inline]
    fn fold_block<A>(&mut self, itemsize: usize, first: A, f: impl FnMut(A, &[u8]) -> A) -> A {
        let Items { reader, plan, buffers, at, left, .. } = self;
        let (data, items) = (&mut reader.data, &plan.plan);
        let bytes = checked::mul(*left, itemsize);
        // Values without bytes are iterated over one by one.
        if bytes == 0 {
            return first;
        }
        data.lose();
        let block = if items.is_exact() {
            data.source.buffered()
        } else {
            checked::tail(buffers.result(items), at.wrapping_add(itemsize))
        };
        let block = checked::slice(block, 0..bytes);
        let folded = block.chunks_exact(itemsize).fold(first, f);
        data.source.consume(checked::mul(*left, items.src_itemsize));
        data.resume();
        *left = 0;
        folded
    }
}

impl<O: DerefMut<Target = Reader<R>>, R: Read> Items<O> {
    /// Goes to the next element; `None` after the last, or after an error. Elements after it stay in the reader.
    #[inline]
    pub(crate) fn advance(&mut self) -> Option<Result<()>> {
        if self.left == 0
            && let Err(end) = self.refill()
        {
            return end.map(|error| Err(self.reader.in_file(error)));
        }
        self.left = self.left.wrapping_sub(1);
        let start = self.reader.data.source.consume(self.plan.plan.src_itemsize);
        self.reader.data.advance(&self.plan, 1);
        self.at = match self.plan.plan.is_exact() {
            true => start,
            false => self.at.wrapping_add(self.plan.plan.dst_itemsize),
        };
        Some(Ok(()))
    }

    /// Reads the next block. `Err` is the end of the iteration: with an error, or `None` after the last element.
    #[cold]
    #[inline(never)]
    fn refill(&mut self) -> Result<(), Option<Error>> {
        if let Some(error) = self.error.take() {
            self.reader.data.lose();
            return Err(Some(error));
        }
        let left = self.len();
        if left == 0 || self.reader.data.is_lost() {
            return Err(None);
        }
        if let Err(error) = self.fill(left) {
            self.error = Some(error);
        }
        // One element before the first.
        self.at = 0usize.wrapping_sub(self.plan.plan.dst_itemsize);
        // An error comes after the elements before it.
        if self.left == 0 { self.refill() } else { Ok(()) }
    }

    /// Checks the elements that are buffered, at most a block, and counts those before the first that is invalid.
    fn fill(&mut self, left: usize) -> Result<()> {
        let Items { reader, plan, buffers, .. } = self;
        let size = plan.plan.src_itemsize;
        let most = left.min(plan.per_block);
        let source = &mut reader.data.source;
        let found = source.buffer(size, limits::to_u64(checked::mul(most, size)))?;
        let count = found.checked_div(size).unwrap_or(most).min(most);
        if count == 0 {
            return Err(reader.data.ended());
        }
        let found = checked::slice(source.buffered(), 0..checked::mul(count, size));
        let (items, fits) = if plan.plan.is_exact() {
            (found, Ok(()))
        } else {
            buffers.block.clear();
            buffers.block.extend_from_slice(found);
            let fits = buffers.check(&plan.plan);
            let count = valid(&fits, count);
            (buffers.run(&plan.plan, count), fits)
        };
        let checked = (self.check)(items).and(fits);
        self.left = valid(&checked, count);
        let first = reader.next_row(plan);
        checked.map_err(|error| block::invalid(error, first))
    }
}
