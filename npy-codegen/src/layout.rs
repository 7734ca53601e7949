//! The fields of a record that a struct can have, and how it gets their positions in the file.

use npy_core::dtype::{DType, Field, Scalar, ScalarKind};

/// The positions of the fields of a record.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Layout {
    Packed,
    /// As in C.
    Aligned,
    /// Packed, with the attributes `offset` and `itemsize` where there are gaps.
    Stated,
    /// The positions of the file are not kept: a field has another size in Rust, or the struct derives `Deserialize`.
    Free,
}

/// Returns true if Rust has the scalar only in another size: long doubles of 12 bytes.
pub(crate) fn is_resized(scalar: Scalar) -> bool {
    let kind = (scalar.kind(), scalar.itemsize());
    matches!(kind, (ScalarKind::Float, 12) | (ScalarKind::Complex, 24))
}

/// Returns how a struct gets the layout of the file.
pub(crate) fn of(dtype: &DType) -> Layout {
    with_alignment(dtype).0
}

/// Also returns the alignment of the struct. Both in one pass: otherwise each level of nested records would double the time.
fn with_alignment(dtype: &DType) -> (Layout, usize) {
    if has_resized(dtype) {
        return (Layout::Free, 1);
    }
    if alignment_that_fits(dtype, |_| 1).is_some() {
        return (Layout::Packed, 1);
    }
    match alignment_that_fits(dtype, alignment) {
        Some(align) if !is_blank(dtype) => (Layout::Aligned, align),
        _ => (Layout::Stated, 1),
    }
}

/// Returns the largest alignment of a field, if each field is at the first multiple of its own after the field before it.
fn alignment_that_fits(dtype: &DType, align: fn(&DType) -> usize) -> Option<usize> {
    let (mut end, mut largest) = (0usize, 1);
    for field in dtype.fields().iter().filter(|field| is_in_rust(field)) {
        let of_field = align(field.dtype());
        largest = largest.max(of_field);
        if field.offset() != end.next_multiple_of(of_field) {
            return None;
        }
        end = self::end(field);
    }
    (dtype.itemsize() == end.next_multiple_of(largest)).then_some(largest)
}

/// Returns the alignment of the generated type in a struct with `align`.
fn alignment(dtype: &DType) -> usize {
    if let Some((base, _)) = dtype.sub_array() {
        return alignment(base);
    }
    let Some(scalar) = dtype.scalar() else { return with_alignment(dtype).1 };
    match scalar.kind() {
        ScalarKind::Bytes => 1,
        ScalarKind::Void if scalar.byte_order().is_some() && scalar.itemsize() == 2 => 2,
        ScalarKind::Void => 1,
        ScalarKind::Str => 4,
        ScalarKind::Complex => scalar.itemsize() / 2,
        _ => scalar.itemsize().max(1),
    }
}

/// Returns true if the dtype contains a scalar that Rust has only in another size.
fn has_resized(dtype: &DType) -> bool {
    match (dtype.scalar(), dtype.sub_array()) {
        (Some(&scalar), _) => is_resized(scalar),
        (_, Some((base, _))) => has_resized(base),
        _ => dtype.fields().iter().any(|field| has_resized(field.dtype())),
    }
}

/// Returns the offset of the first byte after the field, which is within its record.
pub(crate) fn end(field: &Field) -> usize {
    field.offset().saturating_add(field.dtype().itemsize())
}

/// Returns true if a struct can have the field: its name is valid Unicode, and it is not a record without such fields.
pub(crate) fn is_in_rust(field: &Field) -> bool {
    field.has_exact_name() && !is_blank(base(field.dtype()))
}

/// Returns true for a record without a field that a struct can have. Only `DynArray` reads an array of them.
pub(crate) fn is_blank(dtype: &DType) -> bool {
    dtype.is_record() && !dtype.fields().iter().any(is_in_rust)
}

/// Returns the dtype of the elements of a sub-array, or the dtype itself.
pub(crate) fn base(dtype: &DType) -> &DType {
    let mut base = dtype;
    while let Some((inner, _)) = base.sub_array() {
        base = inner;
    }
    base
}
