//! Layer 8: what generated code calls. Not for people: it changes without notice.

use std::fmt::Display;

use crate::dtype::DType;
use crate::element::record::FieldLayout;
use crate::element::{Element, InvalidValue};
use crate::limits::MAX_ITEMSIZE;

/// Where the fields of a record stand.
#[derive(Clone, Copy)]
pub enum Packing {
    /// Side by side.
    Packed,
    /// Where C puts them: each at a multiple of its alignment.
    Aligned,
}

impl Packing {
    /// The alignment of a record whose fields have these.
    pub const fn align(self, aligns: &[usize]) -> usize {
        let mut most = 1;
        let mut rest = aligns;
        while let ([align, others @ ..], Packing::Aligned) = (rest, self) {
            if *align > most {
                most = *align;
            }
            rest = others;
        }
        most
    }

    /// The layouts of fields of these names, sizes and alignments.
    // Run by the compiler, to which an overflow or a bad index is an error.
    #[expect(clippy::indexing_slicing, clippy::arithmetic_side_effects)]
    pub const fn layout<const N: usize>(
        self,
        names: [&'static str; N],
        sizes: [usize; N],
        aligns: [usize; N],
    ) -> [FieldLayout; N] {
        let mut fields = [FieldLayout { name: "", offset: 0, size: 0 }; N];
        let mut end = 0usize;
        let mut i = 0;
        while i < N {
            let offset = match self {
                Packing::Packed => end,
                Packing::Aligned => end.next_multiple_of(aligns[i]),
            };
            fields[i] = FieldLayout { name: names[i], offset, size: sizes[i] };
            end = offset + sizes[i];
            i += 1;
        }
        fields
    }
}

/// Bytes of a record of these fields, rounded up to its alignment.
// As above.
#[expect(clippy::arithmetic_side_effects)]
pub const fn size(fields: &[FieldLayout], align: usize) -> usize {
    let size = match fields {
        [.., last] => (last.offset + last.size).next_multiple_of(align),
        [] => 0,
    };
    assert!(size <= MAX_ITEMSIZE, "a record is larger than NumPy's limit of 2147483647 bytes");
    size
}

/// The dtype of a record: these fields, and what each holds.
pub fn record<const N: usize>(fields: &[FieldLayout], size: usize, dtypes: [DType; N]) -> DType {
    let fields = fields.iter().zip(dtypes).map(|(field, dtype)| (field.name, field.offset, dtype));
    DType::from_fields(fields.collect(), size)
}

/// The bytes of one field of a record.
#[inline]
pub fn part(item: &[u8], field: FieldLayout) -> &[u8] {
    item.get(field.offset..field.offset.saturating_add(field.size)).unwrap_or_default()
}

/// [`part`], to write into.
#[inline]
pub fn part_mut(item: &mut [u8], field: FieldLayout) -> &mut [u8] {
    item.get_mut(field.offset..field.offset.saturating_add(field.size)).unwrap_or_default()
}

/// Names the field that a value is invalid in.
#[inline]
pub fn in_field(result: Result<(), InvalidValue>, field: FieldLayout) -> Result<(), InvalidValue> {
    result.map_err(|error| error.in_field(field.name))
}

/// Checks a run of integers, each of which must be a variant of the enum of this name.
#[inline]
pub fn check_variants<I: Element + Copy + Display>(
    items: &[u8],
    name: &str,
    is_variant: impl Fn(I) -> bool,
) -> Result<(), InvalidValue> {
    let mut values = items.chunks_exact(I::SIZE.max(1)).map(I::decode).enumerate();
    match values.find(|&(_, value)| !is_variant(value)) {
        None => Ok(()),
        Some((i, value)) => {
            Err(InvalidValue::new(format!("{value} is no variant of {name}")).at_item(i))
        }
    }
}

/// Checks a run of records one by one.
#[inline]
pub fn check(
    items: &[u8],
    size: usize,
    each: impl Fn(&[u8]) -> Result<(), InvalidValue>,
) -> Result<(), InvalidValue> {
    let mut records = items.chunks_exact(size.max(1)).enumerate();
    records.try_for_each(|(i, item)| each(item).map_err(|error| error.at_item(i)))
}
