//! The dtype as which the values of a column can be read without change.

use super::cells::Values;
use super::comments::is_number;
use super::kind::Kind;
use super::numbers;
use super::times::Digits;
use super::value::Value;

/// Finds what all values of each column can be read as without change.
pub(super) fn guess(columns: &[&Values]) -> Vec<Kind> {
    /// All columns of that many rows are looked at before the next rows: in a text, they are near each other.
    const BLOCK: usize = 1024;
    let seen = |values: &&Values| Seen { is_untyped: values.are_untyped(), ..Seen::default() };
    let mut all: Vec<Seen> = columns.iter().map(seen).collect();
    let rows = columns.iter().map(|values| values.len()).max().unwrap_or(0);
    for start in (0..rows).step_by(BLOCK) {
        for (values, seen) in columns.iter().zip(&mut all) {
            let mut block = start..values.len().min(start + BLOCK);
            while !seen.is_text
                && let Some(row) = block.next()
            {
                seen.add(&values.get(row));
            }
        }
    }
    all.iter().map(Seen::kind).collect()
}

/// The values of a column that were looked at.
#[derive(Default)]
struct Seen {
    /// True if text may be a number, as in CSV.
    is_untyped: bool,
    is_missing: bool,
    /// The common kind of the values in the usual form.
    usual: Option<Kind>,
    /// That of numbers that are text unless the column has others, such as `Inf` and `+5`.
    unusual: Option<Kind>,
    has_number: bool,
    has_complex: bool,
    /// True if there is a value that is not a complex number.
    has_real: bool,
    is_negative: bool,
    /// True if a float would change an integer.
    is_large: bool,
    /// True after a text that can be nothing else, so that no other value counts.
    is_text: bool,
}

impl Seen {
    fn add(&mut self, value: &Value<'_>) {
        let Some(mut kind) = kind_of(value, self.is_untyped) else {
            self.is_missing = true;
            return;
        };
        let unusual = match kind {
            Kind::Text if self.is_untyped => unusual_kind(value),
            _ => None,
        };
        let is_complex = match (kind, value) {
            (Kind::Complex, _) => true,
            // Python prints numbers without a real part so.
            (Kind::Text, Value::Text(text)) if self.is_untyped => {
                text.trim().ends_with(['j', ')']) && is_complex(text.trim())
            }
            _ => false,
        };
        self.has_complex |= kind == Kind::Complex;
        self.has_real |= !is_complex;
        let common = if unusual.is_some() { &mut self.unusual } else { &mut self.usual };
        kind = unusual.unwrap_or(kind);
        if matches!(kind, Kind::Int(_) | Kind::UInt(_)) {
            let text = value.text();
            self.is_negative |= text.trim_start().starts_with('-');
            // A float has all integers of 15 digits.
            self.is_large |= text.len() > 15 && !numbers::fits_float(&text);
        }
        let is_number = matches!(kind, Kind::Int(_) | Kind::UInt(_) | Kind::Float);
        self.has_number |= is_number && unusual.is_none();
        *common = Some(common.map_or(kind, |common| both(common, kind)));
        self.is_text = kind == Kind::Text && !is_complex;
    }

    fn kind(&self) -> Kind {
        if self.has_complex && !self.has_real {
            return Kind::Complex;
        }
        let found = match (self.usual, self.unusual) {
            (Some(usual), Some(unusual)) if self.has_number => Some(both(usual, unusual)),
            (_, Some(_)) => Some(Kind::Text),
            (usual, None) => usual,
        };
        match found {
            // A column without any value holds no number that could change.
            None if self.is_missing => Kind::Float,
            Some(Kind::UInt(_)) if self.is_negative => Kind::Text,
            Some(Kind::Int(_) | Kind::UInt(_)) if self.is_missing && !self.is_large => Kind::Float,
            Some(Kind::Int(_) | Kind::UInt(_)) if self.is_missing => Kind::Text,
            Some(Kind::Float) if self.is_large => Kind::Text,
            Some(Kind::Bool) if self.is_missing => Kind::Text,
            found => found.unwrap_or(Kind::Text),
        }
    }
}

/// Returns what values of both kinds are, whichever comes first.
fn both(one: Kind, other: Kind) -> Kind {
    match (one, other) {
        (one, other) if one == other => one,
        (Kind::Time(one), Kind::Time(other)) => Kind::Time(one.max(other)),
        (Kind::Int(_), Kind::Float) | (Kind::Float, Kind::Int(_)) => Kind::Float,
        (Kind::Int(_) | Kind::UInt(_), Kind::Int(_) | Kind::UInt(_)) => Kind::UInt(8),
        _ => Kind::Text,
    }
}

/// Returns true for a complex number whose parts no float changes.
fn is_complex(text: &str) -> bool {
    let is_kept = |part: &Value| match part.integer() {
        Some(integer) => numbers::fits_float(&integer.to_string()),
        None => part.as_float().is_some_and(|float| !float.is_infinite() || !part.has_digits()),
    };
    let text = Value::Text(text.into());
    text.complex_parts().is_some_and(|parts| parts.iter().all(is_kept))
}

/// Returns the kind of an integer with a plus sign. Without other numbers around it may be a telephone number.
fn without_plus(text: &str) -> Option<Kind> {
    let digits = text.strip_prefix('+').filter(|rest| !rest.starts_with('-'))?;
    Some(kind_of_text(digits)).filter(|kind| matches!(kind, Kind::Int(_) | Kind::UInt(_)))
}

/// Returns the kind of a number whose text is another one than in most files: other programs write infinity, NaN, the negative zero and numbers with a sign as `Inf`, `+inf`, `Infinity`, `-nan`, `-0`, `+5`.
fn unusual_kind(value: &Value<'_>) -> Option<Kind> {
    let Value::Text(text) = value else { return None };
    let word = text.trim();
    let size = word.strip_prefix(['-', '+']).unwrap_or(word);
    let is_word = size.starts_with(|c: char| c.is_ascii_alphabetic()) && is_number(size);
    without_plus(word).or((word == "-0" || is_word).then_some(Kind::Float))
}

/// Returns what a value is; `None` if it is missing.
fn kind_of(value: &Value<'_>, is_untyped: bool) -> Option<Kind> {
    Some(match value {
        Value::Missing => return None,
        Value::Bool(_) => Kind::Bool,
        Value::Int(_) => int_kind(value.integer()?),
        Value::Float(_) | Value::Large(_) => Kind::Float,
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
    if let Some(kind) = short_number(text) {
        return kind;
    }
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

/// Returns the kind of a number with so few digits that it is finite, and its integer has at most 64 bits. Most values are such numbers, and this is faster than to read them.
fn short_number(text: &str) -> Option<Kind> {
    const MAX_DIGITS: usize = 100;
    let digits = |text: &[u8]| text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let size = text.strip_prefix('-').unwrap_or(text).as_bytes();
    let whole = digits(size);
    // A zero before other digits may count, and an integer has no zero with a sign.
    if size.len() > MAX_DIGITS || whole > 1 && size[0] == b'0' {
        return None;
    }
    let (fraction, rest) = match &size[whole..] {
        [] if (1..=18).contains(&whole) && text != "-0" => return Some(Kind::Int(8)),
        [b'.', rest @ ..] => rest.split_at(digits(rest)),
        rest => (&[][..], rest),
    };
    let is_float = match rest {
        [] => whole < size.len(),
        [b'e' | b'E', b'-' | b'+', exponent @ ..] | [b'e' | b'E', exponent @ ..] => {
            (1..=2).contains(&exponent.len()) && digits(exponent) == exponent.len()
        }
        _ => false,
    };
    (is_float && whole + fraction.len() > 0).then_some(Kind::Float)
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
    use super::super::cells::Values;
    use super::guess;

    fn guessed(values: &[&str]) -> String {
        let width = values.iter().map(|value| value.chars().count()).max();
        guess(&[&Values::of_fields(values)])[0]
            .dtype(width.unwrap_or(0).max(1))
            .unwrap()
            .to_string()
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
