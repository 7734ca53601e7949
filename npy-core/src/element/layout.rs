//! Layer 4: where the fields of a record stand. The compiler runs this: what is wrong is an error of its.

use crate::element::record::FieldLayout;
use crate::limits::MAX_ITEMSIZE;

/// Where the fields of a record stand.
#[derive(Clone, Copy)]
pub enum Packing {
    /// Side by side.
    Packed,
    /// Where C puts them: each at a multiple of its alignment.
    Aligned,
}

/// A field of this name, or without one a flattened record of these fields.
pub const fn field(name: &'static str, size: usize, align: usize) -> Place {
    let keys = [if name.is_empty() { 0 } else { key(name) }, 0];
    let field = FieldLayout { name, title: None, offset: 0, size, align, flattened: &[], keys };
    Place { field, at: None }
}

/// A field whose place is not known yet.
#[derive(Clone, Copy)]
pub struct Place {
    field: FieldLayout,
    /// The offset that is stated, and what is to say if the field cannot stand there.
    at: Option<(usize, &'static str)>,
}

impl Place {
    /// With a title.
    #[must_use]
    pub const fn title(mut self, title: &'static str) -> Self {
        self.field.title = Some(title);
        self.field.keys[1] = key(title);
        self
    }

    /// A record of these fields, which take its place.
    #[must_use]
    pub const fn flatten(mut self, fields: &'static [FieldLayout]) -> Self {
        self.field.flattened = fields;
        self
    }

    /// At this offset; the message is for one where it cannot stand.
    #[must_use]
    pub const fn at(mut self, offset: usize, message: &'static str) -> Self {
        self.at = Some((offset, message));
        self
    }
}

// Run by the compiler, to which an overflow or a bad index is an error, as is an assertion.
#[expect(clippy::indexing_slicing, clippy::arithmetic_side_effects)]
impl Packing {
    /// The layouts of these fields.
    pub const fn layout<const N: usize>(self, places: [Place; N]) -> [FieldLayout; N] {
        let mut fields = [field("", 0, 1).field; N];
        let mut end = 0usize;
        let mut i = 0;
        while i < N {
            fields[i] = places[i].field;
            let align = match self {
                Packing::Packed => 1,
                Packing::Aligned => fields[i].align,
            };
            fields[i].offset = match places[i].at {
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

    /// The alignment of a record of these fields.
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

/// Bytes of a record that states them; the message is for what cannot be.
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

/// Refuses fields of one name or title, where a flattened record brings its own.
// As above.
#[expect(clippy::indexing_slicing, clippy::arithmetic_side_effects)]
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

/// Whether the two have a name or title in common, they or the fields in them.
// As above.
#[expect(clippy::indexing_slicing, clippy::arithmetic_side_effects)]
const fn share_a_name(one: &FieldLayout, other: &FieldLayout) -> bool {
    let (inner, outer) = if one.flattened.is_empty() { (other, one) } else { (one, other) };
    if inner.flattened.is_empty() {
        let (a, b) = (inner.keys, outer.keys);
        return same(a[0], b[0]) || same(a[0], b[1]) || same(a[1], b[0]) || same(a[1], b[1]);
    }
    let mut i = 0;
    while i < inner.flattened.len() {
        if share_a_name(&inner.flattened[i], outer) {
            return true;
        }
        i += 1;
    }
    false
}

/// Whether two keys are the same; none is none's.
const fn same(a: u64, b: u64) -> bool {
    a == b && a != 0
}

/// A number that stands for a name: comparing those is what the compiler can do for hundreds of fields (FNV-1a).
// As above.
#[expect(clippy::indexing_slicing, clippy::arithmetic_side_effects)]
const fn key(name: &str) -> u64 {
    let bytes = name.as_bytes();
    let mut hash = 0xcbf2_9ce4_8422_2325u64;
    let mut i = 0;
    while i < bytes.len() {
        hash = (hash ^ bytes[i] as u64).wrapping_mul(0x0100_0000_01b3);
        i += 1;
    }
    // Zero stands for none.
    hash | 1
}
