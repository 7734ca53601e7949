//! CSV: a line of names, unless there are none, and a line for each row.

use std::collections::VecDeque;
use std::io::Read;
use std::rc::Rc;

use super::Table;
use super::cells::{Cells, Reading, Values};
use super::column::Column;
use super::comments::{self, Mark, Start};
use super::copy;
use super::decimal::Decimal;
use super::delimiter;
use super::end_comments::{self, Shortened};
use super::guess::is_value;
use super::json;
use super::names::{self, Names};
use super::quotes;
use super::split::{Line, Splitter, Syntax};
use super::value::{MISSING, Value};
use crate::output::{Failure, Of, Result};
use crate::shell;

/// How a file is written.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Dialect {
    /// The byte between two fields, if it is known.
    pub(crate) delimiter: Option<u8>,
    pub(crate) first_line: FirstLine,
    /// The text of a missing value, in addition to the empty text.
    pub(crate) missing: Vec<String>,
    pub(crate) comments: Comments,
    /// The decimal mark of numbers, if it is not the point alone.
    pub(crate) decimal: Option<Decimal>,
}

/// The lines that are comments.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) enum Comments {
    /// Lines that begin with `#`, unless they have names or may be rows.
    #[default]
    Unknown,
    /// All that follows this character in a line, unless it is within quotes. They have no names.
    Marked(u8),
    None,
}

impl Comments {
    /// Returns the character that comments begin with, if there are any.
    pub(super) fn mark(self) -> Option<u8> {
        match self {
            Comments::Unknown => Some(b'#'),
            Comments::Marked(mark) => Some(mark),
            Comments::None => None,
        }
    }
}

/// The contents of the first line.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) enum FirstLine {
    /// Names, unless one may be a value or is empty.
    #[default]
    Unknown,
    /// Names, whatever they look like.
    Names,
    /// A row. The names of the columns are then `0`, `1` and so on.
    Row,
}

/// Reads the columns. `known` are names that the columns may have, and `is_text` is true for the name of a column that is to become text.
pub(super) fn columns(
    mut stream: impl Read,
    name: &str,
    dialect: &Dialect,
    known: &[&str],
    is_text: impl Fn(&str) -> bool,
) -> Result<Table> {
    /// The remark about a delimiter that the file does not state.
    const BLANKS: &str = "its fields have blanks between them; --delimiter , reads one column";
    let mut all = Vec::new();
    stream.read_to_end(&mut all).of(&name)?;
    all.shrink_to_fit();
    let (content, stated) = delimiter::stated(&all);
    let start = all.len() - content.len();
    all.drain(..start);
    let text = Text::of(all);
    let about_json =
        json::option_for(&text.text).map(|option| format!("it is JSON; {option} reads it as such"));
    let is_named = dialect.delimiter.is_some();
    let known_delimiter = dialect.delimiter.or(stated);
    // Text for a dtype may have numbers between blanks, and the mark of comments.
    let becomes_text = is_text("0") || known.iter().any(|name| is_text(name));
    let other_start = match dialect.comments {
        Comments::Unknown => start_with_marks(&text.text),
        Comments::Marked(_) | Comments::None => None,
    };
    // The mark of comments may be the delimiter.
    let may_have_ends =
        dialect.comments == Comments::Unknown && known_delimiter != dialect.comments.mark();
    let shortened = match may_have_ends && !becomes_text {
        true => end_comments::removed(&text.text, known_delimiter),
        false => None,
    };
    let about_ends = shortened.as_ref().map(Shortened::remark);
    let text = match shortened {
        Some(Shortened { text: shortened, .. }) => Text { text: shortened, ..text },
        None => text,
    };
    let are_blanks = known_delimiter.is_none()
        && !becomes_text
        && delimiter::are_blanks(text.text.as_bytes(), dialect.comments);
    let known_delimiter = if are_blanks { Some(b' ') } else { known_delimiter };
    let dialect = Dialect { delimiter: known_delimiter, ..dialect.clone() };
    let delimiter = known_delimiter.unwrap_or(delimiter::COMMA);
    if dialect.comments == Comments::Marked(delimiter) {
        let advice = if is_named { "" } else { ", or name the delimiter with --delimiter" };
        let message = format!(
            "--comments {:?}: fields have this character between them; choose another one{advice}",
            char::from(delimiter)
        );
        return Err(Failure::new(name, message));
    }
    // In quotes, the commas of numbers are not those between fields.
    let is_divided_twice = dialect.decimal == Some(Decimal::Comma)
        && delimiter == delimiter::COMMA
        && text.text.contains(',')
        && !text.text.contains('"');
    if is_divided_twice {
        let message = "with --decimal , its commas are in numbers, and not between fields; name what is between fields, such as --delimiter ';'";
        return Err(Failure::new(name, message));
    }
    let parse = |text: Text| {
        let table = parsed(text, name, &dialect, known, &is_text);
        table.map_err(|failure| match are_blanks {
            true => failure.with(&format!("; {BLANKS}")),
            false => failure,
        })
    };
    let has_values = |table: &Table| {
        let has_values =
            |column: &Column| !is_text(&column.path[0]) && are_values(column.values.iter());
        table.rows > 0 && table.columns.first().is_some_and(has_values)
    };
    let closed = match dialect.comments {
        Comments::Unknown => quotes::closed_comments(&text.text, delimiter),
        Comments::Marked(_) | Comments::None => None,
    };
    let closed = closed.map(|closed| Text { text: closed, ..text });
    let start = may_have_ends.then(|| end_comments::start(&text.text)).flatten();
    let option = || start.as_ref().and_then(|start| option_for_ends(start, name, &dialect));
    let advised = |failure: Failure| {
        if let Some(remark) = &about_json {
            return failure.with(&format!("; {remark}"));
        }
        match option() {
        // Names in a comment are another error.
        Some(option @ MARKED) => failure.with(&format!(
            "; if # begins a comment after a row, npy convert {option} leaves it out"
        )),
        _ => match other_start.as_ref().and_then(|start| option_for_marks(start, name, &dialect, has_rows)) {
            // Such an error has the option already.
            Some(_) if failure.says("--no-header reads it") => failure,
            Some((mark, option)) => failure.with(&format!(
                "; if the lines that begin with {mark} are comments, npy convert {option} leaves them out"
            )),
            None => failure,
        },
    }
    };
    let mut table = match closed.map(&parse) {
        None => parse(text).map_err(advised)?,
        Some(Ok(closed)) if has_values(&closed) => closed,
        // In a column of text, a line that begins with # may be a row of several lines. Otherwise a row is wrong that the quotes would hide.
        Some(closed) => match (parse(text), closed) {
            // Quotes that do not end hide the rows that the other error is about.
            (Err(_), Err(failure)) => return Err(failure),
            (raw, closed) => {
                let raw = raw?;
                if has_values(&raw) { closed? } else { raw }
            }
        },
    };
    if start.is_some() {
        table.remarks.extend(about_marks(&table.columns, &is_text, option));
    }
    table.remarks.splice(..0, about_json);
    table.remarks.extend(about_ends);
    let is_text_alone = !becomes_text && !has_value_column(&table);
    if let Some(start) = other_start.filter(|_| is_text_alone)
        && let Some((mark, option)) = option_for_marks(&start, name, &dialect, has_value_column)
    {
        table.remarks.push(format!(
            "its columns are text; if the lines that begin with {mark} are comments, npy convert {option} leaves them out"
        ));
    }
    if are_blanks {
        table.remarks.push(BLANKS.to_owned());
    }
    Ok(table)
}

/// Returns a remark about a column whose values may have comments after them. `option` are the options that leave these out, if the text can be read with them.
fn about_marks(
    columns: &[Column],
    is_text: impl Fn(&str) -> bool,
    option: impl Fn() -> Option<&'static str>,
) -> Option<String> {
    let has_comments =
        |column: &Column| !is_text(&column.path[0]) && end_comments::are_in(column.values.iter());
    let at = columns.iter().position(has_comments)?;
    let (before, after) = (&columns[..at], &columns[at + 1..]);
    let has_mark = |column: &Column| column.values.iter().any(|value| value.text().contains('#'));
    // The option leaves out all that follows the mark in a row.
    let is_last = after.is_empty() && !before.iter().any(has_mark);
    let remedy = match option().filter(|_| is_last) {
        Some(option) => format!("npy convert {option} leaves it out"),
        None => "remove it from the file, because --comments '#' leaves out the rest of the row"
            .to_owned(),
    };
    let name = &columns[at].path[0];
    Some(format!(
        "column {name} can only be text because of what follows # in its values; if that is a comment, {remedy}"
    ))
}

/// The option for comments after rows that may be text.
const MARKED: &str = "--comments '#'";

/// Returns the options that read the start of a text without what follows `#` in its rows, if they read it.
fn option_for_ends(start: &str, name: &str, dialect: &Dialect) -> Option<&'static str> {
    let first_line = without_comments(start, name, dialect, b'#', has_rows)?;
    let is_row = first_line != dialect.first_line;
    Some(if is_row { "--comments '#' --no-header" } else { MARKED })
}

fn has_rows(table: &Table) -> bool {
    table.rows > 0
}

/// Returns true if a column has numbers, times or booleans alone.
fn has_value_column(table: &Table) -> bool {
    table.rows > 0 && table.columns.iter().any(|column| are_values(column.values.iter()))
}

/// Returns how the first line of a text is read without the comments that a mark begins, if the text can be read so, and the result is accepted.
fn without_comments(
    text: &str,
    name: &str,
    dialect: &Dialect,
    mark: u8,
    is_accepted: fn(&Table) -> bool,
) -> Option<FirstLine> {
    let all = [dialect.first_line, FirstLine::Row];
    let count = if dialect.first_line == FirstLine::Unknown { 2 } else { 1 };
    let is_text: fn(&str) -> bool = |_| false;
    all.into_iter().take(count).find(|&first_line| {
        let comments = Comments::Marked(mark);
        let dialect = Dialect { first_line, comments, ..dialect.clone() };
        columns(text.as_bytes(), name, &dialect, &[], is_text)
            .is_ok_and(|table| is_accepted(&table))
    })
}

/// The marks of comments of other programs.
const OTHER_MARKS: [u8; 7] = *b"%;!/*'>";

/// Returns the start of a text in which lines begin with the mark of another program, for a trial.
fn start_with_marks(text: &str) -> Option<String> {
    let start = end_comments::first_lines(text);
    let is_marked =
        |line: &str| line.bytes().next().is_some_and(|byte| OTHER_MARKS.contains(&byte));
    start.split(['\n', '\r']).any(is_marked).then(|| start.to_owned())
}

/// Returns the mark with which lines of the start of a text begin, and the options that read it without them.
fn option_for_marks(
    start: &str,
    name: &str,
    dialect: &Dialect,
    is_accepted: fn(&Table) -> bool,
) -> Option<(char, String)> {
    let is_used =
        |mark: &u8| start.split(['\n', '\r']).any(|line| line.as_bytes().first() == Some(mark));
    OTHER_MARKS.into_iter().filter(is_used).find_map(|mark| {
        let first_line = without_comments(start, name, dialect, mark, is_accepted)?;
        let is_row = first_line != dialect.first_line;
        let no_header = if is_row { " --no-header" } else { "" };
        let mark = char::from(mark);
        let word = shell::word(mark.to_string().as_bytes());
        Some((mark, format!("--comments {word}{no_header}")))
    })
}

/// A text, in which [`char::REPLACEMENT_CHARACTER`] is in the place of bytes that are not UTF-8, if there are any.
struct Text {
    text: String,
    is_utf8: bool,
}

impl Text {
    fn of(bytes: Vec<u8>) -> Self {
        match String::from_utf8(bytes) {
            Ok(text) => Text { text, is_utf8: true },
            Err(error) => {
                let text = String::from_utf8_lossy(error.as_bytes()).into_owned();
                Text { text, is_utf8: false }
            }
        }
    }
}

/// Reads the columns of a text.
fn parsed(
    text: Text,
    name: &str,
    dialect: &Dialect,
    known: &[&str],
    is_text: impl Fn(&str) -> bool,
) -> Result<Table> {
    let is_headless = dialect.first_line == FirstLine::Row;
    let delimiter = dialect.delimiter.unwrap_or(delimiter::COMMA);
    let mut lines = Lines::new(&text, name, delimiter, dialect.comments);
    // Without names in the file, the fields of a dtype are those of the columns by their order, unless it has their numbers.
    let is_index = |name: &&str| name.parse::<usize>().is_ok();
    let in_order = if known.iter().any(is_index) { &[] } else { known };
    let first = in_order.first().copied().unwrap_or("0");
    let start = lines.start(known, dialect.first_line, is_headless && is_text(first))?;
    let plain = lines.first_plain(2)?;
    let failure = |message| Failure::new(name, message);
    let comment = start.as_ref().and_then(|names| names.get(0).map(str::to_owned));
    let mut header = match (is_headless, start) {
        (false, Some(names)) => Names::plain(names.iter().map(str::to_owned).collect()),
        (false, None) => lines.names(dialect.first_line)?,
        (true, _) => {
            let count = lines.peek()?.map_or(0, Line::len);
            Names::plain(match in_order.len() {
                fields if fields == count => in_order.iter().map(|&name| name.to_owned()).collect(),
                fields @ 1.. if count > 0 => {
                    let columns = delimiter::fields_text(count);
                    return Err(failure(format!(
                        "the first row has {columns}, and --dtype {fields}"
                    )));
                }
                _ => (0..count).map(|at| at.to_string()).collect(),
            })
        }
    };
    if !is_headless && header.names != known {
        header.name_index();
        if dialect.first_line == FirstLine::Names {
            lines.remarks.extend(header.name_others());
        }
    }
    let names = &header.names;
    let undivided = match (&names[..], dialect.delimiter) {
        ([single], None) if is_headless || !names::is_written(single) => {
            // Without names, the first line decides.
            let plain = &plain[..plain.len().min(if is_headless { 1 } else { 2 })];
            delimiter::check(plain, comment.as_deref(), dialect.first_line).map_err(failure)?;
            None
        }
        ([_], Some(delimiter)) => delimiter::about_undivided(&plain, delimiter),
        _ => None,
    };
    let is_known = dialect.first_line != FirstLine::Unknown || *names == known;
    let mut rows = Rows::new(names.len(), &dialect.missing);
    lines.go_back();
    while let Some(start) = lines.find(&mut rows.ends)? {
        rows.push(start, &lines).map_err(failure)?;
    }
    if lines.splitter.is_open {
        let message = "the file ends within quotes: it is cut off, or a quote is missing";
        return Err(Failure::new(name, message));
    }
    let Lines { splitter: Splitter { syntax, .. }, mut remarks, .. } = lines;
    let Rows { columns, starts, ends, comments, .. } = rows;
    let missing = dialect.missing.clone();
    let mut cells = Cells { text: text.text, syntax, missing, columns, starts, ends };
    let is_first_text = names.first().is_some_and(|name| is_text(name));
    let about_comments = comments.leave_out(&mut cells, is_first_text).map_err(failure)?;
    let cells = Rc::new(cells);
    let values =
        |column: usize| Values::Fields(cells.clone(), column, Reading::Values(dialect.decimal));
    let named = names.iter().enumerate();
    let columns: Vec<Column> =
        named.map(|(at, name)| Column::new(vec![name.clone()], values(at))).collect();
    if !is_known {
        names::check(&columns, &header, dialect).map_err(failure)?;
    }
    let is_undivided = undivided.is_some();
    remarks.extend(undivided);
    if is_headless && cells.rows() == 2 && may_be_names(&columns) {
        let message =
            "row 0 is text, and row 1 is not; leave out --no-header if the first line has names";
        remarks.push(message.to_owned());
    }
    remarks.extend(header.remarks());
    remarks.extend(about_comments);
    Ok(Table { rows: cells.rows(), columns, records: None, is_headless, is_undivided, remarks })
}

/// Returns true if the first row has no value, and each field of the second one is a value. More rows would show in each column that the first one differs.
fn may_be_names(columns: &[Column]) -> bool {
    let are_values =
        |row| columns.iter().map(move |column| is_value(&column.values.get(row).text()));
    !are_values(0).any(|is_value| is_value) && are_values(1).all(|is_value| is_value)
}

/// The lines of a file. The first ones are read ahead.
struct Lines<'a> {
    splitter: Splitter<'a>,
    text: &'a Text,
    name: &'a str,
    delimiter: u8,
    comments: Comments,
    remarks: Vec<String>,
    /// Lines that were read and not yet used.
    ahead: VecDeque<Line>,
    /// True if all lines are comments.
    are_comments: bool,
}

impl<'a> Lines<'a> {
    fn new(text: &'a Text, name: &'a str, delimiter: u8, comments: Comments) -> Self {
        let comment = match comments {
            Comments::Marked(mark) => Some(mark),
            Comments::Unknown | Comments::None => None,
        };
        Lines {
            splitter: Splitter::new(&text.text, Syntax { delimiter, comment }),
            text,
            name,
            delimiter,
            comments,
            remarks: Vec::new(),
            ahead: VecDeque::new(),
            are_comments: false,
        }
    }

    /// Returns the mark of a line that may be a comment.
    fn mark(&self, line: &Line) -> Option<Mark> {
        let is_known = self.comments != Comments::Unknown;
        if is_known { None } else { Mark::of(line, self.delimiter) }
    }

    /// Skips the comments at the start, and returns the names of columns that the last of them has. Of a text column without names, a line with as many fields as the next one is a row.
    /// A line of `known` names has these, and none of them loses its mark.
    fn start(
        &mut self,
        known: &[&str],
        first_line: FirstLine,
        is_text: bool,
    ) -> Result<Option<Line>> {
        let is_headless = first_line == FirstLine::Row;
        let mut marked = Vec::new();
        while let Some(line) = self.next()? {
            if self.mark(&line).is_some() {
                marked.push(line);
                continue;
            }
            let Some(last) = marked.last() else {
                self.ahead.push_back(line);
                return Ok(None);
            };
            let third = self.next()?;
            let is_known = !is_headless && last.iter().eq(known.iter().copied());
            let start = match last {
                last if is_text && last.len() == line.len() => Start::Rows,
                last if is_known => Start::Names(last.clone()),
                last => Start::of(last, &line, third.as_ref(), self.delimiter, is_headless),
            };
            if matches!(start, Start::Comments) && !is_headless {
                let number = self.splitter.number(last.start);
                comments::check_count(last, &line, self.delimiter, number)
                    .map_err(|message| Failure::new(self.name, message))?;
            }
            // Such a line could also be a row, or have the name of the only column.
            let has_fields = |marked: &Line| marked.len() > 1 || marked.len() == line.len();
            if matches!(start, Start::Comments) && marked.iter().any(has_fields) {
                let message = "lines at the start begin with #: left out, as comments; --comments '' keeps them";
                self.remarks.push(message.to_owned());
            }
            // Without values, the line after it may have the names, and by an option, with values.
            let has_values = first_line != FirstLine::Names && line.iter().any(is_value);
            let is_certain = is_known || has_values;
            if matches!(start, Start::Names(_)) && !is_certain {
                let message = "the names of the columns are those of a line that begins with #; --comments '#' leaves it out";
                self.remarks.push(message.to_owned());
            }
            if matches!(start, Start::Rows) {
                self.ahead.extend(marked);
            }
            self.ahead.extend([line].into_iter().chain(third));
            return Ok(if let Start::Names(names) = start { Some(names) } else { None });
        }
        self.are_comments = !marked.is_empty();
        self.ahead.extend(marked);
        Ok(None)
    }

    /// Returns the next line, which stays.
    fn peek(&mut self) -> Result<Option<&Line>> {
        self.read_ahead(1)?;
        Ok(self.ahead.front())
    }

    /// Returns the first lines that are not comments, which stay.
    fn first_plain(&mut self, count: usize) -> Result<Vec<&'a str>> {
        let text = &self.text.text;
        let mut plain = Vec::new();
        for at in 0.. {
            self.read_ahead(at + 1)?;
            let Some(line) = self.ahead.get(at).filter(|_| plain.len() < count) else { break };
            if self.mark(line).is_none() {
                plain.push(&text[line.start..line.end]);
            }
        }
        Ok(plain)
    }

    /// Reads lines ahead, until there are that many of them.
    fn read_ahead(&mut self, count: usize) -> Result<()> {
        while self.ahead.len() < count
            && let Some(line) = self.read()?
        {
            self.ahead.push_back(line);
        }
        Ok(())
    }

    /// Reads the lines that have the names of the columns. Comments without a line after them have none.
    fn names(&mut self, first_line: FirstLine) -> Result<Names> {
        /// The most levels that names have.
        const MAX_LEVELS: usize = 8;
        if self.are_comments && first_line == FirstLine::Unknown {
            let message = "all of its lines begin with #, as comments do, and there are no rows; npy convert --header reads the first as names, and --no-header all of them as rows";
            return Err(Failure::new(self.name, message));
        }
        let first = self.next()?.unwrap_or_default();
        if first_line != FirstLine::Unknown {
            return Ok(Names::plain(first.iter().map(str::to_owned).collect()));
        }
        self.read_ahead(MAX_LEVELS)?;
        let names = Names::of(&first, &self.ahead.iter().collect::<Vec<_>>());
        self.ahead.drain(..names.lines - 1);
        Ok(names)
    }

    fn next(&mut self) -> Result<Option<Line>> {
        match self.ahead.pop_front() {
            Some(line) => Ok(Some(line)),
            None => self.read(),
        }
    }

    fn read(&mut self) -> Result<Option<Line>> {
        let mut ends = Vec::new();
        let start = self.find(&mut ends)?;
        Ok(start.map(|start| self.splitter.line(start, &ends)))
    }

    /// Goes back to the lines that were read ahead.
    fn go_back(&mut self) {
        if let Some(line) = self.ahead.drain(..).next() {
            self.splitter.go_to(line.start);
        }
    }

    /// Finds the next line, as [`Splitter::next`] does.
    fn find(&mut self, ends: &mut Vec<u32>) -> Result<Option<usize>> {
        let found = self.splitter.next(ends).map_err(|message| Failure::new(self.name, message))?;
        // Comments may have any bytes.
        if let Some(start) = found
            && !self.text.is_utf8
            && let Some(end) = ends.last()
            && self.text.text[start..start + *end as usize].contains(char::REPLACEMENT_CHARACTER)
        {
            let number = self.splitter.number(start);
            return Err(Failure::new(
                self.name,
                format!(
                    "line {number}: the text is not UTF-8; iconv -f WINDOWS-1252 -t UTF-8 converts that of old programs"
                ),
            ));
        }
        Ok(found)
    }
}

/// The rows: where they and their fields are.
struct Rows<'a> {
    columns: usize,
    starts: Vec<usize>,
    ends: Vec<u32>,
    missing: &'a [String],
    comments: Marked,
}

impl<'a> Rows<'a> {
    fn new(columns: usize, missing: &'a [String]) -> Self {
        let (starts, ends, comments) = (Vec::new(), Vec::new(), Marked::default());
        Rows { columns, starts, ends, missing, comments }
    }

    /// Adds a line, whose ends were added already.
    fn push(&mut self, start: usize, lines: &Lines<'_>) -> Result<(), String> {
        let known = self.starts.len() * self.columns;
        let ends = &self.ends[known..];
        let line = || lines.splitter.line(start, ends);
        // Most lines need no copy.
        let is_marked = lines.text.text[start..].starts_with('#');
        let mark = if is_marked { lines.mark(&line()) } else { None };
        if ends.len() != self.columns {
            let message = || {
                let advice = match ends.len() < self.columns {
                    true => "add what is missing",
                    false if line().iter().last() == Some("") => "the last field is empty",
                    false => {
                        "put quotes around a field that has the delimiter in it, and write numbers with a point, not a comma"
                    }
                };
                format!(
                    "line {} has {}, and those before have {}; {advice}",
                    lines.splitter.number(start),
                    delimiter::fields_text(ends.len()),
                    self.columns
                )
            };
            let Some(mark) = mark else {
                // More comments or titles may follow.
                let is_title = self.starts.is_empty() && self.columns == 1 && ends.len() > 1;
                let number = lines.splitter.number(start);
                let advice = match is_title {
                    true => {
                        let program = format!("tail -n +{number}");
                        let copy = copy::advice(lines.name, &program, "leaves it out");
                        format!("; if a title precedes it, {copy}")
                    }
                    false => String::new(),
                };
                return Err(message() + &advice);
            };
            self.comments.uneven.push(mark);
            if mark == Mark::Unclear && self.comments.message.is_none() {
                let advice = "--comments '#' leaves out lines that begin with #";
                self.comments.message = Some(format!("{}; {advice}", message()));
            }
            self.ends.truncate(known);
            return Ok(());
        }
        // Such as `#N/A` of spreadsheets.
        let is_missing = |text: &str| self.missing.iter().any(|it| it == text);
        if let Some(mark) = mark
            && !line().get(0).is_some_and(is_missing)
        {
            self.comments.rows.push((self.starts.len(), mark));
        }
        self.starts.push(start);
        Ok(())
    }
}

/// The lines that begin with `#`.
#[derive(Default)]
struct Marked {
    rows: Vec<(usize, Mark)>,
    /// The marks of those that have another number of fields.
    uneven: Vec<Mark>,
    /// The error for the first of these that is not certain to be a comment.
    message: Option<String>,
}

impl Marked {
    /// Removes the rows that begin with `#`, if the first column otherwise has numbers, times or booleans. Of text, only those are removed whose mark shows a comment, and none if a dtype
    /// says that it is text. Returns a remark.
    fn leave_out(self, cells: &mut Cells, is_first_text: bool) -> Result<Option<String>, String> {
        if self.rows.is_empty() && self.uneven.is_empty() {
            return Ok(None);
        }
        let is_marked = |row: &usize| self.rows.binary_search_by_key(row, |found| found.0).is_ok();
        let rows = (0..cells.rows()).filter(|row| !is_marked(row));
        let are_values = self.rows.len() < cells.rows()
            && !is_first_text
            && are_values(rows.map(|row| cells.value(row, 0)));
        if let Some(message) = self.message.filter(|_| !are_values) {
            return Err(message);
        }
        let comments = self.rows.iter().filter(|(_, mark)| are_values || *mark == Mark::Comment);
        let mut left_out: Vec<usize> = comments.map(|(row, _)| *row).collect();
        // Lines of a table that has no others are its rows.
        if is_first_text || left_out.len() == cells.rows() {
            left_out.clear();
        }
        cells.remove(&left_out);
        let kept = self.rows.len() - left_out.len();
        let count = self.uneven.len() + left_out.len();
        let are = |count: usize| if count == 1 { "is" } else { "are" };
        let (lines, them) = match count.max(kept) {
            1 => ("line begins", "it"),
            _ => ("lines begin", "them"),
        };
        Ok(match (count, kept) {
            (1.., _) if are_values => {
                let lines = lines.replace(' ', " after the first row ");
                Some(format!("{count} {lines} with #: left out, as comments"))
            }
            (1.., 1..) if is_first_text => Some(format!(
                "{count} of the lines that begin with # {} another number of fields: left out, as comments",
                if count == 1 { "has" } else { "have" }
            )),
            (1.., 0) => Some(format!(
                "{count} {lines} with # and a blank: left out, as comments; --comments '' keeps {them}"
            )),
            (1.., _) => Some(format!(
                "{count} {} with # and a blank at the start {} left out, as comments, and {kept} with # alone {} kept, as text; --comments '' keeps both, and --comments '#' none",
                if count == 1 { "line" } else { "lines" },
                are(count),
                are(kept)
            )),
            (0, 1..) if !is_first_text => Some(format!(
                "{kept} {lines} with #: kept, as text; --comments '#' leaves {them} out"
            )),
            _ => None,
        })
    }
}

/// Returns true for a row of numbers, times or booleans; missing values may be among them.
fn are_values<'a>(values: impl Iterator<Item = Value<'a>>) -> bool {
    let (mut known, mut missing) = (0usize, 0usize);
    for value in values {
        match value {
            Value::Text(text) if is_value(&text) => known += 1,
            Value::Text(text) if MISSING.contains(&text.trim()) => missing += 1,
            Value::Text(_) => return false,
            _ => {}
        }
    }
    // Without any value, such a text may be text.
    known > 0 || missing == 0
}

#[cfg(test)]
mod tests {
    use super::{Dialect, FirstLine, Text, parsed};
    use crate::output::Failure;

    /// Reads a text, and returns the names of the columns, the first column, and the remarks or the error.
    fn read(text: &str, dialect: &Dialect) -> (String, Vec<String>, String) {
        let text = Text { text: text.to_owned(), is_utf8: true };
        let table = match parsed(text, "x.csv", dialect, &[], |_| false) {
            Ok(read) => read,
            Err(Failure::Message(message)) => return (String::new(), Vec::new(), message),
            Err(other) => panic!("{other:?}"),
        };
        let names: Vec<&str> = table.columns.iter().map(|column| &*column.path[0]).collect();
        let values = table.columns[0].values.iter().map(|value| value.text().into_owned());
        (names.join(","), values.collect(), table.remarks.join(" "))
    }

    /// Guards a text in quotes, which begins no comment.
    #[test]
    fn a_field_in_quotes_is_not_a_comment() {
        let blanks = Dialect { delimiter: Some(b' '), ..Dialect::default() };
        for (text, dialect, names, values) in [
            ("a,b\n1,x\n\"#1\",x\n2,y\n", &Dialect::default(), "a,b", &["1", "#1", "2"][..]),
            ("a\n1\n\r\n\n\"#1\"\n2\n", &Dialect::default(), "a", &["1", "#1", "2"]),
            ("\"#1\",b\n1,2\n", &Dialect::default(), "#1,b", &["1"]),
            ("a b\n  1   2\n \"#1\"\t3\n", &blanks, "a,b", &["1", "#1"]),
            ("a,b\n1,x\n#1,x\n2,y\n", &Dialect::default(), "a,b", &["1", "2"]),
        ] {
            let (found, column, remarks) = read(text, dialect);
            assert_eq!(
                (&*found, &column[..]),
                (names, &values.iter().map(|&it| it.to_owned()).collect::<Vec<_>>()[..]),
                "{text:?} {remarks}"
            );
        }
    }

    /// Guards tables as `to_csv` of pandas writes them, and lines that may be rows.
    #[test]
    fn an_index_without_a_name_gets_one() {
        for (text, names, remark) in [
            (
                ",id,v\n0,a,1\n1,b,2\n",
                "index,id,v",
                "the first column has no name: it is \"index\"",
            ),
            (",id\nx,1\ny,2\n", "index,id", "it is \"index\""),
            (",0,1\n0,0.5,1\n1,2,3\n", "index,0,1", "it is \"index\""),
            (
                ",,v\na,1,1\nb,2,2\n",
                "level_0,level_1,v",
                "columns have no name: they are level_0, level_1",
            ),
            (
                ",x,x\n,a,b\nid,,\n0,1,2\n",
                "id,x.a,x.b",
                "the first 3 lines have the names of the columns, such as \"x.b\"",
            ),
            (",x,x\n,1,2\n0,1,2\n", "index,x.1,x.2", "it is \"index\""),
            ("a,b\n1,2\n", "a,b", ""),
            (",v\n,x\n,y\n", "", "the first line may be a row, because its field 0 is empty"),
            (",v\n", "", "field 0 is empty"),
            (
                ",2,3\n0,4,5\n",
                "",
                "the first line may be a row, because its field 1, \"2\", is a value",
            ),
            (",\n1,2\n", "", "field 0 is empty"),
            ("a,,b\n1,2,3\n", "", "field 1 is empty"),
            (
                "# a\n# b\n",
                "",
                "all of its lines begin with #, as comments do, and there are no rows",
            ),
        ] {
            let (found, _, said) = read(text, &Dialect::default());
            assert_eq!(found, names, "{text:?}: {said}");
            assert!(
                said.contains(remark) && said.is_empty() == remark.is_empty(),
                "{text:?}: {said}"
            );
        }
        let with_header = Dialect { first_line: FirstLine::Names, ..Dialect::default() };
        assert_eq!(read("# a\n# b\n", &with_header).0, "# a");
        assert_eq!(read(",v\n,x\n", &with_header).0, "index,v");
        assert_eq!(read("f1,,v,\n1,2,3,4\n", &with_header).0, "f1,f2,v,f3");
    }
}
