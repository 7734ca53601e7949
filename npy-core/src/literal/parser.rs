//! The grammar: values, brackets, names, and the blanks between them.

use std::ops::Range;

use super::{Caps, Dialect, Fault, Kind, Node, fail, number, string, to_u32};
use crate::checked;

/// Parses a text into a list of nodes.
pub(super) fn parse(text: &str, dialect: Dialect, caps: Caps) -> Result<Vec<Node>, Fault> {
    let capacity = caps.items.min(text.len() / BYTES_A_NODE).min(MAX_INITIAL_CAPACITY);
    let nodes = Vec::with_capacity(capacity);
    let mut parser = Parser { text, at: 0, dialect, caps, open: Vec::new(), nodes };
    parser.skip_blanks();
    loop {
        parser.value()?;
        if !parser.is_value_due()? {
            break;
        }
    }
    parser.end()?;
    Ok(parser.nodes)
}

/// The usual number of bytes per value in the header of a record. It sets the initial capacity of the list.
const BYTES_A_NODE: usize = 6;

/// The largest initial capacity of the list: even a long text may have few values, and many blanks.
const MAX_INITIAL_CAPACITY: usize = 1024;

/// A position in a text, the brackets that are open there, and the values before it.
struct Parser<'t> {
    text: &'t str,
    at: usize,
    dialect: Dialect,
    caps: Caps,
    open: Vec<Bracket>,
    nodes: Vec<Node>,
}

/// A bracket that is open, with the index of its node.
#[derive(Clone, Copy)]
struct Bracket {
    index: usize,
    kind: Kind,
    close: u8,
    has_comma: bool,
}

impl Parser<'_> {
    /// Reads a value; of a list, tuple or dictionary only the bracket.
    fn value(&mut self) -> Result<(), Fault> {
        let start = self.at;
        let (kind, is_plain, end) = match self.rest() {
            [b'(', ..] => return self.open(Kind::Tuple, b')'),
            [b'[', ..] => return self.open(Kind::List, b']'),
            [b'{', ..] => return self.open(Kind::Dict, b'}'),
            rest if string::starts(rest) => self.string()?,
            [byte, ..] if is_in_word(*byte) => self.word()?,
            _ => return self.unexpected("a value"),
        };
        self.push(kind, is_plain, start..end)
    }

    /// Reads a string and the strings adjacent to it.
    fn string(&mut self) -> Result<(Kind, bool, usize), Fault> {
        if let Some(length) = string::plain(self.rest()) {
            self.bump(length);
            return Ok((Kind::Str, true, self.at));
        }
        let (kind, end) = string::read(self.text, self.at, !self.open.is_empty(), None)?;
        self.at = end;
        Ok((kind, false, end))
    }

    /// Reads what is between two values: closing brackets, a comma, a key. Returns false if no
    /// bracket is open any more.
    fn is_value_due(&mut self) -> Result<bool, Fault> {
        self.skip_blanks();
        while let Some(&Bracket { index, kind, close, has_comma }) = self.open.last() {
            let is_empty = self.nodes.len() == checked::add(index, 1);
            let comma = !is_empty && self.eat(b',');
            if comma {
                self.skip_blanks();
            }
            if self.eat(close) {
                let is_group = kind == Kind::Tuple && !is_empty && !comma && !has_comma;
                let (end, next) = (to_u32(self.at), to_u32(self.nodes.len()));
                if let Some(node) = self.nodes.get_mut(index) {
                    *node = Node { kind: (!is_group).then_some(kind), end, next, ..*node };
                }
                self.open.pop();
                self.skip_blanks();
            } else if is_empty || comma {
                if let Some(bracket) = self.open.last_mut() {
                    bracket.has_comma = comma;
                }
                if kind == Kind::Dict {
                    self.key()?;
                }
                return Ok(true);
            } else {
                return self.unexpected(&format!("',' or '{}' after a value", char::from(close)));
            }
        }
        Ok(false)
    }

    /// Reads a key of a dictionary, and the colon after it.
    fn key(&mut self) -> Result<(), Fault> {
        if !string::starts(self.rest()) {
            return self.unexpected("a string as a key (sets are not read)");
        }
        self.value()?;
        self.skip_blanks();
        if !self.eat(b':') {
            return self.unexpected("':' after a key (sets are not read)");
        }
        self.skip_blanks();
        Ok(())
    }

    /// Adds a value.
    fn push(&mut self, kind: Kind, is_plain: bool, range: Range<usize>) -> Result<(), Fault> {
        let (found, limit) = (checked::add(self.nodes.len(), 1), self.caps.items);
        if found > limit {
            let what = "values in a header (eight are allowed for each field)";
            return Err(Fault::limit(range.start, what, "fields", found, limit));
        }
        let (start, end, next) = (to_u32(range.start), to_u32(range.end), to_u32(found));
        self.nodes.push(Node { kind: Some(kind), is_plain, start, end, next });
        Ok(())
    }

    /// Adds a value with a bracket; its end is not known yet.
    fn open(&mut self, kind: Kind, close: u8) -> Result<(), Fault> {
        let (found, limit) = (checked::add(self.open.len(), 1), self.caps.nesting);
        if found > limit {
            return Err(Fault::limit(self.at, "nesting", "nesting", found, limit));
        }
        self.open.push(Bracket { index: self.nodes.len(), kind, close, has_comma: false });
        self.push(kind, false, self.at..self.at)?;
        self.bump(1);
        Ok(())
    }

    /// Reads a number, `True`, `False` or `None`. The end is before any Python 2 `L`.
    fn word(&mut self) -> Result<(Kind, bool, usize), Fault> {
        let at = self.at;
        self.bump(self.rest().iter().take_while(|&&byte| is_in_word(byte)).count());
        let word = checked::text(self.text, at..self.at);
        let kind = match word {
            "True" => Kind::Bool(true),
            "False" => Kind::Bool(false),
            "None" => Kind::None,
            _ => {
                let long = word.strip_suffix('L').filter(|_| self.dialect == Dialect::Python2);
                if long.and_then(number::kind) == Some(Kind::Int) {
                    return Ok((Kind::Int, false, checked::sub(self.at, 1)));
                }
                number::kind(word).ok_or_else(|| self.not_a_literal(at, word))?
            }
        };
        Ok((kind, false, self.at))
    }

    /// Returns the error for a word, after which the parser is.
    fn not_a_literal(&self, at: usize, word: &str) -> Fault {
        let shown = word.get(..40).unwrap_or(word);
        let reason = if matches!(self.peek(), Some(b'\'' | b'"')) {
            format!("'{shown}' before a string; only the prefixes u and b are read")
        } else if word.starts_with(|c: char| c.is_ascii_digit() || c == '-') {
            format!(
                "'{shown}' is not a number; write it in decimal, with at most {} digits, without '_' or a zero in front",
                number::MAX_DIGITS
            )
        } else if word.starts_with("np.") {
            format!("'{shown}' is not a literal; write plain numbers, 3 instead of np.int64(3)")
        } else {
            format!("'{shown}' is not a literal; the only names allowed are True, False and None")
        };
        Fault::malformed(at, reason)
    }

    /// Refuses all but blanks after the value. Python 3 allows no blanks after the last line break.
    fn end(&mut self) -> Result<(), Fault> {
        let rest = checked::text(self.text, self.at..self.text.len());
        let rest = match self.dialect {
            Dialect::Python2 => rest.trim_start_matches([' ', '\t', '\r', '\n']),
            Dialect::Python3 => rest.trim_start_matches(['\r', '\n']),
        };
        self.at = checked::sub(self.text.len(), rest.len());
        if rest.is_empty() {
            Ok(())
        } else {
            self.unexpected("the end of the text after the value")
        }
    }

    /// Returns the error for what is next, which is not what the grammar allows there.
    fn unexpected<T>(&self, expected: &str) -> Result<T, Fault> {
        let rest = checked::text(self.text, self.at..self.text.len());
        let (found, advice) = match rest.chars().next() {
            None => ("the end of the text".into(), "copy the complete text, or close its brackets"),
            Some('#') => ("a comment".into(), "remove it, because comments are not read"),
            Some('\\') => ("a backslash".into(), "remove it, because lines are not joined"),
            Some('\r' | '\n') => ("a line break".into(), "remove it"),
            Some(c @ ' '..='~') => (format!("'{c}'"), "write it as np.save does"),
            Some(c) => {
                (format!("the character U+{:04X}", u32::from(c)), "only strings can have it")
            }
        };
        fail(self.at, format!("expected {expected}, found {found}; {advice}"))
    }

    /// Skips blanks; line breaks have no meaning inside brackets.
    fn skip_blanks(&mut self) {
        if self.peek().is_some_and(|byte| byte <= b' ') {
            self.bump(string::blanks(self.rest(), !self.open.is_empty()));
        }
    }

    /// Returns the bytes that are not read yet.
    fn rest(&self) -> &[u8] {
        checked::tail(self.text.as_bytes(), self.at)
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn bump(&mut self, count: usize) {
        self.at = checked::add(self.at, count);
    }

    /// Skips this byte if it is next, and returns true if so.
    fn eat(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        self.bump(found.into());
        found
    }
}

/// Returns true if the byte can be part of a number or a name.
fn is_in_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'+' | b'-')
}
