//! The dtype that the values of an Arrow array get.

use std::sync::Arc;

use arrow_array::ArrayRef;
use arrow_array::cast::AsArray;
use arrow_schema::{DataType, Field};
use arrow_select::take::take;
use npy_core::dtype::{DType, Scalar, ScalarKind};

use crate::error::{Error, Result};
use crate::from_arrow::{is_stored_as, record, texts, time_dtype};
use crate::options::Options;
use crate::schema::{DESCR, is_complex, product, tensor_shape};
use crate::values::native_of;

/// Returns the dtype for the values of an array: that of the metadata of its field, if the array still is of that type.
pub(crate) fn resolve(array: &ArrayRef, field: &Field, options: &Options) -> Result<DType> {
    let wanted = field.metadata().get(DESCR).and_then(|descr| descr.parse().ok());
    dtype(array, field, wanted.as_ref(), options)
}

fn dtype(
    array: &ArrayRef,
    field: &Field,
    wanted: Option<&DType>,
    options: &Options,
) -> Result<DType> {
    if let Some(dictionary) = array.as_any_dictionary_opt() {
        let values = take(dictionary.values(), dictionary.keys(), None)?;
        return dtype(&values, field, wanted, options);
    }
    let (base, shape) = match wanted {
        Some(wanted) => {
            let (base, shape) = wanted.flat();
            (Some(base), shape)
        }
        None => (None, Vec::new()),
    };
    let as_complex = base
        .and_then(DType::scalar)
        .is_some_and(|scalar| shape.is_empty() && is_stored_as(scalar, array.data_type()));
    match array.data_type() {
        DataType::FixedSizeList(item, length) if !as_complex => {
            let length = usize::try_from(*length)
                .map_err(|_| Error::other("a list of a negative length"))?;
            let list = array.as_fixed_size_list();
            if is_complex(field) && length == 2 {
                match item.data_type() {
                    DataType::Float32 => return native_of(ScalarKind::Complex, 8),
                    DataType::Float64 => return native_of(ScalarKind::Complex, 16),
                    _ => {}
                }
            }
            // The dimensions of the metadata, if they are as many elements.
            let is_same = !shape.is_empty() && product(&shape) == Some(length);
            let resolved = dtype(list.values(), item, base.filter(|_| is_same), options)?;
            match wanted {
                // A sub-array of sub-arrays has the same values as one with all their dimensions.
                Some(wanted) if is_same && base == Some(&resolved) => return Ok(wanted.clone()),
                _ if is_same => return Ok(resolved.array(&shape)?),
                _ => {}
            }
            Ok(resolved.array(tensor_shape(field, length).unwrap_or_else(|| vec![length]))?)
        }
        DataType::Struct(fields) if !as_complex => {
            let parts = base.map_or(&[][..], DType::fields);
            let dtype_of = |(field, array): (&Arc<Field>, &ArrayRef)| {
                let own = parts.iter().find(|part| part.name() == field.name());
                let resolved = match own {
                    Some(own) if !field.metadata().contains_key(DESCR) => {
                        dtype(array, field, Some(own.dtype()), options)
                    }
                    _ => resolve(array, field, options),
                };
                resolved.map_err(|error| error.in_column(field.name()))
            };
            let columns = fields.iter().zip(array.as_struct().columns());
            let dtypes = columns.map(dtype_of).collect::<Result<Vec<_>>>()?;
            record(fields.iter().map(|field| field.name().as_str()).zip(dtypes.iter()), base)
        }
        data_type => scalar(array, data_type, base.and_then(DType::scalar), options),
    }
}

/// Returns the dtype of values that are neither lists nor records.
fn scalar(
    array: &ArrayRef,
    data_type: &DataType,
    wanted: Option<&Scalar>,
    options: &Options,
) -> Result<DType> {
    if let Some(texts) = texts(array) {
        let has_null = texts.contains(&None);
        let is_text =
            matches!(data_type, DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View);
        let was_object = wanted.is_some_and(|wanted| wanted.kind() == ScalarKind::Object);
        if is_text && (was_object || options.objects && has_null) {
            return native_of(ScalarKind::Object, 8);
        }
        return text(&texts, data_type, wanted);
    }
    if let Some(wanted) = wanted.filter(|wanted| is_stored_as(wanted, data_type)) {
        return Ok((*wanted).into());
    }
    if let Some(dtype) = time_dtype(data_type)? {
        return Ok(dtype);
    }
    let (kind, size) = match data_type {
        DataType::Boolean => (ScalarKind::Bool, 1),
        DataType::Int8 => (ScalarKind::Int, 1),
        DataType::Int16 => (ScalarKind::Int, 2),
        DataType::Int32 => (ScalarKind::Int, 4),
        DataType::Int64 => (ScalarKind::Int, 8),
        DataType::UInt8 => (ScalarKind::UInt, 1),
        DataType::UInt16 => (ScalarKind::UInt, 2),
        DataType::UInt32 => (ScalarKind::UInt, 4),
        DataType::UInt64 => (ScalarKind::UInt, 8),
        DataType::Float16 => (ScalarKind::Float, 2),
        DataType::Float32 => (ScalarKind::Float, 4),
        DataType::Float64 => (ScalarKind::Float, 8),
        DataType::FixedSizeBinary(size) => {
            let size = usize::try_from(*size)
                .map_err(|_| Error::other("binary values of a negative length"))?;
            (ScalarKind::Void, size)
        }
        other => {
            let reason =
                format!("NumPy has no dtype for {other}; cast the column to another type first");
            return Err(Error::other(reason));
        }
    };
    native_of(kind, size)
}

/// Returns the dtype of text: as wide as is wanted, or as the longest value if that is wider.
fn text(texts: &[Option<&[u8]>], data_type: &DataType, wanted: Option<&Scalar>) -> Result<DType> {
    let is_binary =
        matches!(data_type, DataType::Binary | DataType::LargeBinary | DataType::BinaryView);
    let wanted = wanted.filter(|wanted| match wanted.kind() {
        ScalarKind::Bytes => true,
        ScalarKind::Str => !is_binary,
        _ => false,
    });
    let is_bytes = wanted.map_or(is_binary, |wanted| wanted.kind() == ScalarKind::Bytes);
    let width = |text: &[u8]| {
        // Each character has one byte that does not continue another.
        if is_bytes { text.len() } else { text.iter().filter(|&&byte| byte & 0xc0 != 0x80).count() }
    };
    let widest = texts.iter().flatten().map(|text| width(text)).max().unwrap_or(0);
    if let Some(wanted) = wanted
        && wanted.itemsize() >= if is_bytes { widest } else { widest.saturating_mul(4) }
    {
        return Ok((*wanted).into());
    }
    match (is_bytes, widest.max(1)) {
        (true, widest) => native_of(ScalarKind::Bytes, widest),
        (false, widest) => native_of(ScalarKind::Str, widest.saturating_mul(4)),
    }
}
