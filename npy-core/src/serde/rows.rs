//! Items of an array as values of any type that can be deserialized.

use std::fmt;
use std::io::Read;
use std::marker::PhantomData;

use serde::de::value::SeqDeserializer;
use serde::de::{DeserializeOwned, DeserializeSeed, Deserializer, IntoDeserializer, Visitor};
use serde::forward_to_deserialize_any;

use super::entries::{Entries, Entry, Variant};
use super::floats::Float;
use super::{OBJECT, RowError, no_character, weight};
use crate::dynamic::DynArray;
use crate::error::Error;
use crate::objects::is_missing;
use crate::read::{Items, Reader};
use crate::value::Value;

impl DynArray {
    /// Converts the items along the first dimension to any type that serde can deserialize from them.
    ///
    /// A record becomes a struct or a map, by the names of its fields, or a tuple by their order; a further dimension is a
    /// sequence. A 0-d array is one row.
    ///
    /// ```
    /// use npy_core::{DynArray, NpyRecord, ReadNpy, WriteNpy};
    ///
    /// #[derive(NpyRecord)]
    /// struct Written {
    ///     id: u16,
    ///     gains: [f32; 2],
    /// }
    ///
    /// #[derive(serde::Deserialize, Debug, PartialEq)]
    /// struct Read {
    ///     gains: Vec<f64>,
    ///     id: i64,
    /// }
    ///
    /// let mut file = Vec::new();
    /// [Written { id: 7, gains: [0.5, 2.0] }].write_npy_to(&mut file)?;
    /// let rows: Vec<Read> = DynArray::read_npy_from(&file[..])?.to_rows()?;
    /// assert_eq!(rows, [Read { id: 7, gains: vec![0.5, 2.0] }]);
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ErrorKind::InvalidValue`](crate::ErrorKind::InvalidValue), with the row and the field, for an item that the type refuses, and
    /// for an integer that no float of the type equals;
    /// [`ErrorKind::Limit`](crate::ErrorKind::Limit) if the values may take much more memory than the bytes of the array
    /// ([`Limits::empty_items`](crate::Limits::empty_items)).
    pub fn to_rows<T: DeserializeOwned>(&self) -> Result<Vec<T>, Error> {
        weight::check(self.dtype(), self.shape(), size_of::<T>(), self.limits())?;
        let ordered = self.in_c_order()?;
        let make = |(row, value)| T::deserialize(Row(value)).map_err(|e| e.in_row(row));
        match ordered.whole() {
            Value::Array(array) if !self.shape().is_empty() => {
                array.iter().enumerate().map(make).collect()
            }
            single => Ok(vec![make((0, single))?]),
        }
    }

    /// [`to_rows`](Self::to_rows) by its other name.
    ///
    /// ```
    /// use npy_core::DynArray;
    ///
    /// assert_eq!(DynArray::of(&[1u8, 2])?.from_rows::<u8>()?, [1, 2]);
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`to_rows`](Self::to_rows).
    pub fn from_rows<T: DeserializeOwned>(&self) -> Result<Vec<T>, Error> {
        self.to_rows()
    }
}

impl<R: Read> Reader<R> {
    /// Iterates over the elements that remain, as values of any type that serde can deserialize from them. They are single elements in the order of
    /// the file, also of an array of several dimensions ([in Fortran order](Self::records), too); [`DynArray::to_rows`] gives rows.
    ///
    /// ```
    /// use npy_core::{NpyRecord, Reader, WriteNpy};
    ///
    /// #[derive(NpyRecord)]
    /// struct Pick {
    ///     station: u32,
    ///     time: f64,
    /// }
    ///
    /// let mut file = Vec::new();
    /// [Pick { station: 7, time: 1.5 }].write_npy_to(&mut file)?;
    /// for row in Reader::new(&file[..])?.deserialize::<serde_json::Value>()? {
    ///     assert_eq!(row?.to_string(), r#"{"station":7,"time":1.5}"#);
    /// }
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Unsupported`](crate::ErrorKind::Unsupported) for Python objects,
    /// [`ErrorKind::Limit`](crate::ErrorKind::Limit) as for `to_rows`, with the limits of this reader. If a later read fails, the
    /// iterator returns the error. If the type refuses an item, the iterator returns that error and then continues with the next item.
    pub fn deserialize<T: DeserializeOwned>(
        &mut self,
    ) -> Result<DeserializedRows<'_, R, T>, Error> {
        let items = Items::of_elements(self, |dtype, count, limits| {
            weight::check(dtype, &[count], size_of::<T>(), limits)
        })?;
        Ok(DeserializedRows { items, of: PhantomData })
    }
}

/// The items of an array as values of a type: the iterator of [`Reader::deserialize`].
pub struct DeserializedRows<'r, R, T> {
    items: Items<&'r mut Reader<R>>,
    of: PhantomData<T>,
}

impl<R: Read, T: DeserializeOwned> Iterator for DeserializedRows<'_, R, T> {
    type Item = Result<T, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        if let Err(error) = self.items.advance()? {
            return Some(Err(error));
        }
        let reader = self.items.reader();
        let dtype = reader.header().dtype();
        let value = Value::new(dtype, self.items.item(dtype.itemsize()));
        let made = T::deserialize(Row(value)).map_err(|error| error.in_row(self.items.index()));
        Some(made.map_err(|error| reader.in_file(error)))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        // There may be one more item, an error at the end.
        (0, self.items.len().checked_add(1))
    }
}

impl<R, T> DeserializedRows<'_, R, T> {
    /// Returns the number of rows left. A read that fails ends the iteration earlier.
    ///
    /// ```
    /// use npy_core::{Reader, WriteNpy};
    ///
    /// let mut file = Vec::new();
    /// [1.0, 2.0, 3.0].write_npy_to(&mut file)?;
    /// let mut reader = Reader::new(&file[..])?;
    /// let rows = reader.deserialize::<f64>()?;
    /// assert_eq!(rows.len(), 3);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn len(&self) -> usize {
        self.items.len()
    }

    /// Returns true if no row is left.
    ///
    /// ```
    /// use npy_core::{Reader, WriteNpy};
    ///
    /// let mut file = Vec::new();
    /// [1.0, 2.0, 3.0].write_npy_to(&mut file)?;
    /// let mut reader = Reader::new(&file[..])?;
    /// assert!(!reader.deserialize::<f64>()?.is_empty());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl<R, T> fmt::Debug for DeserializedRows<'_, R, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DeserializedRows").field("left", &self.len()).finish_non_exhaustive()
    }
}

/// The methods of a deserializer for tuples, which are read as sequences, for owned bytes, and for values that are ignored.
macro_rules! shared_methods {
    () => {
        fn deserialize_ignored_any<V: Visitor<'de>>(
            self,
            visitor: V,
        ) -> Result<V::Value, RowError> {
            visitor.visit_unit()
        }

        fn deserialize_byte_buf<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, RowError> {
            self.deserialize_bytes(visitor)
        }

        fn deserialize_tuple<V: Visitor<'de>>(
            self,
            _: usize,
            visitor: V,
        ) -> Result<V::Value, RowError> {
            self.deserialize_seq(visitor)
        }

        fn deserialize_tuple_struct<V: Visitor<'de>>(
            self,
            _: &'static str,
            _: usize,
            visitor: V,
        ) -> Result<V::Value, RowError> {
            self.deserialize_seq(visitor)
        }
    };
}
pub(super) use shared_methods;

/// A value, as a deserializer.
#[derive(Clone, Copy)]
pub(super) struct Row<'a>(pub(super) Value<'a>);

impl IntoDeserializer<'_, RowError> for Row<'_> {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}

impl<'de> Deserializer<'de> for Row<'_> {
    type Error = RowError;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, RowError> {
        match self.0 {
            Value::Bool(value) => visitor.visit_bool(value),
            Value::Int(value) => visitor.visit_i64(value),
            Value::UInt(value) => visitor.visit_u64(value),
            Value::F16(value) | Value::F32(value) => visitor.visit_f32(value),
            Value::F64(value) => visitor.visit_f64(value),
            Value::Complex32(re, im) => visit_all(visitor, [re, im].into_iter()),
            Value::Complex64(re, im) => visit_all(visitor, pair(re, im)),
            Value::DateTime(..) | Value::TimeDelta(..) if self.0.is_nat() => visitor.visit_none(),
            Value::LongDouble(value) => visitor.visit_f64(value.to_f64()),
            Value::ComplexLongDouble(re, im) => {
                visit_all(visitor, [re.to_f64(), im.to_f64()].into_iter())
            }
            Value::Object => Err(RowError::new(OBJECT)),
            Value::Void(bytes) => visitor.visit_bytes(bytes),
            Value::Record(record) => visitor.visit_map(Entries::new(record.iter())),
            Value::Array(array) => visit_all(visitor, array.iter().map(Row)),
            Value::Bytes(bytes) => match std::str::from_utf8(bytes) {
                Ok(text) => visitor.visit_str(text),
                Err(_) => visitor.visit_bytes(bytes),
            },
            Value::Str(text) => {
                let text = text.to_text().map_err(|c| RowError::new(no_character(c)))?;
                visitor.visit_string(text)
            }
            Value::DateTime(..) | Value::TimeDelta(..) => visitor.visit_string(self.0.to_string()),
        }
    }

    fn deserialize_i64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, RowError> {
        match self.0 {
            Value::DateTime(..) | Value::TimeDelta(..) if self.0.is_nat() => {
                Err(RowError::new("NaT is not a number; read it as an Option"))
            }
            Value::DateTime(count, _) | Value::TimeDelta(count, _) => visitor.visit_i64(count),
            _ => self.deserialize_any(visitor),
        }
    }

    fn deserialize_f32<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, RowError> {
        Float::Single.check(self.0, &visitor)?;
        self.deserialize_any(visitor)
    }

    fn deserialize_f64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, RowError> {
        Float::Double.check(self.0, &visitor)?;
        self.deserialize_any(visitor)
    }

    fn deserialize_bytes<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, RowError> {
        match self.0 {
            Value::Bytes(bytes) => visitor.visit_bytes(bytes),
            _ => self.deserialize_any(visitor),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, RowError> {
        if is_missing(self.0) { visitor.visit_none() } else { visitor.visit_some(self) }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, RowError> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, RowError> {
        match self.0 {
            Value::Record(record) => Entries::new(record.iter()).visit_seq(visitor),
            Value::Bytes(bytes) | Value::Void(bytes) => visit_all(visitor, bytes.iter().copied()),
            _ => self.deserialize_any(visitor),
        }
    }

    shared_methods!();

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, RowError> {
        visitor.visit_enum(Variant { key: self, value: None, failed: with_fields })
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 u8 u16 u32 u64 char str string unit unit_struct map struct identifier
    }
}

/// Visits a sequence. Fails if the visitor does not read all of it.
pub(super) fn visit_all<'de, V: Visitor<'de>>(
    visitor: V,
    values: impl ExactSizeIterator<Item: IntoDeserializer<'de, RowError>>,
) -> Result<V::Value, RowError> {
    let mut seq = SeqDeserializer::new(values);
    let value = visitor.visit_seq(&mut seq)?;
    seq.end()?;
    Ok(value)
}

/// Returns the parts of a complex number.
pub(super) fn pair(re: f64, im: f64) -> impl ExactSizeIterator<Item = Row<'static>> {
    [re, im].into_iter().map(|part| Row(Value::F64(part)))
}

/// The error for a type whose variant has fields.
fn with_fields(_: Row<'_>, _: Option<RowError>) -> RowError {
    RowError::new(
        "a variant with fields has no single dtype; only variants without fields can be read",
    )
}

impl<'de> Entry<'de> for (&str, Value<'_>) {
    fn key<K: DeserializeSeed<'de>>(&self, seed: K) -> Result<K::Value, RowError> {
        seed.deserialize(self.0.into_deserializer())
    }

    fn value<V: DeserializeSeed<'de>>(self, seed: V) -> Result<V::Value, RowError> {
        seed.deserialize(Row(self.1)).map_err(|error| error.within(self.0))
    }
}
