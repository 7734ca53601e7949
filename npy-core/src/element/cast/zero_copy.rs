//! The types that can be viewed in place, and the casts from bytes to their values.

#![allow(unsafe_code)]

use std::ptr::NonNull;

use super::Plain;
use super::proof::Memory;
pub(crate) use super::proof::MemoryField;
use crate::dtype::{ByteOrder, DType};
use crate::element::Element;
use crate::element::bool8::Bool8;
use crate::element::endian::{Be, Le, Number};
use crate::element::float8::Float8;
use crate::element::text::ByteStr;
use crate::element::time::{DateTime64, TimeDelta64, TimeUnit};
use crate::element::type_info::TypeInfo;
use crate::element::void::Void;
use crate::plan::{Cast, Plan};

#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be viewed in place: not every byte pattern is known to be a valid value",
    label = "`npy_core::ZeroCopy` is not implemented for this type; derive it, or read with `get` or `read` of `npy_core::MapAny`",
    note = "a struct of your own: `#[derive(Clone, Copy, npy_core::NpyRecord, npy_core::ZeroCopy)]` on it, with `#[repr(C)]`",
    note = "any type can be read from a mapped file with `get` and `read` of `npy_core::MapAny`, which copy the elements that they return",
    note = "`bool`: bytes other than 0 and 1 are not a `bool`; use `npy_core::Bool8`, a byte that is true if it is not zero",
    note = "an enum: most bytes are not a variant of it; use its integer in the struct"
)]
/// A type whose values in memory are the bytes of an element, so that elements can be viewed in a
/// file without copying.
///
/// Derive it ([`ZeroCopy`](macro@crate::ZeroCopy)) for structs. It is implemented for the integers
/// and floats, for [`Le`] and [`Be`] of those, [`Bool8`], [`Float8`], arrays, [`ByteStr`],
/// [`Void`](crate::Void), [`DateTime64`] and [`TimeDelta64`]. The features `half` and `num-complex`
/// add the number types of those crates.
///
/// Large arrays are also read directly into a `Vec`, and written directly from one, if the type has
/// no padding and all its numbers are little-endian in memory. This does not apply to a struct with
/// generic parameters: its elements are decoded and encoded one by one.
///
/// It is not implemented for `bool` and enums: most byte patterns are not valid values of them, and
/// a view does not check the bytes. Use [`Bool8`] instead of `bool`.
///
/// # Safety
///
/// - Every pattern of `size_of::<Self>()` initialized bytes at an aligned address is a valid value.
/// - There is no interior mutability.
/// - [`PADDED`](Self::PADDED) is `true` if a value may contain uninitialized bytes, such as padding.
///
/// These rules make a view sound. For a view to show the right values, the bytes of a value in
/// memory must also be an element of the dtype that [`memory_dtype`](Self::memory_dtype) returns.
pub unsafe trait ZeroCopy: Element + Copy {
    /// True if a value in memory has bytes that do not belong to a field.
    ///
    /// Values with such bytes can be viewed, but not changed in place. In derived code, evaluating
    /// this constant also proves that the layout in memory is that of the dtype.
    const PADDED: bool;

    /// Proves the layout; for derived code.
    #[doc(hidden)]
    const __MEMORY: Memory<Self> = Memory::new();

    /// Returns the dtype of a value in memory: like [`Element::dtype`], but with the byte order
    /// that each number has in memory.
    fn memory_dtype() -> DType;
}

macro_rules! zero_copy {
    ($([$($generics:tt)*] $type:ty),* $(,)?) => {$(
        // SAFETY: a number or an array of bytes: every byte pattern is a valid value, and there is no padding.
        unsafe impl<$($generics)*> ZeroCopy for $type {
            const PADDED: bool = false;

            fn memory_dtype() -> DType {
                Self::dtype_in(ByteOrder::NATIVE)
            }
        }
    )*};
}

zero_copy! {
    [] i8, [] i16, [] i32, [] i64, [] u8, [] u16, [] u32, [] u64, [] f32, [] f64,
    [U: TimeUnit] DateTime64<U>, [U: TimeUnit] TimeDelta64<U>,
    [T: Number] Le<T>, [T: Number] Be<T>, [const N: usize] ByteStr<N>, [const N: usize] Void<N>, [] Float8, [] Bool8,
}

#[cfg(feature = "half")]
zero_copy! { [] half::f16, [] half::bf16 }

// Two numbers without padding: `repr(C)`.
#[cfg(feature = "num-complex")]
zero_copy! { [] num_complex::Complex<f32>, [] num_complex::Complex<f64> }

// SAFETY: an array is its items, one after the other, and every byte pattern is a valid item.
unsafe impl<T: ZeroCopy, const N: usize> ZeroCopy for [T; N] {
    const PADDED: bool = T::PADDED;

    fn memory_dtype() -> DType {
        T::memory_dtype().repeated(N)
    }
}

impl<T> Memory<T> {
    /// Describes a field. The last argument is a function that returns this field of a struct; the compiler infers the field's type `F`
    /// from it.
    ///
    /// Derived code cannot name the type of the field, as an attribute macro after the derive may
    /// change it.
    pub const fn field<F: ZeroCopy>(
        &self,
        name: &'static str,
        offset: usize,
        _: fn(T) -> F,
    ) -> MemoryField {
        MemoryField {
            name,
            offset,
            size: size_of::<F>(),
            padded: F::PADDED,
            dtype: F::memory_dtype,
        }
    }
}

/// Returns true if an element of the dtype `found` has the same bytes in the dtype `wanted`.
/// Padding and titles do not matter.
pub(crate) fn is_same(found: &DType, wanted: &DType) -> bool {
    let plan = Plan::new(found, wanted, Cast::Exact);
    plan.is_ok_and(|plan| plan.is_exact())
}

/// Returns true if the address of these bytes is aligned for `T`, or if there are no bytes.
pub(crate) fn is_aligned<T>(bytes: &[u8]) -> bool {
    bytes.is_empty() || bytes.as_ptr().cast::<T>().is_aligned()
}

/// Returns true if the bytes have the length of `count` values and are aligned.
///
/// Every view calls this function, which evaluates `T::PADDED`. So a generic type with a wrong
/// layout does not compile in a view, even if nothing else evaluates that constant:
///
/// ```compile_fail,E0080
/// use npy_core::{NpyView, NpyRecord, ZeroCopy};
///
/// #[derive(NpyRecord, ZeroCopy, Clone, Copy)]
/// #[repr(C)]
/// struct Inner<T>(T);
///
/// // `Outer` has the same size in memory and in the dtype, but `inner` has another offset.
/// #[derive(NpyRecord, ZeroCopy, Clone, Copy)]
/// #[npy(align)]
/// #[repr(C)]
/// struct Outer<T> {
///     count: u32,
///     flag: u8,
///     inner: Inner<T>,
/// }
///
/// let view = NpyView::<Outer<f32>>::from_bytes(b"");
/// ```
fn are_values<T: ZeroCopy>(bytes: &[u8], count: usize) -> bool {
    const {
        let _ = T::PADDED;
        assert!(
            size_of::<T>() == T::SIZE,
            "ZeroCopy is implemented for a type whose size in memory is not Element::SIZE"
        );
    }
    count.checked_mul(size_of::<T>()) == Some(bytes.len()) && is_aligned::<T>(bytes)
}

/// Casts the bytes to `count` values; `None` if they have another length or are misaligned.
pub(crate) fn values<T: ZeroCopy>(bytes: &[u8], count: usize) -> Option<&[T]> {
    if !are_values::<T>(bytes, count) {
        return None;
    }
    let start =
        if bytes.is_empty() { NonNull::dangling().as_ptr() } else { bytes.as_ptr().cast::<T>() };
    // SAFETY: the result has the lifetime of the borrow of `bytes`. `bytes` has `count` times the
    // size of a value, and its start is aligned; if it is empty, the dangling pointer is used,
    // which is aligned, too. Every byte pattern is a valid value of a `ZeroCopy` type. Both
    // references are shared, and a `ZeroCopy` type has no interior mutability.
    Some(unsafe { std::slice::from_raw_parts(start, count) })
}

/// Like [`values`], mutable.
pub(crate) fn values_mut<T: ZeroCopy>(bytes: &mut [u8], count: usize) -> Option<&mut [T]> {
    const {
        assert!(
            !T::PADDED,
            "a type with padding cannot be written in place, as that leaves undefined bytes in the file; declare the padding as fields that are not stored (`#[npy(skip)] pad: [u8; 7]`)"
        );
    }
    if !are_values::<T>(bytes, count) {
        return None;
    }
    let start = if bytes.is_empty() {
        NonNull::dangling().as_ptr()
    } else {
        bytes.as_mut_ptr().cast::<T>()
    };
    // SAFETY: as in `values`, and the bytes are borrowed exclusively for as long as the result
    // lives. Writing a value leaves all bytes initialized: it has no padding, as asserted above.
    Some(unsafe { std::slice::from_raw_parts_mut(start, count) })
}

impl<T: ZeroCopy> Plain<T> {
    /// Returns the proof for `T`; `None` if a number is not little-endian in memory, or a byte does not belong to a field.
    pub(crate) fn of() -> Option<Self> {
        let canonical = TypeInfo::of::<T>().canonical().ok()?;
        let dtype = &canonical.dtype;
        // True if every byte of a value belongs to a field or number. Checked in addition to
        // `PADDED`, as `ZeroCopy` may be implemented by hand.
        let fills = size_of::<T>() == T::SIZE && dtype.packed().itemsize() == T::SIZE;
        let plain = fills && !T::PADDED && is_same(&T::memory_dtype(), dtype);
        plain.then(|| {
            // SAFETY: a `ZeroCopy` type is `Copy`, and any bytes are a value of it. It has no padding, as checked above.
            unsafe { Plain::new() }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Guards each cast between bytes and values, above all in Miri (`cargo xtask miri`).
    #[test]
    fn values_are_their_bytes() {
        let plain = Plain::<Le<u32>>::of().unwrap();
        let mut list = plain.zeros(2).unwrap();
        list.reserve(3);
        plain.append_zeros(&mut list, 1);
        plain.bytes_mut(&mut list)[8..].copy_from_slice(&[1, 2, 0, 0]);
        assert_eq!(list, [Le::new(0), Le::new(0), Le::new(513)]);
        let mut bytes = plain.bytes(&list).to_vec();
        assert_eq!(values::<Le<u32>>(&bytes, 3).unwrap(), list);
        values_mut::<Le<u32>>(&mut bytes, 3).unwrap()[0] = Le::new(9);
        assert_eq!(bytes, [9, 0, 0, 0, 0, 0, 0, 0, 1, 2, 0, 0]);
        assert!(values::<Le<u32>>(&bytes, 2).is_none());
        assert!(
            values::<u32>(&bytes[1..9], 2).is_none() || values::<u32>(&bytes[..8], 2).is_none()
        );
        assert_eq!(values::<u64>(&[], 0), Some(&[][..]));
        assert!(Plain::<[u8; 0]>::of().unwrap().zeros(7).unwrap().is_empty());
    }
}
