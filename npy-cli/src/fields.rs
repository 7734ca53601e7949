//! The fields of records that become another dtype, for advice.

use npy_core::dtype::Field;
use npy_core::{Cast, DType};

/// Returns the names of the fields that become a dtype without fields, and their dtypes then. Those that lose nothing come first.
pub(crate) fn that_become<'d>(
    records: &'d DType,
    wanted: &'d DType,
) -> impl Iterator<Item = (&'d str, DType)> {
    let by = move |cast| {
        let fields = records.flat().0.fields().iter();
        fields.filter_map(move |field| Some((field.name(), converted(field, wanted, cast)?)))
    };
    let is_plain = !wanted.flat().0.is_record();
    let casts = [Cast::Lossless, Cast::Checked].into_iter().filter(move |_| is_plain);
    casts.flat_map(by)
}

/// Returns the dtype of a field after its conversion, which keeps its dimensions; `None` if the cast does not convert it.
pub(crate) fn converted(field: &Field, wanted: &DType, cast: Cast) -> Option<DType> {
    let (dtype, inner) = field.dtype().flat();
    dtype.converts_to(wanted, cast).ok()?;
    if inner.is_empty() { Some(wanted.clone()) } else { wanted.array(inner).ok() }
}
