//! Iterators over the parts of records, sub-arrays and text, and the comparison of values part by part.

use std::ops::Range;
use std::slice;

use super::{ArrayValue, RecordValue, Str, Value};
use crate::checked;
use crate::checked::named::named_iterator;
use crate::dtype::{ByteOrder, Field};

named_iterator! {
    /// The iterator of [`RecordValue::iter`].
    Fields<'a> { of: &'a [u8], from: slice::Iter<'a, Field> } => (&'a str, Value<'a>), |item, field| {
        // Missing bytes count as zero.
        let part = checked::tail(item, field.offset());
        (field.name(), Value::new(field.dtype(), part))
    }
}

named_iterator! {
    /// The iterator of [`ArrayValue::iter`].
    Parts<'a> { of: ArrayValue<'a>, from: Range<usize> } => Value<'a>, |array, i| array.nth(i)
}

named_iterator! {
    /// The iterator of [`Str::code_points`].
    CodePoints<'a> { of: ByteOrder, from: slice::Iter<'a, [u8; 4]> } => u32, |order, unit| match order {
        ByteOrder::Little => u32::from_le_bytes(*unit),
        ByteOrder::Big => u32::from_be_bytes(*unit),
    }
}

impl<'a> IntoIterator for RecordValue<'a> {
    type Item = (&'a str, Value<'a>);
    type IntoIter = Fields<'a>;

    fn into_iter(self) -> Fields<'a> {
        self.iter()
    }
}

impl<'a> IntoIterator for ArrayValue<'a> {
    type Item = Value<'a>;
    type IntoIter = Parts<'a>;

    fn into_iter(self) -> Parts<'a> {
        self.iter()
    }
}

/// Texts are equal if their code points are, whatever their byte order.
impl PartialEq for Str<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.code_points().eq(other.code_points())
    }
}

impl Eq for Str<'_> {}

/// Records are equal if they have the same fields in the same order, with equal values. Offsets and padding do not matter.
impl PartialEq for RecordValue<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.iter().eq(other.iter())
    }
}

/// Sub-arrays are equal if they have the same shape and equal elements.
impl PartialEq for ArrayValue<'_> {
    fn eq(&self, other: &Self) -> bool {
        // All elements of zero bytes are alike, and there may be any number of them.
        let count = if self.item.is_empty() && other.item.is_empty() { 1 } else { usize::MAX };
        self.shape == other.shape && self.iter().take(count).eq(other.iter().take(count))
    }
}

#[cfg(test)]
mod tests {
    use crate::dtype::DType;
    use crate::value::Value;

    fn dtype(text: &str) -> DType {
        text.parse().unwrap()
    }

    /// Guards that values compare by what they are, and not by how their bytes are laid out.
    #[test]
    fn values_are_equal_whatever_their_byte_order_and_padding() {
        let (little, big) = (dtype("<i2"), dtype(">i2"));
        assert_eq!(Value::new(&little, &[1, 0]), Value::new(&big, &[0, 1]));
        assert_ne!(Value::new(&little, &[1, 0]), Value::new(&big, &[1, 0]));
        let (packed, padded) = (
            dtype("[('a', '|u1'), ('b', '<u2')]"),
            dtype("[('a', '|u1'), ('', '|V1'), ('b', '>u2')]"),
        );
        assert_eq!(Value::new(&packed, &[1, 2, 0]), Value::new(&padded, &[1, 9, 0, 2]));
        let (little, big) = (dtype("<U2"), dtype(">U2"));
        assert_eq!(
            Value::new(&little, &[65, 0, 0, 0, 0, 0, 0, 0]),
            Value::new(&big, &[0, 0, 0, 65, 0, 0, 0, 0])
        );
        assert_ne!(Value::F64(f64::NAN), Value::F64(f64::NAN));
        assert_eq!(Value::F64(0.0), Value::F64(-0.0));
    }

    /// Guards the time that a comparison takes: the size of a file does not limit the number of
    /// elements of zero bytes.
    #[test]
    fn sub_arrays_of_nothing_are_compared_at_once() {
        let endless = dtype("('|V0', (1000000000,))");
        assert_eq!(Value::new(&endless, &[]), Value::new(&endless, &[]));
        assert_ne!(Value::new(&endless, &[]), Value::new(&dtype("('|V0', (2,))"), &[]));
    }

    /// Guards that the iterators over parts have names, know their length and can be reversed.
    #[test]
    fn parts_are_iterators_with_names() {
        let pair = dtype("('|u1', (2,))");
        let Value::Array(array) = Value::new(&pair, &[1, 2]) else { panic!() };
        let parts: super::Parts<'_> = array.into_iter();
        assert_eq!(format!("{parts:?}"), "[1, 2]");
        assert!(parts.clone().rev().eq([Value::UInt(2), Value::UInt(1)]));
        assert_eq!(parts.fold(0, |sum, part| sum + part.as_u64().unwrap()), 3);
    }
}
