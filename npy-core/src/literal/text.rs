//! A Python string that can be written again as it was read.

use std::str::Chars;

use super::repr;

/// A Python string, or as a title any Python literal, that knows its `repr`.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Text {
    shown: Box<str>,
    // Python source, only where `shown` cannot say it: lone surrogates, or no string at all.
    literal: Option<Box<str>>,
}

impl Text {
    /// A string that Rust can hold too.
    pub(crate) fn new(text: impl Into<Box<str>>) -> Self {
        Text { shown: text.into(), literal: None }
    }

    /// A Python string; a surrogate shows as U+FFFD, and two of them stay two as in Python.
    pub(crate) fn from_code_points(code_points: &[u32]) -> Self {
        let mut exact = true;
        let shown = code_points.iter().map(|&c| {
            let known = char::from_u32(c);
            exact &= known.is_some();
            known.unwrap_or(char::REPLACEMENT_CHARACTER)
        });
        let shown = shown.collect::<String>().into();
        let literal = (!exact).then(|| {
            let mut literal = String::new();
            repr::write_repr(code_points.iter().copied(), &mut literal);
            literal.into()
        });
        Text { shown, literal }
    }

    /// A literal that is no string, by its source.
    pub(crate) fn other(source: &str) -> Self {
        Text { shown: source.into(), literal: Some(source.into()) }
    }

    /// The string, as far as Rust can hold it; the source of what is no string.
    pub(crate) fn as_str(&self) -> &str {
        &self.shown
    }

    /// Whether Python holds a string here.
    pub(crate) fn is_string(&self) -> bool {
        // No other literal starts with a quote.
        self.literal.as_ref().is_none_or(|literal| literal.starts_with(['\'', '"']))
    }

    /// How many brackets may be open at once in a literal that is no string: at most as many as it has.
    pub(crate) fn count_brackets(&self) -> usize {
        let source = self.literal.as_deref().filter(|_| !self.is_string()).unwrap_or_default();
        source.bytes().filter(|byte| b"([{".contains(byte)).count()
    }

    /// Appends what Python's `repr` gives; for what is no string, its source.
    pub(crate) fn write_repr(&self, out: &mut String) {
        match &self.literal {
            Some(literal) => out.push_str(literal),
            None => repr::write_str(&self.shown, out),
        }
    }
}

/// Appends what stands between the quotes of a string literal, escapes resolved.
///
/// An escape that is no valid one stays as it stands.
pub(super) fn decode(body: &str, raw: bool, code_points: &mut Vec<u32>) {
    let mut chars = body.chars();
    while let Some(c) = chars.next() {
        match c {
            // Python reads every end of line as a line feed.
            '\r' => {
                eat(&mut chars, '\n');
                code_points.push(u32::from('\n'));
            }
            '\\' if !raw => decode_escape(&mut chars, code_points),
            _ => code_points.push(c.into()),
        }
    }
}

/// Resolves one escape; its backslash is read already.
fn decode_escape(chars: &mut Chars<'_>, code_points: &mut Vec<u32>) {
    let unescaped = chars.as_str();
    let code_point = match chars.next() {
        // A line that goes on in the next one.
        Some('\n') => return,
        Some('\r') => return eat(chars, '\n'),
        Some(c @ ('\\' | '\'' | '"')) => u32::from(c),
        Some('a') => 0x07,
        Some('b') => 0x08,
        Some('t') => 0x09,
        Some('n') => 0x0a,
        Some('v') => 0x0b,
        Some('f') => 0x0c,
        Some('r') => 0x0d,
        Some('x') => decode_digits(chars, 16, 2),
        Some('u') => decode_digits(chars, 16, 4),
        Some('U') => decode_digits(chars, 16, 8),
        Some('0'..='7') => {
            *chars = unescaped.chars();
            decode_digits(chars, 8, 3)
        }
        _ => {
            *chars = unescaped.chars();
            u32::from('\\')
        }
    };
    code_points.push(code_point);
}

/// The number that the next digits make, at most `most` of them.
fn decode_digits(chars: &mut Chars<'_>, radix: u32, most: usize) -> u32 {
    let mut number = 0u32;
    for _ in 0..most {
        let rest = chars.as_str();
        let Some(digit) = chars.next().and_then(|c| c.to_digit(radix)) else {
            *chars = rest.chars();
            break;
        };
        number = number.saturating_mul(radix).saturating_add(digit);
    }
    number
}

fn eat(chars: &mut Chars<'_>, c: char) {
    if chars.as_str().starts_with(c) {
        chars.next();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn repr(text: &Text) -> String {
        let mut out = String::new();
        text.write_repr(&mut out);
        out
    }

    /// Guards the round trip of strings, with and without what Rust cannot hold.
    #[test]
    fn strings_show_and_repeat() {
        for (code_points, shown, literal) in [
            (&[][..], "", "''"),
            (&[0x61, 0xe9, 0x27], "aé'", "\"aé'\""),
            (&[0x1f600], "😀", "'😀'"),
            (&[0x61, 0xd800], "a\u{fffd}", r"'a\ud800'"),
            (&[0xd83d, 0xde00], "\u{fffd}\u{fffd}", r"'\ud83d\ude00'"),
            (&[0xdc00, 0x27], "\u{fffd}'", r#""\udc00'""#),
        ] {
            let text = Text::from_code_points(code_points);
            assert_eq!((text.as_str(), repr(&text).as_str()), (shown, literal));
            assert!(text.is_string());
        }
    }

    /// Guards field lookup: what shows alike is not alike.
    #[test]
    fn equality_is_pythons() {
        assert_eq!(Text::from_code_points(&[0x61]), Text::new("a"));
        assert_ne!(Text::from_code_points(&[0xd800]), Text::from_code_points(&[0xd801]));
        assert_ne!(Text::from_code_points(&[0xd800]), Text::new("\u{fffd}"));
        assert_ne!(Text::other("5"), Text::new("5"));
    }

    /// Guards titles that are no strings.
    #[test]
    fn other_literals_keep_their_source() {
        for source in ["5", "-1.5e3", "(1, 'a')", "b'x'", "None"] {
            let text = Text::other(source);
            assert_eq!((text.as_str(), repr(&text).as_str()), (source, source));
            assert!(!text.is_string());
        }
    }

    /// Guards every kind of escape; the right side is what Python makes of it.
    #[test]
    fn escapes_are_pythons() {
        for (body, expected) in [
            (r"\x3cf4", "<f4"),
            (r#"\'\"\\"#, "'\"\\"),
            (r"\a\b\t\n\v\f\r", "\x07\x08\t\n\x0b\x0c\r"),
            (r"\xe9\u6574\U0001f600", "é整😀"),
            (r"\0\7\101\1012\777\8", "\0\x07AA2ǿ\\8"),
            (r"\d\é\%", r"\d\é\%"),
            ("a\\\nb\\\r\nc\\\rd", "abcd"),
            ("a\nb\r\nc\rd", "a\nb\nc\nd"),
        ] {
            let mut code_points = Vec::new();
            decode(body, false, &mut code_points);
            assert_eq!(Text::from_code_points(&code_points).as_str(), expected, "{body:?}");
        }
    }

    /// Guards raw strings, where only ends of lines change.
    #[test]
    fn raw_strings_keep_their_backslashes() {
        let mut code_points = Vec::new();
        decode("\\x41\\\r\n\\'", true, &mut code_points);
        assert_eq!(Text::from_code_points(&code_points).as_str(), "\\x41\\\n\\'");
    }
}
