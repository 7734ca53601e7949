//! The values of a column. Fields of CSV stay in the text, and are read again for each use; those of JSON and of objects have a type.

use std::rc::Rc;

use super::split::{Syntax, raw};
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

    pub(super) fn value(&self, row: usize, column: usize) -> Value<'_> {
        let ends = &self.ends[row * self.columns..][..self.columns];
        let field = self.syntax.field(raw(&self.text[self.starts[row]..], ends, column));
        match field.is_empty() || self.missing.iter().any(|text| *text == field) {
            true => Value::Missing,
            false => Value::Text(field),
        }
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
    /// The column of CSV at this position. Its texts may be numbers.
    Fields(Rc<Cells>, usize),
    Typed(Vec<Value<'static>>),
}

impl Values {
    /// Returns true if the values are text that may be a number (CSV), false if they have a type (JSON).
    pub(super) fn are_untyped(&self) -> bool {
        matches!(self, Values::Fields(..))
    }

    pub(super) fn len(&self) -> usize {
        match self {
            Values::Fields(cells, _) => cells.rows(),
            Values::Typed(values) => values.len(),
        }
    }

    /// Returns the value of a row that exists.
    pub(super) fn get(&self, row: usize) -> Value<'_> {
        match self {
            Values::Fields(cells, column) => cells.value(row, *column),
            Values::Typed(values) => values[row].borrowed(),
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
        Values::Fields(Rc::new(cells), 0)
    }
}
