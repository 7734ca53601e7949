//! Remarks about columns of CSV that became text, although nearly all of their values are numbers.

use super::column::Column;
use super::comments::is_number;
use super::kind::Kind;
use super::value::Value;

/// Returns a remark about a column that is text because of a single text among its numbers.
pub(super) fn about(column: &Column) -> Option<String> {
    if column.kind != Kind::Text || !column.is_untyped {
        return None;
    }
    let name = column.path.join(".");
    let (mut numbers, mut others) = (0usize, 0usize);
    let mut other: Option<(usize, &str)> = None;
    for (row, value) in column.values.iter().enumerate() {
        let Value::Text(text) = value else { continue };
        if is_number(text) {
            numbers += 1;
            continue;
        }
        if other.is_some_and(|(_, other)| other != &**text) {
            return None;
        }
        others += 1;
        other.get_or_insert((row, &**text));
    }
    let (row, text) = other?;
    // A column that is half of numbers is meant to have text.
    (others < numbers).then(|| {
        let remedy = match row {
            0 if name == "0" || name == "value" => "leave out --no-header if the first line has names",
            _ => "npy convert --missing reads it as missing, --dtype refuses it",
        };
        format!("column {name} is text because of {text:?} in row {row}, and the other values are numbers; {remedy}")
    })
}
