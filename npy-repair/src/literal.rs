//! The text of a header that NumPy wrote and cannot read: `np.int64(3)`, `array(3)`, metadata of dtypes, a list in place of a tuple.
//!
//! The text is divided into the tokens of Python's literals, in linear time. The replacements are a list of ranges, and all other text stays.

use std::ops::Range;

/// A part of the text that is replaced.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Edit {
    pub(crate) range: Range<usize>,
    pub(crate) new: String,
    pub(crate) kind: Kind,
}

/// The reason for an edit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Kind {
    /// Metadata of a dtype, which is removed.
    Metadata,
    /// Another way to write the same value.
    Value,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Token {
    /// A string in quotes.
    Text,
    Name,
    Number,
    Mark(u8),
}

/// The tokens of a text without its blanks, and for each opening bracket the index of its closing one.
struct Tokens<'t> {
    text: &'t str,
    list: Vec<(Token, Range<usize>)>,
    closing: Vec<Option<usize>>,
}

/// Returns the end of the dictionary that begins with the first byte; `None` if it is incomplete.
pub(crate) fn end_of_dict(bytes: &[u8]) -> Option<usize> {
    let mut depth = 0_usize;
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        at += 1;
        match byte {
            b'{' | b'[' | b'(' => depth += 1,
            b'}' | b']' | b')' => {
                depth = depth.checked_sub(1)?;
                if depth == 0 {
                    return Some(at);
                }
            }
            b'\'' | b'"' => at += string_after_quote(bytes.get(at..)?, byte)?,
            _ => {}
        }
    }
    None
}

/// Returns the size of the rest of a string, with its closing quote.
fn string_after_quote(rest: &[u8], quote: u8) -> Option<usize> {
    let mut is_escaped = false;
    let end = rest.iter().position(|&byte| match byte {
        _ if is_escaped => {
            is_escaped = false;
            false
        }
        b'\\' => {
            is_escaped = true;
            false
        }
        byte => byte == quote,
    })?;
    Some(end + 1)
}

impl<'t> Tokens<'t> {
    /// Divides the text into tokens; `None` if a string does not end.
    fn of(text: &'t str) -> Option<Self> {
        let bytes = text.as_bytes();
        let (mut list, mut closing) = (Vec::new(), Vec::new());
        let mut open: Vec<usize> = Vec::new();
        let mut at = 0;
        while let Some(&byte) = bytes.get(at) {
            let rest = bytes.get(at + 1..)?;
            let (token, size) = match byte {
                b' ' | b'\t' | b'\n' | b'\r' | 0x0c => {
                    at += 1;
                    continue;
                }
                b'\'' | b'"' => (Token::Text, 1 + string_after_quote(rest, byte)?),
                b'a'..=b'z' | b'A'..=b'Z' | b'_' => (Token::Name, 1 + run(rest, b"._")),
                b'0'..=b'9' | b'-' => (Token::Number, 1 + run(rest, b"_")),
                mark => (Token::Mark(mark), 1),
            };
            match token {
                Token::Mark(b'(' | b'[' | b'{') => open.push(list.len()),
                Token::Mark(b')' | b']' | b'}') => {
                    if let Some(start) = open.pop().and_then(|start| closing.get_mut(start)) {
                        *start = Some(list.len());
                    }
                }
                _ => {}
            }
            list.push((token, at..at + size));
            closing.push(None);
            at += size;
        }
        Some(Tokens { text, list, closing })
    }

    fn token(&self, at: usize) -> Option<Token> {
        self.list.get(at).map(|(token, _)| *token)
    }

    fn source(&self, at: usize) -> &'t str {
        self.list.get(at).and_then(|(_, range)| self.text.get(range.clone())).unwrap_or_default()
    }

    /// Returns the token that closes the bracket at this one.
    fn closing(&self, at: usize) -> Option<usize> {
        self.closing.get(at).copied().flatten()
    }

    /// Returns the range of the text from one token to another.
    fn range(&self, first: usize, last: usize) -> Option<Range<usize>> {
        Some(self.list.get(first)?.1.start..self.list.get(last)?.1.end)
    }

    /// Returns the plain form of the value at this token, and its last token: `3` for `np.int64(3)` and `array(3, dtype=int8)`, `True` for
    /// `np.True_`.
    fn plain(&self, at: usize) -> Option<(String, usize)> {
        if self.token(at)? != Token::Name {
            return None;
        }
        let name = self.source(at).rsplit('.').next()?;
        if self.token(at + 1) != Some(Token::Mark(b'(')) {
            let value = name.strip_suffix('_')?;
            return matches!(value, "True" | "False").then(|| (value.to_owned(), at));
        }
        let (close, value) = (self.closing(at + 1)?, self.source(at + 2));
        let is_alone = matches!(self.token(at + 3)?, Token::Mark(b')' | b','));
        let width = name.trim_start_matches("uint").trim_start_matches("int");
        let is_integer = name != width && width.bytes().all(|byte| byte.is_ascii_digit())
            || ["intp", "uintp", "longlong", "ulonglong", "intc", "array"].contains(&name);
        let is_plain = match self.token(at + 2)? {
            Token::Number => is_integer,
            Token::Name => name.starts_with("bool") && ["True", "False"].contains(&value),
            _ => false,
        };
        (is_alone && is_plain).then(|| (value.to_owned(), close))
    }
}

/// Returns the size of the letters, digits and other bytes of a name or a number.
fn run(rest: &[u8], others: &[u8]) -> usize {
    rest.iter().take_while(|byte| byte.is_ascii_alphanumeric() || others.contains(byte)).count()
}

/// Returns the edits that make the text of a header readable; `None` if it is not a literal in other ways.
pub(crate) fn edits(text: &str) -> Option<Vec<Edit>> {
    let tokens = Tokens::of(text)?;
    let mut edits = Vec::new();
    let mut at = 0;
    let mut value = |range, new| edits.push(Edit { range, new, kind: Kind::Value });
    let mut metadata = Vec::new();
    while let Some(token) = tokens.token(at) {
        let is_key = token == Token::Text && tokens.token(at + 1) == Some(Token::Mark(b':'));
        if is_key && let Some((new, last)) = value_of_key(&tokens, tokens.source(at), at + 2) {
            value(tokens.range(at + 2, last)?, new);
            at = last + 1;
        } else if let Some((new, last)) = without_metadata(&tokens, at) {
            metadata.push(Edit { range: tokens.range(at, last)?, new, kind: Kind::Metadata });
            at = last + 1;
        } else {
            at += 1;
        }
    }
    edits.extend(metadata);
    edits.sort_by_key(|edit| edit.range.start);
    Some(edits)
}

/// Returns the value of a key as NumPy reads it, and its last token; `None` if it may stay.
fn value_of_key(tokens: &Tokens<'_>, key: &str, at: usize) -> Option<(String, usize)> {
    match key.trim_matches(['\'', '"']) {
        "shape" => shape(tokens, at),
        "fortran_order" => match tokens.source(at) {
            "0" => Some(("False".into(), at)),
            "1" => Some(("True".into(), at)),
            _ => tokens.plain(at),
        },
        _ => None,
    }
}

/// Returns the tuple of a shape: of a list, a number, and numbers of NumPy's types.
fn shape(tokens: &Tokens<'_>, at: usize) -> Option<(String, usize)> {
    let number = |at: usize| match tokens.token(at)? {
        Token::Number => Some((tokens.source(at).to_owned(), at)),
        _ => tokens.plain(at),
    };
    if let Some((new, last)) = number(at) {
        return Some((format!("({new},)"), last));
    }
    let Token::Mark(b'(' | b'[') = tokens.token(at)? else { return None };
    let close = tokens.closing(at)?;
    let mut numbers = Vec::new();
    let mut next = at + 1;
    while next < close {
        let (new, last) = number(next)?;
        numbers.push(new);
        // `(3)` is a number in brackets.
        next = last + 1;
        if next < close && tokens.token(next)? != Token::Mark(b',') {
            return None;
        }
        next += 1;
    }
    let new = match &numbers[..] {
        [one] => format!("({one},)"),
        all => format!("({})", all.join(", ")),
    };
    // Blanks and commas may differ in a shape that is right.
    let bare = |text: &str| text.replace([' ', ','], "");
    let is_same = bare(tokens.text.get(tokens.range(at, close)?)?) == bare(&new);
    let has_comma = numbers.len() != 1 || tokens.token(close - 1) == Some(Token::Mark(b','));
    (!is_same || !has_comma).then_some((new, close))
}

/// Returns the dtype in `('|S3', {…})`, and the last token of it.
fn without_metadata(tokens: &Tokens<'_>, at: usize) -> Option<(String, usize)> {
    let starts = [Token::Mark(b'('), Token::Text, Token::Mark(b','), Token::Mark(b'{')];
    let is_one = (0..).zip(starts).all(|(i, token)| tokens.token(at + i) == Some(token));
    let close = tokens.closing(at).filter(|_| is_one)?;
    (tokens.closing(at + 3)? + 1 == close).then(|| (tokens.source(at + 1).to_owned(), close))
}

/// Returns the text after the edits.
pub(crate) fn edited(text: &str, edits: &[Edit]) -> Option<String> {
    let mut result = String::new();
    let mut done = 0;
    for edit in edits {
        result.push_str(text.get(done..edit.range.start)?);
        result.push_str(&edit.new);
        done = edit.range.end;
    }
    result.push_str(text.get(done..)?);
    Some(result)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mended(text: &str) -> String {
        edited(text, &edits(text).unwrap()).unwrap()
    }

    #[test]
    fn values_of_numpy_become_literals() {
        for (text, expected) in [
            ("{'shape': (np.int64(3),)}", "{'shape': (3,)}"),
            ("{'shape': (np.int64(1), 2, np.uint8(3)), }", "{'shape': (1, 2, 3), }"),
            ("{'shape': (100, array(100))}", "{'shape': (100, 100)}"),
            ("{'shape': (array(5, dtype=int32),)}", "{'shape': (5,)}"),
            ("{'shape': np.int64(10)}", "{'shape': (10,)}"),
            ("{'shape': 10}", "{'shape': (10,)}"),
            ("{'shape': [2, 3]}", "{'shape': (2, 3)}"),
            ("{'shape': [2,]}", "{'shape': (2,)}"),
            ("{'shape': []}", "{'shape': ()}"),
            ("{'shape': (3)}", "{'shape': (3,)}"),
            ("{'fortran_order': 1}", "{'fortran_order': True}"),
            ("{'fortran_order': np.False_}", "{'fortran_order': False}"),
            ("{'fortran_order': np.bool_(True)}", "{'fortran_order': True}"),
            ("{'descr': ('|O', {'vlen': <class 'bytes'>})}", "{'descr': '|O'}"),
            ("[('a', (('<i4', {}), (2,)))]", "[('a', ('<i4', (2,)))]"),
        ] {
            assert_eq!(mended(text), expected);
        }
    }

    #[test]
    fn readable_text_stays() {
        for text in [
            "{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }",
            "{'descr': [('shape', '<f4'), ('np.int64(3)', '<f4')], 'shape': (2,3)}",
            "{'shape': (  ), 'fortran_order': True}",
            "{'shape': (2, ), }",
            "{'shape': (f(3),)}",
            "{'shape': (np.int64(3+1),)}",
        ] {
            assert_eq!(edits(text).unwrap(), [], "{text}");
        }
        assert_eq!(edits("{'shape"), None);
    }

    #[test]
    fn the_end_of_a_dictionary_is_that_of_its_brackets() {
        for (text, rest) in [("{}", ""), ("{'}': ('\\'', \"}\")}x}", "x}"), ("{[()]} \n", " \n")] {
            assert_eq!(&text[end_of_dict(text.as_bytes()).unwrap()..], rest);
        }
        for text in ["", "{", "{'}", "{'a': (1}"] {
            assert_eq!(end_of_dict(text.as_bytes()).filter(|&end| end < text.len()), None);
        }
    }
}
