//! How much memory the values that serde makes of an array may take, and whether its bytes pay for it.

use crate::dtype::{DType, Kind};
use crate::error::Error;
use crate::limits::{self, Limits};

/// Bytes of a value, of whatever kind, in a type that holds any kind (`serde_json::Value`): its place in a list that grows, or its
/// entry in a map.
const VALUE: u128 = 128;

/// Bytes of a map, whatever is in it.
const MAP: u128 = 640;

/// Bytes of values that one byte of data pays for: more than a record of one `u8` takes.
const PAID: u128 = 2048;

/// Refuses an array of so many bytes whose values take more memory than these pay for; [`Limits::empty_items`] is what they may take in
/// addition.
///
/// A type of the caller's that is large by itself counts only where there are no bytes: `size` is that of a row.
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
    let values = items.saturating_mul(of_item(dtype)).saturating_add(lists.saturating_mul(VALUE));
    let unpaid = values.saturating_add(own).saturating_sub(bytes.saturating_mul(PAID));
    limits.check_empty_bytes(u64::try_from(unpaid).unwrap_or(u64::MAX))
}

/// Bytes of the values that are made of one item.
fn of_item(dtype: &DType) -> u128 {
    match dtype.kind() {
        Kind::Scalar(_) => VALUE,
        Kind::SubArray(sub) => {
            let (lists, items) = count(&sub.shape);
            items.saturating_mul(of_item(&sub.base)).saturating_add(lists.saturating_mul(VALUE))
        }
        Kind::Record(record) => record.fields.iter().fold(MAP, |sum, field| {
            // A copy of the name, and the place of that.
            let name = VALUE.saturating_add(u128::from(limits::to_u64(field.name().len())));
            sum.saturating_add(name).saturating_add(of_item(field.dtype()))
        }),
    }
}

/// How many lists an array of this shape is, and how many items are in the innermost: one without items may have many lists.
fn count(shape: &[usize]) -> (u128, u128) {
    shape.iter().fold((0u128, 1u128), |(lists, level), &n| {
        (lists.saturating_add(level), level.saturating_mul(u128::from(limits::to_u64(n))))
    })
}
