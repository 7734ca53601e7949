//! Text that becomes an array: CSV and lines of JSON.
//!
//! `read(stream, form, name, dtype)` returns an array of records, one field for each column. The dtypes of the columns follow from their
//! values (`column.rs`), or from `dtype`. All of the text is in memory, because the last row may decide the dtype of a column.
//!
//! | text | dtype |
//! |---|---|
//! | `True`, `true` | `\|b1` |
//! | integers | `<i8`, or `<u8` if they do not fit |
//! | numbers, `inf`, `nan`; integers of which some are missing | `<f8` |
//! | ISO times | `<M8[D]`, `[s]`, `[ms]`, `[us]` or `[ns]`, by the most digits of a second |
//! | anything else, also `007` and `+5` | `<U` of the longest |
//!
//! An empty field of CSV and `null` are missing: `nan`, `NaT`, or the empty text.

mod column;
mod csv;
mod json;

use std::io::Read;
use std::path::Path;

use npy_core::{DType, DynArray, Header, Order};

use self::column::{Column, Kind};
use crate::output::{Failure, Of, Result};

/// The form of a text file.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Form {
    Csv,
    JsonLines,
}

impl Form {
    /// Returns the form that the name of a file says.
    pub(crate) fn of(path: &Path) -> Option<Self> {
        match path.extension()?.to_str()?.to_ascii_lowercase().as_str() {
            "csv" => Some(Form::Csv),
            "jsonl" | "ndjson" => Some(Form::JsonLines),
            _ => None,
        }
    }
}

/// Reads an array of records. `name` is that of the file, for messages. `dtype` says how to read the columns whose names it has.
pub(crate) fn read(
    stream: impl Read,
    form: Form,
    name: &str,
    dtype: Option<&DType>,
) -> Result<DynArray> {
    let (rows, mut columns) = match form {
        Form::Csv => csv::columns(stream, name)?,
        Form::JsonLines => json::columns(stream, name)?,
    };
    if columns.is_empty() {
        return Err(Failure::new(name, "has no columns"));
    }
    let mut names = Vec::new();
    for (i, column) in columns.iter_mut().enumerate() {
        let wanted = dtype.and_then(|dtype| match dtype.fields() {
            [] => Some(dtype),
            _ => leaf(dtype, &column.path),
        });
        column.kind = match wanted.and_then(Kind::of) {
            Some(kind) => kind,
            None => column.guess(),
        };
        names.push((column.path.clone(), i));
    }
    let tree = Tree::of(&columns, name)?;
    let descr = tree.descr(&columns);
    let dtype: DType = descr.parse::<DType>().of(&name)?;
    // Fields of a nested record come together, so the order of the columns may change.
    let order = tree.order();
    let size = dtype.itemsize();
    let total = rows.saturating_mul(size);
    let mut bytes = Vec::new();
    if bytes.try_reserve_exact(total).is_err() {
        let message = format!(
            "the array would have {total} bytes, more than the memory: one long text makes all rows wide"
        );
        return Err(Failure::new(name, message));
    }
    bytes.resize(total, 0);
    let mut offset = 0;
    for at in order {
        let column = &columns[at];
        let width = column.itemsize();
        for (row, item) in bytes.chunks_exact_mut(size.max(1)).enumerate() {
            let Some(slot) = item.get_mut(offset..offset + width) else { continue };
            column.encode(row, slot).map_err(|message| {
                let field = column.path.join(".");
                Failure::new(name, format!("row {row}, field {field}: {message}"))
            })?;
        }
        offset += width;
    }
    let header = Header::new(dtype, [rows], Order::C).of(&name)?;
    DynArray::new(header.dtype().clone(), [rows], Order::C, bytes).of(&name)
}

/// Returns the dtype at a path of names.
fn leaf<'d>(dtype: &'d DType, path: &[String]) -> Option<&'d DType> {
    path.iter().try_fold(dtype, |dtype, name| dtype.field(name).map(|field| field.dtype()))
}

/// The columns as fields of records, in the order of their first appearance.
#[derive(Default)]
struct Tree {
    fields: Vec<(String, Node)>,
}

enum Node {
    Column(usize),
    Record(Tree),
}

impl Tree {
    fn of(columns: &[Column], name: &str) -> Result<Tree> {
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

    /// Returns the descr literal of the record.
    fn descr(&self, columns: &[Column]) -> String {
        let fields = self.fields.iter().map(|(name, node)| {
            let dtype = match node {
                Node::Column(at) => format!("'{}'", columns[*at].dtype()),
                Node::Record(inner) => inner.descr(columns),
            };
            format!("({}, {dtype})", python_name(name))
        });
        format!("[{}]", fields.collect::<Vec<_>>().join(", "))
    }

    /// Returns the columns in the order of the fields.
    fn order(&self) -> Vec<usize> {
        let each = self.fields.iter().flat_map(|(_, node)| match node {
            Node::Column(at) => vec![*at],
            Node::Record(inner) => inner.order(),
        });
        each.collect()
    }
}

/// Returns a name as a literal of Python.
fn python_name(name: &str) -> String {
    let mut out = Vec::new();
    crate::text::json_string(name, &mut out);
    String::from_utf8(out).unwrap_or_default()
}
