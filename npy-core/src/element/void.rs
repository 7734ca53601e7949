//! Raw bytes.

use std::fmt;

use crate::dtype::{Scalar, ScalarKind};
use crate::element::cast::Plain;
use crate::element::macros::{in_place, of_bytes};

/// `N` raw bytes: NumPy's `|VN`. Trailing zeros belong to the value. Its bytes are swapped only if the file says that they are big-endian numbers of
/// ml_dtypes (`>V2`): raw bytes count as little-endian ones.
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

in_place!(Void, u8);

impl<const N: usize> AsRef<[u8]> for Void<N> {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

/// Prints hexadecimal digits.
impl<const N: usize> fmt::Debug for Void<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Void(")?;
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))?;
        f.write_str(")")
    }
}

of_bytes! {
    [const N: usize] Void<N>: N, align 1, plain Plain::of,
    dtype |_| Scalar::little(ScalarKind::Void, N),
    from_le Void, from_be Void, to_le |value| value.0;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dtype::ByteOrder;
    use crate::element::Element;
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
