//! The delimiter of CSV: the one that the file states, blanks as `np.savetxt` writes them, and the advice for others.

use std::borrow::Cow;

use super::comments;
use super::csv::{Comments, FirstLine};
use super::encode::excerpt;
use super::guess::{is_value, kind_of_text};
use super::kind::Kind;

/// The delimiter, if no other one is known.
pub(super) const COMMA: u8 = b',';

/// Returns the text after `sep=;`, and its delimiter. Excel expects it at the start of a file, and other programs write it there.
pub(crate) fn stated(text: &[u8]) -> (&[u8], Option<u8>) {
    let start = text.strip_prefix(b"\"").unwrap_or(text);
    let is_quoted = start.len() < text.len();
    if let Some([delimiter, rest @ ..]) = start.strip_prefix(b"sep=")
        && let Some(rest) = if is_quoted { rest.strip_prefix(b"\"") } else { Some(rest) }
        && matches!(rest, [b'\n' | b'\r', ..])
        && (*delimiter == b'\t' || delimiter.is_ascii() && !delimiter.is_ascii_control())
    {
        // The empty line stays, for the numbers of lines in messages.
        return (rest, Some(*delimiter));
    }
    (text, None)
}

/// The number of lines whose fields are looked at.
const FIRST_LINES: usize = 8;

/// Returns true for text as `np.loadtxt` reads it: the first lines, except for comments, are numbers between blanks, as many in each line, and without zeros that may count.
/// Integers are not enough if they may be the thousands of one number, such as `10 500`, unless a comment precedes them. Nor are tabs, if each is
/// between two numbers: they may be the delimiter, so that two of them have an empty field between them.
pub(super) fn are_blanks(text: &[u8], comments: Comments) -> bool {
    let mark = comments.mark();
    let is_comment = |line: &[u8]| line.first().is_some_and(|byte| Some(*byte) == mark);
    let mut has_comment = false;
    let (mut has_tab, mut has_blank) = (false, false);
    let mut rows: Vec<Vec<&str>> = Vec::new();
    let lines = text.split(|byte| matches!(byte, b'\n' | b'\r'));
    for line in lines.filter(|line| !line.trim_ascii().is_empty()) {
        if is_comment(line.trim_ascii()) {
            has_comment |= rows.is_empty();
            continue;
        }
        // Those that may be text were left out before.
        let row = match comments {
            Comments::Marked(mark) => line.split(|byte| *byte == mark).next().unwrap_or(line),
            Comments::Unknown | Comments::None => line,
        };
        let Ok(line) = str::from_utf8(row) else { return false };
        let fields: Vec<&str> = line.split_whitespace().collect();
        let width = rows.first().map_or(fields.len(), Vec::len);
        if fields.len() != width || width < 2 || !fields.iter().all(|field| is_number(field)) {
            return false;
        }
        if line.contains('\t') {
            has_tab = true;
            let cells: Vec<Vec<&str>> =
                line.split('\t').map(|cell| cell.split_whitespace().collect()).collect();
            // An empty field, or a number with its thousands, is between two tabs.
            if cells.iter().any(|cell| cell.is_empty() || cell.len() > 1 && are_thousands(cell)) {
                return false;
            }
            has_blank |= cells.iter().any(|cell| cell.len() > 1);
        } else {
            has_blank = true;
        }
        rows.push(fields);
        if rows.len() == FIRST_LINES {
            break;
        }
    }
    !rows.is_empty()
        && (has_blank || !has_tab)
        && (has_comment || !rows.iter().all(|row| are_thousands(row)))
}

/// Says which line has more or fewer numbers than the first, in a text of numbers between blanks; `None` for other text.
pub(super) fn uneven(text: &str) -> Option<String> {
    let mut first = None;
    for (at, line) in text.lines().enumerate().filter(|(_, line)| !line.starts_with('#')) {
        let fields: Vec<&str> = line.split_whitespace().collect();
        let (number, count) = (at + 1, fields.len());
        match first {
            _ if !fields.iter().all(|field| is_number(field)) => return None,
            None if count > 0 => first = Some((number, count)),
            Some((row, columns)) if count > 0 && count != columns => {
                return Some(format!(
                    "its lines do not have as many numbers: line {row} has {columns}, and line {number} has {count}"
                ));
            }
            _ => {}
        }
    }
    None
}

/// Returns true for a number that keeps its text: no zero precedes its digits, as in `007`.
pub(super) fn is_number(text: &str) -> bool {
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    let is_padded =
        digits.starts_with('0') && digits[1..].starts_with(|c: char| c.is_ascii_digit());
    comments::is_number(text) && !is_padded || kind_of_text(text) == Kind::Complex
}

/// Returns true for fields that may be one integer: each after the first has three digits.
fn are_thousands(fields: &[&str]) -> bool {
    let are_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let Some((first, rest)) = fields.split_first() else { return false };
    let first = first.strip_prefix(['-', '+']).unwrap_or(first);
    first.len() <= 3
        && are_digits(first)
        && rest.iter().all(|field| field.len() == 3 && are_digits(field))
}

/// Returns a number of fields for a message.
pub(super) fn fields_text(count: usize) -> String {
    if count == 1 { "1 field".to_owned() } else { format!("{count} fields") }
}

/// Refuses a single column that has another delimiter. `lines` are the first ones that are not comments, and `comment` is the comment that has the name of the column.
pub(super) fn check(
    lines: &[&str],
    comment: Option<&str>,
    first_line: FirstLine,
) -> Result<(), String> {
    let plain: Vec<Cow<'_, str>> = lines.iter().map(|line| without_quotes(line)).collect();
    let [first, rest @ ..] = &plain[..] else { return Ok(()) };
    let next = rest.first();
    let below = || {
        let delimiter = other(next?, None)?;
        // Sentences may have semicolons.
        fields(next?, delimiter).any(is_value).then_some(delimiter)
    };
    let found = match other(first, None) {
        Some(_) => other(first, next.map(|next| &**next)),
        None => below(),
    };
    let Some(delimiter) = found else { return Ok(()) };
    let symbol = char::from(delimiter).escape_default();
    let count = |line: &str| fields(line, delimiter).count();
    let columns = count(first);
    let no_header = |is_named: bool| {
        let has_names = is_named || !fields(first, delimiter).any(is_value);
        if has_names || first_line != FirstLine::Unknown { "" } else { " --no-header" }
    };
    if let (Some(next), Some(raw)) = (next, lines.get(1))
        && count(next) != columns
    {
        return Err(format!(
            "there is one column, {:?}, and {:?} has {} and the first line {columns}, if '{symbol}' divides them; npy convert --delimiter ,{} reads one column of text",
            excerpt(lines[0]),
            excerpt(raw),
            fields_text(count(next)),
            no_header(comment.is_some())
        ));
    }
    // Names in a comment belong to as many fields.
    let are_named = comment.is_some_and(|names| count(&without_quotes(names)) == columns);
    Err(format!(
        "there is one column, {:?}; if its parts are columns, use npy convert --delimiter '{symbol}'{}, and otherwise --delimiter ,",
        excerpt(lines[0]),
        no_header(are_named)
    ))
}

/// Returns a remark about a single column whose first lines have other delimiters than the one that was named, and as many of them. A comma is named for text in one column.
pub(super) fn about_undivided(lines: &[&str], named: u8) -> Option<String> {
    let plain: Vec<Cow<'_, str>> = lines.iter().map(|line| without_quotes(line)).collect();
    let [first, second, ..] = &plain[..] else { return None };
    let count = |line: &str, delimiter: u8| fields(line, delimiter).count();
    let divides = |&delimiter: &u8| {
        let columns = count(first, delimiter);
        columns > 1 && columns == count(second, delimiter) && named != COMMA
    };
    let delimiter = [COMMA, b';', b'\t', b'|'].into_iter().find(divides)?;
    Some(format!(
        "there is one column, {:?}; if its parts are columns, use npy convert --delimiter '{}'",
        excerpt(lines[0]),
        char::from(delimiter).escape_default()
    ))
}

/// Returns a line in which a field in quotes has none, and is one word: no character within quotes is a delimiter.
fn without_quotes(line: &str) -> Cow<'_, str> {
    /// A character in the place of those that could be delimiters, or of an empty field. No number has it.
    const WORD: char = '"';
    let is_delimiter = |c: char| matches!(c, ';' | ',') || c.is_whitespace();
    if !line.contains('"') {
        return Cow::Borrowed(line);
    }
    let mut plain = String::with_capacity(line.len());
    // The length of the text before the quotes that are open.
    let mut open = None;
    let mut may_open = true;
    for c in line.chars() {
        match open {
            Some(start) if c == '"' => {
                if plain.len() == start {
                    plain.push(WORD);
                }
                // Of two quotes, the second one goes on with the field.
                (open, may_open) = (None, true);
            }
            Some(_) => plain.push(if is_delimiter(c) { WORD } else { c }),
            None if c == '"' && may_open => open = Some(plain.len()),
            None => {
                plain.push(c);
                may_open = is_delimiter(c);
            }
        }
    }
    Cow::Owned(plain)
}

/// Returns the delimiter of lines without commas: one in the first line, or blanks between numbers in either. Tabs count as blanks where others separate numbers, too.
pub(crate) fn other(first: &str, second: Option<&str>) -> Option<u8> {
    let are_numbers = |text: &str| {
        let mut parts = text.split_whitespace();
        parts.clone().count() > 1 && parts.all(comments::is_number)
    };
    let has_both = |line: &str| {
        let mut cells = line.split('\t').filter(|cell| are_numbers(cell));
        cells.any(|cell| !are_thousands(&cell.split_whitespace().collect::<Vec<_>>()))
    };
    match first.bytes().find(|byte| matches!(byte, b';' | b'\t')) {
        Some(b'\t') if has_both(second.unwrap_or(first)) => Some(b' '),
        Some(delimiter) => Some(delimiter),
        None if are_numbers(first) || second.is_some_and(are_numbers) => Some(b' '),
        None => None,
    }
}

/// Returns the fields of a line without quotes.
pub(crate) fn fields(line: &str, delimiter: u8) -> impl Iterator<Item = &str> {
    let is_blank = delimiter == b' ';
    let is_delimiter =
        move |c: char| if is_blank { c.is_whitespace() } else { c == char::from(delimiter) };
    // Of blanks, a run is one delimiter.
    line.split(is_delimiter).filter(move |field| !is_blank || !field.is_empty())
}

#[cfg(test)]
mod tests {
    use super::{Comments, are_blanks, without_quotes};

    #[test]
    fn a_field_in_quotes_is_one_word() {
        for (line, expected) in [
            ("a;b c", "a;b c"),
            ("\"a\";\"1\"", "a;1"),
            ("\"a b\";\"c;d\"\t1", "a\"b;c\"d\t1"),
            ("\"\" \"x\"\"; y\"", "\" x\"\"y"),
            ("5\";6\" \"7;", "5\";6\" 7\""),
        ] {
            assert_eq!(without_quotes(line), expected, "{line}");
        }
    }

    #[test]
    fn blanks_separate_numbers_alone() {
        for text in ["% by hand, twice\n1 2\n", "1  1.5 %,\n2 2.5 %b\n"] {
            assert!(are_blanks(text.as_bytes(), Comments::Marked(b'%')), "{text:?}");
        }
        for text in [
            "1.0 2.0\n3.0 4.0\n",
            "# x y\n\n  1e3  nan \r\n",
            "1 2\n3 4\n",
            "100 200\n300 4000\n",
            "0.5 -0\n-inf 1e+20\n",
            "# sum count\n10 500\n20 300\n",
            " (1.0e+00+2.0e+00j)  (0.0e+00+1.0e+00j)\n",
            "1 2\t3\n4\t5\t6\n",
            "1 \t 2\n3 4\n",
        ] {
            assert!(are_blanks(text.as_bytes(), Comments::Unknown), "{text:?}");
        }
        for text in [
            "",
            "1\n2\n",
            "n\n10 000\n",
            "total amount\n10 000\n20 500\n",
            "x y\n1 2\n",
            "10 500\n-20 300\n",
            "10 500\n20 300\n# the end\n",
            "1.5 007\n2.5 12\n",
            "1.5 2.5\n3.5 4.5 5.5\n",
            "1.5 2.5\n3.5 x\n",
            "first name\nBob Smith\n",
            "t\n2024-01-31 12\n",
            "1 2,3 4\n",
            "1\t2\n",
            " 1\t2 \n",
            "1 2\t\t3\n",
            "1 2\t3\n\t4\t5 6\n",
            "10 500\t3.5\n20 300\t4\n",
            "1 2\n3 \"4\"\n",
            "\u{93}NUMPY 1 2\n",
        ] {
            assert!(!are_blanks(text.as_bytes(), Comments::Unknown), "{text:?}");
        }
    }
}
