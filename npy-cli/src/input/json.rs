//! JSON: a value for each row, in lines or in a list. An object is a record, a list a sub-array, and any other value a column of its own.
//!
//! Values go from the text to their columns. A `serde_json::Value` in between would hide a key that is there twice, and keep no order of keys.

mod exact;
mod row;

use std::collections::{HashMap, HashSet};
use std::fmt;
use std::io::{self, BufRead, BufReader, Read};
use std::mem;
use std::path::Path;

use serde::de::{self, DeserializeSeed, Deserializer, SeqAccess, Visitor};

pub(super) use self::exact::Digits;
use self::exact::{Exact, Large};
pub(super) use self::row::{Place, Row};
use self::row::{RowOf, Shape};
use super::cells::{Typed, Values};
use super::column::Column;
use super::kind::Kind;
use super::value::Value;
use super::{Records, Table};
use crate::output::{Failure, Of, Result};
use crate::shell;

/// Reads the columns of lines of JSON. `is_all` is true if all of them are wanted.
pub(super) fn lines(stream: impl Read, name: &str, digits: Digits, is_all: bool) -> Result<Table> {
    let (mut rows, large) = (Rows::of(is_all), Large::default());
    let stream = BufReader::new(Exact::new(stream, digits, large.clone()));
    let mut lines = stream.lines().enumerate();
    while let Some((at, line)) = lines.next() {
        let line = line.of(&name)?;
        if line.trim().is_empty() {
            continue;
        }
        let mut text = serde_json::Deserializer::from_str(&line);
        let row = RowOf(&large).deserialize(&mut text).and_then(|row| text.end().map(|()| row));
        let row = row.map_err(|error| {
            let is_blank =
                |(_, line): (_, io::Result<String>)| line.is_ok_and(|line| line.trim().is_empty());
            let cut = error.is_eof() && lines.by_ref().all(is_blank);
            let advice = cut.then(|| about_cut(name, at, rows.count));
            advised(&error, Some(at + 1), advice)
        });
        let added = row.and_then(|row| rows.add(row));
        added.map_err(|message| rows.failure(name, &message))?;
    }
    Ok(rows.finish())
}

/// Reads the columns of one list; a text that is no list is one row. `is_all` is true if all of them are wanted.
pub(super) fn list(stream: impl Read, name: &str, digits: Digits, is_all: bool) -> Result<Table> {
    let large = Large::default();
    let row = RowOf(&large);
    let mut stream = BufReader::new(Exact::new(stream, digits, large.clone()));
    let is_list = starts_with_bracket(&mut stream).of(&name)?;
    let mut text = serde_json::Deserializer::from_reader(stream);
    let (mut rows, mut refused) = (Rows::of(is_all), None);
    let read = match is_list {
        true => (&mut text).deserialize_seq(List { row, rows: &mut rows, refused: &mut refused }),
        false => row.deserialize(&mut text).map(|row| refused = rows.add(row).err()),
    };
    let read = match read.and_then(|()| text.end()) {
        // The stream is read ahead of the rows.
        Err(error) if error.is_io() => return Err(Failure::new(name, io::Error::from(error))),
        read => read.map_err(|error| advised(&error, None, None)),
    };
    match refused.map_or(read, Err) {
        Ok(()) => Ok(rows.finish()),
        Err(message) => Err(rows.failure(name, &message)),
    }
}

/// Returns true for a value that the end of the text cuts off.
pub(super) fn is_start(text: &[u8]) -> bool {
    serde_json::from_slice::<de::IgnoredAny>(text).is_err_and(|error| error.is_eof())
}

/// Returns true for a value, and nothing else.
pub(super) fn is_complete(text: &[u8]) -> bool {
    serde_json::from_slice::<de::IgnoredAny>(text).is_ok()
}

/// Returns the option that reads a text as JSON, if it is that and not CSV: `[0]` may be the name of a column.
pub(super) fn option_for(text: &str) -> Option<&'static str> {
    let text = text.trim_start();
    let first = text.chars().next().filter(|first| matches!(first, '{' | '['))?;
    let mut lines = text.lines().filter(|line| !line.trim().is_empty());
    let line = lines.next()?;
    let is_line = is_complete(line.as_bytes());
    let is_next = lines.next().is_none_or(|next| next.trim_start().starts_with(first));
    match is_line && is_next && (first == '{' || line.len() < text.trim_end().len()) {
        true => Some("--from jsonl"),
        false => is_complete(text.as_bytes()).then_some("--from json"),
    }
}

/// Returns true if the text is a list. Only blanks before it are consumed, if there are more than a buffer has.
fn starts_with_bracket(stream: &mut impl BufRead) -> io::Result<bool> {
    loop {
        let buffer = stream.fill_buf()?;
        match buffer.iter().find(|byte| !byte.is_ascii_whitespace()) {
            Some(first) => return Ok(*first == b'['),
            None if buffer.is_empty() => return Ok(false),
            None => {
                let blanks = buffer.len();
                stream.consume(blanks);
            }
        }
    }
}

/// Returns the advice for a text that is cut off in its last line, after `before` lines with some rows.
fn about_cut(name: &str, before: usize, rows: usize) -> String {
    let path = Path::new(name);
    match rows {
        0 => "; the file is cut off".to_owned(),
        _ if path.is_file() => format!(
            "; the file is cut off in its last line; head -n {before} {} | npy convert - OUT.npy --from jsonl reads the lines before it",
            shell::path(path)
        ),
        _ => format!(
            "; the text is cut off in its last line; head -n {before} before npy keeps the lines before it"
        ),
    }
}

/// Returns the message of an error, with advice. `line` is that of the file, if each line is a value, and `cut` the advice for a text that is cut off there.
fn advised(error: &serde_json::Error, line: Option<usize>, cut: Option<String>) -> String {
    let (text, column) = (error.to_string(), error.column());
    let Some(what) = text.strip_suffix(&format!(" at line {} column {column}", error.line()))
    else {
        return text;
    };
    let advice = match (what, line) {
        ("expected value" | "expected ident", _) => {
            "; write a number such as 0.5, text in double quotes, true, false, null for NaN, or \"inf\" or \"-inf\" for infinity"
        }
        ("trailing comma", _) => "; remove the comma",
        (what, _) if what.starts_with("control character") => {
            "; in text, a tab is \\t and a line break \\n"
        }
        ("key must be a string", _) => "; keys are in double quotes",
        ("number out of range", _) => "; no float is as large; in quotes, it is kept as text",
        ("invalid number", _) => {
            "; a number begins with a digit, and with 0 only before a point; infinity is \"inf\" or \"-inf\""
        }
        ("trailing characters", None) => {
            "; npy convert --from jsonl reads values that are each in a line"
        }
        (_, Some(1)) if error.is_eof() => "; npy convert --from json reads a list of many lines",
        (_, Some(_)) if error.is_eof() => "; each line must be a complete value",
        (_, None) if error.is_eof() => "; the file is cut off",
        _ => "",
    };
    let advice = cut.as_deref().unwrap_or(advice);
    format!("{what} at line {} column {column}{advice}", line.unwrap_or(error.line()))
}

/// The rows that were read, as columns.
#[derive(Default)]
pub(super) struct Rows {
    /// The names of the columns, each with its values.
    columns: Vec<(Vec<String>, Typed)>,
    /// The column of each path; the empty one is that of rows that are a single value.
    known: HashMap<Vec<String>, usize>,
    /// The form of the list or object at each path.
    shapes: HashMap<Vec<String>, Shape>,
    /// The paths of objects, each with its first row.
    records: Records,
    count: usize,
    /// True if all columns are wanted, so that one whose values differ in form is an error at once.
    is_all: bool,
    /// The columns whose values differ in form, with their errors; the values are not kept.
    refused: HashMap<Vec<String>, Option<String>>,
}

impl Rows {
    pub(super) fn of(is_all: bool) -> Self {
        Self { is_all, ..Self::default() }
    }

    /// Keeps the error of a column whose values differ in form: the column may not be wanted.
    fn refuse(&mut self, path: Vec<String>, message: String) -> Result<(), String> {
        if self.is_all || path.is_empty() {
            return Err(message);
        }
        self.known.insert(path.clone(), self.columns.len());
        self.columns.push((path.clone(), Typed::default()));
        self.refused.insert(path, Some(format!("row {}: {message}", self.count)));
        Ok(())
    }

    /// Returns the length of the path of the refused column that this path is in.
    fn refused_depth(&self, path: &[String]) -> Option<usize> {
        (1..=path.len()).find(|depth| self.refused.contains_key(&path[..*depth]))
    }

    /// Sorts the values of a row into columns.
    pub(super) fn add(&mut self, row: Row) -> Result<(), String> {
        for (path, shape) in row.shapes {
            match self.shapes.get(&path) {
                _ if self.refused_depth(&path).is_some() => {}
                Some(first) if *first == shape => {}
                None if !self.known.contains_key(&path) => {
                    if shape == Shape::Object {
                        self.records.insert(path.clone(), self.count);
                    }
                    self.shapes.insert(path, shape);
                }
                first => {
                    let first = first.map_or_else(|| self.form(&path), |first| Form::from(*first));
                    let message = self.differs(&path, Form::from(shape), first);
                    self.refuse(path, message)?;
                }
            }
        }
        for (path, value) in row.values {
            if self.refused_depth(&path).is_some() {
                continue;
            }
            let at = match self.known.get(&path) {
                Some(at) => *at,
                None => {
                    if let Some(first) = self.shapes.get(&path) {
                        let message = self.differs(&path, Form::of(&value), Form::from(*first));
                        self.refuse(path, message)?;
                        continue;
                    }
                    let name = match path.is_empty() {
                        true => vec!["value".to_owned()],
                        false => path.clone(),
                    };
                    self.columns.push((name, Typed::default()));
                    self.known.insert(path, self.columns.len() - 1);
                    self.columns.len() - 1
                }
            };
            let (path, values) = &mut self.columns[at];
            if values.rows() > self.count {
                return Err(format!("the key {:?} is there twice", path.join(".")));
            }
            // The rows before may not have had the key.
            values.extend_to(self.count);
            values.push(value);
        }
        self.count += 1;
        Ok(())
    }

    /// Returns the form of the values in a column.
    fn form(&self, path: &[String]) -> Form {
        let values = self.known.get(path).map_or(&[][..], |at| self.columns[*at].1.values());
        let is_null = values.iter().all(|value| *value == Value::Missing);
        if is_null { Form::Null } else { Form::Value }
    }

    /// Returns the message for a part of a row that has not the form that it had before.
    fn differs(&self, path: &[String], found: Form, first: Form) -> String {
        let name = if path.is_empty() { String::new() } else { format!("{:?}", path.join(".")) };
        let is_record = self.records.contains_key(&path[..0]) && !path.is_empty();
        let way = match self.is_all && is_record {
            true => "; npy convert with a --dtype of fields leaves out keys that they do not name",
            false => "",
        };
        if let (Form::List(found), Form::List(first)) = (found, first) {
            let space = if path.is_empty() { "" } else { " " };
            return format!(
                "the list{space}{name} has {found} items, and {first} in the first row that has it; lists must have one length{way}"
            );
        }
        let name = if path.is_empty() { "it" } else { &name };
        let is_key = path.split_last().is_some_and(|(_, outer)| self.records.contains_key(outer));
        let advice = match found == Form::Null || first == Form::Null {
            true if is_key => "leave out the key where it is null: its values are missing then",
            _ => "give all rows one form",
        };
        format!("{name} is {found}, and {first} in the rows before; {advice}{way}")
    }

    /// Returns the error for the next row.
    pub(super) fn failure(&self, name: &str, message: &str) -> Failure {
        Failure::new(name, format!("row {}: {message}", self.count))
    }

    /// Returns a remark about keys without any value, which are not columns.
    fn about_empty(&self) -> Option<String> {
        let mut filled: HashSet<&[String]> = HashSet::from([&[][..]]);
        for path in self.known.keys() {
            filled.extend((1..path.len()).map(|depth| &path[..depth]));
        }
        // Of a key within another one that is empty, the outer one is told.
        let is_empty = |path: &&Vec<String>| match path.split_last() {
            Some((_, outer)) => {
                let is_refused = self.refused_depth(path).is_some();
                !is_refused && !filled.contains(&path[..]) && filled.contains(outer)
            }
            None => false,
        };
        let mut names: Vec<String> =
            self.shapes.keys().filter(is_empty).map(|path| path.join(".")).collect();
        names.sort();
        let subject = subject("key", &names)?;
        Some(format!("{subject} [] or {{}} alone: left out, because no dtype holds that"))
    }

    pub(super) fn finish(mut self) -> Table {
        let remarks = self.about_empty().into_iter().collect();
        let mut columns = Vec::new();
        for (mut path, mut values) in mem::take(&mut self.columns) {
            let mut refused = None;
            if let Some(depth) = self.refused_depth(&path) {
                path.truncate(depth);
                refused = self.refused.get_mut(&path).and_then(Option::take);
                if refused.is_none() {
                    continue;
                }
                values = Typed::default();
            }
            values.extend_to(self.count);
            columns.push(Column { refused, ..Column::new(path, Values::Typed(values)) });
        }
        let records = Some(self.records);
        Table {
            rows: self.count,
            columns,
            records,
            is_headless: false,
            is_undivided: false,
            remarks,
        }
    }
}

/// Returns names as the subject of a remark about them, with its verb.
fn subject(noun: &str, names: &[String]) -> Option<String> {
    let visible = |name: &String| if name.is_empty() { "\"\"".to_owned() } else { name.clone() };
    let names: Vec<String> = names.iter().map(visible).collect();
    Some(match &names[..] {
        [] => return None,
        [one] => format!("{noun} {one} has"),
        [_, _] | [_, _, _] => format!("{noun}s {} have", names.join(", ")),
        [first, rest @ ..] => format!("{noun}s {first} and {} more have", rest.len()),
    })
}

/// Returns a remark about columns of text in which values are missing.
pub(super) fn about_null(columns: &[Column]) -> Option<String> {
    let has_null = |column: &&Column| {
        column.kind == Kind::Text
            && !column.values.are_untyped()
            && column.values.iter().any(|value| value == Value::Missing)
    };
    let names: Vec<String> =
        columns.iter().filter(has_null).map(|column| column.path.join(".")).collect();
    let subject = subject("column", &names)?;
    Some(format!("{subject} text and missing values, which become the empty text"))
}

/// A part of a row, for messages.
#[derive(Clone, Copy, PartialEq)]
enum Form {
    Null,
    Value,
    List(usize),
    Object,
}

impl Form {
    fn of(value: &Value<'_>) -> Self {
        if *value == Value::Missing { Form::Null } else { Form::Value }
    }
}

impl From<Shape> for Form {
    fn from(shape: Shape) -> Self {
        match shape {
            Shape::List(length) => Form::List(length),
            Shape::Object => Form::Object,
            Shape::Complex => Form::Value,
        }
    }
}

impl fmt::Display for Form {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Form::Null => f.write_str("null"),
            Form::Value => f.write_str("a single value"),
            Form::List(length) => write!(f, "a list of {length} items"),
            Form::Object => f.write_str("an object with keys"),
        }
    }
}

/// A list of rows; each is sorted into columns when it was read.
struct List<'a> {
    row: RowOf<'a>,
    rows: &'a mut Rows,
    /// An error in a row, which serde would only tell in its own words.
    refused: &'a mut Option<String>,
}

impl<'de> Visitor<'de> for List<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of rows")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        while let Some(row) = list.next_element_seed(self.row)? {
            if let Err(message) = self.rows.add(row) {
                *self.refused = Some(message);
                return Err(de::Error::custom("a row was refused"));
            }
        }
        Ok(())
    }
}
