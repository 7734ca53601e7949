//! Arrays that can be viewed in place as Rust values: where they are in the bytes of a file, and why one cannot be.

use std::ops::Range;

use crate::checked;
use crate::dtype::difference::differences;
use crate::dtype::rust_type::{rust_type, viewed_type};
use crate::dtype::{ByteOrder, DType};
use crate::element::cast::zero_copy::{ZeroCopy, is_aligned, is_same};
use crate::element::item_shape::ItemShape;
use crate::element::type_name;
use crate::element::typed_plan::TypedPlan;
use crate::error::{Error, ErrorKind, Place, Places, ViewError};
use crate::header::{DataSize, Header};
use crate::limits::{self, Limits};
use crate::plan::Cast;
use crate::shape::Order;

/// An array that was found in the bytes of a file: the range of its data and its dimensions.
pub(crate) struct Located {
    #[cfg(feature = "mmap")]
    pub(crate) header: Header,
    /// The range of the data.
    pub(crate) data: Range<usize>,
    /// The number of values.
    pub(crate) count: usize,
    /// The dimensions, without those of the type.
    pub(crate) shape: Vec<usize>,
    pub(crate) order: Order,
}

/// Follows the name of a call in a message, when the array may be in memory. For a file, the path is named instead.
pub(crate) const OF_BYTES: &str = " (of bytes: read_npy_from)";

/// Finds the array of the `.npy` file at the start of these bytes. Returns an error if it cannot be
/// viewed as values of `T`.
pub(crate) fn locate<T: ZeroCopy>(
    file: &[u8],
    headerless: Option<Header>,
    limits: &Limits,
) -> Result<Located, ViewError> {
    let (header, start) = match headerless {
        Some(header) => (header, 0),
        None => Header::parse_with(file, limits)?,
    };
    let plan = TypedPlan::new::<T>(&header, Cast::Exact).map_err(|error| {
        let item = ItemShape::of(&T::memory_dtype());
        let found = match item.outer(&header, String::new) {
            Ok(_) => item.in_file(header.dtype()),
            Err(_) => header.dtype().clone(),
        };
        to_read_a_copy(error, &found)
    })?;
    let copy = || {
        let whole = if plan.ndim == 1 { "Vec" } else { "NpyArray" };
        format!("{whole}::<{}>::read_npy{OF_BYTES}", type_name::<T>())
    };
    check_layout::<T>(&plan.found, plan.is_strided, copy)?;
    let shape = plan.shape(&header).to_vec();
    let count = limits::to_usize(plan.items.count)?;
    if size_of::<T>() == 0 {
        limits.check_empty_items(count, 0)?;
    }
    limits.check_array(header.data_bytes())?;
    let data = data_range(&header, start, file)?;
    check_address::<T>(checked::slice(file, data.clone()), copy)?;
    Ok(Located {
        #[cfg(feature = "mmap")]
        header,
        data,
        count,
        shape,
        order: plan.order,
    })
}

/// Replaces an advice that a view cannot follow. `found` is the dtype of a value in the file.
fn to_read_a_copy(error: Error, found: &DType) -> Error {
    const FIELDS: &str = "a view needs exactly the fields of the file: change the struct, or read a copy, which can have defaults";
    for_view(error, found).map_kind(|kind| match kind {
        ErrorKind::MissingField { name, wanted_by, fields, .. } => {
            ErrorKind::MissingField { name, wanted_by, fields, remedy: FIELDS.into() }
        }
        other => other,
    })
}

/// Replaces an advice for another type or a cast: a view has fewer types, and no casts.
pub(crate) fn for_view(error: Error, found: &DType) -> Error {
    let (mut found, mut what) = (found, "Rust type");
    for place in error.places() {
        if let Place::Field(name) = place
            && let Some(field) = found.flat().0.field(name)
        {
            (found, what) = (field.dtype(), "field");
        }
    }
    error.map_kind(|mut kind| {
        match &mut kind {
            ErrorKind::Mismatch { remedy, .. } => *remedy = advice(remedy, what, found),
            // Its elements can be viewed in any shape.
            ErrorKind::Rank { remedy, .. } => *remedy = advice(remedy, what, found.flat().0),
            _ => {}
        }
        kind
    })
}

/// Returns the advice of a view, in the place of that for a copy.
fn advice(for_copy: &str, what: &str, found: &DType) -> String {
    const COPY: &str =
        "a view converts nothing: read a copy with ReadOptions::new().cast(Cast::Checked)";
    let is_cast = for_copy.contains("cast(");
    let change = format!("change the {what} to ");
    match (viewed_type(found), rust_type(found)) {
        (Some(held), _) if is_cast => format!("{COPY}, or {change}{held}"),
        (Some(held), _) => match for_copy.split_once(", or ") {
            Some((start, other)) if start.starts_with(&change) => {
                format!("{change}{held}, or {other}")
            }
            _ => change + &held,
        },
        (None, _) if is_cast => COPY.into(),
        (None, _) if found.flat().0.is_record() => for_copy.into(),
        (None, Some(held)) => format!(
            "a view cannot hold it: open the file as MapAny or read a copy, and {change}{held}"
        ),
        (None, None) => format!("open the file as MapAny or read a copy, and {for_copy}"),
    }
}

/// Returns the range of the data, which begins at `start`. Returns an error if the file ends before
/// the data.
pub(crate) fn data_range(
    header: &Header,
    start: usize,
    file: &[u8],
) -> Result<Range<usize>, ViewError> {
    let rest = checked::sub(file.len(), start);
    let (expected, found) = (header.data_bytes(), limits::to_u64(rest));
    if expected > found {
        let (what, remedy) = DataSize::of(header).missing(found);
        return Err(ViewError::Short { what, expected, found, remedy });
    }
    Ok(start..checked::add(start, checked::narrow(expected)))
}

/// Returns an error if the values in the file, of dtype `found`, have another layout than `T` in
/// memory. `copy` names the call that copies them instead.
pub(crate) fn check_layout<T: ZeroCopy>(
    found: &DType,
    is_strided: bool,
    copy: impl FnOnce() -> String,
) -> Result<(), ViewError> {
    let memory = T::memory_dtype();
    // Fields of the file that are padding in memory stay as they are, unless a skipped field is there, which may be written.
    let bytes = |dtype: &DType| limits::to_u64(dtype.packed().itemsize());
    let whole = |dtype: &DType| limits::to_u64(dtype.itemsize());
    let fills = T::PADDED
        || bytes(found).checked_mul(whole(&memory)) == bytes(&memory).checked_mul(whole(found));
    if !is_strided && fills && is_same(found, &memory) {
        return Ok(());
    }
    let little = |dtype: &DType| dtype.with_byte_order(ByteOrder::Little);
    let only_swapped = !is_strided && is_same(&little(found), &little(&memory));
    let is_shortened = |text: &str| text.ends_with('…');
    let (wanted_by, copy) = (type_name::<T>(), copy());
    let difference = differences(found, &memory, &wanted_by, true).into_iter().next();
    let (mut found, wanted) = (found.excerpt(), memory.excerpt());
    if is_strided {
        found.push_str(" in Fortran order, so its parts are strided");
    } else if let Some(difference) = difference.filter(|_| is_shortened(&found)) {
        // Both texts may begin alike.
        found.push_str(&format!(" ({difference})"));
    }
    let places = Places::default();
    Err(if only_swapped {
        ViewError::ByteOrder { found, wanted, wanted_by, copy, places }
    } else {
        ViewError::Layout { found, wanted, wanted_by, copy, places }
    })
}

/// Returns an error if the bytes are not aligned for `T`. `copy` names the call that copies them
/// instead.
pub(crate) fn check_address<T>(
    bytes: &[u8],
    copy: impl FnOnce() -> String,
) -> Result<(), ViewError> {
    if is_aligned::<T>(bytes) {
        return Ok(());
    }
    let align = align_of::<T>();
    let past = bytes.as_ptr().addr().checked_rem(align).unwrap_or_default();
    let (wanted_by, places) = (type_name::<T>(), Places::default());
    Err(ViewError::Misaligned { align, past, wanted_by, copy: copy(), places })
}
