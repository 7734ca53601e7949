//! Finds the dtype and the bytes of numbers of a generic type from how they serialize.

use serde::ser::Serialize;

use super::RowError;
use super::pass::{Form, Leaf, Parts, Pass, Variant};
use crate::dtype::{DType, Scalar, ScalarKind};

/// Returns the dtype of values that are all of one primitive type of numbers, or all `bool`; `None` for any others. Without values, the
/// dtype is `<f8`, NumPy's default.
pub(super) fn dtype<T: Serialize>(values: &[T]) -> Option<DType> {
    let kind = |value| ToNumber.run(value).ok().map(|Number { kind, size, .. }| (kind, size));
    let mut kinds = values.iter().map(kind);
    let first = kinds.next().unwrap_or(Some((ScalarKind::Float, 8)))?;
    let all_same = kinds.all(|kind| kind == Some(first));
    all_same.then(|| Scalar::little(first.0, first.1).into())
}

/// Returns the bytes of numbers, little-endian.
pub(super) fn bytes<T: Serialize>(values: &[T]) -> Result<Vec<u8>, RowError> {
    let mut bytes = Vec::new();
    for value in values {
        let number = ToNumber.run(value)?;
        bytes.extend_from_slice(number.bytes.get(..number.size).unwrap_or_default());
    }
    Ok(bytes)
}

/// A number as an item of an array.
struct Number {
    kind: ScalarKind,
    size: usize,
    /// The bytes of the item, and others.
    bytes: [u8; 16],
}

/// A pass over one value, which must be a number or a `bool`.
struct ToNumber;

impl Pass for ToNumber {
    type Output = Number;
    type Error = RowError;
    type Parts = NoParts;

    #[inline]
    fn leaf(self, value: Leaf<'_>) -> Result<Number, RowError> {
        let (kind, size, value) = match value {
            Leaf::Bool(value) => (ScalarKind::Bool, 1, value.into()),
            Leaf::Int(value, kind, size) if size <= 8 => (kind, size, value),
            Leaf::Single(value) => (ScalarKind::Float, 4, value.to_bits().into()),
            Leaf::Float(value) => (ScalarKind::Float, 8, value.to_bits().into()),
            _ => return no_number(),
        };
        Ok(Number { kind, size, bytes: value.to_le_bytes() })
    }

    fn inner(self) -> Result<Self, RowError> {
        Ok(self)
    }

    fn parts(self, _: Form, _: Option<Variant>) -> Result<NoParts, RowError> {
        no_number()
    }
}

/// The error for a value that is not a number. The message is for values that were numbers when their dtype was found.
#[cold]
fn no_number<T>() -> Result<T, RowError> {
    Err(RowError::new("the elements of an array changed while it was written; write a copy of it"))
}

/// The parts of a number.
enum NoParts {}

impl Parts for NoParts {
    type Output = Number;
    type Error = RowError;

    fn key<T: Serialize + ?Sized>(&mut self, _: &T) -> Result<Option<String>, RowError> {
        match *self {}
    }

    fn push<T: Serialize + ?Sized>(&mut self, _: Option<&str>, _: &T) -> Result<(), RowError> {
        match *self {}
    }

    fn end(self) -> Result<Number, RowError> {
        match self {}
    }
}
