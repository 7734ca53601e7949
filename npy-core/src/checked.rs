//! Arithmetic and slicing for values that were checked before: results cannot overflow, and ranges
//! cannot be out of bounds.
//!
//! If that earlier check is missing, this is a mistake of ours, and every build panics: a wrong number would be worse.

// The one place where a mistake of ours becomes a panic.
#![expect(clippy::panic)]

pub(crate) mod named;
pub(crate) mod setters;

use std::ops::Range;

macro_rules! operation {
    ($(#[$doc:meta])* $name:ident, $checked:ident) => {
        $(#[$doc])*
        #[inline]
        #[track_caller]
        pub(crate) const fn $name(a: usize, b: usize) -> usize {
            match a.$checked(b) {
                Some(result) => result,
                None => panic!("a size that was checked overflows"),
            }
        }
    };
}

operation!(
    /// Returns `a + b`.
    add, checked_add
);
operation!(
    /// Returns `a - b`.
    sub, checked_sub
);
operation!(
    /// Returns `a * b`.
    mul, checked_mul
);

/// Returns the items in the range.
#[inline]
#[track_caller]
pub(crate) fn slice<T>(items: &[T], range: Range<usize>) -> &[T] {
    let length = items.len();
    match items.get(range.clone()) {
        Some(found) => found,
        None => out_of_bounds(range, length),
    }
}

/// Returns part `index` of items that are divided into parts of this size.
#[inline]
#[track_caller]
pub(crate) fn part<T>(items: &[T], index: usize, size: usize) -> &[T] {
    let start = mul(index, size);
    slice(items, start..add(start, size))
}

/// Returns the items in the range, to change them.
#[inline]
#[track_caller]
pub(crate) fn slice_mut<T>(items: &mut [T], range: Range<usize>) -> &mut [T] {
    let length = items.len();
    match items.get_mut(range.clone()) {
        Some(found) => found,
        None => out_of_bounds(range, length),
    }
}

/// Returns the items from index `start` on.
#[inline]
#[track_caller]
pub(crate) fn tail<T>(items: &[T], start: usize) -> &[T] {
    slice(items, start..items.len())
}

/// Returns the items from index `start` on, to change them.
#[inline]
#[track_caller]
pub(crate) fn tail_mut<T>(items: &mut [T], start: usize) -> &mut [T] {
    let end = items.len();
    slice_mut(items, start..end)
}

/// Returns the items before index `at`, and the others.
#[inline]
#[track_caller]
pub(crate) fn split<T>(items: &[T], at: usize) -> (&[T], &[T]) {
    (slice(items, 0..at), tail(items, at))
}

/// Returns the text in the range, whose ends are at character boundaries.
#[inline]
#[track_caller]
pub(crate) fn text(text: &str, range: Range<usize>) -> &str {
    match text.get(range.clone()) {
        Some(found) => found,
        None => out_of_bounds(range, text.len()),
    }
}

/// Returns what is known to be there.
#[inline]
#[track_caller]
pub(crate) fn some<T>(found: Option<T>) -> T {
    match found {
        Some(found) => found,
        None => missing(),
    }
}

/// Converts a number to a type that is known to hold it.
#[inline]
#[track_caller]
pub(crate) fn narrow<A, B: TryFrom<A>>(number: A) -> B {
    match B::try_from(number) {
        Ok(narrowed) => narrowed,
        Err(_) => does_not_fit(),
    }
}

#[cold]
#[inline(never)]
#[track_caller]
fn out_of_bounds(range: Range<usize>, length: usize) -> ! {
    panic!("{range:?} of {length} items");
}

#[cold]
#[inline(never)]
#[track_caller]
fn missing() -> ! {
    panic!("what was checked is not there");
}

#[cold]
#[inline(never)]
#[track_caller]
fn does_not_fit() -> ! {
    panic!("a number that was checked does not fit");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_that_exist_are_returned() {
        assert_eq!((add(2, 3), sub(3, 2), mul(2, 3)), (5, 1, 6));
        assert_eq!(slice(&[1, 2, 3], 1..3), [2, 3]);
        assert_eq!(tail(&[1, 2, 3], 3), [0; 0]);
        assert_eq!(text("aé", 1..3), "é");
        assert_eq!(narrow::<u64, u16>(7), 7);
    }

    #[test]
    fn results_that_do_not_exist_panic() {
        let cases: [fn(); 9] = [
            || drop(add(usize::MAX, 1).to_string()),
            || drop(sub(1, 2).to_string()),
            || drop(mul(usize::MAX, 2).to_string()),
            || drop(slice(&[0u8], 1..2).to_vec()),
            || drop(text("é", 0..1).to_owned()),
            || drop(tail(&[0u8], 2).to_vec()),
            || drop(tail_mut(&mut [0u8], 2).to_vec()),
            || drop(some(None::<String>)),
            || drop(narrow::<u64, u16>(1 << 16).to_string()),
        ];
        for case in cases {
            assert!(std::panic::catch_unwind(case).is_err());
        }
    }
}
