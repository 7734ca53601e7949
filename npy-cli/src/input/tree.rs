//! The columns of text as fields of records, and which of them are the items of lists or the parts of complex numbers.

use std::collections::HashMap;

use npy_core::DType;
use npy_core::dtype::{Scalar, ScalarKind};

use super::Records;
use super::column::Column;
use crate::output::{Failure, Result};

/// The dtype of elements, and the dimensions of an array of them.
type Shaped = (DType, Vec<usize>);

/// The columns as fields of records, in the order of their first appearance.
#[derive(Default)]
pub(super) struct Tree {
    fields: Vec<(String, Node)>,
    /// The position of each field.
    known: HashMap<String, usize>,
    /// True for an object of JSON or a dict, which is no list, whatever its keys are.
    is_record: bool,
}

enum Node {
    Column(usize),
    /// The parts of a complex number.
    Complex([usize; 2]),
    Record(Tree),
}

impl Tree {
    pub(super) fn of(columns: &[Column], records: &Records, name: &str) -> Result<Tree> {
        let mut tree = Tree::default();
        for (i, column) in columns.iter().enumerate() {
            if !tree.insert(&column.path, i) {
                let path = column.path.join(".");
                let message =
                    format!("the column {path:?} is there twice, or both a value and an object");
                return Err(Failure::new(name, message));
            }
        }
        for path in records.keys() {
            tree.mark_record(path);
        }
        Ok(tree)
    }

    fn mark_record(&mut self, path: &[String]) {
        let Some((first, rest)) = path.split_first() else {
            self.is_record = true;
            return;
        };
        if let Some(Node::Record(inner)) = self.node(first) {
            inner.mark_record(rest);
        }
    }

    fn node(&mut self, name: &str) -> Option<&mut Node> {
        let at = *self.known.get(name)?;
        self.fields.get_mut(at).map(|(_, node)| node)
    }

    fn push(&mut self, name: &str, node: Node) {
        self.known.insert(name.to_owned(), self.fields.len());
        self.fields.push((name.to_owned(), node));
    }

    /// Adds a column. Returns false if its name is taken.
    fn insert(&mut self, path: &[String], column: usize) -> bool {
        let Some((first, rest)) = path.split_first() else { return false };
        match (self.node(first), rest) {
            (None, []) => self.push(first, Node::Column(column)),
            (None, rest) => {
                let mut inner = Tree::default();
                inner.insert(rest, column);
                self.push(first, Node::Record(inner));
            }
            (Some(Node::Record(inner)), [_, ..]) => return inner.insert(rest, column),
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

    /// Returns the columns of a complex number, if the fields can be its parts: `re` and `im` in any order, or in JSON a list of two.
    pub(super) fn parts(&self, is_json: bool) -> Option<[usize; 2]> {
        let [(one, Node::Column(first)), (other, Node::Column(second))] = &self.fields[..] else {
            return None;
        };
        match (&**one, &**other) {
            ("re", "im") => Some([*first, *second]),
            ("im", "re") => Some([*second, *first]),
            ("0", "1") if is_json => Some([*first, *second]),
            _ => None,
        }
    }

    /// Returns the dtype of the record. `dtypes` are those of the columns.
    pub(super) fn record(&self, dtypes: &[DType]) -> npy_core::Result<DType> {
        let field = |(name, node): &(String, Node)| {
            let (dtype, shape) = node.dtype(dtypes)?;
            Ok((name.clone(), dtype.array(shape)?))
        };
        DType::record(self.fields.iter().map(field).collect::<npy_core::Result<Vec<_>>>()?)
    }

    /// Returns the dtype of each field, without the dimensions of a sub-array, and these.
    fn each(&self, dtypes: &[DType]) -> npy_core::Result<Vec<Shaped>> {
        self.fields.iter().map(|(_, node)| node.dtype(dtypes)).collect()
    }

    /// Returns the dtype of the items and the shape, if the fields are those of a sub-array: `0`, `1` and so on, of one dtype.
    fn list(&self, dtypes: &[DType]) -> npy_core::Result<Option<Shaped>> {
        let is_index = |(i, (name, _)): (usize, &(String, Node))| *name == i.to_string();
        if self.is_record || !self.fields.iter().enumerate().all(is_index) {
            return Ok(None);
        }
        let each = self.each(dtypes)?;
        Ok(match &each[..] {
            [(dtype, inner), rest @ ..] if rest.iter().all(|other| *other == each[0]) => {
                Some((dtype.clone(), [&[each.len()], &inner[..]].concat()))
            }
            _ => None,
        })
    }

    /// Returns the dtype and the shape of a row, if the array is no array of records: a list, or the only column `value`. If `is_forced`, also if all columns
    /// have one dtype, whatever their names.
    pub(super) fn plain(
        &self,
        dtypes: &[DType],
        is_forced: bool,
    ) -> npy_core::Result<Option<Shaped>> {
        if let Some(list) = self.list(dtypes)? {
            return Ok(Some(list));
        }
        let each = self.each(dtypes)?;
        Ok(match (&self.fields[..], &each[..]) {
            ([(name, _)], [only]) if name == "value" && !self.is_record || is_forced => {
                Some(only.clone())
            }
            (_, [(dtype, inner), rest @ ..])
                if is_forced && inner.is_empty() && rest.iter().all(|other| *other == each[0]) =>
            {
                Some((dtype.clone(), vec![each.len()]))
            }
            _ => None,
        })
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
    /// Returns the dtype, and its shape if it is a sub-array.
    fn dtype(&self, dtypes: &[DType]) -> npy_core::Result<Shaped> {
        match self {
            Node::Column(at) => Ok((dtypes[*at].clone(), Vec::new())),
            Node::Complex([re, _]) => Ok((complex(&dtypes[*re])?, Vec::new())),
            Node::Record(inner) => match inner.list(dtypes)? {
                Some(list) => Ok(list),
                None => Ok((inner.record(dtypes)?, Vec::new())),
            },
        }
    }
}

/// Returns the dtype of a complex number whose parts have this dtype.
pub(super) fn complex(part: &DType) -> npy_core::Result<DType> {
    Scalar::new(ScalarKind::Complex, 2 * part.itemsize()).map(DType::from)
}
