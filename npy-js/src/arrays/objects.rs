//! Arrays of Python objects as JSON, from which the scripts make values of JavaScript. Nothing is imported or called.
//!
//! `null`, booleans, text, lists and finite numbers are themselves. All others are objects with one key that says what they are, and so are whole floats,
//! which JSON does not tell from integers. A value whose type in Python JavaScript does not have is `{"as": type, "of": value}`.

use std::fmt::Write;

use npy_core::object::Kind;
use npy_core::{Error, ObjectRef, Objects};

use super::describe;
use crate::json::{Json, write_text};
use crate::text;

/// Larger pickles are not read.
pub(crate) const MAX_PICKLE: u64 = 256 << 20;
/// The deepest nesting, as in the formats of serde. A list that contains itself is deeper.
const MAX_DEPTH: usize = 128;
/// The most bytes of JSON for each byte of the pickle, which may use the same object many times; and the bytes that are always allowed.
const MAX_EXPANSION: usize = 256;
const FREE_BYTES: usize = 16 << 20;

/// Returns the objects of an array, in C order, as a list.
pub(crate) fn to_json(objects: &Objects) -> Result<String, Error> {
    let most = objects.as_bytes().len().saturating_mul(MAX_EXPANSION).max(FREE_BYTES);
    let mut out = Printer { text: String::new(), most };
    out.list("[", objects.iter(), "]", 0)?;
    Ok(out.text)
}

struct Printer {
    text: String,
    most: usize,
}

impl Printer {
    fn list<'a>(
        &mut self,
        open: &str,
        items: impl Iterator<Item = ObjectRef<'a>>,
        close: &str,
        depth: usize,
    ) -> Result<(), Error> {
        self.text.push_str(open);
        for (i, item) in items.enumerate() {
            if i > 0 {
                self.text.push(',');
            }
            self.value(item, depth.saturating_add(1))?;
        }
        self.text.push_str(close);
        Ok(())
    }

    /// Prints pairs of keys and values as a list of lists.
    fn pairs(&mut self, key: &str, of: ObjectRef<'_>, depth: usize) -> Result<(), Error> {
        let _ = write!(self.text, "{{\"{key}\":[");
        for (i, (key, value)) in of.entries().enumerate() {
            if i > 0 {
                self.text.push(',');
            }
            self.list("[", [key, value].into_iter(), "]", depth)?;
        }
        self.text.push_str("]}");
        Ok(())
    }

    fn tagged(&mut self, key: &str, text: &str) {
        let _ = write!(self.text, "{{\"{key}\":");
        write_text(text, &mut self.text);
        self.text.push('}');
    }

    fn value(&mut self, object: ObjectRef<'_>, depth: usize) -> Result<(), Error> {
        if depth > MAX_DEPTH {
            return Err(Error::custom(format!(
                "objects are nested deeper than {MAX_DEPTH}, or contain themselves; save them in a flatter form"
            )));
        }
        if self.text.len() > self.most {
            return Err(Error::custom(
                "the pickle uses its objects so often that the values would be 256 times as large; save them as an array of numbers or text",
            ));
        }
        let Some(name) = foreign_type(object) else { return self.plain(object, depth) };
        let _ = write!(self.text, "{{\"as\":{},\"of\":", Json::from(name).to_text());
        self.plain(object, depth)?;
        self.text.push('}');
        Ok(())
    }

    /// Prints a value as the nearest one that JavaScript has.
    fn plain(&mut self, object: ObjectRef<'_>, depth: usize) -> Result<(), Error> {
        match object.kind() {
            Kind::None | Kind::Missing => self.text.push_str("null"),
            Kind::Bool => self.put(object.as_bool().unwrap_or_default()),
            Kind::Int => match object.as_i64() {
                Some(small) if small.unsigned_abs() < 1 << 53 => self.put(small),
                _ => self.tagged("int", &object.to_string()),
            },
            Kind::Float => match object.as_f64() {
                Some(number) if number.is_finite() => match number.fract() == 0.0 {
                    true => self.put(format_args!("{{\"float\":{number:e}}}")),
                    false => self.put(format_args!("{number:e}")),
                },
                number => self.tagged("float", &format!("{:e}", number.unwrap_or(f64::NAN))),
            },
            Kind::Str => match object.as_str() {
                Some(text) => write_text(&text, &mut self.text),
                // A string of Python 2 that is not ASCII.
                None => match object.as_bytes() {
                    Some(bytes) => self.bytes(&bytes),
                    None => self.tagged("repr", &object.to_string()),
                },
            },
            Kind::Bytes | Kind::ByteArray => self.bytes(&object.as_bytes().unwrap_or_default()),
            Kind::List | Kind::Tuple => self.list("[", object.iter(), "]", depth)?,
            Kind::Set | Kind::FrozenSet => self.list("{\"set\":[", object.iter(), "]}", depth)?,
            Kind::Dict => self.pairs("map", object, depth)?,
            Kind::Record => self.pairs("record", object, depth)?,
            Kind::Array => self.array(object, depth)?,
            Kind::Scalar => self.array(object, depth)?,
            Kind::Date | Kind::DateTime => {
                let mut text = inner(&object.to_string()).to_owned();
                if has_fold(object) {
                    text.push('f');
                }
                self.tagged("date", &text);
            }
            _ => self.call(object, depth)?,
        }
        Ok(())
    }

    fn put(&mut self, value: impl std::fmt::Display) {
        let _ = write!(self.text, "{value}");
    }

    fn bytes(&mut self, bytes: &[u8]) {
        self.text.push_str("{\"bytes\":\"");
        for byte in bytes {
            let _ = write!(self.text, "{byte:02x}");
        }
        self.text.push_str("\"}");
    }

    /// Prints a nested array, or a scalar of NumPy.
    fn array(&mut self, object: ObjectRef<'_>, depth: usize) -> Result<(), Error> {
        let header = object.header()?;
        let is_scalar = object.kind() == Kind::Scalar;
        let described = describe::header(&header, 0).to_text();
        let key = if is_scalar { "scalar" } else { "array" };
        let _ = write!(self.text, "{{\"{key}\":{described},\"data\":");
        if header.dtype().has_object() {
            self.list("[", object.iter(), "]", depth)?;
        } else {
            self.bytes(object.as_array()?.as_bytes());
        }
        self.text.push('}');
        Ok(())
    }

    /// Prints what Python would call, and its arguments; or, of values that JavaScript does not have, their text.
    fn call(&mut self, object: ObjectRef<'_>, depth: usize) -> Result<(), Error> {
        let name = object.name().or_else(|| Some(type_of(object.kind())?.to_owned()));
        let text = text::start_of(&object, 1000);
        let _ = write!(self.text, "{{\"call\":{}", Json::from(name).to_text());
        let _ = write!(self.text, ",\"text\":{}", Json::from(text).to_text());
        for (key, value) in [("arguments", object.arguments()), ("state", object.state())] {
            if let Some(value) = value {
                let _ = write!(self.text, ",\"{key}\":");
                self.value(value, depth.saturating_add(1))?;
            }
        }
        self.text.push('}');
        Ok(())
    }
}

/// Returns the type in Python of a value that JavaScript has as a value of another type.
fn foreign_type(object: ObjectRef<'_>) -> Option<String> {
    let own = match object.kind() {
        Kind::Tuple => "tuple",
        Kind::FrozenSet => "frozenset",
        Kind::ByteArray => "bytearray",
        Kind::Record => "numpy.void",
        // A subclass, such as a matrix.
        Kind::Array => {
            let class = first_argument(object)?.name()?;
            return (class != "numpy.ndarray").then_some(class);
        }
        Kind::Missing | Kind::List | Kind::Dict | Kind::DateTime => {
            let name = object.name()?;
            let is_plain = name.starts_with("builtins.")
                || name.starts_with("__builtin__.")
                || name.starts_with("datetime.");
            return (!is_plain).then_some(name);
        }
        _ => return None,
    };
    Some(own.to_owned())
}

/// Returns the first argument of the call that makes the object.
fn first_argument(object: ObjectRef<'_>) -> Option<ObjectRef<'_>> {
    object.arguments()?.iter().next()
}

/// Returns true for the second of two equal times when a clock is set back: the highest bit of its month.
fn has_fold(object: ObjectRef<'_>) -> bool {
    let bytes = first_argument(object).and_then(|bytes| bytes.as_bytes());
    bytes.is_some_and(|bytes| {
        bytes.len() == 10 && bytes.get(2).is_some_and(|month| month & 0x80 != 0)
    })
}

/// Returns the name of the type in Python, for kinds that have one.
fn type_of(kind: Kind) -> Option<&'static str> {
    Some(match kind {
        Kind::Complex => "builtins.complex",
        Kind::Time => "datetime.time",
        Kind::TimeDelta => "datetime.timedelta",
        Kind::Decimal => "decimal.Decimal",
        Kind::Range => "builtins.range",
        Kind::DType => "numpy.dtype",
        _ => return None,
    })
}

/// Returns the text between the parentheses of `date(2001-02-03)`.
fn inner(printed: &str) -> &str {
    let from = printed.find('(').map_or(0, |at| at.saturating_add(1));
    printed.get(from..).unwrap_or(printed).trim_end_matches(')')
}
