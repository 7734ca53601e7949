//! Allocates memory for results. Running out of memory is an error, not an abort.

use std::mem::MaybeUninit;

use crate::error::{Error, ErrorKind};
use crate::limits;

/// Reserves capacity for exactly `additional` more items. Use it when the length is known to be right.
///
/// # Errors
///
/// [`ErrorKind::Memory`] if the allocator fails.
pub(crate) fn exact<T>(vec: &mut Vec<T>, additional: usize) -> Result<(), Error> {
    vec.try_reserve_exact(additional).map_err(|_| refused(bytes(vec, additional)))?;
    large_pages(vec.spare_capacity_mut());
    Ok(())
}

/// Returns an empty list with room for exactly this many values.
///
/// # Errors
///
/// [`ErrorKind::Memory`] if the allocator fails.
pub(crate) fn list<T>(count: usize) -> Result<Vec<T>, Error> {
    let mut list = Vec::new();
    exact(&mut list, count)?;
    Ok(list)
}

/// Returns this many zeros.
///
/// # Errors
///
/// As [`list`].
pub(crate) fn zeros(count: usize) -> Result<Vec<u8>, Error> {
    let mut zeros = list(count)?;
    zeros.resize(count, 0);
    Ok(zeros)
}

/// Returns a copy of the bytes.
///
/// # Errors
///
/// As [`list`].
#[cfg(feature = "objects")]
pub(crate) fn copied(bytes: &[u8]) -> Result<Vec<u8>, Error> {
    let mut copied = list(bytes.len())?;
    copied.extend_from_slice(bytes);
    Ok(copied)
}

/// Reserves capacity for at least `additional` more items. Use it when only a header claims the length.
///
/// # Errors
///
/// [`ErrorKind::Memory`] if the allocator fails.
pub(crate) fn growing<T>(vec: &mut Vec<T>, additional: usize) -> Result<(), Error> {
    vec.try_reserve(additional).map_err(|_| refused(bytes(vec, additional)))
}

/// Requests pages of 2 MiB for memory of at least that size that was not written yet, as NumPy
/// does: a page fault for each 4 KiB takes longer than reading the data.
pub(crate) fn large_pages<T>(memory: &mut [MaybeUninit<T>]) {
    const LARGE_PAGE: usize = 2 << 20;
    if size_of_val(memory) >= LARGE_PAGE {
        // Ordinary pages have at most 64 KiB on any machine, so this alignment suits all of them.
        advise(memory, 64 << 10, Advice::LargePages);
    }
}

/// Requests all pages of memory that is about to be written: one call instead of a page fault for each.
pub(crate) fn pages<T>(memory: &mut [MaybeUninit<T>]) {
    // On a system with larger pages, the address may be refused. Then the pages come one by one.
    advise(memory, 4 << 10, Advice::Pages);
}

enum Advice {
    LargePages,
    Pages,
}

/// Advises the system about the complete pages in this memory; a refusal is ignored.
#[cfg(all(target_os = "linux", feature = "mmap", not(miri)))]
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
    // SAFETY: the range is within `memory`: it starts `before` bytes into `memory`, and at least
    // `length` bytes of `memory` follow. Neither advice changes a byte or an access right. Both
    // only change when the system provides pages, and how large they are.
    let _ = unsafe { libc::madvise(start.add(before).cast(), length, advice) };
}

/// Other systems have no such advice, Miri has no pages, and without the feature `mmap` nothing calls the system.
#[cfg(any(not(target_os = "linux"), not(feature = "mmap"), miri))]
fn advise<T>(_: &mut [MaybeUninit<T>], _: usize, _: Advice) {}

/// Returns the number of bytes of a list with `additional` more items.
fn bytes<T>(vec: &[T], additional: usize) -> usize {
    vec.len().saturating_add(additional).saturating_mul(size_of::<T>())
}

/// Returns the error for a list of this many bytes that the allocator refused.
pub(crate) fn refused(bytes: usize) -> Error {
    ErrorKind::Memory { bytes: limits::to_u64(bytes) }.into()
}
