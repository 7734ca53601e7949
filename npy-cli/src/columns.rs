//! The columns of rows, named as `DynArray::table` names them: `head.gain`, `samples[0]`, `z.re`; `value` or `[0]`, `[1]`, … of an array without
//! fields. The numbers are those in the file, also after a slice.
//!
//! `Columns::resolve(&dtype, &selection, &names, &target)` resolves `-c`, by what the header says. `columns.leaves(…)` then lists the scalars of a
//! row, each with its offset and its [`Cell`]; `columns.tree()` is the row as JSON has it, with records as objects and sub-arrays as lists.

use std::collections::HashSet;
use std::fmt::{Display, Write};
use std::ops::Range;

use npy_core::dtype::ScalarKind;
use npy_core::{DType, DynArray, Field, Order};

use crate::output::{Failure, Result};
pub(crate) use crate::row_text::{Leaf, Tree};
use crate::source::{Selection, Source, Steps};
use crate::text::{Cell, half_of, json_string};

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

/// The form of an array of columns.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Taken {
    /// One column as it is, or the complete rows.
    One,
    /// The columns of an array without fields are one dimension.
    Items,
    /// Records.
    Fields,
}

/// The treatment of sub-arrays and complex numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Split {
    /// Each number is a column, and so is each part of a complex number.
    All,
    /// Each number is a column.
    Elements,
    /// A field is a column; an array without fields has one for each number.
    Fields,
}

impl Part {
    fn new(name: String, offset: usize, dtype: &DType, dims: &[Steps]) -> Self {
        let (base, inner) = dtype.flat();
        let inner = inner.into_iter().map(Steps::all);
        Part {
            name,
            offset,
            dtype: base.clone(),
            dims: dims.iter().copied().chain(inner).collect(),
        }
    }

    /// Returns the part at a path below this one, such as `hdr.gain`, `samples[0]`, `samples.0` or `value.re`.
    fn find(&self, path: &str) -> Option<Part> {
        let [first, rest @ ..] = &self.dims[..] else {
            let part = self.dtype.part(path)?;
            let dims = part.shape().iter().map(|&length| Steps::all(length)).collect();
            let point = if self.name.is_empty() { "" } else { "." };
            let name = format!("{}{point}{}", self.name, part.path());
            let offset = self.offset + part.offset();
            return Some(Part { name, offset, dtype: part.base().clone(), dims });
        };
        // The numbers are those in the file, which the library does not know after a slice.
        let (index, path) = match path.strip_prefix('[') {
            Some(path) => path.split_once(']')?,
            None => path.split_at(path.find(['.', '[']).unwrap_or(path.len())),
        };
        let is_number = index.bytes().all(|byte| byte.is_ascii_digit())
            && (index == "0" || !index.starts_with('0'));
        let place = first.find(index.parse().ok().filter(|_| is_number)?)?;
        let stride = product(rest) * self.dtype.itemsize();
        let name = format!("{}[{}]", self.name, first.nth(place));
        let part = Part::new(name, self.offset + place * stride, &self.dtype, rest);
        let is_index = |path: &str| path.starts_with('[') && !part.dims.is_empty();
        match path.strip_prefix('.') {
            None if path.is_empty() => Some(part),
            None if is_index(path) => part.find(path),
            Some(path) if !is_index(path) => part.find(path),
            _ => None,
        }
    }

    /// Returns true if each element is a column.
    fn is_split(&self, split: Split, is_field: bool) -> bool {
        split != Split::Fields || self.dtype.is_record() || !is_field
    }

    fn is_complex(&self) -> bool {
        self.dtype.scalar().is_some_and(|scalar| scalar.kind() == ScalarKind::Complex)
    }

    /// Returns the number of scalars of this part. The recursion is as deep as the dtype, whose nesting is limited.
    fn count(&self, split: Split, is_field: bool) -> usize {
        let of_element = match self.dtype.is_record() {
            true => {
                let fields = self.dtype.fields().iter();
                let part = |field: &Field| Part::new(String::new(), 0, field.dtype(), &[]);
                let counts = fields.map(|field| part(field).count(split, true));
                counts.fold(0, usize::saturating_add)
            }
            false => 1 + usize::from(split == Split::All && self.is_complex()),
        };
        match self.is_split(split, is_field) {
            true => product(&self.dims).saturating_mul(of_element),
            false => of_element,
        }
    }

    /// Appends the scalars of this part; stops after `max`.
    fn add_leaves(&self, split: Split, is_field: bool, max: usize, out: &mut Vec<Leaf>) {
        let size = self.dtype.itemsize();
        let count = product(&self.dims);
        if !self.dims.is_empty() && self.is_split(split, is_field) {
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
                    let _ = write!(name, "[{index}]");
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
        if self.is_complex() && split == Split::All {
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
    /// Resolves `-c` for a source that is open already.
    pub(crate) fn of(source: &Source, names: &[String]) -> Result<Self> {
        Columns::resolve(source.dtype(), source.selection(), names, source.name())
    }

    /// Resolves `-c` for elements of this dtype; without it, the columns are the complete row. The file is for messages.
    pub(crate) fn resolve(
        dtype: &DType,
        selection: &Selection,
        names: &[String],
        file: impl Display,
    ) -> Result<Self> {
        let row = Part::new(String::new(), 0, dtype, &selection.row_steps());
        let is_record = row.dtype.is_record();
        if names.is_empty() {
            return Ok(Columns { parts: vec![row], is_selection: false, is_record });
        }
        let mut parts = Vec::new();
        let mut left = names;
        while let Some(path) = left.first() {
            // A name may have commas, at which the argument was divided.
            let mut joined = (1..=left.len()).map(|count| (count, left[..count].join(",")));
            // One may also come after a blank, as in 't, id'.
            let part_of = |name: &str| row.find(name).or_else(|| row.find(name.trim()));
            let found = joined.find_map(|(count, name)| Some((count, part_of(&name)?)));
            let Some((count, part)) = found else {
                let mut leaves = Vec::new();
                row.add_leaves(Split::Fields, false, 12, &mut leaves);
                let mut names: Vec<&str> = leaves.iter().map(|leaf| &*leaf.name).collect();
                let distance =
                    |name: &&str| strsim::osa_distance(&path.to_lowercase(), &name.to_lowercase());
                // One slip in three letters.
                let is_near = |name: &&str| distance(name) <= path.chars().count() / 3;
                let meant = names.iter().copied().min_by_key(distance).filter(is_near);
                let meant = meant.map_or(String::new(), |name| format!("; did you mean {name:?}?"));
                if names.len() == 12 {
                    names[11] = "…";
                }
                let names = names.join(", ");
                let hint = match path.starts_with('[') && !path.contains(']') {
                    true => "; an element is -c [1][0], and a slice follows the file: FILE[:,1]",
                    false => "",
                };
                let known = match &*names {
                    "" => "the elements have none".to_owned(),
                    names => format!("the columns are {names}"),
                };
                let message = format!("there is no column {path:?}; {known}{hint}{meant}");
                return Err(Failure::new(file, message));
            };
            parts.push(part);
            left = &left[count..];
        }
        distinguish(parts.iter_mut().map(|part| &mut part.name));
        Ok(Columns { parts, is_selection: true, is_record })
    }

    /// Returns true if there are Python objects.
    pub(crate) fn has_object(&self) -> bool {
        self.parts.iter().any(|part| part.dtype.has_object())
    }

    /// Returns the number of scalars of a row.
    pub(crate) fn count(&self, split: Split) -> usize {
        let counts = self.parts.iter().map(|part| part.count(split, self.has_fields()));
        counts.fold(0, usize::saturating_add)
    }

    /// Returns the position after the last byte of a row that the columns have.
    pub(crate) fn end(&self) -> usize {
        self.parts.iter().map(|part| part.bytes().end).max().unwrap_or(0)
    }

    /// Returns true if each part is a field.
    fn has_fields(&self) -> bool {
        self.is_selection && self.is_record
    }

    /// Returns all scalars of a row. The error names the array.
    pub(crate) fn all_leaves(&self, split: Split, name: impl Display) -> Result<Vec<Leaf>> {
        /// Only a forged file, or one that is no table, has rows of more columns.
        const MAX: usize = 1 << 20;
        if self.count(split) <= MAX {
            return Ok(self.leaves(split, MAX));
        }
        let message =
            format!("a row has more than {MAX} columns; choose some with a slice like [:,:100]");
        Err(Failure::new(name, message))
    }

    /// Returns the scalars of a row, at most `max`.
    pub(crate) fn leaves(&self, split: Split, max: usize) -> Vec<Leaf> {
        let mut leaves = Vec::new();
        for part in &self.parts {
            part.add_leaves(split, self.has_fields(), max, &mut leaves);
        }
        distinguish(leaves.iter_mut().map(|leaf| &mut leaf.name));
        leaves
    }

    /// Returns the columns with their positions as numbers, which are the same for each slice of the same shape.
    pub(crate) fn by_position(mut self) -> Self {
        for dim in self.parts.iter_mut().flat_map(|part| &mut part.dims) {
            *dim = Steps::all(dim.count);
        }
        self
    }

    /// Returns the row as JSON has it.
    pub(crate) fn tree(&self) -> Tree {
        if let ([part], false) = (&self.parts[..], self.is_selection) {
            return part.tree();
        }
        let parts = self.parts.iter().map(|part| (json_key(&part.name), part.bytes(), part.tree()));
        Tree::Record(parts.collect())
    }

    /// Returns the form of the array that [`take`](Self::take) returns.
    pub(crate) fn taken(&self) -> Taken {
        let dims = |part: &Part| part.dims.iter().map(|dim| dim.count).collect::<Vec<_>>();
        match &self.parts[..] {
            [_] => Taken::One,
            [first, rest @ ..]
                if !self.is_record && rest.iter().all(|part| dims(part) == dims(first)) =>
            {
                Taken::Items
            }
            _ => Taken::Fields,
        }
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
        match (self.taken(), &self.parts[..]) {
            (Taken::One, [part, ..]) => taken(part),
            (Taken::Items, [first, ..]) => {
                let bytes: Vec<Range<usize>> = self.parts.iter().map(Part::bytes).collect();
                let shape = [vec![rows, self.parts.len()], dims(first)].concat();
                DynArray::new(first.dtype.clone(), shape, Order::C, gathered(block, &bytes))
            }
            (_, parts) => {
                let columns = parts.iter().map(|part| Ok((&part.name, taken(part)?)));
                DynArray::from_columns(columns.collect::<npy_core::Result<Vec<_>>>()?)
            }
        }
    }
}

/// Gives a name that is there again a number: `a.b` may be a field, and the field `b` of `a`.
fn distinguish<'a>(names: impl Iterator<Item = &'a mut String>) {
    let mut known = HashSet::new();
    for name in names {
        let plain = name.len();
        for number in 2.. {
            if known.insert(name.clone()) {
                break;
            }
            name.truncate(plain);
            let _ = write!(name, " ({number})");
        }
    }
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
