//! Layer 4: what the library knows of an element type beyond the public members of its trait.

use super::Element;
use crate::dtype::ByteOrder;
use crate::schema::Schema;
use crate::view::Plain;

/// What [`Element`] has for the library alone, in one constant. A type that implements `Element` by hand has the default.
#[derive(Debug)]
pub struct Internals<T> {
    schema: fn(ByteOrder) -> Schema,
    decode_swapped: Option<fn(&[u8]) -> T>,
    plain: fn() -> Option<Plain<T>>,
}

impl<T: Element> Internals<T> {
    /// Only what the public members say.
    pub const DEFAULT: Self = Internals {
        schema: |order| Schema::plain(T::dtype_in(order)),
        decode_swapped: None,
        plain: || None,
    };

    /// Adds what the type asks of a file beyond its dtype.
    #[must_use]
    pub const fn with_schema(self, schema: fn(ByteOrder) -> Schema) -> Self {
        Internals { schema, ..self }
    }

    /// Adds [`decode`](Element::decode) for items whose numbers are all big-endian. [`check`](Element::check) must accept those, too, and [`encode`](Element::encode) must write
    /// every byte but padding.
    #[must_use]
    pub const fn with_swapped(self, decode: fn(&[u8]) -> T) -> Self {
        Internals { decode_swapped: Some(decode), ..self }
    }

    /// Adds [`with_swapped`](Self::with_swapped) if `swaps`: if all that the type consists of has it.
    #[must_use]
    pub const fn with_swapped_if(self, swaps: bool, decode: fn(&[u8]) -> T) -> Self {
        if swaps { self.with_swapped(decode) } else { self }
    }

    /// Adds what finds the proof that values in memory are canonical items, if they are.
    #[must_use]
    pub const fn with_plain(self, plain: fn() -> Option<Plain<T>>) -> Self {
        Internals { plain, ..self }
    }

    /// What the type asks of a file, with numbers in this byte order.
    pub fn schema(&self, order: ByteOrder) -> Schema {
        (self.schema)(order)
    }

    /// Whether big-endian items can be decoded without a swap before.
    pub const fn swaps(&self) -> bool {
        self.decode_swapped.is_some()
    }

    /// The value of a canonical item; if `SWAPPED`, of an item whose numbers are all big-endian.
    #[inline(always)]
    pub fn decode<const SWAPPED: bool>(&self, item: &[u8]) -> T {
        match self.decode_swapped {
            Some(decode) if SWAPPED => decode(item),
            _ => T::decode(item),
        }
    }

    /// The proof that values in memory are canonical items, if they are.
    pub fn plain(&self) -> Option<Plain<T>> {
        (self.plain)()
    }
}

/// What a plan for a type depends on: the function that makes its schema, and the item size that is compared with it.
///
/// Two types that share both have the same plan.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SchemaId {
    schema: fn(ByteOrder) -> Schema,
    size: usize,
}

impl SchemaId {
    /// Of a type. Not inlined, as each copy of the code may have a function of its own, at another address.
    #[inline(never)]
    pub(crate) fn of<T: Element>() -> Self {
        SchemaId { schema: T::__INTERNALS.schema, size: T::SIZE }
    }

    /// Whether both have the same schema.
    pub(crate) fn is(self, other: SchemaId) -> bool {
        std::ptr::fn_addr_eq(self.schema, other.schema) && self.size == other.size
    }
}
