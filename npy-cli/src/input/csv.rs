//! CSV: a line of names, unless there are none, and a line for each row.

use std::io::{self, Read};

use super::Table;
use super::column::Column;
use super::lists;
use super::value::Value;
use crate::output::{Failure, Result};

/// How a file is written.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Dialect {
    /// The byte between two fields, if it is known.
    pub(crate) delimiter: Option<u8>,
    pub(crate) first_line: FirstLine,
    /// The text of a missing value, in addition to the empty text.
    pub(crate) missing: Vec<String>,
}

/// The contents of the first line.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) enum FirstLine {
    /// Names, which are not all numbers.
    #[default]
    Unknown,
    /// Names, whatever they look like.
    Names,
    /// A row. The names of the columns are then `0`, `1` and so on.
    Row,
}

/// Reads the columns. `known` are names that the columns may have.
pub(super) fn columns(
    stream: impl Read,
    name: &str,
    dialect: &Dialect,
    known: &[&str],
) -> Result<Table> {
    let delimiter = dialect.delimiter.unwrap_or(b',');
    let is_headless = dialect.first_line == FirstLine::Row;
    let mut reader = csv::ReaderBuilder::new()
        .delimiter(delimiter)
        .has_headers(!is_headless)
        .from_reader(Quotes { stream, delimiter, state: Quoting::Start });
    let failure = |error: csv::Error| match error.kind() {
        csv::ErrorKind::Utf8 { pos, .. } => {
            let line = pos.as_ref().map_or(String::new(), |pos| format!("line {}: ", pos.line()));
            let message =
                "the text is not UTF-8; iconv -f LATIN1 -t UTF-8 converts that of old programs";
            Failure::new(name, line + message)
        }
        _ => Failure::new(name, error),
    };
    // Of a file without names, this is the first row, which is read again below.
    let first = reader.headers().map_err(failure)?;
    let names: Vec<String> = match is_headless {
        true => (0..first.len()).map(|i| i.to_string()).collect(),
        false => first.iter().map(str::to_owned).collect(),
    };
    if dialect.first_line == FirstLine::Unknown && names != known {
        check_names(&names).map_err(|message| Failure::new(name, message))?;
    }
    if let (false, [single], None) = (is_headless, &names[..], dialect.delimiter) {
        check_delimiter(single).map_err(|message| Failure::new(name, message))?;
    }
    let mut columns: Vec<Column> =
        names.into_iter().map(|name| Column::new(vec![name], true)).collect();
    let mut record = csv::StringRecord::new();
    let mut rows = 0;
    while reader.read_record(&mut record).map_err(failure)? {
        for (column, text) in columns.iter_mut().zip(&record) {
            let is_missing = text.is_empty() || dialect.missing.iter().any(|other| other == text);
            column.push(if is_missing { Value::Missing } else { Value::Text(text.into()) });
        }
        rows += 1;
    }
    if reader.get_ref().state == Quoting::Quoted {
        let message = "the file ends within quotes: it is cut off, or a quote is missing";
        return Err(Failure::new(name, message));
    }
    Ok(Table { rows, columns, records: None })
}

/// Refuses a first line that has hardly the names of columns.
fn check_names(names: &[String]) -> Result<(), String> {
    let is_number = |name: &String| name.trim().parse::<f64>().is_ok();
    if !names.is_empty() && names.iter().all(is_number) && !lists::are_indices(names) {
        let message = "the first line has numbers, not the names of columns; npy convert --no-header reads it as a row, and --header as names";
        return Err(message.into());
    }
    Ok(())
}

/// Refuses a single name that has another delimiter.
fn check_delimiter(name: &str) -> Result<(), String> {
    match name.chars().find(|c| matches!(c, ';' | '\t')) {
        Some(delimiter) => {
            let escaped = delimiter.escape_default();
            Err(format!(
                "there is one column, {name:?}; if its parts are columns, use npy convert --delimiter '{escaped}', and otherwise --delimiter ,"
            ))
        }
        None => Ok(()),
    }
}

/// A stream of CSV, which knows whether it ends within quotes.
struct Quotes<R> {
    stream: R,
    delimiter: u8,
    state: Quoting,
}

#[derive(Clone, Copy, PartialEq)]
enum Quoting {
    /// At the start of a field.
    Start,
    /// Within a field, where a quote has no meaning.
    Plain,
    Quoted,
    /// After a quote within quotes, which ends them, or is the first of two.
    Quote,
}

impl<R: Read> Read for Quotes<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.stream.read(buffer)?;
        for &byte in buffer.iter().take(count) {
            self.state = match (self.state, byte) {
                (Quoting::Quoted, b'"') => Quoting::Quote,
                (Quoting::Quoted, _) | (Quoting::Start | Quoting::Quote, b'"') => Quoting::Quoted,
                (_, b'\n' | b'\r') => Quoting::Start,
                (_, byte) if byte == self.delimiter => Quoting::Start,
                _ => Quoting::Plain,
            };
        }
        Ok(count)
    }
}
