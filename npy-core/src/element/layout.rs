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
    let field = FieldLayout { name, title: None, offset: 0, size, align, flattened: &[] };
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

/// Refuses fields of one name, where a flattened record brings its own.
// As above.
#[expect(clippy::indexing_slicing, clippy::arithmetic_side_effects)]
pub const fn distinct(
    fields: &'static [FieldLayout],
    message: &'static str,
) -> &'static [FieldLayout] {
    let mut i = 0;
    while i < fields.len() {
        if !fields[i].flattened.is_empty() {
            let mut j = 0;
            while j < fields.len() {
                let shared = i != j && share_a_name(fields[i].flattened, &fields[j]);
                assert!(!shared, "{}", message);
                j += 1;
            }
        }
        i += 1;
    }
    fields
}

/// Whether one of the fields has a name that the other one has, or a field in it.
// As above.
#[expect(clippy::indexing_slicing, clippy::arithmetic_side_effects)]
const fn share_a_name(fields: &[FieldLayout], other: &FieldLayout) -> bool {
    let mut i = 0;
    while i < fields.len() {
        let one = &fields[i];
        let shared = if !one.flattened.is_empty() {
            share_a_name(one.flattened, other)
        } else if !other.flattened.is_empty() {
            share_a_name(other.flattened, one)
        } else {
            same(one.name.as_bytes(), other.name.as_bytes())
        };
        if shared {
            return true;
        }
        i += 1;
    }
    false
}

/// `==`, for the compiler to run.
// As above.
#[expect(clippy::indexing_slicing, clippy::arithmetic_side_effects)]
const fn same(a: &[u8], b: &[u8]) -> bool {
    let mut i = 0;
    while i < a.len() && i < b.len() {
        if a[i] != b[i] {
            return false;
        }
        i += 1;
    }
    a.len() == b.len()
}
