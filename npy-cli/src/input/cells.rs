//! The values of a column. Fields of CSV stay in the text, and are read again for each use; those of JSON and of objects have a type.

use std::borrow::Cow;
use std::rc::Rc;

use super::decimal::Decimal;
use super::split::{Splitter, Syntax, raw};
use super::value::Value;

/// The fields of CSV.
#[derive(Debug)]
pub(super) struct Cells {
    pub(super) text: String,
    pub(super) syntax: Syntax,
    /// Texts that mean a missing value, in addition to the empty one.
    pub(super) missing: Vec<String>,
    pub(super) columns: usize,
    /// The start of each row.
    pub(super) starts: Vec<usize>,
    /// The ends of the fields of all rows, counted from the start of their row.
    pub(super) ends: Vec<u32>,
}

impl Cells {
    pub(super) fn rows(&self) -> usize {
        self.starts.len()
    }

    fn field(&self, row: usize, column: usize) -> Cow<'_, str> {
        let ends = &self.ends[row * self.columns..][..self.columns];
        self.syntax.field(raw(&self.text[self.starts[row]..], ends, column))
    }

    pub(super) fn value(&self, row: usize, column: usize) -> Value<'_> {
        let field = self.field(row, column);
        match field.is_empty() || self.missing.iter().any(|text| *text == field) {
            true => Value::Missing,
            false => Value::Text(field),
        }
    }

    /// Returns the number of the line in which a row begins, from 1.
    pub(super) fn line(&self, row: usize) -> usize {
        Splitter::new(&self.text, self.syntax).number(self.starts[row])
    }

    /// Removes rows, whose numbers are sorted.
    pub(super) fn remove(&mut self, rows: &[usize]) {
        let is_kept = |row: usize| rows.binary_search(&row).is_err();
        let mut row = 0..;
        self.starts.retain(|_| row.next().is_none_or(is_kept));
        let mut cell = 0..;
        self.ends.retain(|_| cell.next().is_none_or(|cell: usize| is_kept(cell / self.columns)));
    }
}

/// The values of a column.
#[derive(Debug)]
pub(crate) enum Values {
    /// The column of CSV at this position.
    Fields(Rc<Cells>, usize, Reading),
    Typed(Typed),
}

/// How the fields of a CSV column are read.
#[derive(Clone, Copy, Debug)]
pub(super) enum Reading {
    /// Texts that may be missing values, and numbers, also with this decimal mark.
    Values(Option<Decimal>),
    /// Texts as they are.
    Texts,
}

/// Values that have a type. Rows without a value take no memory: of JSON, each row may have keys of its own.
#[derive(Debug, Default)]
pub(super) struct Typed {
    values: Vec<Value<'static>>,
    /// The row and the position of the first value of each run of rows that have values.
    runs: Vec<(usize, usize)>,
    rows: usize,
}

impl Typed {
    pub(super) fn rows(&self) -> usize {
        self.rows
    }

    /// Appends rows without values up to this number of rows.
    pub(super) fn extend_to(&mut self, rows: usize) {
        self.rows = self.rows.max(rows);
    }

    /// Appends a row with a value.
    pub(super) fn push(&mut self, value: Value<'static>) {
        let next = self.runs.last().map(|(row, first)| row + self.values.len() - first);
        if next != Some(self.rows) {
            self.runs.push((self.rows, self.values.len()));
        }
        self.values.push(value);
        self.rows += 1;
    }

    /// Returns the values of all rows that have one.
    pub(super) fn values(&self) -> &[Value<'static>] {
        &self.values
    }

    pub(super) fn values_mut(&mut self) -> &mut [Value<'static>] {
        &mut self.values
    }

    fn get(&self, row: usize) -> Value<'_> {
        let after = self.runs.partition_point(|(first, _)| *first <= row);
        let (run, rest) = self.runs.split_at(after);
        let end = rest.first().map_or(self.values.len(), |(_, position)| *position);
        let value = run
            .last()
            .and_then(|(first, position)| self.values.get(..end)?.get(position + (row - first)));
        value.map_or(Value::Missing, Value::borrowed)
    }
}

impl Values {
    /// Returns true if the values are text that may be a number (CSV), false if they have a type (JSON).
    pub(super) fn are_untyped(&self) -> bool {
        matches!(self, Values::Fields(..))
    }

    pub(super) fn len(&self) -> usize {
        match self {
            Values::Fields(cells, ..) => cells.rows(),
            Values::Typed(values) => values.rows(),
        }
    }

    /// Returns the value of a row that exists.
    pub(super) fn get(&self, row: usize) -> Value<'_> {
        match self {
            Values::Fields(cells, column, Reading::Texts) => Value::Text(cells.field(row, *column)),
            Values::Fields(cells, column, Reading::Values(None)) => cells.value(row, *column),
            Values::Fields(cells, column, Reading::Values(Some(decimal))) => {
                match cells.value(row, *column) {
                    Value::Text(text) => {
                        Value::Text(decimal.number(&text).map_or(text, |number| number.into()))
                    }
                    value => value,
                }
            }
            Values::Typed(values) => values.get(row),
        }
    }

    /// Returns the fields of CSV as they were before they became text: those that `--missing` names are missing. `None` for values that
    /// have a type.
    pub(super) fn with_missing(&self) -> Option<Values> {
        let Values::Fields(cells, column, _) = self else { return None };
        Some(Values::Fields(cells.clone(), *column, Reading::Values(None)))
    }

    /// Returns the text of a missing value, which is empty in JSON.
    pub(super) fn text_of_missing(&self, row: usize) -> Cow<'_, str> {
        match self {
            Values::Fields(cells, column, _) => cells.field(row, *column),
            Values::Typed(_) => Cow::Borrowed(""),
        }
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = Value<'_>> + Clone {
        (0..self.len()).map(|row| self.get(row))
    }

    /// Returns a column of CSV with these fields.
    #[cfg(test)]
    pub(super) fn of_fields(fields: &[&str]) -> Self {
        let sizes = fields.iter().map(|field| field.len());
        let starts =
            sizes.clone().scan(0, |next, size| Some(std::mem::replace(next, *next + size)));
        let cells = Cells {
            text: fields.concat(),
            syntax: Syntax { delimiter: b',', comment: None },
            missing: Vec::new(),
            columns: 1,
            starts: starts.collect(),
            ends: sizes.map(|size| size.try_into().unwrap()).collect(),
        };
        Values::Fields(Rc::new(cells), 0, Reading::Values(None))
    }
}

#[cfg(test)]
mod tests {
    use super::{Typed, Value};

    /// Guards rows without a value before, between and after the others.
    #[test]
    fn rows_without_a_value_are_missing() {
        let mut typed = Typed::default();
        let rows = [2, 3, 5, 6, 9];
        for row in rows {
            typed.extend_to(row);
            typed.push(Value::Int(i128::try_from(row).unwrap()));
        }
        typed.extend_to(12);
        let expected = |row| match rows.contains(&row) {
            true => Value::Int(i128::try_from(row).unwrap()),
            false => Value::Missing,
        };
        assert!((0..12).all(|row| typed.get(row) == expected(row)), "{typed:?}");
        assert_eq!((typed.rows(), typed.values().len(), typed.runs.len()), (12, 5, 3));
    }
}
