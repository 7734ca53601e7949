//! Text of Python that UTF-8 cannot have, because of a lone surrogate: an escape in CSV, as Python's `backslashreplace` writes it, and JSON's own escape in
//! JSON, as `json.dumps` does.

use super::json::json_string;

/// Returns true if there is a lone surrogate.
pub(super) fn has_surrogate(mut code_points: impl Iterator<Item = u32>) -> bool {
    code_points.any(|number| matches!(number, 0xd800..=0xdfff))
}

/// Writes text as it is, with escapes for the numbers that are not characters.
pub(super) fn with_escapes(code_points: impl Iterator<Item = u32>, out: &mut Vec<u8>) {
    for number in code_points {
        match char::from_u32(number) {
            Some(c) => out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes()),
            None if number <= 0xffff => out.extend(format!("\\u{number:04x}").bytes()),
            None => out.extend(format!("\\U{number:08x}").bytes()),
        }
    }
}

/// Writes text with surrogates as a string of JSON. A number beyond Unicode, for which JSON has no escape, is text with a backslash.
pub(super) fn json_of_surrogates(code_points: impl Iterator<Item = u32>, out: &mut Vec<u8>) {
    let mut part = Vec::new();
    out.push(b'"');
    for number in code_points {
        if matches!(number, 0xd800..=0xdfff) {
            out.extend(format!("\\u{number:04x}").bytes());
            continue;
        }
        let mut text = Vec::new();
        with_escapes(std::iter::once(number), &mut text);
        part.clear();
        json_string(&String::from_utf8(text).unwrap_or_default(), &mut part);
        // The quotes are those of the complete text.
        out.extend_from_slice(part.get(1..part.len() - 1).unwrap_or_default());
    }
    out.push(b'"');
}

#[cfg(test)]
mod tests {
    use super::json_of_surrogates;

    #[test]
    fn json_escapes_lone_surrogates_and_nothing_else() {
        let mut out = Vec::new();
        let text = ['a' as u32, 0xdc80, '"' as u32, '\\' as u32, 0xe9, 0x1f600, 10, 0x110000];
        json_of_surrogates(text.into_iter(), &mut out);
        assert_eq!(String::from_utf8(out).unwrap(), r#""a\udc80\"\\é😀\n\\U00110000""#);
    }
}
