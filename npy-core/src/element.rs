//! Layer 4: a Rust type and the packed little-endian bytes of one item.

pub(crate) mod block;
mod boxed;
#[cfg(feature = "num-complex")]
mod complex;
pub mod endian;
pub(crate) mod fit;
pub(crate) mod float8;
#[cfg(feature = "half")]
mod half;
pub(crate) mod layout;
pub(crate) mod longdouble;
pub(crate) mod parts;
pub(crate) mod record;
pub(crate) mod scalar;
pub(crate) mod text;
pub mod time;
pub(crate) mod ucs4;
pub(crate) mod void;
pub(crate) mod width;

use std::slice;

use crate::dtype::{ByteOrder, DType};
use crate::element::parts::Parts;
use crate::limits::MAX_ITEMSIZE;
use crate::schema::Schema;
use crate::view::Plain;

/// A type that is one item of an array: it has a dtype, and its values are `SIZE` bytes.
///
/// Derive it ([`NpyRecord`](macro@crate::NpyRecord)) for structs. What implements it, and which dtype each has, stands
/// in [`types`](crate::types): the numbers, times, text and raw bytes, and arrays `[T; N]` and `Box<[T; N]>` of elements (NumPy's
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
    note = "`String`, `Vec<u8>`: `#[npy(width = 16)]` on the field, for up to so many characters or bytes; `&str`: make it a `String`",
    note = "`Vec<T>`, `&[T]`: `[T; N]`, or `Box<[T; N]>` if it is large; its length is part of the dtype",
    note = "`Option<T>`: `T`, with a value that stands for none (NaN, NaT, -1), or a `bool` field beside it",
    note = "`usize`, `isize`: `u64`, `i64`, which are the same on every machine; `char`: `u32`; `u128`: `[u64; 2]`",
    note = "anything else: `#[npy(skip)]` leaves the field out, `#[npy(with = module)]` stores it as something else"
)]
pub trait Element: Sized {
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

    /// The dtype in this byte order, and how it is found in files that have not just that.
    #[doc(hidden)]
    fn schema(order: ByteOrder) -> Schema {
        Schema::plain(Self::dtype_in(order))
    }

    /// The proof that values in memory are canonical items, if the compiler knows that they are.
    #[doc(hidden)]
    const __PLAIN: Option<Plain<Self>> = None;

    /// The same, also where it takes a look at the dtype.
    #[doc(hidden)]
    fn __plain() -> Option<Plain<Self>> {
        Self::__PLAIN
    }

    /// How many bytes of an item stay where they lie [in parts](Element::__parts).
    #[doc(hidden)]
    const __LYING: usize = 0;

    /// [`encode`](Element::encode), but for large values that are canonical items as they lie.
    ///
    /// # Errors
    ///
    /// As `encode`.
    #[doc(hidden)]
    fn __parts<'v>(&'v self, parts: &mut Parts<'v>) -> Result<(), InvalidValue> {
        parts.encode(Self::SIZE, |item| self.encode(item))
    }

    /// Whether [`check`](Element::check) and `__decode` take items of which every number is big-endian, and
    /// [`encode`](Element::encode) writes every byte but padding: so it is for types of this crate and records of them.
    #[doc(hidden)]
    const __TURNS: bool = false;

    /// [`decode`](Element::decode), of such an item if `TURNED`: what turns on its way is not turned before.
    #[doc(hidden)]
    #[inline]
    fn __decode<const TURNED: bool>(item: &[u8]) -> Self {
        Self::decode(item)
    }

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
    const __TURNS: bool = T::__TURNS;
    const __PLAIN: Option<Plain<Self>> = Plain::repeated(T::__PLAIN);
    const __LYING: usize = match Self::__PLAIN {
        Some(_) if Self::SIZE >= parts::LARGE => Self::SIZE,
        _ => T::__LYING.saturating_mul(N),
    };

    fn dtype() -> DType {
        Self::dtype_in(ByteOrder::Little)
    }

    fn dtype_in(order: ByteOrder) -> DType {
        T::dtype_in(order).repeated(N)
    }

    fn schema(order: ByteOrder) -> Schema {
        T::schema(order).repeated(N)
    }

    fn __plain() -> Option<Plain<Self>> {
        Plain::repeated(T::__plain())
    }

    fn __parts<'v>(&'v self, parts: &mut Parts<'v>) -> Result<(), InvalidValue> {
        match Self::__PLAIN {
            Some(plain) if Self::SIZE >= parts::LARGE => {
                parts.lie(plain.bytes(slice::from_ref(self)));
                Ok(())
            }
            _ if T::__LYING > 0 => self.iter().try_for_each(|value| value.__parts(parts)),
            _ => parts.encode(Self::SIZE, |item| self.encode(item)),
        }
    }

    #[inline]
    fn __decode<const TURNED: bool>(item: &[u8]) -> Self {
        match item.get(..Self::SIZE) {
            // Of a length that the compiler knows: it checks nothing in the loop, and moves many at a time.
            Some(item) => std::array::from_fn(|i| nth_value::<T, N, TURNED>(item, i)),
            None => std::array::from_fn(|i| nth_value::<T, N, TURNED>(item, i)),
        }
    }

    #[inline]
    fn decode(item: &[u8]) -> Self {
        Self::__decode::<false>(item)
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

/// The `i`th of `N` values.
#[inline]
fn nth_value<T: Element, const N: usize, const TURNED: bool>(item: &[u8], i: usize) -> T {
    // `i` is never more; without saying so the compiler does not know it in the middle of a loop.
    T::__decode::<TURNED>(nth(item, i.min(N.saturating_sub(1)), T::SIZE))
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
