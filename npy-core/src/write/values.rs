//! Implements `WriteNpy` for single elements, lists and arrays.

use super::WriteNpy;
use super::array_writer::ArrayWriter;
use super::elements::{Elements, list};
use crate::array::{NpyArray, NpyView};
use crate::dynamic::{DynArray, DynView};
use crate::element::Element;
use crate::element::single::for_each_single;
use crate::error::Result;

impl<T: Element> WriteNpy for [T] {
    fn write_npy_array(&self, to: ArrayWriter<'_>) -> Result<()> {
        to.options.write_array(&[self.len()], list(self), to.sink)
    }
}

impl<T: Element> WriteNpy for NpyArray<T> {
    fn write_npy_array(&self, to: ArrayWriter<'_>) -> Result<()> {
        let contiguous = Some((self.as_slice_memory_order(), self.order()));
        let elements = Elements { contiguous, each: |order| self.in_order(order) };
        to.options.write_array(self.shape(), elements, to.sink)
    }
}

impl<T: Element> WriteNpy for NpyView<'_, T> {
    fn write_npy_array(&self, to: ArrayWriter<'_>) -> Result<()> {
        let contiguous = Some((self.as_slice_memory_order(), self.order()));
        let elements = Elements { contiguous, each: |order| self.in_order(order) };
        to.options.write_array(self.shape(), elements, to.sink)
    }
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

write_by_deref! {
    [T: Element] Vec<T> as [T],
    [T: Element] Box<[T]> as [T],
    [T: Element, const N: usize] [T; N] as [T],
}

impl ArrayWriter<'_> {
    /// Writes an element as an array without dimensions.
    pub(crate) fn single<T: Element>(self, element: &T) -> Result<()> {
        self.options.write_array(&[], list(std::slice::from_ref(element)), self.sink)
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
