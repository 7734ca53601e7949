//! Arrays as tables: one column for each scalar of a record, two columns for a complex number.

use std::ops::Deref;

use super::DynArray;
use crate::checked;
use crate::dtype::{Leaf, Part};
use crate::error::Error;
use crate::shape::{self, Order, Positions};
use crate::value::Value;

/// An array as a table. A field of a nested record becomes the column `head.gain`, an element of a sub-array becomes `samples[0]`, and a
/// complex number becomes the two columns `z.re` and `z.im`. If the array has at most one dimension, these names are paths for [`DynArray::field`],
/// and so is `value`, except if a field has no name. If two columns have one name, the path leads to one of them.
///
/// Each index of the first dimension is a row; an array without dimensions is one row. An array of
/// numbers has the column `value` if it has at most one dimension, and the columns `[0]`, `[1]` and so
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
/// assert_eq!(table.names(), ["head.gain", "times[0]", "times[1]"]);
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
    /// The scalars of an element; a row has one or more elements.
    leaves: Vec<Leaf>,
}

impl DynArray {
    /// Returns the array as a table.
    ///
    /// ```
    /// use npy_core::{DynArray, Order};
    ///
    /// let dtype = "[('id', '|u1'), ('xy', '|u1', (2,))]".parse()?;
    /// let array = DynArray::new(dtype, [2], Order::C, vec![1, 2, 3, 4, 5, 6])?;
    /// assert_eq!(array.table()?.names(), ["id", "xy[0]", "xy[1]"]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Unsupported`](crate::ErrorKind::Unsupported) for Python objects, [`ErrorKind::Limit`](crate::ErrorKind::Limit) if the
    /// table has many more columns or rows than the array has bytes.
    pub fn table(&self) -> Result<Table<'_>, Error> {
        self.header.without_objects()?;
        let inner = self.shape().get(1..).unwrap_or_default();
        let row = Part::of_row(self.dtype(), inner).leaves();
        let mut names = Vec::new();
        for leaf in row.flat_map(Leaf::elements).flat_map(Leaf::reals) {
            names.push(leaf.column_name().to_owned());
            // A header can declare any number of columns if they have no bytes, or if there are no rows.
            let more = names.len().saturating_sub(self.bytes.len());
            self.limits.check_empty_items(more, size_of::<String>())?;
        }
        let element = self.dtype().leaves().flat_map(Leaf::elements).flat_map(Leaf::reals);
        let leaves = if names.is_empty() { Vec::new() } else { element.collect() };
        // The same for rows without columns.
        let rows = self.shape().first().copied().unwrap_or(1);
        self.limits
            .check_empty_items(rows.saturating_sub(self.bytes.len()), size_of::<TableRow<'_>>())?;
        Ok(Table { array: self, names, leaves })
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
    /// assert_eq!(array.table()?.names(), ["id", "xy[0]", "xy[1]"]);
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
    pub fn rows(&self) -> TableRows<'_> {
        let count = self.array.shape().first().copied().unwrap_or(1);
        TableRows {
            array: self.array,
            leaves: &self.leaves,
            positions: shape::reordered(self.array.shape(), self.array.order(), Order::C),
            elements: self.names.len().checked_div(self.leaves.len()).unwrap_or(0),
            left: count,
        }
    }
}

/// The rows of a [`Table`].
#[derive(Clone, Debug)]
pub struct TableRows<'a> {
    array: &'a DynArray,
    leaves: &'a [Leaf],
    /// The positions of the elements in the data, in C order.
    positions: Positions,
    /// The number of elements of a row.
    elements: usize,
    /// The number of rows.
    left: usize,
}

/// A row of a [`Table`]: the values in the order of the columns. None of them is a record, an array or a complex number.
#[derive(Clone, Debug, PartialEq)]
pub struct TableRow<'a>(Vec<Value<'a>>);

impl<'a> Iterator for TableRows<'a> {
    type Item = TableRow<'a>;

    fn next(&mut self) -> Option<TableRow<'a>> {
        self.left = self.left.checked_sub(1)?;
        let array = self.array.view();
        let mut row = Vec::new();
        for position in self.positions.by_ref().take(self.elements) {
            let item = array.item(position);
            row.extend(self.leaves.iter().map(|leaf| {
                // Missing bytes count as zero.
                Value::scalar(*leaf.scalar(), checked::tail(item, leaf.offset()))
            }));
        }
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
