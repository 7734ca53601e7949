//! Implements `ReadNpy` for single elements, lists and arrays.

use std::io::Read;

use super::ReadNpy;
use super::reader::Reader;
use crate::array::NpyArray;
use crate::dynamic::DynArray;
use crate::element::Element;
use crate::element::advice::advised;
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

read_by!(read_dyn: [] DynArray);
for_each_single!(single);

advised! {
    /// An array of elements `T` that can be read; implemented if `T` is an [`Element`].
    pub trait ReadItems<T>: Sized {
        fn read_items<R: Read>(reader: &mut Reader<R>) -> Result<Self>;
    }
}

/// Implements `ReadNpy` for arrays of any element type.
macro_rules! read_items {
    ($([T $(, $($generics:tt)*)?] $type:ty: $reader:ident => $read:expr;)*) => {$(
        impl<T $(, $($generics)*)?> ReadNpy for $type
        where
            $type: ReadItems<T>,
        {
            fn read_npy_array<R: Read>(reader: &mut Reader<R>) -> Result<Self> {
                Self::read_items(reader)
            }
        }

        impl<T: Element $(, $($generics)*)?> ReadItems<T> for $type {
            fn read_items<R: Read>($reader: &mut Reader<R>) -> Result<Self> {
                $read
            }
        }
    )*};
}

read_items! {
    [T] Vec<T>: reader => reader.read_vec();
    [T] Box<[T]>: reader => reader.read_vec().map(Vec::into_boxed_slice);
    [T] NpyArray<T>: reader => reader.read_array();
    // A file of the dimensions of `[T; N]` is a single element of that type, so no `Vec` is needed.
    [T, const N: usize] [T; N]: reader => reader.read_single();
}
