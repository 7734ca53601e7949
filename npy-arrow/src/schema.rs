//! Schemas of dtypes.

use std::collections::HashMap;
use std::sync::Arc;

use arrow_schema::{DataType, Field, FieldRef, Fields, Schema};
use npy_core::dtype::DType;

use crate::error::{Error, Result};
use crate::options::Options;
use crate::values::Values;

/// The key of the metadata of a schema, and of each of its fields, that holds the dtype as NumPy writes it.
pub const DESCR: &str = "npy.descr";

/// The name of the only column of an array that is no record.
pub const VALUE: &str = "value";

const EXTENSION_NAME: &str = "ARROW:extension:name";
const EXTENSION_METADATA: &str = "ARROW:extension:metadata";
const COMPLEX: &str = "npy.complex";
const TENSOR: &str = "arrow.fixed_shape_tensor";

/// Returns the schema of arrays of this dtype: a column for each field of a record, or the single column `value`.
///
/// The array has one dimension; for more, the dtype is a sub-array: `('<f4', (2, 3))` for an array of shape `(n, 2, 3)`.
///
/// ```
/// use npy_arrow::Options;
///
/// let dtype = "[('id', '<i4'), ('t', '>M8[25s]'), ('xyz', '<f4', (3,))]".parse()?;
/// let schema = npy_arrow::schema(&dtype, &Options::new())?;
/// let types: Vec<String> = schema.fields().iter().map(|field| field.data_type().to_string()).collect();
/// assert_eq!(types, ["Int32", "Timestamp(s)", "FixedSizeList(3 x Float32)"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// If a field has Python objects, or more bytes than Arrow counts in 32 bits.
pub fn schema(dtype: &DType, options: &Options) -> Result<Schema> {
    let fields = if dtype.is_record() {
        fields_of(dtype, options)?
    } else {
        [Arc::new(field(VALUE, dtype, options)?)].into_iter().collect()
    };
    Ok(Schema::new_with_metadata(fields, HashMap::from([(DESCR.into(), dtype.descr())])))
}

/// Returns a column of this dtype, which may be a sub-array.
pub(crate) fn field(name: &str, dtype: &DType, options: &Options) -> Result<Field> {
    build(name, dtype, options).map_err(|error| error.in_column(name))
}

fn build(name: &str, dtype: &DType, options: &Options) -> Result<Field> {
    let (base, shape) = dtype.flat();
    let mut column = item(name, base, options)?;
    if !shape.is_empty() {
        let is_number = base
            .scalar()
            .is_some_and(|scalar| matches!(Values::of(scalar, options), Ok(Values::Number(_))));
        // An item has no null, but a join may add rows that are null, and then their items are null, too.
        let inner = item("item", base, options)?.with_nullable(true);
        column = Field::new_fixed_size_list(name, inner, length(&shape)?, false);
        if is_number {
            let shape: Vec<String> = shape.iter().map(ToString::to_string).collect();
            let shape = format!("{{\"shape\":[{}]}}", shape.join(","));
            extend(&mut column, TENSOR, shape);
        }
    }
    column.metadata_mut().insert(DESCR.into(), dtype.descr());
    Ok(column)
}

/// Returns a field for values of a dtype that is no sub-array.
fn item(name: &str, base: &DType, options: &Options) -> Result<Field> {
    let Some(scalar) = base.scalar() else {
        return Ok(Field::new(name, DataType::Struct(fields_of(base, options)?), false));
    };
    let values = Values::of(scalar, options)?;
    let part = values.data_type();
    if let Values::Complex(_) = values {
        if options.complex_as_struct {
            let parts = ["re", "im"].map(|name| Field::new(name, part.clone(), false));
            return Ok(Field::new_struct(name, parts.to_vec(), false));
        }
        let mut field = Field::new_fixed_size_list(name, Field::new("item", part, true), 2, false);
        extend(&mut field, COMPLEX, String::new());
        return Ok(field);
    }
    Ok(Field::new(name, part, values.is_nullable()))
}

fn fields_of(record: &DType, options: &Options) -> Result<Fields> {
    let fields = record.fields().iter().map(|part| field(part.name(), part.dtype(), options));
    fields.map(|field| field.map(Arc::new)).collect::<Result<Vec<FieldRef>>>().map(Fields::from)
}

fn extend(field: &mut Field, name: &str, metadata: String) {
    field.metadata_mut().insert(EXTENSION_NAME.into(), name.into());
    field.metadata_mut().insert(EXTENSION_METADATA.into(), metadata);
}

/// Returns true if a field holds pairs of floats that are complex numbers.
pub(crate) fn is_complex(field: &Field) -> bool {
    field.metadata().get(EXTENSION_NAME).is_some_and(|name| name == COMPLEX)
}

/// Returns the dimensions of the tensors that a field holds, if it says so and they are as many elements.
pub(crate) fn tensor_shape(field: &Field, elements: usize) -> Option<Vec<usize>> {
    if field.metadata().get(EXTENSION_NAME)? != TENSOR {
        return None;
    }
    let text = field.metadata().get(EXTENSION_METADATA)?;
    // A permutation means another order of the elements than the dimensions have, unless it changes nothing.
    if text.contains("\"permutation\"") {
        let permutation = list(text, "\"permutation\"")?;
        if !permutation.iter().enumerate().all(|(at, &from)| at == from) {
            return None;
        }
    }
    let shape = list(text, "\"shape\"")?;
    (product(&shape)? == elements).then_some(shape)
}

/// Returns the numbers of the list with this key, in the text of a JSON object.
fn list(text: &str, key: &str) -> Option<Vec<usize>> {
    let (_, list) = text.split_once(key)?;
    let list =
        list.trim_start().strip_prefix(':')?.trim_start().strip_prefix('[')?.split(']').next()?;
    list.split(',').map(|number| number.trim().parse().ok()).collect()
}

/// Returns the number of elements of a shape, as Arrow counts them.
pub(crate) fn length(shape: &[usize]) -> Result<i32> {
    let count = product(shape).and_then(|count| i32::try_from(count).ok());
    count.ok_or_else(|| {
        Error::other(format!("sub-arrays of shape {shape:?} are too large for a list of Arrow"))
    })
}

pub(crate) fn product(shape: &[usize]) -> Option<usize> {
    if shape.contains(&0) {
        return Some(0);
    }
    shape.iter().try_fold(1usize, |count, &n| count.checked_mul(n))
}
