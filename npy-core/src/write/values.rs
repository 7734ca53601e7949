//! Which types write themselves.

use std::io::Write;

use super::{Items, WriteNpy, WriteOptions};
use crate::array::NpyArray;
use crate::dynamic::DynArray;
use crate::element::{Element, for_each_single};
use crate::error::Result;
use crate::shape::Order;

impl<T: Element> WriteNpy for [T] {
    fn put(&self, options: &WriteOptions, writer: &mut dyn Write) -> Result<()> {
        options.put_array(&[self.len()], Order::C, |_| Items::of(self), writer)
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
        let items = |order| match self.stands_in(order) {
            true => Items::Slice(self.as_slice()),
            false => Items::Each(self.in_order(order)),
        };
        options.put_array(self.shape(), self.order(), items, writer)
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
                options.put_array(&[], Order::C, |_| Items::of(std::slice::from_ref(self)), writer)
            }
        }
    )*};
}

for_each_single!(single);
