//! Layer 4: a Rust type and the packed little-endian bytes of one item.

mod array;
pub(crate) mod block;
mod boxed;
pub(crate) mod cast;
#[cfg(feature = "num-complex")]
mod complex;
pub(crate) mod decode;
pub mod endian;
pub(crate) mod float8;
#[cfg(feature = "half")]
mod half;
mod invalid;
pub(crate) mod item_shape;
pub(crate) mod layout;
pub(crate) mod longdouble;
pub(crate) mod record;
pub(crate) mod scalar;
pub(crate) mod single;
pub(crate) mod text;
pub mod time;
pub(crate) mod typed_plan;
pub(crate) mod ucs4;
pub(crate) mod void;
pub(crate) mod width;

use crate::dtype::{ByteOrder, DType};
use crate::schema::Schema;
use cast::Plain;
pub use invalid::InvalidValue;

/// A type that is one item of an array: it has a dtype, and its values are `SIZE` bytes.
///
/// Derive it ([`NpyRecord`](macro@crate::NpyRecord)) for structs. [`types`](crate::types) lists what implements it, and which dtype each has: the numbers, times, text and raw bytes, and arrays `[T; N]` and `Box<[T; N]>` of elements (NumPy's
/// sub-arrays).
///
/// `decode` and `encode` speak *canonical* bytes: what the type's dtype lays out, with every number
/// little-endian, whatever byte order the dtype states. Turning a file's bytes into canonical ones
/// (other byte order, other field order, padding) is done before, and knows nothing of Rust types.
///
/// # Example
///
/// A type that is stored as another one:
///
/// ```
/// use npy_core::{DType, Element, InvalidValue};
///
/// #[derive(Debug, PartialEq)]
/// struct Celsius(f32);
///
/// impl Element for Celsius {
///     const SIZE: usize = f32::SIZE;
///     fn dtype() -> DType {
///         f32::dtype()
///     }
///     fn decode(item: &[u8]) -> Self {
///         Celsius(f32::decode(item))
///     }
///     fn encode(&self, item: &mut [u8]) -> Result<(), InvalidValue> {
///         self.0.encode(item)
///     }
/// }
///
/// let mut item = [0; Celsius::SIZE];
/// Celsius(21.5).encode(&mut item)?;
/// assert_eq!(Celsius::decode(&item), Celsius(21.5));
/// # Ok::<(), InvalidValue>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a NumPy item: it has no dtype",
    label = "`npy_core::Element` is not implemented for this type",
    note = "a struct of your own: `#[derive(npy_core::NpyRecord)]` on it",
    note = "an enum without fields: `#[derive(npy_core::NpyElement)]` and `#[repr(u8)]` on it",
    note = "`String`, `Vec<u8>`: `#[npy(width = 16)]` on the field, for up to 16 characters or bytes; `&str`: make it a `String`",
    note = "`Vec<T>`, `&[T]`: `[T; N]`, or `Box<[T; N]>` if it is large; its length is part of the dtype",
    note = "`Option<T>`: `T`, with a value that stands for none (NaN, NaT, -1), or a `bool` field next to it",
    note = "`usize`, `isize`: `u64`, `i64`, which are the same on every machine; `char`: `u32`; `u128`: `[u64; 2]`",
    note = "anything else: `#[npy(skip)]` leaves the field out, `#[npy(with = module)]` stores it as something else"
)]
pub trait Element: Sized + Send {
    /// Bytes of one canonical item: the item size of the dtype.
    const SIZE: usize;

    /// The alignment that `np.dtype(…, align=True)` gives a field of this type, in bytes.
    const ALIGN: usize = 1;

    /// The dtype that is written for this type: the same whenever it is asked for.
    fn dtype() -> DType;

    /// The dtype inside something that states a byte order.
    ///
    /// A type that states its own (`#[npy(endian = "big")]`) keeps it; the default is [`Element::dtype`].
    fn dtype_in(order: ByteOrder) -> DType {
        let _ = order;
        Self::dtype()
    }

    /// What the library knows of the type beyond the other members; generated code sets it.
    #[doc(hidden)]
    const __INTERNALS: Internals<Self> = Internals::DEFAULT;

    /// The value of one canonical item of `SIZE` bytes. Bytes that are missing count as zero.
    fn decode(item: &[u8]) -> Self;

    /// Writes the value as one canonical item of `SIZE` bytes, which arrive as zeros. Padding is left as it is.
    ///
    /// # Errors
    ///
    /// [`InvalidValue`] if the dtype cannot hold this value.
    fn encode(&self, item: &mut [u8]) -> Result<(), InvalidValue>;

    /// Looks for items that are no value of this type, in a run of canonical items.
    ///
    /// Called once a block and before [`Element::decode`], which may then take any bytes as valid.
    ///
    /// # Errors
    ///
    /// [`InvalidValue`] for the first such item; [`InvalidValue::at_item`] says which.
    fn check(items: &[u8]) -> Result<(), InvalidValue> {
        let _ = items;
        Ok(())
    }
}

/// What [`Element`] has for the library alone, in one constant. A type that implements `Element` by hand has the default.
#[derive(Debug)]
pub struct Internals<T> {
    pub(super) schema: fn(ByteOrder) -> Schema,
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
}

// Without `T: Element`, so that of a field that has no dtype the compiler says only that.
impl<T> Internals<T> {
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
    pub fn decode<const SWAPPED: bool>(&self, item: &[u8]) -> T
    where
        T: Element,
    {
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

/// The name of a type without its modules: `Vec<Trace<4>>`.
pub(crate) fn type_name<T: ?Sized>() -> String {
    let mut short = String::new();
    let mut word = 0;
    let mut before = ' ';
    for c in std::any::type_name::<T>().chars() {
        if c == ':' && before == ':' {
            short.truncate(word);
        } else if c != ':' {
            short.push(c);
            if !c.is_alphanumeric() && c != '_' {
                word = short.len();
            }
        }
        before = c;
    }
    short
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lose_their_modules() {
        assert_eq!(type_name::<Vec<Option<f32>>>(), "Vec<Option<f32>>");
        assert_eq!(type_name::<[crate::ByteStr<3>; 2]>(), "[ByteStr<3>; 2]");
        assert_eq!(type_name::<(u8, String)>(), "(u8, String)");
    }
}
