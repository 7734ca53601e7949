//! Limits the memory of the values that serde makes from an array, in proportion to the bytes of the array.

use crate::dtype::{DType, Kind};
use crate::error::Error;
use crate::limits::{self, Limits};

/// Bytes that a value takes in a growing list or a map, if its type can hold any value (`serde_json::Value`).
pub(super) const VALUE: u64 = 128;

/// Bytes of a map, without its entries.
pub(super) const MAP: u64 = 640;

/// Bytes of values that are allowed for each byte of data. A record of one `u8` takes fewer.
const ALLOWED_PER_BYTE: u128 = 2048;

/// Refuses an array whose values would take too much memory: more than [`ALLOWED_PER_BYTE`] for each byte of the array, plus the
/// memory that [`Limits::empty_items`] allows.
///
/// `size` is the size of a row in the caller's type. It counts only if the array has no bytes.
///
/// # Errors
///
/// [`ErrorKind::Limit`](crate::ErrorKind::Limit).
pub(super) fn check(
    dtype: &DType,
    shape: &[usize],
    size: usize,
    limits: &Limits,
) -> Result<(), Error> {
    let wide = |n: usize| u128::from(limits::to_u64(n));
    let (lists, items) = count(shape);
    let bytes = items.saturating_mul(wide(dtype.itemsize()));
    let own = match bytes {
        0 => shape.first().map_or(1, |&rows| wide(rows)).saturating_mul(wide(size)),
        _ => 0,
    };
    let (item, list) = (u128::from(of_item(dtype)), u128::from(VALUE));
    let values = items.saturating_mul(item).saturating_add(lists.saturating_mul(list));
    let allowed = bytes.saturating_mul(ALLOWED_PER_BYTE);
    let excess = values.saturating_add(own).saturating_sub(allowed);
    limits.check_empty_bytes(u64::try_from(excess).unwrap_or(u64::MAX))
}

/// Returns the bytes of the values that one item becomes.
pub(super) fn of_item(dtype: &DType) -> u64 {
    match dtype.kind() {
        // Text takes its length in addition.
        Kind::Scalar(scalar) => VALUE.saturating_add(limits::to_u64(scalar.itemsize())),
        Kind::SubArray(sub) => {
            let (lists, items) = count(&sub.shape);
            let bytes = items.saturating_mul(of_item(&sub.base).into());
            let bytes = bytes.saturating_add(lists.saturating_mul(VALUE.into()));
            u64::try_from(bytes).unwrap_or(u64::MAX)
        }
        Kind::Record(record) => record.fields.iter().fold(MAP, |sum, field| {
            // The map entry of the name, and the text of the name.
            let name = VALUE.saturating_add(limits::to_u64(field.name().len()));
            sum.saturating_add(name).saturating_add(of_item(field.dtype()))
        }),
    }
}

/// Returns the number of nested lists that an array of this shape becomes, and the number of items in the innermost lists. Even an array
/// without items may have many lists.
fn count(shape: &[usize]) -> (u128, u128) {
    shape.iter().fold((0u128, 1u128), |(lists, level), &n| {
        (lists.saturating_add(level), level.saturating_mul(u128::from(limits::to_u64(n))))
    })
}
