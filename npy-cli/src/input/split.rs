//! The lines of CSV, and where their fields are in the text.
//!
//! Fields are not copied: a line is the position of its start, and that of the end of each field. Quotes have a meaning at the start of a field alone.

use std::borrow::Cow;

/// The characters that separate fields, and that begin comments.
#[derive(Clone, Copy, Debug)]
pub(super) struct Syntax {
    /// Of blanks, a run is one delimiter, as `np.loadtxt` has it; at the start and the end of a line they separate nothing.
    pub(super) delimiter: u8,
    /// From this character to the end of its line there are no fields, unless it is within quotes.
    pub(super) comment: Option<u8>,
}

impl Syntax {
    fn has_runs(self) -> bool {
        self.delimiter == b' '
    }

    fn is_blank(self, byte: u8) -> bool {
        self.has_runs() && matches!(byte, b' ' | b'\t')
    }

    /// Returns a field without its quotes, and without the blanks before it if they are delimiters.
    #[inline]
    pub(super) fn field(self, text: &str) -> Cow<'_, str> {
        let text = if self.has_runs() { text.trim_start_matches([' ', '\t']) } else { text };
        match text.strip_prefix('"') {
            Some(quoted) => unquoted(quoted),
            None => Cow::Borrowed(text),
        }
    }
}

/// Returns a field whose first quote is left out already.
fn unquoted(text: &str) -> Cow<'_, str> {
    if let Some((inner, "")) = text.split_once('"') {
        return Cow::Borrowed(inner);
    }
    let (mut field, mut rest) = (String::new(), text);
    while let Some((part, after)) = rest.split_once('"') {
        field.push_str(part);
        match after.strip_prefix('"') {
            Some(after) => {
                field.push('"');
                rest = after;
            }
            // Quotes after those that end it have no meaning.
            None => return Cow::Owned(field + after),
        }
    }
    Cow::Owned(field + rest)
}

/// Finds the lines of a text, and their fields.
pub(super) struct Splitter<'a> {
    text: &'a str,
    pub(super) syntax: Syntax,
    /// The position after the last line that was found.
    pub(super) at: usize,
    /// True if the text ends within quotes.
    pub(super) is_open: bool,
}

impl<'a> Splitter<'a> {
    pub(super) fn new(text: &'a str, syntax: Syntax) -> Self {
        Splitter { text, syntax, at: 0, is_open: false }
    }

    /// Goes back to the start of a line.
    pub(super) fn go_to(&mut self, start: usize) {
        (self.at, self.is_open) = (start, false);
    }

    /// Returns the number of the line that has this position, from 1.
    pub(super) fn number(&self, at: usize) -> usize {
        let bytes = self.text.as_bytes();
        let ends_line = |at: &usize| match bytes[*at] {
            b'\r' => bytes.get(at + 1) != Some(&b'\n'),
            byte => byte == b'\n',
        };
        1 + (0..at).filter(ends_line).count()
    }

    /// Finds the next line that has fields. Returns its start, and appends the end of each field, counted from there.
    pub(super) fn next(&mut self, ends: &mut Vec<u32>) -> Result<Option<usize>, String> {
        let bytes = self.text.as_bytes();
        let Some(start) = self.next_start() else { return Ok(None) };
        let mut at = start;
        loop {
            let first = at;
            at = self.end_of_field(first);
            let end = if self.is_comment(at) { self.before_blanks(first, at) } else { at };
            let Ok(end) = u32::try_from(end - start) else {
                let number = self.number(start);
                return Err(format!("line {number} has more than 4 GiB; a quote may be missing"));
            };
            ends.push(end);
            let is_delimiter =
                |byte: u8| byte == self.syntax.delimiter || self.syntax.is_blank(byte);
            let is_last = match bytes.get(at) {
                Some(&byte) if is_delimiter(byte) => {
                    at = self.after_blanks(at + 1);
                    let is_end = matches!(bytes.get(at), None | Some(b'\n' | b'\r'));
                    self.syntax.has_runs() && (is_end || self.is_comment(at))
                }
                _ => true,
            };
            if is_last {
                self.at = if self.is_comment(at) { self.end_of_line(at) } else { at };
                return Ok(Some(start));
            }
        }
    }

    /// Goes to the start of the next line that has fields, after empty lines and comments.
    pub(super) fn next_start(&mut self) -> Option<usize> {
        let bytes = self.text.as_bytes();
        loop {
            self.at = self.after_blanks(self.at);
            match bytes.get(self.at) {
                Some(b'\n' | b'\r') => self.at += 1,
                Some(b' ' | b'\t') if self.is_comment(self.after_margin(self.at)) => {
                    self.at = self.after_margin(self.at);
                }
                Some(_) if self.is_comment(self.at) => self.at = self.end_of_line(self.at),
                found => return found.map(|_| self.at),
            }
        }
    }

    /// Returns true if a comment begins here, where a field ends or begins.
    #[inline]
    fn is_comment(&self, at: usize) -> bool {
        self.syntax.comment.is_some_and(|mark| self.text.as_bytes().get(at) == Some(&mark))
    }

    fn end_of_line(&self, at: usize) -> usize {
        let rest = &self.text.as_bytes()[at..];
        let length = rest.iter().position(|byte| matches!(byte, b'\n' | b'\r'));
        at + length.unwrap_or(rest.len())
    }

    /// Returns the position after the blanks that start here and delimit nothing.
    fn after_margin(&self, at: usize) -> usize {
        let rest = self.text.as_bytes()[at..].iter();
        at + rest.take_while(|byte| self.is_margin(**byte)).count()
    }

    /// Returns the end of a field without the blanks before the comment that follows it.
    fn before_blanks(&self, start: usize, end: usize) -> usize {
        let field = self.text.as_bytes()[start..end].iter();
        end - field.rev().take_while(|byte| self.is_margin(**byte)).count()
    }

    fn is_margin(&self, byte: u8) -> bool {
        matches!(byte, b' ' | b'\t') && byte != self.syntax.delimiter
    }

    fn after_blanks(&self, at: usize) -> usize {
        let rest = self.text.as_bytes()[at..].iter();
        at + rest.take_while(|byte| self.syntax.is_blank(**byte)).count()
    }

    /// Returns the position after the field that starts here.
    fn end_of_field(&mut self, start: usize) -> usize {
        let bytes = self.text.as_bytes();
        let mut at = start;
        if bytes.get(at) == Some(&b'"') {
            loop {
                at += 1;
                let Some(length) = bytes[at..].iter().position(|byte| *byte == b'"') else {
                    self.is_open = true;
                    return bytes.len();
                };
                at += length + 1;
                // Two quotes are one within the field.
                if bytes.get(at) != Some(&b'"') {
                    break;
                }
            }
        }
        let delimiter = self.syntax.delimiter;
        let other = if self.syntax.has_runs() { b'\t' } else { delimiter };
        let mark = self.syntax.comment.unwrap_or(delimiter);
        let is_end = |&byte: &u8| {
            byte == delimiter || byte == other || byte == mark || matches!(byte, b'\n' | b'\r')
        };
        let length = bytes[at..].iter().position(is_end);
        length.map_or(bytes.len(), |length| at + length)
    }

    /// Returns the fields of a line whose ends are these.
    pub(super) fn line(&self, start: usize, ends: &[u32]) -> Line {
        let text = &self.text[start..];
        let fields = (0..ends.len()).map(|at| self.syntax.field(raw(text, ends, at)).into_owned());
        let end = start + ends.last().map_or(0, |end| *end as usize);
        Line { fields: fields.collect(), start, end, is_quoted: text.starts_with('"') }
    }
}

/// Returns a field of a line that begins here, with its quotes.
#[inline]
pub(super) fn raw<'a>(line: &'a str, ends: &[u32], at: usize) -> &'a str {
    // After the delimiter. 32 bits fit in any `usize` that this program is made for.
    let start = at.checked_sub(1).map_or(0, |before| ends[before] as usize + 1);
    &line[start..ends[at] as usize]
}

/// A line with its fields.
#[derive(Clone, Debug, Default)]
pub(super) struct Line {
    fields: Vec<String>,
    /// The position of its start in the text.
    pub(super) start: usize,
    /// The position of its end, which a comment may follow.
    pub(super) end: usize,
    /// True if its first field has quotes.
    pub(super) is_quoted: bool,
}

impl Line {
    pub(super) fn len(&self) -> usize {
        self.fields.len()
    }

    pub(super) fn get(&self, at: usize) -> Option<&str> {
        self.fields.get(at).map(String::as_str)
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &str> + Clone {
        self.fields.iter().map(String::as_str)
    }
}

impl<S: AsRef<str>> FromIterator<S> for Line {
    fn from_iter<I: IntoIterator<Item = S>>(fields: I) -> Self {
        let fields = fields.into_iter().map(|field| field.as_ref().to_owned()).collect();
        Line { fields, ..Line::default() }
    }
}

#[cfg(test)]
mod tests {
    use super::{Splitter, Syntax};

    /// Returns the fields of each line between bars, with the number of the line.
    fn lines(text: &str, delimiter: u8, comment: Option<u8>) -> Vec<String> {
        let mut splitter = Splitter::new(text, Syntax { delimiter, comment });
        let (mut found, mut ends) = (Vec::new(), Vec::new());
        while let Some(start) = splitter.next(&mut ends).unwrap() {
            let fields: Vec<String> =
                splitter.line(start, &ends).iter().map(str::to_owned).collect();
            found.push(format!("{}:{}", splitter.number(start), fields.join("|")));
            ends.clear();
        }
        assert_eq!((splitter.at, splitter.is_open), (text.len(), text.ends_with("open")));
        found
    }

    #[test]
    fn quotes_hold_delimiters_and_lines() {
        for (text, expected) in [
            ("a,b\n1,2\n", &["1:a|b", "2:1|2"][..]),
            ("a,b\r\n1,2\r\n\r\n3,", &["1:a|b", "2:1|2", "4:3|"]),
            ("a\rb\r\r,\n", &["1:a", "2:b", "4:|"]),
            ("\"a,\"\"b\"\"\",\"\n\"\n\"\",\"x\"y\"z\"\n", &["1:a,\"b\"|\n", "3:|xy\"z\""]),
            ("5\",a\"\"b\n \"x\",é\n", &["1:5\"|a\"\"b", "2: \"x\"|é"]),
            ("a,\"open", &["1:a|open"]),
            ("\n\n", &[]),
        ] {
            assert_eq!(lines(text, b',', None), expected, "{text:?}");
        }
    }

    #[test]
    fn a_run_of_blanks_is_one_delimiter() {
        for (text, expected) in [
            ("  1 \t2\n 3  4 \n", &["1:1|2", "2:3|4"][..]),
            ("a  \"b  c\"  d", &["1:a|b  c|d"]),
            ("5\"  \"\"\"  x\"  7", &["1:5\"|\"  x|7"]),
            ("     \n\t\n", &[]),
            ("1 \"\" \n2 \"\"\r\n3 \" \" ", &["1:1|", "2:2|", "3:3| "]),
        ] {
            assert_eq!(lines(text, b' ', None), expected, "{text:?}");
        }
    }

    #[test]
    fn comments_have_no_fields() {
        for (text, delimiter, expected) in [
            ("% x,\"y\n1,\"a\n% b\n\"\r\n%\r\n5,%\n%", b',', &["2:1|a\n% b\n", "6:5|"][..]),
            (" % x\n1 2\n", b' ', &["2:1|2"]),
            (" \t% x\n1 , x \t% \"a\", b\r\n\"%\" %\"\n3%4\n", b',', &["2:1 | x", "3:%", "4:3"]),
            ("1  2 % x y\n3\t4%%\n \"5 % 6\"\t7 %", b' ', &["1:1|2", "2:3|4", "3:5 % 6|7"]),
            ("1\t2 % x\n\t% y\n3\t%", b'\t', &["1:1|2", "2:|", "3:3|"]),
        ] {
            assert_eq!(lines(text, delimiter, Some(b'%')), expected, "{text:?}");
        }
    }
}
