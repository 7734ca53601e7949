//! Comments after the numbers of a line, which `np.loadtxt` leaves out.

use super::delimiter::{COMMA, fields, is_number};
use super::guess::is_value;
use super::value::{MISSING, Value};

/// A text without the comments at the end of its lines.
pub(super) struct Shortened {
    pub(super) text: String,
    /// The number of lines that had one.
    pub(super) count: usize,
}

impl Shortened {
    pub(super) fn remark(&self) -> String {
        let (lines, them) = match self.count {
            1 => ("line has a comment at its end", "it"),
            _ => ("lines have a comment at their end", "them"),
        };
        format!("{} {lines}: left out, as by np.loadtxt; --comments '' keeps {them}", self.count)
    }
}

/// Removes the comments at the end of lines. The rest of each row must be numbers, as many as in the others; a first line without a comment may have their names.
/// Returns `None` if there is no such comment, or if what has the mark may be text: a mark without a blank before or after it, or one in each row without a blank after it.
pub(super) fn removed(text: &str, delimiter: Option<u8>) -> Option<Shortened> {
    // Most texts have no others than those that begin lines.
    if !have_mark(text) {
        return None;
    }
    let (mut shortened, mut count) = (String::new(), 0);
    let (mut rows, mut has_blank_after) = (0, true);
    let mut known = None;
    for line in text.split_inclusive(['\n', '\r']) {
        let whole = line.trim_ascii();
        if whole.is_empty() || whole.starts_with('#') {
            shortened.push_str(line);
            continue;
        }
        let (row, comment) = whole.split_once('#').unzip();
        let row = row.unwrap_or(whole);
        let is_named = known.is_none();
        let (delimiter, width) = *known.get_or_insert_with(|| {
            let delimiter = delimiter.unwrap_or(if row.contains(',') { COMMA } else { b' ' });
            (delimiter, fields(row, delimiter).count())
        });
        let are_numbers = fields(row, delimiter).all(is_number);
        let may_be_names = is_named && comment.is_none();
        if fields(row, delimiter).count() != width || !are_numbers && !may_be_names {
            return None;
        }
        rows += usize::from(are_numbers);
        match comment {
            Some(comment) => {
                let is_blank_after = comment.starts_with([' ', '\t']);
                if !is_blank_after && !row.ends_with([' ', '\t']) {
                    return None;
                }
                count += 1;
                has_blank_after &= is_blank_after || comment.is_empty();
                shortened.push_str(row.trim_ascii_end());
                shortened.push_str(&line[line.trim_ascii_end().len()..]);
            }
            None => shortened.push_str(line),
        }
    }
    (count < rows || has_blank_after).then_some(Shortened { text: shortened, count })
}

/// Returns true if a line has the mark after other characters.
fn have_mark(text: &str) -> bool {
    let has_mark = |line: &str| !line.trim_ascii_start().starts_with('#') && line.contains('#');
    text.contains('#') && text.split(['\n', '\r']).any(has_mark)
}

/// Returns the first lines of a text that has the mark in rows, for a trial.
pub(super) fn start(text: &str) -> Option<String> {
    have_mark(text).then(|| first_lines(text).to_owned())
}

/// Returns the first lines of a text, enough for a trial.
pub(super) fn first_lines(text: &str) -> &str {
    const MAX: usize = 1 << 16;
    let start = text.as_bytes().get(..MAX).and_then(|start| {
        let end = start.iter().rposition(|byte| *byte == b'\n')?;
        text.get(..=end)
    });
    start.unwrap_or(text)
}

/// Returns a field without the comment that may be at its end.
pub(super) fn before(field: &str) -> &str {
    field.split_once('#').map_or(field, |(before, _)| before).trim()
}

/// Returns true if the values of a column before the mark are numbers, times or booleans, and some have the mark. Missing values may be among them.
pub(super) fn are_in<'a>(mut values: impl Iterator<Item = Value<'a>>) -> bool {
    let mut has_some = false;
    let are_values = values.all(|value| {
        let Value::Text(text) = value else { return true };
        let before = before(&text);
        let has_mark = text.contains('#');
        has_some |= has_mark && !before.is_empty();
        let is_missing = MISSING.contains(&before) || has_mark && before.is_empty();
        is_value(before) || is_missing
    });
    are_values && has_some
}

#[cfg(test)]
mod tests {
    use super::removed;

    #[test]
    fn comments_after_numbers_alone_are_removed() {
        for (text, delimiter, expected) in [
            ("1.5 2.5 # first\n3.5 4.5\n", None, "1.5 2.5\n3.5 4.5\n"),
            ("# x\n 1\t2 #a #b\r\n\r\n3 4", None, "# x\n1\t2\r\n\r\n3 4"),
            ("1,2 # a\n3,4 # b, c\n", None, "1,2\n3,4\n"),
            ("x;y\n1;2 #a\n3;4# b\n5;6", Some(b';'), "x;y\n1;2\n3;4\n5;6"),
            ("n\n1 #\n", None, "n\n1\n"),
        ] {
            let found = removed(text, delimiter);
            assert_eq!(found.map(|found| found.text).as_deref(), Some(expected), "{text:?}");
        }
        for text in [
            "",
            "1 2\n",
            "## x # y\n1 2\n  # y\n",
            // These may be colors, or text.
            "1 #f00\n2 #0f0\n",
            "id\n12#5\n13\n",
            "1,2#\n3,4\n",
            "1 2 # a\n3 4 5\n",
            "1,2,# a\n3,4,5\n",
            "1 2 # a\n3 x\n",
            "x # a\n1 2\n",
            "a,b\nBob,# 1\n",
            "1 \"2\" # a\n3 4\n",
        ] {
            assert!(removed(text, None).is_none(), "{text:?}");
        }
    }
}
