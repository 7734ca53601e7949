//! Arrays of any dtype to and from any type that serde supports. Feature `serde`.

mod array;
mod elements;
mod entries;
mod floats;
mod from_object;
mod graph;
mod infer;
mod load;
mod nested;
pub(crate) mod object;
mod pass;
mod rows;
mod value;
mod weight;

pub use load::{load, load_from};
pub use rows::DeserializedRows;

use std::fmt::{self, Display};

use serde::de::{self, Deserialize, Deserializer, MapAccess, Visitor};
use serde::ser::{self, Serialize, SerializeStruct, Serializer};

use crate::dtype::{DType, ScalarKind};
use crate::error::{Error, ErrorKind, Place};
use crate::header::Header;
use crate::limits;
use crate::shape::{self, Order};
use elements::Text;

/// The name that stands for an array of NumPy. Formats of this crate pass such an array as its bytes, or as all elements in one sequence.
/// The output of other formats never contains the name.
pub(crate) const ARRAY_TOKEN: &str = "$npy_core::array";

/// The advice for a complex number, which is a sequence in serde.
const COMPLEX: &str = "read a complex number as a pair, such as (f64, f64)";

/// The most characters of a path in an error.
const MAX_PATH: usize = 200;

/// An error in a value, with the path of the value.
#[derive(Debug)]
struct RowError {
    /// The steps to the value, innermost first.
    path: Vec<Step>,
    kind: Box<ErrorKind>,
    /// True if the error is that the value lacks a key.
    lacks_key: bool,
    /// True if the error is that a sequence was found where the type expects no sequence.
    is_sequence: bool,
}

/// A step from a value to one in it.
#[derive(Debug)]
enum Step {
    /// A row of the array.
    Row(usize),
    /// A field of a record, or a text key.
    Field(String),
    /// An item of a sequence.
    Item(usize),
    /// A key that is not text.
    Key(String),
}

impl RowError {
    fn new(reason: impl Display) -> Self {
        ErrorKind::InvalidValue { reason: reason.to_string(), remedy: String::new() }.into()
    }

    /// Adds the field around the error.
    fn within(self, name: &str) -> Self {
        self.after(Step::Field(name.to_owned()))
    }

    /// Adds the keys of the value to the message, if the error is that the value lacks a key.
    fn among(mut self, keys: impl FnOnce() -> String) -> Self {
        if std::mem::take(&mut self.lacks_key) && self.path.is_empty() {
            return RowError::new(format_args!("{self}; the keys are {}", keys()));
        }
        self
    }

    /// Adds the dtype and the shape of the array to the message, if the error is that an element or a part of it is a sequence.
    fn of_array(mut self, dtype: &DType, shape: &[usize]) -> Self {
        let ErrorKind::InvalidValue { reason, .. } = &mut *self.kind else { return self };
        if std::mem::take(&mut self.is_sequence) {
            let is_complex = dtype.scalar().is_some_and(|s| s.kind() == ScalarKind::Complex);
            let advice = match (is_complex, shape) {
                (true, _) => COMPLEX,
                (false, [] | [_]) => "read its elements as a Vec or a tuple",
                (false, _) => "read it as an NpyArray, or as a Vec in a Vec for each dimension",
            };
            let shape = shape::excerpt(shape);
            let dtype = dtype.excerpt();
            reason.push_str(&format!("; the array has dtype {dtype} and shape {shape}: {advice}"));
        }
        self
    }

    /// Adds the outer step that leads to the value.
    fn after(mut self, step: Step) -> Self {
        self.path.push(step);
        self
    }

    /// Converts to an error of the crate, in this row.
    fn in_row(self, row: usize) -> Error {
        self.after(Step::Row(row)).into_error()
    }

    /// Converts to an error of the crate.
    fn into_error(self) -> Error {
        let mut row = None;
        let mut path = String::new();
        for step in self.path.iter().rev() {
            match step {
                Step::Row(index) => row = Some(*index),
                Step::Field(name) if path.is_empty() => path.push_str(name),
                Step::Field(name) => path.extend([".", name]),
                Step::Item(index) => path.push_str(&format!("[{index}]")),
                Step::Key(key) => path.push_str(&format!("[{key}]")),
            }
        }
        // A path through many levels may be long.
        if let Some((end, _)) = path.char_indices().nth(MAX_PATH) {
            path.truncate(end);
            path.push_str("...");
        }
        let mut error = Error::from(*self.kind);
        if !path.is_empty() {
            error = error.in_field(&path);
        }
        match row {
            Some(row) => error.within(Place::Row(limits::to_u64(row))),
            None => error,
        }
    }
}

impl From<ErrorKind> for RowError {
    fn from(kind: ErrorKind) -> Self {
        RowError { path: Vec::new(), kind: Box::new(kind), lacks_key: false, is_sequence: false }
    }
}

/// Keeps the kind of an error that has no location yet.
impl From<Error> for RowError {
    fn from(error: Error) -> Self {
        error.into_kind().into()
    }
}

impl Display for RowError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.kind.fmt(f)
    }
}

impl std::error::Error for RowError {}

impl de::Error for RowError {
    fn custom<T: Display>(reason: T) -> Self {
        let reason = reason.to_string();
        RowError::new(if reason == ARRAY_TOKEN { ARRAY_ANSWER } else { &reason })
    }

    fn invalid_type(found: de::Unexpected<'_>, expected: &dyn de::Expected) -> Self {
        let expected = expected.to_string();
        let is_integer = |name: &str| {
            name.strip_prefix(['i', 'u']).is_some_and(|bits| bits.parse::<u32>().is_ok())
        };
        let advice = match found {
            // The formats of this crate have no other unit.
            de::Unexpected::Unit => {
                let reason = format!("expected {expected}, found None; read it as an Option");
                return RowError::new(reason);
            }
            de::Unexpected::Float(_) if is_integer(&expected) => {
                "; pandas stores integers with missing values as floats: read them as f64 or Option<f64>"
            }
            de::Unexpected::Float(number) if number.is_nan() => {
                "; pandas has NaN for missing values of any type: read them as an Option"
            }
            _ => "",
        };
        let is_sequence = matches!(found, de::Unexpected::Seq);
        let error =
            RowError::new(format_args!("invalid type: {found}, expected {expected}{advice}"));
        RowError { is_sequence, ..error }
    }

    fn missing_field(name: &'static str) -> Self {
        let error = RowError::new(format_args!("missing field `{name}`"));
        RowError { lacks_key: true, ..error }
    }
}

impl ser::Error for RowError {
    fn custom<T: Display>(reason: T) -> Self {
        RowError::new(reason)
    }
}

/// The text of the error that a format with arrays makes from the reason [`ARRAY_TOKEN`]. Only formats of this crate have arrays.
const ARRAY_ANSWER: &str = "$npy_core::array is an array";

/// Returns true if a format has arrays. `custom` creates an error of the format: for the reason [`ARRAY_TOKEN`], a format with arrays
/// returns the text [`ARRAY_ANSWER`]. All other formats get nested sequences.
fn has_arrays<E: Display>(custom: impl FnOnce(&'static str) -> E) -> bool {
    custom(ARRAY_TOKEN).to_string() == ARRAY_ANSWER
}

/// The message for a Python object in a [`DynArray`](crate::DynArray).
const OBJECT: &str =
    "a Python object, which a DynArray does not look at; read the file as npy_core::Objects";

/// The message for bytes that a pickle stores as text, with a character that is not in Latin-1.
const NOT_LATIN: &str =
    "bytes that are stored as text have a character beyond Latin-1; save the array again";

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
        let expecting = "a dtype, as in \"<f8\"";
        deserializer.deserialize_str(Text { expecting, parse: str::parse, missing: None })
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
