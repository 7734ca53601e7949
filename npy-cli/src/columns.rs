//! The columns of rows, named as `DynArray::table` names them: `head.gain`, `samples.0`, `z.re`; `value` or `0`, `1`, … of an array without
//! fields. The numbers are those in the file, also after a slice.
//!
//! `Columns::of(&source, &selection)` resolves `-c`. `columns.leaves(…)` then lists the scalars of a row, each with its offset and its
//! [`Cell`]; `columns.tree()` is the row as JSON has it, with records as objects and sub-arrays as lists.

use std::fmt::Write;
use std::ops::Range;

use npy_core::dtype::ScalarKind;
use npy_core::{DType, DynArray, ObjectRef, Order};

use crate::output::{Failure, Result};
use crate::source::{Source, Steps};
use crate::text::{Cell, csv_field, half_of, json_string};

/// Parts of a row: all of it, or what `-c` selects.
pub(crate) struct Columns {
    parts: Vec<Part>,
    /// True if `-c` named the parts.
    is_selection: bool,
    /// True if the rows are records, so that what `-c` names are fields.
    is_record: bool,
}

/// A part of a row: one element, or an array of elements.
#[derive(Clone, Debug)]
struct Part {
    name: String,
    offset: usize,
    /// Not a sub-array.
    dtype: DType,
    dims: Vec<Steps>,
}

/// A scalar of each row.
#[derive(Clone, Debug)]
pub(crate) struct Leaf {
    pub(crate) name: String,
    pub(crate) offset: usize,
    pub(crate) cell: Cell,
    /// The number of scalars; 1 unless sub-arrays are one column each.
    pub(crate) count: usize,
}

/// What becomes of sub-arrays and complex numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Split {
    /// Each number is a column.
    All,
    /// A field is a column; an array without fields has one for each number.
    Fields,
}

impl Leaf {
    /// Returns the bytes of the scalar in a row. Missing bytes are left out.
    pub(crate) fn of<'a>(&self, row: &'a [u8]) -> &'a [u8] {
        row.get(self.offset..self.offset + self.cell.size() * self.count).unwrap_or_default()
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

impl Part {
    fn new(name: String, offset: usize, dtype: &DType, dims: &[Steps]) -> Self {
        let mut part = Part { name, offset, dtype: dtype.clone(), dims: dims.to_vec() };
        while let Some((base, shape)) = part.dtype.sub_array() {
            part.dims.extend(shape.iter().map(|&length| Steps::all(length)));
            part.dtype = base.clone();
        }
        part
    }

    /// Returns the part at a path below this one, such as `hdr.gain` or `samples.0`. Field names may have dots.
    fn find(&self, path: &str) -> Option<Part> {
        if let [first, rest @ ..] = &self.dims[..] {
            let (index, path) = match path.split_once('.') {
                Some((index, path)) => (index, Some(path)),
                None => (path, None),
            };
            let place = first.find(index.parse().ok()?)?;
            let stride = product(rest) * self.dtype.itemsize();
            let part =
                Part::new(self.name.clone(), self.offset + place * stride, &self.dtype, rest);
            return match path {
                Some(path) => part.find(path),
                None => Some(part),
            };
        }
        for field in self.dtype.fields() {
            let Some(rest) = path.strip_prefix(field.name()) else { continue };
            let part =
                Part::new(self.name.clone(), self.offset + field.offset(), field.dtype(), &[]);
            if rest.is_empty() {
                return Some(part);
            }
            if let Some(found) = rest.strip_prefix('.').and_then(|rest| part.find(rest)) {
                return Some(found);
            }
        }
        None
    }

    /// Appends the scalars of this part; stops after `max`.
    fn add_leaves(&self, split: Split, is_field: bool, max: usize, out: &mut Vec<Leaf>) {
        let size = self.dtype.itemsize();
        let count = product(&self.dims);
        let is_split = split == Split::All || self.dtype.is_record() || !is_field;
        if !self.dims.is_empty() && is_split {
            let mut index = vec![0; self.dims.len()];
            let before = out.len();
            for i in 0..count {
                // Items without fields have no scalars, however many they are.
                if out.len() >= max || (i > 0 && out.len() == before) {
                    return;
                }
                let mut rest = i;
                for (index, dim) in index.iter_mut().zip(&self.dims).rev() {
                    *index = dim.nth(rest % dim.count);
                    rest /= dim.count;
                }
                let mut name = self.name.clone();
                for index in &index {
                    let point = if name.is_empty() { "" } else { "." };
                    let _ = write!(name, "{point}{index}");
                }
                Part::new(name, self.offset + i * size, &self.dtype, &[])
                    .add_leaves(split, is_field, max, out);
            }
            return;
        }
        if self.dtype.is_record() {
            for field in self.dtype.fields() {
                if out.len() >= max {
                    return;
                }
                let name = joined(&self.name, field.name());
                Part::new(name, self.offset + field.offset(), field.dtype(), &[])
                    .add_leaves(split, true, max, out);
            }
            return;
        }
        let name = if self.name.is_empty() { "value" } else { &self.name };
        let kind = self.dtype.scalar().map(|scalar| scalar.kind());
        if kind == Some(ScalarKind::Complex) && split == Split::All {
            let cell = Cell::new(&half_of(&self.dtype));
            for (part, offset) in [("re", self.offset), ("im", self.offset + size / 2)] {
                out.push(Leaf { name: joined(name, part), offset, cell: cell.clone(), count: 1 });
            }
            return;
        }
        let (offset, cell) = (self.offset, Cell::new(&self.dtype));
        out.push(Leaf { name: name.to_owned(), offset, cell, count });
    }

    /// Returns where the part is in a row.
    fn bytes(&self) -> Range<usize> {
        let size = product(&self.dims).saturating_mul(self.dtype.itemsize());
        self.offset..self.offset.saturating_add(size)
    }

    fn tree(&self) -> Tree {
        let mut tree = match self.dtype.is_record() {
            true => Tree::Record(
                self.dtype
                    .fields()
                    .iter()
                    .map(|field| {
                        let part = Part::new(String::new(), 0, field.dtype(), &[]);
                        let offset = field.offset()..field.offset() + field.dtype().itemsize();
                        (json_key(field.name()), offset, part.tree())
                    })
                    .collect(),
            ),
            false => Tree::Scalar(Cell::new(&self.dtype)),
        };
        let mut size = self.dtype.itemsize();
        for &Steps { count, .. } in self.dims.iter().rev() {
            tree = Tree::List { count, size, item: Box::new(tree) };
            // Rows that do not exist may be larger than any memory.
            size = size.saturating_mul(count);
        }
        tree
    }
}

/// Returns the number of elements of an array. Rows that do not exist may be larger than any memory.
fn product(dims: &[Steps]) -> usize {
    dims.iter().fold(1, |count: usize, dim| count.saturating_mul(dim.count))
}

fn joined(outer: &str, inner: &str) -> String {
    if outer.is_empty() { inner.to_owned() } else { format!("{outer}.{inner}") }
}

impl Columns {
    /// Resolves `-c`; without it, the columns are the complete row.
    pub(crate) fn of(source: &Source, selection: &[String]) -> Result<Self> {
        Columns::of_dtype(source.dtype(), source, selection)
    }

    /// Resolves `-c` for elements of this dtype, which may have objects where the source has their indices.
    pub(crate) fn of_dtype(dtype: &DType, source: &Source, selection: &[String]) -> Result<Self> {
        let row = Part::new(String::new(), 0, dtype, &source.row_steps());
        let is_record = row.dtype.is_record();
        if selection.is_empty() {
            return Ok(Columns { parts: vec![row], is_selection: false, is_record });
        }
        let mut parts = Vec::new();
        for path in selection {
            let found = row.find(path);
            let is_value = path == "value" && row.dims.is_empty() && !row.dtype.is_record();
            let found = found.or_else(|| is_value.then(|| row.clone()));
            let Some(part) = found else {
                let mut leaves = Vec::new();
                row.add_leaves(Split::Fields, false, 12, &mut leaves);
                let mut names: Vec<&str> = leaves.iter().map(|leaf| &*leaf.name).collect();
                if names.len() == 12 {
                    names[11] = "…";
                }
                let names = names.join(", ");
                let message = format!("there is no column {path:?}; the columns are {names}");
                return Err(Failure::new(source.name(), message));
            };
            parts.push(Part { name: path.clone(), ..part });
        }
        Ok(Columns { parts, is_selection: true, is_record })
    }

    /// Returns true if there are Python objects.
    pub(crate) fn has_object(&self) -> bool {
        self.parts.iter().any(|part| part.dtype.has_object())
    }

    /// Returns all scalars of a row. The error names the array.
    pub(crate) fn all_leaves(&self, split: Split, name: &str) -> Result<Vec<Leaf>> {
        /// Only a forged file, or one that is no table, has rows of more columns.
        const MAX: usize = 1 << 20;
        let leaves = self.leaves(split, MAX + 1);
        if leaves.len() <= MAX {
            return Ok(leaves);
        }
        let message =
            format!("a row has more than {MAX} columns; choose some with a slice like [:,:100]");
        Err(Failure::new(name, message))
    }

    /// Returns the scalars of a row, at most `max`.
    pub(crate) fn leaves(&self, split: Split, max: usize) -> Vec<Leaf> {
        let mut leaves = Vec::new();
        for part in &self.parts {
            let is_field = self.is_selection && self.is_record;
            part.add_leaves(split, is_field, max, &mut leaves);
        }
        leaves
    }

    /// Returns the row as JSON has it.
    pub(crate) fn tree(&self) -> Tree {
        if let ([part], false) = (&self.parts[..], self.is_selection) {
            return part.tree();
        }
        let parts = self.parts.iter().map(|part| (json_key(&part.name), part.bytes(), part.tree()));
        Tree::Record(parts.collect())
    }

    /// Returns the columns of some rows as an array: one column as it is, those of an array without fields as one dimension, and others as the
    /// fields of records.
    pub(crate) fn take(&self, block: &DynArray) -> npy_core::Result<DynArray> {
        let rows = block.shape().first().copied().unwrap_or(1);
        let dims = |part: &Part| part.dims.iter().map(|dim| dim.count).collect::<Vec<_>>();
        let taken = |part: &Part| {
            let shape = [vec![rows], dims(part)].concat();
            DynArray::new(part.dtype.clone(), shape, Order::C, gathered(block, &[part.bytes()]))
        };
        match &self.parts[..] {
            [part] => taken(part),
            [first, rest @ ..]
                if !self.is_record && rest.iter().all(|part| dims(part) == dims(first)) =>
            {
                let bytes: Vec<Range<usize>> = self.parts.iter().map(Part::bytes).collect();
                let shape = [vec![rows, self.parts.len()], dims(first)].concat();
                DynArray::new(first.dtype.clone(), shape, Order::C, gathered(block, &bytes))
            }
            parts => {
                let columns = parts.iter().map(|part| Ok((&part.name, taken(part)?)));
                DynArray::from_columns(columns.collect::<npy_core::Result<Vec<_>>>()?)
            }
        }
    }
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

/// Returns the bytes of parts of each row.
fn gathered(block: &DynArray, parts: &[Range<usize>]) -> Vec<u8> {
    let rows = block.shape().first().copied().unwrap_or(1).max(1);
    let size = (block.as_bytes().len() / rows).max(1);
    let mut bytes = Vec::new();
    for row in block.as_bytes().chunks_exact(size) {
        parts.iter().for_each(|part| bytes.extend_from_slice(&row[part.clone()]));
    }
    bytes
}

fn json_key(name: &str) -> Vec<u8> {
    let mut key = Vec::new();
    json_string(name, &mut key);
    key.push(b':');
    key
}

impl Tree {
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

/// Writes a line of CSV with names. `comma` is between two fields.
pub(crate) fn csv_header(leaves: &[Leaf], comma: u8, out: &mut Vec<u8>) {
    for (i, leaf) in leaves.iter().enumerate() {
        if i > 0 {
            out.push(comma);
        }
        csv_field(&leaf.name, comma, out);
    }
    out.push(b'\n');
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
    if out.len() == start {
        // An empty line would not be a row.
        out.extend_from_slice(b"\"\"");
    }
    out.push(b'\n');
}
