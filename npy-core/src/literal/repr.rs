//! Python's `repr(str)`, exactly as CPython writes it.

use super::printable::is_printable;

/// Returns the `repr` of a Rust string.
pub(crate) fn of_str(text: &str) -> String {
    of_code_points(text.chars().map(u32::from))
}

/// Returns the `repr` of a Python string, given as code points, some of which may be surrogates.
pub(crate) fn of_code_points(code_points: impl Iterator<Item = u32> + Clone) -> String {
    let quote = quote(code_points.clone());
    let mut out = String::from(quote);
    for c in code_points {
        write_code_point(c, quote, &mut out);
    }
    out.push(quote);
    out
}

/// Escapes the unprintable characters of a text, so that they cannot control a terminal or change the direction of text. Adds no quotes.
pub(crate) fn printable(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if is_printable(c.into()) {
            out.push(c);
        } else {
            out.push_str(&escape(c.into()));
        }
    }
    out
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
        of_str(text)
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
        let out = of_code_points([0x61, 0xd83d, 0xde00, 0xdfff].into_iter());
        assert_eq!(out, r"'a\ud83d\ude00\udfff'");
    }
}
