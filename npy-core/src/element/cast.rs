//! Layer 4: what is `unsafe` about memory that is filled in parts, and about bytes at a stride.

#![allow(unsafe_code)]

use std::array;
use std::mem::{self, MaybeUninit};
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::element::decode::Values;
use crate::error::Error;

/// A part of a list that is being made, to be filled from its start.
pub(crate) struct Slots<'a, T> {
    empty: &'a mut [MaybeUninit<T>],
    /// How many values the whole list has.
    written: &'a AtomicUsize,
}

impl<T> Slots<'_, T> {
    /// How many values can still be added.
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

/// Adds `count` values to a list with that capacity: `fill` gets them in parts of `part` slots, in order, and may give each to another
/// thread.
///
/// For types that need no drop: after an error nobody drops the values that were written.
///
/// # Errors
///
/// Those of `fill`; the list is then as it was.
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

/// `N` items of `size` bytes at this stride, the first at the start of `bytes`; `None` if they are not all there.
///
/// One look at the length is enough for all.
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
        // SAFETY: `i` is less than `N`, so `start` is at most `last`, and does not overflow; `size` bytes follow, as compared above.
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
