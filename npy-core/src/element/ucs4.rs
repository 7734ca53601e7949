//! Text of a fixed width, stored inline: each code point has four bytes.

use std::fmt;

use crate::dtype::{ByteOrder, DType, Scalar, ScalarKind};
use crate::element::macros::{from_str, in_place};
use crate::element::text::without_zeros;
use crate::element::{Element, InvalidValue};

/// Text of up to `N` characters: NumPy's `<UN`. Shorter text is padded with zeros, which are not part of the value.
///
/// NumPy allows code points that are not characters in Rust. Reading a surrogate, or a number over U+10FFFF, is an error.
///
/// ```
/// use npy_core::{Element, FixedStr};
///
/// let name: FixedStr<5> = "naïve".try_into()?;
/// assert_eq!(name, "naïve");
/// assert_eq!(name.as_chars().len(), 5);
/// assert_eq!(FixedStr::<5>::dtype().to_string(), "<U5");
/// assert!(FixedStr::<5>::new("too long").is_err());
/// # Ok::<(), npy_core::InvalidValue>(())
/// ```
// The padding is always zeros, so the derived traits, which compare and hash the array, compare and hash the text.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(transparent)]
pub struct FixedStr<const N: usize>([char; N]);

impl<const N: usize> FixedStr<N> {
    /// Creates a value from text, and pads it with zeros.
    ///
    /// ```
    /// use npy_core::FixedStr;
    ///
    /// let name = FixedStr::<8>::new("naïve")?;
    /// assert_eq!(name.to_string(), "naïve");
    /// assert!(FixedStr::<2>::new("naïve").is_err());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidValue`] if the text has more than `N` characters.
    pub fn new(text: impl AsRef<str>) -> Result<Self, InvalidValue> {
        let text = text.as_ref();
        let mut chars = text.chars();
        let array = std::array::from_fn(|_| chars.next().unwrap_or_default());
        if chars.next().is_some() {
            let reason =
                format!("{text:?} has {} characters, and <U{N} holds {N}", text.chars().count());
            return Err(InvalidValue::new(reason));
        }
        Ok(FixedStr(array))
    }

    /// Returns the characters without trailing zeros.
    ///
    /// ```
    /// use npy_core::FixedStr;
    ///
    /// assert_eq!(FixedStr::<8>::new("é!")?.as_chars(), ['é', '!']);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn as_chars(&self) -> &[char] {
        without_zeros(&self.0)
    }

    /// Returns all `N` characters, with trailing zeros.
    ///
    /// ```
    /// use npy_core::FixedStr;
    ///
    /// assert_eq!(FixedStr::<3>::new("é!")?.as_array(), &['é', '!', '\0']);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn as_array(&self) -> &[char; N] {
        &self.0
    }
}

in_place!(FixedStr, char);
from_str!(FixedStr);

impl<const N: usize> PartialEq<str> for FixedStr<N> {
    fn eq(&self, other: &str) -> bool {
        self.as_chars().iter().copied().eq(other.chars())
    }
}

/// Prints the text. To make a `String`, [`String::from_iter`] on [`as_chars`](Self::as_chars) is faster than `to_string`.
impl<const N: usize> fmt::Display for FixedStr<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.as_chars().iter().collect::<String>())
    }
}

/// Prints the text like a `str`: `"naïve"`.
impl<const N: usize> fmt::Debug for FixedStr<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.as_chars().iter().collect::<String>(), f)
    }
}

impl<const N: usize> Element for FixedStr<N> {
    const SIZE: usize = <[u32; N]>::SIZE;
    const ALIGN: usize = 4;

    fn dtype() -> DType {
        Self::dtype_in(ByteOrder::Little)
    }

    fn dtype_in(order: ByteOrder) -> DType {
        Scalar::ordered(ScalarKind::Str, Self::SIZE, order).into()
    }

    #[inline]
    fn decode(item: &[u8]) -> Self {
        let mut points = item.as_chunks().0.iter();
        // `check` has refused code points that are not characters, so none is replaced.
        let character = |point| character(point).unwrap_or(char::REPLACEMENT_CHARACTER);
        FixedStr(std::array::from_fn(|_| points.next().copied().map_or('\0', character)))
    }

    #[inline]
    fn encode(&self, item: &mut [u8]) -> Result<(), InvalidValue> {
        write(self.0.into_iter(), item);
        Ok(())
    }

    fn check(items: &[u8]) -> Result<(), InvalidValue> {
        check(items).map_err(|error| {
            let item = error.item().checked_div(N).unwrap_or(0);
            error.at_item(item)
        })
    }
}

/// Returns the text of one little-endian item.
pub(crate) fn text(item: &[u8]) -> Result<String, InvalidValue> {
    check(item)?;
    Ok(without_zeros(item.as_chunks().0).iter().copied().filter_map(character).collect())
}

/// Writes the characters as a little-endian item, padded with zeros.
#[inline]
pub(crate) fn write(mut characters: impl Iterator<Item = char>, item: &mut [u8]) {
    for point in item.as_chunks_mut().0 {
        *point = characters.next().map_or(0, u32::from).to_le_bytes();
    }
}

#[inline]
fn character(point: [u8; 4]) -> Option<char> {
    char::from_u32(u32::from_le_bytes(point))
}

/// Refuses code points that are not characters. The item of the error is the index of the first
/// such code point; the callers replace that index with the index of an item.
pub(super) fn check(items: &[u8]) -> Result<(), InvalidValue> {
    let points = items.as_chunks().0;
    // The loop has no early exit, so that the compiler vectorizes it.
    if points.iter().fold(true, |good, &point| good & character(point).is_some()) {
        return Ok(());
    }
    let invalid = |&(_, point): &(usize, &[u8; 4])| character(*point).is_none();
    let Some((at, point)) = points.iter().enumerate().find(invalid) else { return Ok(()) };
    let point = u32::from_le_bytes(*point);
    let what = if point > u32::from(char::MAX) { "beyond Unicode" } else { "a surrogate" };
    let reason = format!(
        "code point {point:#x} is {what}, not a character; read the file as a DynArray, which keeps such code points"
    );
    Err(InvalidValue::new(reason).at_item(at))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::ReadNpy;
    use crate::write::WriteOptions;

    #[test]
    fn trailing_zeros_are_not_part_of_the_value() {
        let text = FixedStr::<4>::new("a\0é").unwrap();
        assert_eq!(text.as_chars(), ['a', '\0', 'é']);
        assert_eq!(text.as_array(), &['a', '\0', 'é', '\0']);
        assert_eq!(text, "a\0é");
        assert_ne!(text, "a\0é\0");
        assert_eq!(text, FixedStr::new("a\0é\0").unwrap());
        assert_eq!(FixedStr::<4>::default(), "");
        assert_eq!(FixedStr::<0>::new("").unwrap().as_chars(), []);
        assert_eq!(format!("{text:?} {:>4}|", FixedStr::<2>::from(['é', '\0'])), r#""a\0é"    é|"#);
        let error = FixedStr::<2>::new("éé\0").unwrap_err();
        assert_eq!(error.to_string(), r#""éé\0" has 3 characters, and <U2 holds 2"#);
    }

    #[test]
    fn code_points_have_both_byte_orders() {
        let values = ["", "é整😀", "\u{10ffff}"].map(|text| FixedStr::<3>::new(text).unwrap());
        for (order, descr) in [(ByteOrder::Little, "<U3"), (ByteOrder::Big, ">U3")] {
            assert_eq!(FixedStr::<3>::dtype_in(order).to_string(), descr);
            let mut file = Vec::new();
            WriteOptions::new().byte_order(order).write_to(&mut file, &values).unwrap();
            assert_eq!(Vec::<FixedStr<3>>::read_npy_from(&file[..]).unwrap(), values);
        }
    }

    #[test]
    fn an_invalid_code_point_is_named_with_its_item() {
        let mut items = [0; 36];
        for (point, what) in
            [(0xd800u32, "surrogate"), (0xdfff, "surrogate"), (0x11_0000, "beyond")]
        {
            items[20..24].copy_from_slice(&point.to_le_bytes());
            let error = FixedStr::<3>::check(&items).unwrap_err();
            assert_eq!(error.item(), 1);
            assert!(error.reason().contains(what), "{error}");
            assert!(error.reason().contains(&format!("{point:#x}")), "{error}");
            assert!(text(&items).is_err());
        }
        items[20..24].copy_from_slice(&0x10_ffffu32.to_le_bytes());
        assert!(FixedStr::<3>::check(&items).is_ok());
    }
}
