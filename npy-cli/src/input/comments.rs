//! Lines of CSV that begin with `#`: the names of the columns, and comments, as `np.savetxt` writes both.

use super::encode::excerpt;
use super::guess::is_value;
use super::split::Line;

/// The values of cells that a spreadsheet could not compute, as it writes them and pandas reads them.
const ERRORS: [&str; 9] =
    ["#N/A", "#NA", "#N/A N/A", "#DIV/0!", "#NAME?", "#NULL!", "#NUM!", "#REF!", "#VALUE!"];

/// The start of a line that may be a comment.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Mark {
    /// `#` and a blank, as `np.savetxt` writes it.
    Comment,
    /// `#` and something else, such as a color; or a line of several lines, whose quotes could hide rows.
    Unclear,
}

impl Mark {
    /// Returns the mark of a line; `None` if it is not a comment, as one whose first field has quotes.
    pub(super) fn of(line: &Line, delimiter: u8) -> Option<Self> {
        let is_marked = |field: &&str| field.starts_with('#') && !ERRORS.contains(field);
        let first = line.get(0).filter(|_| !line.is_quoted).filter(is_marked)?;
        let rest = first.trim_start_matches('#');
        // If a blank is the delimiter, none is in the field.
        let has_blank = match rest {
            "" => delimiter == b' ' || line.len() == 1,
            rest => rest.starts_with([' ', '\t']),
        };
        let is_one_line = !line.iter().any(|field| field.contains(['\n', '\r']));
        Some(if has_blank && is_one_line { Mark::Comment } else { Mark::Unclear })
    }
}

/// Returns true for text that is a number.
pub(super) fn is_number(text: &str) -> bool {
    text.trim().parse::<f64>().is_ok()
}

/// The lines at the start of a file that begin with `#`.
pub(super) enum Start {
    /// They are rows, or the names of columns that begin with `#`.
    Rows,
    /// They are comments.
    Comments,
    /// They are comments, and the last one has the names of the columns.
    Names(Line),
}

impl Start {
    /// Decides by the last of these lines and the two lines that follow it. `is_headless`: no line has names.
    pub(super) fn of(
        last: &Line,
        next: &Line,
        third: Option<&Line>,
        delimiter: u8,
        is_headless: bool,
    ) -> Self {
        let has_value = |line: &Line| line.iter().any(is_value);
        let is_next_names = !has_value(next) && third.is_some_and(has_value);
        let are_values =
            has_value(next) && next.iter().all(|field| field.is_empty() || is_value(field));
        let has_mark = last.get(0).is_some_and(|field| field == "#" || field.starts_with("# "));
        let names = without_mark(last, delimiter);
        match names.len() == next.len() {
            // A name such as `#id` is kept, unless numbers, times or booleans follow.
            true if are_values => Start::Names(names),
            true if is_headless => Start::Rows,
            true if has_mark && is_next_names => Start::Comments,
            true if has_mark && !names.iter().any(str::is_empty) => Start::Names(names),
            true => Start::Rows,
            false => Start::Comments,
        }
    }
}

/// Refuses names before a row of numbers, times or booleans that has another number of fields: that row, the first, would be lost as names. `number` is that of the line.
pub(super) fn check_count(
    names: &Line,
    row: &Line,
    delimiter: u8,
    number: usize,
) -> Result<(), String> {
    let (count, columns) = (without_mark(names, delimiter).len(), row.len());
    if count < 2 || count == columns || !row.iter().all(is_value) {
        return Ok(());
    }
    let text = names.iter().collect::<Vec<_>>().join(&char::from(delimiter).to_string());
    Err(format!(
        "line {number}, `{}`, has {count} names for {columns} columns; give it {columns}, or npy convert --no-header reads the rows without names",
        excerpt(&text)
    ))
}

/// Returns the fields of a comment, trimmed, without the mark. A field that is the mark alone is a name, unless blanks separate the fields.
fn without_mark(line: &Line, delimiter: u8) -> Line {
    let is_mark = |field: &str| field == "#";
    let skipped = usize::from(delimiter == b' ' && line.get(0).is_some_and(is_mark));
    let fields = line.iter().enumerate().skip(skipped).map(|(at, field)| match at {
        0 if !is_mark(field) => field.trim_start_matches('#').trim(),
        _ => field.trim(),
    });
    fields.collect()
}

#[cfg(test)]
mod tests {
    use super::{Line, Mark, Start};

    #[test]
    fn errors_of_spreadsheets_begin_rows() {
        let mark = |first: &str| Mark::of(&[first, "1"].into_iter().collect(), b',');
        assert_eq!((mark("#N/A"), mark("#DIV/0!"), mark("x")), (None, None, None));
        for first in ["#N/A is missing", "#", "#ff0000", "# a\nb"] {
            assert_eq!(mark(first), Some(Mark::Unclear), "{first}");
        }
        assert_eq!((mark("# a"), mark("##\tb")), (Some(Mark::Comment), Some(Mark::Comment)));
    }

    #[test]
    fn names_are_those_before_numbers() {
        for (last, next, expected) in [
            (&["# x", "y"][..], &["1", "2.5"][..], Some(&["x", "y"][..])),
            (&["#x", "y"], &["1", ""], Some(&["x", "y"])),
            (&["#t", "z"], &["2024-01-31", "(1+2j)"], Some(&["t", "z"])),
            (&["# name", "y"], &["bob", "2"], Some(&["name", "y"])),
            (&["#name", "y"], &["bob", "2"], None),
            (&["#", "y"], &["1", "2"], Some(&["#", "y"])),
            (&["#ff0000", "red"], &["#00ff00", "green"], None),
        ] {
            let lines = [last, next].map(|fields| fields.iter().collect::<Line>());
            match (Start::of(&lines[0], &lines[1], None, b',', false), expected) {
                (Start::Names(names), Some(expected)) => {
                    assert_eq!(names.iter().collect::<Vec<_>>(), expected);
                }
                (Start::Rows, None) => {}
                _ => panic!("{last:?}"),
            }
        }
        let lines = [&["#", "x", "y"][..], &["1", "2"]].map(|line| line.iter().collect());
        let of = |delimiter| Start::of(&lines[0], &lines[1], None, delimiter, false);
        assert!(matches!(of(b' '), Start::Names(_)));
        assert!(matches!(of(b','), Start::Comments));
        let lines = [&["# a note", " with a comma"][..], &["x", "y"], &["bob", "2"]];
        let [note, names, row] = lines.map(|line| line.iter().collect::<Line>());
        assert!(matches!(Start::of(&note, &names, Some(&row), b',', false), Start::Comments));
        // A row that begins with the mark is not lost.
        assert!(matches!(Start::of(&note, &row, None, b',', true), Start::Rows));
    }
}
