//! The positions of the fields of a record. The compiler evaluates these functions, so a wrong layout is a compile error.

// An overflow or a bad index is a compile error, too.
#![expect(clippy::indexing_slicing, clippy::arithmetic_side_effects)]

use crate::element::record::FieldLayout;
use crate::limits::MAX_ITEMSIZE;

/// The rule for the positions of the fields of a record.
#[derive(Clone, Copy, Debug)]
pub enum Packing {
    /// Fields follow each other without gaps.
    Packed,
    /// Each field is at a multiple of its alignment, as in C.
    Aligned,
}

/// Creates the declaration of a field.
pub const fn field(name: &'static str, size: usize, align: usize) -> FieldDecl {
    let keys = [key(name), 0];
    let field = FieldLayout { name, title: None, offset: 0, size, align, flattened: &[], keys };
    FieldDecl { field, at: None }
}

/// A field as it is declared: its layout without the offset, which an attribute may state.
#[derive(Clone, Copy, Debug)]
pub struct FieldDecl {
    field: FieldLayout,
    /// The offset from an attribute, and the error if the field cannot be there.
    at: Option<(usize, &'static str)>,
}

impl FieldDecl {
    /// Adds a title.
    #[must_use]
    pub const fn title(mut self, title: &'static str) -> Self {
        self.field.title = Some(title);
        self.field.keys[1] = key(title);
        self
    }

    /// Makes the field a flattened record of these fields; its own name is not used.
    #[must_use]
    pub const fn flatten(mut self, fields: &'static [FieldLayout]) -> Self {
        self.field.flattened = fields;
        self.field.keys[0] = 0;
        self
    }

    /// Sets the offset; `message` is the error if the field cannot be there.
    #[must_use]
    pub const fn at(mut self, offset: usize, message: &'static str) -> Self {
        self.at = Some((offset, message));
        self
    }
}

impl Packing {
    /// Returns the layouts of these fields.
    pub const fn layout<const N: usize>(self, declared: [FieldDecl; N]) -> [FieldLayout; N] {
        let mut fields = [field("", 0, 1).field; N];
        let mut end = 0usize;
        let mut i = 0;
        while i < N {
            fields[i] = declared[i].field;
            let align = match self {
                Packing::Packed => 1,
                Packing::Aligned => fields[i].align,
            };
            fields[i].offset = match declared[i].at {
                Some((at, message)) => {
                    assert!(at >= end && at.is_multiple_of(align), "{}", message);
                    at
                }
                None => end.next_multiple_of(align),
            };
            end = fields[i].offset + fields[i].size;
            i += 1;
        }
        fields
    }

    /// Returns the alignment of a record of these fields.
    pub const fn align(self, fields: &[FieldLayout]) -> usize {
        let mut most = 1;
        let mut rest = fields;
        while let ([field, others @ ..], Packing::Aligned) = (rest, self) {
            if field.align > most {
                most = field.align;
            }
            rest = others;
        }
        most
    }
}

/// Returns the size of a record of these fields, rounded up to its alignment.
pub const fn size(fields: &[FieldLayout], align: usize) -> usize {
    let size = match fields {
        [.., last] => (last.offset + last.size).next_multiple_of(align),
        [] => 0,
    };
    assert!(size <= MAX_ITEMSIZE, "a record is larger than NumPy's limit of 2147483647 bytes");
    size
}

/// Returns `stated`, the size of a record. `message` is the error if the fields do not fit, or if
/// the size is too large or not a multiple of the alignment.
pub const fn stated_size(
    fields: &[FieldLayout],
    align: usize,
    stated: usize,
    message: &'static str,
) -> usize {
    let fits = size(fields, align) <= stated && stated <= MAX_ITEMSIZE;
    assert!(fits && stated.is_multiple_of(align), "{}", message);
    stated
}

/// Refuses a flattened record that has a name or title in common with another field of the struct.
/// The derive macro compares the fields that are not flattened.
pub const fn distinct(
    fields: &'static [FieldLayout],
    message: &'static str,
) -> &'static [FieldLayout] {
    let mut i = 0;
    while i < fields.len() {
        let mut j = i + 1;
        while j < fields.len() {
            let flat = !fields[i].flattened.is_empty() || !fields[j].flattened.is_empty();
            assert!(!flat || !share_a_name(&fields[i], &fields[j]), "{}", message);
            j += 1;
        }
        i += 1;
    }
    fields
}

/// Returns true if the fields, or the fields in them, have a name or title in common.
const fn share_a_name(one: &FieldLayout, other: &FieldLayout) -> bool {
    let (flat, other) = if one.flattened.is_empty() { (other, one) } else { (one, other) };
    if flat.flattened.is_empty() {
        let ([name, title], other) = (flat.keys, other.keys);
        return is_one_of(name, other) || is_one_of(title, other);
    }
    let mut i = 0;
    while i < flat.flattened.len() {
        if share_a_name(&flat.flattened[i], other) {
            return true;
        }
        i += 1;
    }
    false
}

/// Returns true if `key` is not zero and equals the key of the name or that of the title.
const fn is_one_of(key: u64, [name, title]: [u64; 2]) -> bool {
    key != 0 && (key == name || key == title)
}

/// Returns the FNV-1a hash of a name, with the lowest bit set. Hashes are compared instead of
/// names, as the names of hundreds of fields would take the compiler too many steps.
const fn key(name: &str) -> u64 {
    let bytes = name.as_bytes();
    let mut hash = 0xcbf2_9ce4_8422_2325u64;
    let mut i = 0;
    while i < bytes.len() {
        hash = (hash ^ bytes[i] as u64).wrapping_mul(0x0100_0000_01b3);
        i += 1;
    }
    // Zero means that there is no name.
    hash | 1
}
