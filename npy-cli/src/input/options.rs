//! The options with which `npy convert` reads a text: candidates are tried in their order with the reader itself, on the first lines of the file.

use std::path::Path;

use super::csv::{Comments, Dialect, FirstLine};
use super::decimal::Decimal;
use super::guess::is_value;
use super::value::Value;
use super::{Form, delimiter, encoded, first_lines, json, planned, table};
use crate::output::Result;
use crate::shell;

impl Form {
    /// Returns the options with which `npy convert` reads a text in this form. `named` is the form that the name of the file says.
    pub(super) fn options(&self, named: Option<&Form>) -> String {
        let (from, known) = match (self, named) {
            (Form::Json, Some(Form::Json)) | (Form::JsonLines, Some(Form::JsonLines)) => ("", None),
            (Form::Json, _) => (" --from json", None),
            (Form::JsonLines, _) => (" --from jsonl", None),
            (Form::Csv(_), Some(Form::Csv(named))) => ("", named.delimiter),
            (Form::Csv(Dialect { delimiter: Some(b'\t'), .. }), _) => (" --from tsv", Some(b'\t')),
            (Form::Csv(_), _) => (" --from csv", None),
        };
        let mut options = from.to_owned();
        let Form::Csv(dialect) = self else { return options };
        let mut add = |option: &str, value: &[u8]| {
            options += &format!(" --{option} {}", shell::word(value));
        };
        match dialect.delimiter.filter(|delimiter| Some(*delimiter) != known) {
            Some(b'\t') => add("delimiter", b"\\t"),
            Some(delimiter) => add("delimiter", &[delimiter]),
            None => {}
        }
        match dialect.comments {
            Comments::Unknown => {}
            Comments::Marked(mark) => add("comments", &[mark]),
            Comments::None => add("comments", b""),
        }
        if !dialect.missing.is_empty() {
            add("missing", dialect.missing.join(",").as_bytes());
        }
        match dialect.decimal {
            Some(Decimal::Comma) => add("decimal", b","),
            Some(Decimal::Point) => add("decimal", b"."),
            None => {}
        }
        options
            + match dialect.first_line {
                FirstLine::Unknown => "",
                FirstLine::Names => " --header",
                FirstLine::Row => " --no-header",
            }
    }
}

/// A form that is tried.
struct Candidate {
    form: Form,
    /// The columns that the text has, or more: with a delimiter that is not in it, any text is one column.
    min_columns: usize,
}

/// The bytes of a text that are tried: many candidates are.
const SAMPLE: usize = 1 << 16;

/// Returns the options of the first candidate that reads the first lines of a file; `None` if none does.
pub(crate) fn of(path: &Path) -> Option<String> {
    let lines = first_lines(path).ok()?;
    let size = path.metadata().ok()?.len();
    let start = &lines[..lines.len().min(SAMPLE)];
    let named = Form::of(path);
    let is_cut = size > start.len() as u64;
    if is_cut {
        let mut candidates = of_json(start, named.as_ref()).into_iter();
        let is_last = size == lines.len() as u64;
        if let Some(cut) = candidates.find(|candidate| candidate.is_cut(start, &lines, is_last)) {
            return Some(cut.form.options(named.as_ref()));
        }
    }
    let samples = if is_cut { samples(start) } else { vec![start] };
    samples.into_iter().find_map(|text| {
        let candidates = of_json(text, named.as_ref()).into_iter();
        let mut candidates = candidates.chain(of_csv(text, named.as_ref()));
        let read = candidates.find(|candidate| candidate.reads(text, is_cut).unwrap_or(false))?;
        Some(read.form.options(named.as_ref()))
    })
}

/// Returns the parts of a cut text that are tried: up to the last end of a line, and up to the last one that is not in quotes. Of a line that is cut itself, up to the last
/// delimiter.
fn samples(start: &[u8]) -> Vec<&[u8]> {
    for ends in [&b"\n"[..], b",;\t", b" "] {
        let is_end = |byte: &u8| ends.contains(byte);
        let Some(last) = start.iter().rposition(is_end) else { continue };
        let mut is_quoted = false;
        let plain = start.iter().enumerate().filter(|&(_, byte)| {
            is_quoted ^= *byte == b'"';
            is_end(byte) && !is_quoted
        });
        let plain = plain.map(|(at, _)| at).last().unwrap_or(last);
        // A quote in a field without quotes may make the shorter one very short.
        let ends_of_samples = if 2 * plain < last { [last, plain] } else { [plain, last] };
        let sample = |end: usize| match ends {
            b"\n" => &start[..=end],
            // A row does not end with a delimiter.
            _ => start[..end].trim_ascii_end(),
        };
        let mut samples = ends_of_samples.map(sample).to_vec();
        samples.dedup();
        return samples;
    }
    Vec::new()
}

impl Candidate {
    /// Returns true for JSON whose first value is longer than the start of the text. `lines` has all of its first line, unless that is very long.
    fn is_cut(&self, start: &[u8], lines: &[u8], is_last: bool) -> bool {
        let is_long = !start.contains(&b'\n');
        // One of many values, each in its line.
        let is_line = || is_long && !is_last && json::is_complete(lines);
        json::is_start(start)
            && match self.form {
                Form::Json => !is_line(),
                Form::JsonLines => is_long && (json::is_complete(lines) || !lines.ends_with(b"\n")),
                Form::Csv(_) => false,
            }
    }

    fn reads(&self, text: &[u8], is_cut: bool) -> Result<bool> {
        /// More take longer than the advice is worth: few rows of JSON have each key, or one text makes all rows wide.
        const MAX_BYTES: usize = 1 << 24;
        // More values come after the one that is tried.
        if is_cut && matches!(self.form, Form::Json) && json::is_complete(text) {
            return Ok(false);
        }
        let table = table(text, &self.form, "", None)?;
        let is_headless = table.is_headless;
        let mut first =
            table.columns.iter().filter(|it| it.values.len() > 0).map(|it| it.values.get(0));
        // Names are not a row.
        let is_row = first.any(|value| match value {
            Value::Text(text) => is_value(&text),
            value => value == Value::Missing,
        });
        let rows = table.rows;
        // Names alone are not a table, unless the rows come after the part that is tried.
        let is_read = (rows > 0 || is_cut)
            && table.columns.len() >= self.min_columns
            && (is_row || !is_headless);
        // Each field has a byte of the text, unless most are missing.
        if rows.saturating_mul(table.columns.len()) <= SAMPLE {
            let (columns, layout, _) = planned(table, Some(&self.form), "", None)?;
            if rows.saturating_mul(layout.row_bytes) <= MAX_BYTES {
                encoded(&columns, rows, layout, "")?;
            }
        }
        Ok(is_read)
    }
}

/// Returns the candidates for a text that is named so or begins as JSON does.
fn of_json(text: &[u8], named: Option<&Form>) -> Vec<Candidate> {
    let candidate = |form: Form| Candidate { form, min_columns: 1 };
    let mut candidates = match named {
        Some(form @ (Form::Json | Form::JsonLines)) => vec![candidate(form.clone())],
        Some(Form::Csv(_)) => return Vec::new(),
        None => Vec::new(),
    };
    if matches!(text.trim_ascii_start(), [b'[' | b'{', ..]) {
        candidates.extend([Form::Json, Form::JsonLines].map(candidate));
    }
    candidates
}

fn of_csv(text: &[u8], named: Option<&Form>) -> Vec<Candidate> {
    let known = match named {
        Some(Form::Csv(dialect)) => Some(dialect.delimiter),
        _ => None,
    };
    // MATLAB and others mark comments by a percent sign.
    let comments = match text.trim_ascii_start().first() {
        Some(b'%') => [Comments::Marked(b'%'), Comments::Unknown],
        _ => [Comments::Unknown, Comments::Marked(b'#')],
    };
    let mut candidates = Vec::new();
    for comments in comments {
        let others = [other(text, comments), Some(b'\t'), Some(b';'), Some(b' '), Some(b',')];
        let first = unread(text, comments, known.flatten()).map(Some);
        for delimiter in first.into_iter().chain([None]).chain(others) {
            for first_line in [FirstLine::Unknown, FirstLine::Row] {
                let min_columns = if matches!(delimiter, None | Some(b',')) { 1 } else { 2 };
                let delimiter = delimiter.or(known.flatten());
                let dialect = Dialect { delimiter, first_line, comments, ..Dialect::default() };
                candidates.push(Candidate { form: Form::Csv(dialect), min_columns });
            }
        }
    }
    candidates
}

/// Returns the delimiter that the first rows show, if it is not a comma.
fn other(text: &[u8], comments: Comments) -> Option<u8> {
    let (first, second) = first_rows(text, comments)?;
    delimiter::other(&first, second.as_deref())
}

/// Returns the delimiter of rows that the reader would take for one column without a word: bars, or another one than that of the name of the file.
fn unread(text: &[u8], comments: Comments, known: Option<u8>) -> Option<u8> {
    let (first, second) = first_rows(text, comments)?;
    let second = second?;
    let has = |delimiter: u8| first.contains(char::from(delimiter));
    if has(known.unwrap_or(b',')) {
        return None;
    }
    let divides = |delimiter: &u8| {
        let count = |line: &str| delimiter::fields(line, *delimiter).count();
        has(*delimiter) && count(&first) == count(&second)
    };
    let is_other = known.is_some() && has(b';');
    [b'|'].into_iter().chain(is_other.then_some(b';')).find(divides)
}

/// Returns the first lines that are not comments.
fn first_rows(text: &[u8], comments: Comments) -> Option<(String, Option<String>)> {
    let (rest, _) = delimiter::stated(text);
    let text = String::from_utf8_lossy(rest);
    let mark = comments.mark().map(char::from);
    let lines = text.lines().map(str::trim);
    let mut rows = lines.filter(|line| !line.is_empty() && line.chars().next() != mark);
    let first = rows.next()?.to_owned();
    Some((first, rows.next().map(str::to_owned)))
}
