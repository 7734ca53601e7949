//! Converts rows of any serializable type to an array.
//!
//! Two serializers pass over the rows: the first finds the dtype, the second writes the items.

mod fill;
mod key;
mod kind;
mod measure;

use serde::ser::Serialize;

use self::fill::Fill;
use self::kind::Kind;
use self::measure::Measure;
use super::pass::Pass;
use crate::checked;
use crate::dtype::DType;
use crate::dynamic::DynArray;
use crate::error::{Error, ErrorKind};
use crate::reserve;
use crate::shape::Order;

impl DynArray {
    /// Creates an array of these rows. Its dtype is inferred from how they serialize.
    ///
    /// A struct is a record. So is a map, if its keys are text or numbers, and a tuple struct, whose fields are `f0`, `f1`, …. A sequence
    /// is a sub-array, and must have the same length in each row. A tuple is a sub-array if its parts are alike; otherwise it is a record.
    /// Text becomes `<UN`, and bytes become `|SN`, as wide as the longest. A variant without fields becomes its name, as text.
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
    /// let array = DynArray::try_from_rows(&picks)?;
    /// let descr = "[('station', '<U4'), ('time', '<f8'), ('gains', '<i2', (2,))]";
    /// assert_eq!(array.dtype().to_string(), descr);
    /// assert_eq!(array.get(&[1]).unwrap().to_string(), "('X', 2.5, [3, 4])");
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ErrorKind::InvalidValue`], with the row and the field, for `None`, for variants with fields, for sequences nested more than 64
    /// deep, and if the length of a sequence or the kind of a value changes from row to row (numbers are widened instead); also if there
    /// are no rows. [`ErrorKind::DType`] for a dtype that no header can hold, such as records nested more than 99 deep.
    #[doc(alias("genfromtxt"))]
    pub fn try_from_rows<T: Serialize>(rows: &[T]) -> Result<DynArray, Error> {
        let mut kind = Kind::Unknown;
        for (i, row) in rows.iter().enumerate() {
            let measured = Measure::default().run(row).and_then(|row| kind.join(row));
            measured.map_err(|error| error.in_row(i))?;
        }
        if rows.is_empty() {
            let reason = "there are no rows to infer the dtype from; write a Vec of a struct that derives NpyRecord";
            let (reason, remedy) = (reason.into(), String::new());
            return Err(ErrorKind::InvalidValue { reason, remedy }.into());
        }
        let dtype = kind.dtype().map_err(|error| error.in_row(0))?;
        let bytes = bytes(&dtype, rows)?;
        // The dimensions of a sub-array become the last dimensions of the array.
        let (base, inner) = dtype.flat();
        let shape = [&[rows.len()], &inner[..]].concat();
        DynArray::new(base.clone(), shape, Order::C, bytes)
    }
}

/// Returns the dtype of values that are all of one primitive type of numbers, or all `bool`; `None` for any others. Without values, the
/// dtype is `<f8`, NumPy's default.
pub(super) fn dtype_of_numbers<T: Serialize>(values: &[T]) -> Option<DType> {
    let kind = |value| Measure::default().run(value).ok().filter(Kind::is_number);
    let mut kinds = values.iter().map(kind);
    let first = kinds.next().unwrap_or(Some(Kind::Float(8)))?;
    if kinds.all(|kind| kind.as_ref() == Some(&first)) { first.dtype().ok() } else { None }
}

/// Returns the bytes of rows of this dtype.
pub(super) fn bytes<T: Serialize>(dtype: &DType, rows: &[T]) -> Result<Vec<u8>, Error> {
    let size = dtype.itemsize();
    let mut bytes = reserve::list(size.saturating_mul(rows.len()))?;
    for (i, row) in rows.iter().enumerate() {
        let start = bytes.len();
        bytes.resize(checked::add(start, size), 0);
        let item = checked::tail_mut(&mut bytes, start);
        Fill::new(dtype, item).run(row).map_err(|error| error.in_row(i))?;
    }
    Ok(bytes)
}
