//! Text that becomes an array: CSV and JSON, in lines or as a list.
//!
//! `read(stream, form, name, dtype)` returns an array of records, one field for each column. The dtypes of the columns follow from their
//! values (`column.rs`), or from `dtype`. All of the text is in memory, because the last row may decide the dtype of a column.
//!
//! Text that the command has written becomes the same array again: the columns `x.0`, `x.1` (in JSON a list) are a field with a sub-array; `0`, `1`
//! are an array of two dimensions, and the only column `value` one of one dimension. With a `dtype`, `x.re` and `x.im` (in JSON a list of two) are a complex number,
//! and `90 seconds` is a span of time.
//!
//! | text | dtype |
//! |---|---|
//! | `True`, `true`, `TRUE` | `\|b1` |
//! | integers | `<i8`, or `<u8` if they do not fit |
//! | numbers, `inf`, `nan`; integers beside them or beside missing values, if no `<f8` changes them | `<f8` |
//! | ISO times | `<M8[D]`, `[h]`, `[m]`, `[s]`, `[ms]`, `[us]` or `[ns]`, by the most digits |
//! | anything else, also `007` and `+5` | `<U` of the longest |
//!
//! An empty field of CSV and `null` are missing: `nan`, `NaT`, or the empty text.
//!
//! With a dtype of times, an offset from UTC (`Z`, `+02:00`) is applied, as NumPy does. Integers are counts of the unit; but in text, four digits are a year, if all
//! values are times or have four digits, and dates without hyphens (`20240131`) are refused.

mod column;
mod csv;
mod json;
mod lists;
mod numbers;
mod times;

use std::io::{Cursor, Read};
use std::path::Path;

use npy_core::dtype::{Field, ScalarKind};
use npy_core::{Cast, DType, DynArray, Order};

use self::column::Column;
pub(crate) use self::csv::{Dialect, FirstLine};
use crate::dtypes::quoted;
use crate::output::{Failure, Of, Result};

/// The form of a text file.
#[derive(Clone, Debug)]
pub(crate) enum Form {
    Csv(Dialect),
    JsonLines,
    /// A list of rows.
    Json,
}

impl Form {
    /// Returns the form that the name of a file says.
    pub(crate) fn of(path: &Path) -> Option<Self> {
        match path.extension()?.to_str()?.to_ascii_lowercase().as_str() {
            "csv" => Some(Form::Csv(Dialect::default())),
            "tsv" => Some(Form::Csv(Dialect { delimiter: Some(b'\t'), ..Dialect::default() })),
            "jsonl" | "ndjson" => Some(Form::JsonLines),
            "json" => Some(Form::Json),
            _ => None,
        }
    }
}

/// What the columns will be converted to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wanted<'a> {
    pub(crate) dtype: &'a DType,
    pub(crate) cast: Cast,
}

/// Reads an array of records. `name` is that of the file, for messages. `wanted` says how to read the columns whose names it has.
pub(crate) fn read(
    stream: impl Read,
    form: &Form,
    name: &str,
    wanted: Option<Wanted<'_>>,
) -> Result<DynArray> {
    let dtype = wanted.map(|wanted| wanted.dtype);
    let stream = utf8(stream, name)?;
    let (rows, mut columns) = match form {
        Form::Csv(dialect) => {
            let known = dtype.map_or(&[][..], DType::fields);
            let known: Vec<&str> = known.iter().map(Field::name).collect();
            csv::columns(stream, name, dialect, &known)?
        }
        Form::JsonLines => json::columns(json::lines(stream), name)?,
        Form::Json => json::columns(json::list(stream), name)?,
    };
    if columns.is_empty() {
        if let Some(dtype) = dtype.filter(|_| rows == 0) {
            return DynArray::new(dtype.clone(), [0], Order::C, Vec::new()).of(&name);
        }
        return Err(Failure::new(name, "has no columns"));
    }
    let is_record = dtype.is_some_and(DType::is_record);
    match dtype.filter(|_| is_record) {
        Some(dtype) => columns.iter_mut().for_each(|column| column.split_like(dtype)),
        None => {
            if dtype.is_some_and(is_complex) {
                columns.iter_mut().for_each(Column::split_parts);
            }
            lists::split(&mut columns);
        }
    }
    for column in &mut columns {
        column.read_as(wanted.and_then(|Wanted { dtype, cast }| {
            let dtype = match is_record {
                true => leaf(dtype, &column.path).or_else(|| complex_of(dtype, &column.path)),
                false => Some(dtype),
            };
            dtype.map(|dtype| Wanted { dtype, cast })
        }));
    }
    lists::unify(&mut columns);
    let mut tree = Tree::of(&columns, name)?;
    let is_json = !matches!(form, Form::Csv(_));
    if let Some(dtype) = dtype {
        tree.join(is_json, &|path| match is_record {
            true => leaf(dtype, path).is_some_and(is_complex),
            false => is_complex(dtype),
        });
    }
    let is_number = dtype.is_some_and(is_complex) && tree.parts(is_json).is_some();
    let plain = match is_record {
        true => None,
        false if is_number => Some((complex(&columns[0]), Vec::new())),
        false => tree.plain(&columns, dtype.is_some()),
    };
    let is_plain = plain.is_some();
    let (descr, inner) = plain.unwrap_or_else(|| (tree.descr(&columns), Vec::new()));
    let element: DType = descr.parse::<DType>().of(&name)?;
    let shape: Vec<usize> = std::iter::once(rows).chain(inner).collect();
    // Fields of a nested record come together, so the order of the columns may change.
    let order = tree.order();
    let size: usize = match is_plain {
        true => columns.iter().map(Column::itemsize).sum(),
        false => element.itemsize(),
    };
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
    DynArray::new(element, shape, Order::C, bytes).of(&name)
}

/// Returns the text without a byte order mark. UTF-16, which Excel and PowerShell can write, is refused.
fn utf8<R: Read>(mut stream: R, name: &str) -> Result<impl Read + use<R>> {
    let mut start = Vec::new();
    stream.by_ref().take(3).read_to_end(&mut start).of(&name)?;
    match &start[..] {
        [0xef, 0xbb, 0xbf] => start.clear(),
        [0xff, 0xfe, ..] | [0xfe, 0xff, ..] => {
            let message = "the text is UTF-16; iconv -f UTF-16 -t UTF-8 converts it";
            return Err(Failure::new(name, message));
        }
        _ => {}
    }
    Ok(Cursor::new(start).chain(stream))
}

/// Returns the dtype at a path of names, and of indices in sub-arrays.
fn leaf<'d>(dtype: &'d DType, path: &[String]) -> Option<&'d DType> {
    let Some((first, rest)) = path.split_first() else { return Some(dtype) };
    if let Some((base, shape)) = dtype.sub_array() {
        let (indices, rest) = path.split_at_checked(shape.len())?;
        let exists = |(index, &length): (&String, &usize)| {
            index.parse::<usize>().is_ok_and(|index| index < length)
        };
        return indices.iter().zip(shape).all(exists).then(|| leaf(base, rest))?;
    }
    leaf(dtype.field(first)?.dtype(), rest)
}

/// Returns the dtype of a complex number, of which this is a part.
fn complex(part: &Column) -> String {
    format!("'<c{}'", 2 * part.itemsize())
}

fn is_complex(dtype: &DType) -> bool {
    dtype.scalar().is_some_and(|scalar| scalar.kind() == ScalarKind::Complex)
}

/// Returns the dtype of a complex number of which this is a part.
fn complex_of<'d>(dtype: &'d DType, path: &[String]) -> Option<&'d DType> {
    let (part, path) = path.split_last()?;
    let is_part = matches!(part.as_str(), "re" | "im" | "0" | "1");
    leaf(dtype, path).filter(|dtype| is_part && is_complex(dtype))
}

/// The columns as fields of records, in the order of their first appearance.
#[derive(Default)]
struct Tree {
    fields: Vec<(String, Node)>,
}

enum Node {
    Column(usize),
    /// The parts of a complex number.
    Complex([usize; 2]),
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

    /// Joins the parts of complex numbers. `is_complex` says which paths are complex numbers.
    fn join(&mut self, is_json: bool, is_complex: &dyn Fn(&[String]) -> bool) {
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
    fn parts(&self, is_json: bool) -> Option<[usize; 2]> {
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
    fn descr(&self, columns: &[Column]) -> String {
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
    fn plain(&self, columns: &[Column], is_forced: bool) -> Option<(String, Vec<usize>)> {
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
    fn order(&self) -> Vec<usize> {
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
