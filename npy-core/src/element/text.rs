//! Text of a fixed width, stored inline.

use std::fmt;

use crate::checked;
use crate::dtype::{Scalar, ScalarKind};
use crate::element::InvalidValue;
use crate::element::cast::Plain;
use crate::element::macros::{from_str, in_place, of_bytes};

/// Up to `N` bytes, stored inline: NumPy's `|SN`. Shorter values are padded with zeros, which are not part of the value.
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
// The padding is always zeros, so each value has one representation, and the derived comparisons are right.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(transparent)]
pub struct ByteStr<const N: usize>([u8; N]);

impl<const N: usize> ByteStr<N> {
    /// Creates a value from bytes, and pads it with zeros.
    ///
    /// ```
    /// use npy_core::ByteStr;
    ///
    /// let station = ByteStr::<8>::new("RJOB")?;
    /// assert_eq!(station.to_str()?, "RJOB");
    /// assert!(ByteStr::<2>::new("RJOB").is_err());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidValue`] for more than `N` bytes.
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

    /// Returns the bytes without trailing zeros.
    ///
    /// ```
    /// use npy_core::ByteStr;
    ///
    /// assert_eq!(ByteStr::<8>::new("RJOB")?.as_bytes(), b"RJOB");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn as_bytes(&self) -> &[u8] {
        without_zeros(&self.0)
    }

    /// Returns all `N` bytes.
    ///
    /// ```
    /// use npy_core::ByteStr;
    ///
    /// assert_eq!(ByteStr::<6>::new("RJOB")?.as_array(), b"RJOB\0\0");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn as_array(&self) -> &[u8; N] {
        &self.0
    }

    /// Returns the bytes as text.
    ///
    /// ```
    /// use npy_core::ByteStr;
    ///
    /// assert_eq!(ByteStr::<8>::new("RJOB")?.to_str()?, "RJOB");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Utf8Error`](std::str::Utf8Error) if the bytes are not UTF-8; NumPy does not define their
    /// encoding.
    pub fn to_str(&self) -> Result<&str, std::str::Utf8Error> {
        std::str::from_utf8(self.as_bytes())
    }
}

in_place!(ByteStr, u8);
from_str!(ByteStr);

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

/// Prints the text, with U+FFFD in place of bytes that are not UTF-8.
impl<const N: usize> fmt::Display for ByteStr<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&String::from_utf8_lossy(self.as_bytes()))
    }
}

/// Prints a byte string literal of Rust: `b"RJOB"`.
impl<const N: usize> fmt::Debug for ByteStr<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "b\"{}\"", self.as_bytes().escape_ascii())
    }
}

of_bytes! {
    [const N: usize] ByteStr<N>: N, align 1, plain Plain::of,
    dtype |_| Scalar::little(ScalarKind::Bytes, N),
    from_le ByteStr, from_be ByteStr, to_le |text| text.0;
}

/// Formats bytes as a byte string literal of Rust. An ellipsis replaces everything after the first 40 bytes.
pub(crate) fn excerpt(bytes: &[u8]) -> String {
    let shown = bytes.get(..40).unwrap_or(bytes);
    let rest = if shown.len() < bytes.len() { "…" } else { "" };
    format!("b\"{}{rest}\"", shown.escape_ascii())
}

/// Returns the items before the trailing zeros.
pub(crate) fn without_zeros<T: Default + PartialEq>(items: &[T]) -> &[T] {
    let zeros = items.iter().rev().take_while(|&item| *item == T::default()).count();
    checked::slice(items, 0..checked::sub(items.len(), zeros))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trailing_zeros_are_not_part_of_the_value() {
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
