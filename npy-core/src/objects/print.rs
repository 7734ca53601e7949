//! Prints objects as Python does.

use std::cell::Cell;
use std::fmt::{self, Display, Formatter, Write};

use super::array::PickledArray;
use super::{Meaning, ObjectRef, dtype};
use crate::array::print::MAX_PIECES;
use crate::checked;
use crate::limits::to_u64;
use crate::literal::repr;
use npy_pickle::{Instance, Value};

/// The most levels that are printed. Deeper objects become `...`, so that even an object that contains itself can be printed.
const MAX_DEPTH: usize = 32;
/// The most bytes of a bytes object that are printed.
const MAX_BYTES: usize = 1000;

/// The work of printing a piece, in bytes that are copied or parsed. A long object counts as many pieces: a pickle can use it any number of
/// times, so the work must be limited.
const PIECE: u64 = 64;

/// Prints the object like Python's `repr`. After twenty thousand parts, the rest becomes `...`.
impl Display for ObjectRef<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        print(f, *self, MAX_PIECES)
    }
}

/// The start of an object, for an error.
struct Excerpt<'a>(ObjectRef<'a>);

impl Display for Excerpt<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        const SHOWN_PIECES: usize = 40;
        print(f, self.0, SHOWN_PIECES)
    }
}

/// Returns the start of an object as Python prints it.
pub(super) fn excerpt(object: ObjectRef<'_>) -> String {
    crate::dtype::descr::excerpt(&Excerpt(object).to_string())
}

fn print(f: &mut Formatter<'_>, object: ObjectRef<'_>, pieces: usize) -> fmt::Result {
    let pieces = Cell::new(pieces);
    Printed { object, depth: 0, pieces: &pieces }.fmt(f)
}

struct Printed<'a> {
    object: ObjectRef<'a>,
    depth: usize,
    /// The number of parts that may still be printed.
    pieces: &'a Cell<usize>,
}

impl<'a> Printed<'a> {
    fn inner(&self, object: ObjectRef<'a>) -> Self {
        Printed { object, depth: self.depth.saturating_add(1), pieces: self.pieces }
    }

    /// Counts the work of printing this object, in bytes.
    fn spend(&self, work: u64) {
        let pieces = usize::try_from(work / PIECE).unwrap_or(usize::MAX);
        self.pieces.set(self.pieces.get().saturating_sub(pieces));
    }

    /// Counts the work of a result, and returns the result.
    fn counted<T>(&self, (result, work): (T, u64)) -> T {
        self.spend(work);
        result
    }

    /// Prints the items between brackets.
    fn items(&self, f: &mut Formatter<'_>, open: &str, close: &str) -> fmt::Result {
        f.write_str(open)?;
        for (i, item) in self.object.iter().enumerate() {
            if i > 0 {
                f.write_str(", ")?;
            }
            if self.pieces.get() == 0 {
                f.write_str("...")?;
                break;
            }
            self.inner(item).fmt(f)?;
        }
        f.write_str(close)
    }

    /// Prints the objects of an array in brackets, one pair for each dimension.
    fn array(&self, f: &mut Formatter<'_>, array: PickledArray<'_>) -> fmt::Result {
        let items = self.object.iter();
        let shape = array.shape().unwrap_or_default();
        // The number of items in each part that has brackets of its own, the smallest first. This is not computed if there are no items,
        // because the product of the dimensions may then overflow.
        let mut parts: Vec<usize> = Vec::new();
        for &length in shape.iter().skip(1).rev().take_while(|_| items.len() > 0) {
            parts.push(checked::mul(parts.last().copied().unwrap_or(1), length));
        }
        let (open, close) = if shape.is_empty() { ("", "") } else { ("[", "]") };
        write!(f, "array({open}")?;
        let mut depth = 0;
        for (i, item) in items.enumerate() {
            let starts = parts.iter().filter(|&&part| i.checked_rem(part) == Some(0)).count();
            if i > 0 {
                write!(f, "{}, ", "]".repeat(starts))?;
                depth = checked::sub(depth, starts);
            }
            if self.pieces.get() == 0 {
                f.write_str("...")?;
                break;
            }
            f.write_str(&"[".repeat(starts))?;
            depth = checked::add(depth, starts);
            self.inner(item).fmt(f)?;
        }
        write!(f, "{}{close}, dtype=object)", "]".repeat(depth))
    }

    /// Prints the items of a tuple. A tuple of one item ends with a comma.
    fn tuple(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let close = if self.object.iter().len() == 1 { ",)" } else { ")" };
        self.items(f, "(", close)
    }

    fn entries(&self, f: &mut Formatter<'_>, entries: super::Entries<'a>) -> fmt::Result {
        f.write_char('{')?;
        for (i, (key, value)) in entries.enumerate() {
            if i > 0 {
                f.write_str(", ")?;
            }
            if self.pieces.get() == 0 {
                f.write_str("...")?;
                break;
            }
            self.inner(key).fmt(f)?;
            f.write_str(": ")?;
            self.inner(value).fmt(f)?;
        }
        f.write_char('}')
    }

    fn bytes(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.spend(self.object.object().length());
        match self.object.object().bytes() {
            Some(bytes) => byte_string(f, &bytes),
            None => f.write_str("<malformed bytes>"),
        }
    }

    /// Prints the name of a class or function.
    fn name(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let name = self.object.name();
        let name = name.as_deref().unwrap_or("?");
        self.spend(to_u64(name.len()));
        f.write_str(&repr::printable(name))
    }

    /// Prints an object of an unknown class as the call that makes it, its attributes, and its contents if it is a list or a dictionary.
    fn instance(&self, f: &mut Formatter<'_>, object: &Instance<'a>) -> fmt::Result {
        f.write_char('<')?;
        self.name(f)?;
        if let Some(arguments) = self.object.arguments() {
            self.inner(arguments).fmt(f)?;
        }
        if let Some(state) = self.object.state() {
            f.write_str(" state ")?;
            self.inner(state).fmt(f)?;
        }
        if !object.items().is_empty() {
            self.items(f, " items [", "]")?;
        }
        if !object.pairs().is_empty() {
            f.write_str(" entries ")?;
            let pairs = super::pairs(object.pairs(), &[]);
            self.entries(f, super::Entries { of: self.object.of, pairs, fields: None })?;
        }
        f.write_char('>')
    }
}

impl<'a> Printed<'a> {
    fn value(&self, f: &mut Formatter<'_>, value: Value<'a>) -> fmt::Result {
        match value {
            Value::None => f.write_str("None"),
            Value::Bool(value) => f.write_str(if value { "True" } else { "False" }),
            Value::Int(number) => number.fmt(f),
            Value::BigInt(number) => {
                self.spend(to_u64(number.work()));
                number.fmt(f)
            }
            Value::Float(number) => float(f, number),
            Value::Complex(re, im) => {
                f.write_str("complex(")?;
                float(f, re)?;
                f.write_str(", ")?;
                float(f, im)?;
                f.write_char(')')
            }
            Value::Str => {
                self.spend(self.object.object().length());
                match self.object.text() {
                    Ok(text) => f.write_str(&repr::of_str(&text)),
                    Err(_) => match self.object.as_bytes() {
                        Some(bytes) => byte_string(f, &bytes),
                        None => f.write_str("<text with a surrogate>"),
                    },
                }
            }
            Value::Bytes => self.bytes(f),
            Value::ByteArray => {
                f.write_str("bytearray(")?;
                self.bytes(f)?;
                f.write_char(')')
            }
            Value::List(_) => self.items(f, "[", "]"),
            Value::Tuple(_) => self.tuple(f),
            Value::Set([]) => f.write_str("set()"),
            Value::Set(_) => self.items(f, "{", "}"),
            Value::FrozenSet(_) => self.items(f, "frozenset({", "})"),
            Value::Dict(_) => self.entries(f, self.object.entries()),
            Value::Date(date) => write!(f, "date({date})"),
            Value::Time(time) => write!(f, "time({time})"),
            Value::DateTime(time) => write!(f, "datetime({time})"),
            Value::TimeDelta(span) => span.fmt(f),
            Value::Decimal(digits) => {
                self.spend(to_u64(digits.len()));
                write!(f, "Decimal({})", repr::of_str(&digits))
            }
            Value::Range(range) => range.fmt(f),
            Value::Global => {
                f.write_char('<')?;
                self.name(f)?;
                f.write_char('>')
            }
            Value::Instance(instance) => self.instance(f, &instance),
        }
    }
}

impl Display for Printed<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if self.depth >= MAX_DEPTH || self.pieces.get() == 0 {
            return f.write_str("...");
        }
        self.pieces.set(self.pieces.get().saturating_sub(1));
        match self.object.meaning() {
            Meaning::Python(value) => self.value(f, value),
            Meaning::Missing => f.write_str("NA"),
            Meaning::Record(_) => self.tuple(f),
            Meaning::Array(array) if array.has_objects() => self.array(f, array),
            Meaning::Array(array) => match self.counted(array.to_dyn_counted(self.object.limits()))
            {
                Ok(array) => write!(f, "array({array})"),
                Err(_) => f.write_str("<malformed array>"),
            },
            Meaning::Scalar(scalar) => {
                match self.counted(scalar.to_dyn_counted(self.object.limits())) {
                    Ok(scalar) => scalar.fmt(f),
                    Err(_) => f.write_str("<malformed scalar>"),
                }
            }
            Meaning::DType => match self.counted(dtype::parse_counted(self.object.object())) {
                Ok(dtype) => write!(f, "dtype({})", repr::of_str(&dtype.to_string())),
                Err(_) => f.write_str("<unknown dtype>"),
            },
        }
    }
}

/// Prints a float as Python does.
fn float(f: &mut Formatter<'_>, number: f64) -> fmt::Result {
    // Python prints `nan` where Rust prints `NaN`. Rust prints all other floats in a form that Python reads.
    if number.is_nan() { f.write_str("nan") } else { write!(f, "{number:?}") }
}

/// Prints bytes as a Python literal. Of more than a thousand bytes, only the first are shown, and their number.
fn byte_string(f: &mut Formatter<'_>, bytes: &[u8]) -> fmt::Result {
    let shown = bytes.get(..MAX_BYTES).unwrap_or(bytes);
    write!(f, "b\"{}\"", shown.escape_ascii())?;
    if shown.len() < bytes.len() { write!(f, "... ({} bytes)", bytes.len()) } else { Ok(()) }
}
