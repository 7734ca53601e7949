//! Structs that derive `NpyRecord`.

use arrow_array::RecordBatch;
use npy_core::{DynArray, Element};

use crate::error::Result;
use crate::from_arrow::dyn_array;
use crate::options::Options;
use crate::to_arrow::into_record_batch;

/// Returns values as a batch: a column for each field of a struct that derives `NpyRecord`, or the column `value`.
///
/// ```
/// use npy_arrow::Options;
/// use npy_core::NpyRecord;
///
/// #[derive(NpyRecord, Debug, PartialEq)]
/// struct Tick {
///     id: u32,
///     price: f64,
/// }
///
/// let ticks = [Tick { id: 7, price: 1.5 }];
/// let batch = npy_arrow::batch_of(&ticks, &Options::new())?;
/// assert_eq!(batch.schema().field(1).name(), "price");
/// assert_eq!(npy_arrow::rows::<Tick>(&batch, &Options::new())?, ticks);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// As [`record_batch`](crate::record_batch).
pub fn batch_of<T: Element>(rows: &[T], options: &Options) -> Result<RecordBatch> {
    into_record_batch(DynArray::of(rows)?, options)
}

/// Returns the rows of a batch as values of a Rust type: a struct that derives `NpyRecord`, with a field for each column.
///
/// See [`batch_of`].
///
/// ```
/// use npy_arrow::Options;
/// use npy_core::NpyRecord;
///
/// #[derive(NpyRecord, Debug, PartialEq)]
/// struct Tick {
///     id: u32,
///     price: f64,
/// }
///
/// let batch = npy_arrow::batch_of(&[Tick { id: 7, price: 1.5 }], &Options::new())?;
/// assert_eq!(npy_arrow::rows::<Tick>(&batch, &Options::new())?, [Tick { id: 7, price: 1.5 }]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// As [`dyn_array`], and [`DynArray::to_vec`] if the columns are not those of the type.
pub fn rows<T: Element>(batch: &RecordBatch, options: &Options) -> Result<Vec<T>> {
    Ok(dyn_array(batch, options)?.to_vec()?)
}
