//! Arrays as tables: one column for each scalar of a record, two columns for a complex number.

use std::ops::Deref;

use super::{DynArray, Values};
use crate::dtype::{DType, Kind, ScalarKind};
use crate::error::Error;
use crate::limits::Limits;
use crate::shape;
use crate::value::Value;

/// An array as a table. A field of a nested record becomes the column `head.gain`, an element of a sub-array becomes `samples.0`, and a
/// complex number becomes the two columns `z.re` and `z.im`.
///
/// Each index of the first dimension is a row; an array without dimensions is one row. An array of
/// numbers has the column `value` if it has at most one dimension, and the columns `0`, `1` and so
/// on if it has two.
///
/// ```
/// use npy_core::{DynArray, NpyRecord, ReadNpy, WriteNpy};
///
/// #[derive(NpyRecord)]
/// struct Pick {
///     head: Head,
///     times: [f64; 2],
/// }
///
/// #[derive(NpyRecord)]
/// struct Head {
///     gain: f32,
/// }
///
/// let mut file = Vec::new();
/// [Pick { head: Head { gain: 0.5 }, times: [1.25, 2.0] }].write_npy_to(&mut file)?;
///
/// let array = DynArray::read_npy_from(&file[..])?;
/// let table = array.table()?;
/// assert_eq!(table.names(), ["head.gain", "times.0", "times.1"]);
/// let row = table.rows().next().unwrap();
/// assert_eq!((row[0].as_f64(), row.len()), (Some(0.5), 3));
/// # Ok::<(), npy_core::Error>(())
/// ```
///
/// With the feature `serde`, a row is serialized as a sequence. So the crate `csv` can write
/// `names()` as the first line and each row as a further line. It cannot always write a record as a
/// line, because the fields of a record may be records and arrays.
#[derive(Clone, Debug)]
pub struct Table<'a> {
    array: &'a DynArray,
    names: Vec<String>,
}

impl DynArray {
    /// Returns the array as a table.
    ///
    /// ```
    /// use npy_core::{DynArray, Order};
    ///
    /// let dtype = "[('id', '|u1'), ('xy', '|u1', (2,))]".parse()?;
    /// let array = DynArray::new(dtype, [2], Order::C, vec![1, 2, 3, 4, 5, 6])?;
    /// assert_eq!(array.table()?.names(), ["id", "xy.0", "xy.1"]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Unsupported`](crate::ErrorKind::Unsupported) for Python objects, [`ErrorKind::Limit`](crate::ErrorKind::Limit) if the
    /// table has many more columns than the array has bytes.
    pub fn table(&self) -> Result<Table<'_>, Error> {
        self.header.without_objects()?;
        let mut columns =
            Columns { names: Vec::new(), bytes: self.bytes.len(), limits: &self.limits };
        columns.add_items(self.dtype(), self.shape().get(1..).unwrap_or_default(), "")?;
        Ok(Table { array: self, names: columns.names })
    }
}

impl<'a> Table<'a> {
    /// Returns the names of the columns.
    ///
    /// ```
    /// use npy_core::{DynArray, Order};
    ///
    /// let dtype = "[('id', '|u1'), ('xy', '|u1', (2,))]".parse()?;
    /// let array = DynArray::new(dtype, [2], Order::C, vec![1, 2, 3, 4, 5, 6])?;
    /// assert_eq!(array.table()?.names(), ["id", "xy.0", "xy.1"]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Iterates over the rows.
    ///
    /// ```
    /// use npy_core::{DynArray, Order};
    ///
    /// let dtype = "[('id', '|u1'), ('xy', '|u1', (2,))]".parse()?;
    /// let array = DynArray::new(dtype, [2], Order::C, vec![1, 2, 3, 4, 5, 6])?;
    /// for row in array.table()?.rows() {
    ///     assert_eq!(row.len(), 3);
    /// }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn rows(&self) -> TableRows<'a> {
        let count = self.array.shape().first().copied().unwrap_or(1);
        let inner = self.array.shape().get(1..).unwrap_or_default();
        let has_none = count == 0 || !has_columns(self.array.dtype());
        // `Header` has checked the product of all dimensions, so this one does not overflow.
        let items = if has_none { 0 } else { shape::count(inner).unwrap_or(0) };
        TableRows { items: self.array.iter(), items_per_row: items, left: count }
    }
}

/// The rows of a [`Table`].
#[derive(Clone, Debug)]
pub struct TableRows<'a> {
    items: Values<'a>,
    items_per_row: usize,
    left: usize,
}

/// A row of a [`Table`]: the values in the order of the columns. None of them is a record, an array or a complex number.
#[derive(Clone, Debug, PartialEq)]
pub struct TableRow<'a>(Vec<Value<'a>>);

impl<'a> Iterator for TableRows<'a> {
    type Item = TableRow<'a>;

    fn next(&mut self) -> Option<TableRow<'a>> {
        self.left = self.left.checked_sub(1)?;
        let mut row = Vec::new();
        self.items.by_ref().take(self.items_per_row).for_each(|item| add_values(item, &mut row));
        Some(TableRow(row))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left, Some(self.left))
    }
}

impl ExactSizeIterator for TableRows<'_> {}

impl<'a> Deref for TableRow<'a> {
    type Target = [Value<'a>];

    fn deref(&self) -> &[Value<'a>] {
        &self.0
    }
}

/// Adds the values of an element to a row.
fn add_values<'a>(item: Value<'a>, row: &mut Vec<Value<'a>>) {
    match item {
        Value::Record(record) => record.iter().for_each(|(_, value)| add_values(value, row)),
        Value::Array(array) if has_columns(array.base()) && !array.shape().contains(&0) => {
            array.iter().for_each(|value| add_values(value, row));
        }
        Value::Array(_) => {}
        Value::Complex32(re, im) => row.extend([re, im].map(Value::F32)),
        Value::Complex64(re, im) => row.extend([re, im].map(Value::F64)),
        Value::ComplexLongDouble(re, im) => row.extend([re, im].map(Value::LongDouble)),
        value => row.push(value),
    }
}

/// Collects the names of the columns.
struct Columns<'a> {
    names: Vec<String>,
    /// The bytes of the array.
    bytes: usize,
    limits: &'a Limits,
}

impl Columns<'_> {
    /// Adds the columns of an element. The recursion is as deep as the dtype, whose nesting is limited.
    fn add(&mut self, dtype: &DType, path: &str) -> Result<(), Error> {
        match dtype.kind() {
            Kind::Record(record) => record
                .fields
                .iter()
                .try_for_each(|field| self.add(field.dtype(), &joined(path, field.name()))),
            Kind::SubArray(sub) => self.add_items(&sub.base, &sub.shape, path),
            Kind::Scalar(scalar) if matches!(scalar.kind(), ScalarKind::Complex) => {
                self.push(joined(path, "re"))?;
                self.push(joined(path, "im"))
            }
            Kind::Scalar(_) => self.push(if path.is_empty() { "value" } else { path }.to_owned()),
        }
    }

    /// Adds the columns of the elements of an array of this shape, in C order.
    fn add_items(&mut self, dtype: &DType, shape: &[usize], path: &str) -> Result<(), Error> {
        let Some((&count, inner)) = shape.split_first() else { return self.add(dtype, path) };
        if inner.contains(&0) || !has_columns(dtype) {
            return Ok(());
        }
        (0..count).try_for_each(|i| self.add_items(dtype, inner, &joined(path, &i.to_string())))
    }

    fn push(&mut self, name: String) -> Result<(), Error> {
        self.names.push(name);
        // A header can declare any number of columns if they have no bytes, or if there are no rows.
        let more = self.names.len().saturating_sub(self.bytes);
        self.limits.check_empty_items(more, size_of::<String>())
    }
}

/// Returns true if an element has a scalar. A record without fields has none; a tiny file can
/// declare 2⁶² such elements, so they are not visited.
fn has_columns(dtype: &DType) -> bool {
    match dtype.kind() {
        Kind::Scalar(_) => true,
        Kind::SubArray(sub) => !sub.shape.contains(&0) && has_columns(&sub.base),
        Kind::Record(record) => record.fields.iter().any(|field| has_columns(field.dtype())),
    }
}

/// Appends a name to a path.
fn joined(path: &str, name: &str) -> String {
    if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") }
}
