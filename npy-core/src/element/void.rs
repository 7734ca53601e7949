//! Layer 4: raw bytes.

use std::fmt;

use crate::dtype::{DType, Scalar, ScalarKind};
use crate::element::cast::Plain;
use crate::element::{Element, Internals, InvalidValue};

/// `N` raw bytes: NumPy's `|VN`. Zeros at the end belong to the value, and no byte order ever turns it round.
///
/// ```
/// use npy_core::{Element, Void};
///
/// let key = Void([0xde, 0xad, 0]);
/// assert_eq!(key.0.len(), 3);
/// assert_eq!(format!("{key:?}"), "Void(dead00)");
/// assert_eq!(Void::<3>::dtype().to_string(), "|V3");
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(transparent)]
pub struct Void<const N: usize>(pub [u8; N]);

/// Zeros.
impl<const N: usize> Default for Void<N> {
    fn default() -> Self {
        Void([0; N])
    }
}

impl<const N: usize> From<[u8; N]> for Void<N> {
    fn from(bytes: [u8; N]) -> Self {
        Void(bytes)
    }
}

impl<const N: usize> AsRef<[u8]> for Void<N> {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

/// As hexadecimal digits.
impl<const N: usize> fmt::Debug for Void<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Void(")?;
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))?;
        f.write_str(")")
    }
}

impl<const N: usize> Element for Void<N> {
    const SIZE: usize = N;
    const __INTERNALS: Internals<Self> =
        Internals::DEFAULT.with_swapped(Self::decode).with_plain(Plain::of);

    fn dtype() -> DType {
        Scalar::new(ScalarKind::Void, N).into()
    }

    #[inline]
    fn decode(item: &[u8]) -> Self {
        item.first_chunk().map_or_else(Self::default, |bytes| Void(*bytes))
    }

    #[inline]
    fn encode(&self, item: &mut [u8]) -> Result<(), InvalidValue> {
        if let Some(bytes) = item.first_chunk_mut() {
            *bytes = self.0;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dtype::ByteOrder;
    use crate::read::ReadNpy;
    use crate::write::WriteOptions;

    #[test]
    fn bytes_stay_as_they_are() {
        let values = [Void([0, 1, 0]), Void([255, 0, 0])];
        for order in [ByteOrder::Little, ByteOrder::Big] {
            let mut file = Vec::new();
            WriteOptions::new().byte_order(order).write_to(&mut file, &values).unwrap();
            assert!(file.ends_with(&[0, 1, 0, 255, 0, 0]));
            assert_eq!(Vec::<Void<3>>::read_npy_from(&file[..]).unwrap(), values);
        }
        assert_eq!(Void::<0>::decode(&[]), Void([]));
    }
}
