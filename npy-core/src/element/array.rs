//! NumPy's sub-arrays as Rust arrays: `[T; N]` and `Box<[T; N]>`.

use crate::checked;
use crate::dtype::{ByteOrder, DType};
use crate::element::cast::Plain;
use crate::element::{Element, Internals, InvalidValue};
use crate::limits::MAX_ITEMSIZE;

/// NumPy's sub-array of `N` elements. An array of arrays is a single sub-array of two dimensions.
impl<T: Element, const N: usize> Element for [T; N] {
    const SIZE: usize = {
        const {
            assert!(
                T::SIZE.saturating_mul(N) <= MAX_ITEMSIZE,
                "an item is larger than 2147483647 bytes"
            )
        };
        checked::mul(T::SIZE, N)
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

/// Decodes the `N` values of an item; if `SWAPPED`, of an item whose numbers are big-endian.
#[inline]
fn decode_array<T: Element, const N: usize, const SWAPPED: bool>(item: &[u8]) -> [T; N] {
    match item.get(..<[T; N]>::SIZE) {
        // Both arms do the same. Here the compiler knows the length of `item`, so it removes the
        // bounds checks and vectorizes the loop.
        Some(item) => std::array::from_fn(|i| nth_value::<T, N, SWAPPED>(item, i)),
        None => std::array::from_fn(|i| nth_value::<T, N, SWAPPED>(item, i)),
    }
}

/// A sub-array like `[T; N]`, for arrays that are too large for the stack.
///
/// ```
/// use npy_core::{NpyRecord, ReadNpy, WriteNpy};
///
/// #[derive(NpyRecord)]
/// struct Trace {
///     start: i64,
///     samples: Box<[f32; 1 << 20]>,
/// }
///
/// let samples = vec![0.5; 1 << 20].into_boxed_slice().try_into().unwrap();
/// let mut file = Vec::new();
/// [Trace { start: 0, samples }].write_npy_to(&mut file)?;
/// assert_eq!(Vec::<Trace>::read_npy_from(&file[..])?[0].samples[9], 0.5);
/// # Ok::<(), npy_core::Error>(())
/// ```
impl<T: Element, const N: usize> Element for Box<[T; N]> {
    const SIZE: usize = <[T; N]>::SIZE;
    const ALIGN: usize = <[T; N]>::ALIGN;
    const __INTERNALS: Internals<Self> = Internals::DEFAULT
        .with_schema(|order| <[T; N]>::__INTERNALS.schema(order))
        .with_swapped_if(T::__INTERNALS.swaps(), decode_boxed::<T, N, true>);

    fn dtype() -> DType {
        <[T; N]>::dtype()
    }

    fn dtype_in(order: ByteOrder) -> DType {
        <[T; N]>::dtype_in(order)
    }

    #[inline]
    fn decode(item: &[u8]) -> Self {
        decode_boxed::<T, N, false>(item)
    }

    #[inline]
    fn encode(&self, item: &mut [u8]) -> Result<(), InvalidValue> {
        <[T; N]>::encode(self, item)
    }

    #[inline]
    fn check(items: &[u8]) -> Result<(), InvalidValue> {
        <[T; N]>::check(items)
    }
}

/// Like [`decode_array`], but decodes directly to the heap.
#[inline]
fn decode_boxed<T: Element, const N: usize, const SWAPPED: bool>(item: &[u8]) -> Box<[T; N]> {
    let items: Vec<T> = match item.get(..<[T; N]>::SIZE) {
        // Both arms do the same. Here the compiler knows the length of `item`, so it removes the bounds checks.
        Some(item) => (0..N).map(|i| nth_value::<T, N, SWAPPED>(item, i)).collect(),
        None => (0..N).map(|i| nth_value::<T, N, SWAPPED>(item, i)).collect(),
    };
    items.into_boxed_slice().try_into().unwrap_or_else(|_| decode_via_stack(item))
}

/// Decodes an array on the stack and moves it to the heap. This function is never called, because
/// [`decode_boxed`] always has `N` values. It is not inlined, because its large stack frame would
/// enlarge that of every caller.
#[cold]
#[inline(never)]
fn decode_via_stack<T: Element, const N: usize>(item: &[u8]) -> Box<[T; N]> {
    Box::new(<[T; N]>::decode(item))
}

/// Decodes the `i`th of `N` values.
#[inline]
fn nth_value<T: Element, const N: usize, const SWAPPED: bool>(item: &[u8], i: usize) -> T {
    // `i` is always less than `N`. The `min` tells the compiler so, even inside a loop.
    T::__INTERNALS.decode::<SWAPPED>(checked::part(item, i.min(N.saturating_sub(1)), T::SIZE))
}

/// Like [`nth`], mutable.
#[inline]
fn nth_mut(item: &mut [u8], i: usize, size: usize) -> &mut [u8] {
    let start = checked::mul(i, size);
    checked::slice_mut(item, start..checked::add(start, size))
}
