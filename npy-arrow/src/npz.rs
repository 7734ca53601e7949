//! Archives whose members are columns.

use std::collections::HashMap;
use std::io::{Read, Seek, Write};
use std::sync::Arc;

use arrow_array::{RecordBatch, RecordBatchOptions};
use arrow_schema::Schema;
use npy_core::{DynArray, Order, npz};

use crate::error::{Error, Result};
use crate::from_arrow::column;
use crate::objects;
use crate::options::Options;
use crate::schema::field;
use crate::to_arrow::part;

/// Returns the members of an archive as the columns of a batch. They have the same number of rows, their first dimension.
///
/// ```
/// use npy_arrow::Options;
/// use npy_core::npz;
///
/// let mut writer = npz::Writer::new(std::io::Cursor::new(Vec::new()))?;
/// writer.write("id", &[1i32, 2])?;
/// writer.write("x", &[0.5f64, 1.5])?;
/// let reader = npz::Reader::new(writer.finish()?)?;
///
/// let batch = npy_arrow::npz_batch(&reader, &Options::new())?;
/// assert_eq!((batch.num_rows(), batch.num_columns()), (2, 2));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// As [`record_batch`](crate::record_batch); also for members of another length than the first, and of no dimensions.
pub fn npz_batch<R: Read + Seek>(
    reader: &npz::Reader<R>,
    options: &Options,
) -> Result<RecordBatch> {
    let (mut fields, mut columns, mut rows) = (Vec::new(), Vec::new(), None);
    for name in reader.names() {
        let array: DynArray = reader.read(name)?;
        let Some(&length) = array.shape().first() else {
            return Err(Error::other("a single value has no rows; read it with npz::Reader::read")
                .in_column(name));
        };
        let expected = *rows.get_or_insert(length);
        if length != expected {
            let reason = format!("it has {length} rows, and the members before it {expected}");
            return Err(Error::other(reason).in_column(name));
        }
        if array.dtype().has_object() {
            fields.push(field(name, array.dtype(), options)?);
            columns.push(objects::texts(&array).map_err(|error| error.in_column(name))?);
            continue;
        }
        let array = if array.order() == Order::C { array } else { array.to_order(Order::C)? };
        let part = part(array);
        let field = field(name, &part.row_dtype()?, options)?;
        columns.push(part.array(&field, options).map_err(|error| error.in_column(name))?);
        fields.push(field);
    }
    let rows = RecordBatchOptions::new().with_row_count(rows.or(Some(0)));
    let schema = Arc::new(Schema::new_with_metadata(fields, HashMap::new()));
    Ok(RecordBatch::try_new_with_options(schema, columns, &rows)?)
}

/// Writes each column of a batch as a member of an archive.
///
/// ```
/// use std::sync::Arc;
///
/// use npy_arrow::Options;
/// use npy_arrow::arrow_array::{ArrayRef, Int32Array, RecordBatch};
/// use npy_core::npz;
///
/// let id: ArrayRef = Arc::new(Int32Array::from(vec![1, 2]));
/// let batch = RecordBatch::try_from_iter([("id", id)])?;
///
/// let mut writer = npz::Writer::new(std::io::Cursor::new(Vec::new()))?;
/// npy_arrow::write_npz(&batch, &mut writer, &Options::new())?;
/// let reader = npz::Reader::new(writer.finish()?)?;
/// assert_eq!(reader.read::<Vec<i32>>("id")?, [1, 2]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// As [`dyn_array`](crate::dyn_array), and if writing fails.
pub fn write_npz<W: Write>(
    batch: &RecordBatch,
    writer: &mut npz::Writer<W>,
    options: &Options,
) -> Result<()> {
    for (field, array) in batch.schema().fields().iter().zip(batch.columns()) {
        writer.write(field.name(), &column(array, field, options)?)?;
    }
    Ok(())
}
