//! Characters to tokens: blanks, strings, numbers and names.

use std::ops::Range;

use super::{Dialect, Kind, SyntaxError, fail};

/// Characters between tokens, and the tokens that hold no others.
pub(super) struct Scanner<'t> {
    text: &'t str,
    pub(super) at: usize,
    dialect: Dialect,
    // Open brackets: inside of them, ends of lines mean nothing.
    pub(super) depth: usize,
}

/// What stands in front of a string's first quote.
#[derive(Clone, Copy)]
pub(super) struct Prefix {
    letters: usize,
    pub(super) raw: bool,
    bytes: bool,
}

/// A value that holds no others.
pub(super) struct Atom {
    pub(super) kind: Kind,
    pub(super) end: usize,
    /// Whether it is one [`Piece`] that is plain.
    pub(super) plain: bool,
}

/// A string, or one of those that Python joins to one.
pub(super) struct Piece<'t> {
    /// What stands between the quotes.
    pub(super) body: &'t str,
    /// Whether that is the string as it is: no prefix, no escape, one quote on each side.
    plain: bool,
}

/// Where two strings stand, with their quotes.
pub(super) type Pair = [Range<usize>; 2];

/// What a number without its sign is.
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

    /// The bytes that are not read yet.
    fn rest(&self) -> &'t [u8] {
        self.text.as_bytes().get(self.at..).unwrap_or_default()
    }

    pub(super) fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    pub(super) fn bump(&mut self, count: usize) {
        self.at = self.at.saturating_add(count);
    }

    /// Steps over this byte if it comes next.
    pub(super) fn eat(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        self.bump(found.into());
        found
    }

    /// Steps over all bytes of a kind; how many they are.
    fn eat_while(&mut self, matches: impl Fn(u8) -> bool) -> usize {
        let rest = self.rest();
        let count = rest.iter().position(|&byte| !matches(byte)).unwrap_or(rest.len());
        self.bump(count);
        count
    }

    /// Steps over what may stand between two tokens.
    #[inline]
    pub(super) fn skip(&mut self) -> Result<(), SyntaxError> {
        // Nearly always one blank or nothing.
        self.eat(b' ');
        match self.peek() {
            Some(b'!'..=b'"' | b'$'..=b'[' | b']'..=b'~') => Ok(()),
            _ => self.skip_rest(),
        }
    }

    fn skip_rest(&mut self) -> Result<(), SyntaxError> {
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

    /// Steps over what may stand in front of the one value.
    pub(super) fn skip_before(&mut self) -> Result<(), SyntaxError> {
        // `literal_eval` strips these, so that the first line is never indented.
        self.eat_while(|byte| matches!(byte, b' ' | b'\t'));
        if self.skip_lines()? {
            return fail(self.at, "unexpected indent: the value starts where its line does");
        }
        Ok(())
    }

    /// Steps over what may stand behind the one value, which must be all there is.
    pub(super) fn skip_behind(&mut self) -> Result<(), SyntaxError> {
        if self.peek() == Some(b'#') {
            self.skip_comment();
        }
        if matches!(self.peek(), Some(b'\n' | b'\r')) {
            let indented = self.skip_lines()?;
            if indented && self.peek().is_none() && self.dialect == Dialect::Python3 {
                return fail(self.at, "unexpected indent: the last line is blanks without an end");
            }
        }
        match self.peek() {
            None => Ok(()),
            Some(_) => fail(self.at, "something follows the value"),
        }
    }

    /// Steps over lines without a token; whether the line it stops in is indented.
    fn skip_lines(&mut self) -> Result<bool, SyntaxError> {
        let mut indented = false;
        // A line that goes on in the next one keeps its indentation.
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

    /// Steps to the end of the line.
    fn skip_comment(&mut self) {
        self.eat_while(|byte| !matches!(byte, b'\n' | b'\r'));
    }

    /// Steps over a backslash and the end of line behind it.
    fn skip_continuation(&mut self) -> Result<(), SyntaxError> {
        let at = self.at;
        self.bump(1);
        let end = end_of_line(self.rest());
        self.bump(end);
        if end == 0 || self.peek().is_none() {
            return fail(at, "a backslash that does not join two lines");
        }
        Ok(())
    }

    /// Where the strings of `('name', '<f4')` stand, if just that comes next: most of a record's header is made of these.
    pub(super) fn pair(&self) -> Option<Pair> {
        let string = |at: usize| {
            let rest = self.text.as_bytes().get(at..)?.strip_prefix(b"'")?;
            let plain = |&byte: &u8| matches!(byte, b' '..=b'&' | b'('..=b'[' | b']'..=b'~');
            let body = rest.iter().position(|byte| !plain(byte))?;
            let end = at.saturating_add(body).saturating_add(2);
            (rest.get(body) == Some(&b'\'')).then_some(at..end)
        };
        let name = string(self.at.saturating_add(1))?;
        let comma = self.text.as_bytes().get(name.end..)?;
        let dtype = string(name.end.saturating_add(2)).filter(|_| comma.starts_with(b", "))?;
        // A third quote, or another string to be joined, is no bracket.
        (self.text.as_bytes().get(dtype.end) == Some(&b')')).then_some([name, dtype])
    }

    /// Reads a value that holds no others.
    pub(super) fn atom(&mut self) -> Result<Atom, SyntaxError> {
        if let Some(prefix) = self.prefix() {
            return self.string(prefix);
        }
        let (kind, end) = self.no_string()?;
        Ok(Atom { kind, end, plain: false })
    }

    fn no_string(&mut self) -> Result<(Kind, usize), SyntaxError> {
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

    /// Reads `True`, `False` or `None`.
    fn word(&mut self) -> Result<(Kind, usize), SyntaxError> {
        let at = self.at;
        self.eat_while(is_name);
        let word = self.text.get(at..self.at).unwrap_or_default();
        let kind = match word {
            "True" => Kind::Bool(true),
            "False" => Kind::Bool(false),
            "None" => Kind::None,
            _ if matches!(self.peek(), Some(b'\'' | b'"')) => {
                return fail(at, "a string prefix that headers cannot have; those are u, r and b");
            }
            _ => {
                let shown = word.get(..40).unwrap_or(word);
                let hint = match shown {
                    "np" => "a shape holds plain numbers, 3 and not np.int64(3)",
                    _ => "the names are True, False and None",
                };
                let reason = format!("'{shown}' is no literal; {hint}");
                return fail(at, reason);
            }
        };
        Ok((kind, self.at))
    }

    /// Reads a number with its sign, or a sum that is a complex number.
    fn number(&mut self) -> Result<(Kind, usize), SyntaxError> {
        let at = self.at;
        if self.eat(b'-') || self.eat(b'+') {
            self.skip()?;
        }
        let unsigned = self.at;
        let (real, end) = self.unsigned()?;
        let digits = end.saturating_sub(unsigned);
        self.skip()?;
        if !(self.eat(b'+') || self.eat(b'-')) {
            let kind = if real == Number::Int { Kind::Int } else { Kind::Float };
            return Ok((kind, end));
        }
        self.skip()?;
        let (imaginary, end) = self.unsigned()?;
        let fits = real == Number::Float || real == Number::Int && digits <= MAX_FLOAT_DIGITS;
        if imaginary != Number::Imaginary || !fits {
            return fail(at, "a sum that is no complex number; sums are not computed");
        }
        Ok((Kind::Float, end))
    }

    /// Reads a number without a sign: what it is, and where it ends without Python 2's `L`.
    pub(super) fn unsigned(&mut self) -> Result<(Number, usize), SyntaxError> {
        let number = match self.rest() {
            [b'0', b'x' | b'X', ..] => self.prefixed(|byte| byte.is_ascii_hexdigit())?,
            [b'0', b'o' | b'O', ..] => self.prefixed(|byte| matches!(byte, b'0'..=b'7'))?,
            [b'0', b'b' | b'B', ..] => self.prefixed(|byte| matches!(byte, b'0' | b'1'))?,
            [b'0'..=b'9', ..] | [b'.', b'0'..=b'9', ..] => self.decimal()?,
            _ => return fail(self.at, "a sign without a number behind it"),
        };
        let end = self.at;
        if self.dialect == Dialect::Python2 {
            self.skip_long_suffix();
        }
        if self.at == end && self.peek().is_some_and(is_name) {
            return fail(end, "a character that is not part of the number before it");
        }
        Ok((number, end))
    }

    /// Reads `0x1f` and its kin.
    fn prefixed(&mut self, is_digit: impl Fn(u8) -> bool) -> Result<Number, SyntaxError> {
        self.bump(2);
        // As in `0x_1f`.
        self.eat(b'_');
        self.digits(is_digit)?;
        Ok(Number::Int)
    }

    /// Reads `12`, `1.5`, `.5e-3` or `2j`.
    fn decimal(&mut self) -> Result<Number, SyntaxError> {
        let at = self.at;
        let is_digit = |byte: u8| byte.is_ascii_digit();
        let mut number = Number::Int;
        if self.peek() != Some(b'.') {
            self.digits(is_digit)?;
        }
        let whole = self.text.get(at..self.at).unwrap_or_default();
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
            check_decimal(whole, at)?;
        }
        Ok(number)
    }

    /// Reads digits, at least one, with an `_` between two of them where there is one.
    fn digits(&mut self, is_digit: impl Fn(u8) -> bool) -> Result<(), SyntaxError> {
        loop {
            if self.eat_while(&is_digit) == 0 {
                return fail(self.at, "expected a digit here");
            }
            if !self.eat(b'_') {
                return Ok(());
            }
        }
    }

    /// Steps over Python 2's `L`, where NumPy drops it: as a word of its own behind a number.
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

    /// Reads a string and those that follow it: Python joins them.
    fn string(&mut self, first: Prefix) -> Result<Atom, SyntaxError> {
        let mut plain = self.piece(first)?.plain;
        let mut end = self.at;
        self.skip()?;
        while let Some(prefix) = self.prefix() {
            if prefix.bytes != first.bytes {
                return fail(self.at, "a bytes literal and a string cannot be joined");
            }
            self.piece(prefix)?;
            plain = false;
            end = self.at;
            self.skip()?;
        }
        Ok(Atom { kind: if first.bytes { Kind::Bytes } else { Kind::Str }, end, plain })
    }

    /// The prefix of a string, if one comes next.
    pub(super) fn prefix(&self) -> Option<Prefix> {
        let (letters, raw, bytes) = match self.peek()? {
            b'\'' | b'"' => (0, false, false),
            byte if byte.is_ascii_alphabetic() => return self.lettered_prefix(),
            _ => return None,
        };
        Some(Prefix { letters, raw, bytes })
    }

    fn lettered_prefix(&self) -> Option<Prefix> {
        let (letters, raw, bytes) = match self.rest() {
            [b'u' | b'U', b'\'' | b'"', ..] => (1, false, false),
            [b'r' | b'R', b'\'' | b'"', ..] => (1, true, false),
            [b'b' | b'B', b'\'' | b'"', ..] => (1, false, true),
            [b'b' | b'B', b'r' | b'R', b'\'' | b'"', ..]
            | [b'r' | b'R', b'b' | b'B', b'\'' | b'"', ..] => (2, true, true),
            _ => return None,
        };
        Some(Prefix { letters, raw, bytes })
    }

    /// Reads one string with its quotes.
    pub(super) fn piece(&mut self, prefix: Prefix) -> Result<Piece<'t>, SyntaxError> {
        let at = self.at;
        self.bump(prefix.letters);
        let Some(quote) = self.peek() else {
            return self.unexpected();
        };
        let triple = matches!(self.rest(), [a, b, c, ..] if [a, b, c] == [&quote; 3]);
        self.bump(if triple { 3 } else { 1 });
        let start = self.at;
        let mut plain = prefix.letters == 0 && !triple;
        loop {
            let usual = |byte| byte >= b' ' && byte != quote && byte != b'\\' && byte < 0x80;
            self.eat_while(usual);
            match self.peek() {
                None => return fail(at, "a string without its closing quote"),
                Some(b'\n' | b'\r') if !triple => {
                    return fail(at, "a string without its closing quote on the same line");
                }
                Some(byte) if byte == quote && !triple => break,
                Some(byte) if byte == quote && self.rest().starts_with(&[quote; 3]) => break,
                Some(0x80..) if prefix.bytes => {
                    return fail(self.at, "a bytes literal with a character that is not ASCII");
                }
                Some(b'\\') => {
                    plain = false;
                    self.escape(prefix)?;
                }
                Some(_) => self.bump(1),
            }
        }
        let body = self.text.get(start..self.at).unwrap_or_default();
        self.bump(if triple { 3 } else { 1 });
        Ok(Piece { body, plain })
    }

    /// Steps over a backslash and what must not be read without it.
    fn escape(&mut self, prefix: Prefix) -> Result<(), SyntaxError> {
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
            // The second byte of what is not ASCII is read as any other.
            Some(0x80..) | None => return Ok(()),
            Some(_) => 0,
        };
        self.bump(1);
        let start = self.at;
        let end = start.saturating_add(digits);
        let number = self.text.get(start..end).unwrap_or("?");
        if digits > 0 {
            let valid = number.bytes().all(|byte| byte.is_ascii_hexdigit());
            let code_point = u32::from_str_radix(number, 16).unwrap_or(u32::MAX);
            if !valid || code_point > u32::from(char::MAX) {
                let most = if digits == 8 { " up to 0010ffff" } else { "" };
                return fail(at, format!("an escape that takes {digits} hexadecimal digits{most}"));
            }
        }
        self.at = end;
        Ok(())
    }

    /// The error for a character that starts nothing.
    pub(super) fn unexpected<T>(&self) -> Result<T, SyntaxError> {
        let rest = self.text.get(self.at..).unwrap_or_default();
        match rest.chars().next() {
            Some(c @ ' '..='~') => fail(self.at, format!("expected a value, found '{c}'")),
            Some(c) => {
                let c = u32::from(c);
                fail(self.at, format!("the character U+{c:04X} may only stand in a string"))
            }
            None => fail(self.at, "expected a value, found the end of the text"),
        }
    }
}

const FORM_FEED: u8 = b'\x0c';

/// CPython reads no longer decimal integers: its algorithm takes quadratic time.
const MAX_INT_DIGITS: usize = 4300;

/// An integer of as many digits in any base is no larger than the largest float.
const MAX_FLOAT_DIGITS: usize = 255;

/// How many bytes the end of line takes that comes next; 0 if none does.
fn end_of_line(rest: &[u8]) -> usize {
    match rest {
        [b'\r', b'\n', ..] => 2,
        [b'\r' | b'\n', ..] => 1,
        _ => 0,
    }
}

/// Whether the byte can be part of an ASCII name.
fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// Refuses the decimal integers that Python refuses.
fn check_decimal(digits: &str, at: usize) -> Result<(), SyntaxError> {
    let zeros = digits.bytes().all(|byte| matches!(byte, b'0' | b'_'));
    if digits.starts_with('0') && !zeros {
        return fail(at, "an integer with a leading zero");
    }
    if !zeros && digits.bytes().filter(u8::is_ascii_digit).count() > MAX_INT_DIGITS {
        return fail(at, format!("an integer of more than {MAX_INT_DIGITS} digits"));
    }
    Ok(())
}
