//! Python's `repr(str)`, exactly as CPython writes it.

use super::printable::is_printable;

/// Appends the `repr` of a Rust string.
pub(crate) fn write_str(text: &str, out: &mut String) {
    write_repr(text.chars().map(u32::from), out);
}

/// Appends the `repr` of a Python string, which consists of code points and may have surrogates.
pub(crate) fn write_repr(code_points: impl Iterator<Item = u32> + Clone, out: &mut String) {
    let quote = quote(code_points.clone());
    out.push(quote);
    for c in code_points {
        write_code_point(c, quote, out);
    }
    out.push(quote);
}

/// Appends a text without quotes. Characters that do not print are escaped, so that they cannot control a terminal or change the
/// direction of text.
pub(crate) fn write_printable(text: &str, out: &mut String) {
    for c in text.chars() {
        if is_printable(c.into()) {
            out.push(c);
        } else {
            out.push_str(&escape(c.into()));
        }
    }
}

/// Returns `"` if the text has `'` and no `"`, and `'` otherwise.
fn quote(mut code_points: impl Iterator<Item = u32> + Clone) -> char {
    let single = code_points.clone().any(|c| c == u32::from('\''));
    let double = code_points.any(|c| c == u32::from('"'));
    if single && !double { '"' } else { '\'' }
}

fn write_code_point(c: u32, quote: char, out: &mut String) {
    match char::from_u32(c) {
        Some('\t') => out.push_str("\\t"),
        Some('\n') => out.push_str("\\n"),
        Some('\r') => out.push_str("\\r"),
        Some(c) if c == quote || c == '\\' => out.extend(['\\', c]),
        Some(printable) if is_printable(c) => out.push(printable),
        _ => out.push_str(&escape(c)),
    }
}

/// Returns the shortest escape for a code point.
fn escape(c: u32) -> String {
    match c {
        0..=0xff => format!("\\x{c:02x}"),
        0x100..=0xffff => format!("\\u{c:04x}"),
        _ => format!("\\U{c:08x}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn repr(text: &str) -> String {
        let mut out = String::new();
        write_str(text, &mut out);
        out
    }

    /// Guards the choice of quotes and of escapes; the right side is CPython's output.
    #[test]
    fn strings_are_quoted_as_cpython_does() {
        for (text, expected) in [
            ("", "''"),
            ("gain", "'gain'"),
            ("it's", r#""it's""#),
            (r#"say "hi""#, r#"'say "hi"'"#),
            (r#"it's "q""#, r#"'it\'s "q"'"#),
            (r"a\b", r"'a\\b'"),
            ("a\n\t\r\0\x01\x7fb", r"'a\n\t\r\x00\x01\x7fb'"),
            ("é整😀", "'é整😀'"),
            ("\u{a0}\u{ad}", r"'\xa0\xad'"),
            ("\u{200b}\u{fffe}", r"'\u200b\ufffe'"),
            ("\u{1fae8}\u{10ffff}", r"'\U0001fae8\U0010ffff'"),
        ] {
            assert_eq!(repr(text), expected);
        }
    }

    /// Guards code points that a `&str` cannot hold.
    #[test]
    fn surrogates_are_escaped_one_by_one() {
        let mut out = String::new();
        write_repr([0x61, 0xd83d, 0xde00, 0xdfff].into_iter(), &mut out);
        assert_eq!(out, r"'a\ud83d\ude00\udfff'");
    }
}
