//! Layer 1: memory for results, asked for so that a refusal is an error.

use std::mem::MaybeUninit;

use crate::error::{Error, ErrorKind};
use crate::limits;

/// Makes room for `additional` more items and not one more: for a length that is sure.
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

/// Makes room for `additional` more items, and for some that may follow: for a length that only a header claims.
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
#[cfg(target_os = "linux")]
#[allow(unsafe_code)]
pub(crate) fn large_pages<T>(memory: &mut [MaybeUninit<T>]) {
    const LARGE: usize = 2 << 20;
    // No machine has larger ordinary pages; the system wants whole ones.
    const PAGE: usize = 64 << 10;
    let bytes = size_of_val(memory);
    if bytes < LARGE {
        return;
    }
    let start = memory.as_mut_ptr().cast::<u8>();
    let before = start.align_offset(PAGE);
    let Some(rest) = bytes.checked_sub(before) else { return };
    let length = rest.saturating_sub(rest % PAGE);
    // SAFETY: the range lies within `memory`: it starts `before <= bytes` bytes behind its start and is no longer than what is left. The
    // advice changes no byte of it and nothing about who may use it, only how large the pages are that the system backs it with.
    // A system that does not know the advice says so, which is no matter.
    let _ = unsafe { libc::madvise(start.add(before).cast(), length, libc::MADV_HUGEPAGE) };
}

/// Only Linux is asked.
#[cfg(not(target_os = "linux"))]
pub(crate) fn large_pages<T>(_: &mut [MaybeUninit<T>]) {}

/// What a list of so many more items takes.
fn bytes<T>(vec: &[T], additional: usize) -> usize {
    vec.len().saturating_add(additional).saturating_mul(size_of::<T>())
}

/// The error where the allocator has not so many bytes.
pub(crate) fn refused(bytes: usize) -> Error {
    ErrorKind::Memory { bytes: limits::to_u64(bytes) }.into()
}
