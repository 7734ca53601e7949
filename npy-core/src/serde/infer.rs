//! Rows of any type that can be serialized, as a record array.
//!
//! Two passes over the rows, each a serializer: the first finds the dtype, the second writes the items.

mod fill;
mod key;
mod kind;
mod measure;
mod pass;

use serde::ser::Serialize;

use self::fill::Fill;
use self::kind::Kind;
use self::measure::Measure;
use self::pass::Pass;
use crate::dynamic::DynArray;
use crate::error::{Error, ErrorKind};
use crate::reserve;
use crate::shape::Order;

impl DynArray {
    /// Makes a one-dimensional array of these rows; its dtype is inferred from how they serialize.
    ///
    /// A struct or a map with text as keys is a record, a tuple struct one of `f0`, `f1`, …; a sequence is a sub-array, whose length
    /// is the same in each row; a tuple is a sub-array if its parts are alike, or else a record. Text becomes `<UN`, bytes `|SN`, as wide as the
    /// longest; so does a variant without fields, by its name.
    ///
    /// ```
    /// use npy_core::DynArray;
    ///
    /// #[derive(serde::Serialize)]
    /// struct Pick {
    ///     station: &'static str,
    ///     time: f64,
    ///     gains: Vec<i16>,
    /// }
    ///
    /// let picks = [
    ///     Pick { station: "RJOB", time: 1.5, gains: vec![1, 2] },
    ///     Pick { station: "X", time: 2.5, gains: vec![3, 4] },
    /// ];
    /// let array = DynArray::serialize_rows(&picks)?;
    /// let descr = "[('station', '<U4'), ('time', '<f8'), ('gains', '<i2', (2,))]";
    /// assert_eq!(array.dtype().to_string(), descr);
    /// assert_eq!(array.get(&[1]).unwrap().to_string(), "('X', 2.5, [3, 4])");
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ErrorKind::InvalidValue`], with the row and the field, for a value without a fixed size, or whose size or kind changes from row to row: `None`,
    /// variants with fields, sequences of different lengths, sequences nested more than 64 deep; and if there are no rows, as
    /// their dtype is not known. [`ErrorKind::DType`] for a dtype that no header can hold, as of records nested more than 99 deep.
    pub fn serialize_rows<T: Serialize>(rows: &[T]) -> Result<DynArray, Error> {
        let mut kind = Kind::Unknown;
        for (i, row) in rows.iter().enumerate() {
            let measured = Measure::default().run(row).and_then(|row| kind.join(row));
            measured.map_err(|error| error.in_row(i))?;
        }
        if rows.is_empty() {
            let reason =
                "the dtype of no rows is not known; write a Vec of a struct that derives NpyRecord";
            return Err(ErrorKind::InvalidValue { reason: reason.into() }.into());
        }
        let dtype = kind.dtype().map_err(|error| error.in_row(0))?;
        let size = dtype.itemsize();
        let mut bytes = Vec::new();
        reserve::exact(&mut bytes, size.saturating_mul(rows.len()))?;
        for (i, row) in rows.iter().enumerate() {
            let start = bytes.len();
            bytes.resize(start.saturating_add(size), 0);
            let item = bytes.get_mut(start..).unwrap_or_default();
            Fill::new(&dtype, item).run(row).map_err(|error| error.in_row(i))?;
        }
        // The dimensions of a sub-array become the last dimensions of the array.
        let (mut base, mut shape) = (&dtype, vec![rows.len()]);
        while let Some((inner, dimensions)) = base.sub_array() {
            shape.extend_from_slice(dimensions);
            base = inner;
        }
        DynArray::new(base.clone(), shape, Order::C, bytes)
    }
}
