//! Quotes in comments of CSV, which would hide the rows after them.

use super::split::{Splitter, Syntax};

/// Returns the text with no quotes in each line that begins with `#` and ends within quotes; `None` if there is no such line. If the line is a comment, the lines after it are not a part of it.
/// Where the quotes end as those of a field do, in a later line that does not begin with `#`, the lines are one row.
pub(super) fn closed_comments(text: &str, delimiter: u8) -> Option<String> {
    let (mut closed, mut ends) = (String::new(), Vec::new());
    let mut copied = 0;
    // Most texts have no quotes, or no comments.
    let may_have_some = text.contains('"') && text.contains('#');
    let syntax = Syntax { delimiter, comment: None };
    let mut lines = Splitter::new(text, syntax);
    while may_have_some && let Some(start) = lines.next_start() {
        let line = &text[start..];
        let length = line.find(['\n', '\r']).unwrap_or(line.len());
        let is_unclosed = line.starts_with('#') && ends_within_quotes(&line[..length], syntax);
        if is_unclosed && !ends_in_row(&line.as_bytes()[length..], delimiter) {
            closed.push_str(&text[copied..start]);
            closed.extend(line[..length].split('"'));
            copied = start + length;
            lines.go_to(copied);
        } else if lines.next(&mut ends).is_err() {
            break;
        }
        ends.clear();
    }
    (copied > 0).then(|| closed + &text[copied..])
}

/// Returns true for a line whose quotes do not end in it. It is split alone: with the text after it, quotes that do not end would be looked for up to the end of the text, for each line.
fn ends_within_quotes(line: &str, syntax: Syntax) -> bool {
    let mut line = Splitter::new(line, syntax);
    line.next(&mut Vec::new()).is_ok() && line.is_open
}

/// Returns true if quotes that are open before this text end at the end of a field, in a line that does not begin with `#`.
fn ends_in_row(text: &[u8], delimiter: u8) -> bool {
    let mut at = 0;
    while let Some(count) = text[at..].iter().position(|byte| *byte == b'"') {
        let end = at + count;
        at = end + 2;
        match text.get(end + 1) {
            Some(b'"') => {}
            Some(byte) if *byte != delimiter && !matches!(byte, b'\n' | b'\r') => return false,
            _ => {
                let start = text[..end].iter().rposition(|byte| matches!(byte, b'\n' | b'\r'));
                return !is_marked(&text[start.map_or(0, |at| at + 1)..], delimiter);
            }
        }
    }
    false
}

/// Returns true for a line that begins with `#`.
fn is_marked(line: &[u8], delimiter: u8) -> bool {
    let line = if delimiter == b' ' { line.trim_ascii_start() } else { line };
    line.starts_with(b"#")
}

#[cfg(test)]
mod tests {
    use super::closed_comments;

    #[test]
    fn a_quote_in_a_comment_hides_no_lines() {
        for (text, delimiter, expected) in [
            ("1 2\n# say \"hi\n3 4\n# end \"\n", b' ', Some("1 2\n# say hi\n3 4\n# end \n")),
            ("1\t2\r\n  #\t\"x\r\n3 4", b' ', Some("1\t2\r\n  #\tx\r\n3 4")),
            ("# x,\"y\n1,2", b',', Some("# x,y\n1,2")),
            // These quotes end, have no meaning, or contain the line.
            ("# x,\"y\"\n1,2", b',', None),
            ("1,2\n# x,\"y\"", b',', None),
            ("# 5\" x\n1,2", b',', None),
            ("1,\"a\n# b\n\"\n", b',', None),
            (" # x,\"y\n1,2", b',', None),
            ("1,a\n# x,\"y\n3,4\"\n5,b", b',', None),
            ("1,a\n# x,\"y\n3,\"\"4\",6\n5,b", b',', None),
            ("# x,\"y\n3,\"a\"\n", b',', Some("# x,y\n3,\"a\"\n")),
        ] {
            assert_eq!(closed_comments(text, delimiter).as_deref(), expected, "{text:?}");
        }
    }
}
