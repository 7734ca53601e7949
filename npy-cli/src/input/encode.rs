//! The bytes of the values of a column.

use npy_core::Cast;
use npy_core::dtype::{Resolution, Unit};

use super::column::Column;
use super::kind::Kind;
use super::numbers::fits_float;
use super::times;
use super::value::{MISSING, Value};

impl Column {
    /// Stores the value of a row.
    pub(crate) fn encode(&self, row: usize, slot: &mut [u8]) -> Result<(), String> {
        let value = self.values.get(row).unwrap_or(&Value::Missing);
        // Most values are floats, which need no list of bytes.
        if self.kind == Kind::Float
            && let Some(number) = value.as_float()
            && let Some(slot) = slot.first_chunk_mut()
        {
            *slot = self.float(value, number)?;
            return Ok(());
        }
        let text = || value.text();
        let wrong = |what: &str| match value {
            Value::Missing => {
                Err(format!("it is empty, and not {what}; of a float dtype, it is nan"))
            }
            value => Err(format!("{:?} is not {what}{}", excerpt(&text()), advice(value))),
        };
        let bytes = match self.kind {
            Kind::Bool => match value.as_bool() {
                Some(value) => vec![u8::from(value)],
                None => return wrong("True or False"),
            },
            Kind::Int(size) | Kind::UInt(size) => {
                let is_signed = matches!(self.kind, Kind::Int(_));
                let number = match self.cast {
                    Cast::Numeric => value.wrapped(size, is_signed),
                    Cast::Lossless if is_negative_zero(value) => None,
                    _ => value.whole(),
                };
                match number.map(|number| integer(number, size, is_signed)) {
                    Some(Some(bytes)) => bytes,
                    Some(None) => return Err(self.misfit(&text())),
                    None if value.as_float().is_some_and(f64::is_finite) => {
                        return Err(no_integer(value));
                    }
                    None => return wrong("an integer"),
                }
            }
            Kind::Float => return wrong("a number"),
            Kind::Complex => match value.complex_parts() {
                Some(parts) => {
                    let part = |part: &Value| self.float(part, part.as_float().unwrap_or(f64::NAN));
                    [part(&parts[0])?, part(&parts[1])?].concat()
                }
                None => return wrong("a complex number, such as (1+2j)"),
            },
            Kind::Time(digits) => match value {
                Value::Missing => i64::MIN.to_le_bytes().to_vec(),
                _ => match digits.count(text().trim()) {
                    Some(count) => count.to_le_bytes().to_vec(),
                    None => {
                        return Err(format!(
                            "{:?} does not fit in counts of {}, which other rows need: those of ns are times from 1678 to 2261",
                            text(),
                            digits.unit().name()
                        ));
                    }
                },
            },
            Kind::Span(_) | Kind::Count(_) | Kind::Point(_) if *value == Value::Missing => {
                i64::MIN.to_le_bytes().to_vec()
            }
            Kind::Span(resolution) => {
                match count(text().trim(), resolution)
                    .or_else(|| times::span(text().trim(), resolution))
                {
                    Some(count) => count.to_le_bytes().to_vec(),
                    None if times::is_span(&text()) => return Err(self.misfit(&text())),
                    None => return wrong("a span of time, such as 90 seconds"),
                }
            }
            Kind::Count(resolution) => match count(text().trim(), resolution) {
                Some(count) => count.to_le_bytes().to_vec(),
                None => return wrong("a count of 64 bits"),
            },
            Kind::Point(resolution) => match point(text().trim(), resolution) {
                Some(count) => count.to_le_bytes().to_vec(),
                None => return wrong("a time, such as 2024-01-31 or 2024-01-31T12:00:00.5+02:00"),
            },
            Kind::Text | Kind::Bytes
                if self.cast == Cast::Lossless
                    && !self.is_untyped
                    && !matches!(value, Value::Text(_) | Value::Bytes(_)) =>
            {
                let what = if *value == Value::Missing { "null".into() } else { text() };
                return Err(format!("{what} is not text; --cast checked writes it as text"));
            }
            Kind::Text | Kind::Bytes
                if self.cast != Cast::Numeric && value.bytes().ends_with(b"\0") =>
            {
                return Err(format!(
                    "{:?} ends with a zero, which a dtype of text does not keep",
                    text()
                ));
            }
            Kind::Bytes if self.cast == Cast::Lossless && value.has_escapes() => {
                return Err(format!(
                    "{:?} may be text or have bytes, such as \\xff; --dtype U keeps the text, --cast checked reads bytes",
                    text()
                ));
            }
            Kind::Text => text().chars().flat_map(|c| u32::from(c).to_le_bytes()).collect(),
            Kind::Bytes => value.bytes(),
            Kind::Void(_) => match value.void() {
                Some(bytes) => bytes,
                None => return wrong("bytes as hexadecimal digits"),
            },
        };
        match slot.get_mut(..bytes.len()) {
            Some(slot) => slot.copy_from_slice(&bytes),
            None => return Err(self.misfit(&text())),
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

    /// Returns the bytes of a float, unless the cast forbids the difference to its text.
    fn float(&self, value: &Value, number: f64) -> Result<[u8; 8], String> {
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
fn is_negative_zero(value: &Value) -> bool {
    value.text().trim().starts_with('-') && value.whole() == Some(0)
}

/// Says why a number is not an integer.
fn no_integer(value: &Value) -> String {
    let text = value.text();
    match value.as_float() {
        Some(number) if number == 0.0 && is_negative_zero(value) => {
            format!(
                "{text} has a sign, which an integer does not keep; --cast checked leaves it out"
            )
        }
        _ => format!("{} is not an integer; --cast numeric cuts off fractions", excerpt(&text)),
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

/// Shortens a text for a message.
pub(super) fn excerpt(text: &str) -> String {
    const MAX: usize = 60;
    match text.char_indices().nth(MAX) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// Returns what the user may do about a value that was not expected.
fn advice(value: &Value) -> String {
    match value {
        Value::Text(text) if MISSING.contains(&&**text) => {
            format!("; npy convert --missing '{text}' reads it as a missing value")
        }
        _ => String::new(),
    }
}
