//! Python literals, as `ast.literal_eval` reads them: the language of headers.
//!
//! The parse is one pass and no recursion. It makes a flat list of nodes in the order of the text
//! and nothing else: strings and numbers are decoded when asked for.

mod printable;
pub(crate) mod repr;
pub(crate) mod text;

use std::fmt;

use text::Text;

/// Which Python wrote the text: versions 1 and 2 of the format may hold Python 2's `3L`, and
/// anything after the value that is only white space.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Dialect {
    /// `(3L, 4L)` is a tuple of two integers.
    Python2,
    /// What today's `ast.literal_eval` takes.
    Python3,
}

/// What a text may cost.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Caps {
    /// Brackets open at the same time.
    pub(crate) nesting: usize,
    /// Values and pairs of parentheses; each takes 16 bytes.
    pub(crate) items: usize,
}

/// Why a text is no literal, and at which of its bytes.
#[derive(Debug)]
pub(crate) struct SyntaxError {
    /// Byte offset in the text.
    pub(crate) at: usize,
    /// What is wrong there.
    pub(crate) reason: Reason,
}

/// What is wrong with a text.
#[derive(Debug, PartialEq)]
pub(crate) enum Reason {
    /// More open brackets than this.
    Nesting(usize),
    /// More items than this.
    Items(usize),
    /// No Python literal.
    Other(String),
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reason::Nesting(cap) => write!(f, "more than {cap} brackets are open"),
            Reason::Items(cap) => write!(f, "there are more than {cap} items"),
            Reason::Other(reason) => f.write_str(reason),
        }
    }
}

/// A text that is one Python literal.
pub(crate) struct Literal<'t> {
    text: &'t str,
    // Each value before the values it holds; the first is the root.
    nodes: Vec<Node>,
}

impl<'t> Literal<'t> {
    /// Reads a text that is one literal and nothing else.
    pub(crate) fn parse(text: &'t str, dialect: Dialect, caps: Caps) -> Result<Self, SyntaxError> {
        if u32::try_from(text.len()).is_err() {
            return fail(0, "the text is longer than 4 GiB");
        }
        if let Some(at) = text.find('\0') {
            return fail(
                at,
                "a NUL character, which no Python source holds; headers are padded with spaces",
            );
        }
        let scanner = Scanner { text, at: 0, dialect, depth: 0 };
        let nodes =
            Vec::with_capacity(caps.items.min(text.len() / BYTES_A_NODE).min(MOST_AT_FIRST));
        let mut parser = Parser { scanner, caps, nodes, open: NONE };
        parser.parse()?;
        Ok(Literal { text, nodes: parser.nodes })
    }

    /// The value that the whole text is.
    pub(crate) fn root(&self) -> Item<'_> {
        Item::new(self, 0)
    }

    /// The node at this place of the list; an empty one stands for none.
    fn node(&self, index: u32) -> Node {
        self.nodes.get(to_usize(index)).copied().unwrap_or(Node::EMPTY)
    }
}

/// One value of a literal.
#[derive(Clone, Copy)]
pub(crate) struct Item<'l> {
    literal: &'l Literal<'l>,
    index: u32,
}

impl<'l> Item<'l> {
    /// The value at this place of the list, past the parentheses around it.
    fn new(literal: &'l Literal<'l>, index: u32) -> Self {
        let node = literal.node(index);
        let index = if node.form == Form::Group { node.start } else { index };
        Item { literal, index }
    }

    fn node(self) -> Node {
        self.literal.node(self.index)
    }

    /// What Python makes of it.
    pub(crate) fn kind(self) -> Kind {
        match self.node().form {
            Form::Value(kind) => kind,
            Form::Group | Form::Paren | Form::Brace => Kind::None,
        }
    }

    /// Byte offset of its first character in the text.
    pub(crate) fn at(self) -> usize {
        to_usize(self.node().start)
    }

    /// Its text as it stands, without parentheses around it and Python 2's `L`.
    pub(crate) fn source(self) -> &'l str {
        let node = self.node();
        self.literal.text.get(to_usize(node.start)..to_usize(node.end)).unwrap_or_default()
    }

    /// The values it holds; of a dictionary key, value, key, value, …
    pub(crate) fn items(self) -> Items<'l> {
        let first = self.index.saturating_add(1);
        Items { literal: self.literal, next: first, end: self.node().next }
    }

    /// The integer it is, if it is one and fits.
    pub(crate) fn int(self) -> Option<i64> {
        if self.kind() != Kind::Int {
            return None;
        }
        let source = self.source();
        // Blanks and comments may stand behind the sign: the digits are the last word.
        let word = source.rsplit(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).next()?;
        let magnitude = parse_magnitude(word)?;
        if source.starts_with('-') {
            0i64.checked_sub_unsigned(magnitude)
        } else {
            i64::try_from(magnitude).ok()
        }
    }

    /// The string it is, if it is one: escapes resolved, adjacent pieces joined.
    pub(crate) fn text(self) -> Option<Text> {
        if self.kind() != Kind::Str {
            return None;
        }
        let text = self.source();
        // Between the pieces anything goes that goes inside of brackets.
        let mut scanner = Scanner { text, at: 0, dialect: Dialect::Python3, depth: 1 };
        let mut code_points = Vec::new();
        while let Some(prefix) = scanner.prefix() {
            let body = scanner.piece(prefix).ok()?;
            let whole = code_points.is_empty() && scanner.at == text.len();
            if whole && !body.contains(['\\', '\r']) {
                return Some(Text::new(body));
            }
            text::decode(body, prefix.raw, &mut code_points);
            scanner.skip().ok()?;
        }
        Some(Text::from_code_points(&code_points))
    }
}

/// The values that one value holds, in the order of the text.
pub(crate) struct Items<'l> {
    literal: &'l Literal<'l>,
    next: u32,
    end: u32,
}

impl<'l> Iterator for Items<'l> {
    type Item = Item<'l>;

    fn next(&mut self) -> Option<Item<'l>> {
        if self.next >= self.end {
            return None;
        }
        let item = Item::new(self.literal, self.next);
        self.next = self.literal.node(self.next).next;
        Some(item)
    }
}

/// What Python makes of a literal.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    /// `'x'`, also in several pieces.
    Str,
    /// `3`, of any size.
    Int,
    /// `True` or `False`.
    Bool(bool),
    /// `None`.
    None,
    /// `1.5`, `2j`, `1+2j`: floats and complex numbers.
    Float,
    /// `b'x'`.
    Bytes,
    /// `...`.
    Ellipsis,
    /// `(1, 2)`.
    Tuple,
    /// `[1, 2]`.
    List,
    /// `{1: 2}`.
    Dict,
    /// `{1, 2}`.
    Set,
}

impl Kind {
    /// With its article, for messages.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Kind::Str => "a string",
            Kind::Int => "an integer",
            Kind::Bool(_) => "a bool",
            Kind::None => "None",
            Kind::Float => "a float",
            Kind::Bytes => "a bytes literal",
            Kind::Ellipsis => "an ellipsis",
            Kind::Tuple => "a tuple",
            Kind::List => "a list",
            Kind::Dict => "a dictionary",
            Kind::Set => "a set",
        }
    }
}

/// One entry of the list: 16 bytes.
#[derive(Clone, Copy)]
struct Node {
    form: Form,
    // Whether Python can hash it, so that it may be a key.
    hashable: bool,
    // Of a group: the place of the value inside.
    start: u32,
    // Byte behind its last one; while it is open: how many values it holds so far.
    end: u32,
    // Place of the first node behind all that it holds; while it is open: of the one around it.
    next: u32,
}

impl Node {
    const EMPTY: Node =
        Node { form: Form::Value(Kind::None), hashable: true, start: 0, end: 0, next: 0 };
}

/// What a node stands for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    Value(Kind),
    // Parentheses around one value, which mean nothing.
    Group,
    // `(`, until it turns out to be a tuple or a group.
    Paren,
    // `{`, until it turns out to be a dictionary or a set.
    Brace,
}

/// No place in the list.
const NONE: u32 = u32::MAX;

/// What may come next.
enum Due {
    // A value; the bracket may end instead after `[` or `,`, but not after `:`.
    Value { or_end: bool },
    // What stands behind a value.
    Separator,
}

/// Makes the list of nodes.
struct Parser<'t> {
    scanner: Scanner<'t>,
    caps: Caps,
    nodes: Vec<Node>,
    // Place of the innermost open bracket.
    open: u32,
}

impl Parser<'_> {
    fn parse(&mut self) -> Result<(), SyntaxError> {
        self.scanner.skip_before()?;
        let mut due = Some(Due::Value { or_end: false });
        while let Some(next) = due {
            self.scanner.skip()?;
            due = match next {
                Due::Value { or_end } => Some(self.value(or_end)?),
                Due::Separator => self.separator()?,
            };
        }
        self.scanner.skip_behind()
    }

    /// Reads an atom, an opening bracket, or the closing one where it may stand.
    fn value(&mut self, or_end: bool) -> Result<Due, SyntaxError> {
        let at = self.scanner.at;
        match self.scanner.peek() {
            Some(b'(') => self.open(Form::Paren),
            Some(b'[') => self.open(Form::Value(Kind::List)),
            Some(b'{') => self.open(Form::Brace),
            Some(b')' | b']' | b'}') if or_end => self.close(),
            None if self.open != NONE => self.unclosed(),
            _ => {
                let (kind, end) = self.scanner.atom()?;
                let form = Form::Value(kind);
                let index = self.push(form, at)?;
                if let Some(node) = self.nodes.get_mut(to_usize(index)) {
                    node.end = to_u32(end);
                    node.next = index.saturating_add(1);
                }
                self.complete(index)
            }
        }
    }

    /// Reads a comma, a colon or a closing bracket; none can come where no bracket is open.
    fn separator(&mut self) -> Result<Option<Due>, SyntaxError> {
        let at = self.scanner.at;
        let Some(open) = self.nodes.get_mut(to_usize(self.open)) else {
            return Ok(None);
        };
        let may_be_dict = matches!(open.form, Form::Brace | Form::Value(Kind::Dict));
        let behind_key = may_be_dict && open.end % 2 == 1;
        match self.scanner.peek() {
            Some(b':') if behind_key => {
                open.form = Form::Value(Kind::Dict);
                self.scanner.bump(1);
                Ok(Some(Due::Value { or_end: false }))
            }
            Some(b',' | b'}') if behind_key && open.form != Form::Brace => {
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

    fn open(&mut self, form: Form) -> Result<Due, SyntaxError> {
        let at = self.scanner.at;
        if self.scanner.depth >= self.caps.nesting {
            return Err(SyntaxError { at, reason: Reason::Nesting(self.caps.nesting) });
        }
        self.open = self.push(form, at)?;
        self.scanner.depth = self.scanner.depth.saturating_add(1);
        self.scanner.bump(1);
        Ok(Due::Value { or_end: true })
    }

    fn close(&mut self) -> Result<Due, SyntaxError> {
        let index = self.open;
        let next = to_u32(self.nodes.len());
        let inner = self.past_group(index.saturating_add(1));
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
        self.scanner.depth = self.scanner.depth.saturating_sub(1);
        self.complete(index)
    }

    /// Adds a value that ends nowhere yet.
    fn push(&mut self, form: Form, at: usize) -> Result<u32, SyntaxError> {
        let count = self.nodes.len();
        if count >= self.caps.items {
            return Err(SyntaxError { at, reason: Reason::Items(self.caps.items) });
        }
        if count == self.nodes.capacity() {
            // Twice as many, but no more than may come.
            let room = self.caps.items.saturating_sub(count);
            self.nodes.reserve_exact(count.max(1).min(room));
        }
        let start = to_u32(at);
        self.nodes.push(Node { form, hashable: true, start, end: 0, next: self.open });
        Ok(to_u32(count))
    }

    /// Tells the bracket around a value that the value is read.
    fn complete(&mut self, index: u32) -> Result<Due, SyntaxError> {
        let hashable = self.nodes.get(to_usize(index)).is_none_or(|node| node.hashable);
        let Some(around) = self.nodes.get_mut(to_usize(self.open)) else {
            return Ok(Due::Separator);
        };
        around.end = around.end.saturating_add(1);
        let is_key = match around.form {
            Form::Brace | Form::Value(Kind::Set) => true,
            Form::Value(Kind::Dict) => around.end % 2 == 1,
            _ => false,
        };
        around.hashable &= hashable;
        if is_key && !hashable {
            let inner = self.past_group(index);
            let at = self.nodes.get(to_usize(inner)).map_or(0, |node| to_usize(node.start));
            return fail(at, "a list, dictionary or set is no key and no item of a set");
        }
        Ok(Due::Separator)
    }

    /// The place of the value inside, if a group is at this place.
    fn past_group(&self, index: u32) -> u32 {
        match self.nodes.get(to_usize(index)) {
            Some(node) if node.form == Form::Group => node.start,
            _ => index,
        }
    }

    fn unclosed<T>(&self) -> Result<T, SyntaxError> {
        let at = self.nodes.get(to_usize(self.open)).map_or(0, |node| to_usize(node.start));
        fail(at, "a bracket that is never closed")
    }
}

/// Characters between tokens, and the tokens that hold no others.
struct Scanner<'t> {
    text: &'t str,
    at: usize,
    dialect: Dialect,
    // Open brackets: inside of them, ends of lines mean nothing.
    depth: usize,
}

/// What stands in front of a string's first quote.
#[derive(Clone, Copy)]
struct Prefix {
    letters: usize,
    raw: bool,
    bytes: bool,
}

/// What a number without its sign is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Number {
    Int,
    Float,
    Imaginary,
}

impl<'t> Scanner<'t> {
    /// The bytes that are not read yet.
    fn rest(&self) -> &'t [u8] {
        self.text.as_bytes().get(self.at..).unwrap_or_default()
    }

    fn peek(&self) -> Option<u8> {
        self.rest().first().copied()
    }

    fn bump(&mut self, count: usize) {
        self.at = self.at.saturating_add(count);
    }

    /// Steps over this byte if it comes next.
    fn eat(&mut self, byte: u8) -> bool {
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
    fn skip(&mut self) -> Result<(), SyntaxError> {
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
    fn skip_before(&mut self) -> Result<(), SyntaxError> {
        // `literal_eval` strips these, so that the first line is never indented.
        self.eat_while(|byte| matches!(byte, b' ' | b'\t'));
        if self.skip_lines()? {
            return fail(self.at, "unexpected indent: the value starts where its line does");
        }
        Ok(())
    }

    /// Steps over what may stand behind the one value, which must be all there is.
    fn skip_behind(&mut self) -> Result<(), SyntaxError> {
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

    /// Reads a value that holds no others: what it is, and where it ends.
    fn atom(&mut self) -> Result<(Kind, usize), SyntaxError> {
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
                let reason = format!("'{shown}' is no literal; the names are True, False and None");
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
    fn unsigned(&mut self) -> Result<(Number, usize), SyntaxError> {
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
    fn string(&mut self, first: Prefix) -> Result<(Kind, usize), SyntaxError> {
        self.piece(first)?;
        let mut end = self.at;
        self.skip()?;
        while let Some(prefix) = self.prefix() {
            if prefix.bytes != first.bytes {
                return fail(self.at, "a bytes literal and a string cannot be joined");
            }
            self.piece(prefix)?;
            end = self.at;
            self.skip()?;
        }
        Ok((if first.bytes { Kind::Bytes } else { Kind::Str }, end))
    }

    /// The prefix of a string, if one comes next.
    fn prefix(&self) -> Option<Prefix> {
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

    /// Reads one string with its quotes; what stands between them.
    fn piece(&mut self, prefix: Prefix) -> Result<&'t str, SyntaxError> {
        let at = self.at;
        self.bump(prefix.letters);
        let Some(quote) = self.peek() else {
            return self.unexpected();
        };
        let triple = self.rest().starts_with(&[quote; 3]);
        self.bump(if triple { 3 } else { 1 });
        let start = self.at;
        loop {
            let plain = |byte| byte >= b' ' && byte != quote && byte != b'\\' && byte < 0x80;
            self.eat_while(plain);
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
                Some(b'\\') => self.escape(prefix)?,
                Some(_) => self.bump(1),
            }
        }
        let body = self.text.get(start..self.at).unwrap_or_default();
        self.bump(if triple { 3 } else { 1 });
        Ok(body)
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
    fn unexpected<T>(&self) -> Result<T, SyntaxError> {
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

impl Form {
    /// The bracket that ends it.
    fn closing(self) -> u8 {
        match self {
            Form::Value(Kind::List) => b']',
            Form::Brace | Form::Value(Kind::Dict | Kind::Set) => b'}',
            _ => b')',
        }
    }

    /// What it turns out to be when it ends with this many values.
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

const FORM_FEED: u8 = b'\x0c';

/// What a record's header takes for each value, so that memory is asked for once.
const BYTES_A_NODE: usize = 8;

/// The list starts with room for no more nodes, however long the text is: it may be blanks.
const MOST_AT_FIRST: usize = 1024;

/// CPython reads no longer decimal integers: its algorithm takes quadratic time.
const MAX_INT_DIGITS: usize = 4300;

/// An integer of as many digits in any base is no larger than the largest float.
const MAX_FLOAT_DIGITS: usize = 255;

fn fail<T>(at: usize, reason: impl Into<String>) -> Result<T, SyntaxError> {
    Err(SyntaxError { at, reason: Reason::Other(reason.into()) })
}

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

/// The number that a word without a sign says, if it fits.
fn parse_magnitude(word: &str) -> Option<u64> {
    let (radix, digits) = match word.as_bytes() {
        [b'0', b'x' | b'X', digits @ ..] => (16, digits),
        [b'0', b'o' | b'O', digits @ ..] => (8, digits),
        [b'0', b'b' | b'B', digits @ ..] => (2, digits),
        digits => (10, digits),
    };
    let digits = digits.iter().filter(|&&byte| byte != b'_');
    digits.map(|&byte| char::from(byte).to_digit(radix)).try_fold(0u64, |number, digit| {
        number.checked_mul(u64::from(radix))?.checked_add(u64::from(digit?))
    })
}

/// An offset in a text whose length was checked.
fn to_u32(offset: usize) -> u32 {
    u32::try_from(offset).unwrap_or(u32::MAX)
}

fn to_usize(offset: u32) -> usize {
    usize::try_from(offset).unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    const CAPS: Caps = Caps { nesting: 200, items: 1_000_000 };

    fn parse(text: &str) -> Result<Literal<'_>, SyntaxError> {
        Literal::parse(text, Dialect::Python3, CAPS)
    }

    fn python2(text: &str) -> Result<Literal<'_>, SyntaxError> {
        Literal::parse(text, Dialect::Python2, CAPS)
    }

    /// The structure in one spelling: strings by their `repr`, numbers by their value or source.
    fn shown(item: Item<'_>) -> String {
        let inside = || item.items().map(shown).collect::<Vec<_>>().join(" ");
        match item.kind() {
            Kind::Str => {
                let mut out = String::new();
                item.text().unwrap().write_repr(&mut out);
                out
            }
            Kind::Int => item.int().map_or("big".into(), |n| n.to_string()),
            Kind::Tuple => format!("({})", inside()),
            Kind::List => format!("[{}]", inside()),
            Kind::Dict => format!("dict({})", inside()),
            Kind::Set => format!("set({})", inside()),
            _ => item.source().into(),
        }
    }

    fn reason(result: Result<Literal<'_>, SyntaxError>) -> (usize, String) {
        let error = result.err().expect("a syntax error");
        (error.at, error.reason.to_string())
    }

    /// Guards the kinds and their extent: blanks and parentheses around a value are not its own.
    #[test]
    fn atoms() {
        for (text, kind) in [
            ("'a'", Kind::Str),
            ("rb'a'", Kind::Bytes),
            ("b'a'  b\"c\"", Kind::Bytes),
            ("b'\\u1\\777\\N'", Kind::Bytes),
            ("-12", Kind::Int),
            ("True", Kind::Bool(true)),
            ("False", Kind::Bool(false)),
            ("None", Kind::None),
            ("...", Kind::Ellipsis),
            ("1.", Kind::Float),
            (".5e-3", Kind::Float),
            ("1_0.0_1e1_0", Kind::Float),
            ("09.5", Kind::Float),
            ("09j", Kind::Float),
            ("-2J", Kind::Float),
            ("1 + 2j", Kind::Float),
            ("-1.5-2e3j", Kind::Float),
        ] {
            for (before, behind) in [("", ""), (" \t", " \n"), ("((", ") )")] {
                let text = format!("{before}{text}{behind}");
                let literal = parse(&text).unwrap_or_else(|error| panic!("{text}: {error:?}"));
                let root = literal.root();
                assert_eq!((root.kind(), root.at()), (kind, before.len()), "{text}");
                assert_eq!(root.source().len(), text.len() - before.len() - behind.len());
                assert_eq!(root.int().is_some(), kind == Kind::Int);
                assert_eq!(root.text().is_some(), kind == Kind::Str);
                assert_eq!(root.items().count(), 0);
            }
        }
    }

    /// Guards the value of integers in every spelling, up to the ends of `i64`.
    #[test]
    fn integers() {
        for (text, expected) in [
            ("0", Some(0)),
            ("00", Some(0)),
            ("0_0", Some(0)),
            ("+7", Some(7)),
            ("- 7", Some(-7)),
            ("(-# 3\n 7)", Some(-7)),
            ("1_000", Some(1000)),
            ("0xfF", Some(255)),
            ("0X_1", Some(1)),
            ("-0o17", Some(-15)),
            ("0b1_01", Some(5)),
            ("9223372036854775807", Some(i64::MAX)),
            ("-9223372036854775808", Some(i64::MIN)),
            ("9223372036854775808", None),
            ("-0x8000000000000001", None),
            ("99999999999999999999", None),
        ] {
            let literal = parse(text).unwrap();
            assert_eq!(
                (literal.root().kind(), literal.root().int()),
                (Kind::Int, expected),
                "{text}"
            );
        }
        assert!(parse(&"0".repeat(5000)).is_ok());
        assert!(parse(&"1".repeat(4300)).is_ok());
        assert!(parse(&"1".repeat(4301)).is_err());
        assert!(parse(&format!("0x{}", "1".repeat(5000))).is_ok());
    }

    /// Guards quotes, prefixes, escapes and joining; the right side is Python's `repr` of it.
    #[test]
    fn strings() {
        for (text, expected) in [
            ("''", "''"),
            ("\"it's\"", "\"it's\""),
            (r#"'it\'s "q"'"#, r#"'it\'s "q"'"#),
            ("u'a' U'b' r'c' R'd'", "'abcd'"),
            ("('a' # b\n\n 'c')", "'ac'"),
            ("'a' \\\n'b'", "'ab'"),
            ("'''a'b''c\n\"\"\"d'''", "'a\\'b\\'\\'c\\n\"\"\"d'"),
            ("''''a'''", "\"'a\""),
            ("\"\"\"\\\"\"\"\"", "'\"'"),
            ("''''''", "''"),
            ("''\"\"''", "''"),
            (r"r'\x4\''", r#""\\x4\\'""#),
            (r"r'\\'", r"'\\\\'"),
            (r"'\x64\u6574\U0001F600'", "'d整😀'"),
            (r"'\d\8\é'", r"'\\d\\8\\é'"),
            (r"'\ud83d\ude00'", r"'\ud83d\ude00'"),
            ("'a\\\r\nb'", "'ab'"),
            ("'''a\r\nb\rc'''", "'a\\nb\\nc'"),
            ("'é整😀\u{a0}'", "'é整😀\\xa0'"),
            ("'10L'", "'10L'"),
        ] {
            assert_eq!(shown(parse(text).unwrap().root()), expected, "{text}");
        }
    }

    /// Guards brackets, commas, blanks and comments between tokens.
    #[test]
    fn brackets() {
        for (text, expected) in [
            ("()", "()"),
            ("[ ]", "[]"),
            ("{\n}", "dict()"),
            ("(1)", "1"),
            ("((1),)", "(1)"),
            ("(((1, (2)), ), (3))", "(((1 2)) 3)"),
            ("[1, 2, ]", "[1 2]"),
            ("{1}", "set(1)"),
            ("{1, (2, 'a'),}", "set(1 (2 'a'))"),
            ("{'a': 1}", "dict('a' 1)"),
            ("{'a': [{}], (1): {2},}", "dict('a' [dict()] 1 set(2))"),
            ("[# c\r\n1\x0c,\\\n\t2\r]", "[1 2]"),
            ("[# é\n]", "[]"),
            (
                "{'descr': [('a', '<f4', (3,)), ], 'x': ()}",
                "dict('descr' [('a' '<f4' (3))] 'x' ())",
            ),
        ] {
            assert_eq!(shown(parse(text).unwrap().root()), expected, "{text}");
        }
    }

    /// Guards stepping from item to item without going through what they hold.
    #[test]
    fn items_know_their_place() {
        let text = "[(1, [2, 3]), ((('x' 'y'))), {4: 5}]";
        let literal = parse(text).unwrap();
        let root = literal.root();
        assert_eq!((root.at(), root.source()), (0, text));
        let found: Vec<_> = root.items().map(|item| (item.at(), item.source())).collect();
        assert_eq!(found, [(1, "(1, [2, 3])"), (17, "'x' 'y'"), (29, "{4: 5}")]);
        assert_eq!(root.items().next().unwrap().items().count(), 2);
    }

    /// Guards the messages, and the byte they point at.
    #[test]
    fn errors_point_at_the_fault() {
        for (text, at, expected) in [
            ("", 0, "expected a value, found the end of the text"),
            ("  ", 2, "expected a value, found the end of the text"),
            ("[1, (2]", 6, "expected ')' to close the last bracket"),
            ("[1, (2", 4, "a bracket that is never closed"),
            ("[1,", 0, "a bracket that is never closed"),
            ("[,]", 1, "expected a value, found ','"),
            ("[1,,]", 3, "expected a value, found ','"),
            (")", 0, "expected a value, found ')'"),
            ("[1 2]", 3, "expected ',' or ']' after this item"),
            ("{1: 2 3}", 6, "expected ',' or '}' after this item"),
            ("{1: }", 4, "expected a value, found '}'"),
            ("{1: 2, 3}", 8, "expected ':' and a value after this key"),
            ("{1, 2: 3}", 5, "expected ',' or '}' after this item"),
            ("{1: 2: 3}", 5, "expected ',' or '}' after this item"),
            ("{[1]: 2}", 1, "a list, dictionary or set is no key and no item of a set"),
            ("'a", 0, "a string without its closing quote"),
            ("'a\n'", 0, "a string without its closing quote on the same line"),
            ("'a' b'c'", 4, "a bytes literal and a string cannot be joined"),
            ("b'é'", 2, "a bytes literal with a character that is not ASCII"),
            (r"'a\x4'", 2, "an escape that takes 2 hexadecimal digits"),
            (r"'\U00110000'", 1, "an escape that takes 8 hexadecimal digits up to 0010ffff"),
            (r"'\N{BULLET}'", 1, r"characters by name, as in \N{BULLET}, are not supported"),
            ("f'a'", 0, "a string prefix that headers cannot have; those are u, r and b"),
            ("{'a': false}", 6, "'false' is no literal; the names are True, False and None"),
            ("02", 0, "an integer with a leading zero"),
            ("2__0", 2, "expected a digit here"),
            ("2.0x", 3, "a character that is not part of the number before it"),
            ("--2", 1, "a sign without a number behind it"),
            ("1+1", 0, "a sum that is no complex number; sums are not computed"),
            ("{} {}", 3, "something follows the value"),
            ("[\u{a0}]", 1, "the character U+00A0 may only stand in a string"),
            ("\u{feff}{}", 0, "the character U+FEFF may only stand in a string"),
            ("[\\ 1]", 1, "a backslash that does not join two lines"),
        ] {
            assert_eq!(reason(parse(text)), (at, expected.into()), "{text}");
        }
        let (at, nul) = reason(parse("{'a\0': 1}"));
        assert_eq!((at, nul.starts_with("a NUL character")), (3, true));
    }

    /// Guards against taking for a literal what Python computes or refuses.
    #[test]
    fn no_expressions() {
        for text in [
            "nan",
            "np.int64(2)",
            "eval('1')",
            "set()",
            "not 1",
            "~1",
            "+-1",
            "-True",
            "-'a'",
            "2**3",
            "(1,)*2",
            "[*a]",
            "{**a}",
            "1 if 1 else 2",
            "1if 1else 2",
            "lambda: 0",
            "'a'.x",
            "'a'[0]",
            "'%s' % 1",
            "x := 1",
            "1;",
            "1, 2",
            "1,",
            "$",
            "`a`",
            "ur'a'",
            "rf'a'",
            "'a' f'b'",
            "1L",
            "0x",
            "0xg",
            "0o8",
            "0b2",
            "1_",
            "0_7",
            "1e",
            "1e_1",
            "1_.5",
            "1._5",
            "1.5.2",
            "1j+2j",
            "1+-2j",
            "1+2j+3j",
            "0x1j",
            ".",
            "..",
            "... ...",
            "'a' 1",
            "1 'a'",
            "{{}}",
            "{(1, [])}",
            "{((1, {})): 2}",
            "{1, []}",
            "(1]",
            "[1}",
            r"'\u12'",
            r"'\'",
            "\x0b1",
            "１",
        ] {
            assert!(parse(text).is_err(), "{text}");
        }
        // Python cannot make a float of this integer.
        assert!(parse(&format!("{}+1j", "9".repeat(400))).is_err());
    }

    /// Guards lines around the value: what Python 3 takes, and where Python 2's filter takes more.
    #[test]
    fn lines_before_and_behind() {
        for (text, in_python2, in_python3) in [
            (" \t{} \t\x0c", true, true),
            ("\x0c{}", true, true),
            ("\n\n{}\n\n", true, true),
            ("  \n \r\n\r{}", true, true),
            (" # c\n{} # c", true, true),
            ("\\\n{} \\\n\n", true, true),
            ("\n \x0c{}\n\x0c", true, true),
            ("{}\n  # c\n \n", true, true),
            ("{}\n   # c", true, true),
            ("{}\n   ", true, false),
            ("{}\r\t", true, false),
            ("\n {}", false, false),
            ("\x0c {}", false, false),
            ("\n \\\n{}", false, false),
            ("{} \\\n", false, false),
            ("{}\n1", false, false),
            ("{}\n;", false, false),
            ("{}\\", false, false),
        ] {
            assert_eq!(python2(text).is_ok(), in_python2, "{text:?}");
            assert_eq!(parse(text).is_ok(), in_python3, "{text:?}");
        }
    }

    /// Guards Python 2's long integers, and that version 3.0 has none.
    #[test]
    fn long_suffix() {
        for (text, expected) in [
            ("(3L, 4 L)", "(3 4)"),
            ("0x2L", "2"),
            ("-9223372036854775808L", "-9223372036854775808"),
            ("(2L L,)", "(2)"),
            ("[2.5L]", "[2.5]"),
            ("[('a', '<i4', (2L,))]", "[('a' '<i4' (2))]"),
        ] {
            assert_eq!(shown(python2(text).unwrap().root()), expected, "{text}");
            assert!(parse(text).is_err(), "{text}");
        }
        for text in ["2l", "2LL", "2L_", "2Lx", "L", "'a'L", "(2\nL)", "(2 L 3)", "02L"] {
            assert!(python2(text).is_err(), "{text}");
        }
        assert_eq!(python2("( 2 L)").unwrap().root().source(), "2");
    }

    /// Guards time and memory against texts made to cost much.
    #[test]
    fn caps() {
        for text in ["[".repeat(100_000), "(".repeat(100_000), "[(".repeat(100_000)] {
            assert_eq!(parse(&text).err().unwrap().reason, Reason::Nesting(200));
        }
        let nested = |n: usize| format!("{}1{}", "(".repeat(n), ")".repeat(n));
        assert_eq!(parse(&nested(200)).unwrap().root().int(), Some(1));
        assert_eq!(reason(parse(&nested(201))), (200, "more than 200 brackets are open".into()));
        assert!(parse(&"-".repeat(100_000)).is_err());

        let caps = Caps { nesting: 1, items: 100 };
        let list = |n: usize| format!("[{}]", "1,".repeat(n));
        let literal = |text: &str| {
            Literal::parse(text, Dialect::Python3, caps).map(|literal| literal.nodes.capacity())
        };
        assert!(literal(&list(99)).unwrap() <= 100);
        let error = literal(&list(100_000)).unwrap_err();
        assert_eq!((error.at, error.reason), (199, Reason::Items(100)));
        assert_eq!(Reason::Items(100).to_string(), "there are more than 100 items");
        assert_eq!(size_of::<Node>(), 16);
    }

    /// Guards depth beyond any stack: parsing, walking and dropping use none.
    #[test]
    fn depth_costs_no_stack() {
        let n = 300_000;
        let text = format!("{}1{}", "[(".repeat(n), ")]".repeat(n));
        let caps = Caps { nesting: usize::MAX, items: usize::MAX };
        let literal = Literal::parse(&text, Dialect::Python3, caps).unwrap();
        let mut item = literal.root();
        let mut depth = 0;
        while let Some(inner) = item.items().next() {
            (item, depth) = (inner, depth + 1);
        }
        assert_eq!((item.int(), depth), (Some(1), n));
    }

    /// Guards the words that other layers' messages are made of.
    #[test]
    fn kinds_have_names() {
        for (text, name) in [("{}", "a dictionary"), ("1j", "a float"), ("None", "None")] {
            assert_eq!(parse(text).unwrap().root().kind().name(), name);
        }
    }
}
