//! A `bool` that may be any byte, so that it can be viewed in place.

use std::fmt;
use std::ops::Not;

use crate::dtype::{Scalar, ScalarKind};
use crate::element::cast::Plain;
use crate::element::macros::{like_its_value, of_bytes};

/// A byte that is true if it is not zero: NumPy's `|b1`. Unlike `bool`, it is
/// [`ZeroCopy`](macro@crate::ZeroCopy), so masks, and records with a flag, can be viewed and mapped
/// in place.
///
/// Values compare, hash and print like their `bool`. As in NumPy, a byte other than 0 and 1 stays
/// as it is when the value is copied or written. A `bool` read from such a byte is written as 1.
///
/// ```
/// use npy_core::{NpyView, NpyViewMut, Bool8, WriteNpy};
///
/// let mut file = Vec::new();
/// [true, false, true].write_npy_to(&mut file)?;
///
/// let mask = NpyView::<Bool8>::from_bytes(&file)?;
/// assert_eq!(mask.iter().filter(|flag| flag.get()).count(), 2);
/// let mut mask = NpyViewMut::<Bool8>::from_bytes(&mut file)?;
/// mask[1] = true.into();
/// assert!(mask.iter().all(|flag| *flag == true));
/// # Ok::<(), npy_core::Error>(())
/// ```
///
/// In a record:
///
/// ```
/// # #[cfg(feature = "derive")] {
/// use npy_core::{NpyView, Bool8, Le, NpyRecord, WriteNpy, ZeroCopy};
///
/// #[derive(NpyRecord, ZeroCopy, Clone, Copy)]
/// #[repr(C)]
/// struct Pick {
///     time: Le<i64>,
///     reviewed: Bool8,
/// }
///
/// let mut file = Vec::new();
/// [Pick { time: Le::new(3), reviewed: true.into() }].write_npy_to(&mut file)?;
/// let picks = NpyView::<Pick>::from_bytes(&file)?;
/// assert!(picks[0].reviewed.get());
/// # }
/// # Ok::<(), npy_core::Error>(())
/// ```
#[derive(Clone, Copy)]
#[repr(transparent)]
pub struct Bool8(u8);

impl Bool8 {
    /// The byte 0.
    pub const FALSE: Self = Bool8::new(false);
    /// The byte 1.
    pub const TRUE: Self = Bool8::new(true);

    /// Stores a `bool` as the byte 0 or 1.
    ///
    /// ```
    /// use npy_core::Bool8;
    ///
    /// assert_eq!(Bool8::new(true).byte(), 1);
    /// ```
    #[inline]
    pub const fn new(value: bool) -> Self {
        Bool8(value as u8)
    }

    /// Returns true if the byte is not zero.
    ///
    /// ```
    /// use npy_core::Bool8;
    ///
    /// assert!(Bool8::new(true).get());
    /// ```
    #[inline]
    pub const fn get(self) -> bool {
        self.0 != 0
    }

    /// Creates a value from any byte, which is kept as it is.
    ///
    /// ```
    /// use npy_core::Bool8;
    ///
    /// let flag = Bool8::from_byte(0x80);
    /// assert_eq!(flag, Bool8::TRUE);
    /// assert_eq!(flag.byte(), 0x80);
    /// ```
    #[inline]
    pub const fn from_byte(byte: u8) -> Self {
        Bool8(byte)
    }

    /// Returns the byte, which may be other than 0 and 1.
    ///
    /// ```
    /// use npy_core::Bool8;
    ///
    /// assert_eq!(Bool8::new(false).byte(), 0);
    /// ```
    #[inline]
    pub const fn byte(self) -> u8 {
        self.0
    }
}

impl From<bool> for Bool8 {
    fn from(value: bool) -> Self {
        Bool8::new(value)
    }
}

impl From<Bool8> for bool {
    fn from(value: Bool8) -> bool {
        value.get()
    }
}

like_its_value!([] Bool8, get);

impl PartialEq<bool> for Bool8 {
    fn eq(&self, other: &bool) -> bool {
        self.get() == *other
    }
}

impl PartialEq<Bool8> for bool {
    fn eq(&self, other: &Bool8) -> bool {
        *self == other.get()
    }
}

/// Returns 0 for true and 1 for false, as `np.logical_not` does.
impl Not for Bool8 {
    type Output = Self;

    fn not(self) -> Self {
        Bool8::new(!self.get())
    }
}

impl fmt::Debug for Bool8 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.get(), f)
    }
}

impl fmt::Display for Bool8 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.get(), f)
    }
}

of_bytes! {
    [] Bool8: 1, align 1, plain Plain::of,
    dtype |_| Scalar::little(ScalarKind::Bool, 1),
    from_le |[byte]: [u8; 1]| Bool8(byte), from_be |[byte]: [u8; 1]| Bool8(byte), to_le |value| [value.0];
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::element::Element;
    use crate::read::ReadNpy;
    use crate::write::WriteNpy;

    #[test]
    fn bytes_other_than_0_and_1_are_true_and_stay() {
        let flags: Vec<Bool8> = (0..=255).map(Bool8::from_byte).collect();
        let mut file = Vec::new();
        flags.write_npy_to(&mut file).unwrap();
        assert!(file.ends_with(&(0..=255).collect::<Vec<u8>>()));
        let read = Vec::<Bool8>::read_npy_from(&file[..]).unwrap();
        assert!(read.iter().map(|flag| flag.byte()).eq(0..=255));
        let truths = Vec::<bool>::read_npy_from(&file[..]).unwrap();
        assert_eq!(read, truths);
        assert_eq!(truths.iter().filter(|flag| !**flag).count(), 1);
    }

    #[test]
    fn flags_compare_hash_and_print_like_bool() {
        let [zero, one, two] = [0, 1, 2].map(Bool8::from_byte);
        assert_eq!((one, Bool8::default()), (two, zero));
        assert!(zero < two && two == true && false == zero);
        assert_eq!(one.cmp(&two), std::cmp::Ordering::Equal);
        assert_eq!(HashSet::from([one, two, zero]).len(), 2);
        assert_eq!([!zero, !two].map(Bool8::byte), [1, 0]);
        assert_eq!(format!("{two} {zero:?} {:>5}|", Bool8::TRUE), "true false  true|");
        assert!(bool::from(two) && Bool8::from(true).byte() == 1);
        assert_eq!(Bool8::dtype().to_string(), "|b1");
    }
}
