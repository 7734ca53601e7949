//! Implements `WriteNpy` for single elements, lists and arrays.

use super::array_sink::ArraySink;
use super::elements::{Elements, list};
use super::{WriteNpy, WriteOptions};
use crate::array::NpyArray;
use crate::dynamic::DynArray;
use crate::element::Element;
use crate::element::single::for_each_single;
use crate::error::Result;

impl<T: Element> WriteNpy for [T] {
    fn __npy_write(&self, options: &WriteOptions, sink: &mut dyn ArraySink) -> Result<()> {
        options.write_array(&[self.len()], list(self), sink)
    }
}

impl<T: Element> WriteNpy for NpyArray<T> {
    fn __npy_write(&self, options: &WriteOptions, sink: &mut dyn ArraySink) -> Result<()> {
        let contiguous = Some((self.as_slice(), self.order()));
        let elements = Elements { contiguous, each: |order| self.in_order(order) };
        options.write_array(self.shape(), elements, sink)
    }
}

impl WriteNpy for DynArray {
    fn __npy_write(&self, options: &WriteOptions, sink: &mut dyn ArraySink) -> Result<()> {
        options.write_dyn(self, sink)
    }
}

/// Implements `WriteNpy` for types that are written like the type that they dereference to.
macro_rules! write_by_deref {
    ($([$($generics:tt)*] $type:ty as $target:ty),* $(,)?) => {$(
        impl<$($generics)*> WriteNpy for $type {
            fn __npy_write(&self, options: &WriteOptions, sink: &mut dyn ArraySink) -> Result<()> {
                <$target>::__npy_write(self, options, sink)
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

/// Implements `WriteNpy` for types whose values are written as an array without dimensions.
macro_rules! single {
    ($([$($generics:tt)*] $type:ty),* $(,)?) => {$(
        impl<$($generics)*> WriteNpy for $type {
            fn __npy_write(&self, options: &WriteOptions, sink: &mut dyn ArraySink) -> Result<()> {
                options.write_array(&[], list(std::slice::from_ref(self)), sink)
            }
        }
    )*};
}

for_each_single!(single);
