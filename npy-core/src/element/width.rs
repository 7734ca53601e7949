//! Layer 4: `String` and `Vec<u8>` in fields of a fixed width, for `#[npy(width = N)]`.
//!
//! NumPy fills up with zeros and takes all zeros at the end for that, so a value that ends with one could not be read again, and
//! is refused.

use std::marker::PhantomData;

use crate::dtype::{ByteOrder, DType, Scalar, ScalarKind};
use crate::element::InvalidValue;
use crate::element::text::without_zeros;
use crate::limits::MAX_ITEMSIZE;
use crate::schema::Schema;

/// Bytes of a code point.
const UNIT: usize = 4;

/// What stores values of a type in items: what an [`Element`](crate::Element) has, for a value of another type.
pub trait Codec {
    /// The type of the values.
    type Value;
    /// Bytes of an item.
    const SIZE: usize;
    /// The alignment in a C struct.
    const ALIGN: usize;
    /// Whether items of which every number is big-endian are the same: there is no number.
    const SWAPS: bool;

    /// The dtype.
    fn schema(order: ByteOrder) -> Schema;

    /// The value of an item that was checked.
    fn decode(item: &[u8]) -> Self::Value;

    /// Stores a value.
    ///
    /// # Errors
    ///
    /// [`InvalidValue`] if it is too long or ends with a NUL.
    fn encode(value: &Self::Value, item: &mut [u8]) -> Result<(), InvalidValue>;

    /// Looks for an item that is no value.
    ///
    /// # Errors
    ///
    /// [`InvalidValue`] for one that is none.
    fn check(item: &[u8]) -> Result<(), InvalidValue>;
}

/// A type that `#[npy(width = N)]` stores: a `String` as `<UN`, a `Vec<u8>` as `|SN`.
#[diagnostic::on_unimplemented(
    message = "`width` is for a `String` or a `Vec<u8>`, not for `{Self}`",
    label = "the width of this type is its own, or not known: drop `width`"
)]
pub trait Wide: Sized {
    /// What it is in a file.
    const KIND: ScalarKind;
    /// Bytes of what the width counts.
    const UNIT: usize;

    /// See [`Codec::decode`].
    fn decode(item: &[u8]) -> Self;

    /// See [`Codec::encode`].
    ///
    /// # Errors
    ///
    /// As there.
    fn encode(&self, item: &mut [u8]) -> Result<(), InvalidValue>;

    /// See [`Codec::check`].
    ///
    /// # Errors
    ///
    /// As there.
    fn check(item: &[u8]) -> Result<(), InvalidValue>;
}

/// A type that `#[npy(width = N, bytes)]` stores: a `String` as `|SN`.
#[diagnostic::on_unimplemented(
    message = "`bytes` is for a `String`, not for `{Self}`",
    label = "a `Vec<u8>` is stored as bytes in any case, and no other type so: drop `bytes`"
)]
pub trait WideBytes: Wide {
    /// See [`Codec::decode`].
    fn decode_bytes(item: &[u8]) -> Self;

    /// See [`Codec::encode`].
    ///
    /// # Errors
    ///
    /// As there.
    fn encode_bytes(&self, item: &mut [u8]) -> Result<(), InvalidValue>;

    /// See [`Codec::check`].
    ///
    /// # Errors
    ///
    /// As there.
    fn check_bytes(item: &[u8]) -> Result<(), InvalidValue>;
}

/// Stores a `T` in `N` characters or bytes.
pub struct Width<T, const N: usize>(PhantomData<T>);

/// Stores a `T` in `N` bytes.
pub struct WidthBytes<T, const N: usize>(PhantomData<T>);

impl<T: Wide, const N: usize> Codec for Width<T, N> {
    type Value = T;
    const SIZE: usize = fits(N.saturating_mul(T::UNIT));
    const ALIGN: usize = T::UNIT;
    const SWAPS: bool = T::UNIT == 1;

    fn schema(order: ByteOrder) -> Schema {
        plain(T::KIND, Self::SIZE, order)
    }

    fn decode(item: &[u8]) -> T {
        T::decode(item)
    }

    fn encode(value: &T, item: &mut [u8]) -> Result<(), InvalidValue> {
        value.encode(item)
    }

    fn check(item: &[u8]) -> Result<(), InvalidValue> {
        T::check(item)
    }
}

impl<T: WideBytes, const N: usize> Codec for WidthBytes<T, N> {
    type Value = T;
    const SIZE: usize = fits(N);
    const ALIGN: usize = 1;
    const SWAPS: bool = true;

    fn schema(order: ByteOrder) -> Schema {
        plain(ScalarKind::Bytes, Self::SIZE, order)
    }

    fn decode(item: &[u8]) -> T {
        T::decode_bytes(item)
    }

    fn encode(value: &T, item: &mut [u8]) -> Result<(), InvalidValue> {
        value.encode_bytes(item)
    }

    fn check(item: &[u8]) -> Result<(), InvalidValue> {
        T::check_bytes(item)
    }
}

impl Wide for String {
    const KIND: ScalarKind = ScalarKind::Str;
    const UNIT: usize = UNIT;

    fn decode(item: &[u8]) -> Self {
        code_points(item).filter_map(char::from_u32).collect()
    }

    fn encode(&self, item: &mut [u8]) -> Result<(), InvalidValue> {
        store_chars(self, item)
    }

    fn check(item: &[u8]) -> Result<(), InvalidValue> {
        match code_points(item).find(|&c| char::from_u32(c).is_none()) {
            None => Ok(()),
            Some(c) => Err(InvalidValue::new(format!(
                "U+{c:04X} is no character, and a String can only hold those; read the file as a DynArray, or mend it with NumPy"
            ))),
        }
    }
}

impl WideBytes for String {
    fn decode_bytes(item: &[u8]) -> Self {
        String::from_utf8_lossy(without_zeros(item)).into_owned()
    }

    fn encode_bytes(&self, item: &mut [u8]) -> Result<(), InvalidValue> {
        store(self.as_bytes(), item, || format!("{self:?}"))
    }

    fn check_bytes(item: &[u8]) -> Result<(), InvalidValue> {
        let bytes = without_zeros(item);
        match std::str::from_utf8(bytes) {
            Ok(_) => Ok(()),
            Err(_) => Err(InvalidValue::new(format!(
                "b\"{}\" is not UTF-8, and a String can only hold that; read the field as a Vec<u8>",
                bytes.escape_ascii()
            ))),
        }
    }
}

impl Wide for Vec<u8> {
    const KIND: ScalarKind = ScalarKind::Bytes;
    const UNIT: usize = 1;

    fn decode(item: &[u8]) -> Self {
        without_zeros(item).to_vec()
    }

    fn encode(&self, item: &mut [u8]) -> Result<(), InvalidValue> {
        store_bytes(self, item)
    }

    /// Any bytes are some.
    fn check(_: &[u8]) -> Result<(), InvalidValue> {
        Ok(())
    }
}

/// A size that an item can have.
const fn fits(size: usize) -> usize {
    assert!(size <= MAX_ITEMSIZE, "`width` makes an item larger than NumPy's 2147483647 bytes");
    size
}

fn plain(kind: ScalarKind, size: usize, order: ByteOrder) -> Schema {
    Schema::plain(DType::from(Scalar::ordered(kind, size, order)))
}

/// Stores text as the code points that the item has room for.
///
/// # Errors
///
/// [`InvalidValue`] if it is too long or ends with a NUL.
pub(crate) fn store_chars(text: &str, item: &mut [u8]) -> Result<(), InvalidValue> {
    let units = item.as_chunks_mut::<UNIT>().0;
    let count = text.chars().count();
    fitting(count, units.len(), text.ends_with('\0'), "characters", || format!("{text:?}"))?;
    let chars = text.chars().map(u32::from).chain(std::iter::repeat(0));
    units.iter_mut().zip(chars).for_each(|(unit, c)| *unit = c.to_le_bytes());
    Ok(())
}

/// Stores bytes as those that the item has room for.
///
/// # Errors
///
/// [`InvalidValue`] if they are too many or end with a zero.
pub(crate) fn store_bytes(bytes: &[u8], item: &mut [u8]) -> Result<(), InvalidValue> {
    store(bytes, item, || format!("b\"{}\"", bytes.escape_ascii()))
}

fn store(
    bytes: &[u8],
    item: &mut [u8],
    shown: impl FnOnce() -> String,
) -> Result<(), InvalidValue> {
    fitting(bytes.len(), item.len(), bytes.ends_with(&[0]), "bytes", shown)?;
    // Zeros behind them, also where another value was.
    let bytes = bytes.iter().copied().chain(std::iter::repeat(0));
    item.iter_mut().zip(bytes).for_each(|(slot, byte)| *slot = byte);
    Ok(())
}

/// Refuses a value that would not be read as it was.
fn fitting(
    length: usize,
    width: usize,
    ends_with_zero: bool,
    unit: &str,
    shown: impl FnOnce() -> String,
) -> Result<(), InvalidValue> {
    if length > width {
        let shown = crate::dtype::descr::excerpt(&shown());
        let reason = format!("{shown} has {length} {unit}, and `width` leaves room for {width}");
        return Err(InvalidValue::new(reason));
    }
    if ends_with_zero {
        let shown = crate::dtype::descr::excerpt(&shown());
        let reason = format!("{shown} ends with a NUL, which NumPy takes for no part of it");
        return Err(InvalidValue::new(reason));
    }
    Ok(())
}

/// The code points without the zeros at the end.
fn code_points(item: &[u8]) -> impl Iterator<Item = u32> {
    let units = item.as_chunks::<UNIT>().0;
    let zeros = units.iter().rev().take_while(|unit| **unit == [0; UNIT]).count();
    let units = units.get(..units.len().saturating_sub(zeros)).unwrap_or_default();
    units.iter().map(|unit| u32::from_le_bytes(*unit))
}

#[cfg(test)]
mod tests {
    use super::*;

    type Chars<const N: usize> = Width<String, N>;
    type Utf8<const N: usize> = WidthBytes<String, N>;
    type Bytes<const N: usize> = Width<Vec<u8>, N>;

    /// The item that stands for a text, on top of other bytes.
    fn chars(text: &str) -> Result<Vec<u8>, String> {
        let mut item = vec![0xff; Chars::<3>::SIZE];
        Chars::<3>::encode(&text.to_owned(), &mut item)
            .map(|()| item)
            .map_err(|error| error.to_string())
    }

    #[test]
    fn text_is_code_points_and_zeros() {
        for text in ["", "a", "é𝄞", "abc", "\0b"] {
            let item = chars(text).unwrap();
            Chars::<3>::check(&item).unwrap();
            assert_eq!(Chars::<3>::decode(&item), text);
        }
        assert_eq!(chars("a").unwrap(), [97, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
        assert_eq!(
            chars("abcd").unwrap_err(),
            "\"abcd\" has 4 characters, and `width` leaves room for 3"
        );
        assert!(chars("a\0").unwrap_err().contains("ends with a NUL"));
        for (bytes, shown) in [([0, 0xd8, 0, 0], "U+D800"), ([0, 0, 0x11, 0], "U+110000")] {
            assert!(Chars::<1>::check(&bytes).unwrap_err().to_string().contains(shown));
        }
        assert_eq!(Chars::<3>::schema(ByteOrder::Big).dtype.to_string(), ">U3");
    }

    #[test]
    fn text_in_bytes_is_utf8() {
        let mut item = [0xff; 4];
        Utf8::<4>::encode(&"aé".into(), &mut item).unwrap();
        assert_eq!(item, [b'a', 0xc3, 0xa9, 0]);
        assert_eq!(Utf8::<4>::decode(&item), "aé");
        assert!(
            Utf8::<4>::encode(&"éée".into(), &mut item)
                .unwrap_err()
                .to_string()
                .contains("5 bytes")
        );
        let error = Utf8::<4>::check(&[b'a', 0xe9, 0, 0]).unwrap_err();
        assert!(error.to_string().starts_with(r#"b"a\xe9" is not UTF-8"#), "{error}");
        assert_eq!(Utf8::<4>::schema(ByteOrder::Big).dtype.to_string(), "|S4");
    }

    #[test]
    fn bytes_are_any() {
        let mut item = [0xff; 3];
        Bytes::<3>::encode(&vec![0, 0xe9], &mut item).unwrap();
        assert_eq!(item, [0, 0xe9, 0]);
        assert_eq!(Bytes::<3>::decode(&item), [0, 0xe9]);
        assert!(Bytes::<3>::encode(&vec![1, 0], &mut item).is_err());
        assert!(Bytes::<3>::encode(&vec![1; 4], &mut item).is_err());
    }
}
