//! Parses the Python literals that headers consist of, as NumPy and other programs have written them.
//!
//! Python's `ast.literal_eval` returns the same value for every text that is accepted here (for `3L`,
//! after NumPy's filter). It also accepts what no program writes: sets, comments, hexadecimal
//! numbers, triple quotes.
//!
//! The parser makes one pass. It produces a flat list of nodes in the order of the text. Strings
//! and numbers are decoded only when they are used.

mod number;
mod parser;
mod printable;
pub(crate) mod repr;
mod string;
pub(crate) mod text;

use std::iter;

use crate::checked;
use crate::error::ErrorKind;
use crate::limits;
use text::Text;

/// The version of Python whose literals are accepted. Headers of the format versions 1.0 and 2.0
/// may be from Python 2: they may contain `3L`, and end with blanks after the last line break.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Dialect {
    /// `(3L, 4L)` is a tuple of two integers.
    Python2,
    /// `3L` is refused.
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
            return fail(0, "a text of more than 4 GiB; divide it");
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
    fn new(literal: &'l Literal<'l>, mut index: u32) -> Self {
        while literal.node(index).kind.is_none() {
            index = after(index);
        }
        Item { literal, index }
    }

    fn node(self) -> Node {
        self.literal.node(self.index)
    }

    /// Returns the kind of the value.
    pub(crate) fn kind(self) -> Kind {
        self.node().kind.unwrap_or(Kind::None)
    }

    /// Returns the offset of the value in the text.
    pub(crate) fn at(self) -> usize {
        to_usize(self.node().start)
    }

    /// Returns the source of the value, without parentheses around it and without a Python 2 `L` after it.
    pub(crate) fn source(self) -> &'l str {
        checked::text(self.literal.text, self.at()..to_usize(self.node().end))
    }

    /// Returns the source of the value for Python 3, without the `L` after any number inside.
    pub(crate) fn python3_source(self) -> String {
        let (text, mut at) = (self.literal.text, self.at());
        let mut out = String::with_capacity(self.source().len());
        for index in self.index..self.node().next {
            let node = self.literal.node(index);
            let end = to_usize(node.end);
            // No other byte after an integer is an `L`. That of the last one is not part of the source.
            if node.kind == Some(Kind::Int) && text.as_bytes().get(end) == Some(&b'L') {
                out.push_str(checked::text(text, at..end));
                at = checked::add(end, 1);
            }
        }
        out.push_str(text.get(at..to_usize(self.node().end)).unwrap_or_default());
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
        if self.kind() == Kind::Int { self.source().parse().ok() } else { None }
    }

    /// Returns a string that is known to be the text between its quotes.
    pub(crate) fn plain(self) -> Option<&'l str> {
        if self.node().is_plain { self.source().get(1..)?.strip_suffix('\'') } else { None }
    }

    /// Returns a string with its escapes decoded and its pieces joined; `None` for other kinds.
    pub(crate) fn text(self) -> Option<Text> {
        if self.kind() != Kind::Str {
            return None;
        }
        if let Some(plain) = self.plain() {
            return Some(Text::new(plain));
        }
        let mut code_points = Vec::new();
        string::read(self.source(), 0, true, Some(&mut code_points)).ok()?;
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
    /// `(1, 2)`.
    Tuple,
    /// `[1, 2]`.
    List,
    /// `{'a': 1}`.
    Dict,
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
            Kind::Tuple => "a tuple",
            Kind::List => "a list",
            Kind::Dict => "a dictionary",
        }
    }
}

/// A value of a literal, or parentheses around one. It takes 16 bytes.
#[derive(Clone, Copy)]
struct Node {
    // `None` for parentheses around one value, which is the next node.
    kind: Option<Kind>,
    // True for most strings without escapes; their text is that between the quotes.
    is_plain: bool,
    // The offsets of the first byte and after the last one.
    start: u32,
    end: u32,
    // The index of the first node after this one and those inside it.
    next: u32,
}

impl Node {
    const EMPTY: Node = Node { kind: Some(Kind::None), is_plain: false, start: 0, end: 0, next: 0 };
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
            ("b'a'", Kind::Bytes),
            ("b'a'  b\"\\x00\\u1\\777\\N\"", Kind::Bytes),
            ("-12", Kind::Int),
            ("True", Kind::Bool(true)),
            ("False", Kind::Bool(false)),
            ("None", Kind::None),
            ("1.", Kind::Float),
            ("-0.5", Kind::Float),
            ("1e-05", Kind::Float),
            ("1.5e+300", Kind::Float),
            ("09.5", Kind::Float),
            ("-2j", Kind::Float),
            ("1+2j", Kind::Float),
            ("-1.5-2e+16j", Kind::Float),
        ] {
            for (before, after) in [("", ""), (" \t", " \n"), ("((", ") )"), ("(\r\n(\t", "))")] {
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

    /// Guards the value of integers up to the limits of `i64`.
    #[test]
    fn integers() {
        for (text, expected) in [
            ("0", Some(0)),
            ("00", Some(0)),
            ("-0", Some(0)),
            ("-7", Some(-7)),
            ("9223372036854775807", Some(i64::MAX)),
            ("-9223372036854775808", Some(i64::MIN)),
            ("9223372036854775808", None),
        ] {
            let literal = parse(text).unwrap();
            assert_eq!((literal.root().kind(), literal.root().int()), (Kind::Int, expected));
        }
        assert!(parse(&"1".repeat(300)).is_ok());
        assert!(parse(&"1".repeat(301)).is_err());
    }

    /// Guards quotes, prefixes, escapes and joining; the right side is Python's `repr` of the result.
    #[test]
    fn strings() {
        for (text, expected) in [
            ("''", "''"),
            ("\"it's\"", "\"it's\""),
            (r#"'it\'s "q"'"#, r#"'it\'s "q"'"#),
            ("u'a' 'b'\tu\"c\"", "'abc'"),
            ("('a'\r\n 'b')", "'ab'"),
            ("'a'\"\"'b'", "'ab'"),
            (r"'\x3cf4\x64\u6574\U0001F600'", "'<f4d整😀'"),
            (r#"'\'\"\\'"#, r#"'\'"\\'"#),
            (r"'\a\b\t\n\v\f\r'", r"'\x07\x08\t\n\x0b\x0c\r'"),
            (r"'\0\7\101\1012\777\8'", r"'\x00\x07AA2ǿ\\8'"),
            (r"'\d\é\%'", r"'\\d\\é\\%'"),
            (r"'\ud83d\ude00'", r"'\ud83d\ude00'"),
            ("'é整😀\u{a0}\t'", "'é整😀\\xa0\\t'"),
            ("'10L # {'", "'10L # {'"),
        ] {
            assert_eq!(shown(parse(text).unwrap().root()), expected, "{text}");
        }
    }

    /// Guards brackets, commas and blanks between tokens.
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
            ("{'a': 1}", "dict('a' 1)"),
            ("{'a' 'b' :[{}], \"c\":(2),}", "dict('ab' [dict()] 'c' 2)"),
            ("[\r\n1\t,\n2\r]", "[1 2]"),
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
        let text = "[(1, [2, 3]), ((('x' 'y'))), {'4': 5}]";
        let literal = parse(text).unwrap();
        let root = literal.root();
        assert_eq!((root.at(), root.source()), (0, text));
        let found: Vec<_> = root.items().map(|item| (item.at(), item.source())).collect();
        assert_eq!(found, [(1, "(1, [2, 3])"), (17, "'x' 'y'"), (29, "{'4': 5}")]);
        assert_eq!(root.items().next().unwrap().items().count(), 2);
    }

    /// Guards the messages of errors, and the byte that each error names.
    #[test]
    fn errors_name_the_byte_and_the_reason() {
        let cut = "found the end of the text; copy the complete text, or close its brackets";
        let (found, comment) =
            ("; write it as np.save does", "found a comment; remove it, because");
        for (text, at, expected) in [
            ("", 0, &*format!("expected a value, {cut}")),
            ("[1, (2", 6, &format!("expected ',' or ')' after a value, {cut}")),
            ("[1, (2]", 6, &format!("expected ',' or ')' after a value, found ']'{found}")),
            ("[1 2]", 3, &format!("expected ',' or ']' after a value, found '2'{found}")),
            ("[1,,]", 3, &format!("expected a value, found ','{found}")),
            ("...", 0, "'...' is not a literal; the only names allowed are True, False and None"),
            (
                "{'a': 2, 'b'}",
                12,
                &format!("expected ':' after a key (sets are not read), found '}}'{found}"),
            ),
            (
                "{'a', 'b'}",
                4,
                &format!("expected ':' after a key (sets are not read), found ','{found}"),
            ),
            (
                "{1, 2}",
                1,
                &format!("expected a string as a key (sets are not read), found '1'{found}"),
            ),
            (
                "{} {}",
                3,
                &format!("expected the end of the text after the value, found '{{'{found}"),
            ),
            (
                "{} # c",
                3,
                &format!(
                    "expected the end of the text after the value, {comment} comments are not read"
                ),
            ),
            ("[1, # c\n]", 4, &format!("expected a value, {comment} comments are not read")),
            (
                "[\\\n1]",
                1,
                "expected a value, found a backslash; remove it, because lines are not joined",
            ),
            ("\n{}", 0, "expected a value, found a line break; remove it"),
            (
                "[\u{a0}]",
                1,
                "expected a value, found the character U+00A0; only strings can have it",
            ),
            (
                "--2",
                0,
                "'--2' is not a number; write it in decimal, with at most 300 digits, without '_' or a zero in front",
            ),
            (
                "[0x1f]",
                1,
                "'0x1f' is not a number; write it in decimal, with at most 300 digits, without '_' or a zero in front",
            ),
            (
                "1_000",
                0,
                "'1_000' is not a number; write it in decimal, with at most 300 digits, without '_' or a zero in front",
            ),
            ("'a", 0, "a string without a closing quote; add it, or copy the complete text"),
            ("'a\n'", 2, "a line break in a string; write \\n"),
            ("'a' b'c'", 4, "a bytes literal next to a string; put a comma between them"),
            ("'''a'''", 0, "triple quotes; use single ones, and \\n for a line break"),
            ("b'aé'", 2, r"a bytes literal that is not ASCII; write escapes, as in b'\xe9'"),
            (
                r"'a\x4'",
                2,
                r"an escape without 2 hexadecimal digits, at most 10ffff; write \\ for a backslash",
            ),
            (
                r"'\U00110000'",
                1,
                r"an escape without 8 hexadecimal digits, at most 10ffff; write \\ for a backslash",
            ),
            (r"'\N{BULLET}'", 1, r"a character by name; write its number, \u2022 for \N{BULLET}"),
            ("f'a'", 0, "'f' before a string; only the prefixes u and b are read"),
            (
                "[false]",
                1,
                "'false' is not a literal; the only names allowed are True, False and None",
            ),
            (
                "np.int64(3)",
                0,
                "'np.int64' is not a literal; write plain numbers, 3 instead of np.int64(3)",
            ),
            (
                "{'a\0': 1}",
                3,
                "a NUL character, which Python source cannot have; pad headers with spaces",
            ),
        ] {
            assert_eq!(reason(parse(text)), (at, expected.into()), "{text}");
        }
    }

    /// Guards that only literals are accepted: neither expressions that Python would compute, nor invalid Python.
    #[test]
    fn expressions_are_refused() {
        for text in [
            "nan",
            "eval('1')",
            "set()",
            "~1",
            "-True",
            "-'a'",
            "2**3",
            "(1,)*2",
            "[*a]",
            "{**a}",
            "1 if 1 else 2",
            "1if 1else 2",
            "'a'.x",
            "'a'[0]",
            "1, 2",
            "1,",
            "`a`",
            "ur'a'",
            "1L",
            "1e",
            "1e-",
            "1_",
            "02",
            "1.5.2",
            "1+1",
            "02+1j",
            "j",
            ".5",
            "+1",
            "infinity",
            "1j+2j",
            "1+-2j",
            "1+2j+3j",
            "'a' 1",
            "1 'a'",
            "{['a']: 1}",
            "{'a': 1: 2}",
            "(1]",
            r"'\u+123'",
            r"'\'",
            r"'\",
            "u'''a'''",
            "b'\\é'",
            "１",
        ] {
            assert!(parse(text).is_err(), "{text}");
        }
        // This integer is too large for a Python float.
        assert!(parse(&format!("{}+1j", "9".repeat(400))).is_err());
    }

    /// Guards blanks after the value: those that Python 3 accepts, and those that only NumPy's
    /// filter for Python 2 accepts.
    #[test]
    fn blanks_after_the_value() {
        for (text, in_python3) in
            [("{} \t\n\n", true), ("{}\r\n", true), ("{}\n   ", false), ("{}\r\t\n", false)]
        {
            assert!(python2(text).is_ok(), "{text:?}");
            assert_eq!(parse(text).is_ok(), in_python3, "{text:?}");
        }
        assert!(python2("\n {}").is_err());
    }

    /// Guards Python 2's long integers, which headers of format version 3.0 cannot have.
    #[test]
    fn a_long_suffix_is_accepted_for_python_2_only() {
        for (text, expected, python3) in [
            ("(3L, -4L)", "(3 -4)", "(3, -4)"),
            ("((5L,), (2L),'L')", "((5) 2 'L')", "((5,), (2),'L')"),
            ("9223372036854775807L", "9223372036854775807", "9223372036854775807"),
        ] {
            let literal = python2(text).unwrap();
            assert_eq!(shown(literal.root()), expected);
            assert_eq!(literal.root().python3_source(), python3);
            assert!(parse(text).is_err(), "{text}");
        }
        for text in ["2l", "2LL", "2 L", "2Lx", "2.5L", "1L+2j", "L", "'a'L", "02L"] {
            assert!(python2(text).is_err(), "{text}");
        }
    }

    /// Guards time and memory against malicious texts.
    #[test]
    fn texts_over_a_cap_are_refused() {
        for text in ["[".repeat(100_000), "(".repeat(100_000), "{'':".repeat(100_000)] {
            assert!(reason(parse(&text)).1.starts_with("nesting: 201 exceeds the limit of 200"));
        }
        let nested = |n: usize| format!("{}1{}", "(".repeat(n), ")".repeat(n));
        assert_eq!(parse(&nested(200)).unwrap().root().int(), Some(1));
        assert_eq!(reason(parse(&nested(201))).0, 200);

        let caps = Caps { nesting: 1, items: 100 };
        let list = |n: usize| format!("[{}]", "1,".repeat(n));
        let nodes = |text: &str| {
            Literal::parse(text, Dialect::Python3, caps).map(|literal| literal.nodes.capacity())
        };
        assert!(nodes(&list(99)).unwrap() <= 200);
        let error = nodes(&list(100_000)).unwrap_err();
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
        let text = format!("{}1{}", "[(".repeat(n), ",)]".repeat(n));
        let caps = Caps { nesting: usize::MAX, items: usize::MAX };
        let literal = Literal::parse(&text, Dialect::Python3, caps).unwrap();
        let mut item = literal.root();
        let mut depth = 0;
        while let Some(inner) = item.items().next() {
            (item, depth) = (inner, depth + 1);
        }
        assert_eq!((item.int(), depth), (Some(1), 2 * n));
    }

    /// Guards the names of kinds, which appear in messages.
    #[test]
    fn kinds_have_names() {
        for (text, name) in [("{}", "a dictionary"), ("1j", "a float"), ("None", "None")] {
            assert_eq!(parse(text).unwrap().root().kind().name(), name);
        }
    }
}
