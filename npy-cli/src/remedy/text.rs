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
    let has_blanks = input::is_savetxt(path, comments);
    let form = Form::of(path);
    let is_named = form.is_some() || looks_like_text(path);
    if !has_blanks && !is_text(path, is_named)? {
        return None;
    }
    let from = match &form {
        Some(_) => "",
        None => from_option(&start),
    };
    let is_json = from.contains("json") || matches!(form, Some(Form::Json | Form::JsonLines));
    let dialect = match first_line(&start, mark, has_blanks) {
        FirstLine::Row if is_json => "",
        FirstLine::Row if mark == '%' => " --comments % --no-header",
        FirstLine::Row => " --no-header",
        FirstLine::Names => "",
    };
    Some(format!("npy convert {} OUT.npy{from}{dialect}", shell::path(path)))
}

/// Reads the first lines of a file.
fn read_start(path: &Path) -> Option<String> {
    let mut start = Vec::new();
    File::open(path).ok()?.take(START).read_to_end(&mut start).ok()?;
    Some(String::from_utf8_lossy(&start).trim_start().to_owned())
}

/// Returns true for a file that begins with UTF-8, all of which can be printed.
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

/// Returns the option that says the form of a text.
fn from_option(start: &str) -> &'static str {
    let mut symbols = start.chars().filter(|c| !c.is_whitespace());
    match (symbols.next(), symbols.next()) {
        (Some('{'), Some('"' | '}')) => " --from jsonl",
        (Some('['), Some('"' | '{' | '[' | '-' | '0'..='9')) => " --from json",
        _ if start.lines().next().is_some_and(|line| line.contains('\t')) => " --from tsv",
        _ => " --from csv",
    }
}

/// The first line that is not a comment.
enum FirstLine {
    Names,
    /// It has values, and no comment has their names.
    Row,
}

/// Returns the meaning of the first line of CSV.
fn first_line(start: &str, mark: char, has_blanks: bool) -> FirstLine {
    let fields = |line: &str| -> Vec<String> {
        let parts: Vec<&str> = match has_blanks {
            true => line.split_whitespace().collect(),
            false => line.split([',', ';', '\t']).collect(),
        };
        parts.iter().map(|part| part.trim_matches([' ', '"']).to_owned()).collect()
    };
    let lines = || start.lines().map(str::trim).filter(|line| !line.is_empty());
    let Some(row) = lines().find(|line| !line.starts_with(mark)).map(fields) else {
        return FirstLine::Names;
    };
    // Comments with another mark have no names.
    let mut comments = lines().take_while(|line| mark == '#' && line.starts_with(mark));
    let has_names = comments.any(|line| fields(line.trim_start_matches(mark)).len() == row.len());
    match row.iter().any(|field| is_value(field)) && !has_names {
        true => FirstLine::Row,
        false => FirstLine::Names,
    }
}

/// Returns true for a number, a time or a truth value, which is not the name of a column.
fn is_value(field: &str) -> bool {
    const BOOLS: [&str; 6] = ["True", "true", "TRUE", "False", "false", "FALSE"];
    let bytes = field.as_bytes();
    let is_time = matches!(bytes, [year @ .., b'-', _, _] | [year @ .., b'-', _, _, b'-', _, _] if year.len() == 4)
        && bytes.iter().all(|byte| byte.is_ascii_digit() || *byte == b'-');
    field.parse::<f64>().is_ok() || BOOLS.contains(&field) || is_time
}
