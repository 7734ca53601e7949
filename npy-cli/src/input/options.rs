//! The options with which `npy convert` reads a text: candidates are tried in their order with the reader itself, on the first lines of the file.

use std::path::Path;

use super::csv::{Comments, Dialect, FirstLine};
use super::guess::is_value;
use super::value::Value;
use super::{Form, delimiter, first_lines, json, stored, table};
use crate::output::Result;

/// Options and what they mean.
struct Candidate {
    options: String,
    form: Form,
    /// The columns that the text has, or more: with a delimiter that is not in it, any text is one column.
    min_columns: usize,
}

/// Returns the options of the first candidate that reads the first lines of a file; `None` if none does.
pub(crate) fn of(path: &Path) -> Option<String> {
    /// Many candidates are tried.
    const MAX: usize = 1 << 16;
    let mut lines = first_lines(path).ok()?;
    if lines.len() > MAX {
        lines.truncate(lines[..MAX].iter().rposition(|&byte| byte == b'\n')? + 1);
    }
    let is_cut = path.metadata().ok()?.len() > lines.len() as u64;
    let named = Form::of(path);
    let mut candidates = of_json(&lines, named.as_ref());
    candidates.extend(of_csv(&lines, named.as_ref()));
    let is_read = |candidate: &Candidate| {
        let is_start = is_cut && matches!(candidate.form, Form::Json) && json::is_start(&lines);
        is_start || candidate.reads(&lines).unwrap_or(false)
    };
    candidates.into_iter().find(is_read).map(|candidate| candidate.options)
}

impl Candidate {
    fn reads(&self, text: &[u8]) -> Result<bool> {
        let table = table(text, &self.form, "", None)?;
        let is_headless = table.is_headless;
        let mut first =
            table.columns.iter().filter(|it| it.values.len() > 0).map(|it| it.values.get(0));
        // Names are not a row.
        let is_row = first.any(|value| match value {
            Value::Text(text) => is_value(&text),
            value => value == Value::Missing,
        });
        let is_read = table.columns.len() >= self.min_columns && (is_row || !is_headless);
        stored(table, !matches!(self.form, Form::Csv(_)), "", None)?;
        Ok(is_read)
    }
}

/// Returns the candidates for a text that is named so or begins as JSON does.
fn of_json(text: &[u8], named: Option<&Form>) -> Vec<Candidate> {
    let candidate =
        |options: &str, form: Form| Candidate { options: options.to_owned(), form, min_columns: 1 };
    let mut candidates = match named {
        Some(form @ (Form::Json | Form::JsonLines)) => vec![candidate("", form.clone())],
        Some(Form::Csv(_)) => return Vec::new(),
        None => Vec::new(),
    };
    if matches!(text.trim_ascii_start(), [b'[' | b'{', ..]) {
        candidates.push(candidate(" --from json", Form::Json));
        candidates.push(candidate(" --from jsonl", Form::JsonLines));
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
        for delimiter in [None].into_iter().chain(others) {
            for first_line in [FirstLine::Unknown, FirstLine::Row] {
                let mut options = match (known, delimiter) {
                    (Some(_), _) => "",
                    (None, Some(b'\t')) => " --from tsv",
                    (None, _) => " --from csv",
                }
                .to_owned();
                if let Some(other) = delimiter.filter(|it| known.is_some() || *it != b'\t') {
                    options += &match other {
                        b',' => " --delimiter ,".to_owned(),
                        other => format!(" --delimiter '{}'", char::from(other).escape_default()),
                    };
                }
                match comments {
                    Comments::Marked(b'%') => options += " --comments %",
                    Comments::Marked(_) => options += " --comments '#'",
                    Comments::Unknown | Comments::None => {}
                }
                if first_line == FirstLine::Row {
                    options += " --no-header";
                }
                let min_columns = if matches!(delimiter, None | Some(b',')) { 1 } else { 2 };
                let delimiter = delimiter.or(known.flatten());
                let dialect = Dialect { delimiter, first_line, comments, ..Dialect::default() };
                candidates.push(Candidate { options, form: Form::Csv(dialect), min_columns });
            }
        }
    }
    candidates
}

/// Returns the delimiter that the first rows show, if it is not a comma.
fn other(text: &[u8], comments: Comments) -> Option<u8> {
    let (rest, _) = delimiter::stated(text);
    let text = String::from_utf8_lossy(rest);
    let mark = comments.mark().map(char::from);
    let lines = text.lines().map(str::trim);
    let mut rows = lines.filter(|line| !line.is_empty() && line.chars().next() != mark);
    delimiter::other(rows.next()?, rows.next())
}
