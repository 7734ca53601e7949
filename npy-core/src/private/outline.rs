//! Test hook: prints a parsed literal, so that tests compare our parser with itself and with Python's.

use std::fmt::Write;

use crate::limits::Limits;
use crate::literal::{Caps, Dialect, Item, Kind, Literal};

/// Returns a normal form of a Python literal, which has the same value; `None` if `text` is not a literal.
pub fn literal(text: &str, python2: bool) -> Option<String> {
    let dialect = if python2 { Dialect::Python2 } else { Dialect::Python3 };
    let Limits { nesting, fields, .. } = Limits::default();
    let literal = Literal::parse(text, dialect, Caps { nesting, items: fields }).ok()?;
    let mut out = String::new();
    spell(literal.root(), &mut out);
    Some(out)
}

/// Appends the spelling of one item. Recursion ends with the literal, whose nesting is limited.
fn spell(item: Item<'_>, out: &mut String) {
    let kind = item.kind();
    let (open, close) = match kind {
        Kind::Tuple => ("(", ")"),
        Kind::List => ("[", "]"),
        Kind::Dict | Kind::Set => ("{", "}"),
        _ => {
            match (item.text(), item.int()) {
                (Some(text), _) => out.push_str(&text.repr()),
                // Writing to a `String` never fails.
                (_, Some(n)) => drop(write!(out, "{n}")),
                // In parentheses, as it may span several lines.
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
