//! One column of text: its values, the dtype that they have in common, and their bytes.

use npy_core::dtype::{Resolution, ScalarKind, Unit};
use npy_core::time::{self, Day, Ms, Ns, Second, TimeUnit, Us};
use npy_core::{DType, DateTime64, TimeDelta64};

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
    Int,
    UInt,
    Float,
    Time(Digits),
    /// Spans of time: text as the command writes it, or counts of this resolution.
    Span(Resolution),
    /// Times: text in this resolution (`2024-01`), or counts of it.
    Count(Resolution),
    Text,
    /// Text as UTF-8, in a dtype of bytes.
    Bytes,
}

/// The resolution of times.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Digits {
    Day,
    Second,
    Ms,
    Us,
    Ns,
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
    /// The characters, or bytes, of the longest text.
    pub(super) width: usize,
}

impl Kind {
    /// Returns how to read a column that becomes this dtype; `None` if the values decide.
    pub(crate) fn of(dtype: &DType) -> Option<Self> {
        use ScalarKind as S;
        match dtype.scalar()?.kind() {
            S::Bool => Some(Kind::Bool),
            S::Int => Some(Kind::Int),
            S::UInt => Some(Kind::UInt),
            S::Float | S::Complex => Some(Kind::Float),
            S::Str => Some(Kind::Text),
            S::Bytes => Some(Kind::Bytes),
            S::TimeDelta(resolution) => resolution.map(Kind::Span),
            _ => None,
        }
    }
}

impl Kind {
    /// Returns what values of both kinds can be read as.
    pub(super) fn common(self, other: Kind) -> Option<Kind> {
        use Kind::{Float, Int, Time, UInt};
        match (self, other) {
            (one, other) if one == other => Some(one),
            (Time(one), Time(other)) => Some(Time(one.max(other))),
            (Int | UInt | Float, Float) | (Float, Int | UInt) => Some(Float),
            _ => None,
        }
    }
}

impl Column {
    pub(crate) fn new(path: Vec<String>, is_untyped: bool) -> Self {
        Column { path, values: Vec::new(), kind: Kind::Text, is_untyped, width: 1 }
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

    /// Returns how to read the column for this dtype: as the dtype says, unless the values need something else that can be cast to it.
    pub(super) fn kind_for(&self, dtype: &DType) -> Kind {
        let guess = self.guess();
        match (Kind::of(dtype), guess) {
            // Integers with a point, of which the cast checks that they are integers.
            (Some(Kind::Int | Kind::UInt), Kind::Float)
                if !self.values.contains(&Value::Missing) =>
            {
                Kind::Float
            }
            (Some(kind), _) => kind,
            (None, guess) => match dtype.scalar().map(|scalar| scalar.kind()) {
                // Times with seconds are read as they are, and cast.
                Some(ScalarKind::DateTime(Some(resolution))) if !matches!(guess, Kind::Time(_)) => {
                    Kind::Count(resolution)
                }
                _ => guess,
            },
        }
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
                (Some(Kind::Int), Kind::Float) | (Some(Kind::Float), Kind::Int) => Kind::Float,
                (Some(Kind::Int | Kind::UInt), Kind::Int | Kind::UInt) if self.fits_unsigned() => {
                    Kind::UInt
                }
                _ => Kind::Text,
            });
            if found == Some(Kind::Text) {
                break;
            }
        }
        match found {
            // A column without any value holds no number that could change.
            None if is_missing => Kind::Float,
            Some(Kind::Int | Kind::UInt) if is_missing => match self.fits_float() {
                true => Kind::Float,
                false => Kind::Text,
            },
            Some(Kind::Bool) if is_missing => Kind::Text,
            found => found.unwrap_or(Kind::Text),
        }
    }

    fn fits_unsigned(&self) -> bool {
        let fits = |value: &Value| number(value).is_none_or(|number| u64::try_from(number).is_ok());
        self.values.iter().all(fits)
    }

    /// Returns true if no integer changes as a float.
    #[expect(clippy::cast_precision_loss, clippy::cast_possible_truncation, reason = "compared")]
    fn fits_float(&self) -> bool {
        self.values.iter().filter_map(number).all(|number| number as f64 as i128 == number)
    }

    /// Returns what a value is; `None` if it is missing.
    fn kind_of(&self, value: &Value) -> Option<Kind> {
        Some(match value {
            Value::Missing => return None,
            Value::Bool(_) => Kind::Bool,
            Value::Int(_) => int_kind(number(value)?),
            Value::Float(_) => Kind::Float,
            Value::Text(text) if self.is_untyped => kind_of_text(text),
            Value::Text(text) if matches!(&**text, "inf" | "-inf") => Kind::Float,
            Value::Text(text) => digits(text).map_or(Kind::Text, Kind::Time),
        })
    }

    /// Returns the dtype of the values.
    pub(crate) fn dtype(&self) -> String {
        match self.kind {
            Kind::Bool => "|b1".into(),
            Kind::Int => "<i8".into(),
            Kind::UInt => "<u8".into(),
            Kind::Float => "<f8".into(),
            Kind::Time(digits) => format!("<M8[{}]", digits.unit()),
            Kind::Span(resolution) => format!("<m8[{}]", resolution.unit.name()),
            Kind::Count(resolution) => format!("<M8[{}]", resolution.unit.name()),
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
            _ => 8,
        }
    }

    /// Stores the value of a row.
    pub(crate) fn encode(&self, row: usize, slot: &mut [u8]) -> Result<(), String> {
        let value = self.values.get(row).unwrap_or(&Value::Missing);
        let wrong = |what: &str| match value {
            Value::Missing => {
                Err(format!("it is empty, and not {what}; of a float dtype, it is nan"))
            }
            value => Err(format!("{:?} is not {what}", text_of(value))),
        };
        let bytes = match self.kind {
            Kind::Bool => match bool_of(value) {
                Some(value) => vec![u8::from(value)],
                None => return wrong("True or False"),
            },
            Kind::Int => match number(value).and_then(|n| i64::try_from(n).ok()) {
                Some(number) => number.to_le_bytes().to_vec(),
                None => return wrong("an integer of 64 bits"),
            },
            Kind::UInt => match number(value).and_then(|n| u64::try_from(n).ok()) {
                Some(number) => number.to_le_bytes().to_vec(),
                None => return wrong("an unsigned integer of 64 bits"),
            },
            Kind::Float => match float(value) {
                Some(number) => number.to_le_bytes().to_vec(),
                None => return wrong("a number"),
            },
            Kind::Time(digits) => match value {
                Value::Missing => i64::MIN.to_le_bytes().to_vec(),
                value => match digits.count(&text_of(value)) {
                    Some(count) => count.to_le_bytes().to_vec(),
                    None if is_time(&text_of(value)) => {
                        return Err(format!(
                            "{:?} does not fit in counts of {}, which other rows need: those of ns are times from 1678 to 2261",
                            text_of(value),
                            digits.unit()
                        ));
                    }
                    None => return wrong("a time"),
                },
            },
            Kind::Span(resolution) | Kind::Count(resolution) => {
                let is_span = matches!(self.kind, Kind::Span(_));
                match count(value, resolution, is_span) {
                    Some(count) => count.to_le_bytes().to_vec(),
                    None if is_span => return wrong("a span of time, such as 90 seconds"),
                    None => return wrong("a time"),
                }
            }
            Kind::Text => text_of(value).chars().flat_map(|c| u32::from(c).to_le_bytes()).collect(),
            Kind::Bytes => text_of(value).into_bytes(),
        };
        match slot.get_mut(..bytes.len()) {
            Some(slot) => slot.copy_from_slice(&bytes),
            None => return wrong("as wide as the column"),
        }
        Ok(())
    }
}

impl Digits {
    fn unit(self) -> &'static str {
        match self {
            Digits::Day => "D",
            Digits::Second => "s",
            Digits::Ms => "ms",
            Digits::Us => "us",
            Digits::Ns => "ns",
        }
    }

    /// Returns the time in units.
    fn count(self, text: &str) -> Option<i64> {
        let text = text.replacen(' ', "T", 1);
        match self {
            Digits::Day => text.parse::<DateTime64<Day>>().ok().map(|time| time.count()),
            Digits::Second => text.parse::<DateTime64<Second>>().ok().map(|time| time.count()),
            Digits::Ms => text.parse::<DateTime64<Ms>>().ok().map(|time| time.count()),
            Digits::Us => text.parse::<DateTime64<Us>>().ok().map(|time| time.count()),
            Digits::Ns => text.parse::<DateTime64<Ns>>().ok().map(|time| time.count()),
        }
    }
}

/// Returns the number of units of a time or a span. An integer is a count, but of years the year itself, as it is written.
fn count(value: &Value, resolution: Resolution, is_span: bool) -> Option<i64> {
    let text = match value {
        Value::Missing => return Some(i64::MIN),
        value => text_of(value),
    };
    let is_year = !is_span && resolution.unit == Unit::Year;
    if let (Ok(count), false) = (text.parse::<i64>(), is_year) {
        return count.checked_mul(resolution.multiple.into());
    }
    let parse = match resolution.unit {
        Unit::Year => parsed::<time::Year>,
        Unit::Month => parsed::<time::Month>,
        Unit::Week => parsed::<time::Week>,
        Unit::Day => parsed::<Day>,
        Unit::Hour => parsed::<time::Hour>,
        Unit::Minute => parsed::<time::Minute>,
        Unit::Second => parsed::<Second>,
        Unit::Millisecond => parsed::<Ms>,
        Unit::Microsecond => parsed::<Us>,
        Unit::Nanosecond => parsed::<Ns>,
        Unit::Picosecond => parsed::<time::Ps>,
        Unit::Femtosecond => parsed::<time::Fs>,
        Unit::Attosecond => parsed::<time::As>,
    };
    parse(&text, is_span)
}

fn parsed<U: TimeUnit>(text: &str, is_span: bool) -> Option<i64> {
    match is_span {
        true => text.parse::<TimeDelta64<U>>().ok().map(TimeDelta64::count),
        false => text.replacen(' ', "T", 1).parse::<DateTime64<U>>().ok().map(DateTime64::count),
    }
}

fn is_time(text: &str) -> bool {
    digits(text).is_some()
}

/// Returns the resolution of a time as `2024-01-31`, `2024-01-31 12:00:00.5`; `None` for any other text.
fn digits(text: &str) -> Option<Digits> {
    let bytes = text.as_bytes();
    let shape = |from: usize, form: &str| {
        let part = bytes.get(from..from + form.len())?;
        let same = |(byte, form): (&u8, u8)| match form {
            b'0' => byte.is_ascii_digit(),
            b'T' => matches!(byte, b'T' | b' '),
            other => *byte == other,
        };
        part.iter().zip(form.bytes()).all(same).then_some(())
    };
    shape(0, "0000-00-00")?;
    let digits = if bytes.len() == 10 {
        Digits::Day
    } else {
        shape(10, "T00:00:00")?;
        match bytes.get(19..)? {
            [] => Digits::Second,
            [b'.', fraction @ ..] if fraction.iter().all(u8::is_ascii_digit) => {
                match fraction.len() {
                    1..=3 => Digits::Ms,
                    4..=6 => Digits::Us,
                    7..=9 => Digits::Ns,
                    _ => return None,
                }
            }
            _ => return None,
        }
    };
    // The month and the day exist, and the time fits.
    digits.count(text).map(|_| digits)
}

fn int_kind(number: i128) -> Kind {
    match (i64::try_from(number), u64::try_from(number)) {
        (Ok(_), _) => Kind::Int,
        (_, Ok(_)) => Kind::UInt,
        _ => Kind::Text,
    }
}

/// Returns what a field of CSV is. A text that would change as a number is text: `007`, `+5`, integers of more than 64 bits.
fn kind_of_text(text: &str) -> Kind {
    if matches!(text, "True" | "False" | "true" | "false") {
        return Kind::Bool;
    }
    if let Ok(number) = text.parse::<i128>() {
        return if number.to_string() == text { int_kind(number) } else { Kind::Text };
    }
    if is_float(text) {
        return Kind::Float;
    }
    digits(text).map_or(Kind::Text, Kind::Time)
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
            "True" | "true" | "1" => Some(true),
            "False" | "false" | "0" => Some(false),
            _ => None,
        },
        Value::Int(number @ (0 | 1)) => Some(*number == 1),
        _ => None,
    }
}

fn number(value: &Value) -> Option<i128> {
    match value {
        Value::Int(number) => Some(*number),
        Value::Text(text) => text.parse().ok(),
        _ => None,
    }
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
