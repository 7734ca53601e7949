//! Parses Python literals like `ast.literal_eval`. The text of a header is such a literal.
//!
//! The parser makes one pass and is not recursive. It produces a flat list of nodes in the order of
//! the text. Strings and numbers are decoded only when they are used.

mod parser;
mod printable;
pub(crate) mod repr;
mod scanner;
pub(crate) mod text;

use std::iter;
use std::ops::Range;

use crate::checked;
use crate::error::ErrorKind;
use crate::limits;
use scanner::Scanner;
use text::Text;

/// The version of Python whose literals are accepted. Headers of the format versions 1.0 and 2.0
/// may be from Python 2: they may contain `3L`, and end with blanks
/// after the last line break.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Dialect {
    /// `(3L, 4L)` is a tuple of two integers.
    Python2,
    /// The literals that `ast.literal_eval` accepts in Python 3.
    Python3,
}

/// The limits on a text.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Caps {
    /// The largest number of brackets that are open at once.
    pub(crate) nesting: usize,
    /// The largest number of values and pairs of parentheses; each takes 16 bytes of memory.
    pub(crate) items: usize,
}

/// An error, and its byte offset in the text.
#[derive(Debug)]
pub(crate) struct Fault {
    pub(crate) at: usize,
    pub(crate) kind: ErrorKind,
}

impl Fault {
    /// Creates the error for a malformed text.
    pub(crate) fn malformed(at: usize, reason: impl Into<String>) -> Self {
        Fault { at, kind: ErrorKind::Header { reason: reason.into() } }
    }

    /// Creates the error for a count over `limit`, which is the field `name` of [`Limits`](crate::Limits).
    pub(crate) fn limit(
        at: usize,
        what: &'static str,
        name: &'static str,
        found: usize,
        limit: usize,
    ) -> Self {
        let (found, limit) = (limits::to_u64(found), limits::to_u64(limit));
        Fault { at, kind: ErrorKind::Limit { what, name, found, limit } }
    }
}

/// A text that consists of one Python literal.
pub(crate) struct Literal<'t> {
    text: &'t str,
    // Each value comes before the values it contains; the first is the root.
    nodes: Vec<Node>,
}

impl<'t> Literal<'t> {
    /// Parses a text that consists of one literal.
    pub(crate) fn parse(text: &'t str, dialect: Dialect, caps: Caps) -> Result<Self, Fault> {
        if u32::try_from(text.len()).is_err() {
            return fail(0, "it is longer than 4 GiB");
        }
        if let Some(at) = text.find('\0') {
            return fail(
                at,
                "a NUL character, which Python source cannot have; pad headers with spaces",
            );
        }
        Ok(Literal { text, nodes: parser::parse(text, dialect, caps)? })
    }

    /// Returns the value that the text consists of.
    pub(crate) fn root(&self) -> Item<'_> {
        Item::new(self, 0)
    }

    /// Returns the node at this index, or an empty one after the end of the list.
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
    /// Returns the value at this index, or the value inside if there are parentheses at this index.
    fn new(literal: &'l Literal<'l>, index: u32) -> Self {
        let node = literal.node(index);
        let index = if node.form == Form::Group { node.start } else { index };
        Item { literal, index }
    }

    fn node(self) -> Node {
        self.literal.node(self.index)
    }

    /// Returns the kind of the value.
    pub(crate) fn kind(self) -> Kind {
        match self.node().form {
            Form::Value(kind) => kind,
            Form::Group | Form::Paren | Form::Brace => Kind::None,
        }
    }

    /// Returns the offset of the value in the text.
    pub(crate) fn at(self) -> usize {
        to_usize(self.node().start)
    }

    /// Returns the byte range of the value in the text.
    pub(crate) fn range(self) -> Range<usize> {
        self.at()..to_usize(self.node().end)
    }

    /// Returns the source of the value, without parentheses around it and without a Python 2 `L` after it.
    pub(crate) fn source(self) -> &'l str {
        checked::text(self.literal.text, self.range())
    }

    /// Returns the source of the value for Python 3, without the `L` after any number inside.
    pub(crate) fn python3_source(self) -> String {
        let source = self.source();
        // Depth 1, because inside brackets a value may continue on the next line.
        let mut scanner = Scanner::new(source, Dialect::Python2, 1);
        let mut out = String::with_capacity(source.len());
        while let Some(byte) = scanner.peek() {
            let from = scanner.at;
            // None of these calls fails, because the text was parsed before.
            let number = match scanner.prefix() {
                Some(prefix) => scanner.piece(prefix).ok().and(None),
                None if byte.is_ascii_digit() => scanner.unsigned().ok().map(|(_, end)| end),
                None => scanner.skip().ok().and(None),
            };
            if scanner.at == from {
                scanner.bump(1);
            }
            let end = number.unwrap_or(scanner.at);
            out.push_str(checked::text(source, from..end));
        }
        out
    }

    /// Iterates over the values inside. A dictionary yields key, value, key, value, …
    pub(crate) fn items(self) -> impl Iterator<Item = Item<'l>> {
        let (literal, end) = (self.literal, self.node().next);
        let inside = move |index: u32| (index < end).then_some(index);
        let next = move |index: &u32| inside(literal.node(*index).next);
        iter::successors(inside(after(self.index)), next).map(|index| Item::new(literal, index))
    }

    /// Returns the integer; `None` for other kinds, and for an integer that does not fit in an `i64`.
    pub(crate) fn int(self) -> Option<i64> {
        if self.kind() != Kind::Int {
            return None;
        }
        let source = self.source();
        // There may be blanks and comments after the sign; the digits are the last word.
        let word = source.rsplit(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).next()?;
        let magnitude = parse_magnitude(word)?;
        if source.starts_with('-') {
            0i64.checked_sub_unsigned(magnitude)
        } else {
            i64::try_from(magnitude).ok()
        }
    }

    /// Returns a string that is a single piece without a prefix or escapes; `None` for any other value.
    pub(crate) fn plain(self) -> Option<&'l str> {
        let source = self.source();
        let quote = if source.starts_with('"') { '"' } else { '\'' };
        let body = source.strip_prefix(quote)?.strip_suffix(quote)?;
        // With triple quotes or a second piece, the body has quotes.
        let is_plain = !body.bytes().any(|byte| byte == b'\\' || char::from(byte) == quote);
        is_plain.then_some(body)
    }

    /// Returns a string with its escapes decoded and its pieces joined; `None` for other kinds.
    pub(crate) fn text(self) -> Option<Text> {
        if self.kind() != Kind::Str {
            return None;
        }
        if let Some(plain) = self.plain() {
            return Some(Text::new(plain));
        }
        let text = self.source();
        // Depth 1, because line breaks and comments are allowed between the pieces.
        let mut scanner = Scanner::new(text, Dialect::Python3, 1);
        let mut code_points = Vec::new();
        while let Some(prefix) = scanner.prefix() {
            let body = scanner.piece(prefix).ok()?;
            text::decode(body, prefix.raw, &mut code_points);
            scanner.skip().ok()?;
        }
        Some(Text::from_code_points(&code_points))
    }
}

/// The kind of a literal.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    /// `'x'`, or several adjacent pieces.
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
    /// Returns the name of the kind with an article, for messages.
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

/// A value of a literal, parentheses, or an open bracket. It takes 16 bytes.
#[derive(Clone, Copy)]
struct Node {
    form: Form,
    // True if Python can hash the value, so that it may be a key.
    hashable: bool,
    // The offset of the first byte; for a `Group`, the index of the value inside.
    start: u32,
    // The offset after the last byte; while the bracket is open, the number of values inside so
    // far.
    end: u32,
    // The index of the first node after this one and those inside it; while the bracket is open,
    // the index of the bracket around it.
    next: u32,
}

impl Node {
    const EMPTY: Node =
        Node { form: Form::Value(Kind::None), hashable: true, start: 0, end: 0, next: 0 };
}

/// The form of a node.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    Value(Kind),
    // Parentheses around one value, without a meaning of their own.
    Group,
    // `(`, until it is known to be a tuple or a group.
    Paren,
    // `{`, until it is known to be a dictionary or a set.
    Brace,
}

/// Parses an integer without a sign; `None` if it does not fit in a `u64`.
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

fn fail<T>(at: usize, reason: impl Into<String>) -> Result<T, Fault> {
    Err(Fault::malformed(at, reason))
}

/// Converts an offset in the text, or the index of a node. Both fit, because `Literal::parse` has
/// checked the length of the text.
fn to_u32(offset: usize) -> u32 {
    checked::narrow(offset)
}

fn to_usize(offset: u32) -> usize {
    checked::narrow(offset)
}

/// Returns the index after this one.
fn after(index: u32) -> u32 {
    to_u32(checked::add(to_usize(index), 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    const CAPS: Caps = Caps { nesting: 200, items: 1_000_000 };

    fn parse(text: &str) -> Result<Literal<'_>, Fault> {
        Literal::parse(text, Dialect::Python3, CAPS)
    }

    fn python2(text: &str) -> Result<Literal<'_>, Fault> {
        Literal::parse(text, Dialect::Python2, CAPS)
    }

    /// Formats the structure without ambiguity: strings as their `repr`, integers as their value,
    /// other atoms as their source.
    fn shown(item: Item<'_>) -> String {
        let inside = || item.items().map(shown).collect::<Vec<_>>().join(" ");
        match item.kind() {
            Kind::Str => item.text().unwrap().repr(),
            Kind::Int => item.int().map_or("big".into(), |n| n.to_string()),
            Kind::Tuple => format!("({})", inside()),
            Kind::List => format!("[{}]", inside()),
            Kind::Dict => format!("dict({})", inside()),
            Kind::Set => format!("set({})", inside()),
            _ => item.source().into(),
        }
    }

    fn reason(result: Result<Literal<'_>, Fault>) -> (usize, String) {
        let error = result.err().expect("a syntax error");
        let message = error.kind.to_string();
        (error.at, message.replacen("the header is malformed: ", "", 1))
    }

    /// Guards the kinds of atoms, and that blanks and parentheses around a value are not part of
    /// it.
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
            for (before, after) in [("", ""), (" \t", " \n"), ("((", ") )")] {
                let text = format!("{before}{text}{after}");
                let literal = parse(&text).unwrap_or_else(|error| panic!("{text}: {error:?}"));
                let root = literal.root();
                assert_eq!((root.kind(), root.at()), (kind, before.len()), "{text}");
                assert_eq!(root.source().len(), text.len() - before.len() - after.len());
                assert_eq!(root.int().is_some(), kind == Kind::Int);
                assert_eq!(root.text().is_some(), kind == Kind::Str);
                assert_eq!(root.items().count(), 0);
            }
        }
    }

    /// Guards the value of integers in every notation, up to the limits of `i64`.
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

    /// Guards quotes, prefixes, escapes and joining; the right side is Python's `repr` of the result.
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

    /// Guards that the iterator yields the items of a list, but not the values inside them.
    #[test]
    fn items_are_iterated_without_entering_them() {
        let text = "[(1, [2, 3]), ((('x' 'y'))), {4: 5}]";
        let literal = parse(text).unwrap();
        let root = literal.root();
        assert_eq!((root.at(), root.source()), (0, text));
        let found: Vec<_> = root.items().map(|item| (item.at(), item.source())).collect();
        assert_eq!(found, [(1, "(1, [2, 3])"), (17, "'x' 'y'"), (29, "{4: 5}")]);
        assert_eq!(root.items().next().unwrap().items().count(), 2);
    }

    /// Guards the messages of errors, and the byte that each error names.
    #[test]
    fn errors_name_the_byte_and_the_reason() {
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
            ("{[1]: 2}", 1, "a list, dictionary or set cannot be a key or an item of a set"),
            ("'a", 0, "this string has no closing quote"),
            ("'a\n'", 0, "this string has no closing quote on the same line"),
            ("'a' b'c'", 4, "a bytes literal and a string cannot be joined"),
            ("b'é'", 2, "unexpected character in a bytes literal, which is ASCII"),
            (r"'a\x4'", 2, "this escape needs 2 hexadecimal digits"),
            (r"'\U00110000'", 1, "this escape needs 8 hexadecimal digits up to 0010ffff"),
            (r"'\N{BULLET}'", 1, r"characters by name, as in \N{BULLET}, are not supported"),
            ("f'a'", 0, "unknown string prefix; a header may have u, r and b"),
            (
                "{'a': false}",
                6,
                "'false' is not a literal; the only names allowed are True, False and None",
            ),
            ("02", 0, "an integer cannot have a leading zero"),
            ("2__0", 2, "expected a digit here"),
            ("2.0x", 3, "unexpected character after a number"),
            ("--2", 1, "expected a number after the sign"),
            ("1+1", 0, "this sum is not a complex number, and other sums are not computed"),
            ("{} {}", 3, "expected the end of the text after the value"),
            ("[\u{a0}]", 1, "the character U+00A0 is only allowed in strings"),
            ("\u{feff}{}", 0, "the character U+FEFF is only allowed in strings"),
            ("[\\ 1]", 1, "unexpected backslash: it does not join two lines"),
        ] {
            assert_eq!(reason(parse(text)), (at, expected.into()), "{text}");
        }
        let (at, nul) = reason(parse("{'a\0': 1}"));
        assert_eq!((at, nul.starts_with("a NUL character")), (3, true));
    }

    /// Guards that only literals are accepted: neither expressions that Python would compute, nor invalid Python.
    #[test]
    fn expressions_are_refused() {
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
        // This integer is too large for a Python float.
        assert!(parse(&format!("{}+1j", "9".repeat(400))).is_err());
    }

    /// Guards blank lines around the value: those that Python 3 accepts, and those that only
    /// NumPy's filter for Python 2 accepts.
    #[test]
    fn lines_before_and_after_the_value() {
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

    /// Guards Python 2's long integers, which headers of format version 3.0 cannot have.
    #[test]
    fn a_long_suffix_is_accepted_for_python_2_only() {
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

    /// Guards time and memory against malicious texts.
    #[test]
    fn texts_over_a_cap_are_refused() {
        for text in ["[".repeat(100_000), "(".repeat(100_000), "[(".repeat(100_000)] {
            assert!(reason(parse(&text)).1.starts_with("nesting: 201 exceeds the limit of 200"));
        }
        let nested = |n: usize| format!("{}1{}", "(".repeat(n), ")".repeat(n));
        assert_eq!(parse(&nested(200)).unwrap().root().int(), Some(1));
        assert_eq!(reason(parse(&nested(201))).0, 200);
        assert!(parse(&"-".repeat(100_000)).is_err());

        let caps = Caps { nesting: 1, items: 100 };
        let list = |n: usize| format!("[{}]", "1,".repeat(n));
        let literal = |text: &str| {
            Literal::parse(text, Dialect::Python3, caps).map(|literal| literal.nodes.capacity())
        };
        assert!(literal(&list(99)).unwrap() <= 100);
        let error = literal(&list(100_000)).unwrap_err();
        let message =
            "values in a header (eight are allowed for each field): 101 exceeds the limit of 100";
        assert!(error.kind.to_string().starts_with(message), "{error:?}");
        assert_eq!(error.at, 199);
        assert_eq!(size_of::<Node>(), 16);
    }

    /// Guards very deep nesting: parsing, iterating and dropping are not recursive.
    #[test]
    fn deep_nesting_does_not_use_the_stack() {
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

    /// Guards the names of kinds, which appear in messages.
    #[test]
    fn kinds_have_names() {
        for (text, name) in [("{}", "a dictionary"), ("1j", "a float"), ("None", "None")] {
            assert_eq!(parse(text).unwrap().root().kind().name(), name);
        }
    }
}
