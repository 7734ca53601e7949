//! The text, bytes and large integers in a pickle.

use std::borrow::Cow;

use super::Form;

/// The encoding of strings that Python 2 pickled, which the pickle does not state. It is the argument `encoding` of `np.load`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Encoding {
    /// Text of ASCII characters; an error if there are others.
    #[default]
    Ascii,
    /// Text of one byte per character.
    Latin1,
    /// Bytes.
    Bytes,
}

/// The error of [`decode_text`] for a string of Python 2 that is not ASCII, if its encoding is [`Encoding::Ascii`].
pub const UNKNOWN_ENCODING: &str =
    "the string was pickled by Python 2, is not ASCII, and has no stated encoding";

/// Decodes text.
///
/// ```
/// use npy_pickle::{Encoding, Form, decode_text};
///
/// let latin = |encoding| decode_text(Form::Python2, b"caf\xe9", encoding);
/// assert_eq!(latin(Encoding::Latin1)?, "café");
/// assert!(latin(Encoding::Ascii).is_err());
/// # Ok::<(), &str>(())
/// ```
///
/// # Errors
///
/// The reason why the bytes are not text, or why a Rust string or the encoding cannot hold it.
#[inline]
pub fn decode_text(
    form: Form,
    bytes: &[u8],
    encoding: Encoding,
) -> Result<Cow<'_, str>, &'static str> {
    match form {
        Form::Str => match std::str::from_utf8(bytes) {
            Ok(text) => Ok(Cow::Borrowed(text)),
            Err(_) => {
                Err("the text has a surrogate, or is not UTF-8, so a Rust string cannot hold it")
            }
        },
        Form::EscapedStr => {
            let mut text = String::with_capacity(bytes.len());
            unescape(bytes, |code| {
                text.push(char::from_u32(code).ok_or(SURROGATE)?);
                Ok(())
            })?;
            Ok(Cow::Owned(text))
        }
        Form::Python2 | Form::Python2Literal => {
            let bytes = decode_bytes(form, bytes).unwrap_or_default();
            match encoding {
                Encoding::Bytes => Err("the options say that strings of Python 2 are bytes"),
                Encoding::Ascii if !bytes.is_ascii() => Err(UNKNOWN_ENCODING),
                _ => Ok(bytes.iter().map(|&byte| char::from(byte)).collect()),
            }
        }
        _ => Err("it is not text"),
    }
}

/// Decodes text to code points, which may be surrogates; `None` if Python makes no text of it.
///
/// ```
/// use npy_pickle::{Encoding, Form, decode_code_points, decode_text};
///
/// let lone = b"a\xed\xa0\x80";
/// assert!(decode_text(Form::Str, lone, Encoding::Ascii).is_err());
/// assert_eq!(decode_code_points(Form::Str, lone, Encoding::Ascii).unwrap(), [0x61, 0xd800]);
/// ```
pub fn decode_code_points(form: Form, bytes: &[u8], encoding: Encoding) -> Option<Vec<u32>> {
    let mut code_points = Vec::new();
    match form {
        Form::Str => {
            let mut rest = bytes;
            loop {
                let chunk = rest.utf8_chunks().next();
                let valid = chunk.map_or("", |chunk| chunk.valid());
                code_points.extend(valid.chars().map(u32::from));
                rest = match rest.get(valid.len()..)? {
                    [] => break,
                    &[0xed, high @ 0xa0..=0xbf, low @ 0x80..=0xbf, ref after @ ..] => {
                        let bits = |byte: u8| u32::from(byte & 0x3f);
                        code_points.push(0xd000 | bits(high) << 6 | bits(low));
                        after
                    }
                    _ => return None,
                };
            }
        }
        Form::EscapedStr => unescape(bytes, |code| {
            code_points.push(code);
            if code <= u32::from(char::MAX) { Ok(()) } else { Err(NOT_UNICODE) }
        })
        .ok()?,
        _ => {
            let text = decode_text(form, bytes, encoding).ok()?;
            code_points.extend(text.chars().map(u32::from));
        }
    }
    Some(code_points)
}

/// Decodes bytes; `None` if they are something else. A string of Python 2 counts as bytes.
///
/// ```
/// use npy_pickle::{Form, decode_bytes};
///
/// assert_eq!(decode_bytes(Form::Python2Literal, b"'a\\x00'").as_deref(), Some(&b"a\0"[..]));
/// assert_eq!(decode_bytes(Form::Str, b"a"), None);
/// ```
pub fn decode_bytes(form: Form, bytes: &[u8]) -> Option<Cow<'_, [u8]>> {
    match form {
        Form::Bytes | Form::ByteArray | Form::Python2 => Some(Cow::Borrowed(bytes)),
        Form::Python2Literal => Some(unquote(bytes)),
        _ => None,
    }
}

const SURROGATE: &str = "the text has a surrogate, so a Rust string cannot hold it";
const NOT_UNICODE: &str = "an escape in the text is beyond Unicode";

/// Decodes a line in the encoding `raw-unicode-escape`, and passes each code point to `push`.
fn unescape(
    line: &[u8],
    mut push: impl FnMut(u32) -> Result<(), &'static str>,
) -> Result<(), &'static str> {
    const NO_DIGITS: &str = "an escape in the text lacks hexadecimal digits";
    let mut rest = line.strip_suffix(b"\n").unwrap_or(line);
    while let Some((&byte, after)) = rest.split_first() {
        rest = after;
        let digits = match (byte, rest.first()) {
            (b'\\', Some(b'u')) => 4,
            (b'\\', Some(b'U')) => 8,
            (b'\\', Some(&other)) => {
                push(u32::from(b'\\'))?;
                push(other.into())?;
                rest = rest.get(1..).unwrap_or_default();
                continue;
            }
            _ => {
                push(byte.into())?;
                continue;
            }
        };
        let escape = rest.split_first().and_then(|(_, hex)| hex.split_at_checked(digits));
        let (hex, after) = escape.ok_or(NO_DIGITS)?;
        let code = std::str::from_utf8(hex).ok();
        let code = code.filter(|hex| hex.bytes().all(|byte| byte.is_ascii_hexdigit()));
        let code = code.and_then(|hex| u32::from_str_radix(hex, 16).ok());
        let code = code.ok_or(NO_DIGITS)?;
        push(code)?;
        rest = after;
    }
    Ok(())
}

/// Decodes a literal of Python 2: `'a\x00b'`.
fn unquote(line: &[u8]) -> Cow<'_, [u8]> {
    let line = line.trim_ascii();
    let body = match line {
        [b'\'', body @ .., b'\''] | [b'"', body @ .., b'"'] => body,
        other => other,
    };
    if !body.contains(&b'\\') {
        return Cow::Borrowed(body);
    }
    let mut out = Vec::with_capacity(body.len());
    let mut rest = body;
    while let Some((&byte, after)) = rest.split_first() {
        rest = after;
        if byte != b'\\' {
            out.push(byte);
            continue;
        }
        let Some((&escape, after)) = rest.split_first() else {
            out.push(byte);
            break;
        };
        rest = after;
        match escape {
            b'n' => out.push(b'\n'),
            b'r' => out.push(b'\r'),
            b't' => out.push(b'\t'),
            b'\\' | b'\'' | b'"' => out.push(escape),
            b'x' => {
                let hex = rest.get(..2).and_then(|hex| std::str::from_utf8(hex).ok());
                match hex.and_then(|hex| u8::from_str_radix(hex, 16).ok()) {
                    Some(code) => {
                        out.push(code);
                        rest = rest.get(2..).unwrap_or_default();
                    }
                    None => out.extend([byte, escape]),
                }
            }
            // Other escapes are kept: Python 2 writes none.
            _ => out.extend([byte, escape]),
        }
    }
    Cow::Owned(out)
}

/// Prints an integer in decimal. `bytes` is its two's complement, the least significant byte first. An integer of more than 1,785 bytes is
/// printed in hexadecimal, because the time for decimal grows with the square of the length. The limit is that of Python: 4,300 digits.
pub(crate) fn decimal(bytes: &[u8]) -> String {
    const MAX_DECIMAL: usize = 1785;
    let is_negative = bytes.last().is_some_and(|&byte| byte >= 0x80);
    let sign = if is_negative { "-" } else { "" };
    let mut carry = is_negative;
    let magnitude = bytes.iter().map(|&byte| {
        let byte = if is_negative { !byte } else { byte };
        let (sum, carried) = byte.overflowing_add(carry.into());
        carry = carried;
        sum
    });
    let mut magnitude: Vec<u8> = magnitude.collect();
    if carry {
        magnitude.push(1);
    }
    if bytes.len() > MAX_DECIMAL {
        let digits: String = magnitude.iter().rev().map(|byte| format!("{byte:02x}")).collect();
        return format!("{sign}0x{}", digits.trim_start_matches('0'));
    }
    // Nine decimal digits at a time, the least significant first.
    const NINE_DIGITS: u64 = 1_000_000_000;
    let mut groups: Vec<u64> = Vec::new();
    let words = magnitude
        .chunks(4)
        .map(|word| word.iter().rev().fold(0, |number: u64, &byte| number << 8 | u64::from(byte)));
    for mut carry in words.rev() {
        for group in &mut groups {
            // The sum has at most 62 bits.
            let value = (*group << 32).saturating_add(carry);
            *group = value % NINE_DIGITS;
            carry = value / NINE_DIGITS;
        }
        while carry > 0 {
            groups.push(carry % NINE_DIGITS);
            carry /= NINE_DIGITS;
        }
    }
    let mut text = sign.to_owned();
    match groups.split_last() {
        None => text.push('0'),
        Some((first, rest)) => {
            text.push_str(&first.to_string());
            rest.iter().rev().for_each(|group| text.push_str(&format!("{group:09}")));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_integers_are_printed_as_in_python() {
        assert_eq!(decimal(&[0, 0, 0, 0, 0, 0, 0, 0, 1]), "18446744073709551616");
        assert_eq!(decimal(&[0, 0, 0, 0, 0, 0, 0, 0, 0xff]), "-18446744073709551616");
        assert_eq!(decimal(&[0xff; 9]), "-1");
        assert_eq!(decimal(&[0; 9]), "0");
        assert!(decimal(&[1; 2000]).starts_with("0x10101"));
    }

    #[test]
    fn surrogates_are_code_points_and_other_wrong_bytes_are_none() {
        let of = |form, bytes: &[u8]| decode_code_points(form, bytes, Encoding::Ascii);
        let lone = [0x61, 0xd800, 0xdfff, 0xe9];
        assert_eq!(of(Form::Str, b"a\xed\xa0\x80\xed\xbf\xbf\xc3\xa9").unwrap(), lone);
        assert_eq!(of(Form::EscapedStr, b"a\\ud800\\udfff\xe9\n").unwrap(), lone);
        assert_eq!(of(Form::Str, "aé😀".as_bytes()).unwrap(), [0x61, 0xe9, 0x1f600]);
        assert_eq!(of(Form::Str, b"").unwrap(), []);
        for wrong in [&b"a\xed"[..], b"\xed\xa0", b"\xed\xa0\xc0", b"\xff", b"a\xe0\x80\x80"] {
            assert_eq!(of(Form::Str, wrong), None, "{wrong:?}");
        }
        assert_eq!(of(Form::EscapedStr, b"\\U00110000\n"), None);
        assert_eq!(of(Form::Bytes, b"a"), None);
    }

    #[test]
    fn strings_of_protocol_0_are_unescaped() {
        assert_eq!(
            decode_text(Form::EscapedStr, b"a\\u00e9\\U0001f600\\\\u\xe9\n", Encoding::Ascii)
                .unwrap(),
            "aé😀\\\\ué"
        );
        assert!(decode_text(Form::EscapedStr, b"\\ud800\n", Encoding::Ascii).is_err());
        assert!(decode_text(Form::EscapedStr, b"\\u00g0\n", Encoding::Ascii).is_err());
        assert_eq!(
            decode_bytes(Form::Python2Literal, b"'a\\x00\\n\\'b'\n").unwrap(),
            &b"a\0\n'b"[..]
        );
        assert_eq!(decode_text(Form::Python2, b"caf\xe9", Encoding::Latin1).unwrap(), "café");
        assert!(
            decode_text(Form::Python2, b"caf\xe9", Encoding::Ascii)
                .unwrap_err()
                .contains("encoding")
        );
    }
}
