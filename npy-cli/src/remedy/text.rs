//! The command that converts a text in place of an array.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use npy_core::{ErrorKind, npz};

use crate::input::{self, Comments, Form};
use crate::shell;

/// The bytes that are looked at.
const START: u64 = 1 << 12;

/// Returns the command that converts a file of text to an array; `None` if the file is not text.
pub(super) fn command(path: &Path) -> Option<String> {
    let start = read_start(path)?;
    // MATLAB and others mark comments so.
    let mark = if start.starts_with('%') { '%' } else { '#' };
    let comments = if mark == '%' { Comments::Marked(b'%') } else { Comments::Unknown };
    let blanks = input::is_savetxt(path, comments).then_some(b' ');
    let form = Form::of(path);
    let is_named = form.is_some() || looks_like_text(path);
    if blanks.is_none() && !is_text(path, is_named)? {
        return None;
    }
    let options = match (form, from_json(&start)) {
        (Some(Form::Json | Form::JsonLines), _) => String::new(),
        (None, Some(option)) => option.to_owned(),
        (Some(Form::Csv(dialect)), _) => of_csv(&start, mark, blanks.or(dialect.delimiter), true),
        (None, None) => of_csv(&start, mark, blanks, false),
    };
    Some(format!("npy convert {} OUT.npy{options}", shell::path(path)))
}

/// Returns the options that read a table. `known` is the delimiter that needs no option.
fn of_csv(start: &str, mark: char, known: Option<u8>, is_named: bool) -> String {
    let (rest, stated) = input::stated_delimiter(start.as_bytes());
    let lines = start[start.len() - rest.len()..].lines();
    let lines = lines.map(str::trim).filter(|line| !line.is_empty());
    let mut rows = lines.clone().filter(|line| !line.starts_with(mark));
    let first = rows.next().unwrap_or_default();
    let known = known.or(stated);
    let other = match known.is_none() && !first.contains(',') {
        true => input::other_delimiter(first, rows.next()),
        false => None,
    };
    let mut options = match other {
        _ if is_named => "",
        Some(b'\t') => " --from tsv",
        _ => " --from csv",
    }
    .to_owned();
    if let Some(delimiter) = other.filter(|delimiter| is_named || *delimiter != b'\t') {
        options += &format!(" --delimiter '{}'", char::from(delimiter).escape_default());
    }
    if mark == '%' {
        options += " --comments %";
    }
    let delimiter = known.or(other).unwrap_or(b',');
    // Comments with another mark have no names.
    let comments = lines.take_while(|line| mark == '#' && line.starts_with(mark));
    if is_row(first, comments, delimiter) {
        options += " --no-header";
    }
    options
}

/// Reads the first lines of a file.
fn read_start(path: &Path) -> Option<String> {
    let mut start = Vec::new();
    File::open(path).ok()?.take(START).read_to_end(&mut start).ok()?;
    Some(String::from_utf8_lossy(&start).trim_start().to_owned())
}

/// Returns true for a file whose first bytes are UTF-8 without control characters, except for tabs and line ends.
pub(crate) fn looks_like_text(path: &Path) -> bool {
    let mut start = Vec::new();
    let read = File::open(path).and_then(|file| file.take(START).read_to_end(&mut start));
    let is_printed = |c: char| !c.is_control() || matches!(c, '\t' | '\n' | '\r');
    let is_text = |text: &str| !text.is_empty() && text.chars().all(is_printed);
    match (read, str::from_utf8(&start)) {
        (Ok(_), Ok(text)) => is_text(text),
        // The last character may be incomplete.
        (Ok(count), Err(error)) => {
            let valid = start.get(..error.valid_up_to()).unwrap_or_default();
            count as u64 == START
                && error.error_len().is_none()
                && str::from_utf8(valid).is_ok_and(is_text)
        }
        (Err(_), _) => false,
    }
}

/// Returns true for a file that the library takes for text by its first bytes, or that is named or looks like a text and has the first bytes of no other
/// format.
fn is_text(path: &Path, is_named: bool) -> Option<bool> {
    let error = npz::Reader::open(path).err()?;
    let ErrorKind::NotNpz { hint, .. } = error.kind() else { return None };
    Some(hint.starts_with("; it looks like text") || is_named && hint.is_empty())
}

/// Returns the option for a text of JSON; `None` if it is CSV.
fn from_json(start: &str) -> Option<&'static str> {
    let mut symbols = start.chars().filter(|c| !c.is_whitespace());
    match (symbols.next(), symbols.next()) {
        (Some('{'), Some('"' | '}')) => Some(" --from jsonl"),
        (Some('['), Some('"' | '{' | '[' | '-' | '0'..='9')) => Some(" --from json"),
        _ => None,
    }
}

/// Returns true if the first line that is not a comment has values, and no comment has their names.
fn is_row<'a>(row: &str, mut comments: impl Iterator<Item = &'a str>, delimiter: u8) -> bool {
    let count = |line: &str| input::fields(line, delimiter).count();
    let has_value =
        input::fields(row, delimiter).any(|field| is_value(field.trim_matches([' ', '"'])));
    has_value && !comments.any(|line| count(line.trim_start_matches('#')) == count(row))
}

/// Returns true for a number, a time or a truth value, which is not the name of a column.
fn is_value(field: &str) -> bool {
    const BOOLS: [&str; 6] = ["True", "true", "TRUE", "False", "false", "FALSE"];
    let bytes = field.as_bytes();
    let is_time = matches!(bytes, [year @ .., b'-', _, _] | [year @ .., b'-', _, _, b'-', _, _] if year.len() == 4)
        && bytes.iter().all(|byte| byte.is_ascii_digit() || *byte == b'-');
    field.parse::<f64>().is_ok() || BOOLS.contains(&field) || is_time
}
