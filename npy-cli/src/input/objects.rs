//! Python objects that become a dtype: each as NumPy's `astype` converts it, or an error. A list or a tuple is a sub-array, and a dict a record, as in JSON.

use std::cell::Cell as Count;
use std::io;
use std::ops::Range;

use npy_core::Value::{Complex32, F16, F32};
use npy_core::dtype::{Scalar, ScalarKind};
use npy_core::object::Kind;
use npy_core::{Cast, DType, ObjectRef, Order};

use super::cells::Values;
use super::json::{Place, Row, Rows};
use super::value::Value;
use super::{Table, Wanted, is_complex};
use crate::columns::Taken;
use crate::output::Result;
use crate::row_text::Tree;
use crate::rows;
use crate::source::tell_of_none;
use crate::text::{Cell, complex_parts, numpy_time, object_json, object_text, span_text};

/// Sorts the values of rows into columns.
pub(super) fn columns(
    source: &mut rows::Rows<'_>,
    name: &str,
    wanted: Wanted<'_>,
) -> Result<Table> {
    let mut rows = Rows::of(wanted.is_all());
    let nones = Count::new(0);
    while let Some((_, block)) = source.next(usize::MAX)? {
        let count = block.shape().first().copied().unwrap_or(1);
        let size = block.as_bytes().len().checked_div(count).unwrap_or(0);
        for at in 0..count {
            let bytes = block.as_bytes().get(at * size..(at + 1) * size).unwrap_or_default();
            let mut row = Row::default();
            let place = Place { row: &mut row, path: &mut Vec::new() };
            let objects = Objects { objects: &source.objects, wanted, nones: &nones };
            let read = match (&source.tree, source.taken) {
                (Tree::Record(parts), Some(taken)) if !wanted.dtype.is_record() => {
                    objects.add_columns(place, parts, taken, bytes)
                }
                (tree, _) => objects.add_part(place, tree, bytes),
            };
            let added = read.and_then(|()| rows.add(row));
            added.map_err(|message| rows.failure(name, &message))?;
        }
    }
    tell_of_none(name, nones.get(), "the text \"None\", where JSON has null");
    let mut table = rows.finish();
    for column in &mut table.columns {
        let kind = wanted.of_column(&column.path).and_then(|wanted| wanted.dtype.scalar());
        if !matches!(kind.map(Scalar::kind), Some(ScalarKind::Bytes | ScalarKind::Void)) {
            continue;
        }
        let Values::Typed(values) = &mut column.values else { continue };
        for value in values.values_mut() {
            // Text of objects has no escapes.
            if let Value::Text(text) = value {
                *value = Value::Bytes(text.as_bytes().to_vec().into());
            }
        }
    }
    Ok(table)
}

struct Objects<'a> {
    objects: &'a [ObjectRef<'a>],
    wanted: Wanted<'a>,
    /// The number of objects that are `None`, and become text.
    nones: &'a Count<usize>,
}

impl Objects<'_> {
    /// Adds the chosen columns of a row, which become values without names.
    fn add_columns(
        &self,
        mut place: Place<'_>,
        parts: &[(Vec<u8>, Range<usize>, Tree)],
        taken: Taken,
        bytes: &[u8],
    ) -> Result<(), String> {
        let of = |range: &Range<usize>| bytes.get(range.clone()).unwrap_or_default();
        match (taken, parts) {
            (Taken::One, [(_, range, part)]) => self.add_part(place, part, of(range)),
            (Taken::Items, _) => {
                place.begin_list(parts.len());
                for (at, (_, range, part)) in parts.iter().enumerate() {
                    self.add_part(place.within(at.to_string()), part, of(range))?;
                    place.path.pop();
                }
                Ok(())
            }
            _ => Err("the columns need a dtype with fields, one for each".into()),
        }
    }

    /// Adds a part of a row.
    fn add_part(&self, mut place: Place<'_>, part: &Tree, bytes: &[u8]) -> Result<(), String> {
        match part {
            Tree::Scalar(cell) if cell.dtype().has_object() => {
                match cell.object(bytes, self.objects) {
                    Some(object) => self.add(place, object),
                    None => Ok(()),
                }
            }
            Tree::Scalar(cell) => self.add_cell(place, cell, bytes),
            Tree::Record(fields) => {
                place.begin_object();
                for (key, range, part) in fields {
                    let key = key.strip_suffix(b":").unwrap_or(key);
                    let name = serde_json::from_slice(key).map_err(|error| error.to_string())?;
                    let bytes = bytes.get(range.clone()).unwrap_or_default();
                    self.add_part(place.within(name), part, bytes)?;
                    place.path.pop();
                }
                Ok(())
            }
            Tree::List { count, size, item } => {
                place.begin_list(*count);
                for at in 0..*count {
                    let bytes = bytes.get(at * size..(at + 1) * size).unwrap_or_default();
                    self.add_part(place.within(at.to_string()), item, bytes)?;
                    place.path.pop();
                }
                Ok(())
            }
        }
    }

    /// Adds an object, which may have others within.
    fn add(&self, place: Place<'_>, object: ObjectRef<'_>) -> Result<(), String> {
        if matches!(object.kind(), Kind::List | Kind::Tuple | Kind::Dict) {
            // Refuses objects that contain themselves, or whose text would be endless.
            serde_json::to_writer(io::sink(), &object).map_err(|error| error.to_string())?;
        }
        self.add_checked(place, object)
    }

    fn add_checked(&self, mut place: Place<'_>, object: ObjectRef<'_>) -> Result<(), String> {
        match object.kind() {
            Kind::List | Kind::Tuple => {
                place.begin_list(object.len());
                for (at, item) in object.iter().enumerate() {
                    self.add_checked(place.within(at.to_string()), item)?;
                    place.path.pop();
                }
                Ok(())
            }
            Kind::Dict => {
                place.begin_object();
                for (key, value) in object.entries() {
                    let key = key.as_str().map_or_else(|| key.to_string(), Into::into);
                    self.add_checked(place.within(key), value)?;
                    place.path.pop();
                }
                Ok(())
            }
            Kind::Array => match object.as_array() {
                Ok(array) if array.dtype().scalar().is_some() => {
                    let array = array.to_order(Order::C).map_err(|error| error.to_string())?;
                    let cell = Cell::new(array.dtype());
                    self.add_array(place, &cell, array.shape(), array.as_bytes())
                }
                _ => self.add_parts(place, object),
            },
            Kind::Set | Kind::FrozenSet | Kind::Range | Kind::Record => {
                self.add_parts(place, object)
            }
            _ => self.add_scalar(place, object),
        }
    }

    /// Adds an object with others within as JSON has it, where a time of NumPy is a text.
    fn add_parts(&self, place: Place<'_>, object: ObjectRef<'_>) -> Result<(), String> {
        let mut text = Vec::new();
        object_json(object, &mut text).map_err(|error| error.to_string())?;
        let wanted = self.wanted.of_column(place.path).and_then(|wanted| wanted.dtype.scalar());
        if let Some((wanted, time)) = wanted.zip(time_within(object)) {
            check_time(time, wanted.kind(), || shown(object))?;
        }
        place.read(&text)
    }

    /// Adds an array of numbers or texts in C order.
    fn add_array(
        &self,
        mut place: Place<'_>,
        cell: &Cell,
        shape: &[usize],
        bytes: &[u8],
    ) -> Result<(), String> {
        let [length, inner @ ..] = shape else { return self.add_cell(place, cell, bytes) };
        place.begin_list(*length);
        let size = bytes.len().checked_div(*length).unwrap_or(0);
        for at in 0..*length {
            let part = bytes.get(at * size..(at + 1) * size).unwrap_or_default();
            self.add_array(place.within(at.to_string()), cell, inner, part)?;
            place.path.pop();
        }
        Ok(())
    }

    /// Adds a value that is not an object. What becomes a number, a boolean or bytes is not printed on the way.
    fn add_cell(&self, place: Place<'_>, cell: &Cell, bytes: &[u8]) -> Result<(), String> {
        use ScalarKind::{Bool, Bytes, Complex, Float, Int, Str, UInt, Void};
        use npy_core::Value as Cells;
        let wanted = self.wanted.of_column(place.path).and_then(|wanted| wanted.dtype.scalar());
        if let Some((time, wanted)) = cell.dtype().scalar().map(Scalar::kind).zip(wanted)
            && is_time(time)
        {
            check_time(time, wanted.kind(), || cell.value(bytes).to_string())?;
        }
        let number = |number: f64| match number.is_nan() {
            true => Value::Missing,
            false => Value::Float(number),
        };
        let value = match (wanted.map(Scalar::kind), cell.value(bytes)) {
            (Some(Complex), Complex32(re, im)) => {
                place.add_complex([re, im].map(|part| number(part.into())));
                return Ok(());
            }
            (Some(Complex), Cells::Complex64(re, im)) => {
                place.add_complex([re, im].map(number));
                return Ok(());
            }
            (Some(Bool | Int | UInt | Float | Complex), Cells::Bool(value)) => {
                if wanted.map(Scalar::kind) == Some(Bool) {
                    Value::Bool(value)
                } else {
                    Value::Int(value.into())
                }
            }
            (Some(Str), Cells::Bool(value)) => {
                Value::Text(if value { "True" } else { "False" }.into())
            }
            (Some(Int | UInt), F32(value) | F16(value)) if value.is_finite() => {
                whole(value.into(), self.wanted.cast)
            }
            (Some(Int | UInt), Cells::F64(value)) if value.is_finite() => {
                whole(value, self.wanted.cast)
            }
            (Some(Int | UInt | Float | Complex), F32(value) | F16(value)) => number(value.into()),
            (Some(Complex), Cells::F64(value)) => number(value),
            (Some(Complex), Cells::Int(value)) => Value::Int(value.into()),
            (Some(Complex), Cells::UInt(value)) => Value::Int(value.into()),
            (Some(Bytes | Void), Cells::Bytes(value) | Cells::Void(value)) => {
                Value::Bytes(value.to_vec().into())
            }
            _ => {
                let mut text = Vec::new();
                cell.json(bytes, &[], &mut text);
                return place.read(&text);
            }
        };
        match wanted.map(Scalar::kind) {
            // A real number has no imaginary part, so that two of them in a list are no complex number.
            Some(Complex) => {
                let im = if value == Value::Missing { Value::Missing } else { Value::Int(0) };
                place.add_complex([value, im]);
            }
            _ => place.add(value),
        }
        Ok(())
    }

    /// Adds an object that has no others within. As a complex number it has two parts.
    fn add_scalar(&self, place: Place<'_>, object: ObjectRef<'_>) -> Result<(), String> {
        let Wanted { dtype, cast, .. } = match self.wanted.of_column(place.path) {
            Some(wanted) => wanted,
            None => return add_json(place, object),
        };
        let Some(scalar) = dtype.scalar() else { return add_json(place, object) };
        if let Some(time) = numpy_time(object) {
            check_time(time, scalar.kind(), || object.to_string())?;
        }
        if object.kind() == Kind::None
            && matches!(scalar.kind(), ScalarKind::Str | ScalarKind::Bytes | ScalarKind::Void)
        {
            self.nones.set(self.nones.get() + 1);
        }
        let value = match scalar.kind() {
            ScalarKind::Bool => flag(object),
            ScalarKind::Int | ScalarKind::UInt => integer(object, cast),
            ScalarKind::Float => float(object, cast),
            ScalarKind::Complex => {
                place.add_complex(complex(object, cast)?);
                return Ok(());
            }
            ScalarKind::Str => text(object, cast),
            ScalarKind::Bytes | ScalarKind::Void => bytes(object, cast),
            _ => other(object),
        };
        place.add(value?);
        Ok(())
    }
}

fn is_time(kind: ScalarKind) -> bool {
    matches!(kind, ScalarKind::DateTime(_) | ScalarKind::TimeDelta(_))
}

/// Returns the kind of the first time of NumPy in an object whose JSON has an end.
fn time_within(object: ObjectRef<'_>) -> Option<ScalarKind> {
    if object.kind() == Kind::Array
        && let Ok(header) = object.header()
        && !header.dtype().has_object()
    {
        return header
            .dtype()
            .leaves()
            .map(|leaf| leaf.scalar().kind())
            .find(|kind| is_time(*kind));
    }
    numpy_time(object)
        .or_else(|| object.iter().find_map(time_within))
        .or_else(|| object.entries().find_map(|(_, value)| time_within(value)))
}

/// Refuses a time, or a span of time, where a dtype has something else: the text of a year has digits alone. A dtype of text is not refused.
fn check_time(
    time: ScalarKind,
    wanted: ScalarKind,
    text: impl FnOnce() -> String,
) -> Result<(), String> {
    use ScalarKind::{Bytes, DateTime, Str, TimeDelta, Void};
    let name = match (time, wanted) {
        (_, Str | Bytes | Void) | (DateTime(_), DateTime(_)) | (TimeDelta(_), TimeDelta(_)) => {
            return Ok(());
        }
        (TimeDelta(_), _) => "a span of time",
        _ => "a time",
    };
    let dtype = DType::from(Scalar::new(time, 8).map_err(|error| error.to_string())?);
    Err(format!("{} is {name}, not a number; --dtype '{dtype}' holds it, and U its text", text()))
}

/// Adds an object as JSON has it.
fn add_json(place: Place<'_>, object: ObjectRef<'_>) -> Result<(), String> {
    let mut text = Vec::new();
    object_json(object, &mut text).map_err(|error| error.to_string())?;
    place.read(&text)
}

/// Returns text, a time as text, or a number; the kind of the column decides what becomes of it.
fn other(object: ObjectRef<'_>) -> Result<Value<'static>, String> {
    if object.is_missing() {
        return Ok(Value::Missing);
    }
    if let Some(value) = object.as_bool() {
        return Ok(Value::Bool(value));
    }
    if let Some(number) = object.as_i128() {
        return Ok(Value::Int(number));
    }
    if let Some(number) = object.as_f64() {
        return Ok(Value::Float(number));
    }
    Ok(Value::Text(printed(object)?.into()))
}

fn flag(object: ObjectRef<'_>) -> Result<Value<'static>, String> {
    match object.as_bool() {
        Some(value) => Ok(Value::Bool(value)),
        None => other(object),
    }
}

/// Returns a number, which may not be an integer, or be too large for the dtype.
fn integer(object: ObjectRef<'_>, cast: Cast) -> Result<Value<'static>, String> {
    match other(object)? {
        Value::Bool(value) => Ok(Value::Int(value.into())),
        Value::Text(_) if object.kind() == Kind::Int => {
            Err(format!("{} does not fit in an integer of any dtype", shown(object)))
        }
        Value::Float(number) if cast != Cast::Numeric && number.fract() != 0.0 => Err(format!(
            "{} is not an integer; --cast numeric cuts off fractions, and makes floats beyond the range its nearest end",
            shown(object)
        )),
        Value::Float(number) => Ok(whole(number, cast)),
        value => Ok(value),
    }
}

/// Returns the integer that a float of Python is. Others, and a zero with a sign, stay floats.
#[expect(clippy::cast_possible_truncation, reason = "an integer below 2^127")]
fn whole(number: f64, cast: Cast) -> Value<'static> {
    let is_whole = number.fract() == 0.0 && number.abs() < 1e38;
    let has_sign = number == 0.0 && number.is_sign_negative();
    match cast != Cast::Numeric && is_whole && !has_sign {
        true => Value::Int(number as i128),
        false => Value::Float(number),
    }
}

/// Returns a number that becomes a float of 64 bits, and is not rounded with `Cast::Lossless`.
#[expect(clippy::cast_possible_truncation, clippy::cast_precision_loss, reason = "compared")]
fn float(object: ObjectRef<'_>, cast: Cast) -> Result<Value<'static>, String> {
    let inexact = || {
        let shown = shown(object);
        format!("{shown} is not a float of 64 bits exactly; --cast checked rounds it")
    };
    match other(object)? {
        Value::Bool(value) => Ok(Value::Int(value.into())),
        // The largest `i128` is not a float, but the conversion back saturates to it.
        Value::Int(number)
            if cast == Cast::Lossless
                && (number as f64 as i128 != number || number == i128::MAX) =>
        {
            Err(inexact())
        }
        // Beyond 128 bits.
        Value::Text(text) if object.kind() == Kind::Int => match cast {
            Cast::Lossless => Err(inexact()),
            // A number beyond the largest float is refused with its text.
            _ => Ok(Value::Text(text)),
        },
        value => Ok(value),
    }
}

/// Returns the real and the imaginary part.
fn complex(object: ObjectRef<'_>, cast: Cast) -> Result<[Value<'static>; 2], String> {
    if let Some(parts) = complex_parts(object) {
        return Ok(parts.map(Value::Float));
    }
    let im = if object.kind() == Kind::None { Value::Missing } else { Value::Int(0) };
    Ok([float(object, cast)?, im])
}

/// Returns the text of `str(object)`, or of ASCII bytes. With `Cast::Lossless`, only text and such bytes are allowed.
fn text(object: ObjectRef<'_>, cast: Cast) -> Result<Value<'static>, String> {
    let text = match object.as_bytes().filter(|_| object.as_str().is_none()) {
        Some(bytes) if bytes.is_ascii() => String::from_utf8_lossy(&bytes).into_owned(),
        Some(_) => return Err(format!("{} is not ASCII; --dtype S keeps bytes", shown(object))),
        None if cast == Cast::Lossless && object.as_str().is_none() => {
            return Err(not_text(object));
        }
        None if matches!(object.kind(), Kind::DateTime) => {
            object_text(object).replacen('T', " ", 1)
        }
        None if matches!(object.kind(), Kind::TimeDelta) => span_text(object),
        None => printed(object)?,
    };
    Ok(Value::Text(text.into()))
}

/// Returns bytes, or what Python prints.
fn bytes(object: ObjectRef<'_>, cast: Cast) -> Result<Value<'static>, String> {
    match object.as_bytes().filter(|_| object.as_str().is_none()) {
        Some(bytes) => Ok(Value::Bytes(bytes.into_owned().into())),
        None => text(object, cast),
    }
}

fn not_text(object: ObjectRef<'_>) -> String {
    format!("{} is not text; --cast checked writes it as text", shown(object))
}

/// Returns the start of an object for a message.
fn shown(object: ObjectRef<'_>) -> String {
    const LENGTH: usize = 60;
    let text = object.to_string();
    match text.char_indices().nth(LENGTH) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

/// Returns the text of `str(object)`, but times in ISO 8601 and spans of time with their unit, which columns of times are read from.
fn printed(object: ObjectRef<'_>) -> Result<String, String> {
    if let Some(text) = object.as_str() {
        return Ok(text.into_owned());
    }
    match object.kind() {
        Kind::None | Kind::Bool | Kind::Int | Kind::Float => Ok(object.to_string()),
        Kind::Missing => {
            let is_time = object.name().is_some_and(|name| name.contains("nat"));
            Ok(if is_time { "NaT" } else { "<NA>" }.into())
        }
        Kind::Bytes => text(object, Cast::Checked).map(|value| value.text().into_owned()),
        Kind::Scalar => match object.as_array() {
            Ok(scalar) if !is_complex(scalar.dtype()) => Ok(scalar.to_string()),
            Ok(scalar) => Err(format!("{scalar} is complex; --dtype c16 holds it")),
            Err(error) => Err(error.to_string()),
        },
        Kind::Date | Kind::Time | Kind::DateTime | Kind::TimeDelta | Kind::Decimal => {
            Ok(object_text(object))
        }
        Kind::Complex => Err(format!("{} is complex; --dtype c16 holds it", shown(object))),
        _ => Err(format!(
            "{} is neither a number, text nor a time; print it with npy cat",
            shown(object)
        )),
    }
}
