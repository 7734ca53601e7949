//! Comments after the numbers of a line, which `np.loadtxt` leaves out.

use super::delimiter::{COMMA, fields, is_number};

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
/// Returns `None` if there is no such comment, or if they may be a column: all rows have one, and no blank follows its mark.
pub(super) fn removed(text: &str, delimiter: Option<u8>) -> Option<Shortened> {
    let has_none = |line: &str| line.trim_ascii_start().starts_with('#') || !line.contains('#');
    // Most texts have no others than those that begin lines.
    if !text.contains('#') || text.split(['\n', '\r']).all(has_none) {
        return None;
    }
    let (mut shortened, mut count) = (String::new(), 0);
    let (mut rows, mut has_blank) = (0, true);
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
                count += 1;
                has_blank &= comment.is_empty() || comment.starts_with([' ', '\t']);
                shortened.push_str(row.trim_ascii_end());
                shortened.push_str(&line[line.trim_ascii_end().len()..]);
            }
            None => shortened.push_str(line),
        }
    }
    (count < rows || has_blank).then_some(Shortened { text: shortened, count })
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
            ("x;y\n1;2#a\n3;4", Some(b';'), "x;y\n1;2\n3;4"),
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
