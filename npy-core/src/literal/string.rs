//! Strings: prefixes, quotes, escapes, and adjacent strings, which Python joins.

use super::{Fault, Kind, fail};
use crate::checked;

/// Returns true if a string is next.
pub(super) fn starts(rest: &[u8]) -> bool {
    matches!(rest, [b'\'' | b'"', ..] | [b'u' | b'b', b'\'' | b'"', ..])
}

/// Returns the number of blanks that are next; with `lines`, line breaks are blanks.
pub(super) fn blanks(rest: &[u8], lines: bool) -> usize {
    let is_blank = |byte| matches!(byte, b' ' | b'\t') || lines && matches!(byte, b'\r' | b'\n');
    rest.iter().take_while(|&&byte| is_blank(byte)).count()
}

/// Reads the string at this offset and the strings adjacent to it, which may be on other lines if
/// `lines`. Adds its code points to `out`. Returns its kind and the offset of its end.
pub(super) fn read(
    text: &str,
    mut at: usize,
    lines: bool,
    mut out: Option<&mut Vec<u32>>,
) -> Result<(Kind, usize), Fault> {
    let kind_at = |at| if text.as_bytes().get(at) == Some(&b'b') { Kind::Bytes } else { Kind::Str };
    let kind = kind_at(at);
    loop {
        let end = piece(text, at, kind, out.as_deref_mut())?;
        let rest = checked::tail(text.as_bytes(), end);
        at = checked::add(end, blanks(rest, lines));
        if !starts(checked::tail(text.as_bytes(), at)) {
            return Ok((kind, end));
        }
        if kind_at(at) != kind {
            return fail(at, "a bytes literal next to a string; put a comma between them");
        }
    }
}

/// Returns the length of a string without a prefix or escapes, after which no other can be. This is
/// a fast path: headers consist mostly of such strings.
pub(super) fn plain(rest: &[u8]) -> Option<usize> {
    let is_plain = |byte: &u8| matches!(byte, b' '..=b'&' | b'('..=b'[' | b']'..=b'~');
    let body = rest.strip_prefix(b"'")?;
    let length = body.iter().position(|byte| !is_plain(byte))?;
    match body.get(length..)? {
        [b'\'', b',' | b')' | b':', ..] => Some(checked::add(length, 2)),
        _ => None,
    }
}

/// Reads the string at this offset, adds its code points to `out`, and returns the offset of its end.
fn piece(
    text: &str,
    start: usize,
    kind: Kind,
    mut out: Option<&mut Vec<u32>>,
) -> Result<usize, Fault> {
    let bytes = text.as_bytes();
    let has_prefix = matches!(bytes.get(start), Some(b'u' | b'b'));
    let opening = checked::add(start, has_prefix.into());
    let quote = match checked::tail(bytes, opening) {
        [a, b, c, ..] if a == b && b == c => {
            return fail(start, "triple quotes; use single ones, and \\n for a line break");
        }
        [quote, ..] => *quote,
        [] => return fail(start, "expected a string"),
    };
    let mut at = checked::add(opening, 1);
    loop {
        let special = |byte: &u8| *byte == quote || matches!(byte, b'\\' | b'\r' | b'\n');
        let Some(length) = checked::tail(bytes, at).iter().position(special) else {
            return fail(
                start,
                "a string without a closing quote; add it, or copy the complete text",
            );
        };
        let plain = checked::text(text, at..checked::add(at, length));
        if kind == Kind::Bytes && !plain.is_ascii() {
            return fail(at, "a bytes literal that is not ASCII; write escapes, as in b'\\xe9'");
        }
        at = checked::add(at, length);
        if let Some(out) = out.as_deref_mut() {
            out.extend(plain.chars().map(u32::from));
        }
        match bytes.get(at) {
            Some(b'\\') => {
                let (code_point, end) = escape(text, at, kind)?;
                at = end;
                if let Some(out) = out.as_deref_mut() {
                    out.push(code_point);
                }
            }
            Some(b'\r' | b'\n') => return fail(at, "a line break in a string; write \\n"),
            _ => return Ok(checked::add(at, 1)),
        }
    }
}

/// Returns the code point of the escape at this offset, and the offset of its end. A backslash that
/// escapes nothing is kept, as in Python.
fn escape(text: &str, at: usize, kind: Kind) -> Result<(u32, usize), Fault> {
    let after = |count| checked::add(at, count);
    let number = |start: usize, digits: usize, radix| {
        let end = checked::add(start, digits);
        let number = text.get(start..end).filter(|it| it.chars().all(|c| c.is_digit(radix)));
        let number = number.and_then(|number| u32::from_str_radix(number, radix).ok());
        match number.filter(|&number| number <= u32::from(char::MAX)) {
            Some(number) => Ok((number, end)),
            None => {
                let escape =
                    format!("an escape without {digits} hexadecimal digits, at most 10ffff");
                fail(at, format!("{escape}; write \\\\ for a backslash"))
            }
        }
    };
    let rest = checked::tail(text.as_bytes(), after(1));
    let is_text = kind == Kind::Str;
    let code_point = match rest {
        [b'x', ..] => return number(after(2), 2, 16),
        [b'u', ..] if is_text => return number(after(2), 4, 16),
        [b'U', ..] if is_text => return number(after(2), 8, 16),
        [b'N', ..] if is_text => {
            return fail(at, r"a character by name; write its number, \u2022 for \N{BULLET}");
        }
        [b'0'..=b'7', ..] => {
            let digits = rest.iter().take(3).take_while(|byte| matches!(byte, b'0'..=b'7'));
            return number(after(1), digits.count(), 8);
        }
        [c @ (b'\\' | b'\'' | b'"'), ..] => u32::from(*c),
        [b'a', ..] => 0x07,
        [b'b', ..] => 0x08,
        [b't', ..] => 0x09,
        [b'n', ..] => 0x0a,
        [b'v', ..] => 0x0b,
        [b'f', ..] => 0x0c,
        [b'r', ..] => 0x0d,
        // No escape: the character after the backslash is read next.
        _ => return Ok((u32::from('\\'), after(1))),
    };
    Ok((code_point, after(2)))
}
