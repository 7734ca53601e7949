//! Conversions between an [`AnyArray`] and arrays of one type.

use std::any::Any;
use std::borrow::Cow;
use std::mem;

use super::AnyArray;
use crate::array::NpyArray;
use crate::checked;
use crate::dtype::{ByteOrder, DType};
use crate::element::cast::bytes_of_flags;
use crate::element::time::{DateTime64, TimeDelta64, TimeUnit};
use crate::element::type_info::TypeInfo;
use crate::element::{Element, type_name};
use crate::error::{Error, Result};
use crate::plan;

/// Takes the array if `S` is `T`, and leaves an empty one.
pub(super) fn take<S: 'static, T: 'static>(array: &mut NpyArray<S>) -> Option<NpyArray<T>> {
    let array: &mut dyn Any = array;
    let same = array.downcast_mut::<NpyArray<T>>()?;
    Some(mem::replace(same, NpyArray::from(Vec::new())))
}

/// Returns the canonical bytes of these elements, which are numbers or `bool`.
pub(super) fn bytes<S: Element + 'static>(array: &NpyArray<S>) -> Cow<'_, [u8]> {
    if let Some(flags) = (array as &dyn Any).downcast_ref::<NpyArray<bool>>() {
        return Cow::Borrowed(bytes_of_flags(flags.as_slice_memory_order()));
    }
    let items = array.as_slice_memory_order();
    if let Some(plain) = S::__INTERNALS.plain() {
        return Cow::Borrowed(plain.bytes(items));
    }
    let mut bytes = vec![0; checked::mul(items.len(), S::SIZE)];
    for (slot, item) in bytes.chunks_exact_mut(S::SIZE).zip(items) {
        let encoded = item.encode(slot);
        debug_assert!(encoded.is_ok(), "a number is always an item of its dtype");
    }
    Cow::Owned(bytes)
}

/// Returns the error for an array of another type than this one.
pub(super) fn mismatch(found: &DType, ty: TypeInfo, remedy: &'static str) -> Error {
    let wanted = ty.dtype_in(ByteOrder::Little).descr();
    plan::mismatch(found, wanted, remedy).wanted_by(&ty.name()).of_array()
}

/// Returns the error for an array that cannot be moved, as it has another type.
pub(super) fn not_moved(array: &AnyArray, ty: TypeInfo) -> Error {
    mismatch(&array.dtype(), ty, "convert it with AnyArray::cast, or handle its variant")
}

/// Implements `From` and `TryFrom` for text and bytes of any width.
macro_rules! texts {
    ($($variant:ident: $type:ty, $wanted:literal;)*) => {$(
        impl From<NpyArray<$type>> for AnyArray {
            fn from(array: NpyArray<$type>) -> Self {
                AnyArray::$variant(array)
            }
        }

        /// Moves the array, if it has this type.
        impl TryFrom<AnyArray> for NpyArray<$type> {
            type Error = Error;

            fn try_from(array: AnyArray) -> Result<Self> {
                match array {
                    AnyArray::$variant(array) => Ok(array),
                    array => {
                        let remedy = "read the file as this type, or handle the variant";
                        let error = plan::mismatch(&array.dtype(), $wanted.into(), remedy);
                        Err(error.wanted_by(&type_name::<$type>()).of_array())
                    }
                }
            }
        }
    )*};
}

texts! {
    Text: String, "'<U' of any width";
    Bytes: Vec<u8>, "'|S' of any width";
}

/// Implements `From` and `TryFrom` for times.
macro_rules! times {
    ($($variant:ident: $type:ident),*) => {$(
        impl<U: TimeUnit> From<NpyArray<$type<U>>> for AnyArray {
            fn from(array: NpyArray<$type<U>>) -> Self {
                AnyArray::$variant(array.map($type::count), U::RESOLUTION)
            }
        }

        /// Moves the counts, if they have this unit; [`AnyArray::cast`] converts others.
        impl<U: TimeUnit> TryFrom<AnyArray> for NpyArray<$type<U>> {
            type Error = Error;

            fn try_from(array: AnyArray) -> Result<Self> {
                match array {
                    AnyArray::$variant(counts, unit) if unit == U::RESOLUTION => {
                        Ok(counts.map($type::new))
                    }
                    array => Err(not_moved(&array, TypeInfo::of::<$type<U>>())),
                }
            }
        }
    )*};
}

times!(DateTime: DateTime64, TimeDelta: TimeDelta64);
