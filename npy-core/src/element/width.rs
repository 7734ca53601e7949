//! `String` and `Vec<u8>` in fields of a fixed width, for `#[npy(width = N)]` and `#[npy(width = any)]`.
//!
//! NumPy pads with zeros and drops all trailing zeros. A value that ends with a zero would come back shorter, so it is refused.

use std::marker::PhantomData;

use crate::dtype::{ByteOrder, DType, Scalar, ScalarKind, descr};
use crate::element::InvalidValue;
use crate::element::text::{excerpt, without_zeros};
use crate::element::ucs4;
use crate::limits::MAX_ITEMSIZE;
use crate::schema::{ANY_WIDTH_PREFIX, MAX_ANY_WIDTH, ReadRules, Schema, Widths};

/// Stores values of the type `Value` in items. Unlike an [`Element`](crate::Element), a codec is not the type of its values.
pub trait Codec {
    /// The type of the values.
    type Value: 'static;
    /// The dtype without its width, and the functions that read and write items.
    const FORMAT: Format<Self::Value>;
    /// The size of an item in bytes.
    const SIZE: usize;
    /// The alignment in a C struct.
    const ALIGN: usize = Self::FORMAT.unit;
    /// True if items have no byte order, so that big-endian items need no byte-swap.
    const SWAPS: bool = Self::FORMAT.unit == 1;

    /// Returns the dtype. Narrower text is read as well, because it is the same text with less padding.
    fn schema(order: ByteOrder) -> Schema {
        let dtype = DType::from(Scalar::ordered(Self::FORMAT.kind, Self::SIZE, order));
        Schema { dtype, rules: ReadRules { widths: Widths::UpTo, ..ReadRules::default() } }
    }

    /// Returns the value of an item that [`check`](Self::check) has accepted.
    fn decode(item: &[u8]) -> Self::Value {
        (Self::FORMAT.decode)(item)
    }

    /// Stores a value.
    ///
    /// # Errors
    ///
    /// [`InvalidValue`] if the value is too long or ends with a NUL.
    fn encode(value: &Self::Value, item: &mut [u8]) -> Result<(), InvalidValue> {
        (Self::FORMAT.encode)(value, item)
    }

    /// Refuses an item that does not hold a value.
    ///
    /// # Errors
    ///
    /// [`InvalidValue`] for such an item.
    fn check(item: &[u8]) -> Result<(), InvalidValue> {
        (Self::FORMAT.check)(item)
    }
}

/// The dtype kind of items that hold values of `T`, and the functions that read and write them.
#[derive(Debug)]
pub struct Format<T> {
    kind: ScalarKind,
    /// The number of bytes in one unit of the width: 4 for a character, 1 for a byte.
    unit: usize,
    decode: fn(&[u8]) -> T,
    encode: fn(&T, &mut [u8]) -> Result<(), InvalidValue>,
    check: fn(&[u8]) -> Result<(), InvalidValue>,
}

/// A type that `#[npy(width = N)]` stores: a `String` as `<UN`, a `Vec<u8>` as `|SN`.
#[diagnostic::on_unimplemented(
    message = "`width` is for a `String` or a `Vec<u8>`, not for `{Self}`",
    label = "this type has its own width, or none: remove `width`",
    note = "text of a fixed width has no missing value: instead of an `Option<String>` use a `String`, which may be empty"
)]
pub trait Wide: Sized + 'static {
    /// The format of its items.
    const FORMAT: Format<Self>;
}

/// A type that `#[npy(width = N, bytes)]` stores: a `String` as `|SN`.
#[diagnostic::on_unimplemented(
    message = "`bytes` is for a `String`, not for `{Self}`",
    label = "a `Vec<u8>` is always stored as bytes, and other types never: remove `bytes`"
)]
pub trait WideBytes: Wide {
    /// The format of its items.
    const BYTES: Format<Self>;
}

/// Stores a `T` in `N` characters or bytes.
#[derive(Debug)]
pub struct Width<T, const N: usize>(PhantomData<T>);

/// Stores a `T` in `N` bytes.
#[derive(Debug)]
pub struct WidthBytes<T, const N: usize>(PhantomData<T>);

impl<T: Wide, const N: usize> Codec for Width<T, N> {
    type Value = T;
    const FORMAT: Format<T> = T::FORMAT;
    const SIZE: usize = fits(N.saturating_mul(T::FORMAT.unit));
}

impl<T: WideBytes, const N: usize> Codec for WidthBytes<T, N> {
    type Value = T;
    const FORMAT: Format<T> = T::BYTES;
    const SIZE: usize = fits(N);
}

/// Stores values in the format of `C`, for `#[npy(width = any)]`: items of any width up to 4096
/// bytes can be read, and none can be written.
#[derive(Debug)]
pub struct AnyWidth<C>(PhantomData<C>);

impl<C: Codec> Codec for AnyWidth<C> {
    type Value = C::Value;
    const FORMAT: Format<C::Value> = C::FORMAT;
    const SIZE: usize = ANY_WIDTH_PREFIX + MAX_ANY_WIDTH;
    const SWAPS: bool = false;

    fn schema(order: ByteOrder) -> Schema {
        let dtype = DType::from(Scalar::ordered(C::FORMAT.kind, 0, order));
        Schema { dtype, rules: ReadRules { widths: Widths::Any, ..ReadRules::default() } }
    }

    fn decode(item: &[u8]) -> C::Value {
        C::decode(sized_text(item))
    }

    /// Stores a default value. A struct with this field is never written.
    fn encode(value: &C::Value, item: &mut [u8]) -> Result<(), InvalidValue> {
        let Some((prefix, text)) = item.split_first_chunk_mut() else { return Ok(()) };
        C::encode(value, text)?;
        let size = without_zeros(text).len().next_multiple_of(C::FORMAT.unit);
        *prefix = u32::try_from(size).unwrap_or(u32::MAX).to_le_bytes();
        Ok(())
    }

    fn check(item: &[u8]) -> Result<(), InvalidValue> {
        C::check(sized_text(item))
    }
}

/// Returns the text in a canonical item of [`AnyWidth`]: the bytes after the prefix, which states
/// how many.
fn sized_text(item: &[u8]) -> &[u8] {
    let Some((prefix, text)) = item.split_first_chunk() else { return &[] };
    let size = usize::try_from(u32::from_le_bytes(*prefix)).unwrap_or(usize::MAX);
    debug_assert!(size <= text.len(), "the plan states the size of a text");
    text.get(..size).unwrap_or(text)
}

/// Returns `size`. A size that is too large for an item is a compile error.
const fn fits(size: usize) -> usize {
    assert!(size <= MAX_ITEMSIZE, "`width` makes an item larger than NumPy's 2147483647 bytes");
    size
}

impl Wide for String {
    const FORMAT: Format<Self> = Format {
        kind: ScalarKind::Str,
        unit: 4,
        decode: |item| ucs4::text(item).unwrap_or_default(),
        encode: |text, item| store_chars(text, item),
        check: ucs4::check,
    };
}

impl WideBytes for String {
    const BYTES: Format<Self> = Format {
        kind: ScalarKind::Bytes,
        unit: 1,
        decode: |item| String::from_utf8_lossy(without_zeros(item)).into_owned(),
        encode: |text, item| store(text.as_bytes(), item, || format!("{text:?}")),
        check: |item| {
            let bytes = without_zeros(item);
            match std::str::from_utf8(bytes) {
                Ok(_) => Ok(()),
                Err(_) => Err(InvalidValue::new(format!(
                    "{} is not UTF-8, and a String can only hold that; read the field as a Vec<u8>",
                    excerpt(bytes)
                ))),
            }
        },
    };
}

impl Wide for Vec<u8> {
    const FORMAT: Format<Self> = Format {
        kind: ScalarKind::Bytes,
        unit: 1,
        decode: |item| without_zeros(item).to_vec(),
        encode: |bytes, item| store_bytes(bytes, item),
        check: |_| Ok(()),
    };
}

/// Stores text as code points, padded with zeros.
///
/// # Errors
///
/// [`InvalidValue`] if the text is too long or ends with a NUL.
pub(crate) fn store_chars(text: &str, item: &mut [u8]) -> Result<(), InvalidValue> {
    let (count, width) = (text.chars().count(), item.len() / 4);
    check_fits(count, width, text.ends_with('\0'), "characters", || format!("{text:?}"))?;
    ucs4::write(text.chars(), item);
    Ok(())
}

/// Stores bytes, padded with zeros.
///
/// # Errors
///
/// [`InvalidValue`] if there are too many bytes or the last one is zero.
pub(crate) fn store_bytes(bytes: &[u8], item: &mut [u8]) -> Result<(), InvalidValue> {
    store(bytes, item, || excerpt(bytes))
}

fn store(
    bytes: &[u8],
    item: &mut [u8],
    shown: impl FnOnce() -> String,
) -> Result<(), InvalidValue> {
    check_fits(bytes.len(), item.len(), bytes.ends_with(&[0]), "bytes", shown)?;
    // Writes the padding too, because the item may hold the bytes of another value.
    let padded = bytes.iter().copied().chain(std::iter::repeat(0));
    item.iter_mut().zip(padded).for_each(|(slot, byte)| *slot = byte);
    Ok(())
}

/// Refuses a value that is too long, or that would lose a trailing zero.
fn check_fits(
    length: usize,
    width: usize,
    ends_with_zero: bool,
    unit: &str,
    shown: impl FnOnce() -> String,
) -> Result<(), InvalidValue> {
    let fault = if length > width {
        format!("has {length} {unit}, but `width` is {width}; shorten it or raise `width`")
    } else if ends_with_zero {
        "ends with a NUL, which NumPy would drop; trim it".to_owned()
    } else {
        return Ok(());
    };
    Err(InvalidValue::new(format!("{} {fault}", descr::excerpt(&shown()))))
}

#[cfg(test)]
mod tests {
    use super::*;

    type Chars<const N: usize> = Width<String, N>;
    type Utf8<const N: usize> = WidthBytes<String, N>;
    type Bytes<const N: usize> = Width<Vec<u8>, N>;

    /// Returns the item of a text, which is encoded into a buffer of bytes that are not zero.
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
            "\"abcd\" has 4 characters, but `width` is 3; shorten it or raise `width`"
        );
        assert!(chars("a\0").unwrap_err().contains("ends with a NUL"));
        for (bytes, shown) in [([0, 0xd8, 0, 0], "0xd800"), ([0, 0, 0x11, 0], "0x110000")] {
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

    /// Guards that only the text of an item is read: the bytes after the text have no meaning.
    #[test]
    fn text_of_any_width_ends_with_its_size() {
        type Any = AnyWidth<Chars<0>>;
        let mut item = vec![0xff; Any::SIZE];
        Any::encode(&"aé".to_owned(), &mut item).unwrap();
        assert_eq!(item[..13], [8, 0, 0, 0, b'a', 0, 0, 0, 0xe9, 0, 0, 0, 0]);
        item[12..].fill(0xff);
        Any::check(&item).unwrap();
        assert_eq!(Any::decode(&item), "aé");
        // Missing bytes count as zero.
        assert_eq!(Any::decode(&[]), "");
        assert_eq!(Any::schema(ByteOrder::Big).dtype.to_string(), ">U0");
        assert!(Any::encode(&"a".repeat(1025), &mut item).is_err());

        type AnyBytes = AnyWidth<Bytes<0>>;
        AnyBytes::encode(&vec![0, 7], &mut item).unwrap();
        assert_eq!(item[..7], [2, 0, 0, 0, 0, 7, 0]);
        assert_eq!(AnyBytes::decode(&item), [0, 7]);
    }
}
