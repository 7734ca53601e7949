//! Casts from values to their bytes, and lists that are filled in parts. All unsafe code of
//! `element` is here and in [`zero_copy`].

#![allow(unsafe_code)]

mod proof;
pub(crate) mod zero_copy;

use std::alloc::{self, Layout};
use std::array;
use std::marker::PhantomData;
use std::mem::{self, MaybeUninit};
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::checked;
use crate::error::Error;
use crate::reserve;

/// Proof that a `T` in memory has exactly the bytes of its canonical item. Large arrays of such a
/// `T` are read and written as bytes, without decoding or encoding each element.
#[doc(hidden)]
#[derive(Debug)]
pub struct Plain<T>(PhantomData<fn() -> T>);

impl<T> Plain<T> {
    /// # Safety
    ///
    /// `T` is `Copy` and has no padding. Every pattern of `size_of::<T>()` initialized bytes is a valid value.
    const unsafe fn new() -> Self {
        Plain(PhantomData)
    }

    /// Returns the proof for an array, whose memory is its items one after the other.
    pub(crate) fn repeated<const N: usize>(self) -> Plain<[T; N]> {
        Plain(PhantomData)
    }

    /// Returns the values as bytes.
    pub(crate) fn bytes<'v>(&self, values: &'v [T]) -> &'v [u8] {
        // SAFETY: the bytes are the memory of the slice, with the lifetime of its borrow. All are
        // initialized, because `self` proves that a value has no padding. `T` is `Copy`, so it has
        // no interior mutability: no value changes while it is borrowed.
        unsafe { std::slice::from_raw_parts(values.as_ptr().cast(), size_of_val(values)) }
    }

    /// Returns bytes as values; `None` if they are misaligned, or end within a value.
    #[inline]
    pub(crate) fn values<'b>(&self, bytes: &'b [u8]) -> Option<&'b [T]> {
        let start = bytes.as_ptr().cast::<T>();
        let count = bytes.len().checked_div(size_of::<T>())?;
        let fits = bytes.len().is_multiple_of(size_of::<T>()) && start.is_aligned();
        // SAFETY: the bytes are `count` values, aligned, and borrowed for as long as the result. `self` proves that any bytes are valid
        // values, and that `T` is `Copy`, so it has no interior mutability.
        fits.then(|| unsafe { std::slice::from_raw_parts(start, count) })
    }

    /// Returns the values as bytes, mutable.
    pub(crate) fn bytes_mut<'v>(&self, values: &'v mut [T]) -> &'v mut [u8] {
        // SAFETY: as in `bytes`, but borrowed exclusively. `self` proves that any bytes that are
        // written to the result are valid values.
        unsafe { std::slice::from_raw_parts_mut(values.as_mut_ptr().cast(), size_of_val(values)) }
    }

    /// Appends `count` values whose bytes are all zero, or fewer if the capacity is smaller.
    pub(crate) fn append_zeros(&self, values: &mut Vec<T>, count: usize) {
        let spare = values.spare_capacity_mut();
        let count = count.min(spare.len());
        // SAFETY: these are the first `count` slots of the spare capacity, which is borrowed exclusively.
        unsafe { spare.as_mut_ptr().write_bytes(0, count) };
        let length = checked::add(values.len(), count);
        // SAFETY: all bytes of those slots were just written, and `self` proves that any bytes are valid values.
        unsafe { values.set_len(length) };
    }

    /// Returns a list of `count` values whose bytes are all zero; an empty list if they need no memory.
    ///
    /// The system provides the memory of a large list already zeroed, so no zeros are written.
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
        // SAFETY: the size of the layout is not zero.
        let start = unsafe { alloc::alloc_zeroed(layout) }.cast::<T>();
        if start.is_null() {
            return Err(reserve::refused(layout.size()));
        }
        // SAFETY: the global allocator made this memory with the layout of `count` values. The length of the list is still 0.
        let mut values = unsafe { Vec::from_raw_parts(start, 0, count) };
        reserve::large_pages(values.spare_capacity_mut());
        // SAFETY: the capacity is `count`, all bytes of it are initialized, and `self` proves that any bytes are valid values.
        unsafe { values.set_len(count) };
        Ok(values)
    }
}

/// Returns truth values as bytes, which are 0 or 1. There is no [`Plain`] for them, because other bytes are not truth values.
pub(crate) fn bytes_of_flags(flags: &[bool]) -> &[u8] {
    // SAFETY: a `bool` is one initialized byte, and the result borrows the slice, whose values cannot change meanwhile.
    unsafe { std::slice::from_raw_parts(flags.as_ptr().cast(), flags.len()) }
}

/// A destination for values: a list that grows, or a part of a list or slice, which does not.
pub(crate) trait Values<T>: Reserve {
    /// Appends these values. A destination of fixed length ignores values after its last slot.
    fn append(&mut self, values: impl Iterator<Item = T>);
}

/// A destination that may need memory before values are appended.
pub(crate) trait Reserve {
    /// Reserves memory for this many more values.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Memory`](crate::ErrorKind::Memory) if the allocator fails.
    fn reserve(&mut self, count: usize) -> Result<(), Error> {
        let _ = count;
        Ok(())
    }
}

impl<T> Reserve for Vec<T> {
    #[inline]
    fn reserve(&mut self, count: usize) -> Result<(), Error> {
        reserve::growing(self, count)
    }
}

impl<T> Values<T> for Vec<T> {
    #[inline]
    fn append(&mut self, values: impl Iterator<Item = T>) {
        self.extend(values);
    }
}

/// The slots of one part of a list that are not filled yet. The first of them is filled next.
pub(crate) struct Slots<'a, T> {
    empty: &'a mut [MaybeUninit<T>],
    /// The number of slots written so far, in all parts of the list.
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
        self.empty = checked::tail_mut(slots, count);
        // Relaxed is enough: the threads are joined before the count is read.
        self.written.fetch_add(count, Ordering::Relaxed);
    }
}

impl<T> Reserve for Slots<'_, T> {}

/// The values of a slice that are not replaced yet. The first of them is replaced next.
pub(crate) struct Replaced<'a, T>(pub(crate) &'a mut [T]);

impl<T> Values<T> for Replaced<'_, T> {
    #[inline]
    fn append(&mut self, values: impl Iterator<Item = T>) {
        let slots = mem::take(&mut self.0);
        let mut count = 0usize;
        for (slot, value) in slots.iter_mut().zip(values) {
            *slot = value;
            count = count.wrapping_add(1);
        }
        self.0 = checked::tail_mut(slots, count);
    }
}

impl<T> Reserve for Replaced<'_, T> {}

/// Appends `count` values to a list that has the capacity for them. `fill` receives the slots in order, in parts of `part` slots, and may
/// move each part to another thread.
///
/// `T` must not need drop, because after an error the values already written are not dropped.
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
    let length = checked::add(values.len(), count);
    let written = AtomicUsize::new(0);
    let slots = checked::slice_mut(values.spare_capacity_mut(), 0..count);
    let parts = slots.chunks_mut(part.max(1));
    fill(&mut parts.map(|empty| Slots { empty, written: &written }))?;
    debug_assert_eq!(written.load(Ordering::Relaxed), count, "a part was not filled");
    if written.load(Ordering::Relaxed) == count {
        // SAFETY: the parts are the first `count` slots of the spare capacity, each slot in one part. Each slot is counted at most once,
        // after it was written, so a total of `count` means that all are written. No part is in use anymore: `fill` has returned, and the
        // parts borrow `written`.
        unsafe { values.set_len(length) };
    }
    Ok(())
}

/// Returns `N` items of `size` bytes, whose starts are `stride` bytes apart; `None` if `bytes` is
/// too short, or `N` is 0. Checks the length once, not per item.
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
        // SAFETY: `i` is less than `N`, so `start` is at most `last` and does not overflow. From
        // `start` on, `bytes` has at least `size` bytes, because `last + size` is within `bytes`.
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
                // Append twice, and more values than there are slots.
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
