//! The trait [`Element`]: Rust types that are elements of arrays, and the bytes of their items.

pub(crate) mod advice;
mod array;
pub(crate) mod block;
pub(crate) mod bool8;
pub(crate) mod cast;
mod complex;
pub(crate) mod decode;
pub mod endian;
#[cfg(feature = "objects")]
pub(crate) mod exact;
pub(crate) mod float8;
#[cfg(feature = "half")]
mod half;
mod invalid;
pub(crate) mod item_shape;
pub(crate) mod layout;
pub(crate) mod longdouble;
mod macros;
pub(crate) mod record;
pub(crate) mod scalar;
pub(crate) mod single;
pub(crate) mod text;
pub mod time;
pub(crate) mod type_info;
pub(crate) mod typed_plan;
pub(crate) mod ucs4;
pub(crate) mod void;
pub(crate) mod width;

use crate::dtype::{ByteOrder, DType};
use crate::schema::Schema;
use cast::Plain;
pub use invalid::InvalidValue;

/// A type that can be an element of an array: it has a dtype, whose items have `SIZE` bytes.
///
/// Derive it ([`NpyRecord`](macro@crate::NpyRecord)) for structs. [`types`](crate::types) lists the
/// types of this crate and of other crates that implement this trait, with their dtypes.
///
/// `decode` and `encode` work on *canonical* bytes: the layout of the type's dtype with all numbers
/// little-endian, whatever byte order the dtype states. The bytes of a file may differ in byte
/// order, field order and padding; the library converts them to canonical bytes first.
///
/// # Example
///
/// A type that is stored as an `f32`:
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
#[cfg_attr(
    not(feature = "derive"),
    diagnostic::on_unimplemented(note = "the derive macros of npy-core need its feature `derive`")
)]
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a NumPy item: it has no dtype",
    label = "`npy_core::Element` is not implemented for this type; on a struct of your own: `#[derive(npy_core::NpyRecord)]`; for any other type, see the notes",
    note = "for `!` or `()`, which means that no type is named, name that of an element; for `usize` or `isize`, use `u64` or `i64`, which have the same size on every machine; for `char`, `FixedStr<1>` (`<U1`) or `u32`; for `u128`, `[u64; 2]` or `Void<16>` (`V16`); for `Option<T>`, `T` with a value that means none (NaN, NaT, -1), or with a `bool` field next to it; for Python's `None` in an array of objects, `npy_core::object::load` into a struct of serde",
    note = "for `Vec<T>` or `&[T]` in a struct, use `[T; N]`, or `Box<[T; N]>` if it is large; for lists of lists, `npy_core::NpyArray::new(data, [rows, columns])`",
    note = "for `String` or `Vec<u8>` in a struct, use `#[npy(width = 16)]` on the field, for up to 16 characters or bytes; for `&str`, a `String`; for an array of text, a `Vec<String>` or `npy_core::NpyArray<String>`, read with `npy_core::load`; for a column or an element of text, `npy_core::FixedStr<N>` (`<U`) or `npy_core::ByteStr<N>` (`|S`)",
    note = "for a complex number of num-complex 0.4 or an `f16` of half 2, turn on the feature `num-complex` or `half` of npy-core; for a time, use `npy_core::DateTime64<U>` or `TimeDelta64<U>`, which convert to and from those of other crates",
    note = "for an enum without fields, use `#[derive(npy_core::NpyElement)]` and `#[repr(u8)]`; for a tuple, a struct of your own; for anything else, `#[npy(skip)]`, which leaves the field out, or `#[npy(with = module)]`, which stores it as another type"
)]
pub trait Element: Sized + Send {
    /// The size of a canonical item in bytes: the item size of the dtype.
    const SIZE: usize;

    /// The alignment that `np.dtype(…, align=True)` gives a field of this type, in bytes.
    const ALIGN: usize = 1;

    /// Returns the dtype that is written for this type. Every call returns the same dtype.
    ///
    /// ```
    /// use npy_core::{Element, NpyRecord};
    ///
    /// #[derive(NpyRecord)]
    /// struct Pick {
    ///     station: u32,
    ///     gain: f32,
    /// }
    ///
    /// assert_eq!(Pick::dtype().to_string(), "[('station', '<u4'), ('gain', '<f4')]");
    /// ```
    fn dtype() -> DType;

    /// Returns the dtype in this byte order. The library calls this function to write a record or
    /// an array in that order.
    ///
    /// The default ignores `order`, like a type that states a byte order of its own (`#[npy(endian = "big")]`).
    ///
    /// ```
    /// use npy_core::{ByteOrder, Element};
    ///
    /// assert_eq!(f64::dtype_in(ByteOrder::Big).to_string(), ">f8");
    /// ```
    fn dtype_in(order: ByteOrder) -> DType {
        let _ = order;
        Self::dtype()
    }

    /// Details that only the library uses. Generated code sets them.
    #[doc(hidden)]
    const __INTERNALS: Internals<Self> = Internals::DEFAULT;

    /// Returns the value of a canonical item of `SIZE` bytes. Missing bytes count as zero.
    ///
    /// ```
    /// use npy_core::Element;
    ///
    /// assert_eq!(u16::decode(&[1, 2]), 0x0201);
    /// ```
    fn decode(item: &[u8]) -> Self;

    /// Writes the value as a canonical item of `SIZE` bytes. The bytes are zero before the call, and padding must stay zero.
    ///
    /// ```
    /// use npy_core::Element;
    ///
    /// let mut item = [0; 2];
    /// 0x0201u16.encode(&mut item)?;
    /// assert_eq!(item, [1, 2]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidValue`] if the dtype cannot hold this value.
    fn encode(&self, item: &mut [u8]) -> Result<(), InvalidValue>;

    /// Refuses canonical items that are not values of this type.
    ///
    /// The library passes each item to this function before [`Element::decode`], which may rely on
    /// the check, and after [`Element::encode`], so that no value is written that cannot be read. One
    /// call checks one item or more.
    ///
    /// ```
    /// use npy_core::Element;
    ///
    /// assert!(u16::check(&[0xff; 4]).is_ok());
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidValue`] for the first such item; [`InvalidValue::at_item`] sets its index.
    fn check(items: &[u8]) -> Result<(), InvalidValue> {
        let _ = items;
        Ok(())
    }
}

/// The details of an [`Element`] that only the library uses. A type that implements `Element` by hand has the default.
#[derive(Debug)]
pub struct Internals<T> {
    pub(super) schema: fn(ByteOrder) -> Schema,
    decode_swapped: Option<fn(&[u8]) -> T>,
    plain: fn() -> Option<Plain<T>>,
}

impl<T: Element> Internals<T> {
    /// The details of a type that implements only the public members of [`Element`].
    pub const DEFAULT: Self = Internals {
        schema: |order| Schema::plain(T::dtype_in(order)),
        decode_swapped: None,
        plain: || None,
    };

    /// Sets the function that returns the schema: the dtype, and the rules for reading it.
    #[must_use]
    pub const fn with_schema(self, schema: fn(ByteOrder) -> Schema) -> Self {
        Internals { schema, ..self }
    }

    /// If `swaps`, adds a [`decode`](Element::decode) for items whose numbers are all big-endian.
    /// The caller sets `swaps` if every part of the type has such a function. Then
    /// [`check`](Element::check) must accept big-endian items, too, and
    /// [`encode`](Element::encode) must write every byte except padding.
    #[must_use]
    pub const fn with_swapped_if(self, swaps: bool, decode: fn(&[u8]) -> T) -> Self {
        Internals { decode_swapped: if swaps { Some(decode) } else { None }, ..self }
    }

    /// Adds the function that returns the proof that values in memory are canonical items. The
    /// function returns `None` if they are not.
    #[must_use]
    pub const fn with_plain(self, plain: fn() -> Option<Plain<T>>) -> Self {
        Internals { plain, ..self }
    }
}

// Without `T: Element`, so that the compiler reports a field without a dtype only once.
impl<T> Internals<T> {
    /// Returns the schema of the type, with numbers in this byte order.
    pub fn schema(&self, order: ByteOrder) -> Schema {
        (self.schema)(order)
    }

    /// Returns true if big-endian items can be decoded without swapping their bytes first.
    pub const fn swaps(&self) -> bool {
        self.decode_swapped.is_some()
    }

    /// Returns the value of a canonical item; if `SWAPPED`, of an item whose numbers are all big-endian.
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

    /// Returns the proof that values in memory are canonical items; `None` if they are not.
    pub fn plain(&self) -> Option<Plain<T>> {
        (self.plain)()
    }
}

/// Returns the name of a type without its modules: `Vec<Trace<4>>`.
pub(crate) fn type_name<T: ?Sized>() -> String {
    without_modules(std::any::type_name::<T>())
}

fn without_modules(name: &str) -> String {
    let is_end = |c: char| !c.is_alphanumeric() && c != '_' && c != ':';
    let paths = name.split_inclusive(is_end);
    paths.map(|path| path.rsplit("::").next().unwrap_or(path)).collect()
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
