//! CSV: a line of names, unless there are none, and a line for each row.

use std::io::Read;

use super::column::{Column, Value};
use super::lists;
use crate::output::{Failure, Result};

/// How a file is written.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Dialect {
    /// The byte between two fields, if it is known.
    pub(crate) delimiter: Option<u8>,
    /// True if the first line is a row, and not the names of the columns. Their names are then `0`, `1` and so on.
    pub(crate) is_headless: bool,
}

/// Reads the columns, and returns them with the number of rows.
pub(super) fn columns(
    stream: impl Read,
    name: &str,
    dialect: Dialect,
) -> Result<(usize, Vec<Column>)> {
    let mut reader = csv::ReaderBuilder::new()
        .delimiter(dialect.delimiter.unwrap_or(b','))
        .has_headers(!dialect.is_headless)
        .from_reader(stream);
    let failure = |error: csv::Error| Failure::new(name, error);
    // Of a file without names, this is the first row, which is read again below.
    let first = reader.headers().map_err(failure)?;
    let names: Vec<String> = match dialect.is_headless {
        true => (0..first.len()).map(|i| i.to_string()).collect(),
        false => first.iter().map(|name| name.trim_start_matches('\u{feff}').to_owned()).collect(),
    };
    if !dialect.is_headless {
        check_names(&names, dialect).map_err(|message| Failure::new(name, message))?;
    }
    let mut columns: Vec<Column> =
        names.into_iter().map(|name| Column::new(vec![name], true)).collect();
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

/// Refuses a first line that has hardly the names of columns.
fn check_names(names: &[String], dialect: Dialect) -> Result<(), String> {
    let is_number = |name: &String| name.trim().parse::<f64>().is_ok();
    if !names.is_empty() && names.iter().all(is_number) && !lists::are_indices(names) {
        let message = "the first line has numbers, not the names of columns; npy convert --no-header reads it as a row";
        return Err(message.into());
    }
    if let ([name], None) = (names, dialect.delimiter)
        && let Some(delimiter) = name.chars().find(|c| matches!(c, ';' | '\t'))
    {
        let escaped = delimiter.escape_default();
        return Err(format!(
            "there is one column, {name:?}; if its parts are columns, use npy convert --delimiter '{escaped}', and otherwise --delimiter ,"
        ));
    }
    Ok(())
}
