//! Layer 4: sub-arrays on the heap.

use super::array::nth_value;
use super::{Element, Internals, InvalidValue};
use crate::dtype::{ByteOrder, DType};

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
        .with_swapped_if(T::__INTERNALS.swaps(), decode::<T, N, true>);

    fn dtype() -> DType {
        <[T; N]>::dtype()
    }

    fn dtype_in(order: ByteOrder) -> DType {
        <[T; N]>::dtype_in(order)
    }

    #[inline]
    fn decode(item: &[u8]) -> Self {
        decode::<T, N, false>(item)
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

/// Decodes the values of an item, whose numbers are big-endian if `SWAPPED`, directly to the heap.
#[inline]
fn decode<T: Element, const N: usize, const SWAPPED: bool>(item: &[u8]) -> Box<[T; N]> {
    let items: Vec<T> = match item.get(..<[T; N]>::SIZE) {
        // Both arms do the same. Here the compiler knows the length of `item`, so it removes the bounds checks.
        Some(item) => (0..N).map(|i| nth_value::<T, N, SWAPPED>(item, i)).collect(),
        None => (0..N).map(|i| nth_value::<T, N, SWAPPED>(item, i)).collect(),
    };
    items.into_boxed_slice().try_into().unwrap_or_else(|_| on_the_stack(item))
}

/// Never called, as there are always `N` items. It is a separate function because its stack frame is large: inlined, it would enlarge the
/// frame of every caller.
#[cold]
#[inline(never)]
fn on_the_stack<T: Element, const N: usize>(item: &[u8]) -> Box<[T; N]> {
    Box::new(<[T; N]>::decode(item))
}
