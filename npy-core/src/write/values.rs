//! Implements `WriteNpy` for single elements, lists and arrays.

use super::WriteNpy;
use super::array_writer::ArrayWriter;
use super::elements::{Elements, list};
use crate::array::{NpyArray, NpyView};
use crate::dynamic::{DynArray, DynView};
use crate::element::Element;
use crate::element::advice::advised;
use crate::element::block::encode_block;
use crate::element::single::for_each_single;
use crate::element::type_info::TypeInfo;
use crate::error::Result;

advised! {
    /// An array of elements `T` that can be written; implemented if `T` is an [`Element`].
    pub trait WriteItems<T> {
        fn write_items(&self, to: ArrayWriter<'_>) -> Result<()>;
    }
}

/// Implements `WriteNpy` for arrays of any element type.
macro_rules! write_items {
    ($([$($a:lifetime,)? T $(, $($generics:tt)*)?] $type:ty: $array:ident, $to:ident => $write:expr;)*) => {$(
        impl<$($a,)? T $(, $($generics)*)?> WriteNpy for $type
        where
            $type: WriteItems<T>,
        {
            fn write_npy_array(&self, to: ArrayWriter<'_>) -> Result<()> {
                self.write_items(to)
            }
        }

        impl<$($a,)? T: Element $(, $($generics)*)?> WriteItems<T> for $type {
            fn write_items(&self, $to: ArrayWriter<'_>) -> Result<()> {
                let $array = self;
                $write
            }
        }
    )*};
}

write_items! {
    [T] [T]: array, to => to.options.write_array(&[array.len()], list(array), to.sink);
    [T] Vec<T>: array, to => array.as_slice().write_items(to);
    [T] Box<[T]>: array, to => (**array).write_items(to);
    [T, const N: usize] [T; N]: array, to => array.as_slice().write_items(to);
    [T] NpyArray<T>: array, to => array.view().write_items(to);
    ['a, T] NpyView<'a, T>: array, to => {
        let contiguous = Some((array.as_slice_memory_order(), array.order()));
        let elements = Elements { contiguous, each: |order| array.in_order(order) };
        to.options.write_array(array.shape(), elements, to.sink)
    };
}

impl WriteNpy for DynArray {
    fn write_npy_array(&self, to: ArrayWriter<'_>) -> Result<()> {
        self.view().write_npy_array(to)
    }
}

impl WriteNpy for DynView<'_> {
    fn write_npy_array(&self, to: ArrayWriter<'_>) -> Result<()> {
        to.options.write_dyn(self, to.sink)
    }
}

/// Implements `WriteNpy` for types that are written like the type that they dereference to.
macro_rules! write_by_deref {
    ($([$($generics:tt)*] $type:ty as $target:ty),* $(,)?) => {$(
        impl<$($generics)*> WriteNpy for $type {
            fn write_npy_array(&self, to: ArrayWriter<'_>) -> Result<()> {
                <$target>::write_npy_array(self, to)
            }
        }
    )*};
}
pub(super) use write_by_deref;

impl ArrayWriter<'_> {
    /// Writes an element as an array without dimensions.
    pub(crate) fn single<T: Element>(self, element: &T) -> Result<()> {
        let mut items = std::slice::from_ref(element).iter();
        let mut encode = |n: usize, block: &mut Vec<u8>| encode_block(&mut items, n, block);
        self.options.write_scalar(TypeInfo::of::<T>(), &mut encode, self.sink)
    }
}

/// Implements `WriteNpy` for types whose values are written as an array without dimensions.
macro_rules! single {
    ($([$($generics:tt)*] $type:ty),* $(,)?) => {$(
        impl<$($generics)*> WriteNpy for $type {
            fn write_npy_array(&self, to: ArrayWriter<'_>) -> Result<()> {
                to.single(self)
            }
        }
    )*};
}

for_each_single!(single);
