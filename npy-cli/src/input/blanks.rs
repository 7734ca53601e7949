//! Text whose fields are separated by blanks: a run of them is one, as `np.loadtxt` has it.

/// Returns the text with one space for each run of blanks outside of quotes. There is none at the start or the end of a line, where it would separate nothing.
pub(super) fn single_blanks(text: &[u8]) -> Vec<u8> {
    let mut blanks = Blanks {
        is_quoted: false,
        is_closed: false,
        is_start: true,
        is_pending: false,
        text: Vec::with_capacity(text.len()),
    };
    text.iter().for_each(|&byte| blanks.push(byte));
    blanks.text
}

/// A text in which each run of blanks is one space.
struct Blanks {
    is_quoted: bool,
    /// True after a quote that ends quotes, or is the first of two.
    is_closed: bool,
    /// True at the start of a line.
    is_start: bool,
    /// True after blanks whose space is not written yet, because the line may end.
    is_pending: bool,
    text: Vec<u8>,
}

impl Blanks {
    /// Adds a byte, after the space that is pending.
    fn push(&mut self, byte: u8) {
        let is_quote = byte == b'"';
        let ends_quotes = is_quote && self.is_quoted;
        // A quote within a field has no meaning.
        self.is_quoted = match is_quote {
            true => !self.is_quoted && (self.is_start || self.is_pending || self.is_closed),
            false => self.is_quoted,
        };
        self.is_closed = ends_quotes;
        if !self.is_quoted && matches!(byte, b' ' | b'\t') {
            self.is_pending = !self.is_start;
            return;
        }
        let ends_line = !self.is_quoted && matches!(byte, b'\n' | b'\r');
        if self.is_pending && !ends_line {
            self.text.push(b' ');
        }
        self.text.push(byte);
        self.is_pending = false;
        self.is_start = ends_line;
    }
}

#[cfg(test)]
mod tests {
    use super::single_blanks;

    #[test]
    fn a_run_of_blanks_is_one_space() {
        for (text, expected) in [
            ("  1 \t2\n 3  4 \n", "1 2\n3 4\n"),
            ("a  \"b  c\"  d", "a \"b  c\" d"),
            ("5\"  \"\"\"  x\"  7", "5\" \"\"\"  x\" 7"),
            ("     ", ""),
            ("1 \"\" \n2 \"\"\r\n3 \" \" ", "1 \"\"\n2 \"\"\r\n3 \" \""),
        ] {
            assert_eq!(String::from_utf8(single_blanks(text.as_bytes())).unwrap(), expected);
        }
    }
}
