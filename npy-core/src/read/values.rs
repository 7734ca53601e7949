//! Implements `ReadNpy` for single elements, lists and arrays.

use std::io::Read;

use super::ReadNpy;
use super::reader::Reader;
use crate::array::NpyArray;
use crate::dynamic::DynArray;
use crate::element::Element;
use crate::element::single::for_each_single;
use crate::error::Result;

/// Implements `ReadNpy` by calling a method of the reader.
macro_rules! read_by {
    ($method:ident: $([$($generics:tt)*] $type:ty),* $(,)?) => {$(
        impl<$($generics)*> ReadNpy for $type {
            fn read_npy_array<R: Read>(reader: &mut Reader<R>) -> Result<Self> {
                reader.$method()
            }
        }
    )*};
}

macro_rules! single {
    ($($types:tt)*) => { read_by!(read_single: $($types)*); };
}

read_by!(read_vec: [T: Element] Vec<T>);
read_by!(read_array: [T: Element] NpyArray<T>);
read_by!(read_dyn: [] DynArray);
// A file of the dimensions of `[T; N]` is a single element of that type, so no `Vec` is needed.
read_by!(read_single: [T: Element, const N: usize] [T; N]);
for_each_single!(single);

impl<T: Element> ReadNpy for Box<[T]> {
    fn read_npy_array<R: Read>(reader: &mut Reader<R>) -> Result<Self> {
        reader.read_vec().map(Vec::into_boxed_slice)
    }
}
