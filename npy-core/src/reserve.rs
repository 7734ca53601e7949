//! Layer 1: memory for results, asked for so that a refusal is an error.

use std::mem::MaybeUninit;

use crate::error::{Error, ErrorKind};
use crate::limits;

/// Reserves capacity for exactly `additional` more items: for a length that is known to be right.
///
/// # Errors
///
/// [`ErrorKind::Memory`] where the allocator has none.
pub(crate) fn exact<T>(vec: &mut Vec<T>, additional: usize) -> Result<(), Error> {
    let result = vec.try_reserve_exact(additional);
    result.map_err(|_| refused(bytes(vec, additional)))?;
    large_pages(vec.spare_capacity_mut());
    Ok(())
}

/// Reserves capacity for `additional` more items, and for some that may follow: for a length that only a header claims.
///
/// # Errors
///
/// [`ErrorKind::Memory`] where the allocator has none.
pub(crate) fn growing<T>(vec: &mut Vec<T>, additional: usize) -> Result<(), Error> {
    let result = vec.try_reserve(additional);
    result.map_err(|_| refused(bytes(vec, additional)))
}

/// Asks for pages of 2 MiB where memory is large and not touched yet: a page fault for each 4 KiB takes longer than the reading.
///
/// As NumPy does for its arrays.
pub(crate) fn large_pages<T>(memory: &mut [MaybeUninit<T>]) {
    const LARGE_PAGE: usize = 2 << 20;
    if size_of_val(memory) >= LARGE_PAGE {
        // No machine has larger ordinary pages.
        advise(memory, 64 << 10, Advice::LargePages);
    }
}

/// Asks for all pages of memory that is about to be written: one call instead of a page fault for each.
pub(crate) fn pages<T>(memory: &mut [MaybeUninit<T>]) {
    // On a machine with larger pages the system may refuse.
    advise(memory, 4 << 10, Advice::Pages);
}

enum Advice {
    LargePages,
    Pages,
}

/// Advises the system about the complete pages in this memory; a refusal is ignored.
#[cfg(all(target_os = "linux", not(miri)))]
#[allow(unsafe_code)]
fn advise<T>(memory: &mut [MaybeUninit<T>], page: usize, advice: Advice) {
    let advice = match advice {
        Advice::LargePages => libc::MADV_HUGEPAGE,
        Advice::Pages => libc::MADV_POPULATE_WRITE,
    };
    let start = memory.as_mut_ptr().cast::<u8>();
    let before = start.align_offset(page);
    let Some(rest) = size_of_val(memory).checked_sub(before) else { return };
    let length = rest.saturating_sub(rest.checked_rem(page).unwrap_or_default());
    // SAFETY: the range is within `memory`: it starts `before` bytes after its start, which are no more than it has, and is no longer
    // than the rest. Neither advice changes a byte of it or who may use it, only which pages the system backs it with, and when.
    let _ = unsafe { libc::madvise(start.add(before).cast(), length, advice) };
}

/// Only Linux takes the advice, and Miri has no pages.
#[cfg(any(not(target_os = "linux"), miri))]
fn advise<T>(_: &mut [MaybeUninit<T>], _: usize, _: Advice) {}

/// The bytes of a list of `additional` more items.
fn bytes<T>(vec: &[T], additional: usize) -> usize {
    vec.len().saturating_add(additional).saturating_mul(size_of::<T>())
}

/// The error if the allocator does not have that many bytes.
pub(crate) fn refused(bytes: usize) -> Error {
    ErrorKind::Memory { bytes: limits::to_u64(bytes) }.into()
}
