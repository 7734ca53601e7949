//! Python objects, which are text or `None`, as columns.

use std::collections::HashMap;
use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch, StringArray};
use npy_core::dtype::ScalarKind;
use npy_core::{DType, DynArray, ObjectRef, Objects};

use crate::error::{Error, Result};
use crate::options::Options;
use crate::schema::{VALUE, schema};
use crate::to_arrow::part;

/// Returns an array of Python objects as text.
pub(crate) fn texts(array: &DynArray) -> Result<ArrayRef> {
    let pickle = Objects::try_from(array.clone())?;
    let (indices, objects) = pickle.split()?;
    text_of_indices(indices.as_bytes(), &objects)
}

/// Returns an array of Python objects, or of records with such fields, as a batch.
pub(crate) fn batch(array: &DynArray, options: &Options) -> Result<RecordBatch> {
    let schema = schema(array.dtype(), options)?;
    if !array.dtype().is_record() {
        let texts = texts(array).map_err(|error| error.in_column(VALUE))?;
        return Ok(RecordBatch::try_new(Arc::new(schema), vec![texts])?);
    }
    if array.shape().len() != 1 {
        return Err(Error::other("records with Python objects are columns in one dimension alone"));
    }
    let pickle = Objects::try_from(array.clone())?;
    let (records, objects) = pickle.split()?;
    let records = part(records);
    // `dyn_array` cannot make records with objects of the batch, so no metadata promise their dtype.
    let mut schema = schema.with_metadata(HashMap::new());
    let (mut fields, mut columns) = (Vec::new(), Vec::new());
    for (field, part) in schema.fields().iter().zip(array.dtype().fields()) {
        let name = field.name();
        let mut field = field.as_ref().clone();
        let column = match is_object(part.dtype()) {
            true => {
                field.set_metadata(HashMap::new());
                text_of_indices(&records.field(name)?.bytes, &objects)
            }
            false if part.dtype().has_object() => Err(Error::other(
                "Python objects within a record or a list have no type; object::load reads them",
            )),
            false => records.field(name)?.array(&field, options),
        };
        columns.push(column.map_err(|error| error.in_column(name))?);
        fields.push(Arc::new(field));
    }
    schema.fields = fields.into();
    Ok(RecordBatch::try_new(Arc::new(schema), columns)?)
}

fn is_object(dtype: &DType) -> bool {
    dtype.scalar().is_some_and(|scalar| scalar.kind() == ScalarKind::Object)
}

/// Returns the objects of these indices as text.
fn text_of_indices(indices: &[u8], objects: &[ObjectRef<'_>]) -> Result<ArrayRef> {
    let texts = indices.as_chunks::<8>().0.iter().enumerate().map(|(row, index)| {
        let index = usize::try_from(u64::from_le_bytes(*index)).ok();
        let object = index.and_then(|index| objects.get(index));
        match object.map(|object| (object.is_missing(), object.as_str())) {
            Some((true, _)) | None => Ok(None),
            Some((false, Some(text))) => Ok(Some(text)),
            Some((false, None)) => {
                let found = object.map(ToString::to_string).unwrap_or_default();
                let reason =
                    format!("expected text, found {found}; object::load reads any objects");
                Err(Error::other(reason).in_row(row))
            }
        }
    });
    Ok(Arc::new(texts.collect::<Result<StringArray>>()?))
}
