//! Elements one by one and in chunks, and columns: reads that do not take the memory of the whole array.

use std::fmt;
use std::io::Read;
use std::marker::PhantomData;
use std::mem;

use super::reader::Reader;
use crate::element::block::{self, Buffers};
use crate::element::cast::Values;
use crate::element::decode::decode;
use crate::element::typed_plan::{ItemPlan, TypedPlan, column_plan};
use crate::element::{Element, InvalidValue};
use crate::error::{Error, ErrorKind, Result};
use crate::limits;
#[cfg(feature = "serde")]
use crate::{
    dtype::DType,
    limits::Limits,
    plan::{Cast, Plan},
};

impl<R: Read> Reader<R> {
    /// Iterates over the elements that remain, in the order of the file. Reads ahead up to 256 KiB; elements that you do not consume stay
    /// in the reader.
    ///
    /// ```
    /// use npy_core::{NpyRecord, Reader, WriteNpy};
    ///
    /// #[derive(NpyRecord)]
    /// struct Pick {
    ///     station: u32,
    ///     time: f64,
    /// }
    ///
    /// let mut file = Vec::new();
    /// [Pick { station: 7, time: 1.5 }, Pick { station: 9, time: 2.5 }].write_npy_to(&mut file)?;
    ///
    /// let mut reader = Reader::new(&file[..])?;
    /// let mut latest = f64::MIN;
    /// for pick in reader.records::<Pick>()? {
    ///     latest = latest.max(pick?.time);
    /// }
    /// assert_eq!(latest, 2.5);
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    ///
    /// # Fortran order
    ///
    /// The order of the file is that of the memory. In Fortran order the first index changes fastest: of a matrix, the elements come column by
    /// column. [`rows`](Self::rows) reads row by row in either order, and [`header().order()`](crate::Header::order) says which one it is.
    ///
    /// ```
    /// use npy_core::{NpyArray, Order, Reader, WriteNpy};
    ///
    /// // [[1, 2, 3],
    /// //  [4, 5, 6]]
    /// let array = NpyArray::new(vec![1, 2, 3, 4, 5, 6], [2, 3])?;
    /// let mut file = Vec::new();
    /// array.to_order(Order::Fortran).write_npy_to(&mut file)?;
    ///
    /// let mut reader = Reader::new(&file[..])?;
    /// let elements: Vec<i32> = reader.records()?.collect::<Result<_, _>>()?;
    /// assert_eq!(elements, [1, 4, 2, 5, 3, 6]);
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`Reader::read_vec`], but the array may have any number of dimensions; [`ErrorKind::Unsupported`] for elements that are sub-arrays
    /// (`[f32; 3]`) in Fortran order, where their parts are not side by side. An error on the way is the last item of the iterator.
    pub fn records<T: Element>(&mut self) -> Result<Records<'_, R, T>> {
        let plan = self.located(|reader| {
            reader.data.check()?;
            let plan = reader.take_plan::<T>()?;
            check_contiguous(&plan, READ_WHOLE)?;
            Ok(plan)
        })?;
        Ok(Records { items: ItemReader::new(self, plan.items, T::check), of: PhantomData })
    }

    /// Appends the next values to `out`, at most `max`. Returns their number, which is zero only at the end (or if `max` is).
    ///
    /// A value is a `T`, which need not be a row: of an array of shape `(n, 3)`, a row is three `f32` or one `[f32; 3]`. Values come in the order
    /// of the file, as from [`records`](Self::records#fortran-order): in Fortran order, the first index changes fastest.
    ///
    /// ```
    /// use npy_core::{Reader, WriteNpy};
    ///
    /// let mut file = Vec::new();
    /// [1u32, 2, 3, 4, 5].write_npy_to(&mut file)?;
    ///
    /// let mut reader = Reader::new(&file[..])?;
    /// let mut chunk = Vec::new();
    /// let mut sums = Vec::new();
    /// while reader.read_chunk::<u32>(&mut chunk, 2)? > 0 {
    ///     sums.push(chunk.drain(..).sum::<u32>());
    /// }
    /// assert_eq!(sums, [3, 7, 5]);
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`Reader::records`]; `out` then has the elements before the one that failed.
    #[inline]
    pub fn read_chunk<T: Element>(&mut self, out: &mut Vec<T>, max: usize) -> Result<usize> {
        match self.decode_buffered(out, max) {
            Some(count) => Ok(count),
            None => self.read_next(out, max),
        }
    }

    /// Reads the next values, at most `max`, also if they are not buffered yet.
    #[inline(never)]
    fn read_next<T: Element>(&mut self, out: &mut Vec<T>, max: usize) -> Result<usize> {
        self.with_plan::<T, _>(|reader, plan| {
            check_contiguous(plan, READ_WHOLE)?;
            let plan = &plan.items;
            let count = reader.allowed_items::<T>(plan, max)?;
            let mut buffers = mem::take(&mut reader.buffers);
            let decode =
                |n, buffers: &mut Buffers, out: &mut Vec<T>| decode(&plan.plan, n, buffers, out);
            let read = reader.decode_next(plan, count, &mut buffers, out, decode);
            if reader.remaining() > 0 {
                reader.buffers = buffers.kept();
            }
            read.map(|()| count)
        })
    }

    /// Reads one field of every record that remains, `"gain"`, or a part of one: `"head.gain"` is a field of a nested record,
    /// `"samples[3]"` an element of a sub-array. Takes the memory of that field only.
    ///
    /// ```
    /// use npy_core::{NpyRecord, Reader, WriteNpy};
    ///
    /// #[derive(NpyRecord)]
    /// struct Pick {
    ///     station: u32,
    ///     time: f64,
    /// }
    ///
    /// let mut file = Vec::new();
    /// [Pick { station: 7, time: 1.5 }, Pick { station: 9, time: 2.5 }].write_npy_to(&mut file)?;
    /// assert_eq!(Reader::new(&file[..])?.read_column::<f64>("time")?, [1.5, 2.5]);
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`Reader::read_vec`], and [`ErrorKind::MissingField`] if there is no such field.
    pub fn read_column<F: Element>(&mut self, path: &str) -> Result<Vec<F>> {
        self.located(|reader| {
            reader.header.without_objects()?;
            let plan = column_plan::<F>(reader.header.dtype(), path, reader.cast)?;
            reader.read_decoded(&ItemPlan::of_elements(plan, &reader.header))
        })
    }

    /// Decodes the next `max` values, if all of them are buffered, valid and canonical in the file.
    ///
    /// This is the fast path of small chunks.
    #[inline]
    pub(super) fn decode_buffered<T: Element>(
        &mut self,
        out: &mut impl Values<T>,
        max: usize,
    ) -> Option<usize> {
        let plan = self.plan.as_ref().filter(|plan| plan.is_for::<T>() && !plan.is_strided)?;
        let plan = &plan.items;
        let bytes = max.checked_mul(T::SIZE).filter(|&bytes| bytes > 0)?;
        let items = self.data.source.buffered().get(..bytes)?;
        if !plan.plan.is_exact()
            || !self.data.is_between(plan.per_item)
            || !self.data.has_left(bytes)
            || self.limits.check_array(limits::to_u64(bytes)).is_err()
            || T::check(items).is_err()
        {
            return None;
        }
        out.reserve(max).ok()?;
        out.append(items.chunks_exact(T::SIZE).map(T::decode));
        self.data.source.consume(bytes);
        Some(max)
    }

    /// Iterates over the bytes of the elements that remain, if `check` allows their dtype and number.
    #[cfg(feature = "serde")]
    pub(crate) fn elements(
        &mut self,
        check: impl FnOnce(&DType, usize, &Limits) -> Result<()>,
    ) -> Result<ItemReader<'_, R>> {
        let plan = self.located(|reader| {
            reader.data.check()?;
            reader.header.without_objects()?;
            let dtype = reader.header.dtype();
            check(dtype, reader.remaining(), &reader.limits)?;
            Ok(ItemPlan::of_elements(Plan::new(dtype, dtype, Cast::Exact)?, &reader.header))
        })?;
        Ok(ItemReader::new(self, plan, |_| Ok(())))
    }
}

/// The remedy where elements cannot be read in parts.
pub(super) const READ_WHOLE: &str = "the whole array: use read_vec or read_array";

/// Refuses to read in parts what is strided in the file; `needs` names the call that reads it.
pub(crate) fn check_contiguous(plan: &TypedPlan, needs: &'static str) -> Result<()> {
    if !plan.is_strided {
        return Ok(());
    }
    let what =
        "reading some of the sub-arrays of a file in Fortran order, where their parts are strided,";
    Err(ErrorKind::Unsupported { what: what.into(), needs }.into())
}

/// The iterator of [`Reader::records`].
pub struct Records<'r, R, T> {
    items: ItemReader<'r, R>,
    of: PhantomData<T>,
}

impl<R: Read, T: Element> Iterator for Records<'_, R, T> {
    type Item = Result<T>;

    #[inline]
    fn next(&mut self) -> Option<Result<T>> {
        Some(self.items.advance()?.map(|()| T::decode(self.items.item(T::SIZE))))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        // One more item if an error comes last.
        (0, self.items.len().checked_add(1))
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

impl<R, T> Records<'_, R, T> {
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

impl<R, T> fmt::Debug for Records<'_, R, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Records").field("left", &self.len()).finish_non_exhaustive()
    }
}

/// Canonical elements one by one, read a block at a time.
pub(crate) struct ItemReader<'r, R> {
    reader: &'r mut Reader<R>,
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

impl<'r, R> ItemReader<'r, R> {
    pub(crate) fn new(
        reader: &'r mut Reader<R>,
        plan: ItemPlan,
        check: fn(&[u8]) -> Result<(), InvalidValue>,
    ) -> Self {
        let buffers = Buffers::default();
        ItemReader { reader, plan, check, buffers, at: 0, left: 0, error: None }
    }

    #[cfg(feature = "serde")]
    pub(crate) fn reader(&self) -> &Reader<R> {
        self.reader
    }

    /// Returns the number of elements after this one.
    pub(crate) fn len(&self) -> usize {
        self.reader.items_left(&self.plan)
    }

    /// Returns the bytes of the element that [`advance`](Self::advance) went to. The size is a parameter, so that it can be a constant in the compiled loop.
    #[inline]
    pub(crate) fn item(&self, itemsize: usize) -> &[u8] {
        self.bytes().get(self.at..self.at.wrapping_add(itemsize)).unwrap_or_default()
    }

    /// Returns the buffer that holds the canonical elements of the block: the read-ahead buffer, if the elements are canonical in the file.
    #[inline]
    fn bytes(&self) -> &[u8] {
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
}

impl<R: Read> ItemReader<'_, R> {
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

    /// Folds the remaining elements of the block. If `f` panics, the position of the reader is unknown.
    #[inline]
    fn fold_block<A>(&mut self, itemsize: usize, first: A, f: impl FnMut(A, &[u8]) -> A) -> A {
        let ItemReader { reader, plan, buffers, at, left, .. } = self;
        let items = &plan.plan;
        let bytes = left.saturating_mul(itemsize);
        // Values without bytes are iterated over one by one.
        if bytes == 0 {
            return first;
        }
        reader.data.lose();
        let block = if items.is_exact() {
            reader.data.source.buffered()
        } else {
            buffers.result(items).get(at.wrapping_add(itemsize)..).unwrap_or_default()
        };
        let block = block.get(..bytes).unwrap_or(block);
        let folded = block.chunks_exact(itemsize).fold(first, f);
        reader.data.source.consume(left.saturating_mul(items.src_itemsize));
        reader.data.resume();
        *left = 0;
        folded
    }

    /// Reads the next block. `Err` is the end of the iteration: with an error, or `None` after the last element.
    #[cold]
    #[inline(never)]
    fn refill(&mut self) -> Result<(), Option<Error>> {
        if let Some(error) = self.error.take() {
            self.reader.data.lose();
            return Err(Some(error));
        }
        let left = self.reader.items_left(&self.plan);
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
        let ItemReader { reader, plan, buffers, .. } = self;
        let size = plan.plan.src_itemsize;
        let most = left.min(plan.per_block);
        let found = reader.data.source.buffer(size, limits::to_u64(most.saturating_mul(size)))?;
        let count = found.checked_div(size).unwrap_or(most).min(most);
        if count == 0 {
            return Err(reader.data.ended());
        }
        let found = reader.data.source.buffered();
        let found = found.get(..count.saturating_mul(size)).unwrap_or(found);
        let (items, fits) = if plan.plan.is_exact() {
            (found, Ok(()))
        } else {
            buffers.block.clear();
            buffers.block.extend_from_slice(found);
            let fits = buffers.check(&plan.plan);
            let count = fits.as_ref().err().map_or(count, InvalidValue::item);
            (buffers.run(&plan.plan, count), fits)
        };
        let checked = (self.check)(items).and(fits);
        self.left = checked.as_ref().err().map_or(count, InvalidValue::item);
        let first = reader.next_row(plan);
        checked.map_err(|error| block::invalid(error, first))
    }
}
