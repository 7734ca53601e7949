//! Text of a fixed width, kept in place.

use std::fmt;

use crate::dtype::{DType, Scalar, ScalarKind};
use crate::element::cast::Plain;
use crate::element::{Element, Internals, InvalidValue};

/// Up to `N` bytes in place: NumPy's `|SN`. Shorter ones are filled up with zeros, which are not part of the value.
///
/// ```
/// use npy_core::{ByteStr, Element};
///
/// let station: ByteStr<5> = "RJOB".try_into()?;
/// assert_eq!(station, "RJOB");
/// assert_eq!(station.as_bytes(), b"RJOB");
/// assert_eq!(ByteStr::<5>::dtype().to_string(), "|S5");
/// assert!(ByteStr::<5>::new("too long").is_err());
/// # Ok::<(), npy_core::InvalidValue>(())
/// ```
// One representation a value, zeros at the end: what is derived compares values.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(transparent)]
pub struct ByteStr<const N: usize>([u8; N]);

impl<const N: usize> ByteStr<N> {
    /// These bytes, filled up with zeros.
    ///
    /// # Errors
    ///
    /// [`InvalidValue`] if there are more than `N`.
    pub fn new(bytes: impl AsRef<[u8]>) -> Result<Self, InvalidValue> {
        let bytes = bytes.as_ref();
        let mut array = [0; N];
        match array.get_mut(..bytes.len()) {
            Some(start) => start.copy_from_slice(bytes),
            None => {
                let (text, length) = (excerpt(bytes), bytes.len());
                let reason = format!("{text} has {length} bytes, and |S{N} holds {N}");
                return Err(InvalidValue::new(reason));
            }
        }
        Ok(ByteStr(array))
    }

    /// The bytes without the zeros at the end.
    pub fn as_bytes(&self) -> &[u8] {
        without_zeros(&self.0)
    }

    /// All `N` bytes.
    pub fn as_array(&self) -> &[u8; N] {
        &self.0
    }

    /// The bytes as text.
    ///
    /// # Errors
    ///
    /// [`Utf8Error`](std::str::Utf8Error) if they are not UTF-8; NumPy does not say what they are.
    pub fn to_str(&self) -> Result<&str, std::str::Utf8Error> {
        std::str::from_utf8(self.as_bytes())
    }
}

impl<const N: usize> Default for ByteStr<N> {
    fn default() -> Self {
        ByteStr([0; N])
    }
}

impl<const N: usize> From<[u8; N]> for ByteStr<N> {
    fn from(bytes: [u8; N]) -> Self {
        ByteStr(bytes)
    }
}

impl<const N: usize> TryFrom<&str> for ByteStr<N> {
    type Error = InvalidValue;

    fn try_from(text: &str) -> Result<Self, InvalidValue> {
        ByteStr::new(text)
    }
}

impl<const N: usize> AsRef<[u8]> for ByteStr<N> {
    fn as_ref(&self) -> &[u8] {
        self.as_bytes()
    }
}

impl<const N: usize> PartialEq<str> for ByteStr<N> {
    fn eq(&self, other: &str) -> bool {
        self.as_bytes() == other.as_bytes()
    }
}

impl<const N: usize> PartialEq<&str> for ByteStr<N> {
    fn eq(&self, other: &&str) -> bool {
        self == *other
    }
}

/// The text; what is not UTF-8 shows as U+FFFD.
impl<const N: usize> fmt::Display for ByteStr<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&String::from_utf8_lossy(self.as_bytes()))
    }
}

/// As Python shows bytes: `b"RJOB"`.
impl<const N: usize> fmt::Debug for ByteStr<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "b\"{}\"", self.as_bytes().escape_ascii())
    }
}

impl<const N: usize> Element for ByteStr<N> {
    const SIZE: usize = N;
    const __INTERNALS: Internals<Self> =
        Internals::DEFAULT.with_swapped(Self::decode).with_plain(Plain::of);

    fn dtype() -> DType {
        Scalar::new(ScalarKind::Bytes, N).into()
    }

    #[inline]
    fn decode(item: &[u8]) -> Self {
        item.first_chunk().map_or_else(Self::default, |bytes| ByteStr(*bytes))
    }

    #[inline]
    fn encode(&self, item: &mut [u8]) -> Result<(), InvalidValue> {
        if let Some(bytes) = item.first_chunk_mut() {
            *bytes = self.0;
        }
        Ok(())
    }
}

/// Bytes as Python shows them; of many the first.
pub(crate) fn excerpt(bytes: &[u8]) -> String {
    const SHOWN: usize = 40;
    match bytes.get(..SHOWN) {
        Some(first) if first.len() < bytes.len() => format!("b\"{}…\"", first.escape_ascii()),
        _ => format!("b\"{}\"", bytes.escape_ascii()),
    }
}

/// What stands before the zeros at the end.
pub(crate) fn without_zeros<T: Default + PartialEq>(items: &[T]) -> &[T] {
    let zeros = items.iter().rev().take_while(|&item| *item == T::default()).count();
    items.get(..items.len().saturating_sub(zeros)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zeros_at_the_end_are_no_part_of_the_value() {
        let text = ByteStr::<4>::new(b"a\0b").unwrap();
        assert_eq!(text.as_bytes(), b"a\0b");
        assert_eq!(text.as_array(), b"a\0b\0");
        assert_eq!(ByteStr::<4>::default().as_bytes(), b"");
        assert_eq!(ByteStr::<0>::new("").unwrap().as_bytes(), b"");
        assert_eq!(format!("{text:?}"), r#"b"a\x00b""#);
        let error = ByteStr::<2>::new("abc").unwrap_err();
        assert_eq!(error.to_string(), r#"b"abc" has 3 bytes, and |S2 holds 2"#);
    }
}
