//! The row of units between the names of columns and their numbers, which makes all of these text.

use super::cells::{Cells, Values};
use super::column::Column;
use super::copy;
use super::encode::excerpt;
use super::guess::is_value;
use super::kind::Kind;
use super::value::{MISSING, Value};

/// The columns that are text because of the first row alone.
pub(super) struct UnitsRow<'a> {
    /// In their order.
    columns: Vec<usize>,
    cells: &'a Cells,
    first: String,
}

impl<'a> UnitsRow<'a> {
    /// Finds the first row if it has text in each column, and numbers or times below it in two columns or more.
    pub(super) fn find(columns: &'a [Column]) -> Option<Self> {
        let Values::Fields(cells, ..) = &columns.first()?.values else { return None };
        let is_row = |column: &Column| match column.values.iter().next() {
            Some(Value::Text(text)) => !is_value(&text) && !MISSING.contains(&text.trim()),
            Some(value) => value == Value::Missing,
            None => false,
        };
        if !columns.iter().all(is_row) {
            return None;
        }
        let is_changed = |at: &usize| {
            let column = &columns[*at];
            let mut values = column.values.iter();
            let is_text = |value: Value<'_>| matches!(value, Value::Text(text) if !is_value(&text));
            column.kind == Kind::Text
                && values.next().is_some_and(|first| first != Value::Missing)
                && column.values.iter().skip(1).any(|value| value != Value::Missing)
                && !values.any(is_text)
        };
        let changed: Vec<usize> = (0..columns.len()).filter(is_changed).collect();
        let [first, _, ..] = changed[..] else { return None };
        let first = columns[first].values.get(0).text().into_owned();
        Some(UnitsRow { columns: changed, cells, first })
    }

    pub(super) fn has(&self, column: usize) -> bool {
        self.columns.binary_search(&column).is_ok()
    }

    /// Returns the remark, with the command that leaves the row out.
    pub(super) fn remark(&self, file: &str) -> String {
        let line = self.cells.line(0);
        format!(
            "{} columns are text because of line {line}, such as {:?}, and their other values are numbers or times; if the line has units, {}",
            self.columns.len(),
            excerpt(&self.first),
            copy::advice(file, &format!("sed {line}d"), "leaves it out")
        )
    }
}
