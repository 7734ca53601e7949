//! Reads large arrays directly into the memory of the result, without decoding.

use std::io::Read;
use std::mem;

use super::parallel::each_part;
use super::reader::Reader;
use super::records::{READ_WHOLE, check_contiguous};
use crate::dynamic::DynArray;
use crate::element::Element;
use crate::element::block::{BLOCK, Buffers};
use crate::element::cast::{Plain, Replaced};
use crate::element::decode::decode;
use crate::element::typed_plan::ItemPlan;
use crate::error::{Error, ErrorKind, Result};
use crate::header::Payload;
use crate::kernel;
use crate::limits;
use crate::reserve;
use crate::shape;

/// Smaller results are decoded block by block. A fuzzer has small inputs, so it uses a low limit.
const DIRECT_MIN_BYTES: usize = if cfg!(fuzzing) { 16 } else { 1 << 20 };

/// Allocations of this size come from the system, already zeroed. Smaller ones mostly reuse memory that glibc's allocator has kept.
const FRESH_MIN_BYTES: usize = if cfg!(fuzzing) { 64 } else { 32 << 20 };

impl<R: Read> Reader<R> {
    /// Reads the values that remain. Returns `None` for less than `DIRECT_MIN_BYTES`, for a source of unknown length, and for values that
    /// are not [`Plain`] or need more than a byte-swap.
    ///
    /// Any bytes are valid values of a [`Plain`] type: there is nothing to check.
    pub(super) fn read_direct<T: Element>(&mut self, plan: &ItemPlan) -> Result<Option<Vec<T>>> {
        let count = self.items_left(plan);
        let bytes = count.saturating_mul(T::SIZE);
        let is_large = bytes >= DIRECT_MIN_BYTES && plan.plan.is_in_place();
        let plain = if is_large { T::__INTERNALS.plain() } else { None };
        let Some(plain) = plain else { return Ok(None) };
        if !self.check_available()? {
            return Ok(None);
        }
        let swap = |part: &mut [u8]| swap_in_place::<T>(plan, part);
        let part = plan.per_block;
        let values = if bytes < FRESH_MIN_BYTES && !self.data.source.is_worth_threads(bytes) {
            self.read_into_used(&plain, count, part, swap)?
        } else {
            let mut values = plain.zeros(count)?;
            let part = part.saturating_mul(T::SIZE);
            self.data.lose();
            self.fill_parts(plain.bytes_mut(&mut values), part, &swap)?;
            values
        };
        self.data.finish();
        Ok(Some(values))
    }

    /// Reads the next elements into memory that already exists: the values of `out` are replaced, from the first to the last. The array may
    /// have any number of dimensions; elements are read in the order of the file, also [in Fortran order](Self::records#fortran-order).
    ///
    /// Values whose memory is their bytes in the file, such as numbers, are read straight into `out`.
    ///
    /// ```
    /// use npy_core::{Reader, WriteNpy};
    ///
    /// let mut file = Vec::new();
    /// [1.0_f32, 2.0, 3.0, 4.0, 5.0].write_npy_to(&mut file)?;
    ///
    /// let mut reader = Reader::new(&file[..])?;
    /// let mut frame = [0.0_f32; 2];
    /// reader.read_into(&mut frame)?;
    /// assert_eq!(frame, [1.0, 2.0]);
    /// reader.read_into(&mut frame)?;
    /// assert_eq!(frame, [3.0, 4.0]);
    ///
    /// // A single element is left: an error that says so. The element is not lost.
    /// assert!(reader.read_into(&mut frame).unwrap_err().to_string().contains("1 element is left"));
    /// reader.read_into(&mut frame[..1])?;
    /// assert_eq!(frame, [5.0, 4.0]);
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Shape`] if fewer elements than `out` has are left, and [`ErrorKind::Truncated`] if the source is known to have fewer: then
    /// nothing is read, and the next read begins at the same element. All others as [`Reader::records`]; `out` may then have some of the
    /// new values.
    #[inline]
    pub fn read_into<T: Element>(&mut self, out: &mut [T]) -> Result<()> {
        let count = out.len();
        let mut replaced = Replaced(out);
        match self.decode_buffered(&mut replaced, count) {
            Some(_) => Ok(()),
            None => self.read_next_into(replaced.0),
        }
    }

    /// Reads the next values into `out`, also if they are not buffered yet.
    #[inline(never)]
    fn read_next_into<T: Element>(&mut self, out: &mut [T]) -> Result<()> {
        self.with_plan::<T, _>(|reader, plan| {
            check_contiguous(plan, READ_WHOLE)?;
            let plan = &plan.items;
            let count = reader.allowed_items::<T>(plan, out.len())?;
            if count < out.len() {
                return Err(reader.too_few(count, out.len()));
            }
            let bytes =
                limits::to_u64(count).saturating_mul(limits::to_u64(plan.plan.src_itemsize));
            reader.data.check_exist(bytes)?;
            let is_large = bytes >= limits::to_u64(BLOCK) && plan.plan.is_in_place();
            let plain = if is_large { T::__INTERNALS.plain() } else { None };
            let Some(plain) = plain else {
                let mut buffers = mem::take(&mut reader.buffers);
                let decode = |n, buffers: &mut Buffers, out: &mut Replaced<'_, T>| {
                    decode(&plan.plan, n, buffers, out)
                };
                let read =
                    reader.decode_next(plan, count, &mut buffers, &mut Replaced(out), decode);
                reader.buffers = buffers.kept();
                return read;
            };
            let part = plan.per_block.saturating_mul(T::SIZE);
            reader.data.lose();
            let swap = |part: &mut [u8]| swap_in_place::<T>(plan, part);
            reader.fill_parts(plain.bytes_mut(out), part, &swap)?;
            reader.data.resume();
            Ok(())
        })
    }

    /// The error for more elements than the array has left.
    fn too_few(&self, left: usize, wanted: usize) -> Error {
        let left = match left {
            1 => "1 element is left".to_owned(),
            n => format!("{n} elements are left"),
        };
        let reason = format!("{left}, and {wanted} are expected; nothing was read");
        ErrorKind::Shape { shape: shape::repr(self.header.shape()), reason }.into()
    }

    /// Reads values into memory that may have been used before. Each part is zeroed just before it is read,
    /// while it is in the cache.
    fn read_into_used<T: Element>(
        &mut self,
        plain: &Plain<T>,
        count: usize,
        part: usize,
        swap: impl Fn(&mut [u8]),
    ) -> Result<Vec<T>> {
        let mut values = Vec::new();
        reserve::exact(&mut values, count)?;
        self.data.lose();
        while values.len() < count {
            let start = values.len();
            let n = count.saturating_sub(start).min(part);
            reserve::pages(values.spare_capacity_mut().get_mut(..n).unwrap_or_default());
            plain.append_zeros(&mut values, n);
            let bytes = plain.bytes_mut(values.get_mut(start..).unwrap_or_default());
            let found = self.data.source.fill_slice(bytes)?;
            if found < bytes.len() {
                return Err(self.data.ended());
            }
            swap(bytes);
        }
        Ok(values)
    }

    /// Reads the data that remains, without decoding it.
    pub(super) fn read_bytes(&mut self) -> Result<DynArray> {
        if self.header.payload() == Payload::Pickle {
            let pickle = self.read_pickle()?;
            return Ok(
                DynArray::of_pickle(self.header.clone(), pickle.bytes).with_limits(self.limits)
            );
        }
        let bytes = limits::to_usize(self.data.bytes_left())?;
        let plain = if self.check_available()? { u8::__INTERNALS.plain() } else { None };
        let data = match plain {
            Some(plain) => {
                let mut data = plain.zeros(bytes)?;
                self.data.lose();
                self.fill_parts(&mut data, BLOCK, &|_| ())?;
                data
            }
            None => {
                let mut data = Vec::new();
                self.data.lose();
                let found = self.data.source.append(&mut data, bytes)?;
                if found < bytes {
                    return Err(self.data.ended());
                }
                data
            }
        };
        self.data.finish();
        Ok(DynArray::from_parts(self.header.clone(), data)?.with_limits(self.limits))
    }

    /// Fills `data` with the next bytes, a part at a time. Several threads share the parts if this is allowed and faster.
    ///
    /// The thread that has read a part calls `finish` with it, while the part is in the cache.
    fn fill_parts(
        &mut self,
        data: &mut [u8],
        part: usize,
        finish: &(dyn Fn(&mut [u8]) + Sync),
    ) -> Result<()> {
        let (bytes, part) = (data.len(), part.max(1));
        let (is_worth_it, truncated) =
            (self.data.source.is_worth_threads(bytes), self.data.truncation());
        let first = self.data.source.offset();
        if let Some((file, threads)) = self.data.source.shared().filter(|_| is_worth_it) {
            let threads = threads.min(bytes.div_ceil(part));
            each_part(threads, &mut data.chunks_mut(part), |index, part_of_data: &mut [u8], _| {
                let at = first.saturating_add(limits::to_u64(index.saturating_mul(part)));
                let found = file.at(at).fill_slice(part_of_data)?;
                if found < part_of_data.len() {
                    return Err(truncated(at.saturating_add(limits::to_u64(found))));
                }
                finish(part_of_data);
                Ok(())
            })?;
            self.data.source.move_shared(first.saturating_add(limits::to_u64(bytes)));
            return Ok(());
        }
        for part in data.chunks_mut(part) {
            if self.data.source.fill_slice(part)? < part.len() {
                return Err(self.data.ended());
            }
            finish(part);
        }
        Ok(())
    }
}

/// Swaps the bytes of values in place, if the plan says so.
fn swap_in_place<T: Element>(plan: &ItemPlan, values: &mut [u8]) {
    let count = values.len().checked_div(T::SIZE).unwrap_or_default();
    kernel::run(&plan.plan, count, values, &mut Vec::new());
}
