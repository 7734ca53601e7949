//! The dtype as which the values of a column can be read without change.

use super::comments::is_number;
use super::kind::Kind;
use super::numbers;
use super::times::Digits;
use super::value::Value;

/// Finds what all values can be read as without change. `is_untyped` is true if text may be a number, as in CSV.
pub(super) fn guess(values: &[Value], is_untyped: bool) -> Kind {
    if is_untyped && are_complex(values) {
        return Kind::Complex;
    }
    let mut found: Option<Kind> = None;
    let mut is_missing = false;
    // Without a number in the usual form, these words are text.
    let has_number = || {
        let mut kinds =
            values.iter().filter(|value| !is_unusual(value)).map(|value| kind_of(value, true));
        kinds.any(|kind| matches!(kind, Some(Kind::Int(_) | Kind::UInt(_) | Kind::Float)))
    };
    let are_numbers = is_untyped && values.iter().any(is_unusual) && has_number();
    for value in values {
        let kind = match kind_of(value, is_untyped) {
            _ if are_numbers && is_unusual(value) => without_plus(value).unwrap_or(Kind::Float),
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
            (Some(Kind::Int(_)), Kind::Float) | (Some(Kind::Float), Kind::Int(_)) => Kind::Float,
            (Some(Kind::Int(_) | Kind::UInt(_)), Kind::Int(_) | Kind::UInt(_))
                if fits_unsigned(values) =>
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
        None if is_missing => Kind::Float,
        Some(Kind::Int(_) | Kind::UInt(_)) if is_missing && fits_float(values) => Kind::Float,
        Some(Kind::Int(_) | Kind::UInt(_)) if is_missing => Kind::Text,
        Some(Kind::Float) if !fits_float(values) => Kind::Text,
        Some(Kind::Bool) if is_missing => Kind::Text,
        found => found.unwrap_or(Kind::Text),
    }
}

/// Returns true for complex numbers, at least one of them in parentheses: Python prints those without a real part as `2j`.
fn are_complex(values: &[Value]) -> bool {
    let mut texts = values.iter().filter(|value| **value != Value::Missing);
    let has_parentheses = |value: &Value| kind_of(value, true) == Some(Kind::Complex);
    let is_number = |value: &Value| match value {
        Value::Text(text) => text.trim().ends_with(['j', ')']) && is_complex(text.trim()),
        _ => false,
    };
    texts.clone().any(has_parentheses) && texts.all(is_number)
}

/// Returns true for a complex number whose parts no float changes.
fn is_complex(text: &str) -> bool {
    let is_kept = |part: &Value| match part.integer() {
        Some(integer) => numbers::fits_float(&integer.to_string()),
        None => part.as_float().is_some_and(|float| !float.is_infinite() || !part.has_digits()),
    };
    let parts = Value::Text(text.into()).complex_parts();
    parts.is_some_and(|parts| parts.iter().all(is_kept))
}

fn fits_unsigned(values: &[Value]) -> bool {
    let fits = |value: &Value| value.integer().is_none_or(|number| u64::try_from(number).is_ok());
    values.iter().all(fits)
}

/// Returns true if no integer changes as a float.
fn fits_float(values: &[Value]) -> bool {
    let is_small = |number: &i128| number.unsigned_abs() < 1 << 53;
    let mut large = values.iter().filter_map(Value::integer).filter(|number| !is_small(number));
    large.all(|number| numbers::fits_float(&number.to_string()))
}

/// Returns the kind of an integer with a plus sign. Without other numbers around it may be a telephone number.
fn without_plus(value: &Value) -> Option<Kind> {
    let Value::Text(text) = value else { return None };
    let digits = text.trim().strip_prefix('+').filter(|rest| !rest.starts_with('-'))?;
    Some(kind_of_text(digits)).filter(|kind| matches!(kind, Kind::Int(_) | Kind::UInt(_)))
}

/// Returns true for text that other programs write for infinity, NaN, the negative zero and numbers with a sign: `Inf`, `+inf`, `Infinity`, `-nan`, `-0`, `+5`.
fn is_unusual(value: &Value) -> bool {
    let Value::Text(text) = value else { return false };
    let word = text.trim();
    let size = word.strip_prefix(['-', '+']).unwrap_or(word);
    let is_word = size.starts_with(|c: char| c.is_ascii_alphabetic()) && is_number(size);
    word == "-0" || without_plus(value).is_some() || is_word && !is_float(word)
}

/// Returns what a value is; `None` if it is missing.
fn kind_of(value: &Value, is_untyped: bool) -> Option<Kind> {
    Some(match value {
        Value::Missing => return None,
        Value::Bool(_) => Kind::Bool,
        Value::Int(_) => int_kind(value.integer()?),
        Value::Float(_) => Kind::Float,
        Value::Text(text) if is_untyped => kind_of_text(text),
        Value::Text(text) if matches!(&**text, "inf" | "-inf") => Kind::Float,
        Value::Bytes(_) => Kind::Bytes,
        Value::Text(text) => Digits::of(text).map_or(Kind::Text, Kind::Time),
    })
}

fn int_kind(number: i128) -> Kind {
    match (i64::try_from(number), u64::try_from(number)) {
        (Ok(_), _) => Kind::Int(8),
        (_, Ok(_)) => Kind::UInt(8),
        _ => Kind::Text,
    }
}

/// Returns true for text that is a value of another kind than text, or a number that would change as one.
pub(super) fn is_value(text: &str) -> bool {
    is_number(text)
        || kind_of_text(text) != Kind::Text
        || Digits::of_any_zone(text.trim()).is_some()
}

/// Returns what a field of CSV is. A text that would change as a number is text: `007`, `+5`, integers of more than 64 bits. Blanks around a value do
/// not count.
pub(super) fn kind_of_text(field: &str) -> Kind {
    let text = field.trim();
    if matches!(text, "True" | "False" | "true" | "false" | "TRUE" | "FALSE") {
        return Kind::Bool;
    }
    if let Ok(integer) = text.parse::<i128>() {
        return if integer.to_string() == text { int_kind(integer) } else { Kind::Text };
    }
    if is_float(text) {
        return Kind::Float;
    }
    if text.starts_with('(') && text.ends_with("j)") && is_complex(text) {
        return Kind::Complex;
    }
    Digits::of(text).map_or(Kind::Text, Kind::Time)
}

/// Returns true for the floats that Python prints and reads, also with a plus sign. Rust also takes `infinity`.
fn is_float(text: &str) -> bool {
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    let is_number = digits.starts_with(|c: char| c.is_ascii_digit() || c == '.')
        && !(digits.starts_with('0') && digits[1..].starts_with(|c: char| c.is_ascii_digit()))
        && text.contains(['.', 'e', 'E'])
        && text.parse::<f64>().is_ok_and(f64::is_finite);
    is_number || matches!(text, "inf" | "-inf" | "nan" | "NaN")
}

#[cfg(test)]
mod tests {
    use super::super::value::Value;
    use super::guess;

    fn guessed(values: &[&str]) -> String {
        let value = |text: &&str| match *text {
            "" => Value::Missing,
            text => Value::Text(text.into()),
        };
        let values: Vec<Value> = values.iter().map(value).collect();
        let width = values.iter().map(|value| value.text().chars().count()).max();
        guess(&values, true).dtype(width.unwrap_or(0).max(1)).unwrap().to_string()
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
            (&["NAN", "Inf", ""], "<U3"),
            (&["1", "Infinity", "+inf", "-Inf", " -nan", ""], "<f8"),
            (&["nan", "INF"], "<f8"),
            (&["-0", "1.5"], "<f8"),
            (&["9007199254740993", "-0"], "<U16"),
            (&["1", "Inf", "x"], "<U3"),
            (&["007"], "<U3"),
            (&["00.5"], "<U4"),
            (&["+5"], "<U2"),
            (&["+5", "-3", "+2"], "<i8"),
            (&["+491711234567", "+1800"], "<U13"),
            (&["+5", "x", "1"], "<U2"),
            (&["+5.0", "-1.5", "2"], "<f8"),
            (&["+1e3"], "<f8"),
            (&["+-5.0"], "<U5"),
            (&["+9007199254740993", "0.5"], "<U17"),
            (&["(1.0e+00+2.0e+00j)", " (nan-infj)", "", "(2j)"], "<c16"),
            (&["(1+2j)", "(j)"], "<U6"),
            (&["(1e400+2j)"], "<U10"),
            (&["(9007199254740993+0j)"], "<U21"),
            (&["(9007199254740992+infj)"], "<c16"),
            (&["1+2j"], "<U4"),
            (&["(1+2j)", "2j", "", "-1.5j"], "<c16"),
            (&["(1+2j)", "2"], "<U6"),
            (&["2j", "3j"], "<U2"),
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
            (&[" 1", "2 ", "\t-3"], "<i8"),
            (&[" 0.5", "1 ", " nan"], "<f8"),
            (&[" 9007199254740993", "0.5"], "<U17"),
            (&[" 1", " x"], "<U2"),
            (&[" 007"], "<U4"),
            (&[" True", "False "], "|b1"),
            (&[" 2024-02-29", "2024-02-29 12:00:00 "], "<M8[s]"),
            (&["größe", ""], "<U5"),
            (&["", ""], "<f8"),
            (&[], "<U1"),
        ] {
            assert_eq!(guessed(values), dtype, "{values:?}");
        }
    }
}
