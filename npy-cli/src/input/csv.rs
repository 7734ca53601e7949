//! CSV: a line of names, unless there are none, and a line for each row.

use std::borrow::Cow;
use std::collections::VecDeque;
use std::io::Read;

use csv::StringRecord;

use super::Table;
use super::blanks::single_blanks;
use super::column::Column;
use super::comments::{self, Mark, Start};
use super::delimiter;
use super::guess::is_value;
use super::names::{self, Names};
use super::quotes;
use super::value::{MISSING, Value};
use crate::output::{Failure, Of, Result, complain};

/// How a file is written.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Dialect {
    /// The byte between two fields, if it is known.
    pub(crate) delimiter: Option<u8>,
    pub(crate) first_line: FirstLine,
    /// The text of a missing value, in addition to the empty text.
    pub(crate) missing: Vec<String>,
    pub(crate) comments: Comments,
}

/// The lines that are comments.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) enum Comments {
    /// Lines that begin with `#`, unless they have names or may be rows.
    #[default]
    Unknown,
    /// Lines that begin with this character. They have no names.
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
    let (content, stated) = delimiter::stated(&all);
    let known_delimiter = dialect.delimiter.or(stated);
    // Text for a dtype may have numbers between blanks.
    let becomes_text = || is_text("0") || known.iter().any(|name| is_text(name));
    let are_blanks = known_delimiter.is_none()
        && !becomes_text()
        && delimiter::are_blanks(content, dialect.comments);
    let known_delimiter = if are_blanks { Some(b' ') } else { known_delimiter };
    let dialect = Dialect { delimiter: known_delimiter, ..dialect.clone() };
    let delimiter = known_delimiter.unwrap_or(delimiter::COMMA);
    let text = match dialect.comments {
        Comments::Marked(mark) => Cow::Owned(quotes::without_comments(content, mark, delimiter)),
        Comments::Unknown | Comments::None => Cow::Borrowed(content),
    };
    let parse = |text: &[u8]| {
        let table = parsed(text, name, &dialect, known, &is_text);
        table.map_err(|failure| match are_blanks {
            true => failure.with(&format!("; {BLANKS}")),
            false => failure,
        })
    };
    let has_values = |(table, _): &(Table, _)| {
        let has_values =
            |column: &Column| !is_text(&column.path[0]) && are_values(column.values.iter());
        table.rows > 0 && table.columns.first().is_some_and(has_values)
    };
    let closed = match dialect.comments {
        Comments::Unknown => quotes::closed_comments(&text, delimiter),
        Comments::Marked(_) | Comments::None => None,
    };
    let (table, mut remarks) = match closed.map(|text| parse(&text)) {
        None => parse(&text)?,
        Some(Ok(closed)) if has_values(&closed) => closed,
        // In a column of text, a line that begins with # may be a row of several lines. Otherwise a row is wrong that the quotes would hide.
        Some(closed) => {
            let raw = parse(&text)?;
            if has_values(&raw) { closed? } else { raw }
        }
    };
    if are_blanks {
        remarks.push(BLANKS.to_owned());
    }
    remarks.into_iter().for_each(|remark| complain(&Failure::new(name, remark)));
    Ok(table)
}

/// Reads the columns of a text, with remarks.
fn parsed(
    text: &[u8],
    name: &str,
    dialect: &Dialect,
    known: &[&str],
    is_text: impl Fn(&str) -> bool,
) -> Result<(Table, Vec<String>)> {
    let is_headless = dialect.first_line == FirstLine::Row;
    let delimiter = dialect.delimiter.unwrap_or(delimiter::COMMA);
    let text = match delimiter {
        b' ' => Cow::Owned(single_blanks(text)),
        _ => Cow::Borrowed(text),
    };
    let mut lines = Lines::new(&text, name, delimiter, dialect.comments);
    // Without names in the file, the fields of a dtype are those of the columns by their order, unless it has their numbers.
    let is_index = |name: &&str| name.parse::<usize>().is_ok();
    let in_order = if known.iter().any(is_index) { &[] } else { known };
    let first = in_order.first().copied().unwrap_or("0");
    let start = lines.start(known, is_headless, is_headless && is_text(first))?;
    let failure = |message| Failure::new(name, message);
    let mut header = match (is_headless, start) {
        (false, Some(names)) => Names::plain(names.iter().map(str::to_owned).collect()),
        (false, None) => lines.names(dialect.first_line)?,
        (true, _) => {
            let count = lines.peek()?.map_or(0, StringRecord::len);
            Names::plain(match in_order.len() == count {
                true => in_order.iter().map(|&name| name.to_owned()).collect(),
                false => (0..count).map(|at| at.to_string()).collect(),
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
    let first_row = lines.peek()?;
    if let ([single], None) = (&names[..], dialect.delimiter) {
        let texts =
            [Some(&**single).filter(|_| !is_headless), first_row.and_then(|row| row.get(0))];
        delimiter::check(&texts, dialect.first_line).map_err(failure)?;
    }
    let is_known = dialect.first_line != FirstLine::Unknown || *names == known;
    let mut rows = Rows::new(names, &dialect.missing);
    let mut line = StringRecord::new();
    while lines.next_into(&mut line)? {
        rows.push(&line, lines.mark(&line)).map_err(failure)?;
    }
    if quotes::are_open(&text, delimiter) {
        let message = "the file ends within quotes: it is cut off, or a quote is missing";
        return Err(Failure::new(name, message));
    }
    let is_first_text = rows.columns.first().is_some_and(|column| is_text(&column.path[0]));
    let about_comments = rows.leave_out_comments(is_first_text).map_err(failure)?;
    if !is_known {
        names::check(&rows.columns, &header, &dialect.missing).map_err(failure)?;
    }
    let mut remarks = lines.remarks;
    remarks.extend(header.remarks());
    remarks.extend(about_comments);
    Ok((Table { rows: rows.count, columns: rows.columns, records: None }, remarks))
}

/// The lines of a file. The first ones are read ahead.
struct Lines<'a> {
    reader: csv::Reader<&'a [u8]>,
    text: &'a [u8],
    name: &'a str,
    delimiter: u8,
    comments: Comments,
    remarks: Vec<String>,
    /// Lines that were read and not yet used.
    ahead: VecDeque<StringRecord>,
    /// True if all lines are comments.
    are_comments: bool,
}

impl<'a> Lines<'a> {
    fn new(text: &'a [u8], name: &'a str, delimiter: u8, comments: Comments) -> Self {
        let reader = csv::ReaderBuilder::new()
            .delimiter(delimiter)
            .has_headers(false)
            .flexible(true)
            .from_reader(text);
        Lines {
            reader,
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
    fn mark(&self, line: &StringRecord) -> Option<Mark> {
        let is_known = self.comments != Comments::Unknown;
        if is_known { None } else { Mark::of(line, self.text, self.delimiter) }
    }

    /// Skips the comments at the start, and returns the names of columns that the last of them has. Of a text column without names, a line with as many fields as the next one is a row.
    /// A line of `known` names has these, and none of them loses its mark.
    fn start(
        &mut self,
        known: &[&str],
        is_headless: bool,
        is_text: bool,
    ) -> Result<Option<StringRecord>> {
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
                comments::check_count(last, &line, self.delimiter)
                    .map_err(|message| Failure::new(self.name, message))?;
            }
            if matches!(start, Start::Comments) && marked.iter().any(|line| line.len() > 1) {
                let message = "lines at the start begin with #: left out, as comments; --comments '' keeps them";
                self.remarks.push(message.to_owned());
            }
            // Without values, the line after it may have the names.
            let is_certain = is_known || line.iter().any(is_value);
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
    fn peek(&mut self) -> Result<Option<&StringRecord>> {
        self.read_ahead(1)?;
        Ok(self.ahead.front())
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

    fn next(&mut self) -> Result<Option<StringRecord>> {
        let mut line = StringRecord::new();
        Ok(self.next_into(&mut line)?.then_some(line))
    }

    /// Replaces a line by the next one; false after the last.
    fn next_into(&mut self, line: &mut StringRecord) -> Result<bool> {
        match self.ahead.pop_front() {
            Some(next) => *line = next,
            None => return self.read_into(line),
        }
        Ok(true)
    }

    fn read(&mut self) -> Result<Option<StringRecord>> {
        let mut line = StringRecord::new();
        Ok(self.read_into(&mut line)?.then_some(line))
    }

    fn read_into(&mut self, line: &mut StringRecord) -> Result<bool> {
        self.reader.read_record(line).map_err(|error| match error.kind() {
            csv::ErrorKind::Utf8 { pos, .. } => {
                let line =
                    pos.as_ref().map_or(String::new(), |pos| format!("line {}: ", pos.line()));
                let message =
                    "the text is not UTF-8; iconv -f LATIN1 -t UTF-8 converts that of old programs";
                Failure::new(self.name, line + message)
            }
            _ => Failure::new(self.name, error),
        })
    }
}

/// The rows, by columns.
struct Rows<'a> {
    columns: Vec<Column>,
    count: usize,
    missing: &'a [String],
    /// The rows that begin with `#`.
    marked: Vec<(usize, Mark)>,
    /// The marks of lines that begin with `#` and have another number of fields.
    uneven: Vec<Mark>,
    /// The error for the first of them that is not certain to be a comment.
    message: Option<String>,
}

impl<'a> Rows<'a> {
    fn new(names: &[String], missing: &'a [String]) -> Self {
        let columns = names.iter().map(|name| Column::new(vec![name.clone()], true)).collect();
        let (marked, uneven) = (Vec::new(), Vec::new());
        Rows { columns, count: 0, missing, marked, uneven, message: None }
    }

    fn push(&mut self, line: &StringRecord, mark: Option<Mark>) -> Result<(), String> {
        if line.len() != self.columns.len() {
            let at = line.position().map_or(0, csv::Position::line);
            let message = format!(
                "line {at} has {} fields, and those before have {}; add what is missing, and put quotes around a field that has the delimiter in it",
                line.len(),
                self.columns.len()
            );
            let Some(mark) = mark else { return Err(message) };
            self.uneven.push(mark);
            if mark == Mark::Unclear && self.message.is_none() {
                let advice = "--comments '#' leaves out lines that begin with #";
                self.message = Some(format!("{message}; {advice}"));
            }
            return Ok(());
        }
        // Such as `#N/A` of spreadsheets.
        let is_missing = |text: &str| text.is_empty() || self.missing.iter().any(|it| it == text);
        if let Some(mark) = mark
            && !line.get(0).is_some_and(is_missing)
        {
            self.marked.push((self.count, mark));
        }
        for (column, text) in self.columns.iter_mut().zip(line) {
            column.push(if is_missing(text) { Value::Missing } else { Value::Text(text.into()) });
        }
        self.count += 1;
        Ok(())
    }

    /// Removes the rows that begin with `#`, if the first column otherwise has numbers, times or booleans. Of text, only those are removed whose mark shows a comment, and none if a dtype
    /// says that it is text. Returns a remark.
    fn leave_out_comments(&mut self, is_first_text: bool) -> Result<Option<String>, String> {
        if self.marked.is_empty() && self.uneven.is_empty() {
            return Ok(None);
        }
        let is_marked =
            |row: usize| self.marked.binary_search_by_key(&row, |found| found.0).is_ok();
        let first = self.columns.first().map_or(&[][..], |column| &column.values[..]);
        let rows = first.iter().enumerate().filter(|(row, _)| !is_marked(*row));
        let are_values = self.marked.len() < self.count
            && !is_first_text
            && are_values(rows.map(|(_, value)| value));
        if let Some(message) = self.message.take().filter(|_| !are_values) {
            return Err(message);
        }
        let comments = self.marked.iter().filter(|(_, mark)| are_values || *mark == Mark::Comment);
        let mut left_out: Vec<usize> = comments.map(|(row, _)| *row).collect();
        // Lines of a table that has no others are its rows.
        if is_first_text || left_out.len() == self.count {
            left_out.clear();
        }
        let kept = self.marked.len() - left_out.len();
        for column in &mut self.columns {
            let mut rows = 0..;
            let is_kept = |row: usize| left_out.binary_search(&row).is_err();
            column.values.retain(|_| rows.next().is_none_or(is_kept));
        }
        self.count -= left_out.len();
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
fn are_values<'a>(values: impl Iterator<Item = &'a Value>) -> bool {
    let (mut known, mut missing) = (0usize, 0usize);
    for value in values {
        match value {
            Value::Text(text) if is_value(text) => known += 1,
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
    use super::super::value::Value;
    use super::{Dialect, FirstLine, parsed};
    use crate::output::Failure;

    /// Reads a text, and returns the names of the columns, the first column, and the remarks or the error.
    fn read(text: &str, dialect: &Dialect) -> (String, Vec<String>, String) {
        let (table, remarks) = match parsed(text.as_bytes(), "x.csv", dialect, &[], |_| false) {
            Ok(read) => read,
            Err(Failure::Message(message)) => return (String::new(), Vec::new(), message),
            Err(other) => panic!("{other:?}"),
        };
        let names: Vec<&str> = table.columns.iter().map(|column| &*column.path[0]).collect();
        let values = table.columns[0].values.iter().map(Value::text).collect();
        (names.join(","), values, remarks.join(" "))
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
