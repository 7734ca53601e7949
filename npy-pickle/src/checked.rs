//! Arithmetic whose results cannot overflow, because the numbers were checked before. If that check is missing, this is a mistake of ours,
//! and every build panics: a wrong number would be worse.

// The one place where a mistake of ours becomes a panic.
#![expect(clippy::panic)]

/// Returns `a + b`.
#[inline]
#[track_caller]
pub(crate) const fn add(a: usize, b: usize) -> usize {
    match a.checked_add(b) {
        Some(sum) => sum,
        None => panic!("a size that was checked overflows"),
    }
}

/// Returns `a - b`.
#[inline]
#[track_caller]
pub(crate) const fn sub(a: usize, b: usize) -> usize {
    match a.checked_sub(b) {
        Some(difference) => difference,
        None => panic!("a size that was checked is negative"),
    }
}
