//! `IntoIterator` for maps and columns.

use super::column::Values;
use super::{Column, Map, MapMut};
use crate::element::cast::zero_copy::ZeroCopy;
use crate::shape::Iter;

/// Iterates over the values in the order of the file.
impl<'c, F: ZeroCopy> IntoIterator for &'c Column<'_, F> {
    type Item = F;
    type IntoIter = Values<'c, F>;

    fn into_iter(self) -> Values<'c, F> {
        self.iter()
    }
}

macro_rules! elements {
    ($($map:ident),*) => {$(
        /// Iterates over the elements in C order, whatever their order in the file.
        impl<'m, T: ZeroCopy> IntoIterator for &'m $map<T> {
            type Item = &'m T;
            type IntoIter = Iter<'m, T>;

            fn into_iter(self) -> Iter<'m, T> {
                self.iter()
            }
        }
    )*};
}

elements!(Map, MapMut);
