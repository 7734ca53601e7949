//! Which types write themselves.

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

impl<T: Element> WriteNpy for Vec<T> {
    fn __npy_write(&self, options: &WriteOptions, sink: &mut dyn ArraySink) -> Result<()> {
        self.as_slice().__npy_write(options, sink)
    }
}

impl<T: Element> WriteNpy for Box<[T]> {
    fn __npy_write(&self, options: &WriteOptions, sink: &mut dyn ArraySink) -> Result<()> {
        self.as_ref().__npy_write(options, sink)
    }
}

impl<T: Element, const N: usize> WriteNpy for [T; N] {
    fn __npy_write(&self, options: &WriteOptions, sink: &mut dyn ArraySink) -> Result<()> {
        self.as_slice().__npy_write(options, sink)
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

/// A single item, an array without dimensions.
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
