//! Prints objects as Python does.

use std::cell::Cell;
use std::fmt::{self, Display, Formatter, Write};

use super::array::PickledArray;
use super::known::{Bytes, Object};
use super::{Meaning, ObjectRef, dtype};
use crate::array::print::MAX_PIECES;
use crate::checked;
use crate::literal::repr;

/// The most levels that are printed. Deeper objects become `...`, so that even an object that contains itself can be printed.
const MAX_DEPTH: usize = 32;
/// The most bytes of a bytes object that are printed.
const MAX_BYTES: usize = 1000;

/// The work of printing a piece, in bytes that are copied or parsed. A long object counts as many pieces: a pickle can use it any number of
/// times, so the work must be limited.
const PIECE: usize = 64;

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
    fn spend(&self, work: usize) {
        self.pieces.set(self.pieces.get().saturating_sub(work / PIECE));
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

    fn bytes(&self, f: &mut Formatter<'_>, bytes: Bytes<'_>) -> fmt::Result {
        self.spend(usize::try_from(bytes.length_in_pickle()).unwrap_or(usize::MAX));
        match bytes.get() {
            Some(bytes) => byte_string(f, &bytes),
            None => f.write_str("<malformed bytes>"),
        }
    }

    /// Prints the name of a class or function.
    fn name(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let name = self.object.name();
        let name = name.as_deref().unwrap_or("?");
        self.spend(name.len());
        f.write_str(&repr::printable(name))
    }

    /// Prints an object of an unknown class as the call that makes it, its attributes, and its contents if it is a list or a dictionary.
    fn object(&self, f: &mut Formatter<'_>, object: Object<'a>) -> fmt::Result {
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

impl Display for Printed<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if self.depth >= MAX_DEPTH || self.pieces.get() == 0 {
            return f.write_str("...");
        }
        self.pieces.set(self.pieces.get().saturating_sub(1));
        match self.object.meaning() {
            Meaning::None => f.write_str("None"),
            Meaning::Missing => f.write_str("NA"),
            Meaning::Bool(value) => f.write_str(if value { "True" } else { "False" }),
            Meaning::Int(number) => number.fmt(f),
            Meaning::BigInt(number) => {
                self.spend(number.work());
                number.fmt(f)
            }
            Meaning::Float(number) => float(f, number),
            Meaning::Complex(re, im) => {
                f.write_str("complex(")?;
                float(f, re)?;
                f.write_str(", ")?;
                float(f, im)?;
                f.write_char(')')
            }
            Meaning::Str(_, data) => {
                self.spend(data.of(&self.object.of.pickle).len());
                match self.object.text() {
                    Ok(text) => f.write_str(&repr::of_str(&text)),
                    Err(_) => match self.object.as_bytes() {
                        Some(bytes) => byte_string(f, &bytes),
                        None => f.write_str("<text with a surrogate>"),
                    },
                }
            }
            Meaning::Bytes(bytes) => self.bytes(f, bytes),
            Meaning::ByteArray(bytes) => {
                f.write_str("bytearray(")?;
                self.bytes(f, bytes)?;
                f.write_char(')')
            }
            Meaning::List(_) => self.items(f, "[", "]"),
            Meaning::Tuple(_) | Meaning::Record(_) => self.tuple(f),
            Meaning::Set([]) => f.write_str("set()"),
            Meaning::Set(_) => self.items(f, "{", "}"),
            Meaning::FrozenSet(_) => self.items(f, "frozenset({", "})"),
            Meaning::Dict(_) => self.entries(f, self.object.entries()),
            Meaning::Array(array) if array.has_objects() => self.array(f, array),
            Meaning::Array(array) => {
                let (array, work) = array.to_dyn_counted();
                self.spend(work);
                match array {
                    Ok(array) => write!(f, "array({array})"),
                    Err(_) => f.write_str("<malformed array>"),
                }
            }
            Meaning::Scalar(scalar) => {
                let (scalar, work) = scalar.to_dyn_counted();
                self.spend(work);
                match scalar {
                    Ok(scalar) => scalar.fmt(f),
                    Err(_) => f.write_str("<malformed scalar>"),
                }
            }
            Meaning::Date(date) => write!(f, "date({date})"),
            Meaning::Time(time) => write!(f, "time({time})"),
            Meaning::DateTime(time) => write!(f, "datetime({time})"),
            Meaning::TimeDelta(span) => span.fmt(f),
            Meaning::Decimal(digits) => {
                self.spend(digits.len());
                write!(f, "Decimal({})", repr::of_str(&digits))
            }
            Meaning::Range(start, stop, 1) => write!(f, "range({start}, {stop})"),
            Meaning::Range(start, stop, step) => write!(f, "range({start}, {stop}, {step})"),
            Meaning::DType => {
                let (dtype, work) = dtype::parse_counted(self.object);
                self.spend(work);
                match dtype {
                    Ok(dtype) => write!(f, "dtype({})", repr::of_str(&dtype.to_string())),
                    Err(_) => f.write_str("<unknown dtype>"),
                }
            }
            Meaning::Global => {
                f.write_char('<')?;
                self.name(f)?;
                f.write_char('>')
            }
            Meaning::Object(object) => self.object(f, object),
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
