//! The delimiter of CSV: the one that the file states, blanks as `np.savetxt` writes them, and the advice for others.

use super::comments;
use super::csv::{Comments, FirstLine};
use super::guess::kind_of_text;
use super::kind::Kind;

/// The delimiter, if no other one is known.
pub(super) const COMMA: u8 = b',';

/// Returns the text after `sep=;`, and its delimiter. Excel expects it at the start of a file, and other programs write it there.
pub(super) fn stated(text: &[u8]) -> (&[u8], Option<u8>) {
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

/// Returns true for text as `np.savetxt` writes it: of the first two lines that are not comments, one has numbers with blanks between them, both have as many fields, and neither has a
/// character that may be another delimiter.
pub(super) fn are_blanks(text: &[u8], comments: Comments) -> bool {
    let mark = comments.mark();
    let lines = text.split(|byte| matches!(byte, b'\n' | b'\r')).map(<[u8]>::trim_ascii);
    let is_row = |line: &&[u8]| !line.is_empty() && line.first() != mark.as_ref();
    let lines = lines.filter(is_row).take(2);
    let Some(lines) = lines.map(|line| str::from_utf8(line).ok()).collect::<Option<Vec<_>>>()
    else {
        return false;
    };
    let counts: Vec<usize> = lines.iter().map(|line| line.split_whitespace().count()).collect();
    let is_number = |text: &str| comments::is_number(text) || kind_of_text(text) == Kind::Complex;
    lines.iter().any(|line| line.split_whitespace().all(is_number))
        && !lines.iter().any(|line| line.contains([',', ';', '\t', '"']))
        && matches!(counts[..], [one] | [one, _] if one > 1)
        && counts.first() == counts.last()
}

/// Refuses a single column that has another delimiter: in its name, or numbers between blanks in its first row.
pub(super) fn check(texts: &[Option<&str>], first_line: FirstLine) -> Result<(), String> {
    let are_numbers = |text: &str| {
        let mut parts = text.split_whitespace();
        parts.clone().count() > 1 && parts.all(comments::is_number)
    };
    let mut texts = texts.iter().flatten();
    let Some(first) = texts.next() else { return Ok(()) };
    let delimiter = match first.chars().find(|c| matches!(c, ';' | '\t')) {
        Some(delimiter) => delimiter,
        None if are_numbers(first) || texts.next().is_some_and(|text| are_numbers(text)) => ' ',
        None => return Ok(()),
    };
    let no_header = match are_numbers(first) && first_line == FirstLine::Unknown {
        true => " --no-header",
        false => "",
    };
    let escaped = delimiter.escape_default();
    Err(format!(
        "there is one column, {first:?}; if its parts are columns, use npy convert --delimiter '{escaped}'{no_header}, and otherwise --delimiter ,"
    ))
}

#[cfg(test)]
mod tests {
    use super::{Comments, are_blanks};

    #[test]
    fn blanks_separate_numbers_alone() {
        assert!(are_blanks(b"% by hand, twice\n1 2\n", Comments::Marked(b'%')));
        for text in [
            "1.0 2.0\n3.0 4.0\n",
            "# x y\n\n  1e3  nan \r\n",
            "x y\n1 2\n",
            " (1.0e+00+2.0e+00j)  (0.0e+00+1.0e+00j)\n",
        ] {
            assert!(are_blanks(text.as_bytes(), Comments::Unknown), "{text:?}");
        }
        for text in [
            "",
            "1\n2\n",
            "n\n10 000\n",
            "first name\nBob Smith\n",
            "t\n2024-01-31 12\n",
            "1 2,3 4\n",
            "1\t2\n",
            "1 2\n3 \"4\"\n",
            "\u{93}NUMPY 1 2\n",
        ] {
            assert!(!are_blanks(text.as_bytes(), Comments::Unknown), "{text:?}");
        }
    }
}
