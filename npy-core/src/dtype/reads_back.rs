//! Whether the literal that is written of a dtype can be read back, as the same dtype and within the default limits.

use super::descr;
use super::{DType, Field, Kind, SubArray};
use crate::error::{Error, ErrorKind};
use crate::limits::{Limits, MAX_NDIM};
use crate::literal::text::Text;

/// Refuses a dtype that a header states and nobody could read.
///
/// # Errors
///
/// [`ErrorKind::DType`] for too many brackets, fields or dimensions, and for a field that would be read as padding.
pub(crate) fn check(dtype: &DType) -> Result<(), Error> {
    check_literal(dtype, &Limits::default()).map_err(|reason| {
        let descr = descr::excerpt(&dtype.descr());
        ErrorKind::DType { descr, reason }.into()
    })
}

fn check_literal(dtype: &DType, limits: &Limits) -> Result<(), String> {
    let (fields, most) = (dtype.count_fields(), limits.fields);
    if fields > most {
        return Err(format!(
            "it has {fields} fields, and a reader takes {most}; make sub-arrays of fields that are alike"
        ));
    }
    // One more than in the dtype: that of the dictionary around it.
    let (brackets, most) = (count_brackets(dtype)?.saturating_add(1), limits.brackets());
    if brackets > most {
        return Err(format!(
            "its header has {brackets} brackets open at once, and a reader takes {most}; nest fewer records"
        ));
    }
    Ok(())
}

/// How many brackets are open at once in the literal of this dtype.
fn count_brackets(dtype: &DType) -> Result<usize, String> {
    let inside = match dtype.kind() {
        Kind::Scalar(_) => return Ok(0),
        Kind::SubArray(sub) => count_in_tuple(sub)?,
        Kind::Record(record) => {
            let mut most = 0;
            for field in &record.fields {
                most = most.max(count_in_field(field)?.saturating_add(1));
            }
            // The tuple of padding, if there is any.
            most.max(usize::from(record.itemsize > 0))
        }
    };
    Ok(inside.saturating_add(1))
}

/// Those inside the tuple of a field.
fn count_in_field(field: &Field) -> Result<usize, String> {
    refuse_padding(field)?;
    let of_name =
        field.title.as_deref().map_or(0, |title| title.count_brackets().saturating_add(1));
    let of_dtype = match field.dtype.kind() {
        Kind::SubArray(sub) => count_in_tuple(sub)?,
        _ => count_brackets(&field.dtype)?,
    };
    Ok(of_name.max(of_dtype))
}

/// Those of the base and of the shape, which are side by side.
fn count_in_tuple(sub: &SubArray) -> Result<usize, String> {
    let ndim = sub.shape.len();
    if ndim > MAX_NDIM {
        return Err(format!(
            "a sub-array has {ndim} dimensions, and NumPy takes {MAX_NDIM}; flatten some of them"
        ));
    }
    DType::size_of_sub_array(&sub.base, &sub.shape)?;
    count_brackets(&sub.base).map(|brackets| brackets.max(1))
}

/// Refuses a field that NumPy takes for padding, as it has no name.
fn refuse_padding(field: &Field) -> Result<(), String> {
    let is_padding = descr::is_void(&field.dtype)
        && field.title.is_none()
        && *field.exact_name() == Text::new("");
    match is_padding {
        true => Err("a field of raw bytes or of a sub-array has no name, and would be read as padding; name it".into()),
        false => Ok(()),
    }
}
