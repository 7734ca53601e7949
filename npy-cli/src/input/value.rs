//! A value of text: of CSV, whose values are text, or of JSON, whose values have a type.

use std::borrow::Cow;

use super::numbers::integer_part;
use crate::text::unescape;

/// Texts that programs write for a missing value.
pub(super) const MISSING: [&str; 10] =
    ["NA", "N/A", "#N/A", "n/a", "na", "NULL", "null", "None", "-", "?"];

/// A value of a row.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Value<'a> {
    Missing,
    Bool(bool),
    Int(i128),
    Float(f64),
    /// A float that JSON has as an integer of more than 64 bits: beside text, its digits are kept.
    Large(Cow<'a, str>),
    Text(Cow<'a, str>),
    /// Bytes of Python.
    Bytes(Cow<'a, [u8]>),
}

impl Value<'_> {
    /// Returns the same value, whose text stays here.
    pub(super) fn borrowed(&self) -> Value<'_> {
        match self {
            Value::Missing => Value::Missing,
            Value::Bool(value) => Value::Bool(*value),
            Value::Int(number) => Value::Int(*number),
            Value::Float(number) => Value::Float(*number),
            Value::Large(text) => Value::Large(Cow::Borrowed(text)),
            Value::Text(text) => Value::Text(Cow::Borrowed(text)),
            Value::Bytes(bytes) => Value::Bytes(Cow::Borrowed(bytes)),
        }
    }

    /// Returns a boolean, which text may be, and the numbers 0 and 1.
    pub(super) fn as_bool(&self) -> Option<bool> {
        match self {
            Value::Bool(value) => Some(*value),
            Value::Text(text) => match text.trim() {
                "True" | "true" | "TRUE" | "1" => Some(true),
                "False" | "false" | "FALSE" | "0" => Some(false),
                _ => None,
            },
            Value::Int(number @ (0 | 1)) => Some(*number == 1),
            _ => None,
        }
    }

    /// Returns true for a word that often is in place of a missing value.
    pub(super) fn is_missing_word(&self) -> bool {
        matches!(self, Value::Text(text) if MISSING.contains(&&**text))
    }

    /// Returns an integer.
    pub(super) fn integer(&self) -> Option<i128> {
        match self {
            Value::Int(number) => Some(*number),
            Value::Text(text) => {
                let text = text.trim();
                // Most integers are small, and these are read faster.
                text.parse().map_or_else(|_| text.parse().ok(), |small: i64| Some(small.into()))
            }
            _ => None,
        }
    }

    /// Returns the integer that a number is; `None` if it is not one.
    #[expect(
        clippy::cast_possible_truncation,
        reason = "the float is an integer, or has more than 64 bits"
    )]
    pub(super) fn whole(&self) -> Option<i128> {
        match self {
            // Large integers of JSON are no floats here.
            Value::Float(number) => (number.fract() == 0.0).then_some(*number as i128),
            Value::Large(_) => Some(self.as_float()? as i128),
            Value::Text(text) => self.integer().or_else(|| {
                integer_part(text).and_then(|(whole, is_whole)| is_whole.then_some(whole))
            }),
            _ => self.integer(),
        }
    }

    /// Returns the integer of a size that a number becomes by Rust's `as`: fractions are cut off, and large integers keep their lowest bits.
    #[expect(clippy::cast_possible_truncation, reason = "as Rust's `as`")]
    pub(super) fn wrapped(&self, size: usize, is_signed: bool) -> Option<i128> {
        let bits = u32::try_from(8 * size).ok().filter(|bits| (1..=64).contains(bits))?;
        match (self.integer(), is_signed) {
            (Some(number), true) => Some(number << (128 - bits) >> (128 - bits)),
            (Some(number), false) => Some(number & ((1 << bits) - 1)),
            (None, _) if *self == Value::Missing => None,
            (None, is_signed) => {
                let number = match self {
                    Value::Text(text) => integer_part(text).map(|(whole, _)| whole),
                    _ => None,
                };
                let number = number.or_else(|| Some(self.as_float()? as i128))?;
                let high = (1 << (bits - u32::from(is_signed))) - 1;
                Some(number.clamp(if is_signed { -high - 1 } else { 0 }, high))
            }
        }
    }

    /// Returns a number; NaN for a missing value.
    #[expect(clippy::cast_precision_loss, reason = "a column of floats rounds integers")]
    pub(super) fn as_float(&self) -> Option<f64> {
        match self {
            Value::Missing => Some(f64::NAN),
            Value::Int(number) => Some(*number as f64),
            Value::Float(number) => Some(*number),
            Value::Text(text) | Value::Large(text) => text.trim().parse().ok(),
            Value::Bool(_) | Value::Bytes(_) => None,
        }
    }

    /// Returns the parts of a complex number as Python writes it: `(1.0e+00+2.0e+00j)`, also without parentheses or without a real part, and with the sign `+-` of old versions of
    /// NumPy. Any other value is the real part.
    pub(super) fn complex_parts(&self) -> Option<[Value<'_>; 2]> {
        let real = || self.as_float().map(|_| [self.borrowed(), Value::Int(0)]);
        let Value::Text(text) = self else { return real() };
        let word = text.trim();
        let inner = word.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')).unwrap_or(word);
        let Some(parts) = inner.strip_suffix(['j', 'J']) else { return real() };
        // The sign of an exponent comes after its letter.
        let is_sign = |&(at, c): &(usize, char)| {
            matches!(c, '+' | '-') && !parts[..at].ends_with(['e', 'E', '+', '-'])
        };
        let at = parts.char_indices().rfind(is_sign).map_or(0, |(at, _)| at);
        let (re, im) = parts.split_at(at);
        let re = if re.is_empty() { Value::Int(0) } else { Value::Text(re.into()) };
        let im = Value::Text(if im.starts_with("+-") { &im[1..] } else { im }.into());
        (re.as_float().is_some() && im.as_float().is_some()).then_some([re, im])
    }

    /// Returns true for a text with digits: it is neither missing nor a word such as `inf`.
    pub(super) fn has_digits(&self) -> bool {
        matches!(self, Value::Text(text) if text.contains(|c: char| c.is_ascii_digit()))
    }

    /// Returns the value as bytes, as a column of bytes has it.
    pub(super) fn bytes(&self) -> Vec<u8> {
        match self {
            Value::Bytes(bytes) => bytes.to_vec(),
            value => unescape(&value.text()),
        }
    }

    /// Returns true for text that differs from its bytes, because of a backslash.
    pub(super) fn has_escapes(&self) -> bool {
        matches!(self, Value::Text(text) if unescape(text) != text.as_bytes())
    }

    /// Returns the bytes that the hexadecimal digits of a text stand for.
    pub(super) fn void(&self) -> Option<Vec<u8>> {
        match self {
            Value::Bytes(bytes) => Some(bytes.to_vec()),
            Value::Missing => Some(Vec::new()),
            Value::Text(text) => {
                let (pairs, rest) = text.as_bytes().as_chunks::<2>();
                let digit = |digit: u8| char::from(digit).to_digit(16);
                let byte =
                    |[high, low]: &[u8; 2]| u8::try_from(16 * digit(*high)? + digit(*low)?).ok();
                pairs.iter().map(byte).collect::<Option<_>>().filter(|_| rest.is_empty())
            }
            _ => None,
        }
    }

    /// Returns the value as text, as a column of text has it.
    pub(super) fn text(&self) -> Cow<'_, str> {
        Cow::Owned(match self {
            Value::Missing => return Cow::Borrowed(""),
            Value::Text(text) | Value::Large(text) => return Cow::Borrowed(text),
            Value::Bool(value) => value.to_string(),
            Value::Int(number) => number.to_string(),
            Value::Float(number) => format!("{number:?}"),
            Value::Bytes(bytes) => bytes.escape_ascii().to_string(),
        })
    }
}
