//! Conversions between an [`AnyArray`] and arrays of one type.

use std::any::Any;
use std::mem;
use std::ops::Range;

use super::AnyArray;
use crate::array::NpyArray;
use crate::checked;
use crate::dtype::{DType, descr};
use crate::element::decode::decode_all;
use crate::element::time::{DateTime64, TimeDelta64, TimeUnit};
use crate::element::typed_plan::TypedPlan;
use crate::element::{Element, type_name};
use crate::error::{Error, ErrorKind, Result};
use crate::header::Header;
use crate::limits::{self, Limits};
use crate::plan::Cast;
use crate::shape::{self, Order};

/// Takes the array if `S` is `T`, and leaves an empty one.
pub(super) fn take<S: 'static, T: 'static>(array: &mut NpyArray<S>) -> Option<NpyArray<T>> {
    let array: &mut dyn Any = array;
    let same = array.downcast_mut::<NpyArray<T>>()?;
    Some(mem::replace(same, NpyArray::from(Vec::new())))
}

/// Converts elements. `dtype` is the dtype of their canonical items.
pub(super) fn elements<S: Element, T: Element>(
    dtype: DType,
    array: NpyArray<S>,
    cast: Cast,
) -> Result<NpyArray<T>> {
    let header = Header::new(dtype, array.shape(), array.order())?;
    let plan = TypedPlan::new::<T>(&header, cast)?;
    let array = if plan.is_strided { array.into_order(Order::C) } else { array };
    let (items, per_value) = (array.as_slice_memory_order(), plan.items.per_item);
    let plain = S::__INTERNALS.plain();
    let mut fill = |block: &mut Vec<u8>, values: Range<usize>| {
        let start = checked::mul(values.start, per_value);
        let items = checked::slice(items, start..checked::mul(values.end, per_value));
        match &plain {
            Some(plain) => block.extend_from_slice(plain.bytes(items)),
            None => encode(items, block),
        }
    };
    let array = decoded(&header, &plan, &mut fill);
    array.map_err(|error| shape::in_row(error, plan.shape(&header), plan.order))
}

/// Appends the canonical items of these elements. They are numbers or `bool`, so encoding cannot
/// fail.
fn encode<S: Element>(items: &[S], block: &mut Vec<u8>) {
    let start = block.len();
    block.resize(checked::add(start, checked::mul(items.len(), S::SIZE)), 0);
    let slots = checked::tail_mut(block, start).chunks_exact_mut(S::SIZE);
    for (slot, item) in slots.zip(items) {
        let encoded = item.encode(slot);
        debug_assert!(encoded.is_ok(), "a number is always an item of its dtype");
    }
}

/// Decodes the values of an array; `fill` appends the items of a block. `fill` is a `dyn` closure,
/// so this function is compiled once for each `T`, not for each type that `T` is converted from.
fn decoded<T: Element>(
    header: &Header,
    plan: &TypedPlan,
    fill: &mut dyn FnMut(&mut Vec<u8>, Range<usize>),
) -> Result<NpyArray<T>> {
    let values = 0..limits::to_usize(plan.items.count)?;
    let values = decode_all(&plan.items.plan, values, &Limits::default(), fill)?;
    NpyArray::with_order(values, plan.shape(header), plan.order)
}

/// Returns the error for an array of another dtype than that of `T`.
pub(super) fn mismatch<T: Element>(found: &DType, remedy: &'static str) -> Error {
    mismatch_with::<T>(found, &T::dtype().descr(), remedy)
}

/// Like [`mismatch`], for a type whose dtype is described by `wanted`.
fn mismatch_with<T>(found: &DType, wanted: &str, remedy: &'static str) -> Error {
    let (found, wanted) = (descr::excerpt(&found.descr()), wanted.to_owned());
    ErrorKind::Mismatch { found, wanted, wanted_by: type_name::<T>(), remedy: remedy.into() }.into()
}

/// Returns the error for an array that cannot be moved, as it has another type.
pub(super) fn not_moved<T: Element>(array: &AnyArray) -> Error {
    mismatch::<T>(&array.dtype(), "convert it with AnyArray::cast, or handle its variant")
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
                        Err(mismatch_with::<$type>(&array.dtype(), $wanted, remedy))
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
                    array => Err(not_moved::<$type<U>>(&array)),
                }
            }
        }
    )*};
}

times!(DateTime: DateTime64, TimeDelta: TimeDelta64);
