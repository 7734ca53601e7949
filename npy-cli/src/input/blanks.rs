//! Text whose fields are separated by blanks: a run of them is one, as `np.loadtxt` has it.

use std::io::{self, Read};

/// A stream in which each run of blanks outside of quotes is one space. There is none at the start or the end of a line, where it would separate nothing.
pub(super) struct Blanks<R> {
    stream: R,
    /// False for a stream that stays as it is.
    is_on: bool,
    is_quoted: bool,
    /// True after a quote that ends quotes, or is the first of two.
    is_closed: bool,
    /// True at the start of a line.
    is_start: bool,
    /// True after blanks whose space is not written yet, because the line may end.
    is_pending: bool,
    /// Bytes that were read and are not returned yet, and the number of those that are.
    ready: Vec<u8>,
    taken: usize,
}

impl<R> Blanks<R> {
    pub(super) fn new(stream: R, is_on: bool) -> Self {
        Blanks {
            stream,
            is_on,
            is_quoted: false,
            is_closed: false,
            is_start: true,
            is_pending: false,
            ready: Vec::new(),
            taken: 0,
        }
    }

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
            self.ready.push(b' ');
        }
        self.ready.push(byte);
        self.is_pending = false;
        self.is_start = ends_line;
    }
}

impl<R: Read> Read for Blanks<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if !self.is_on {
            return self.stream.read(buffer);
        }
        while self.taken == self.ready.len() {
            let count = self.stream.read(buffer)?;
            if count == 0 {
                return Ok(0);
            }
            self.ready.clear();
            self.taken = 0;
            for &byte in buffer.iter().take(count) {
                self.push(byte);
            }
        }
        let count = (&self.ready[self.taken..]).read(buffer)?;
        self.taken += count;
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use super::Blanks;

    #[test]
    fn a_run_of_blanks_is_one_space() {
        for (text, expected) in [
            ("  1 \t2\n 3  4 \n", "1 2\n3 4\n"),
            ("a  \"b  c\"  d", "a \"b  c\" d"),
            ("5\"  \"\"\"  x\"  7", "5\" \"\"\"  x\" 7"),
            ("     ", ""),
            ("1 \"\" \n2 \"\"\r\n3 \" \" ", "1 \"\"\n2 \"\"\r\n3 \" \""),
        ] {
            // Parts of one byte have runs in several of them.
            let mut bytes = Vec::new();
            let mut stream = Blanks::new(text.as_bytes(), true);
            let mut byte = [0];
            while stream.read(&mut byte).unwrap() > 0 {
                bytes.push(byte[0]);
            }
            assert_eq!(String::from_utf8(bytes).unwrap(), expected);
        }
    }
}
