//! Test hook: prints a parsed literal, so that tests can compare our parser with itself and with Python's.

use std::fmt::Write;

use crate::limits::Limits;
use crate::literal::{Caps, Dialect, Item, Kind, Literal};

/// Parses a Python literal, and prints one of the same value in a normal form; `None` if `text` is not a literal.
pub fn literal(text: &str, python2: bool) -> Option<String> {
    let dialect = if python2 { Dialect::Python2 } else { Dialect::Python3 };
    let Limits { nesting, fields, .. } = Limits::default();
    let literal = Literal::parse(text, dialect, Caps { nesting, items: fields }).ok()?;
    let mut out = String::new();
    spell(literal.root(), &mut out);
    Some(out)
}

/// Appends the normal form of one item. The recursion is bounded because the nesting of a literal is limited.
fn spell(item: Item<'_>, out: &mut String) {
    let kind = item.kind();
    let (open, close) = match kind {
        Kind::Tuple => ("(", ")"),
        Kind::List => ("[", "]"),
        Kind::Dict => ("{", "}"),
        _ => {
            match (item.text(), item.int()) {
                (Some(text), _) => out.push_str(&text.repr()),
                // Writing to a `String` never fails.
                (_, Some(n)) => drop(write!(out, "{n}")),
                // Adds parentheses, because the source may span several lines.
                _ => drop(write!(out, "({})", item.python3_source())),
            }
            return;
        }
    };
    out.push_str(open);
    for (i, part) in item.items().enumerate() {
        spell(part, out);
        out.push_str(if kind == Kind::Dict && i % 2 == 0 { ": " } else { ", " });
    }
    out.push_str(close);
}
