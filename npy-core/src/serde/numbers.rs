//! Finds the dtype and the bytes of numbers of a generic type from how they serialize.

use std::fmt::{self, Display};

use serde::ser::{self, Impossible, Serialize, Serializer};

use crate::dtype::{DType, Scalar, ScalarKind};

/// Returns the dtype of values that are all of one primitive type of numbers, or all `bool`; `None` for any others. Without values, the
/// dtype is `<f8`, NumPy's default.
pub(super) fn dtype<T: Serialize>(values: &[T]) -> Option<DType> {
    let mut kinds = values.iter().map(|value| value.serialize(ToNumber).ok().map(Number::kind));
    let first = kinds.next().unwrap_or(Some((ScalarKind::Float, 8)))?;
    let all_same = kinds.all(|kind| kind == Some(first));
    all_same.then(|| Scalar::little(first.0, first.1).into())
}

/// Returns the bytes of numbers, little-endian.
pub(super) fn bytes<T: Serialize>(values: &[T]) -> Result<Vec<u8>, NoNumber> {
    let mut bytes = Vec::new();
    for value in values {
        let number = value.serialize(ToNumber)?;
        bytes.extend_from_slice(number.bytes.get(..number.size).unwrap_or_default());
    }
    Ok(bytes)
}

/// A number as an item of an array.
struct Number {
    kind: ScalarKind,
    size: usize,
    /// The bytes of the item, and zeros.
    bytes: [u8; 8],
}

impl Number {
    #[inline]
    fn new(kind: ScalarKind, item: &[u8]) -> Self {
        let mut bytes = [0; 8];
        bytes.iter_mut().zip(item).for_each(|(slot, byte)| *slot = *byte);
        Number { kind, size: item.len(), bytes }
    }

    #[inline]
    fn kind(self) -> (ScalarKind, usize) {
        (self.kind, self.size)
    }
}

/// The error for a value that is not a number. The message is for values that were numbers when their dtype was found.
#[derive(Debug)]
pub(super) struct NoNumber;

impl Display for NoNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the elements of an array changed while it was written; write a copy of it")
    }
}

impl std::error::Error for NoNumber {}

impl ser::Error for NoNumber {
    fn custom<T: Display>(_: T) -> Self {
        NoNumber
    }
}

/// The methods for numbers.
macro_rules! numbers {
    ($($method:ident($type:ty as $stored:ident) => $kind:ident;)*) => {$(
        #[inline]
        fn $method(self, value: $type) -> Result<Number, NoNumber> {
            Ok(Number::new(ScalarKind::$kind, &$stored::from(value).to_le_bytes()))
        }
    )*};
}

/// The methods for all other values.
macro_rules! refuse {
    ($($method:ident($($argument:ty),*) -> $result:ident;)*) => {$(
        fn $method(self, $(_: $argument),*) -> Result<Self::$result, NoNumber> {
            Err(NoNumber)
        }
    )*};
}

struct ToNumber;

impl Serializer for ToNumber {
    type Ok = Number;
    type Error = NoNumber;
    type SerializeSeq = Impossible<Number, NoNumber>;
    type SerializeTuple = Impossible<Number, NoNumber>;
    type SerializeTupleStruct = Impossible<Number, NoNumber>;
    type SerializeTupleVariant = Impossible<Number, NoNumber>;
    type SerializeMap = Impossible<Number, NoNumber>;
    type SerializeStruct = Impossible<Number, NoNumber>;
    type SerializeStructVariant = Impossible<Number, NoNumber>;

    numbers! {
        serialize_bool(bool as u8) => Bool;
        serialize_i8(i8 as i8) => Int;
        serialize_i16(i16 as i16) => Int;
        serialize_i32(i32 as i32) => Int;
        serialize_i64(i64 as i64) => Int;
        serialize_u8(u8 as u8) => UInt;
        serialize_u16(u16 as u16) => UInt;
        serialize_u32(u32 as u32) => UInt;
        serialize_u64(u64 as u64) => UInt;
        serialize_f32(f32 as f32) => Float;
        serialize_f64(f64 as f64) => Float;
    }

    refuse! {
        serialize_char(char) -> Ok;
        serialize_str(&str) -> Ok;
        serialize_bytes(&[u8]) -> Ok;
        serialize_none() -> Ok;
        serialize_unit() -> Ok;
        serialize_unit_struct(&'static str) -> Ok;
        serialize_unit_variant(&'static str, u32, &'static str) -> Ok;
        serialize_seq(Option<usize>) -> SerializeSeq;
        serialize_tuple(usize) -> SerializeTuple;
        serialize_tuple_struct(&'static str, usize) -> SerializeTupleStruct;
        serialize_tuple_variant(&'static str, u32, &'static str, usize) -> SerializeTupleVariant;
        serialize_map(Option<usize>) -> SerializeMap;
        serialize_struct(&'static str, usize) -> SerializeStruct;
        serialize_struct_variant(&'static str, u32, &'static str, usize) -> SerializeStructVariant;
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<Number, NoNumber> {
        value.serialize(self)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        value: &T,
    ) -> Result<Number, NoNumber> {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: &T,
    ) -> Result<Number, NoNumber> {
        Err(NoNumber)
    }
}
