//! Scans strings, numbers and names, and the blanks and comments between them.

use std::ops::Range;

use super::{Dialect, Fault, Kind, fail};
use crate::checked;

/// Reads atoms, and skips blanks and comments between tokens.
pub(super) struct Scanner<'t> {
    text: &'t str,
    pub(super) at: usize,
    dialect: Dialect,
    // The number of open brackets. Inside brackets, line breaks have no meaning.
    pub(super) depth: usize,
}

/// The letters before the first quote of a string.
#[derive(Clone, Copy)]
pub(super) struct Prefix {
    letters: usize,
    pub(super) raw: bool,
    bytes: bool,
}

/// The kind of a number without its sign.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Number {
    Int,
    Float,
    Imaginary,
}

impl<'t> Scanner<'t> {
    pub(super) fn new(text: &'t str, dialect: Dialect, depth: usize) -> Self {
        Scanner { text, at: 0, dialect, depth }
    }

    /// Returns the bytes that are not read yet.
    fn rest(&self) -> &'t [u8] {
        checked::tail(self.text.as_bytes(), self.at)
    }

    pub(super) fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    pub(super) fn bump(&mut self, count: usize) {
        self.at = checked::add(self.at, count);
    }

    /// Skips this byte if it is next, and returns true if so.
    pub(super) fn eat(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        self.bump(found.into());
        found
    }

    /// Skips all bytes that match, and returns their number.
    fn eat_while(&mut self, matches: impl Fn(u8) -> bool) -> usize {
        let rest = self.rest();
        let count = rest.iter().position(|&byte| !matches(byte)).unwrap_or(rest.len());
        self.bump(count);
        count
    }

    /// Skips blanks and comments between two tokens.
    pub(super) fn skip(&mut self) -> Result<(), Fault> {
        loop {
            match self.peek() {
                Some(b' ' | b'\t' | FORM_FEED) => self.bump(1),
                Some(b'\n' | b'\r') if self.depth > 0 => self.bump(1),
                Some(b'#') if self.depth > 0 => self.skip_comment(),
                Some(b'\\') => self.skip_continuation()?,
                _ => return Ok(()),
            }
        }
    }

    /// Skips blank lines and comments before the value, and refuses a value that is indented.
    pub(super) fn skip_before(&mut self) -> Result<(), Fault> {
        // `literal_eval` strips these bytes, so that the first line is never indented.
        self.eat_while(|byte| matches!(byte, b' ' | b'\t'));
        if self.skip_lines()? {
            return fail(
                self.at,
                "unexpected indent; start the value at the beginning of its line",
            );
        }
        Ok(())
    }

    /// Skips blank lines and comments after the value, and refuses anything else.
    pub(super) fn skip_after(&mut self) -> Result<(), Fault> {
        if self.peek() == Some(b'#') {
            self.skip_comment();
        }
        if matches!(self.peek(), Some(b'\n' | b'\r')) {
            let indented = self.skip_lines()?;
            if indented && self.peek().is_none() && self.dialect == Dialect::Python3 {
                return fail(
                    self.at,
                    "unexpected indent: the last line has blanks and no line break",
                );
            }
        }
        match self.peek() {
            None => Ok(()),
            Some(_) => fail(self.at, "expected the end of the text after the value"),
        }
    }

    /// Skips lines without a token, and returns true if the line after them is indented.
    fn skip_lines(&mut self) -> Result<bool, Fault> {
        let mut indented = false;
        // True if a backslash has joined an indented line to this one.
        let mut kept = false;
        loop {
            match self.peek() {
                Some(b' ' | b'\t') => {
                    indented = true;
                    self.bump(1);
                }
                Some(FORM_FEED) => {
                    indented = false;
                    self.bump(1);
                }
                Some(b'\\') => {
                    kept |= indented;
                    self.skip_continuation()?;
                }
                Some(b'#' | b'\n' | b'\r') => {
                    (indented, kept) = (false, false);
                    self.skip_comment();
                    self.bump(end_of_line(self.rest()));
                }
                _ => return Ok(indented || kept),
            }
        }
    }

    /// Skips the rest of the line.
    fn skip_comment(&mut self) {
        self.eat_while(|byte| !matches!(byte, b'\n' | b'\r'));
    }

    /// Skips a backslash and the line break after it.
    fn skip_continuation(&mut self) -> Result<(), Fault> {
        let at = self.at;
        self.bump(1);
        let end = end_of_line(self.rest());
        self.bump(end);
        if end == 0 || self.peek().is_none() {
            return fail(at, "unexpected backslash: it does not join two lines");
        }
        Ok(())
    }

    /// Reads an atom: a value that contains no others. Returns its kind and the offset of its end.
    pub(super) fn atom(&mut self) -> Result<(Kind, usize), Fault> {
        if let Some(prefix) = self.prefix() {
            return self.string(prefix);
        }
        match self.rest() {
            [b'0'..=b'9', ..] | [b'.', b'0'..=b'9', ..] | [b'+' | b'-', ..] => self.number(),
            [b'.', b'.', b'.', ..] => {
                self.bump(3);
                Ok((Kind::Ellipsis, self.at))
            }
            [byte, ..] if is_name(*byte) => self.word(),
            [] => fail(self.at, "expected a value, found the end of the text"),
            _ => self.unexpected(),
        }
    }

    /// Returns the ranges of the two strings with their quotes, if a tuple that is written exactly
    /// like `('name', '<f4')` is next. This is a fast path: the headers of records consist mostly
    /// of such tuples.
    pub(super) fn peek_pair(&self) -> Option<[Range<usize>; 2]> {
        let string = |at: usize| {
            let rest = self.text.as_bytes().get(at..)?.strip_prefix(b"'")?;
            let plain = |&byte: &u8| matches!(byte, b' '..=b'&' | b'('..=b'[' | b']'..=b'~');
            let length = rest.iter().position(|byte| !plain(byte))?;
            let end = checked::add(checked::add(at, length), 2);
            (rest.get(length) == Some(&b'\'')).then_some(at..end)
        };
        let name = string(checked::add(self.at, 1))?;
        let comma = self.text.as_bytes().get(name.end..)?;
        let dtype = string(checked::add(name.end, 2)).filter(|_| comma.starts_with(b", "))?;
        // If no bracket follows, the last quote may be part of triple quotes, or Python may join another string to this one.
        (self.text.as_bytes().get(dtype.end) == Some(&b')')).then_some([name, dtype])
    }

    /// Reads `True`, `False` or `None`.
    fn word(&mut self) -> Result<(Kind, usize), Fault> {
        let at = self.at;
        self.eat_while(is_name);
        let word = checked::text(self.text, at..self.at);
        let kind = match word {
            "True" => Kind::Bool(true),
            "False" => Kind::Bool(false),
            "None" => Kind::None,
            _ if matches!(self.peek(), Some(b'\'' | b'"')) => {
                return fail(at, "unknown string prefix; a header may have u, r and b");
            }
            _ => {
                let shown = word.get(..40).unwrap_or(word);
                let hint = match shown {
                    "np" => "write plain numbers, 3 instead of np.int64(3)",
                    _ => "the only names allowed are True, False and None",
                };
                let reason = format!("'{shown}' is not a literal; {hint}");
                return fail(at, reason);
            }
        };
        Ok((kind, self.at))
    }

    /// Reads a number with its sign, or the sum of two numbers that forms a complex number.
    fn number(&mut self) -> Result<(Kind, usize), Fault> {
        let at = self.at;
        if self.eat(b'-') || self.eat(b'+') {
            self.skip()?;
        }
        let unsigned = self.at;
        let (real, end) = self.unsigned()?;
        let digits = checked::sub(end, unsigned);
        self.skip()?;
        if !(self.eat(b'+') || self.eat(b'-')) {
            let kind = if real == Number::Int { Kind::Int } else { Kind::Float };
            return Ok((kind, end));
        }
        self.skip()?;
        let (imaginary, end) = self.unsigned()?;
        let fits = real == Number::Float || real == Number::Int && digits <= MAX_FLOAT_DIGITS;
        if imaginary != Number::Imaginary || !fits {
            return fail(at, "this sum is not a complex number, and other sums are not computed");
        }
        Ok((Kind::Float, end))
    }

    /// Reads a number without a sign. Returns its kind and the offset of its end, before any Python 2 `L`.
    pub(super) fn unsigned(&mut self) -> Result<(Number, usize), Fault> {
        let number = match self.rest() {
            [b'0', b'x' | b'X', ..] => self.prefixed(|byte| byte.is_ascii_hexdigit())?,
            [b'0', b'o' | b'O', ..] => self.prefixed(|byte| matches!(byte, b'0'..=b'7'))?,
            [b'0', b'b' | b'B', ..] => self.prefixed(|byte| matches!(byte, b'0' | b'1'))?,
            [b'0'..=b'9', ..] | [b'.', b'0'..=b'9', ..] => self.decimal()?,
            _ => return fail(self.at, "expected a number after the sign"),
        };
        let end = self.at;
        if self.dialect == Dialect::Python2 {
            self.skip_long_suffix();
        }
        if self.at == end && self.peek().is_some_and(is_name) {
            return fail(end, "unexpected character after a number");
        }
        Ok((number, end))
    }

    /// Reads a number with a base prefix, such as `0x1f`.
    fn prefixed(&mut self, is_digit: impl Fn(u8) -> bool) -> Result<Number, Fault> {
        self.bump(2);
        // An underscore may follow the prefix, as in `0x_1f`.
        self.eat(b'_');
        self.digits(is_digit)?;
        Ok(Number::Int)
    }

    /// Reads `12`, `1.5`, `.5e-3` or `2j`.
    fn decimal(&mut self) -> Result<Number, Fault> {
        let at = self.at;
        let is_digit = |byte: u8| byte.is_ascii_digit();
        let mut number = Number::Int;
        if self.peek() != Some(b'.') {
            self.digits(is_digit)?;
        }
        let integer = checked::text(self.text, at..self.at);
        if self.eat(b'.') {
            number = Number::Float;
            if self.peek().is_some_and(is_digit) {
                self.digits(is_digit)?;
            }
        }
        let exponent = match self.rest() {
            [b'e' | b'E', b'0'..=b'9', ..] => 1,
            [b'e' | b'E', b'+' | b'-', b'0'..=b'9', ..] => 2,
            _ => 0,
        };
        if exponent > 0 {
            number = Number::Float;
            self.bump(exponent);
            self.digits(is_digit)?;
        }
        if self.eat(b'j') || self.eat(b'J') {
            number = Number::Imaginary;
        }
        if number == Number::Int {
            check_decimal(integer, at)?;
        }
        Ok(number)
    }

    /// Reads one or more digits; there may be an `_` between two of them.
    fn digits(&mut self, is_digit: impl Fn(u8) -> bool) -> Result<(), Fault> {
        loop {
            if self.eat_while(&is_digit) == 0 {
                return fail(self.at, "expected a digit here");
            }
            if !self.eat(b'_') {
                return Ok(());
            }
        }
    }

    /// Skips every `L` after a number, as NumPy does in headers from Python 2. Blanks may come before the `L`, but no letter, digit or
    /// underscore after it.
    fn skip_long_suffix(&mut self) {
        loop {
            let at = self.at;
            self.eat_while(|byte| matches!(byte, b' ' | b'\t' | FORM_FEED));
            if !self.eat(b'L') || self.peek().is_some_and(is_name) {
                self.at = at;
                return;
            }
        }
    }

    /// Reads a string and the strings adjacent to it, which Python joins.
    fn string(&mut self, first: Prefix) -> Result<(Kind, usize), Fault> {
        let mut next = Some(first);
        let mut end = self.at;
        while let Some(prefix) = next {
            if prefix.bytes != first.bytes {
                return fail(self.at, "a bytes literal and a string cannot be joined");
            }
            self.piece(prefix)?;
            end = self.at;
            self.skip()?;
            next = self.prefix();
        }
        Ok((if first.bytes { Kind::Bytes } else { Kind::Str }, end))
    }

    /// Returns the prefix of a string, if a string is next.
    pub(super) fn prefix(&self) -> Option<Prefix> {
        let (letters, raw, bytes) = match self.rest() {
            [b'\'' | b'"', ..] => (0, false, false),
            [b'u' | b'U', b'\'' | b'"', ..] => (1, false, false),
            [b'r' | b'R', b'\'' | b'"', ..] => (1, true, false),
            [b'b' | b'B', b'\'' | b'"', ..] => (1, false, true),
            [b'b' | b'B', b'r' | b'R', b'\'' | b'"', ..]
            | [b'r' | b'R', b'b' | b'B', b'\'' | b'"', ..] => (2, true, true),
            _ => return None,
        };
        Some(Prefix { letters, raw, bytes })
    }

    /// Reads one string with its quotes, and returns the text between them.
    pub(super) fn piece(&mut self, prefix: Prefix) -> Result<&'t str, Fault> {
        let at = self.at;
        self.bump(prefix.letters);
        let Some(quote) = self.peek() else {
            return self.unexpected();
        };
        let triple = matches!(self.rest(), [a, b, c, ..] if [a, b, c] == [&quote; 3]);
        self.bump(if triple { 3 } else { 1 });
        let start = self.at;
        loop {
            let usual = |byte| byte >= b' ' && byte != quote && byte != b'\\' && byte < 0x80;
            self.eat_while(usual);
            match self.peek() {
                None => return fail(at, "this string has no closing quote"),
                Some(b'\n' | b'\r') if !triple => {
                    return fail(at, "this string has no closing quote on the same line");
                }
                Some(byte) if byte == quote && !triple => break,
                Some(byte) if byte == quote && self.rest().starts_with(&[quote; 3]) => break,
                Some(0x80..) if prefix.bytes => {
                    return fail(
                        self.at,
                        "unexpected character in a bytes literal, which is ASCII",
                    );
                }
                Some(b'\\') => self.escape(prefix)?,
                Some(_) => self.bump(1),
            }
        }
        let body = checked::text(self.text, start..self.at);
        self.bump(if triple { 3 } else { 1 });
        Ok(body)
    }

    /// Skips a backslash and the characters of its escape.
    fn escape(&mut self, prefix: Prefix) -> Result<(), Fault> {
        let at = self.at;
        self.bump(1);
        let end = end_of_line(self.rest());
        if end > 0 {
            self.bump(end);
            return Ok(());
        }
        let digits = match self.peek() {
            Some(b'x') if !prefix.raw => 2,
            Some(b'u') if !prefix.raw && !prefix.bytes => 4,
            Some(b'U') if !prefix.raw && !prefix.bytes => 8,
            Some(b'N') if !prefix.raw && !prefix.bytes => {
                return fail(at, r"characters by name, as in \N{BULLET}, are not supported");
            }
            // A backslash before a character beyond ASCII escapes nothing. The caller reads that character, or finds the end of the text.
            Some(0x80..) | None => return Ok(()),
            Some(_) => 0,
        };
        self.bump(1);
        let start = self.at;
        let end = checked::add(start, digits);
        let number = self.text.get(start..end).unwrap_or("?");
        if digits > 0 {
            let valid = number.bytes().all(|byte| byte.is_ascii_hexdigit());
            let code_point = u32::from_str_radix(number, 16).unwrap_or(u32::MAX);
            if !valid || code_point > u32::from(char::MAX) {
                let most = if digits == 8 { " up to 0010ffff" } else { "" };
                return fail(at, format!("this escape needs {digits} hexadecimal digits{most}"));
            }
        }
        self.at = end;
        Ok(())
    }

    /// Returns the error for the next character, which cannot start a value.
    pub(super) fn unexpected<T>(&self) -> Result<T, Fault> {
        let rest = checked::text(self.text, self.at..self.text.len());
        match rest.chars().next() {
            Some(c @ ' '..='~') => fail(self.at, format!("expected a value, found '{c}'")),
            Some(c) => {
                let c = u32::from(c);
                fail(self.at, format!("the character U+{c:04X} is only allowed in strings"))
            }
            None => fail(self.at, "expected a value, found the end of the text"),
        }
    }
}

const FORM_FEED: u8 = b'\x0c';

/// The most digits of a decimal integer in CPython. CPython has this limit because the conversion
/// takes quadratic time.
const MAX_INT_DIGITS: usize = 4300;

/// An integer of this many digits, in any base, does not overflow a float.
const MAX_FLOAT_DIGITS: usize = 255;

/// Returns the number of bytes of the line break that is next, or 0.
fn end_of_line(rest: &[u8]) -> usize {
    match rest {
        [b'\r', b'\n', ..] => 2,
        [b'\r' | b'\n', ..] => 1,
        _ => 0,
    }
}

/// Returns true if the byte can be part of an ASCII name.
fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// Refuses the decimal integers that Python refuses.
fn check_decimal(digits: &str, at: usize) -> Result<(), Fault> {
    let zeros = digits.bytes().all(|byte| matches!(byte, b'0' | b'_'));
    if digits.starts_with('0') && !zeros {
        return fail(at, "an integer cannot have a leading zero");
    }
    if !zeros && digits.bytes().filter(u8::is_ascii_digit).count() > MAX_INT_DIGITS {
        return fail(at, format!("an integer cannot have more than {MAX_INT_DIGITS} digits"));
    }
    Ok(())
}
