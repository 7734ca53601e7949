//! Bytes as text, and back: a byte that is not UTF-8 is `\x80` to `\xff`, and the backslash of bytes that look like that, or like this, is `\x5c`.

/// Writes bytes as text. No two have the same.
pub(super) fn escape(bytes: &[u8], out: &mut Vec<u8>) {
    for chunk in bytes.utf8_chunks() {
        let mut rest = chunk.valid().as_bytes();
        while let Some(at) = find(rest) {
            out.extend_from_slice(&rest[..at]);
            out.extend_from_slice(b"\\x5c");
            rest = &rest[at + 1..];
        }
        out.extend_from_slice(rest);
        for byte in chunk.invalid() {
            out.extend_from_slice(format!("\\x{byte:02x}").as_bytes());
        }
    }
}

/// Returns the bytes that have a text. Other texts with a backslash, such as `\x41`, stay.
pub(crate) fn unescape(text: &str) -> Vec<u8> {
    let (mut bytes, mut rest) = (Vec::with_capacity(text.len()), text);
    while let Some(at) = find(rest.as_bytes()) {
        let (before, escaped) = rest.split_at(at);
        let (escaped, after) = escaped.split_at(4);
        bytes.extend_from_slice(before.as_bytes());
        bytes.extend(u8::from_str_radix(&escaped[2..], 16));
        rest = after;
    }
    bytes.extend_from_slice(rest.as_bytes());
    bytes
}

/// Returns the position of the first `\x5c`, or `\x80` to `\xff`.
fn find(text: &[u8]) -> Option<usize> {
    text.windows(4).position(|part| {
        let [b'\\', b'x', high, low] = *part else { return false };
        match high {
            b'8' | b'9' | b'a'..=b'f' => matches!(low, b'0'..=b'9' | b'a'..=b'f'),
            _ => (high, low) == (b'5', b'c'),
        }
    })
}

#[cfg(test)]
mod tests {
    use super::{escape, unescape};

    #[test]
    fn only_bytes_that_are_not_utf8_or_look_escaped_are_changed() {
        for (bytes, text) in [
            (&b"C:\\xfiles\\x5"[..], "C:\\xfiles\\x5"),
            (b"\\xff", "\\x5cxff"),
            (b"\xff", "\\xff"),
            (b"\\\xff", "\\\\xff"),
            (b"\\x5cxff", "\\x5cx5cxff"),
            (b"\\x41\\x00\\x7f\\x5d", "\\x41\\x00\\x7f\\x5d"),
            ("ä\n\0".as_bytes(), "ä\n\0"),
        ] {
            let mut out = Vec::new();
            escape(bytes, &mut out);
            assert_eq!(String::from_utf8(out).unwrap(), text);
            assert_eq!(unescape(text), bytes);
        }
    }
}
