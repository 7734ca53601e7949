//! Memory that is known to be there. Running out of it is an error, not an abort.

use std::hint::black_box;
use std::sync::{Mutex, PoisonError};

use crate::error::{Error, Result, to_u64};

/// Calls a function that allocates at most this many bytes, and would abort or panic without them. Fails if fewer are left, or nearly as few:
/// small allocations, such as those of a thread that starts, cannot fail.
pub(crate) fn with_room<A>(bytes: usize, allocate: impl FnOnce() -> A) -> Result<A> {
    const SPARE: usize = 4 << 20;
    /// So that no other thread takes what was found to be there.
    static ONE_BY_ONE: Mutex<()> = Mutex::new(());
    let _guard = ONE_BY_ONE.lock().unwrap_or_else(PoisonError::into_inner);
    let needed = bytes.saturating_add(SPARE);
    let mut probe = Vec::<u8>::new();
    probe.try_reserve_exact(needed).map_err(|_| refused(needed))?;
    // The compiler may leave out an allocation that nothing uses, as if it had succeeded.
    drop(black_box(probe));
    Ok(allocate())
}

/// Returns an empty buffer of this capacity, which [leaves room](with_room).
pub(crate) fn buffer(capacity: usize) -> Result<Vec<u8>> {
    with_room(capacity, || Vec::with_capacity(capacity))
}

/// Reserves capacity for at least `additional` more items.
pub(crate) fn growing<T>(items: &mut Vec<T>, additional: usize) -> Result<()> {
    items.try_reserve(additional).map_err(|_| {
        let count = items.len().saturating_add(additional);
        refused(count.saturating_mul(size_of::<T>()))
    })
}

/// Returns the error for this many bytes that the allocator refused.
fn refused(bytes: usize) -> Error {
    Error::Memory { bytes: to_u64(bytes) }
}
