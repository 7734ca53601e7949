//! Which types read themselves.

use std::io::Read;

use super::ReadNpy;
use super::reader::Reader;
use crate::array::NpyArray;
use crate::dynamic::DynArray;
use crate::element::Element;
use crate::element::single::for_each_single;
use crate::error::Result;

impl<T: Element> ReadNpy for Vec<T> {
    fn take<R: Read>(reader: &mut Reader<R>) -> Result<Self> {
        reader.read_vec()
    }
}

impl<T: Element> ReadNpy for Box<[T]> {
    fn take<R: Read>(reader: &mut Reader<R>) -> Result<Self> {
        reader.read_vec().map(Vec::into_boxed_slice)
    }
}

/// As the shape says, without a detour: it passes over the stack.
impl<T: Element, const N: usize> ReadNpy for [T; N] {
    fn take<R: Read>(reader: &mut Reader<R>) -> Result<Self> {
        reader.read_single()
    }
}

impl<T: Element> ReadNpy for NpyArray<T> {
    fn take<R: Read>(reader: &mut Reader<R>) -> Result<Self> {
        reader.read_array()
    }
}

impl ReadNpy for DynArray {
    fn take<R: Read>(reader: &mut Reader<R>) -> Result<Self> {
        reader.read_dyn()
    }
}

/// A single item, an array without dimensions.
macro_rules! single {
    ($([$($generics:tt)*] $type:ty),* $(,)?) => {$(
        impl<$($generics)*> ReadNpy for $type {
            fn take<R: Read>(reader: &mut Reader<R>) -> Result<Self> {
                reader.read_single()
            }
        }
    )*};
}

for_each_single!(single);
