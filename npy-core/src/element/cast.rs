//! Layer 4: casts from values to their bytes, and lists that are filled in parts. All unsafe code is here and in [`zero_copy`].

#![allow(unsafe_code)]

mod proof;
pub(crate) mod zero_copy;

use std::alloc::{self, Layout};
use std::array;
use std::marker::PhantomData;
use std::mem::{self, MaybeUninit};
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::error::Error;
use crate::reserve;

/// The proof that a value of `T` in memory is its canonical element, byte for byte: large arrays are read and written in place.
#[doc(hidden)]
pub struct Plain<T>(PhantomData<fn() -> T>);

impl<T> Plain<T> {
    /// # Safety
    ///
    /// `T` is `Copy`, any bytes of its size are a value of it, and all bytes of a value are initialized: it has no padding.
    const unsafe fn new() -> Self {
        Plain(PhantomData)
    }

    /// Returns the proof for an array, which is its items one after the other.
    pub(crate) fn repeated<const N: usize>(self) -> Plain<[T; N]> {
        Plain(PhantomData)
    }

    /// Returns the values as bytes.
    pub(crate) fn bytes<'v>(&self, values: &'v [T]) -> &'v [u8] {
        // SAFETY: the bytes are those of the slice, for as long as it is borrowed. All are initialized: `self` proves that a value has
        // no padding. Nobody changes a value through a shared reference.
        unsafe { std::slice::from_raw_parts(values.as_ptr().cast(), size_of_val(values)) }
    }

    /// Returns the values as bytes, mutable.
    pub(crate) fn bytes_mut<'v>(&self, values: &'v mut [T]) -> &'v mut [u8] {
        // SAFETY: as in `bytes`, and borrowed exclusively. Any bytes that are written are a value, as `self` proves.
        unsafe { std::slice::from_raw_parts_mut(values.as_mut_ptr().cast(), size_of_val(values)) }
    }

    /// Appends `count` values whose bytes are all zero, or as many as the capacity allows.
    pub(crate) fn append_zeros(&self, values: &mut Vec<T>, count: usize) {
        let spare = values.spare_capacity_mut();
        let count = count.min(spare.len());
        // SAFETY: these are the first `count` slots of the spare capacity, which is borrowed exclusively.
        unsafe { spare.as_mut_ptr().write_bytes(0, count) };
        let length = values.len().saturating_add(count);
        // SAFETY: all bytes of those slots were just written, and `self` proves that any bytes are values.
        unsafe { values.set_len(length) };
    }

    /// Returns a list of `count` values whose bytes are all zero; an empty list if values have no size.
    ///
    /// The system provides large memory as zeros, so nothing is written to it.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Memory`](crate::ErrorKind::Memory) if the allocator fails.
    pub(crate) fn zeros(&self, count: usize) -> Result<Vec<T>, Error> {
        let layout = Layout::array::<T>(count).ok().filter(|layout| layout.size() > 0);
        let Some(layout) = layout else {
            let mut none = Vec::new();
            return reserve::exact(&mut none, count).map(|()| none);
        };
        // SAFETY: the layout has a size.
        let start = unsafe { alloc::alloc_zeroed(layout) }.cast::<T>();
        if start.is_null() {
            return Err(reserve::refused(layout.size()));
        }
        // SAFETY: this allocator made the memory, with the layout of `count` values; the list does not have any of them yet.
        let mut values = unsafe { Vec::from_raw_parts(start, 0, count) };
        reserve::large_pages(values.spare_capacity_mut());
        // SAFETY: the capacity is `count`, all bytes of it are initialized, and `self` proves that any bytes are values.
        unsafe { values.set_len(count) };
        Ok(values)
    }
}

/// A destination of values: a list that grows, or a part of one with a fixed length.
pub(crate) trait Values<T> {
    /// Adds these values, or as many of them as there are slots.
    fn append(&mut self, values: impl Iterator<Item = T>);
}

impl<T> Values<T> for Vec<T> {
    #[inline]
    fn append(&mut self, values: impl Iterator<Item = T>) {
        self.extend(values);
    }
}

/// A part of an unfinished list, which is filled from its start.
pub(crate) struct Slots<'a, T> {
    empty: &'a mut [MaybeUninit<T>],
    /// The number of slots that all parts have written.
    written: &'a AtomicUsize,
}

impl<T> Slots<'_, T> {
    /// Returns the number of free slots.
    pub(crate) fn len(&self) -> usize {
        self.empty.len()
    }
}

impl<T> Values<T> for Slots<'_, T> {
    #[inline]
    fn append(&mut self, values: impl Iterator<Item = T>) {
        let slots = mem::take(&mut self.empty);
        let mut count = 0usize;
        for (slot, value) in slots.iter_mut().zip(values) {
            slot.write(value);
            count = count.wrapping_add(1);
        }
        self.empty = slots.get_mut(count..).unwrap_or_default();
        // The threads are joined before it is read.
        self.written.fetch_add(count, Ordering::Relaxed);
    }
}

/// Adds `count` values to a list with that spare capacity. `fill` receives parts of `part` slots in order, and may move each to another
/// thread.
///
/// Only for types without drop: after an error, the values that were written are not dropped.
///
/// # Errors
///
/// Those of `fill`; the list is then unchanged.
pub(crate) fn fill_in_parts<T>(
    values: &mut Vec<T>,
    count: usize,
    part: usize,
    fill: impl FnOnce(&mut (dyn Iterator<Item = Slots<'_, T>> + Send)) -> Result<(), Error>,
) -> Result<(), Error>
where
    T: Send,
{
    debug_assert!(!mem::needs_drop::<T>(), "values that were written would leak after an error");
    let length = values.len().saturating_add(count);
    let written = AtomicUsize::new(0);
    let slots = values.spare_capacity_mut().get_mut(..count).unwrap_or_default();
    let parts = slots.chunks_mut(part.max(1));
    fill(&mut parts.map(|empty| Slots { empty, written: &written }))?;
    debug_assert_eq!(written.load(Ordering::Relaxed), count, "a part was not filled");
    if written.load(Ordering::Relaxed) == count {
        // SAFETY: the parts are the first `count` slots of the spare capacity, each slot in one part. A part counts a slot once, after
        // it has written it, and then gives it up; so all of them are written. No part is left: `fill` has returned, and the parts
        // borrow `written`.
        unsafe { values.set_len(length) };
    }
    Ok(())
}

/// Returns `N` items of `size` bytes at this stride; `None` if `bytes` is too short. The length is checked once for all of them.
#[inline]
pub(crate) fn strided_items<const N: usize>(
    bytes: &[u8],
    stride: usize,
    size: usize,
) -> Option<[&[u8]; N]> {
    let last = stride.checked_mul(N.checked_sub(1)?)?;
    if last.checked_add(size)? > bytes.len() {
        return None;
    }
    let item = |i: usize| {
        let start = i.wrapping_mul(stride);
        // SAFETY: `i` is less than `N`, so `start` is at most `last`, and does not overflow; `size` bytes follow, as checked above.
        unsafe { bytes.get_unchecked(start..start.wrapping_add(size)) }
    };
    Some(array::from_fn(item))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strided_items_are_all_there_or_none() {
        let bytes: Vec<u8> = (0..20).collect();
        let items = strided_items::<3>(&bytes, 8, 4).unwrap();
        assert_eq!(items, [&[0, 1, 2, 3], &[8, 9, 10, 11], &[16, 17, 18, 19]]);
        assert!(strided_items::<3>(&bytes, 8, 5).is_none());
        assert!(strided_items::<4>(&bytes, 8, 1).is_none());
        assert!(strided_items::<3>(&bytes, usize::MAX / 2 + 1, 0).is_none());
        assert!(strided_items::<2>(&bytes, 1, usize::MAX).is_none());
        assert!(strided_items::<0>(&bytes, 1, 1).is_none());
        assert_eq!(strided_items::<2>(&bytes, 0, 1), Some([&[0][..], &[0]]));
    }

    #[test]
    fn parts_filled_in_any_order_make_the_list() {
        let mut list = Vec::with_capacity(10);
        let filled = fill_in_parts(&mut list, 10, 4, |parts| {
            let mut parts: Vec<_> = parts.enumerate().collect();
            assert_eq!(parts.iter().map(|(_, part)| part.len()).collect::<Vec<_>>(), [4, 4, 2]);
            for (i, part) in parts.iter_mut().rev() {
                // More values than slots, and in two runs.
                part.append(std::iter::once(*i * 10));
                part.append(100..);
                assert_eq!(part.len(), 0);
            }
            Ok(())
        });
        filled.unwrap();
        assert_eq!(list, [0, 100, 101, 102, 10, 100, 101, 102, 20, 100]);
    }
}
