//! Layer 4: ml_dtypes' floats of one byte, kept as bits.

use crate::dtype::{DType, Scalar};
use crate::element::cast::Plain;
use crate::element::{Element, Internals, InvalidValue};

/// The bits of one of ml_dtypes' floats of one byte (`float8_e4m3fn` and its like): `<V1`.
///
/// Which of them it is, the file does not tell; so the bits are kept, and the program knows. `float8_e5m2` is the
/// exception: ml_dtypes writes it as `<f1`, which neither NumPy nor this crate reads.
///
/// ```
/// use npy_core::{Element, Float8};
///
/// assert_eq!(Float8::dtype().to_string(), "<V1");
/// assert_eq!(Float8::decode(&[0x38]), Float8(0x38)); // 1.0 in float8_e4m3fn
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[repr(transparent)]
pub struct Float8(pub u8);

impl Element for Float8 {
    const SIZE: usize = 1;
    const __INTERNALS: Internals<Self> =
        Internals::DEFAULT.with_swapped(Self::decode).with_plain(Plain::of);

    fn dtype() -> DType {
        Scalar::extension(Self::SIZE).into()
    }

    #[inline]
    fn decode(item: &[u8]) -> Self {
        Float8(u8::decode(item))
    }

    #[inline]
    fn encode(&self, item: &mut [u8]) -> Result<(), InvalidValue> {
        self.0.encode(item)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::ReadNpy;
    use crate::write::WriteNpy;

    #[test]
    fn all_bits_come_back() {
        let values: Vec<Float8> = (0..=255).map(Float8).collect();
        let mut file = Vec::new();
        values.write_npy_to(&mut file).unwrap();
        assert!(file.starts_with(b"\x93NUMPY\x01\x00v\x00{'descr': '<V1', "));
        assert_eq!(Vec::<Float8>::read_npy_from(&file[..]).unwrap(), values);
    }
}
