//! Layer 4: a Rust type and the packed little-endian bytes of one item.

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
pub(crate) mod internals;
pub(crate) mod item_shape;
pub(crate) mod layout;
pub(crate) mod longdouble;
pub(crate) mod record;
pub(crate) mod scalar;
pub(crate) mod text;
pub mod time;
pub(crate) mod typed_plan;
pub(crate) mod ucs4;
pub(crate) mod void;
pub(crate) mod width;

use crate::dtype::{ByteOrder, DType};
use crate::limits::MAX_ITEMSIZE;
use crate::view::Plain;
use internals::Internals;

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

/// A value that a dtype cannot hold, or bytes that are no value of a type.
///
/// ```
/// use npy_core::InvalidValue;
///
/// let error = InvalidValue::new("9 is no variant of Phase").in_field("phase").in_field("pick");
/// assert_eq!(error.to_string(), r#"field "pick.phase": 9 is no variant of Phase"#);
/// ```
// Boxed: `encode` returns it by value in the hottest loop.
#[derive(Debug)]
pub struct InvalidValue(Box<Invalid>);

#[derive(Debug)]
struct Invalid {
    item: usize,
    field: String,
    reason: String,
}

impl InvalidValue {
    /// An invalid value, and why.
    pub fn new(reason: impl Into<String>) -> Self {
        InvalidValue(Box::new(Invalid { item: 0, field: String::new(), reason: reason.into() }))
    }

    /// The same, in this field of a record. Inner fields come first.
    #[must_use]
    pub fn in_field(mut self, name: &str) -> Self {
        let inner = std::mem::take(&mut self.0.field);
        self.0.field = if inner.is_empty() { name.to_owned() } else { format!("{name}.{inner}") };
        self
    }

    /// The same, in the item of this index within what was checked.
    #[must_use]
    pub fn at_item(mut self, index: usize) -> Self {
        self.0.item = index;
        self
    }

    /// The index of the item within what was checked or encoded.
    pub fn item(&self) -> usize {
        self.0.item
    }

    /// The path of the field (`"hdr.gain"`); empty outside a record.
    pub fn field(&self) -> &str {
        &self.0.field
    }

    /// Why the value is invalid.
    pub fn reason(&self) -> &str {
        &self.0.reason
    }
}

impl std::fmt::Display for InvalidValue {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if !self.field().is_empty() {
            write!(f, "field {:?}: ", self.field())?;
        }
        f.write_str(self.reason())
    }
}

impl std::error::Error for InvalidValue {}

/// Calls a macro with the types that, by themselves, are an array without dimensions.
macro_rules! for_each_single {
    ($macro:ident) => {
        $macro! {
            [] bool, [] i8, [] i16, [] i32, [] i64, [] u8, [] u16, [] u32, [] u64, [] f32, [] f64,
            [T: crate::element::endian::Number] crate::element::endian::Le<T>,
            [T: crate::element::endian::Number] crate::element::endian::Be<T>,
            [] crate::element::longdouble::LongDouble, [] crate::element::longdouble::ComplexLongDouble,
            [] crate::element::float8::Float8,
            [const N: usize] crate::element::text::ByteStr<N>,
            [const N: usize] crate::element::ucs4::FixedStr<N>,
            [const N: usize] crate::element::void::Void<N>,
            [U: crate::element::time::TimeUnit] crate::element::time::DateTime64<U>,
            [U: crate::element::time::TimeUnit] crate::element::time::TimeDelta64<U>,
        }
        #[cfg(feature = "half")]
        $macro! { [] half::f16, [] half::bf16 }
        #[cfg(feature = "num-complex")]
        $macro! { [] num_complex::Complex<f32>, [] num_complex::Complex<f64> }
    };
}
pub(crate) use for_each_single;

/// NumPy's sub-array: `N` items side by side. An array of arrays is one sub-array of two dimensions.
impl<T: Element, const N: usize> Element for [T; N] {
    const SIZE: usize = {
        const {
            assert!(
                T::SIZE.saturating_mul(N) <= MAX_ITEMSIZE,
                "an item is larger than 2147483647 bytes"
            )
        };
        T::SIZE.saturating_mul(N)
    };
    const ALIGN: usize = T::ALIGN;
    const __INTERNALS: Internals<Self> = Internals::DEFAULT
        .with_schema(|order| T::__INTERNALS.schema(order).repeated(N))
        .with_swapped_if(T::__INTERNALS.swaps(), decode_array::<T, N, true>)
        .with_plain(|| T::__INTERNALS.plain().map(Plain::repeated));

    fn dtype() -> DType {
        Self::dtype_in(ByteOrder::Little)
    }

    fn dtype_in(order: ByteOrder) -> DType {
        T::dtype_in(order).repeated(N)
    }

    #[inline]
    fn decode(item: &[u8]) -> Self {
        decode_array::<T, N, false>(item)
    }

    #[inline]
    fn encode(&self, item: &mut [u8]) -> Result<(), InvalidValue> {
        for (i, value) in self.iter().enumerate() {
            value.encode(nth_mut(item, i, T::SIZE))?;
        }
        Ok(())
    }

    #[inline]
    fn check(items: &[u8]) -> Result<(), InvalidValue> {
        T::check(items).map_err(|e| {
            let item = e.item().checked_div(N).unwrap_or(0);
            e.at_item(item)
        })
    }
}

/// The `N` values of an item, whose numbers are big-endian if `SWAPPED`.
#[inline]
fn decode_array<T: Element, const N: usize, const SWAPPED: bool>(item: &[u8]) -> [T; N] {
    match item.get(..<[T; N]>::SIZE) {
        // Of a length that the compiler knows: it checks nothing in the loop, and moves many at a time.
        Some(item) => std::array::from_fn(|i| nth_value::<T, N, SWAPPED>(item, i)),
        None => std::array::from_fn(|i| nth_value::<T, N, SWAPPED>(item, i)),
    }
}

/// The `i`th of `N` values.
#[inline]
fn nth_value<T: Element, const N: usize, const SWAPPED: bool>(item: &[u8], i: usize) -> T {
    // `i` is never more; without saying so the compiler does not know it in the middle of a loop.
    T::__INTERNALS.decode::<SWAPPED>(nth(item, i.min(N.saturating_sub(1)), T::SIZE))
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

/// The `i`th run of `size` bytes; what is missing is left out.
#[inline]
fn nth(item: &[u8], i: usize, size: usize) -> &[u8] {
    let start = i.saturating_mul(size);
    item.get(start..start.saturating_add(size)).unwrap_or_default()
}

/// [`nth`], to write into.
#[inline]
fn nth_mut(item: &mut [u8], i: usize, size: usize) -> &mut [u8] {
    let start = i.saturating_mul(size);
    item.get_mut(start..start.saturating_add(size)).unwrap_or_default()
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
