//! Reads lists of numbers at once. By the methods of serde alone, the numbers would be passed one by one.

use std::any::Any;
use std::cell::Cell;

use super::bytes::ArrayBytes;
use crate::dtype::{ByteOrder, DType, ScalarKind};
use crate::element::Element;
use crate::error::Error;
use crate::reserve;

thread_local! {
    /// The list that a deserializer hands over to a visitor. It is stored here because no method of serde has a parameter for it; the
    /// visitor takes it immediately.
    static LIST: Cell<Option<Box<dyn Any>>> = const { Cell::new(None) };
}

macro_rules! numbers {
    ($($number:ty, $kind:ident, $token:literal;)*) => {
        /// Returns the name by which a list of `T` is requested; `None` if `T` is not a number.
        pub(super) fn token<T>() -> Option<&'static str> {
            let list = &mut Vec::<T>::new();
            $(if castaway::cast!(&mut *list, &mut Vec<$number>).is_ok() {
                return Some($token);
            })*
            None
        }

        /// Takes the list that was handed over.
        pub(super) fn take<T>() -> Option<Vec<T>> {
            let handed_over = LIST.take()?;
            let mut list = Vec::<T>::new();
            $(if let Ok(numbers) = castaway::cast!(&mut list, &mut Vec<$number>) {
                *numbers = *handed_over.downcast().ok()?;
                return Some(list);
            })*
            None
        }

        /// Reads the elements, and hands over the list if this name requests numbers of their dtype. Returns whether it does.
        ///
        /// # Errors
        ///
        /// [`ErrorKind::Memory`](crate::ErrorKind::Memory) if the allocator fails.
        pub(super) fn hand_over(
            dtype: &DType,
            bytes: ArrayBytes<'_>,
            token: &str,
        ) -> Result<bool, Error> {
            let Some(scalar) = dtype.scalar() else { return Ok(false) };
            match (token, scalar.kind(), scalar.itemsize()) {
                $(($token, ScalarKind::$kind, size) if size == size_of::<$number>() => {
                    let list = read::<$number>(bytes, scalar.byte_order())?;
                    LIST.set(Some(Box::new(list)));
                    Ok(true)
                })*
                _ => Ok(false),
            }
        }
    };
}

numbers! {
    i8, Int, "$npy_core::i8";
    i16, Int, "$npy_core::i16";
    i32, Int, "$npy_core::i32";
    i64, Int, "$npy_core::i64";
    u8, UInt, "$npy_core::u8";
    u16, UInt, "$npy_core::u16";
    u32, UInt, "$npy_core::u32";
    u64, UInt, "$npy_core::u64";
    f32, Float, "$npy_core::f32";
    f64, Float, "$npy_core::f64";
}

/// Returns the list whose memory is these bytes, in this order.
fn read<T: Element>(bytes: ArrayBytes<'_>, order: Option<ByteOrder>) -> Result<Vec<T>, Error> {
    let length = usize::try_from(bytes.length()).map_err(|_| reserve::refused(usize::MAX))?;
    let plain = T::__INTERNALS.plain().ok_or_else(|| reserve::refused(length))?;
    let mut list = plain.zeros(length.checked_div(T::SIZE).unwrap_or(0))?;
    let memory = plain.bytes_mut(&mut list);
    bytes.copy_to(memory);
    if order.is_some_and(|order| order != ByteOrder::NATIVE) {
        memory.chunks_exact_mut(T::SIZE.max(1)).for_each(<[u8]>::reverse);
    }
    Ok(list)
}
