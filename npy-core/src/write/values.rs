//! Which types write themselves.

use std::io::Write;

use super::{Elements, WriteNpy, WriteOptions, list};
use crate::array::NpyArray;
use crate::dynamic::DynArray;
use crate::element::{Element, for_each_single};
use crate::error::Result;

impl<T: Element> WriteNpy for [T] {
    fn put(&self, options: &WriteOptions, writer: &mut dyn Write) -> Result<()> {
        options.put_array(&[self.len()], list(self), writer)
    }
}

impl<T: Element> WriteNpy for Vec<T> {
    fn put(&self, options: &WriteOptions, writer: &mut dyn Write) -> Result<()> {
        self.as_slice().put(options, writer)
    }
}

impl<T: Element> WriteNpy for Box<[T]> {
    fn put(&self, options: &WriteOptions, writer: &mut dyn Write) -> Result<()> {
        self.as_ref().put(options, writer)
    }
}

impl<T: Element, const N: usize> WriteNpy for [T; N] {
    fn put(&self, options: &WriteOptions, writer: &mut dyn Write) -> Result<()> {
        self.as_slice().put(options, writer)
    }
}

impl<T: Element> WriteNpy for NpyArray<T> {
    fn put(&self, options: &WriteOptions, writer: &mut dyn Write) -> Result<()> {
        let contiguous = Some((self.as_slice(), self.order()));
        let elements = Elements { contiguous, each: |order| self.in_order(order) };
        options.put_array(self.shape(), elements, writer)
    }
}

impl WriteNpy for DynArray {
    fn put(&self, options: &WriteOptions, writer: &mut dyn Write) -> Result<()> {
        options.put_dyn(self, writer)
    }
}

/// A single item, an array without dimensions.
macro_rules! single {
    ($([$($generics:tt)*] $type:ty),* $(,)?) => {$(
        impl<$($generics)*> WriteNpy for $type {
            fn put(&self, options: &WriteOptions, writer: &mut dyn Write) -> Result<()> {
                options.put_array(&[], list(std::slice::from_ref(self)), writer)
            }
        }
    )*};
}

for_each_single!(single);
