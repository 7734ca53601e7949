//! Text whose fields are separated by blanks: a run of them is one, as `np.loadtxt` has it.

use std::io::{self, Read};

/// A stream in which each run of blanks outside of quotes is one space. There is none at the start of a line.
pub(super) struct Blanks<R> {
    stream: R,
    /// False for a stream that stays as it is.
    is_on: bool,
    is_quoted: bool,
    /// True after a quote that ends quotes, or is the first of two.
    is_closed: bool,
    /// True at the start of a line and after a blank.
    skips: bool,
}

impl<R> Blanks<R> {
    pub(super) fn new(stream: R, is_on: bool) -> Self {
        Blanks { stream, is_on, is_quoted: false, is_closed: false, skips: true }
    }

    /// Returns the byte that takes the place of this one, if one does.
    fn replaced(&mut self, byte: u8) -> Option<u8> {
        let is_quote = byte == b'"';
        let ends_quotes = is_quote && self.is_quoted;
        // A quote within a field has no meaning.
        self.is_quoted = match is_quote {
            true => !self.is_quoted && (self.skips || self.is_closed),
            false => self.is_quoted,
        };
        self.is_closed = ends_quotes;
        let is_blank = !self.is_quoted && matches!(byte, b' ' | b'\t');
        let is_left_out = is_blank && self.skips;
        self.skips = is_blank || !self.is_quoted && matches!(byte, b'\n' | b'\r');
        (!is_left_out).then_some(if is_blank { b' ' } else { byte })
    }
}

impl<R: Read> Read for Blanks<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            let count = self.stream.read(buffer)?;
            if !self.is_on || count == 0 {
                return Ok(count);
            }
            let mut kept = 0;
            for at in 0..count.min(buffer.len()) {
                if let Some(byte) = self.replaced(buffer[at]) {
                    buffer[kept] = byte;
                    kept += 1;
                }
            }
            // No bytes would mean the end of the stream.
            if kept > 0 {
                return Ok(kept);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use super::Blanks;

    #[test]
    fn a_run_of_blanks_is_one_space() {
        for (text, expected) in [
            ("  1 \t2\n 3  4 \n", "1 2\n3 4 \n"),
            ("a  \"b  c\"  d", "a \"b  c\" d"),
            ("5\"  \"\"\"  x\"  7", "5\" \"\"\"  x\" 7"),
            ("     ", ""),
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
