//! The bytes of the values of a column.

use npy_core::Cast;
use npy_core::dtype::{Resolution, Unit};

use super::column::Column;
use super::kind::Kind;
use super::looks::{self, Look};
use super::numbers::fits_float;
use super::times;
use super::value::Value;
use crate::dtypes::NUMERIC;

impl Column {
    /// Stores the value of a row.
    pub(crate) fn encode(&self, row: usize, slot: &mut [u8]) -> Result<(), String> {
        let value = &self.values.get(row);
        // Most values are floats.
        if self.kind == Kind::Float
            && let Some(number) = value.as_float()
        {
            let bytes = self.float(value, number)?;
            return self.put(value, &bytes, slot);
        }
        let text = || value.text();
        let wrong = |what: &str| match value {
            Value::Missing => {
                let truth = if self.kind == Kind::Bool { ", True 1 and False 0" } else { "" };
                let is_missing = match &*self.values.text_of_missing(row) {
                    "" if self.values.are_untyped() => "it is empty".to_owned(),
                    "" => "it is missing".to_owned(),
                    text => format!("{:?} is a missing value", excerpt(text)),
                };
                let advice = match self.advice_on_times() {
                    advice if advice.is_empty() => {
                        format!("; of a float dtype, it is nan{truth}")
                    }
                    advice => advice,
                };
                Err(format!("{is_missing}, and not {what}{advice}"))
            }
            value => Err(format!("{:?} is not {what}{}", excerpt(&text()), self.advice(value))),
        };
        let mut put = |bytes: &[u8]| self.put(value, bytes, slot);
        match self.kind {
            Kind::Bool => match value.as_bool() {
                Some(value) => put(&[u8::from(value)]),
                None => wrong("True or False"),
            },
            Kind::Int(size) | Kind::UInt(size) => {
                let is_signed = matches!(self.kind, Kind::Int(_));
                let number = match self.cast {
                    Cast::Numeric => value.wrapped(size, is_signed),
                    Cast::Lossless if is_negative_zero(value) => None,
                    _ => value.whole(),
                };
                match number {
                    Some(number) if fits(number, size, is_signed) => {
                        put(&number.to_le_bytes()[..size])
                    }
                    Some(_) => Err(self.misfit(&text())),
                    None if value.as_float().is_some_and(f64::is_finite) => Err(no_integer(value)),
                    None => wrong("an integer"),
                }
            }
            Kind::Float => wrong("a number"),
            Kind::Truth => match value.as_bool() {
                Some(value) => put(&f64::from(u8::from(value)).to_le_bytes()),
                None if *value == Value::Missing => put(&f64::NAN.to_le_bytes()),
                None => wrong("True or False"),
            },
            Kind::Complex => match value.complex_parts() {
                Some(parts) => {
                    let part =
                        |part: &Value<'_>| self.float(part, part.as_float().unwrap_or(f64::NAN));
                    put(&[part(&parts[0])?, part(&parts[1])?].concat())
                }
                None => wrong("a complex number, such as (1+2j)"),
            },
            Kind::Time(digits) => match value {
                Value::Missing => put(&i64::MIN.to_le_bytes()),
                _ => match digits.count(text().trim()) {
                    Some(count) => put(&count.to_le_bytes()),
                    None => Err(format!(
                        "{:?} does not fit in counts of {}, which other rows need: those of ns are times from 1678 to 2261",
                        text(),
                        digits.unit().name()
                    )),
                },
            },
            Kind::Span(_) | Kind::Count(_) | Kind::Point(_) if *value == Value::Missing => {
                put(&i64::MIN.to_le_bytes())
            }
            Kind::Span(resolution) => {
                match count(text().trim(), resolution)
                    .or_else(|| times::span(text().trim(), resolution))
                {
                    Some(count) => put(&count.to_le_bytes()),
                    None if times::is_span(&text()) => {
                        Err(self.misfit(&text()) + &self.advice_on_times())
                    }
                    None => wrong("a span of time, such as 90 seconds"),
                }
            }
            Kind::Count(resolution) => match count(text().trim(), resolution) {
                Some(count) => put(&count.to_le_bytes()),
                None => wrong("a count of 64 bits"),
            },
            Kind::Point(resolution) => match point(text().trim(), resolution) {
                Some(count) => put(&count.to_le_bytes()),
                None => wrong("a time, such as 2024-01-31 or 2024-01-31T12:00:00.5+02:00"),
            },
            Kind::Text | Kind::Bytes
                if self.cast == Cast::Lossless
                    && !self.values.are_untyped()
                    && !matches!(value, Value::Text(_) | Value::Bytes(_)) =>
            {
                let what = if *value == Value::Missing { "null".into() } else { text() };
                Err(format!("{what} is not text; --cast checked writes it as text"))
            }
            Kind::Text | Kind::Bytes
                if self.cast != Cast::Numeric && value.bytes().ends_with(b"\0") =>
            {
                Err(format!("{:?} ends with a zero, which a dtype of text does not keep", text()))
            }
            Kind::Bytes if self.cast == Cast::Lossless && value.has_escapes() => Err(format!(
                "{:?} may be text or have bytes, such as \\xff; --dtype U keeps the text, --cast checked reads bytes",
                text()
            )),
            // The column is as wide as its longest text.
            Kind::Text => {
                for (slot, c) in slot.chunks_exact_mut(4).zip(text().chars()) {
                    slot.copy_from_slice(&u32::from(c).to_le_bytes());
                }
                Ok(())
            }
            Kind::Bytes => put(&value.bytes()),
            Kind::Void(_) => match value.void() {
                Some(bytes) => put(&bytes),
                None => wrong("bytes as hexadecimal digits"),
            },
        }
    }

    /// Stores the bytes of a value, if its dtype has as many.
    fn put(&self, value: &Value<'_>, bytes: &[u8], slot: &mut [u8]) -> Result<(), String> {
        match slot.get_mut(..bytes.len()) {
            Some(slot) => slot.copy_from_slice(bytes),
            None => return Err(self.misfit(&value.text())),
        }
        Ok(())
    }

    /// Says that a number has no place in the dtype of the column.
    fn misfit(&self, text: &str) -> String {
        match self.dtype() {
            Ok(dtype) => format!("{} does not fit '{dtype}'", excerpt(text)),
            Err(error) => error.to_string(),
        }
    }

    /// Returns what the user may do about a value that was not expected.
    fn advice(&self, value: &Value<'_>) -> String {
        match value {
            Value::Text(text) if value.is_missing_word() => match self.values.are_untyped() {
                true => format!("; npy convert --missing '{text}' reads it as a missing value"),
                false => "; null in its place is a missing value".to_owned(),
            },
            _ if !self.advice_on_times().is_empty() => self.advice_on_times(),
            Value::Text(text) if Look::of_text(text) == Look::Date => {
                format!("; {}", looks::OTHER_TIMES)
            }
            Value::Text(_) if self.kind == Kind::Bool && value.as_float().is_none() => {
                "; npy sql makes booleans of text (U): x = 'yes'".to_owned()
            }
            value if value.as_bool().is_some() => self.advice_on_booleans(),
            _ => String::new(),
        }
    }

    /// Returns the dtype that reads booleans, if the column has no other values.
    fn advice_on_booleans(&self) -> String {
        let is_gap = |value: &Value<'_>| *value == Value::Missing || value.is_missing_word();
        let others = self.values.iter().filter(|value| value.as_bool().is_none());
        if !others.clone().all(|value| is_gap(&value)) {
            return String::new();
        }
        if others.count() == 0 {
            return "; a bool dtype reads True and False".to_owned();
        }
        "; a float dtype reads True as 1, False as 0 and a missing value as nan".to_owned()
    }

    /// Returns the dtype that reads times or spans of time, if the column has no other values.
    fn advice_on_times(&self) -> String {
        if self.values.iter().all(|value| value == Value::Missing) {
            return String::new();
        }
        let spans = self.dtype_of_spans().map(|dtype| (dtype, "spans of time"));
        let times = || Some((Kind::Time(self.digits()?).dtype(1).ok()?, "times"));
        spans
            .or_else(times)
            .map_or(String::new(), |(dtype, values)| format!("; a dtype '{dtype}' reads {values}"))
    }

    /// Returns the bytes of a float, unless the cast forbids the difference to its text.
    fn float(&self, value: &Value<'_>, number: f64) -> Result<[u8; 8], String> {
        let is_kept = match self.cast {
            Cast::Numeric => true,
            Cast::Lossless => fits_float(&value.text()),
            _ => number.is_finite(),
        };
        // A value without digits is missing or infinite.
        match is_kept || !value.text().contains(|c: char| c.is_ascii_digit()) {
            true => Ok(number.to_le_bytes()),
            false => Err(self.misfit(&value.text())),
        }
    }
}

/// Returns true for zero with a sign, which no integer has.
fn is_negative_zero(value: &Value<'_>) -> bool {
    value.text().trim().starts_with('-') && value.whole() == Some(0)
}

/// Says why a number is not an integer.
fn no_integer(value: &Value<'_>) -> String {
    let text = value.text();
    match value.as_float() {
        Some(number) if number == 0.0 && is_negative_zero(value) => {
            format!(
                "{text} has a sign, which an integer does not keep; --cast checked leaves it out"
            )
        }
        _ => format!("{} is not an integer; {NUMERIC}", excerpt(&text)),
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

/// Returns true if an integer of a size, at most 64 bits, holds the number.
fn fits(number: i128, size: usize, is_signed: bool) -> bool {
    let bits = 8 * size - usize::from(is_signed);
    let least = if is_signed { -1 << bits } else { 0 };
    (least..1 << bits).contains(&number)
}

/// Shortens a text for a message.
pub(super) fn excerpt(text: &str) -> String {
    const MAX: usize = 60;
    match text.char_indices().nth(MAX) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
