//! Layer 1: memory for results, asked for so that a refusal is an error.

use std::collections::TryReserveError;

use crate::error::{Error, ErrorKind};
use crate::limits;

/// Makes room for `additional` more items and not one more: for a length that is sure.
///
/// # Errors
///
/// [`ErrorKind::Memory`] where the allocator has none.
pub(crate) fn exact<T>(vec: &mut Vec<T>, additional: usize) -> Result<(), Error> {
    let result = vec.try_reserve_exact(additional);
    refused(vec, additional, result)
}

/// Makes room for `additional` more items, and for some that may follow: for a length that only a header claims.
///
/// # Errors
///
/// [`ErrorKind::Memory`] where the allocator has none.
pub(crate) fn growing<T>(vec: &mut Vec<T>, additional: usize) -> Result<(), Error> {
    let result = vec.try_reserve(additional);
    refused(vec, additional, result)
}

fn refused<T>(
    vec: &[T],
    additional: usize,
    result: Result<(), TryReserveError>,
) -> Result<(), Error> {
    result.map_err(|_| {
        let items = vec.len().saturating_add(additional);
        let bytes = items.saturating_mul(size_of::<T>());
        ErrorKind::Memory { bytes: limits::to_u64(bytes) }.into()
    })
}
