//! The appearance of texts: each is a value, may be meant as one, or is text.

use std::borrow::Cow;

use super::column::Column;
use super::decimal::Decimal;
use super::guess::kind_of_text;
use super::kind::Kind;
use super::times::{self, Digits};
use super::value::{self, Value};

/// The advice for dates and times in other forms.
pub(super) const OTHER_TIMES: &str = "npy sql makes times of text (U) by their format: to_timestamp(x, '%d.%m.%Y'), '%m/%d/%Y %H:%M'";

/// The appearance of a text.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Look {
    Number,
    Time,
    Bool,
    Complex,
    /// A time with its offset from UTC.
    Zoned,
    /// A complex number without parentheses, or one that changes as floats.
    Parts,
    /// A span of time.
    Span,
    /// A number with a decimal comma, or with separators of thousands.
    Comma,
    /// A number with a percent sign.
    Percent,
    /// A time of day.
    Clock,
    /// A date in a form that is not read.
    Date,
    /// A text that programs write for a missing value.
    Missing,
    Other,
}

pub(super) const ALL: [Look; 13] = [
    Look::Number,
    Look::Time,
    Look::Bool,
    Look::Complex,
    Look::Zoned,
    Look::Parts,
    Look::Span,
    Look::Comma,
    Look::Percent,
    Look::Clock,
    Look::Date,
    Look::Missing,
    Look::Other,
];

impl Look {
    /// Returns the look of a value that is there. Text of JSON is text, except for times and what programs write for a missing value.
    fn of(value: &Value<'_>, is_untyped: bool) -> Option<Self> {
        Some(match value {
            Value::Missing => return None,
            Value::Bool(_) => Look::Bool,
            Value::Int(_) | Value::Float(_) | Value::Large(_) => Look::Number,
            // So the command writes infinity.
            Value::Text(text) if matches!(&**text, "inf" | "-inf") => Look::Number,
            Value::Text(text) => match Look::of_text(text) {
                look @ (Look::Time | Look::Zoned | Look::Missing) => look,
                look if is_untyped => look,
                _ => Look::Other,
            },
            Value::Bytes(_) => Look::Other,
        })
    }

    pub(super) fn of_text(text: &str) -> Self {
        let text = text.trim();
        match kind_of_text(text) {
            Kind::Time(_) => Look::Time,
            Kind::Int(_) | Kind::UInt(_) | Kind::Float => Look::Number,
            Kind::Bool => Look::Bool,
            Kind::Complex => Look::Complex,
            _ if text.parse::<f64>().is_ok() => Look::Number,
            _ if Digits::of_any_zone(text).is_some() => Look::Zoned,
            _ if value::MISSING.contains(&text) => Look::Missing,
            _ if !text.contains(|c: char| c.is_ascii_digit()) => Look::Other,
            _ if Value::Text(text.into()).complex_parts().is_some() => Look::Parts,
            _ if is_date(text) => Look::Date,
            _ if Decimal::is_in(text) => Look::Comma,
            _ if is_percent(text) => Look::Percent,
            _ if is_clock(text) => Look::Clock,
            _ if times::is_span(text) => Look::Span,
            _ => Look::Other,
        }
    }

    /// Returns the name of such values in a message.
    pub(super) fn name(self) -> &'static str {
        match self {
            Look::Number | Look::Missing | Look::Other => "numbers",
            Look::Time => "times",
            Look::Zoned => "times with their offsets from UTC",
            Look::Bool => "True or False",
            Look::Complex => "complex numbers",
            Look::Parts => "complex numbers that only a dtype reads",
            Look::Span => "spans of time",
            Look::Comma => "numbers with decimal commas or separators of thousands",
            Look::Percent => "numbers with a percent sign",
            Look::Clock => "times of day",
            Look::Date => "dates or times in a form that is not read",
        }
    }

    /// Returns the look of values that differ from these only in their form.
    pub(super) fn relative(self) -> Option<Look> {
        match self {
            Look::Zoned => Some(Look::Time),
            Look::Parts => Some(Look::Complex),
            Look::Comma => Some(Look::Number),
            _ => None,
        }
    }

    /// Returns the advice for a column whose values look so, and are text for that reason. `text` is the first of them, and `dtype` returns the command
    /// that reads the column with a dtype.
    pub(super) fn advice(self, text: &str, dtype: impl Fn(&str) -> String) -> Option<String> {
        Some(match self {
            Look::Parts if is_infinite(text) => {
                format!("{} --cast numeric makes it infinite", dtype("c16"))
            }
            Look::Parts if text.contains('(') => format!("{} rounds it", dtype("c16")),
            Look::Parts => format!("{} reads them", dtype("c16")),
            Look::Percent => "write them without the sign".into(),
            Look::Clock => "write them with their dates, 2024-01-31T12:30".into(),
            Look::Date => format!(
                "that which is read is 2024-01-31T12:00:00.250, without a zone; {OTHER_TIMES}"
            ),
            _ => return None,
        })
    }
}

/// The values of a column by their appearance: their number, and the first of them with its row.
#[derive(Default)]
pub(super) struct Looks<'a> {
    counts: [usize; ALL.len()],
    firsts: [Option<(usize, Cow<'a, str>)>; ALL.len()],
}

impl<'a> Looks<'a> {
    /// Returns `None` for a column that begins with far more other texts than values. Missing values do not count.
    pub(super) fn of(column: &'a Column) -> Option<Self> {
        const ENOUGH: usize = 1000;
        let mut looks = Looks::default();
        for (row, value) in column.values.iter().enumerate() {
            let Some(look) = Look::of(&value, column.values.are_untyped()) else { continue };
            looks.counts[look as usize] += 1;
            looks.firsts[look as usize].get_or_insert_with(|| match value {
                Value::Text(text) => (row, text),
                value => (row, value.text().into_owned().into()),
            });
            let others = looks.count(Look::Other);
            if others > ENOUGH && others / 2 > row + 1 - others - looks.count(Look::Missing) {
                return None;
            }
        }
        Some(looks)
    }

    pub(super) fn count(&self, look: Look) -> usize {
        self.counts[look as usize]
    }

    /// Returns the first text that looks so, with its row.
    pub(super) fn first(&self, look: Look) -> Option<(usize, &str)> {
        self.firsts[look as usize].as_ref().map(|(row, text)| (*row, &**text))
    }

    /// Returns the look of most values.
    pub(super) fn usual(&self) -> Look {
        let values = ALL.into_iter().filter(|look| !matches!(look, Look::Missing | Look::Other));
        // The first of several.
        values.rev().max_by_key(|look| self.count(*look)).unwrap_or(Look::Number)
    }

    pub(super) fn total(&self) -> usize {
        self.counts.iter().sum()
    }
}

/// Returns true for a complex number one of whose parts no float holds.
fn is_infinite(text: &str) -> bool {
    let text = Value::Text(text.into());
    let is_infinite =
        |part: &Value<'_>| part.has_digits() && part.as_float().is_some_and(f64::is_infinite);
    text.complex_parts().is_some_and(|parts| parts.iter().any(is_infinite))
}

/// Returns true for a date such as `31/01/2024`, `1.31.24` or `2024/01/31`, also with a time after it.
fn is_date(text: &str) -> bool {
    let date = text.split([' ', 'T', ',']).next().unwrap_or_default();
    let Some(separator) = date.chars().find(|c| !c.is_ascii_digit()) else { return false };
    let parts: Vec<&str> = date.split(separator).collect();
    let are_digits = parts.iter().all(|part| part.bytes().all(|byte| byte.is_ascii_digit()));
    let lengths: Vec<usize> = parts.iter().map(|part| part.len()).collect();
    are_digits
        && match lengths[..] {
            [1..=2, 1..=2, 4] | [4, 1..=2, 1..=2] => matches!(separator, '/' | '.' | '-'),
            [1..=2, 1..=2, 2] => separator == '/',
            _ => false,
        }
}

/// Returns true for a number with a percent sign: `10%`, `2.5 %`.
fn is_percent(text: &str) -> bool {
    text.strip_suffix('%').is_some_and(|number| number.trim_end().parse::<f64>().is_ok())
}

/// Returns true for a time of day, or a span of less than a day: `9:05`, `12:30:00.5`.
fn is_clock(text: &str) -> bool {
    let (time, fraction) = match text.split_once('.') {
        Some((_, "")) => return false,
        Some(parts) => parts,
        None => (text, ""),
    };
    let are_digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    let parts: Vec<&str> = time.split(':').collect();
    let [hours, rest @ ..] = &parts[..] else { return false };
    let is_below = |part: &str, limit: u8| {
        are_digits(part) && part.parse::<u8>().is_ok_and(|number| number < limit)
    };
    (1..=2).contains(&rest.len())
        && (1..=2).contains(&hours.len())
        && is_below(hours, 24)
        && rest.iter().all(|part| part.len() == 2 && is_below(part, 60))
        && are_digits(fraction)
        && (fraction.is_empty() || rest.len() == 2)
}

#[cfg(test)]
mod tests {
    use super::Look;

    #[test]
    fn texts_look_like_what_they_may_mean() {
        for (look, texts) in [
            (
                Look::Comma,
                &[
                    "1,5",
                    "-1,5",
                    "0,5e3",
                    "1.234,5",
                    "1,234",
                    "1,234.5",
                    "-1,234,567",
                    ",5",
                    "1.234.567",
                ][..],
            ),
            (
                Look::Date,
                &[
                    "01/02/2024",
                    "31.1.2024",
                    "1/2/24",
                    "2024/01/31",
                    "31-01-2024 12:00",
                    "2024-1-5",
                ],
            ),
            (Look::Percent, &["10%", "2.5 %", "-1%"]),
            (Look::Clock, &["12:30", "9:05", "23:59:59", "12:30:00.25"]),
            (Look::Parts, &["1+2j", "2j", "(1e400+2j)", "-1e-3-4.5j"]),
            (Look::Span, &["0 days 00:00:01", "90 seconds", "1 day"]),
            (Look::Bool, &["True", "false"]),
            (Look::Number, &["007", "1e400", "18446744073709551616"]),
            (Look::Missing, &["NA", "-"]),
            (
                Look::Other,
                &[
                    "",
                    "1,2,3",
                    "a,5",
                    "1.2.3",
                    "10.0.0.1",
                    "1,2 m",
                    "12-34",
                    "j",
                    "1/2",
                    "24:00",
                    "12:30.5",
                    "12:30:00.",
                    "1:2:3:4",
                    "12:3",
                    "12:60",
                    "3:16 p",
                    "1, 2",
                    "x1",
                    "x%",
                    "1%2",
                ],
            ),
        ] {
            for text in texts {
                assert!(Look::of_text(text) == look, "{text}");
            }
        }
    }
}
