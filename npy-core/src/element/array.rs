//! Layer 4: NumPy's sub-arrays.

use crate::dtype::{ByteOrder, DType};
use crate::element::cast::Plain;
use crate::element::{Element, Internals, InvalidValue};
use crate::limits::MAX_ITEMSIZE;

/// NumPy's sub-array of `N` items. An array of arrays is a single sub-array with two dimensions.
impl<T: Element, const N: usize> Element for [T; N] {
    const SIZE: usize = {
        const {
            assert!(
                T::SIZE.saturating_mul(N) <= MAX_ITEMSIZE,
                "an item is larger than 2147483647 bytes"
            )
        };
        T::SIZE.saturating_mul(N)
    };
    const ALIGN: usize = T::ALIGN;
    const __INTERNALS: Internals<Self> = Internals::DEFAULT
        .with_schema(|order| T::__INTERNALS.schema(order).repeated(N))
        .with_swapped_if(T::__INTERNALS.swaps(), decode_array::<T, N, true>)
        .with_plain(|| T::__INTERNALS.plain().map(Plain::repeated));

    fn dtype() -> DType {
        Self::dtype_in(ByteOrder::Little)
    }

    fn dtype_in(order: ByteOrder) -> DType {
        T::dtype_in(order).repeated(N)
    }

    #[inline]
    fn decode(item: &[u8]) -> Self {
        decode_array::<T, N, false>(item)
    }

    #[inline]
    fn encode(&self, item: &mut [u8]) -> Result<(), InvalidValue> {
        for (i, value) in self.iter().enumerate() {
            value.encode(nth_mut(item, i, T::SIZE))?;
        }
        Ok(())
    }

    #[inline]
    fn check(items: &[u8]) -> Result<(), InvalidValue> {
        T::check(items).map_err(|e| {
            let item = e.item().checked_div(N).unwrap_or(0);
            e.at_item(item)
        })
    }
}

/// Decodes the `N` values of an item, whose numbers are big-endian if `SWAPPED`.
#[inline]
fn decode_array<T: Element, const N: usize, const SWAPPED: bool>(item: &[u8]) -> [T; N] {
    match item.get(..<[T; N]>::SIZE) {
        // The compiler knows the length of this item: it removes the checks from the loop, and vectorizes it.
        Some(item) => std::array::from_fn(|i| nth_value::<T, N, SWAPPED>(item, i)),
        None => std::array::from_fn(|i| nth_value::<T, N, SWAPPED>(item, i)),
    }
}

/// Decodes the `i`th of `N` values.
#[inline]
pub(super) fn nth_value<T: Element, const N: usize, const SWAPPED: bool>(
    item: &[u8],
    i: usize,
) -> T {
    // `i` is always less than `N`. The `min` tells the compiler so, even inside a loop.
    T::__INTERNALS.decode::<SWAPPED>(nth(item, i.min(N.saturating_sub(1)), T::SIZE))
}

/// Splits the item into parts of `size` bytes, and returns the `i`th; an empty slice if the item is too short.
#[inline]
fn nth(item: &[u8], i: usize, size: usize) -> &[u8] {
    let start = i.saturating_mul(size);
    item.get(start..start.saturating_add(size)).unwrap_or_default()
}

/// Like [`nth`], mutable.
#[inline]
fn nth_mut(item: &mut [u8], i: usize, size: usize) -> &mut [u8] {
    let start = i.saturating_mul(size);
    item.get_mut(start..start.saturating_add(size)).unwrap_or_default()
}
