//! NumPy's `longdouble` of x86, read and written with all 80 bits.

use std::fmt;

use crate::checked;
use crate::dtype::{Scalar, ScalarKind};
use crate::element::Element;
use crate::element::macros::of_bytes;

/// NumPy's `longdouble` on 64-bit x86 machines with Linux or macOS (`<f16`): an 80-bit number of the x87 in 16 bytes, little-endian.
///
/// The bytes are kept unchanged. The last six are padding, which NumPy does not initialize. `==` compares all bytes, so two
/// values that hold the same number may differ.
///
/// The 12 bytes of 32-bit machines (`<f12`) are read with [`Cast::Lossless`](crate::Cast::Lossless). Some other machines write another
/// format as `<f16` (IEEE 754 binary128 on aarch64 with Linux), and the file does not say which. The bytes of such a file are kept, but
/// [`to_f64`](LongDouble::to_f64) returns wrong numbers.
///
/// ```
/// use npy_core::{Element, LongDouble};
///
/// let x = LongDouble::from(0.1);
/// assert_eq!(x.to_f64(), 0.1);
/// assert_eq!(LongDouble::dtype().to_string(), "<f16");
/// ```
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
#[repr(transparent)]
pub struct LongDouble(pub [u8; 16]);

/// NumPy's `clongdouble`, `<c32`: two long doubles.
///
/// ```
/// use npy_core::{ComplexLongDouble, Element, LongDouble};
///
/// let z = ComplexLongDouble { re: LongDouble::from(1.5), im: LongDouble::default() };
/// assert_eq!(z.re.to_f64(), 1.5);
/// assert_eq!(ComplexLongDouble::dtype().to_string(), "<c32");
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[repr(C)]
pub struct ComplexLongDouble {
    /// The real part.
    pub re: LongDouble,
    /// The imaginary part.
    pub im: LongDouble,
}

/// The fraction bits of an `f64`.
const FRACTION: u64 = (1 << 52) - 1;
/// The highest bit of a 64-bit significand, which the x87 stores explicitly.
const INTEGER_BIT: u64 = 1 << 63;
/// The sign bit of an `f64`.
const SIGN_BIT: u64 = 1 << 63;
/// The NaN that the x87 returns for an invalid encoding.
const INDEFINITE: u64 = 0xfff8_0000_0000_0000;

impl LongDouble {
    /// Returns the nearest `f64`. The processor and NumPy's `astype` round in the same way.
    ///
    /// Ties round to even. Numbers that are too large become infinite, and tiny ones subnormal or
    /// zero. A NaN becomes quiet, and keeps its sign and the first bits of its payload. A number
    /// with a nonzero exponent and a zero highest bit of the significand is invalid on the x87; it
    /// becomes NaN.
    ///
    /// If `LongDouble::from(x.to_f64()) == x`, the conversion was exact. Nonzero padding in `x`
    /// makes the two sides differ even if the conversion was exact.
    ///
    /// ```
    /// use npy_core::LongDouble;
    ///
    /// assert_eq!(LongDouble::from(0.5).to_f64(), 0.5);
    /// ```
    // Shifts are by less than 128 bits. The sum is at most the bits of an infinity.
    #[expect(clippy::arithmetic_side_effects)]
    pub fn to_f64(self) -> f64 {
        let (negative, exponent, significand) = self.parts();
        let sign = if negative { SIGN_BIT } else { 0 };
        let normal = significand & INTEGER_BIT != 0;
        let bits = match exponent {
            0 => sign,
            _ if !normal => INDEFINITE,
            0x7fff if significand == INTEGER_BIT => sign | f64::INFINITY.to_bits(),
            0x7fff => sign | f64::NAN.to_bits() | ((significand >> 11) & FRACTION),
            _ => {
                // The biased exponent of an `f64`; 0 or less means a subnormal number.
                let exponent = i32::from(exponent) - 16383 + 1023;
                if exponent > 2046 {
                    return f64::from_bits(sign | f64::INFINITY.to_bits());
                }
                let lost = (12 - exponent).clamp(11, 127).unsigned_abs();
                let wide = u128::from(significand);
                let (kept, rest) = (wide >> lost, wide & ((1 << lost) - 1));
                let half = 1 << (lost - 1);
                let up = rest > half || (rest == half && kept & 1 == 1);
                // In a normal number, `kept` has the explicit highest bit. The addition below adds
                // that bit to the exponent, so `exponent_bits` is one lower. If rounding
                // carries out of the fraction, the exponent grows by one, which is correct.
                let exponent_bits = u64::from(exponent.max(1).unsigned_abs() - 1) << 52;
                let kept: u64 = checked::narrow(kept);
                sign | (exponent_bits + kept + u64::from(up))
            }
        };
        f64::from_bits(bits)
    }

    /// Returns the sign, the exponent (with a bias of 16383) and the significand, which has one bit before the binary point.
    fn parts(self) -> (bool, u16, u64) {
        let top = u16::decode(checked::tail(&self.0, 8));
        (top & 0x8000 != 0, top & 0x7fff, u64::decode(&self.0))
    }

    fn from_parts(negative: bool, exponent: u16, significand: u64) -> Self {
        let top = if negative { exponent | 0x8000 } else { exponent };
        LongDouble((u128::from(significand) | (u128::from(top) << 64)).to_le_bytes())
    }

    /// Returns true if the ten bytes of the number are equal. The padding may differ.
    pub(crate) fn is_same_number(self, other: LongDouble) -> bool {
        self.parts() == other.parts()
    }
}

/// Converts exactly, and sets the padding to zeros.
impl From<f64> for LongDouble {
    // Shifts are by less than 64 bits, and the exponent of an `f64` has 11 bits.
    #[expect(clippy::arithmetic_side_effects)]
    fn from(value: f64) -> Self {
        let (bits, negative) = (value.to_bits(), value.is_sign_negative());
        let fraction = bits & FRACTION;
        let exponent: u16 = checked::narrow((bits >> 52) & 0x7ff);
        let (exponent, significand) = match exponent {
            0 if fraction == 0 => (0, 0),
            0 => {
                let zeros = fraction.leading_zeros();
                // If `fraction` had no leading zeros, its first bit would be worth 2^-1011.
                (checked::narrow(16383 - 1011 - zeros), fraction << zeros)
            }
            0x7ff => (0x7fff, INTEGER_BIT | (fraction << 11)),
            _ => (exponent + (16383 - 1023), INTEGER_BIT | (fraction << 11)),
        };
        LongDouble::from_parts(negative, exponent, significand)
    }
}

/// Prints the nearest `f64`, which may have fewer digits than NumPy prints.
impl fmt::Display for LongDouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.to_f64(), f)
    }
}

/// Prints the 80 bits and the nearest `f64`.
impl fmt::Debug for LongDouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (negative, exponent, significand) = self.parts();
        let top = u32::from(exponent) | (u32::from(negative) << 15);
        write!(f, "LongDouble(0x{top:04x}{significand:016x}, about {:?})", self.to_f64())
    }
}

of_bytes! {
    [] LongDouble: 16, align 16,
    dtype |order| Scalar::ordered(ScalarKind::Float, 16, order),
    from_le LongDouble,
    from_be |mut bytes: [u8; 16]| {
        bytes.reverse();
        LongDouble(bytes)
    },
    to_le |value| value.0;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dtype::ByteOrder;
    use crate::read::ReadNpy;
    use crate::write::WriteOptions;

    /// Returns the `f64` nearest to the long double with these bits.
    fn nearest(top: u16, significand: u64) -> f64 {
        LongDouble::from_parts(top & 0x8000 != 0, top & 0x7fff, significand).to_f64()
    }

    #[test]
    fn every_f64_is_a_long_double_and_comes_back() {
        let mut bits = 1u64;
        for i in 0..100_000 {
            bits = bits.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            // Every other value is subnormal.
            let bits = if i % 2 == 0 { bits } else { bits & (SIGN_BIT | FRACTION) };
            let value = f64::from_bits(bits);
            let back = LongDouble::from(value).to_f64();
            if value.is_nan() {
                assert!(back.is_nan());
            } else {
                assert_eq!(back.to_bits(), bits, "{bits:#x}");
            }
        }
        for value in [0.0, -0.0, f64::MAX, f64::MIN, f64::INFINITY, f64::NEG_INFINITY] {
            assert_eq!(LongDouble::from(value).to_f64().to_bits(), value.to_bits());
        }
        assert_eq!(LongDouble::from(-1.5).0[..10], [0, 0, 0, 0, 0, 0, 0, 0xc0, 0xff, 0xbf]);
    }

    #[test]
    fn inexact_values_round_half_to_even() {
        let one = 0x3fff;
        assert_eq!(nearest(one, INTEGER_BIT), 1.0);
        // 0x400 and 0xc00 are halfway between two values of `f64`.
        assert_eq!(nearest(one, INTEGER_BIT | 0x400), 1.0);
        assert_eq!(nearest(one, INTEGER_BIT | 0x401), 1.0 + f64::EPSILON);
        assert_eq!(nearest(one, INTEGER_BIT | 0xbff), 1.0 + f64::EPSILON);
        assert_eq!(nearest(one, INTEGER_BIT | 0xc00), 1.0 + 2.0 * f64::EPSILON);
        assert_eq!(nearest(one, u64::MAX), 2.0);
        // The largest value that rounds to `f64::MAX`, the smallest that rounds to infinity, and a
        // value with an exponent that is too large.
        assert_eq!(nearest(0x43fe, u64::MAX << 11 | 0x3ff), f64::MAX);
        assert_eq!(nearest(0x43fe, u64::MAX << 11 | 0x400), f64::INFINITY);
        assert_eq!(nearest(0xc3ff, u64::MAX), f64::NEG_INFINITY);
        // The smallest `f64`, half of it, a little more than half, and a little less than half;
        // then a value that rounds up to the smallest normal `f64`.
        let tiny = f64::from_bits(1);
        assert_eq!(nearest(0x3bcd, INTEGER_BIT), tiny);
        assert_eq!(nearest(0x3bcc, INTEGER_BIT).to_bits(), 0);
        assert_eq!(nearest(0xbbcc, INTEGER_BIT | 1), -tiny);
        assert_eq!(nearest(0x3bcb, u64::MAX).to_bits(), 0);
        assert_eq!(nearest(0x3c00, u64::MAX), f64::MIN_POSITIVE);
    }

    #[test]
    fn invalid_encodings_are_nan() {
        for (top, significand) in
            [(0x3fff, 1), (1, INTEGER_BIT - 1), (0x7fff, 0), (0xffff, 1 << 62)]
        {
            assert!(nearest(top, significand).is_nan(), "{top:x} {significand:x}");
        }
        assert!(nearest(0x7fff, INTEGER_BIT | 1).is_nan());
        // If the exponent is zero, the result is zero, whatever the significand is.
        assert_eq!(nearest(0x8000, u64::MAX).to_bits(), (-0.0f64).to_bits());
    }

    #[test]
    fn padding_bytes_are_kept() {
        let item: [u8; 32] = std::array::from_fn(|i| u8::try_from(i).unwrap());
        let mut again = [0; 32];
        ComplexLongDouble::decode(&item).encode(&mut again).unwrap();
        assert_eq!(again, item);
        assert_eq!(LongDouble::dtype_in(ByteOrder::Big).to_string(), ">f16");
        assert_eq!(ComplexLongDouble::dtype_in(ByteOrder::Big).to_string(), ">c32");
        let shown = format!("{:?}", LongDouble::from(-1.5));
        assert_eq!(shown, "LongDouble(0xbfffc000000000000000, about -1.5)");
    }

    /// Guards the direct decoding of big-endian items: each part is reversed on its own.
    #[test]
    fn big_endian_files_are_read_back() {
        let values: [_; 3] = [0.1, -1.5, 7.0]
            .map(|x| ComplexLongDouble { re: LongDouble::from(x), im: LongDouble::from(x + 1.0) });
        let mut file = Vec::new();
        WriteOptions::new().byte_order(ByteOrder::Big).write_to(&mut file, &values).unwrap();
        let mut last = values[2].im.0;
        last.reverse();
        assert!(file.ends_with(&last));
        assert_eq!(Vec::<ComplexLongDouble>::read_npy_from(&file[..]).unwrap(), values);
        let mut file = Vec::new();
        let parts = values.map(|z| z.re);
        WriteOptions::new().byte_order(ByteOrder::Big).write_to(&mut file, &parts).unwrap();
        assert_eq!(Vec::<LongDouble>::read_npy_from(&file[..]).unwrap(), parts);
    }
}
