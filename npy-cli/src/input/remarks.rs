//! Remarks about columns that became text although their values look like numbers or times, and about lists whose items have no common dtype.

use super::column::Column;
use super::encode::excerpt;
use super::guess::kind_of_text;
use super::kind::Kind;
use super::numbers::fits_float;
use super::times::Digits;
use super::value::{self, Value};

/// The number of columns that have a remark. More of them are counted.
const MAX: usize = 4;

/// Returns remarks about columns that are text, and those about lists, `others`.
pub(super) fn of(columns: &[Column], others: Vec<String>) -> Vec<String> {
    let mut remarks: Vec<String> = columns.iter().filter_map(about).chain(others).collect();
    let more = remarks.len().saturating_sub(MAX);
    remarks.truncate(MAX);
    if more > 0 {
        remarks.push(format!("there are {more} more columns with such a remark"));
    }
    remarks
}

/// The appearance of a text.
#[derive(Clone, Copy, PartialEq)]
enum Look {
    Number,
    Time,
    /// A time with its offset from UTC.
    Zoned,
    /// A text that programs write for a missing value.
    Missing,
    Other,
}

const ALL: [Look; 5] = [Look::Number, Look::Time, Look::Zoned, Look::Missing, Look::Other];

/// The texts of a column by their appearance: their number, and the first of them with its row.
#[derive(Default)]
struct Looks<'a> {
    counts: [usize; 5],
    firsts: [Option<(usize, &'a str)>; 5],
}

impl<'a> Looks<'a> {
    /// Returns `None` for a column that begins with far more other texts than numbers and times.
    fn of(column: &'a Column) -> Option<Self> {
        const ENOUGH: usize = 1000;
        let mut looks = Looks::default();
        for (row, value) in column.values.iter().enumerate() {
            let Value::Text(text) = value else { continue };
            let at = Look::of(text) as usize;
            looks.counts[at] += 1;
            looks.firsts[at].get_or_insert((row, &**text));
            let [numbers, times, zoned, _, others] = looks.counts;
            if others > ENOUGH && others / 2 > numbers + times + zoned {
                return None;
            }
        }
        Some(looks)
    }
}

impl Look {
    fn of(text: &str) -> Self {
        match kind_of_text(text) {
            Kind::Time(_) => Look::Time,
            Kind::Int(_) | Kind::UInt(_) | Kind::Float => Look::Number,
            _ if text.trim().parse::<f64>().is_ok() => Look::Number,
            _ if Digits::of_any_zone(text.trim()).is_some() => Look::Zoned,
            _ if value::MISSING.contains(&text.trim()) => Look::Missing,
            _ => Look::Other,
        }
    }
}

/// Returns a remark about a column that is text because of a few of its values. Text of JSON is always meant to be text.
fn about(column: &Column) -> Option<String> {
    if column.kind != Kind::Text {
        return None;
    }
    let name = column.path.join(".");
    if !column.is_untyped {
        return rounded(column, &name);
    }
    let looks = Looks::of(column)?;
    let count = |look: Look| looks.counts[look as usize];
    if let Some((row, text)) = looks.firsts[Look::Zoned as usize]
        && count(Look::Time) + count(Look::Zoned) == looks.counts.iter().sum::<usize>()
    {
        return Some(format!(
            "column {name} is text because of the offset from UTC of {text:?} in row {row}; --dtype M8[s], or M8[ms] and so on, converts such times to UTC, and is the dtype of all columns; -c takes one of them"
        ));
    }
    let (usual, what) = match count(Look::Number) >= count(Look::Time) {
        true => (Look::Number, "numbers"),
        false => (Look::Time, "times"),
    };
    let unusual = ALL.into_iter().filter(|look| *look != usual);
    let first = unusual.clone().filter_map(|look| looks.firsts[look as usize]).min();
    let Some((row, text)) = first else { return rounded(column, &name) };
    let more = unusual.map(count).sum::<usize>() - 1;
    // A column that is half of numbers is meant to have text, unless it has the usual texts for missing values.
    let others = more + 1 - count(Look::Missing);
    if others >= count(usual) {
        return None;
    }
    let others = match more {
        0 => String::new(),
        1 => " and 1 other text".to_owned(),
        more => format!(" and {more} other texts"),
    };
    let remedy = match row {
        0 if name == "0" || name == "value" => "leave out --no-header if the first line has names",
        _ => "npy convert --missing reads it as missing, --dtype refuses it",
    };
    Some(format!(
        "column {name} is text because of {:?} in row {row}{others}, and the other values are {what}; {remedy}",
        excerpt(text)
    ))
}

/// Returns a remark about a column of numbers that is text because a float would change an integer, or because they may be telephone numbers.
fn rounded(column: &Column, name: &str) -> Option<String> {
    // Other numbers, such as 007, are text on purpose.
    let is_plain = |value: &Value| match value {
        Value::Bool(_) | Value::Bytes(_) => false,
        Value::Text(text) if column.is_untyped => {
            let text = text.trim();
            let kind = kind_of_text(text.strip_prefix('+').unwrap_or(text));
            matches!(kind, Kind::Int(_) | Kind::UInt(_) | Kind::Float)
        }
        Value::Text(_) => false,
        _ => true,
    };
    if !column.values.iter().all(is_plain) {
        return None;
    }
    if let Some((row, text)) = first_large(column) {
        return Some(format!(
            "column {name} is text because no float has all digits of {text} in row {row}; --dtype f8 rounds it"
        ));
    }
    let mut rows = column.values.iter().enumerate();
    let (row, text) = rows.find_map(|(row, value)| match value {
        Value::Text(text) if has_plus(text) => Some((row, text)),
        _ => None,
    })?;
    let is_whole = |value: &Value| value.integer().is_some_and(|n| i64::try_from(n).is_ok());
    // Only floats have missing values.
    let dtype = if column.values.iter().all(is_whole) { "i8" } else { "f8" };
    Some(format!(
        "column {name} is text because all of its numbers have a plus sign, such as {text:?} in row {row}; --dtype {dtype} reads them as numbers"
    ))
}

/// Returns true for an integer with a plus sign.
fn has_plus(text: &str) -> bool {
    text.trim().starts_with('+') && text.trim().parse::<i128>().is_ok()
}

/// Returns the first integer that changes as a float, with its row.
pub(super) fn first_large(column: &Column) -> Option<(usize, i128)> {
    let large = |value: &Value| value.integer().filter(|number| !fits_float(&number.to_string()));
    column.values.iter().enumerate().find_map(|(row, value)| Some((row, large(value)?)))
}
