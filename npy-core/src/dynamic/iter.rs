//! The elements of an array of any dtype.

use super::DynArray;
use crate::checked::named::named_iterator;
use crate::shape::Positions;
use crate::value::Value;

named_iterator! {
    /// Iterates over the elements of a [`DynArray`] in C order.
    Values<'a> { of: &'a DynArray, from: Positions } => Value<'a>, |array, at| {
        array.value(at)
    }
}

/// Iterates over the elements in C order, whatever the order of the file.
impl<'a> IntoIterator for &'a DynArray {
    type Item = Value<'a>;
    type IntoIter = Values<'a>;

    fn into_iter(self) -> Values<'a> {
        self.iter()
    }
}
