//! Layer 7: arrays of any dtype to and from any type that serde supports. Feature `serde`.

mod array;
mod elements;
mod infer;
mod rows;
mod value;
mod weight;

pub use rows::DeserializedRows;

use std::fmt::{self, Display};

use serde::de::{self, Deserialize, Deserializer, MapAccess, Visitor};
use serde::ser::{self, Serialize, SerializeStruct, Serializer};

use crate::dtype::DType;
use crate::error::{Error, ErrorKind, Place};
use crate::header::Header;
use crate::limits;
use crate::shape::Order;

/// An error in a row, with the path of the field.
#[derive(Debug)]
struct RowError {
    /// The names of nested fields, innermost first.
    path: Vec<String>,
    reason: String,
}

impl RowError {
    fn new(reason: impl Display) -> Self {
        RowError { path: Vec::new(), reason: reason.to_string() }
    }

    /// Adds the field around the error.
    fn within(mut self, name: &str) -> Self {
        self.path.push(name.to_owned());
        self
    }

    /// Converts to an error of the crate, in this row.
    fn in_row(self, row: usize) -> Error {
        let error = Error::from(ErrorKind::InvalidValue { reason: self.reason });
        let error = self.path.iter().fold(error, |error, name| error.in_field(name));
        error.within(Place::Row(limits::to_u64(row)))
    }
}

impl Display for RowError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.reason)
    }
}

impl std::error::Error for RowError {}

impl de::Error for RowError {
    fn custom<T: Display>(reason: T) -> Self {
        RowError::new(reason)
    }
}

impl ser::Error for RowError {
    fn custom<T: Display>(reason: T) -> Self {
        RowError::new(reason)
    }
}

/// The message for text with a surrogate, which a `String` cannot hold.
fn no_character(c: u32) -> String {
    format!("U+{c:04X} is not a character, so the text cannot be converted")
}

/// Serializes the dtype as text, as `Display` prints it.
impl Serialize for DType {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for DType {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Text;

        impl Visitor<'_> for Text {
            type Value = DType;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a dtype, as in \"<f8\"")
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<DType, E> {
                text.parse().map_err(E::custom)
            }
        }

        deserializer.deserialize_str(Text)
    }
}

const HEADER: [&str; 3] = ["descr", "fortran_order", "shape"];

/// Serializes the keys that a header has in a file: `descr`, `fortran_order` and `shape`.
impl Serialize for Header {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let [descr, fortran_order, shape] = HEADER;
        let mut fields = serializer.serialize_struct("Header", HEADER.len())?;
        fields.serialize_field(descr, self.dtype())?;
        fields.serialize_field(fortran_order, &(self.order() == Order::Fortran))?;
        fields.serialize_field(shape, self.shape())?;
        fields.end()
    }
}

impl<'de> Deserialize<'de> for Header {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Fields;

        impl<'de> Visitor<'de> for Fields {
            type Value = Header;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "a header: {}", HEADER.join(", "))
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Header, A::Error> {
                let [descr, fortran_order, shape] = HEADER;
                let (mut dtype, mut fortran, mut dimensions) = (None, None, None);
                while let Some(key) = map.next_key::<String>()? {
                    match key.as_str() {
                        key if key == descr => dtype = Some(map.next_value()?),
                        key if key == fortran_order => fortran = Some(map.next_value()?),
                        key if key == shape => dimensions = Some(map.next_value()?),
                        other => return Err(de::Error::unknown_field(other, &HEADER)),
                    }
                }
                let missing = de::Error::missing_field;
                let order = match fortran.ok_or_else(|| missing(fortran_order))? {
                    true => Order::Fortran,
                    false => Order::C,
                };
                let dtype: DType = dtype.ok_or_else(|| missing(descr))?;
                let dimensions: Vec<usize> = dimensions.ok_or_else(|| missing(shape))?;
                Header::new(dtype, dimensions, order).map_err(de::Error::custom)
            }
        }

        deserializer.deserialize_struct("Header", &HEADER, Fields)
    }
}
