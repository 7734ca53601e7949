//! Which types read themselves.

use std::io::Read;

use super::{ReadNpy, Reader};
use crate::array::NpyArray;
use crate::dynamic::DynArray;
use crate::element::Element;
use crate::element::text::ByteStr;
use crate::element::time::{DateTime64, TimeDelta64, TimeUnit};
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

single! {
    [] bool, [] i8, [] i16, [] i32, [] i64, [] u8, [] u16, [] u32, [] u64, [] f32, [] f64,
    [const N: usize] ByteStr<N>,
    [U: TimeUnit] DateTime64<U>,
    [U: TimeUnit] TimeDelta64<U>,
}
