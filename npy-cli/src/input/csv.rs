//! CSV: a line of names, and a line for each row.

use std::io::Read;

use super::column::{Column, Value};
use crate::output::{Failure, Result};

/// Reads the columns, and returns them with the number of rows.
pub(super) fn columns(stream: impl Read, name: &str) -> Result<(usize, Vec<Column>)> {
    let mut reader = csv::ReaderBuilder::new().from_reader(stream);
    let failure = |error: csv::Error| Failure::new(name, error);
    let names = reader.headers().map_err(failure)?;
    let mut columns: Vec<Column> = names
        .iter()
        .map(|name| Column::new(vec![name.trim_start_matches('\u{feff}').to_owned()], true))
        .collect();
    let mut record = csv::StringRecord::new();
    let mut rows = 0;
    while reader.read_record(&mut record).map_err(failure)? {
        for (column, text) in columns.iter_mut().zip(&record) {
            column.push(match text {
                "" => Value::Missing,
                text => Value::Text(text.into()),
            });
        }
        rows += 1;
    }
    Ok((rows, columns))
}
