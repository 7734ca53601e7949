//! One column of text: its values, the dtype that they have in common, and their bytes.

use npy_core::dtype::{Resolution, ScalarKind, Unit};
use npy_core::{Cast, DType};

use super::Wanted;
use super::numbers::{self, keeps_digits};
use super::times::{self, Digits};

/// A value of a row.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Value {
    Missing,
    Bool(bool),
    Int(i128),
    Float(f64),
    Text(Box<str>),
}

/// What the values of a column are read as.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Kind {
    Bool,
    /// Integers of this many bytes.
    Int(usize),
    UInt(usize),
    /// Floats of four or eight bytes.
    Float(usize),
    Time(Digits),
    /// Spans of time: text as the command writes it, or counts of this resolution.
    Span(Resolution),
    /// Times as counts of this resolution.
    Count(Resolution),
    /// Times as text in this resolution: `2024-01`, `2024`.
    Point(Resolution),
    Text,
    /// Text as UTF-8, in a dtype of bytes.
    Bytes,
}

/// A column.
#[derive(Debug)]
pub(crate) struct Column {
    /// The name, with those of the objects around it.
    pub(crate) path: Vec<String>,
    pub(crate) values: Vec<Value>,
    pub(crate) kind: Kind,
    /// True if the values are text that may be a number (CSV), false if they have a type (JSON).
    pub(crate) is_untyped: bool,
    /// How far a number may differ from its text.
    cast: Cast,
    /// The characters, or bytes, of the longest text.
    pub(super) width: usize,
}

impl Kind {
    /// Returns what values of both kinds can be read as.
    pub(super) fn common(self, other: Kind) -> Option<Kind> {
        use Kind::{Float, Int, Time, UInt};
        match (self, other) {
            (one, other) if one == other => Some(one),
            (Time(one), Time(other)) => Some(Time(one.max(other))),
            (Int(_) | UInt(_) | Float(_), Float(_)) | (Float(_), Int(_) | UInt(_)) => {
                Some(Float(8))
            }
            _ => None,
        }
    }
}

impl Column {
    pub(crate) fn new(path: Vec<String>, is_untyped: bool) -> Self {
        let cast = Cast::Numeric;
        Column { path, values: Vec::new(), kind: Kind::Text, is_untyped, cast, width: 1 }
    }

    /// Divides the name at its points, if the dtype has a field there.
    pub(super) fn split_like(&mut self, dtype: &DType) {
        if let [name] = &self.path[..] {
            let parts: Vec<String> = name.split('.').map(str::to_owned).collect();
            let exists =
                super::leaf(dtype, &parts).is_some() || super::complex_of(dtype, &parts).is_some();
            if dtype.field(name).is_none() && exists {
                self.path = parts;
            }
        }
    }

    /// Divides the name of a part of a complex number (`x.re`, `0.1.im`) at its points.
    pub(super) fn split_parts(&mut self) {
        if let [name] = &self.path[..]
            && let Some((_, "re" | "im")) = name.rsplit_once('.')
        {
            self.path = name.split('.').map(str::to_owned).collect();
        }
    }

    /// Decides how to read the values: as the dtype says, unless they need something else that can be cast to it.
    pub(super) fn read_as(&mut self, wanted: Option<Wanted<'_>>) {
        let kind = match wanted {
            None => self.guess(),
            Some(wanted) => {
                self.cast = wanted.cast;
                self.kind_for(wanted.dtype)
            }
        };
        self.set_kind(kind);
    }

    fn kind_for(&self, dtype: &DType) -> Kind {
        use ScalarKind as S;
        let Some(scalar) = dtype.scalar() else { return self.guess() };
        // Without a loss, numbers are read as they will be stored. Otherwise, the cast says what becomes of them.
        let size = match (self.cast, scalar.kind()) {
            (Cast::Lossless, S::Complex) => scalar.itemsize() / 2,
            (Cast::Lossless, _) => scalar.itemsize(),
            _ => 8,
        };
        let float = |size| Kind::Float(if size == 4 { 4 } else { 8 });
        match scalar.kind() {
            S::Bool => Kind::Bool,
            S::Int | S::UInt if self.cast != Cast::Lossless && self.has_points() => Kind::Float(8),
            S::Int => Kind::Int(size),
            S::UInt => Kind::UInt(size),
            S::Float | S::Complex => float(size),
            S::Str => Kind::Text,
            S::Bytes => Kind::Bytes,
            S::TimeDelta(Some(resolution)) => Kind::Span(resolution),
            S::DateTime(Some(resolution)) => match self.digits() {
                // Times with seconds are read as they are, and cast.
                Some(digits) => Kind::Time(digits),
                None if resolution.unit != Unit::Year && self.are_counts() => {
                    Kind::Count(resolution)
                }
                None => Kind::Point(resolution),
            },
            _ => self.guess(),
        }
    }

    /// Returns true for integers, unless all can be years or dates without hyphens: `2020` is a year in NumPy, too, and `20200101` is refused.
    fn are_counts(&self) -> bool {
        let values = || self.values.iter().filter(|value| **value != Value::Missing);
        let is_count = |value: &Value| match value {
            Value::Int(_) => true,
            Value::Text(text) => text.parse::<i64>().is_ok(),
            _ => false,
        };
        let is_date = |value: &Value| match value {
            Value::Text(text) if text.len() == 4 => true,
            Value::Text(text) if text.len() == 8 && text.is_ascii() => {
                let (year, day) = text.split_at(4);
                let (month, day) = day.split_at(2);
                Digits::of(&format!("{year}-{month}-{day}")).is_some()
            }
            _ => false,
        };
        values().all(is_count) && !(values().count() > 0 && values().all(is_date))
    }

    /// Returns true for numbers of which some have a point, and none is missing.
    fn has_points(&self) -> bool {
        self.guess() == Kind::Float(8) && !self.values.contains(&Value::Missing)
    }

    /// Returns the resolution of times, which may have offsets from UTC; `None` if there is anything else.
    fn digits(&self) -> Option<Digits> {
        let values = self.values.iter().filter(|value| **value != Value::Missing);
        let digits = values.map(|value| match value {
            Value::Text(text) => Digits::of_any_zone(text),
            _ => None,
        });
        digits.collect::<Option<Vec<_>>>()?.into_iter().max()
    }

    /// Sets what the values are read as.
    pub(super) fn set_kind(&mut self, kind: Kind) {
        self.kind = kind;
        let texts = self.values.iter().map(text_of);
        let width = match kind {
            Kind::Text => texts.map(|text| text.chars().count()).max(),
            Kind::Bytes => texts.map(|text| text.len()).max(),
            _ => None,
        };
        self.width = width.unwrap_or(0).max(1);
    }

    pub(crate) fn push(&mut self, value: Value) {
        self.values.push(value);
    }

    /// Finds what all values can be read as without change.
    pub(crate) fn guess(&self) -> Kind {
        let mut found: Option<Kind> = None;
        let mut is_missing = false;
        for value in &self.values {
            let kind = match self.kind_of(value) {
                Some(kind) => kind,
                None => {
                    is_missing = true;
                    continue;
                }
            };
            found = Some(match (found, kind) {
                (None, kind) => kind,
                (Some(one), other) if one == other => one,
                (Some(Kind::Time(one)), Kind::Time(other)) => Kind::Time(one.max(other)),
                (Some(Kind::Int(_)), Kind::Float(_)) | (Some(Kind::Float(_)), Kind::Int(_)) => {
                    Kind::Float(8)
                }
                (Some(Kind::Int(_) | Kind::UInt(_)), Kind::Int(_) | Kind::UInt(_))
                    if self.fits_unsigned() =>
                {
                    Kind::UInt(8)
                }
                _ => Kind::Text,
            });
            if found == Some(Kind::Text) {
                break;
            }
        }
        match found {
            // A column without any value holds no number that could change.
            None if is_missing => Kind::Float(8),
            Some(Kind::Int(_) | Kind::UInt(_)) if is_missing && self.fits_float() => Kind::Float(8),
            Some(Kind::Int(_) | Kind::UInt(_)) if is_missing => Kind::Text,
            Some(Kind::Float(_)) if !self.fits_float() => Kind::Text,
            Some(Kind::Bool) if is_missing => Kind::Text,
            found => found.unwrap_or(Kind::Text),
        }
    }

    fn fits_unsigned(&self) -> bool {
        let fits = |value: &Value| number(value).is_none_or(|number| u64::try_from(number).is_ok());
        self.values.iter().all(fits)
    }

    /// Returns true if no integer changes as a float.
    fn fits_float(&self) -> bool {
        self.values.iter().filter_map(number).all(numbers::fits_float)
    }

    /// Returns what a value is; `None` if it is missing.
    fn kind_of(&self, value: &Value) -> Option<Kind> {
        Some(match value {
            Value::Missing => return None,
            Value::Bool(_) => Kind::Bool,
            Value::Int(_) => int_kind(number(value)?),
            Value::Float(_) => Kind::Float(8),
            Value::Text(text) if self.is_untyped => kind_of_text(text),
            Value::Text(text) if matches!(&**text, "inf" | "-inf") => Kind::Float(8),
            Value::Text(text) => Digits::of(text).map_or(Kind::Text, Kind::Time),
        })
    }

    /// Returns the dtype of the values.
    pub(crate) fn dtype(&self) -> String {
        match self.kind {
            Kind::Bool => "|b1".into(),
            Kind::Int(1) => "|i1".into(),
            Kind::UInt(1) => "|u1".into(),
            Kind::Int(size) => format!("<i{size}"),
            Kind::UInt(size) => format!("<u{size}"),
            Kind::Float(size) => format!("<f{size}"),
            Kind::Time(digits) => format!("<M8[{}]", digits.unit()),
            Kind::Span(resolution) => format!("<m8[{}]", resolution.unit.name()),
            Kind::Count(resolution) | Kind::Point(resolution) => {
                format!("<M8[{}]", resolution.unit.name())
            }
            Kind::Text => format!("<U{}", self.width),
            Kind::Bytes => format!("|S{}", self.width),
        }
    }

    /// Returns the size of a value in bytes.
    pub(crate) fn itemsize(&self) -> usize {
        match self.kind {
            Kind::Bool => 1,
            Kind::Text => self.width.saturating_mul(4),
            Kind::Bytes => self.width,
            Kind::Int(size) | Kind::UInt(size) | Kind::Float(size) => size,
            Kind::Time(_) | Kind::Span(_) | Kind::Count(_) | Kind::Point(_) => 8,
        }
    }

    /// Stores the value of a row.
    pub(crate) fn encode(&self, row: usize, slot: &mut [u8]) -> Result<(), String> {
        let value = self.values.get(row).unwrap_or(&Value::Missing);
        let text = || text_of(value);
        let wrong = |what: &str| match value {
            Value::Missing => {
                Err(format!("it is empty, and not {what}; of a float dtype, it is nan"))
            }
            value => Err(format!("{:?} is not {what}{}", text(), advice(value))),
        };
        let bytes = match self.kind {
            Kind::Bool => match bool_of(value) {
                Some(value) => vec![u8::from(value)],
                None => return wrong("True or False"),
            },
            Kind::Int(size) | Kind::UInt(size) => match whole(value) {
                Some(number) => match integer(number, size, matches!(self.kind, Kind::Int(_))) {
                    Some(bytes) => bytes,
                    None => return Err(format!("{} does not fit '{}'", text(), self.dtype())),
                },
                None => return wrong("an integer"),
            },
            Kind::Float(size) => match float(value) {
                Some(number) => self.float(value, number, size)?,
                None => return wrong("a number"),
            },
            Kind::Time(digits) => match value {
                Value::Missing => i64::MIN.to_le_bytes().to_vec(),
                _ => match digits.count(&text()) {
                    Some(count) => count.to_le_bytes().to_vec(),
                    None => {
                        return Err(format!(
                            "{:?} does not fit in counts of {}, which other rows need: those of ns are times from 1678 to 2261",
                            text(),
                            digits.unit()
                        ));
                    }
                },
            },
            Kind::Span(_) | Kind::Count(_) | Kind::Point(_) if *value == Value::Missing => {
                i64::MIN.to_le_bytes().to_vec()
            }
            Kind::Span(resolution) => {
                match count(&text(), resolution).or_else(|| times::span(&text(), resolution)) {
                    Some(count) => count.to_le_bytes().to_vec(),
                    None => return wrong("a span of time, such as 90 seconds"),
                }
            }
            Kind::Count(resolution) => match count(&text(), resolution) {
                Some(count) => count.to_le_bytes().to_vec(),
                None => return wrong("a count of 64 bits"),
            },
            Kind::Point(resolution) => match point(&text(), resolution) {
                Some(count) => count.to_le_bytes().to_vec(),
                None => return wrong("a time, such as 2024-01-31 or 2024-01-31T12:00:00.5+02:00"),
            },
            Kind::Text => text().chars().flat_map(|c| u32::from(c).to_le_bytes()).collect(),
            Kind::Bytes => text().into_bytes(),
        };
        match slot.get_mut(..bytes.len()) {
            Some(slot) => slot.copy_from_slice(&bytes),
            None => return wrong("as wide as the column"),
        }
        Ok(())
    }

    /// Returns the bytes of a float, unless the cast forbids the difference to its text.
    fn float(&self, value: &Value, number: f64, size: usize) -> Result<Vec<u8>, String> {
        if self.cast != Cast::Lossless && (number.is_finite() || self.cast == Cast::Numeric) {
            return Ok(number.to_le_bytes().to_vec());
        }
        let text = match value {
            Value::Float(number) => format!("{number:e}"),
            value => text_of(value),
        };
        let has_digits = text.contains(|c: char| c.is_ascii_digit());
        let (bytes, is_same) = match size {
            4 => {
                // Only a missing value has no digits.
                let narrow: f32 = text.trim().parse().unwrap_or(f32::NAN);
                let print = |digits: usize| format!("{:.digits$e}", narrow.abs());
                (narrow.to_le_bytes().to_vec(), keeps_digits(&text, print))
            }
            _ => {
                let print = |digits: usize| format!("{:.digits$e}", number.abs());
                (number.to_le_bytes().to_vec(), keeps_digits(&text, print))
            }
        };
        match !has_digits || is_same && number.is_finite() {
            true => Ok(bytes),
            false => Err(format!("{text} does not fit '{}'", self.dtype())),
        }
    }
}

/// Returns a count of a resolution.
fn count(text: &str, resolution: Resolution) -> Option<i64> {
    text.parse::<i64>().ok()?.checked_mul(resolution.multiple.into())
}

/// Returns the count of a time. A number alone is a year, if it has four digits or the resolution is years.
fn point(text: &str, resolution: Resolution) -> Option<i64> {
    let is_year = resolution.unit == Unit::Year || text.len() == 4 || text.parse::<i64>().is_err();
    is_year.then(|| times::point(text, resolution))?
}

/// Returns the bytes of an integer, if it fits.
fn integer(number: i128, size: usize, is_signed: bool) -> Option<Vec<u8>> {
    let bytes = number.to_le_bytes();
    let (bytes, rest) = bytes.split_at_checked(size)?;
    let is_negative = number < 0;
    let is_filled = rest.iter().all(|&byte| byte == if is_negative { 0xff } else { 0 });
    let is_highest_set = bytes.last().is_some_and(|byte| byte & 0x80 != 0);
    let fits = is_filled && if is_signed { is_highest_set == is_negative } else { !is_negative };
    fits.then(|| bytes.to_vec())
}

/// Returns what the user may do about a value that was not expected.
fn advice(value: &Value) -> String {
    const MISSING: [&str; 9] = ["NA", "N/A", "n/a", "na", "NULL", "null", "None", "-", "?"];
    match value {
        Value::Text(text) if MISSING.contains(&&**text) => {
            format!("; npy convert --missing '{text}' reads it as a missing value")
        }
        _ => String::new(),
    }
}

fn int_kind(number: i128) -> Kind {
    match (i64::try_from(number), u64::try_from(number)) {
        (Ok(_), _) => Kind::Int(8),
        (_, Ok(_)) => Kind::UInt(8),
        _ => Kind::Text,
    }
}

/// Returns what a field of CSV is. A text that would change as a number is text: `007`, `+5`, integers of more than 64 bits.
fn kind_of_text(text: &str) -> Kind {
    if matches!(text, "True" | "False" | "true" | "false" | "TRUE" | "FALSE") {
        return Kind::Bool;
    }
    if let Ok(number) = text.parse::<i128>() {
        return if number.to_string() == text { int_kind(number) } else { Kind::Text };
    }
    if is_float(text) {
        return Kind::Float(8);
    }
    Digits::of(text).map_or(Kind::Text, Kind::Time)
}

/// Returns true for the floats that Python prints and reads. Rust also takes `infinity`, and a sign before anything.
fn is_float(text: &str) -> bool {
    let digits = text.trim_start_matches('-');
    let is_number = digits.starts_with(|c: char| c.is_ascii_digit() || c == '.')
        && !(digits.starts_with('0') && digits[1..].starts_with(|c: char| c.is_ascii_digit()))
        && text.contains(['.', 'e', 'E'])
        && text.parse::<f64>().is_ok_and(f64::is_finite);
    is_number || matches!(text, "inf" | "-inf" | "nan" | "NaN")
}

fn bool_of(value: &Value) -> Option<bool> {
    match value {
        Value::Bool(value) => Some(*value),
        Value::Text(text) => match &**text {
            "True" | "true" | "TRUE" | "1" => Some(true),
            "False" | "false" | "FALSE" | "0" => Some(false),
            _ => None,
        },
        Value::Int(number @ (0 | 1)) => Some(*number == 1),
        _ => None,
    }
}

fn number(value: &Value) -> Option<i128> {
    match value {
        Value::Int(number) => Some(*number),
        Value::Text(text) => text.trim().parse().ok(),
        _ => None,
    }
}

/// Returns an integer, which may be written as a float: `1.0`.
#[expect(clippy::cast_possible_truncation, reason = "the float is an integer below 2^53")]
fn whole(value: &Value) -> Option<i128> {
    number(value).or_else(|| {
        let number = match value {
            Value::Text(text) => text.trim().parse().ok()?,
            Value::Float(number) => *number,
            _ => return None,
        };
        let is_whole = number.fract() == 0.0 && number.abs() < 9e15;
        is_whole.then_some(number as i128)
    })
}

#[expect(clippy::cast_precision_loss, reason = "a column of floats rounds integers")]
fn float(value: &Value) -> Option<f64> {
    match value {
        Value::Missing => Some(f64::NAN),
        Value::Int(number) => Some(*number as f64),
        Value::Float(number) => Some(*number),
        Value::Text(text) => text.trim().parse().ok(),
        Value::Bool(_) => None,
    }
}

/// Returns the value as text, as a column of text has it.
fn text_of(value: &Value) -> String {
    match value {
        Value::Missing => String::new(),
        Value::Bool(value) => value.to_string(),
        Value::Int(number) => number.to_string(),
        Value::Float(number) => number.to_string(),
        Value::Text(text) => text.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn guessed(values: &[&str]) -> String {
        let mut column = Column::new(vec!["x".into()], true);
        for text in values {
            column.push(if text.is_empty() { Value::Missing } else { Value::Text((*text).into()) });
        }
        let kind = column.guess();
        column.set_kind(kind);
        column.dtype()
    }

    /// Guards that no text changes by becoming a number.
    #[test]
    fn the_values_of_a_column_decide_its_dtype() {
        for (values, dtype) in [
            (&["1", "-2"][..], "<i8"),
            (&["1", ""], "<f8"),
            (&["9007199254740993", ""], "<U16"),
            (&["1", "0.5"], "<f8"),
            (&["1234567890123456800", "0.5"], "<f8"),
            (&["9007199254740993", "0.5"], "<U16"),
            (&["9223372036854775808", "1"], "<u8"),
            (&["9223372036854775808", "-1"], "<U19"),
            (&["18446744073709551616"], "<U20"),
            (&["inf", "-inf", "nan", "1e-5"], "<f8"),
            (&["infinity"], "<U8"),
            (&["007"], "<U3"),
            (&["00.5"], "<U4"),
            (&["+5"], "<U2"),
            (&["-0"], "<U2"),
            (&["True", "False"], "|b1"),
            (&["True", ""], "<U4"),
            (&["True", "1"], "<U4"),
            (&["2024-02-29", ""], "<M8[D]"),
            (&["2024-02-30"], "<U10"),
            (&["2024-02-29", "2024-02-29 12:00:00"], "<M8[s]"),
            (&["2024-02-29T12:00:00.5"], "<M8[ms]"),
            (&["2024-02-29 12:00:00.123456789"], "<M8[ns]"),
            (&["1", "x"], "<U1"),
            (&["größe", ""], "<U5"),
            (&["", ""], "<f8"),
            (&[], "<U1"),
        ] {
            assert_eq!(guessed(values), dtype, "{values:?}");
        }
    }
}
