//! A Python string or other literal that keeps its value when it is read and written again.

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
}
