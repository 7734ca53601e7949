//! Reading everything that remains of an array.

use std::io::Read;
use std::ops::Range;

use super::reader::Reader;
use crate::array::NpyArray;
use crate::checked;
use crate::dynamic::DynArray;
use crate::element::block::{self, Buffers, Filled};
use crate::element::cast::Reserve;
use crate::element::decode::decode;
use crate::element::typed_plan::{ItemPlan, TypedPlan};
use crate::element::{Element, InvalidValue};
use crate::error::Result;
use crate::header::Payload;
use crate::reserve;
use crate::shape::{Order, in_row, transpose};

/// Moves the elements into this order: tile by tile, if they are moved as bytes.
pub(super) fn in_order<T: Element>(array: NpyArray<T>, order: Order) -> Result<NpyArray<T>> {
    let (shape, stored) = (array.shape(), array.order());
    let differs = stored.normalized(shape) != order.normalized(shape);
    // Elements of no bytes are not moved as bytes.
    let Some(plain) = T::__INTERNALS.plain().filter(|_| differs && T::SIZE > 0) else {
        return Ok(array.into_order(order));
    };
    let mut items = plain.zeros(array.len())?;
    let source = plain.bytes(array.as_slice_memory_order());
    transpose(source, plain.bytes_mut(&mut items), size_of::<T>(), shape, stored);
    NpyArray::with_order(items, shape, order)
}

impl<R: Read> Reader<R> {
    /// Reads the elements that remain of an array of one dimension.
    ///
    /// ```
    /// use npy_core::{Reader, WriteNpy};
    ///
    /// let mut file = Vec::new();
    /// [1.0, 2.0, 3.0].write_npy_to(&mut file)?;
    /// let mut reader = Reader::new(&file[..])?;
    /// assert_eq!(reader.read_vec::<f64>()?, [1.0, 2.0, 3.0]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`ReadNpy::read_npy`](crate::ReadNpy::read_npy). If a read fails partway, the position is unknown and every later read fails.
    pub fn read_vec<T: Element>(&mut self) -> Result<Vec<T>> {
        if self.header.payload() == Payload::Pickle {
            return self.read_object_vec();
        }
        self.with_plan::<T, _>(|reader, plan| match plan.ndim {
            1 => reader.read_items(plan),
            _ => Err(reader.no_list::<Vec<T>>()),
        })
    }

    /// Reads the whole array; an error if a part of it was read before.
    ///
    /// ```
    /// use npy_core::{NpyArray, Reader, WriteNpy};
    ///
    /// let mut file = Vec::new();
    /// NpyArray::new(vec![1, 2, 3, 4, 5, 6], [3, 2])?.write_npy_to(&mut file)?;
    /// let array = Reader::new(&file[..])?.read_array::<i32>()?;
    /// assert_eq!(array[[2, 1]], 6);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`Reader::read_vec`].
    pub fn read_array<T: Element>(&mut self) -> Result<NpyArray<T>> {
        if self.header.payload() == Payload::Pickle {
            return self.read_object_array();
        }
        self.with_plan::<T, _>(|reader, plan| {
            reader.check_nothing_read()?;
            let items = reader.read_items(plan);
            let in_row = |error| in_row(error, plan.shape(&reader.header), plan.order);
            let items = items.map_err(in_row)?;
            let array = NpyArray::with_order(items, plan.shape(&reader.header), plan.order)?;
            in_order(array, reader.order.unwrap_or(plan.order))
        })
    }

    /// Reads the whole array without decoding it, whatever its dtype; an error if a part of it was read before.
    ///
    /// ```
    /// use npy_core::{Reader, WriteNpy};
    ///
    /// let mut file = Vec::new();
    /// [1.0, 2.0, 3.0].write_npy_to(&mut file)?;
    /// let mut reader = Reader::new(&file[..])?;
    /// let array = reader.read_dyn()?;
    /// assert_eq!(array.dtype().to_string(), "<f8");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`Reader::read_vec`], and [`ErrorKind::Unsupported`](crate::ErrorKind::Unsupported) for Python objects.
    pub fn read_dyn(&mut self) -> Result<DynArray> {
        self.located(|reader| {
            reader.check_nothing_read()?;
            let array = reader.read_bytes()?;
            match reader.order {
                Some(order) if array.header().payload() == Payload::Items => {
                    array.into_order(order)
                }
                _ => Ok(array),
            }
        })
    }

    /// Reads the single element of an array without dimensions.
    pub(crate) fn read_single<T: Element>(&mut self) -> Result<T> {
        if self.header.payload() == Payload::Pickle {
            return self.read_object_single();
        }
        self.with_plan::<T, _>(|reader, plan| {
            reader.check_nothing_read()?;
            let single = if plan.ndim == 0 { reader.read_items(plan)?.pop() } else { None };
            single.ok_or_else(|| reader.no_single::<T>())
        })
    }

    /// Reads the values that remain, in the fastest way.
    fn read_items<T: Element>(&mut self, plan: &TypedPlan) -> Result<Vec<T>> {
        let items = &plan.items;
        if plan.is_strided {
            self.check_nothing_read()?;
            let array = self.read_bytes()?.to_order(Order::C)?;
            // The data cannot be read once more.
            return array.decode(items).inspect_err(|_| self.data.lose());
        }
        self.read_values(items)
    }

    /// Reads the values that remain, whose parts are contiguous in the file.
    pub(super) fn read_values<T: Element>(&mut self, plan: &ItemPlan) -> Result<Vec<T>> {
        if let Some(values) = self.read_direct(plan)? {
            return Ok(values);
        }
        self.read_decoded(plan)
    }

    /// Decodes the values that remain, by several threads where that is allowed and faster.
    pub(super) fn read_decoded<T: Element>(&mut self, plan: &ItemPlan) -> Result<Vec<T>> {
        if let Some(values) = self.read_parallel(plan)? {
            return Ok(values);
        }
        self.read_blocks(plan, |n, buffers, out| decode(&plan.plan, n, buffers, out))
    }

    /// Reads the values that remain block by block; `decode` appends those of a block.
    pub(super) fn read_blocks<T>(
        &mut self,
        plan: &ItemPlan,
        decode: impl FnMut(usize, &mut Buffers, &mut Vec<T>) -> Result<(), InvalidValue>,
    ) -> Result<Vec<T>> {
        let count = self.allowed_items::<T>(plan, usize::MAX)?;
        let mut out = Vec::new();
        if self.check_available()? {
            reserve::exact(&mut out, count)?;
        }
        self.decode_next(plan, count, &mut Buffers::default(), &mut out, decode)?;
        Ok(out)
    }

    /// Appends the next `count` values to `out`, block by block. The caller has this count from [`allowed_items`](Self::allowed_items).
    pub(super) fn decode_next<O: Reserve>(
        &mut self,
        plan: &ItemPlan,
        count: usize,
        buffers: &mut Buffers,
        out: &mut O,
        decode: impl FnMut(usize, &mut Buffers, &mut O) -> Result<(), InvalidValue>,
    ) -> Result<()> {
        let first = self.next_row(plan).min(checked::sub(usize::MAX, count));
        let rows = first..checked::add(first, count);
        let fill =
            &mut |block: &mut Vec<u8>, rows: Range<usize>| self.fill_block(plan, rows.len(), block);
        let decoded = block::decode_blocks(plan.per_block, rows, buffers, out, fill, decode);
        if decoded.is_ok() {
            self.data.resume();
        }
        decoded
    }

    /// Fills a block with the bytes of the next `n` values. If the data ends before that, the block has only the complete values.
    ///
    /// It marks the position as lost, and the caller clears the mark once all values are decoded: a stream cannot be read twice, so the
    /// values of a failed read are gone.
    fn fill_block(&mut self, plan: &ItemPlan, n: usize, block: &mut Vec<u8>) -> Result<Filled> {
        let left = self.data.bytes_left();
        self.data.lose();
        let bytes = n.saturating_mul(plan.plan.src_itemsize);
        let found = self.data.source.fill(block, bytes, left)?;
        if found == bytes {
            self.data.advance(plan, n);
            return Ok((n, None));
        }
        let n = found.checked_div(plan.plan.src_itemsize).unwrap_or_default();
        block.truncate(n.saturating_mul(plan.plan.src_itemsize));
        Ok((n, Some(self.data.ended())))
    }
}
