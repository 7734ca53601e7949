//! Checks the numbers of JSON in a stream before serde reads them: serde rounds integers of more than 64 bits, and floats that are too small, without
//! an error.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::io::{self, Read};
use std::rc::Rc;

use crate::input::numbers::{fits_float, integer_part};

/// The treatment of a number that the nearest float does not keep, and that is no integer of 64 bits. An integer without a point and an exponent is
/// refused.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::input) enum Digits {
    /// Other numbers are rounded.
    Rounded,
    /// Other numbers become text, whose digits all count if their column is one of integers. So do all large integers with a point or an exponent,
    /// which serde reads as floats.
    AsText,
    /// It is refused. If there are columns of integers, large ones lose their point and their exponent.
    Refused { has_integers: bool },
}

/// The texts of large numbers that serde reads as floats, in their order: the digits of integers, and nothing of the others. The stream adds them, which is ahead of serde.
#[derive(Clone, Debug, Default)]
pub(in crate::input) struct Large(Rc<RefCell<VecDeque<Option<String>>>>);

impl Large {
    /// Floats from here on may have been integers of more than 64 bits.
    const MIN: f64 = (1u64 << 63) as f64;

    /// Returns the digits of a float that serde has read, if they are those of an integer.
    pub(super) fn digits(&self, number: f64) -> Option<String> {
        if number.abs() < Large::MIN { None } else { self.0.borrow_mut().pop_front()? }
    }

    fn add(&self, text: &str, is_integer: bool) {
        let is_float = !is_integer || text.parse::<i64>().is_err() && text.parse::<u64>().is_err();
        if is_float && text.parse::<f64>().is_ok_and(|number| number.abs() >= Large::MIN) {
            self.0.borrow_mut().push_back(is_integer.then(|| text.to_owned()));
        }
    }
}

pub(super) struct Exact<R> {
    stream: R,
    digits: Digits,
    large: Large,
    line: usize,
    state: State,
    /// The number that the stream is in.
    number: String,
    /// Bytes of the stream, before and after the check, and the number of the latter that were returned.
    input: Vec<u8>,
    checked: Vec<u8>,
    used: usize,
}

#[derive(Clone, Copy, PartialEq)]
enum State {
    Plain,
    Text,
    /// After a backslash in text.
    Escape,
}

impl<R: Read> Exact<R> {
    pub(super) fn new(stream: R, digits: Digits, large: Large) -> Self {
        const BLOCK: usize = 64 << 10;
        let (input, checked) = (vec![0; BLOCK], Vec::new());
        let (state, number) = (State::Plain, String::new());
        Exact { stream, digits, large, line: 1, state, number, input, checked, used: 0 }
    }

    /// Checks the number that has ended, and appends it to the checked bytes.
    fn end_number(&mut self) -> io::Result<()> {
        let text = &self.number;
        let (is_long, has_exponent) = (text.len() > 15, || text.contains(['e', 'E']));
        let is_integer = is_long && !text.contains('.') && !has_exponent();
        // Without an exponent, fewer digits fit in an integer of 64 bits, or a float keeps them.
        let may_be_rounded = self.digits != Digits::Rounded && (is_long || has_exponent());
        let large = || if is_integer { None } else { large_integer(text) };
        let (mut is_text, mut integer) = (false, None);
        match self.digits {
            _ if !is_integer && !may_be_rounded => {}
            Digits::AsText if large().is_some() => is_text = true,
            Digits::Refused { has_integers: true } if large().is_some() => integer = large(),
            _ => {
                let fits_integer = || text.parse::<i64>().is_ok() || text.parse::<u64>().is_ok();
                let is_kept = is_integer && fits_integer() || fits_float(text);
                // All other numbers that are wrong are left to serde.
                is_text = !is_kept
                    && !is_integer
                    && self.digits == Digits::AsText
                    && serde_json::from_str::<f64>(text).is_ok();
                let is_refused = is_integer || matches!(self.digits, Digits::Refused { .. });
                if !is_kept && is_refused {
                    let line = self.line;
                    let start: String = text.chars().take(60).collect();
                    let what = match is_integer {
                        true => "no integer of 64 bits and no float is",
                        false => "no float has all digits of",
                    };
                    return Err(io::Error::other(format!(
                        "line {line}: {what} {start}; in quotes, it is kept as text"
                    )));
                }
            }
        }
        if !is_text && integer.is_none() && (is_long || has_exponent()) {
            self.large.add(text, is_integer);
        }
        let quote = is_text.then_some(b'"');
        self.checked.extend(quote);
        self.checked.extend_from_slice(integer.as_ref().unwrap_or(text).as_bytes());
        self.checked.extend(quote);
        self.number.clear();
        Ok(())
    }

    /// Checks the next bytes of the stream. At its end, there may be none.
    fn check(&mut self) -> io::Result<()> {
        self.checked.clear();
        self.used = 0;
        while self.checked.is_empty() {
            let count = self.stream.read(&mut self.input)?;
            if count == 0 {
                return self.end_number();
            }
            for i in 0..count {
                let Some(&byte) = self.input.get(i) else { break };
                self.add(byte)?;
            }
        }
        Ok(())
    }

    fn add(&mut self, byte: u8) -> io::Result<()> {
        self.state = match (self.state, byte) {
            (State::Plain, b'0'..=b'9' | b'-' | b'+' | b'.' | b'e' | b'E') => {
                self.number.push(char::from(byte));
                return Ok(());
            }
            (State::Plain, _) => {
                if !self.number.is_empty() {
                    self.end_number()?;
                }
                self.line += usize::from(byte == b'\n');
                if byte == b'"' { State::Text } else { State::Plain }
            }
            (State::Text, b'"') => State::Plain,
            (State::Text, b'\\') => State::Escape,
            _ => State::Text,
        };
        self.checked.push(byte);
        Ok(())
    }
}

/// Returns an integer of 64 bits without its point and exponent, if it may differ from the nearest float.
fn large_integer(text: &str) -> Option<String> {
    let (whole, is_whole) = integer_part(text)?;
    let fits = i64::try_from(whole).is_ok() || u64::try_from(whole).is_ok();
    (is_whole && fits && whole.unsigned_abs() >= 1 << 53).then(|| whole.to_string())
}

impl<R: Read> Read for Exact<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.used == self.checked.len() {
            self.check()?;
        }
        let mut rest = self.checked.get(self.used..).unwrap_or_default();
        let count = rest.read(buffer)?;
        self.used += count;
        Ok(count)
    }
}
