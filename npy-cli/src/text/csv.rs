//! Fields of CSV.

/// Writes a field of CSV, in quotes if it needs them.
pub(crate) fn csv_field(text: &str, comma: u8, out: &mut Vec<u8>) {
    if text.bytes().any(|byte| needs_quotes(byte, comma)) {
        out.push(b'"');
        out.extend_from_slice(text.replace('"', "\"\"").as_bytes());
        out.push(b'"');
    } else {
        out.extend_from_slice(text.as_bytes());
    }
}

/// Returns true for a byte that makes a field need quotes.
pub(super) fn needs_quotes(byte: u8, comma: u8) -> bool {
    byte == comma || matches!(byte, b'"' | b'\n' | b'\r')
}

#[cfg(test)]
mod tests {
    use super::csv_field;

    #[test]
    fn text_of_csv_is_quoted_only_if_it_must_be() {
        let field = |text: &str| {
            let mut out = Vec::new();
            csv_field(text, b',', &mut out);
            String::from_utf8(out).unwrap()
        };
        assert_eq!(field("a b"), "a b");
        assert_eq!(field("a,\"b\""), "\"a,\"\"b\"\"\"");
    }
}
