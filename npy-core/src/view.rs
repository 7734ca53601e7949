//! Layer 4: the bytes of an array as Rust values, where they lie, and values as bytes.

// The casts of slices stand here, for views and for whatever else holds the bytes of a file.
#![allow(unsafe_code)]

mod proof;

use std::alloc::{self, Layout};
use std::fmt;
use std::marker::PhantomData;
use std::ops::{Deref, DerefMut, Range};
use std::ptr::NonNull;

use crate::dtype::{ByteOrder, DType};
use crate::element::endian::{Be, Le, Number};
use crate::element::float8::Float8;
use crate::element::text::ByteStr;
use crate::element::time::{DateTime64, TimeDelta64, TimeUnit};
use crate::element::typed_plan::{TypedPlan, canonical};
use crate::element::void::Void;
use crate::element::{Element, type_name};
use crate::error::{Error, ViewError};
use crate::header::Header;
use crate::limits::{self, Limits};
use crate::plan::{Cast, Plan};
use crate::reserve;
use crate::shape::{self, Order};
use proof::Memory;
pub(crate) use proof::MemoryField;

#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be viewed in place: not all bytes are known to be values of it",
    label = "`npy_core::ZeroCopy` is not implemented for this type",
    note = "`bool`: bytes other than 0 and 1 are no bool; use `u8` in the struct",
    note = "an enum: bytes that are no variant are no value of it; use its integer in the struct",
    note = "a struct of your own: `#[derive(npy_core::NpyRecord, npy_core::ZeroCopy)]` on it, with `#[repr(C)]`"
)]
/// A type whose values are the bytes of an item, as they lie in memory: it can be viewed in a file.
///
/// Derive it ([`ZeroCopy`](macro@crate::ZeroCopy)) for structs. It is implemented for the integers and floats, for
/// [`Le`] and [`Be`] of those, arrays, [`ByteStr`], [`Void`](crate::Void), [`DateTime64`] and [`TimeDelta64`], and by feature `half`'s
/// numbers and complex ones.
/// Large arrays are also read straight into a `Vec` and written straight from it if the type has no padding, no parameters and no
/// number whose byte order is not the machine's.
///
/// Not for `bool` and not for enums: most bytes are no value of those, and nobody looks at the bytes of a view beforehand.
///
/// # Safety
///
/// - Any bytes are a value: `size_of::<Self>()` of them, initialised, at an address of the type's alignment.
/// - There is no interior mutability.
/// - [`PADDED`](Self::PADDED) is `true` if bytes of a value may not be initialised, as padding is not.
///
/// What a view then shows is right if the memory of a value is an item of [`memory_dtype`](Self::memory_dtype).
pub unsafe trait ZeroCopy: Element + Copy {
    /// Whether a value in memory has bytes that belong to none of its fields.
    ///
    /// Such a type can be viewed, and not written in place. What is derived also proves here that the layout is that of the dtype.
    const PADDED: bool;

    /// What derived code proves the layout with.
    #[doc(hidden)]
    const __MEMORY: Memory<Self> = Memory::new();

    /// The dtype of a value in memory: as [`Element::dtype`], with each number in the byte order that it has there.
    fn memory_dtype() -> DType;
}

macro_rules! zero_copy {
    ($([$($generics:tt)*] $type:ty),* $(,)?) => {$(
        // SAFETY: a number, or bytes without any rule, and nothing around them.
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
    [T: Number] Le<T>, [T: Number] Be<T>, [const N: usize] ByteStr<N>, [const N: usize] Void<N>, [] Float8,
}

#[cfg(feature = "half")]
zero_copy! { [] half::f16, [] half::bf16 }

// Two numbers, and nothing around them: `repr(C)`.
#[cfg(feature = "num-complex")]
zero_copy! { [] num_complex::Complex<f32>, [] num_complex::Complex<f64> }

// SAFETY: an array is its items side by side, and any bytes are items.
unsafe impl<T: ZeroCopy, const N: usize> ZeroCopy for [T; N] {
    const PADDED: bool = T::PADDED;

    fn memory_dtype() -> DType {
        T::memory_dtype().repeated(N)
    }
}

/// An array in the bytes of a `.npy` file, used where it lies: nothing is copied and nothing looked at.
///
/// It is a slice of the items in the order of the file, with a shape. For a `T` that is a sub-array (`[f32; 3]`), see
/// [`ReadNpy`](crate::ReadNpy).
///
/// ```
/// use npy_core::{ArrayView, Le, NpyRecord, WriteNpy, ZeroCopy};
///
/// #[derive(NpyRecord, ZeroCopy, Clone, Copy)]
/// #[repr(C)]
/// struct Pick {
///     station: u8,
///     time: Le<f64>, // at any address: there is no padding before it
/// }
///
/// let mut file = Vec::new();
/// [Pick { station: 7, time: Le::new(0.5) }].write_npy_to(&mut file)?;
///
/// let picks = ArrayView::<Pick>::from_bytes(&file)?;
/// assert_eq!(picks.shape(), [1]);
/// assert_eq!(picks[0].time.get(), 0.5);
/// # Ok::<(), npy_core::Error>(())
/// ```
#[derive(Clone)]
pub struct ArrayView<'a, T> {
    items: &'a [T],
    shape: Vec<usize>,
    order: Order,
}

impl<'a, T: ZeroCopy> ArrayView<'a, T> {
    /// The array of the `.npy` file that starts with these bytes. What follows its data does not matter.
    ///
    /// # Errors
    ///
    /// A [`ViewError`]: the items lie otherwise than the type does in memory (byte order, layout, alignment), and have
    /// to be copied; or the file holds something else, or is cut short.
    pub fn from_bytes(file: &'a [u8]) -> Result<Self, ViewError> {
        let Located { data, count, shape, order, .. } = locate::<T>(file)?;
        let items = file.get(data).and_then(|data| values(data, count));
        // What `locate` has found is there.
        Ok(ArrayView { items: items.unwrap_or_default(), shape, order })
    }
}

impl<'a, T> ArrayView<'a, T> {
    /// The items in the order of the file, for as long as the bytes live.
    pub fn as_slice(&self) -> &'a [T] {
        self.items
    }

    /// The dimensions; none for a single item.
    pub fn shape(&self) -> &[usize] {
        &self.shape
    }

    /// The order in which the items stand.
    pub fn order(&self) -> Order {
        self.order
    }

    /// The item of this index, one number for each dimension; `None` outside the shape.
    ///
    /// `get` is the slice's: it counts the items in the order of the file.
    pub fn at(&self, index: &[usize]) -> Option<&'a T> {
        self.items.get(shape::position(&self.shape, self.order, index)?)
    }
}

/// The items in the order of the file.
impl<T> Deref for ArrayView<'_, T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        self.items
    }
}

impl<T: fmt::Debug> fmt::Debug for ArrayView<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        debug(f, "ArrayView", &self.shape, self.order, self.items)
    }
}

/// An [`ArrayView`] that changes the bytes it lies in.
///
/// ```
/// use npy_core::{ArrayViewMut, Le, ReadNpy, WriteNpy};
///
/// let mut file = Vec::new();
/// [Le::new(1.5f64), Le::new(2.5)].write_npy_to(&mut file)?;
///
/// let mut view = ArrayViewMut::<Le<f64>>::from_bytes(&mut file)?;
/// view[0] = Le::new(-1.0);
/// assert_eq!(Vec::<f64>::read_npy_from(&file[..])?, [-1.0, 2.5]);
/// # Ok::<(), npy_core::Error>(())
/// ```
///
/// A type with padding has no such view: what a write leaves in padding is undefined, and the bytes around it are not.
///
/// ```compile_fail,E0080
/// use npy_core::{ArrayViewMut, NpyRecord, ZeroCopy};
///
/// #[derive(NpyRecord, ZeroCopy, Clone, Copy)]
/// #[npy(align)]
/// #[repr(C)]
/// struct Sample {
///     flag: u8, // 7 bytes of padding behind it
///     value: f64,
/// }
///
/// let mut file = Vec::new();
/// let view = ArrayViewMut::<Sample>::from_bytes(&mut file);
/// ```
pub struct ArrayViewMut<'a, T> {
    items: &'a mut [T],
    shape: Vec<usize>,
    order: Order,
}

impl<'a, T: ZeroCopy> ArrayViewMut<'a, T> {
    /// The array of the `.npy` file that starts with these bytes, as [`ArrayView::from_bytes`].
    ///
    /// # Errors
    ///
    /// As [`ArrayView::from_bytes`].
    pub fn from_bytes(file: &'a mut [u8]) -> Result<Self, ViewError> {
        let Located { data, count, shape, order, .. } = locate::<T>(file)?;
        let items = file.get_mut(data).and_then(|data| values_mut(data, count));
        // What `locate` has found is there.
        Ok(ArrayViewMut { items: items.unwrap_or_default(), shape, order })
    }
}

impl<T> ArrayViewMut<'_, T> {
    /// The items in the order of the file.
    pub fn as_slice(&self) -> &[T] {
        self.items
    }

    /// The items in the order of the file, to change them.
    pub fn as_mut_slice(&mut self) -> &mut [T] {
        self.items
    }

    /// The dimensions; none for a single item.
    pub fn shape(&self) -> &[usize] {
        &self.shape
    }

    /// The order in which the items stand.
    pub fn order(&self) -> Order {
        self.order
    }

    /// The item of this index, one number for each dimension; `None` outside the shape.
    pub fn at(&self, index: &[usize]) -> Option<&T> {
        self.items.get(shape::position(&self.shape, self.order, index)?)
    }

    /// The item of this index, to change it; `None` outside the shape.
    pub fn at_mut(&mut self, index: &[usize]) -> Option<&mut T> {
        self.items.get_mut(shape::position(&self.shape, self.order, index)?)
    }
}

/// The items in the order of the file.
impl<T> Deref for ArrayViewMut<'_, T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        self.items
    }
}

impl<T> DerefMut for ArrayViewMut<'_, T> {
    fn deref_mut(&mut self) -> &mut [T] {
        self.items
    }
}

impl<T: fmt::Debug> fmt::Debug for ArrayViewMut<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        debug(f, "ArrayViewMut", &self.shape, self.order, self.items)
    }
}

fn debug<T: fmt::Debug>(
    f: &mut fmt::Formatter<'_>,
    name: &str,
    shape: &[usize],
    order: Order,
    items: &[T],
) -> fmt::Result {
    let mut s = f.debug_struct(name);
    s.field("shape", &shape).field("order", &order).field("data", &items).finish()
}

/// Where the items of a type lie in the bytes of a file.
pub(crate) struct Located {
    #[cfg(feature = "mmap")]
    pub(crate) header: Header,
    /// The data.
    pub(crate) data: Range<usize>,
    /// How many items it is.
    pub(crate) count: usize,
    /// The dimensions, without those that belong to the item.
    pub(crate) shape: Vec<usize>,
    pub(crate) order: Order,
}

/// Where the array lies in a file that starts with these bytes, if it can be viewed there: then it can be cast.
pub(crate) fn locate<T: ZeroCopy>(file: &[u8]) -> Result<Located, ViewError> {
    let (header, start) = Header::parse(file)?;
    let plan = TypedPlan::new::<T>(&header, Cast::Exact)?;
    let copy = || {
        let whole = if plan.ndim == 1 { "Vec" } else { "NpyArray" };
        format!("{whole}::<{}>::read_npy (of bytes: read_npy_from)", type_name::<T>())
    };
    check_layout::<T>(&plan.found, plan.is_strided, copy)?;
    let shape = plan.shape(&header).to_vec();
    let count = plan.items.count;
    if size_of::<T>() == 0 {
        Limits::default().check_empty_items(count, 0)?;
    }
    let data = start..start.saturating_add(header.data_bytes());
    let Some(bytes) = file.get(data.clone()) else {
        let expected = limits::to_u64(header.data_bytes());
        let found = limits::to_u64(file.len().saturating_sub(start));
        return Err(ViewError::Short { expected, found });
    };
    check_address::<T>(bytes, copy)?;
    Ok(Located {
        #[cfg(feature = "mmap")]
        header,
        data,
        count,
        shape,
        order: plan.order,
    })
}

/// Refuses items of a file that lie otherwise than values of `T` do in memory; `copy` says what copies them.
pub(crate) fn check_layout<T: ZeroCopy>(
    found: &DType,
    scattered: bool,
    copy: impl FnOnce() -> String,
) -> Result<(), ViewError> {
    let memory = T::memory_dtype();
    if !scattered && is_same(found, &memory) {
        return Ok(());
    }
    let turned = |dtype: &DType| dtype.with_byte_order(ByteOrder::Little);
    let only_turned = !scattered && is_same(&turned(found), &turned(&memory));
    let quoted = |dtype: &DType| crate::dtype::descr::excerpt(&dtype.descr());
    let (mut found, wanted) = (quoted(found), quoted(&memory));
    if scattered {
        found.push_str(" in Fortran order, its parts far apart");
    }
    let (wanted_by, copy) = (type_name::<T>(), copy());
    Err(if only_turned {
        ViewError::ByteOrder { found, wanted, wanted_by, copy }
    } else {
        ViewError::Layout { found, wanted, wanted_by, copy }
    })
}

/// Refuses bytes at an address where no values of `T` can lie; `copy` says what copies them.
pub(crate) fn check_address<T>(
    bytes: &[u8],
    copy: impl FnOnce() -> String,
) -> Result<(), ViewError> {
    if is_aligned::<T>(bytes) {
        return Ok(());
    }
    let align = align_of::<T>();
    let past = bytes.as_ptr().addr().checked_rem(align).unwrap_or_default();
    Err(ViewError::Misaligned { align, past, copy: copy(), wanted_by: type_name::<T>() })
}

/// Whether items of one dtype are items of the other byte for byte. What stands in padding does not matter, nor titles.
fn is_same(found: &DType, wanted: &DType) -> bool {
    let plan = Plan::new(found, wanted, Cast::Exact);
    plan.is_ok_and(|plan| plan.is_exact())
}

/// Whether values can lie at the address of these bytes; none can at any.
fn is_aligned<T>(bytes: &[u8]) -> bool {
    bytes.is_empty() || bytes.as_ptr().cast::<T>().is_aligned()
}

/// Whether so many values fill these bytes, and can lie there.
///
/// Here at the latest the compiler runs the proof of the layout, for types whose parameters are known late:
///
/// ```compile_fail,E0080
/// use npy_core::{ArrayView, NpyRecord, ZeroCopy};
///
/// #[derive(NpyRecord, ZeroCopy, Clone, Copy)]
/// #[repr(C)]
/// struct Inner<T>(T);
///
/// // As large in memory as in the dtype, with `inner` in another place.
/// #[derive(NpyRecord, ZeroCopy, Clone, Copy)]
/// #[npy(align)]
/// #[repr(C)]
/// struct Outer<T> {
///     count: u32,
///     flag: u8,
///     inner: Inner<T>,
/// }
///
/// let view = ArrayView::<Outer<f32>>::from_bytes(b"");
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

/// The bytes as `count` values; `None` if they are not as many or not aligned.
pub(crate) fn values<T: ZeroCopy>(bytes: &[u8], count: usize) -> Option<&[T]> {
    if !are_values::<T>(bytes, count) {
        return None;
    }
    let start =
        if bytes.is_empty() { NonNull::dangling().as_ptr() } else { bytes.as_ptr().cast::<T>() };
    // SAFETY: the values are the bytes of a slice that lives as long as the result does: `count` times the size of a value
    // is its length, and its start is aligned (no bytes: neither the dangling pointer nor an item of no size needs any).
    // Any bytes are values of a `ZeroCopy` type. Both are shared, and nobody changes a value through a shared one.
    Some(unsafe { std::slice::from_raw_parts(start, count) })
}

/// [`values`], to change them.
pub(crate) fn values_mut<T: ZeroCopy>(bytes: &mut [u8], count: usize) -> Option<&mut [T]> {
    const {
        assert!(
            !T::PADDED,
            "a type with padding cannot be written in place, as that leaves undefined bytes in the file: make the padding fields (`pad: [u8; 7]`), or the struct #[repr(C, packed)]"
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
    // SAFETY: as in `values`; the bytes are borrowed alone for as long as the result lives. What is written as a value is
    // there as bytes afterwards, all of them initialised: a value has no padding, as asserted above.
    Some(unsafe { std::slice::from_raw_parts_mut(start, count) })
}

/// The proof that values of `T` are its canonical items as they lie in memory, every byte of them: many of them are read and written
/// where they lie.
#[doc(hidden)]
pub struct Plain<T>(PhantomData<fn() -> T>);

impl<T> Clone for Plain<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Plain<T> {}

impl<T: ZeroCopy> Plain<T> {
    /// `None` where numbers lie in another byte order, or bytes belong to no field.
    pub(crate) fn of() -> Option<Self> {
        let canonical = canonical::<T>().ok()?;
        let dtype = &canonical.dtype;
        // All of its bytes are initialised, and all of them are an item's: the one does not follow from the other, if not derived.
        let fills = size_of::<T>() == T::SIZE && dtype.packed().itemsize() == T::SIZE;
        let plain = fills && !T::PADDED && is_same(&T::memory_dtype(), dtype);
        plain.then_some(Plain(PhantomData))
    }
}

impl<T> Plain<T> {
    /// An array is its items side by side.
    pub(crate) fn repeated<const N: usize>(self) -> Plain<[T; N]> {
        Plain(PhantomData)
    }

    /// The values as bytes.
    pub(crate) fn bytes<'v>(&self, values: &'v [T]) -> &'v [u8] {
        // SAFETY: the bytes are those of the slice, for as long as it is borrowed. All are initialised: `self` proves that a value has
        // no padding. Nobody changes a value through a shared reference.
        unsafe { std::slice::from_raw_parts(values.as_ptr().cast(), size_of_val(values)) }
    }

    /// The values as bytes, to change them.
    pub(crate) fn bytes_mut<'v>(&self, values: &'v mut [T]) -> &'v mut [u8] {
        // SAFETY: as in `bytes`; they are borrowed alone. Whatever is written is a value: `self` proves that any bytes are.
        unsafe { std::slice::from_raw_parts_mut(values.as_mut_ptr().cast(), size_of_val(values)) }
    }

    /// Appends so many values whose bytes are all zero, or as many as there is room for.
    pub(crate) fn append_zeros(&self, values: &mut Vec<T>, count: usize) {
        let room = values.spare_capacity_mut();
        let count = count.min(room.len());
        // SAFETY: these are the first `count` places of the room, which is borrowed alone.
        unsafe { room.as_mut_ptr().write_bytes(0, count) };
        let length = values.len().saturating_add(count);
        // SAFETY: all bytes of those were written just now, and `self` proves that any bytes are values.
        unsafe { values.set_len(length) };
    }

    /// So many values whose bytes are all zero; of no size, none.
    ///
    /// Memory that is large comes from the system like that: nothing is written to it.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Memory`](crate::ErrorKind::Memory) where the allocator has none.
    pub(crate) fn zeros(&self, count: usize) -> Result<Vec<T>, Error> {
        let layout = Layout::array::<T>(count).ok().filter(|layout| layout.size() > 0);
        let Some(layout) = layout else {
            let mut none = Vec::new();
            return reserve::exact(&mut none, count).map(|()| none);
        };
        // SAFETY: the layout has a size.
        let start = unsafe { alloc::alloc_zeroed(layout) }.cast::<T>();
        if start.is_null() {
            return Err(reserve::refused(layout.size()));
        }
        // SAFETY: this allocator has made the memory, by the layout of `count` values; none of them is there yet.
        let mut values = unsafe { Vec::from_raw_parts(start, 0, count) };
        reserve::large_pages(values.spare_capacity_mut());
        // SAFETY: there is room for so many, all bytes of it are initialised, and `self` proves that any bytes are values.
        unsafe { values.set_len(count) };
        Ok(values)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Guards each way from bytes to values and back, for Miri above all (`cargo xtask miri`).
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
