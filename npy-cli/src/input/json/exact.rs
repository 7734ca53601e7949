//! Checks the numbers of JSON in a stream before serde reads them: serde rounds integers of more than 64 bits, and floats that are too small, without
//! an error.

use std::io::{self, Read};

use crate::input::numbers::fits_float;

pub(super) struct Exact<R> {
    stream: R,
    /// True if the digits of fractions count, too.
    is_lossless: bool,
    line: usize,
    state: State,
    /// The number that the stream is in.
    number: String,
}

#[derive(Clone, Copy, PartialEq)]
enum State {
    Plain,
    Text,
    /// After a backslash in text.
    Escape,
}

impl<R: Read> Exact<R> {
    pub(super) fn new(stream: R, is_lossless: bool) -> Self {
        Exact { stream, is_lossless, line: 1, state: State::Plain, number: String::new() }
    }

    /// Checks the number that has ended.
    fn end_number(&mut self) -> io::Result<()> {
        let text = &self.number;
        let (is_long, has_exponent) = (text.len() > 15, || text.contains(['e', 'E']));
        let is_integer = is_long && !text.contains('.') && !has_exponent();
        // Without an exponent, fewer digits fit in an integer of 64 bits, or a float keeps them.
        if is_integer || self.is_lossless && (is_long || has_exponent()) {
            let fits_integer = || text.parse::<i64>().is_ok() || text.parse::<u64>().is_ok();
            let is_kept = is_integer && fits_integer() || fits_float(text);
            if !is_kept {
                let line = self.line;
                let start: String = text.chars().take(60).collect();
                return Err(io::Error::other(format!(
                    "line {line}: no integer of 64 bits and no float is {start}; in quotes, it is kept as text"
                )));
            }
        }
        self.number.clear();
        Ok(())
    }
}

impl<R: Read> Read for Exact<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.stream.read(buffer)?;
        for &byte in buffer.iter().take(count) {
            self.state = match (self.state, byte) {
                (State::Plain, b'0'..=b'9' | b'-' | b'+' | b'.' | b'e' | b'E') => {
                    self.number.push(char::from(byte));
                    continue;
                }
                (State::Plain, _) => {
                    self.end_number()?;
                    self.line += usize::from(byte == b'\n');
                    if byte == b'"' { State::Text } else { State::Plain }
                }
                (State::Text, b'"') => State::Plain,
                (State::Text, b'\\') => State::Escape,
                _ => State::Text,
            };
        }
        if count == 0 && !buffer.is_empty() {
            self.end_number()?;
        }
        Ok(count)
    }
}
