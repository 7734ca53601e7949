//! A Python string or other literal that keeps its value when it is read and written again.

use std::str::Chars;

use super::repr;

/// A Python string, or another Python literal: the title of a field may be any literal.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct Text {
    shown: Box<str>,
    // Python source, if `shown` is not exact: for strings with surrogates, and for literals that are not strings.
    literal: Option<Box<str>>,
}

impl Text {
    /// Creates a Python string from Rust text.
    pub(crate) fn new(text: impl Into<Box<str>>) -> Self {
        Text { shown: text.into(), literal: None }
    }

    /// Creates a Python string. Each surrogate is shown as U+FFFD. So are both of a pair, because
    /// Python does not combine them.
    pub(crate) fn from_code_points(code_points: &[u32]) -> Self {
        let mut exact = true;
        let shown = code_points.iter().map(|&c| {
            let known = char::from_u32(c);
            exact &= known.is_some();
            known.unwrap_or(char::REPLACEMENT_CHARACTER)
        });
        let shown = shown.collect::<String>().into();
        let literal = (!exact).then(|| repr::of_code_points(code_points.iter().copied()).into());
        Text { shown, literal }
    }

    /// Creates a literal other than a string from its Python source.
    pub(crate) fn other(source: &str) -> Self {
        Text { shown: source.into(), literal: Some(source.into()) }
    }

    /// Returns the string, with U+FFFD for surrogates; or the source of another literal.
    pub(crate) fn as_str(&self) -> &str {
        &self.shown
    }

    /// Returns true for a Python string that [`as_str`](Self::as_str) returns without a loss.
    pub(crate) fn is_exact(&self) -> bool {
        self.literal.is_none()
    }

    /// Returns true if the literal is a string in Python.
    pub(crate) fn is_string(&self) -> bool {
        // No other literal starts with a quote.
        self.literal.as_ref().is_none_or(|literal| literal.starts_with(['\'', '"']))
    }

    /// Returns an upper bound for the nesting depth of the literal: the number of its opening
    /// brackets, or 0 for a string.
    pub(crate) fn count_brackets(&self) -> usize {
        match &self.literal {
            Some(source) if !self.is_string() => {
                source.bytes().filter(|byte| b"([{".contains(byte)).count()
            }
            _ => 0,
        }
    }

    /// Returns Python's `repr` of the string, or the source of a literal that is not a string.
    pub(crate) fn repr(&self) -> String {
        match &self.literal {
            Some(literal) => literal.to_string(),
            None => repr::of_str(&self.shown),
        }
    }
}

/// Decodes the text between the quotes of a string literal, and appends its code points. An unknown escape is kept, as in Python.
pub(super) fn decode(body: &str, raw: bool, code_points: &mut Vec<u32>) {
    let mut chars = body.chars();
    while let Some(c) = chars.next() {
        match c {
            // Python reads every line break as a line feed.
            '\r' => {
                eat(&mut chars, '\n');
                code_points.push(u32::from('\n'));
            }
            '\\' if !raw => decode_escape(&mut chars, code_points),
            _ => code_points.push(c.into()),
        }
    }
}

/// Decodes one escape, after its backslash.
fn decode_escape(chars: &mut Chars<'_>, code_points: &mut Vec<u32>) {
    let unescaped = chars.as_str();
    let code_point = match chars.next() {
        // A backslash at the end of a line joins it with the next one.
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

/// Reads a number of at most `max_digits` digits.
fn decode_digits(chars: &mut Chars<'_>, radix: u32, max_digits: usize) -> u32 {
    let mut number = 0u32;
    for _ in 0..max_digits {
        let rest = chars.as_str();
        let Some(digit) = chars.next().and_then(|c| c.to_digit(radix)) else {
            *chars = rest.chars();
            break;
        };
        // A `u32` can hold the largest numbers: 8 digits in base 16, and 3 in base 8.
        number = number.wrapping_mul(radix).wrapping_add(digit);
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
        text.repr()
    }

    /// Guards the text and the `repr` of strings, with and without code points that a `str` cannot
    /// hold.
    #[test]
    fn strings_keep_their_text_and_repr() {
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

    /// Guards field lookup: strings with the same shown text may differ in Python.
    #[test]
    fn strings_are_equal_if_they_are_in_python() {
        assert_eq!(Text::from_code_points(&[0x61]), Text::new("a"));
        assert_ne!(Text::from_code_points(&[0xd800]), Text::from_code_points(&[0xd801]));
        assert_ne!(Text::from_code_points(&[0xd800]), Text::new("\u{fffd}"));
        assert_ne!(Text::other("5"), Text::new("5"));
    }

    /// Guards titles that are not strings.
    #[test]
    fn other_literals_keep_their_source() {
        for source in ["5", "-1.5e3", "(1, 'a')", "b'x'", "None"] {
            let text = Text::other(source);
            assert_eq!((text.as_str(), repr(&text).as_str()), (source, source));
            assert!(!text.is_string());
        }
    }

    /// Guards every kind of escape; the right side is Python's result.
    #[test]
    fn escapes_are_decoded_as_in_python() {
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

    /// Guards raw strings, in which only line breaks change.
    #[test]
    fn raw_strings_keep_their_backslashes() {
        let mut code_points = Vec::new();
        decode("\\x41\\\r\n\\'", true, &mut code_points);
        assert_eq!(Text::from_code_points(&code_points).as_str(), "\\x41\\\n\\'");
    }
}
