//! Arithmetic and slicing for values that were checked before: results cannot overflow, and ranges
//! cannot be out of bounds.
//!
//! If that earlier check is missing, a debug build panics, and a release build saturates, or
//! returns zero or an empty slice.

pub(crate) mod named;

use std::ops::Range;

macro_rules! operation {
    ($(#[$doc:meta])* $name:ident, $checked:ident, $saturating:ident) => {
        $(#[$doc])*
        #[inline]
        pub(crate) const fn $name(a: usize, b: usize) -> usize {
            debug_assert!(a.$checked(b).is_some(), "a size that was checked overflows");
            a.$saturating(b)
        }
    };
}

operation!(
    /// Returns `a + b`.
    add, checked_add, saturating_add
);
operation!(
    /// Returns `a - b`.
    sub, checked_sub, saturating_sub
);
operation!(
    /// Returns `a * b`.
    mul, checked_mul, saturating_mul
);

/// Returns the items in the range.
#[inline]
pub(crate) fn slice<T>(items: &[T], range: Range<usize>) -> &[T] {
    let found = items.get(range.clone());
    debug_assert!(found.is_some(), "{range:?} of {} items", items.len());
    found.unwrap_or_default()
}

/// Returns the items from index `start` on.
#[inline]
pub(crate) fn tail<T>(items: &[T], start: usize) -> &[T] {
    slice(items, start..items.len().max(start))
}

/// Returns the text in the range, whose ends are at character boundaries.
#[inline]
pub(crate) fn text(text: &str, range: Range<usize>) -> &str {
    let found = text.get(range.clone());
    debug_assert!(found.is_some(), "{range:?} of a text of {} bytes", text.len());
    found.unwrap_or_default()
}

/// Converts a number to a type that is known to hold it.
#[inline]
pub(crate) fn narrow<A, B: TryFrom<A> + Default>(number: A) -> B {
    let narrowed = B::try_from(number);
    debug_assert!(narrowed.is_ok(), "a number that was checked does not fit");
    narrowed.unwrap_or_default()
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
    #[cfg(debug_assertions)]
    fn results_that_do_not_exist_panic_in_debug_builds() {
        let cases: [fn(); 6] = [
            || drop(add(usize::MAX, 1).to_string()),
            || drop(sub(1, 2).to_string()),
            || drop(mul(usize::MAX, 2).to_string()),
            || drop(slice(&[0u8], 1..2).to_vec()),
            || drop(text("é", 0..1).to_owned()),
            || drop(narrow::<u64, u16>(1 << 16).to_string()),
        ];
        for case in cases {
            assert!(std::panic::catch_unwind(case).is_err());
        }
    }
}
