//! The grammar: values, brackets and separators.

use std::ops::Range;

use super::scanner::Scanner;
use super::{Caps, Dialect, Fault, Form, Kind, Node, after, fail, to_u32, to_usize};
use crate::checked;

/// Parses a text into a list of nodes.
pub(super) fn parse(text: &str, dialect: Dialect, caps: Caps) -> Result<Vec<Node>, Fault> {
    let scanner = Scanner::new(text, dialect, 0);
    let capacity = caps.items.min(text.len() / BYTES_A_NODE).min(MAX_INITIAL_CAPACITY);
    let nodes = Vec::with_capacity(capacity);
    let mut parser = Parser { scanner, caps, nodes, open: NONE };
    parser.parse()?;
    Ok(parser.nodes)
}

/// The usual number of bytes per value in the header of a record. It sets the initial capacity of the list.
const BYTES_A_NODE: usize = 6;

/// The largest initial capacity of the list: even a long text may have few values, and many blanks.
const MAX_INITIAL_CAPACITY: usize = 1024;

/// The index that means "no node".
const NONE: u32 = u32::MAX;

/// The tokens that the grammar allows next.
enum Due {
    // A value; or, if `or_end`, a closing bracket, which may come after `[` or `,`, but not after
    // `:`.
    Value { or_end: bool },
    // A comma, a colon or a closing bracket.
    Separator,
}

/// Builds the list of nodes.
struct Parser<'t> {
    scanner: Scanner<'t>,
    caps: Caps,
    nodes: Vec<Node>,
    // The index of the innermost open bracket; `NONE` if no bracket is open.
    open: u32,
}

impl Parser<'_> {
    fn parse(&mut self) -> Result<(), Fault> {
        self.scanner.skip_before()?;
        let mut due = Some(Due::Value { or_end: false });
        while let Some(next) = due {
            self.scanner.skip()?;
            due = match next {
                Due::Value { or_end } => Some(self.value(or_end)?),
                Due::Separator => self.separator()?,
            };
        }
        self.scanner.skip_after()
    }

    /// Reads an atom or an opening bracket; if `or_end`, also a closing bracket.
    fn value(&mut self, or_end: bool) -> Result<Due, Fault> {
        let at = self.scanner.at;
        match self.scanner.peek() {
            Some(b'(') => match self.scanner.peek_pair() {
                Some(strings) => self.push_pair(strings),
                None => self.open(Form::Paren),
            },
            Some(b'[') => self.open(Form::Value(Kind::List)),
            Some(b'{') => self.open(Form::Brace),
            Some(b')' | b']' | b'}') if or_end => self.close(),
            None if self.open != NONE => self.unclosed(),
            _ => {
                let (kind, end) = self.scanner.atom()?;
                let index = self.atom(kind, at..end)?;
                self.complete(index)
            }
        }
    }

    /// Reads a comma, a colon or a closing bracket. Returns `None` if no bracket is open: the outermost value is complete.
    fn separator(&mut self) -> Result<Option<Due>, Fault> {
        let at = self.scanner.at;
        let Some(open) = self.nodes.get_mut(to_usize(self.open)) else {
            return Ok(None);
        };
        let may_be_dict = matches!(open.form, Form::Brace | Form::Value(Kind::Dict));
        let after_key = may_be_dict && open.end % 2 == 1;
        match self.scanner.peek() {
            Some(b':') if after_key => {
                open.form = Form::Value(Kind::Dict);
                self.scanner.bump(1);
                Ok(Some(Due::Value { or_end: false }))
            }
            Some(b',' | b'}') if after_key && open.form != Form::Brace => {
                fail(at, "expected ':' and a value after this key")
            }
            Some(b',') => {
                open.form = match open.form {
                    Form::Paren => Form::Value(Kind::Tuple),
                    Form::Brace => Form::Value(Kind::Set),
                    known => known,
                };
                self.scanner.bump(1);
                Ok(Some(Due::Value { or_end: true }))
            }
            Some(b')' | b']' | b'}') => self.close().map(Some),
            None => self.unclosed(),
            _ => {
                let expected = char::from(open.form.closing());
                fail(at, format!("expected ',' or '{expected}' after this item"))
            }
        }
    }

    /// Adds a tuple of two strings.
    fn push_pair(&mut self, [name, dtype]: [Range<usize>; 2]) -> Result<Due, Fault> {
        let index = self.bracket(Form::Value(Kind::Tuple))?;
        let end = checked::add(dtype.end, 1);
        self.atom(Kind::Str, name)?;
        let last = self.atom(Kind::Str, dtype)?;
        if let Some(node) = self.nodes.get_mut(to_usize(index)) {
            (node.end, node.next) = (to_u32(end), after(last));
        }
        self.scanner.at = end;
        self.complete(index)
    }

    /// Adds a value that contains no others.
    fn atom(&mut self, kind: Kind, range: Range<usize>) -> Result<u32, Fault> {
        let index = self.push(Form::Value(kind), range.start)?;
        if let Some(node) = self.nodes.get_mut(to_usize(index)) {
            (node.end, node.next) = (to_u32(range.end), after(index));
        }
        Ok(index)
    }

    /// Adds the bracket that is next, if the limit of nesting allows it.
    fn bracket(&mut self, form: Form) -> Result<u32, Fault> {
        let at = self.scanner.at;
        if self.scanner.depth >= self.caps.nesting {
            let found = checked::add(self.scanner.depth, 1);
            return Err(Fault::limit(at, "nesting", "nesting", found, self.caps.nesting));
        }
        self.push(form, at)
    }

    fn open(&mut self, form: Form) -> Result<Due, Fault> {
        self.open = self.bracket(form)?;
        self.scanner.depth = checked::add(self.scanner.depth, 1);
        self.scanner.bump(1);
        Ok(Due::Value { or_end: true })
    }

    fn close(&mut self) -> Result<Due, Fault> {
        let index = self.open;
        let next = to_u32(self.nodes.len());
        if index == NONE {
            return self.scanner.unexpected();
        }
        let inner = self.past_group(after(index));
        let Some(node) = self.nodes.get_mut(to_usize(index)) else {
            return self.scanner.unexpected();
        };
        let expected = node.form.closing();
        if !self.scanner.eat(expected) {
            let expected = char::from(expected);
            return fail(
                self.scanner.at,
                format!("expected '{expected}' to close the last bracket"),
            );
        }
        node.form = node.form.closed(node.end);
        node.hashable &= !matches!(node.form, Form::Value(Kind::List | Kind::Dict | Kind::Set));
        if node.form == Form::Group {
            node.start = inner;
        }
        self.open = node.next;
        node.next = next;
        node.end = to_u32(self.scanner.at);
        self.scanner.depth = checked::sub(self.scanner.depth, 1);
        self.complete(index)
    }

    /// Adds a node whose end is not known yet.
    fn push(&mut self, form: Form, at: usize) -> Result<u32, Fault> {
        let count = self.nodes.len();
        if count >= self.caps.items {
            let what = "values in a header (eight are allowed for each field)";
            return Err(Fault::limit(at, what, "fields", checked::add(count, 1), self.caps.items));
        }
        if count == self.nodes.capacity() {
            // Double the capacity, but not beyond the limit.
            let rest = checked::sub(self.caps.items, count);
            self.nodes.reserve_exact(count.max(1).min(rest));
        }
        let start = to_u32(at);
        self.nodes.push(Node { form, hashable: true, start, end: 0, next: self.open });
        Ok(to_u32(count))
    }

    /// Increments the number of values in the enclosing bracket. Refuses a key, or an item of a
    /// set, that Python cannot hash.
    fn complete(&mut self, index: u32) -> Result<Due, Fault> {
        let hashable = self.nodes.get(to_usize(index)).is_none_or(|node| node.hashable);
        let Some(around) = self.nodes.get_mut(to_usize(self.open)) else {
            return Ok(Due::Separator);
        };
        around.end = after(around.end);
        let is_key = match around.form {
            Form::Brace | Form::Value(Kind::Set) => true,
            Form::Value(Kind::Dict) => around.end % 2 == 1,
            _ => false,
        };
        around.hashable &= hashable;
        if is_key && !hashable {
            let inner = self.past_group(index);
            let at = self.nodes.get(to_usize(inner)).map_or(0, |node| to_usize(node.start));
            return fail(at, "a list, dictionary or set cannot be a key or an item of a set");
        }
        Ok(Due::Separator)
    }

    /// Returns the index of the value inside the group at `index`, or `index` if the node there is not a group.
    fn past_group(&self, index: u32) -> u32 {
        match self.nodes.get(to_usize(index)) {
            Some(node) if node.form == Form::Group => node.start,
            _ => index,
        }
    }

    fn unclosed<T>(&self) -> Result<T, Fault> {
        let at = self.nodes.get(to_usize(self.open)).map_or(0, |node| to_usize(node.start));
        fail(at, "a bracket that is never closed")
    }
}

impl Form {
    /// Returns the closing bracket that matches this opening bracket.
    fn closing(self) -> u8 {
        match self {
            Form::Value(Kind::List) => b']',
            Form::Brace | Form::Value(Kind::Dict | Kind::Set) => b'}',
            _ => b')',
        }
    }

    /// Returns the final form of a bracket that is closed and contains this many values.
    fn closed(self, values: u32) -> Form {
        match (self, values) {
            (Form::Paren, 1) => Form::Group,
            (Form::Paren, _) => Form::Value(Kind::Tuple),
            (Form::Brace, 1) => Form::Value(Kind::Set),
            (Form::Brace, _) => Form::Value(Kind::Dict),
            _ => self,
        }
    }
}
