//! Serializes items and arrays to any format of serde.

use std::borrow::Cow;

use serde::ser::{Error as _, Serialize, SerializeTupleStruct, Serializer};

use super::array::begin_array;
use super::{OBJECT, has_arrays, no_character, weight};
use crate::dynamic::{DynArray, TableRow};
use crate::error::Error;
use crate::header::Header;
use crate::shape::Order;
use crate::value::{ArrayValue, RecordValue, Value};

impl Serialize for Value<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let readable = serializer.is_human_readable();
        match self {
            Value::Bool(value) => serializer.serialize_bool(*value),
            Value::Int(value) => serializer.serialize_i64(*value),
            Value::UInt(value) => serializer.serialize_u64(*value),
            Value::F16(value) | Value::F32(value) => serializer.serialize_f32(*value),
            Value::F64(value) => serializer.serialize_f64(*value),
            Value::Complex32(re, im) => (re, im).serialize(serializer),
            Value::Complex64(re, im) => (re, im).serialize(serializer),
            Value::Bytes(bytes) => match std::str::from_utf8(bytes) {
                Ok(text) if readable => serializer.serialize_str(text),
                _ => serializer.serialize_bytes(bytes),
            },
            Value::Str(text) => {
                let text = text.to_text().map_err(|c| S::Error::custom(no_character(c)))?;
                serializer.serialize_str(&text)
            }
            Value::DateTime(..) | Value::TimeDelta(..) if self.is_nat() => {
                serializer.serialize_none()
            }
            Value::DateTime(..) | Value::TimeDelta(..) if readable => serializer.collect_str(self),
            Value::DateTime(count, _) | Value::TimeDelta(count, _) => {
                serializer.serialize_i64(*count)
            }
            Value::LongDouble(value) => serializer.serialize_f64(value.to_f64()),
            Value::ComplexLongDouble(re, im) => (re.to_f64(), im.to_f64()).serialize(serializer),
            Value::Void(bytes) => serializer.serialize_bytes(bytes),
            Value::Object => Err(S::Error::custom(OBJECT)),
            Value::Record(record) => record.serialize(serializer),
            Value::Array(array) => array.serialize(serializer),
        }
    }
}

/// Serializes the row as a sequence.
impl Serialize for TableRow<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.iter())
    }
}

/// Serializes the record as a map.
impl Serialize for RecordValue<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.iter())
    }
}

/// Serializes the array as a sequence.
impl Serialize for ArrayValue<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.iter())
    }
}

/// Serializes an array as nested sequences in C order, one level for each dimension. A 0-d array becomes its item.
/// [`object::save`](crate::object::save) writes it as an array of NumPy instead.
///
/// | dtype | as a value of serde |
/// |---|---|
/// | `b1`, integers, floats | the same; half precision as `f32`, long doubles as the nearest `f64` |
/// | complex numbers | the two parts, a tuple |
/// | `S`, `U` | text; `S` becomes bytes in binary formats, and if it is not UTF-8 |
/// | times, spans | text: ISO 8601 (`2022-01-08T12:00`), or a count and the unit; in binary formats, the count; none for NaT |
/// | `V` | bytes |
/// | sub-arrays | sequences |
/// | records | maps; a type that expects a sequence can also be read from a record |
///
/// ```
/// use npy_core::{DynArray, NpyRecord, ReadNpy, WriteNpy};
///
/// #[derive(NpyRecord)]
/// struct Pick {
///     station: u32,
///     time: f64,
/// }
///
/// let mut file = Vec::new();
/// [Pick { station: 7, time: 1.5 }].write_npy_to(&mut file)?;
/// let array = DynArray::read_npy_from(&file[..])?;
/// assert_eq!(serde_json::to_string(&array).unwrap(), r#"[{"station":7,"time":1.5}]"#);
/// # Ok::<(), npy_core::Error>(())
/// ```
impl Serialize for DynArray {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if has_arrays(S::Error::custom) {
            let header = Header::new(self.dtype().clone(), self.shape(), self.order());
            let mut parts = begin_array(header, serializer)?;
            parts.serialize_field(&Value::Void(self.as_bytes()))?;
            return parts.end();
        }
        let checked = weight::check(self.dtype(), self.shape(), 0, self.limits());
        checked.map_err(serde::ser::Error::custom)?;
        let ordered = self.in_c_order().map_err(serde::ser::Error::custom)?;
        ordered.whole().serialize(serializer)
    }
}

impl DynArray {
    /// Returns the complete array, which must be in C order, as one value.
    pub(super) fn whole(&self) -> Value<'_> {
        match self.shape() {
            [] => Value::new(self.dtype(), self.as_bytes()),
            shape => Value::Array(ArrayValue::new(self.dtype(), shape, self.as_bytes())),
        }
    }

    /// Returns the array itself if it is in C order, and otherwise a copy in C order.
    pub(super) fn in_c_order(&self) -> Result<Cow<'_, DynArray>, Error> {
        self.header().without_objects()?;
        let same = self.order().normalized(self.shape()) == Order::C;
        Ok(if same { Cow::Borrowed(self) } else { Cow::Owned(self.to_order(Order::C)?) })
    }
}
