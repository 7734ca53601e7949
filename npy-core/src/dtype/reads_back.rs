//! Checks that the literal of a dtype can be read back as the same dtype, within the default limits.

use super::{DType, Field, Kind, SubArray};
use crate::checked;
use crate::error::Error;
use crate::limits::{Limits, MAX_NDIM};
use crate::literal::text::Text;

/// Refuses a dtype if a reader with the default limits would refuse or misread its header.
///
/// # Errors
///
/// [`ErrorKind::DType`](crate::ErrorKind::DType) for too many nested brackets, fields or dimensions, for a sub-array larger than NumPy allows, and for a field that
/// would be read as padding.
pub(crate) fn check(dtype: &DType) -> Result<(), Error> {
    check_literal(dtype, &Limits::default()).map_err(|reason| dtype.refused(reason))
}

/// Refuses a dtype that NumPy's `load` refuses, although this crate reads it: one with a sub-array of scalars, or of sub-arrays, without bytes.
///
/// # Errors
///
/// [`ErrorKind::DType`](crate::ErrorKind::DType).
pub(crate) fn check_loads(dtype: &DType) -> Result<(), Error> {
    if loads(dtype) {
        return Ok(());
    }
    let reason = "NumPy cannot load a sub-array of elements without bytes; give them a width, or leave the field out";
    Err(dtype.refused(reason))
}

fn loads(dtype: &DType) -> bool {
    match dtype.kind() {
        Kind::Scalar(_) => true,
        Kind::SubArray(sub) => {
            (sub.base.itemsize() > 0 || sub.base.is_record()) && loads(&sub.base)
        }
        Kind::Record(record) => record.fields.iter().all(|field| loads(&field.dtype)),
    }
}

/// Does what [`check`] does, within these limits; the error is the reason.
pub(super) fn check_literal(dtype: &DType, limits: &Limits) -> Result<(), String> {
    let (fields, most) = (dtype.count_fields(), limits.fields);
    if fields > most {
        return Err(format!(
            "it has {fields} fields, but a reader accepts at most {most}; combine fields of the same dtype into sub-arrays"
        ));
    }
    // In a header, the dictionary adds one bracket around the dtype.
    let (brackets, most) = (checked::add(count_brackets(dtype)?, 1), limits.brackets());
    if brackets > most {
        return Err(format!(
            "its header would have {brackets} brackets open at once, but a reader accepts at most {most}; nest fewer records"
        ));
    }
    Ok(())
}

/// Returns at least the largest number of brackets that are open at once in the literal of this dtype.
fn count_brackets(dtype: &DType) -> Result<usize, String> {
    let inside = match dtype.kind() {
        Kind::Scalar(_) => return Ok(0),
        Kind::SubArray(sub) => count_in_tuple(sub)?,
        Kind::Record(record) => {
            let mut most = 0;
            for field in &record.fields {
                most = most.max(checked::add(count_in_field(field)?, 1));
            }
            // A record that has only padding has one tuple, for the padding.
            most.max(usize::from(record.itemsize > 0))
        }
    };
    Ok(checked::add(inside, 1))
}

/// Returns at least the largest number of open brackets inside the tuple of a field. The tuple itself does not count.
fn count_in_field(field: &Field) -> Result<usize, String> {
    refuse_padding(field)?;
    let of_name = field.title.as_deref().map_or(0, |title| checked::add(title.count_brackets(), 1));
    let of_dtype = match field.dtype.kind() {
        Kind::SubArray(sub) => count_in_tuple(sub)?,
        _ => count_brackets(&field.dtype)?,
    };
    Ok(of_name.max(of_dtype))
}

/// Returns the largest number of open brackets in the base and the shape of a sub-array. The tuple around them does not count.
fn count_in_tuple(sub: &SubArray) -> Result<usize, String> {
    let ndim = sub.shape.len();
    if ndim > MAX_NDIM {
        return Err(format!(
            "a sub-array has {ndim} dimensions, but NumPy has at most {MAX_NDIM}; combine some of them"
        ));
    }
    DType::size_of_sub_array(&sub.base, &sub.shape)?;
    // The shape is a tuple, so there is at least one.
    count_brackets(&sub.base).map(|brackets| brackets.max(1))
}

/// Refuses a field that NumPy would read as padding because it has no name.
fn refuse_padding(field: &Field) -> Result<(), String> {
    let is_padding =
        field.dtype.is_void() && field.title.is_none() && *field.exact_name() == Text::new("");
    if is_padding {
        return Err("it has a field of raw bytes or of a sub-array without a name, which would be read as padding; name the field".into());
    }
    Ok(())
}
