//! The columns of text as fields of records, and which of them are the items of lists or the parts of complex numbers.

use super::column::Column;
use crate::dtypes::quoted;
use crate::output::{Failure, Result};

/// The columns as fields of records, in the order of their first appearance.
#[derive(Default)]
pub(super) struct Tree {
    fields: Vec<(String, Node)>,
}

enum Node {
    Column(usize),
    /// The parts of a complex number.
    Complex([usize; 2]),
    Record(Tree),
}

impl Tree {
    pub(super) fn of(columns: &[Column], name: &str) -> Result<Tree> {
        let mut tree = Tree::default();
        for (i, column) in columns.iter().enumerate() {
            if !tree.insert(&column.path, i) {
                let path = column.path.join(".");
                let message =
                    format!("the column {path:?} is there twice, or both a value and an object");
                return Err(Failure::new(name, message));
            }
        }
        Ok(tree)
    }

    /// Adds a column. Returns false if its name is taken.
    fn insert(&mut self, path: &[String], column: usize) -> bool {
        let Some((first, rest)) = path.split_first() else { return false };
        let known = self.fields.iter_mut().find(|(name, _)| name == first);
        match (known, rest) {
            (None, []) => self.fields.push((first.clone(), Node::Column(column))),
            (None, rest) => {
                let mut inner = Tree::default();
                inner.insert(rest, column);
                self.fields.push((first.clone(), Node::Record(inner)));
            }
            (Some((_, Node::Record(inner))), [_, ..]) => return inner.insert(rest, column),
            _ => return false,
        }
        true
    }

    /// Joins the parts of complex numbers. `is_complex` says which paths are complex numbers.
    pub(super) fn join(&mut self, is_json: bool, is_complex: &dyn Fn(&[String]) -> bool) {
        fn join(
            tree: &mut Tree,
            path: &mut Vec<String>,
            is_json: bool,
            is_complex: &dyn Fn(&[String]) -> bool,
        ) {
            for (name, node) in &mut tree.fields {
                path.push(name.clone());
                if let Node::Record(inner) = node {
                    match inner.parts(is_json) {
                        Some(parts) if is_complex(path) => *node = Node::Complex(parts),
                        _ => join(inner, path, is_json, is_complex),
                    }
                }
                path.pop();
            }
        }
        join(self, &mut Vec::new(), is_json, is_complex);
    }

    /// Returns the columns of a complex number, if the fields can be its parts: `re` and `im`, or in JSON a list of two.
    pub(super) fn parts(&self, is_json: bool) -> Option<[usize; 2]> {
        let [(re, Node::Column(first)), (im, Node::Column(second))] = &self.fields[..] else {
            return None;
        };
        match (&**re, &**im) {
            ("re", "im") => Some([*first, *second]),
            ("0", "1") if is_json => Some([*first, *second]),
            _ => None,
        }
    }

    /// Returns the descr literal of the record.
    pub(super) fn descr(&self, columns: &[Column]) -> String {
        let fields = self.fields.iter().map(|(name, node)| {
            let name = quoted(name);
            match node.dtype(columns) {
                (dtype, shape) if shape.is_empty() => format!("({name}, {dtype})"),
                (dtype, shape) => {
                    let lengths: String =
                        shape.iter().map(|length| format!("{length}, ")).collect();
                    format!("({name}, {dtype}, ({lengths}))")
                }
            }
        });
        format!("[{}]", fields.collect::<Vec<_>>().join(", "))
    }

    /// Returns the dtype of the items and the shape, if the fields are those of a sub-array: `0`, `1` and so on, of one dtype.
    fn list(&self, columns: &[Column]) -> Option<(String, Vec<usize>)> {
        let is_index = |(i, (name, _)): (usize, &(String, Node))| *name == i.to_string();
        if !self.fields.iter().enumerate().all(is_index) {
            return None;
        }
        let mut dtypes = self.fields.iter().map(|(_, node)| node.dtype(columns));
        let (dtype, inner) = dtypes.next()?;
        let same = dtypes.all(|(other, shape)| other == dtype && shape == inner);
        same.then(|| (dtype, std::iter::once(self.fields.len()).chain(inner).collect()))
    }

    /// Returns the dtype and the shape of a row, if the array is no array of records: a list, or the only column `value`. If `is_forced`, also if all columns
    /// have one dtype, whatever their names.
    pub(super) fn plain(
        &self,
        columns: &[Column],
        is_forced: bool,
    ) -> Option<(String, Vec<usize>)> {
        if let Some(list) = self.list(columns) {
            return Some(list);
        }
        let dtypes: Vec<_> = self.fields.iter().map(|(_, node)| node.dtype(columns)).collect();
        match &self.fields[..] {
            [(name, _)] if name == "value" || is_forced => dtypes.into_iter().next(),
            _ => {
                let (first, inner) = dtypes.first()?.clone();
                let same = is_forced
                    && inner.is_empty()
                    && dtypes.iter().all(|other| other.0 == first && other.1.is_empty());
                same.then(|| (first, vec![dtypes.len()]))
            }
        }
    }

    /// Returns the columns in the order of the fields.
    pub(super) fn order(&self) -> Vec<usize> {
        let each = self.fields.iter().flat_map(|(_, node)| match node {
            Node::Column(at) => vec![*at],
            Node::Complex(parts) => parts.to_vec(),
            Node::Record(inner) => inner.order(),
        });
        each.collect()
    }
}

impl Node {
    /// Returns the dtype as a literal, and its shape if it is a sub-array.
    fn dtype(&self, columns: &[Column]) -> (String, Vec<usize>) {
        match self {
            Node::Column(at) => (format!("'{}'", columns[*at].dtype()), Vec::new()),
            Node::Complex([re, _]) => (complex(&columns[*re]), Vec::new()),
            Node::Record(inner) => {
                inner.list(columns).unwrap_or_else(|| (inner.descr(columns), Vec::new()))
            }
        }
    }
}

/// Returns the dtype of a complex number, of which this is a part.
pub(super) fn complex(part: &Column) -> String {
    format!("'<c{}'", 2 * part.itemsize())
}
