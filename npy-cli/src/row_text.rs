//! One row as text: the cells of a table, a line of CSV, or a value of JSON.

use std::ops::Range;

use npy_core::ObjectRef;

use crate::text::{Cell, csv_field};

/// A scalar of each row.
#[derive(Clone, Debug)]
pub(crate) struct Leaf {
    pub(crate) name: String,
    pub(crate) offset: usize,
    pub(crate) cell: Cell,
    /// The number of scalars; 1 unless sub-arrays are one column each.
    pub(crate) count: usize,
}

impl Leaf {
    /// Returns the bytes of the scalar in a row. Missing bytes are left out.
    pub(crate) fn of<'a>(&self, row: &'a [u8]) -> &'a [u8] {
        row.get(self.offset..self.end()).unwrap_or_default()
    }

    /// Returns the position after the last byte in a row.
    pub(crate) fn end(&self) -> usize {
        // Rows that do not exist may be larger than any memory.
        self.offset.saturating_add(self.cell.size().saturating_mul(self.count))
    }

    /// Returns the text for a table: of a sub-array the first elements. An object is its index in `objects`.
    pub(crate) fn table(&self, row: &[u8], objects: &[ObjectRef<'_>]) -> String {
        const WIDTH: usize = 28;
        if self.count == 1 {
            return self.cell.table(self.of(row), objects);
        }
        let mut text = String::from("[");
        for i in 0..self.count {
            if i > 0 {
                text.push(' ');
            }
            if text.len() > WIDTH {
                text.push('…');
                break;
            }
            let size = self.cell.size();
            let bytes = self.of(row).get(i * size..(i + 1) * size).unwrap_or_default();
            text.push_str(&self.cell.table(bytes, objects));
        }
        text.push(']');
        text
    }
}

/// Writes a line of CSV with names. `comma` is between two fields.
pub(crate) fn csv_header(leaves: &[Leaf], comma: u8, out: &mut Vec<u8>) {
    let start = out.len();
    for (i, leaf) in leaves.iter().enumerate() {
        if i > 0 {
            out.push(comma);
        }
        csv_field(&leaf.name, comma, out);
    }
    end_line(out, start, comma);
}

/// Ends a line of CSV.
fn end_line(out: &mut Vec<u8>, start: usize, comma: u8) {
    quote_mark(out, start, comma);
    if out.len() == start {
        // An empty line would be neither a row nor names.
        out.extend_from_slice(b"\"\"");
    }
    out.push(b'\n');
}

/// Puts quotes around the first field of a line if it begins with `#`: without them, the line would be a comment.
fn quote_mark(out: &mut Vec<u8>, start: usize, comma: u8) {
    if out.get(start) == Some(&b'#') {
        // A field that has the delimiter in it has quotes already.
        let end = out[start..].iter().position(|byte| *byte == comma);
        out.insert(end.map_or(out.len(), |length| start + length), b'"');
        out.insert(start, b'"');
    }
}

/// Writes a row as a line of CSV. An object is its index in `objects`.
pub(crate) fn csv_row(
    leaves: &[Leaf],
    row: &[u8],
    objects: &[ObjectRef<'_>],
    comma: u8,
    out: &mut Vec<u8>,
) {
    let start = out.len();
    for (i, leaf) in leaves.iter().enumerate() {
        if i > 0 {
            out.push(comma);
        }
        leaf.cell.csv(leaf.of(row), objects, comma, out);
    }
    end_line(out, start, comma);
}

/// A row as JSON has it.
pub(crate) enum Tree {
    Scalar(Cell),
    /// The fields: the name with its quotes and a colon, and the bytes.
    Record(Vec<(Vec<u8>, Range<usize>, Tree)>),
    List {
        count: usize,
        size: usize,
        item: Box<Tree>,
    },
}

impl Tree {
    /// Returns the number of values and lists of a row, which have text even if they have no bytes.
    pub(crate) fn items(&self) -> usize {
        match self {
            Tree::Scalar(_) => 1,
            Tree::Record(fields) => {
                fields.iter().fold(1, |count, (.., tree)| count.saturating_add(tree.items()))
            }
            Tree::List { count, item, .. } => item.items().saturating_mul((*count).max(1)),
        }
    }

    /// Writes a row as JSON. An object is its index in `objects`.
    pub(crate) fn json(&self, bytes: &[u8], objects: &[ObjectRef<'_>], out: &mut Vec<u8>) {
        match self {
            Tree::Scalar(cell) => cell.json(bytes, objects, out),
            Tree::Record(fields) => {
                out.push(b'{');
                for (i, (key, range, tree)) in fields.iter().enumerate() {
                    if i > 0 {
                        out.push(b',');
                    }
                    out.extend_from_slice(key);
                    tree.json(bytes.get(range.clone()).unwrap_or_default(), objects, out);
                }
                out.push(b'}');
            }
            Tree::List { count, size, item } => {
                out.push(b'[');
                for i in 0..*count {
                    if i > 0 {
                        out.push(b',');
                    }
                    let bytes = bytes.get(i * size..(i + 1) * size).unwrap_or_default();
                    item.json(bytes, objects, out);
                }
                out.push(b']');
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::quote_mark;

    #[test]
    fn a_line_that_would_be_a_comment_gets_quotes() {
        for (line, expected) in
            [("#1,x,#2", "\"#1\",x,#2"), ("#", "\"#\""), ("x,#", "x,#"), ("", "")]
        {
            let mut out = [b"a\n", line.as_bytes()].concat();
            quote_mark(&mut out, 2, b',');
            assert_eq!(String::from_utf8(out).unwrap(), format!("a\n{expected}"));
        }
    }
}
