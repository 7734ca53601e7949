//! Layer 4: the one-byte floats of ml_dtypes, kept as bits.

use crate::dtype::Scalar;
use crate::element::cast::Plain;
use crate::element::macros::of_bytes;

/// The bits of a one-byte float of ml_dtypes, such as `float8_e4m3fn`: `<V1`.
///
/// A file does not say which of these formats it has: the program must know, and interpret the bits. `float8_e5m2` is not supported:
/// ml_dtypes writes it as `<f1`, which neither NumPy nor this crate reads.
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

of_bytes! {
    [] Float8: 1, align 1, plain Plain::of,
    dtype |_| Scalar::extension(1),
    from_le |[bits]: [u8; 1]| Float8(bits), from_be |[bits]: [u8; 1]| Float8(bits), to_le |float| [float.0];
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
