//! Quotes of CSV: those that do not end, and those in comments.

/// Returns true if the text ends within quotes.
pub(super) fn are_open(text: &[u8], delimiter: u8) -> bool {
    text.contains(&b'"') && Quoting::Start.after(text, delimiter) == Quoting::Quoted
}

#[derive(Clone, Copy, PartialEq)]
enum Quoting {
    /// At the start of a field.
    Start,
    /// Within a field, where a quote has no meaning.
    Plain,
    Quoted,
    /// After a quote within quotes, which ends them, or is the first of two.
    Quote,
}

impl Quoting {
    fn after(mut self, bytes: &[u8], delimiter: u8) -> Self {
        for &byte in bytes {
            self = match (self, byte) {
                (Quoting::Quoted, b'"') => Quoting::Quote,
                (Quoting::Quoted, _) | (Quoting::Start | Quoting::Quote, b'"') => Quoting::Quoted,
                (_, b'\n' | b'\r') => Quoting::Start,
                (_, b'\t') if delimiter == b' ' => Quoting::Start,
                (_, byte) if byte == delimiter => Quoting::Start,
                _ => Quoting::Plain,
            };
        }
        self
    }
}

/// Returns the text with no quotes in each line that begins with `#` and ends within quotes; `None` if there is no such line. If the line is a comment, the lines after it are not a part of it.
/// Where the quotes end as those of a field do, in a later line that does not begin with `#`, the lines are one row.
pub(super) fn closed_comments(text: &[u8], delimiter: u8) -> Option<Vec<u8>> {
    // Most texts have no quotes, and are not copied.
    if !text.contains(&b'"') {
        return None;
    }
    let mut closed = Vec::new();
    let mut is_changed = false;
    let mut state = Quoting::Start;
    let mut read = 0;
    for line in text.split_inclusive(|byte| matches!(byte, b'\n' | b'\r')) {
        let after = state.after(line, delimiter);
        read += line.len();
        let is_open = state == Quoting::Start && after == Quoting::Quoted;
        if is_open && is_marked(line, b'#', delimiter) && !ends_in_row(&text[read..], delimiter) {
            closed.extend(line.iter().filter(|byte| **byte != b'"'));
            is_changed = true;
        } else {
            closed.extend_from_slice(line);
            state = after;
        }
    }
    is_changed.then_some(closed)
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
                return !is_marked(&text[start.map_or(0, |at| at + 1)..], b'#', delimiter);
            }
        }
    }
    false
}

/// Returns the text with an empty line for each line outside of quotes that begins with this mark. So the others keep their numbers.
pub(super) fn without_comments(text: &[u8], mark: u8, delimiter: u8) -> Vec<u8> {
    let mut rest = Vec::with_capacity(text.len());
    let mut state = Quoting::Start;
    for line in text.split_inclusive(|byte| matches!(byte, b'\n' | b'\r')) {
        if state == Quoting::Start && is_marked(line, mark, delimiter) {
            rest.extend(line.iter().filter(|byte| matches!(byte, b'\n' | b'\r')));
        } else {
            rest.extend_from_slice(line);
            state = state.after(line, delimiter);
        }
    }
    rest
}

/// Returns true for a line that begins with this mark.
fn is_marked(line: &[u8], mark: u8, delimiter: u8) -> bool {
    match delimiter {
        b' ' => line.trim_ascii_start().starts_with(&[mark]),
        _ => line.starts_with(&[mark]),
    }
}

#[cfg(test)]
mod tests {
    use super::{closed_comments, without_comments};

    #[test]
    fn a_quote_in_a_comment_hides_no_lines() {
        for (text, delimiter, expected) in [
            ("1 2\n# say \"hi\n3 4\n# end \"\n", b' ', Some("1 2\n# say hi\n3 4\n# end \n")),
            ("1\t2\r\n  #\t\"x\r\n3 4", b' ', Some("1\t2\r\n  #\tx\r\n3 4")),
            ("# x,\"y\n1,2", b',', Some("# x,y\n1,2")),
            // These quotes end, have no meaning, or contain the line.
            ("# x,\"y\"\n1,2", b',', None),
            ("# 5\" x\n1,2", b',', None),
            ("1,\"a\n# b\n\"\n", b',', None),
            (" # x,\"y\n1,2", b',', None),
            ("1,a\n# x,\"y\n3,4\"\n5,b", b',', None),
            ("1,a\n# x,\"y\n3,\"\"4\",6\n5,b", b',', None),
            ("# x,\"y\n3,\"a\"\n", b',', Some("# x,y\n3,\"a\"\n")),
        ] {
            let found = closed_comments(text.as_bytes(), delimiter);
            assert_eq!(found.as_deref(), expected.map(str::as_bytes), "{text:?}");
        }
        let found = without_comments(b"% x,\"y\n1,\"a\n% b\n\"\r\n%\r\n", b'%', b',');
        assert_eq!(found, b"\n1,\"a\n% b\n\"\r\n\r\n");
    }
}
