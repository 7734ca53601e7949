//! The floats of ml_dtypes that have one byte or less.

use crate::dtype::Scalar;
use crate::element::cast::Plain;
use crate::element::macros::of_bytes;

/// The bits of a float of ml_dtypes that has one byte: `<V1`, such as `float8_e4m3fn`.
///
/// A file does not say which format its floats have, so the format is an argument of
/// [`to_f32`](Self::to_f32). An array of `float8_e5m2` is saved as `<f1`, which neither NumPy nor
/// this crate reads: in Python, save its bytes, `array.view('u1')`, and make a `Float8` of each.
///
/// ```
/// use npy_core::{Element, Float8, Float8Format};
///
/// assert_eq!(Float8::dtype().to_string(), "<V1");
/// assert_eq!(Float8::decode(&[0x38]), Float8(0x38));
/// assert_eq!(Float8(0x38).to_f32(Float8Format::E4M3Fn), 1.0);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[repr(transparent)]
pub struct Float8(pub u8);

/// Defines the formats, each with the number of bits of exponent and mantissa, the bias of the
/// exponent, and its special values.
macro_rules! formats {
    ($($(#[$doc:meta])* $name:ident: $exponent:literal, $mantissa:literal, $bias:literal, $special:ident;)*) => {
        /// The formats of the floats of ml_dtypes that have one byte or less, by their names there.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum Float8Format {
            $($(#[$doc])* $name,)*
        }

        impl Float8Format {
            /// Returns the layout of the bits.
            fn layout(self) -> Layout {
                match self {
                    $(Float8Format::$name => Layout {
                        exponent: $exponent, mantissa: $mantissa, bias: $bias, special: Special::$special,
                    },)*
                }
            }
        }
    };
}

formats! {
    /// `float8_e3m4`
    E3M4: 3, 4, 3, Ieee;
    /// `float8_e4m3`
    E4M3: 4, 3, 7, Ieee;
    /// `float8_e4m3fn`: no infinity.
    E4M3Fn: 4, 3, 7, OneNan;
    /// `float8_e4m3fnuz`: no infinity, no negative zero.
    E4M3Fnuz: 4, 3, 8, NegativeZero;
    /// `float8_e4m3b11fnuz`: no infinity, no negative zero.
    E4M3B11Fnuz: 4, 3, 11, NegativeZero;
    /// `float8_e5m2`
    E5M2: 5, 2, 15, Ieee;
    /// `float8_e5m2fnuz`: no infinity, no negative zero.
    E5M2Fnuz: 5, 2, 16, NegativeZero;
    /// `float8_e8m0fnu`: powers of two without a sign.
    E8M0Fnu: 8, 0, 127, Power;
    /// `float6_e2m3fn`, in the lower six bits: neither infinity nor NaN.
    Float6E2M3Fn: 2, 3, 1, None;
    /// `float6_e3m2fn`, in the lower six bits: neither infinity nor NaN.
    Float6E3M2Fn: 3, 2, 3, None;
    /// `float4_e2m1fn`, in the lower four bits: neither infinity nor NaN.
    Float4E2M1Fn: 2, 1, 1, None;
}

struct Layout {
    exponent: u32,
    mantissa: u32,
    bias: i32,
    special: Special,
}

/// The special values of a format.
#[derive(PartialEq)]
enum Special {
    /// Infinity and NaN, which have the largest exponent.
    Ieee,
    /// NaN, which has all bits set; the sign may be either.
    OneNan,
    /// NaN, which has the bits of the negative zero.
    NegativeZero,
    /// NaN, which has all bits set. All other values are powers of two, without a sign or a zero.
    Power,
    /// Neither infinity nor NaN.
    None,
}

impl Float8 {
    /// Returns the number that the bits mean in this format. The conversion to `f32` is exact.
    ///
    /// ```
    /// use npy_core::{Float8, Float8Format};
    ///
    /// assert_eq!(Float8(0x7c).to_f32(Float8Format::E5M2), f32::INFINITY);
    /// assert!(Float8(0x80).to_f32(Float8Format::E4M3Fnuz).is_nan());
    /// ```
    pub fn to_f32(self, format: Float8Format) -> f32 {
        let Layout { exponent, mantissa, bias, special } = format.layout();
        let bits = u32::from(self.0);
        let sign_bit = if special == Special::Power { 8 } else { exponent.wrapping_add(mantissa) };
        let sign = if bits.wrapping_shr(sign_bit) & 1 == 1 && special != Special::Power {
            -1.0
        } else {
            1.0
        };
        let low = |count: u32| 1u32.wrapping_shl(count).wrapping_sub(1);
        let (fraction, power) = (bits & low(mantissa), bits.wrapping_shr(mantissa) & low(exponent));
        let is_largest = power == low(exponent);
        match special {
            Special::Ieee if is_largest && fraction == 0 => return sign * f32::INFINITY,
            Special::Ieee if is_largest => return f32::NAN,
            Special::OneNan if is_largest && fraction == low(mantissa) => return f32::NAN,
            Special::NegativeZero if bits == 0x80 => return f32::NAN,
            Special::Power if is_largest => return f32::NAN,
            _ => {}
        }
        let is_subnormal = power == 0 && special != Special::Power;
        let whole = if is_subnormal { fraction } else { fraction | 1u32.wrapping_shl(mantissa) };
        let power = power.max(u32::from(special != Special::Power));
        // `whole` has at most eight bits, and the factors are powers of two: nothing is rounded.
        let scale = i32::try_from(power)
            .unwrap_or(0)
            .wrapping_sub(bias)
            .wrapping_sub(i32::try_from(mantissa).unwrap_or(0));
        let half = scale / 2;
        sign * f32::from(u16::try_from(whole).unwrap_or(0))
            * 2f32.powi(half)
            * 2f32.powi(scale.wrapping_sub(half))
    }
}

of_bytes! {
    [] Float8: 1, align 1, plain Plain::of,
    dtype |order| Scalar::extension(1, order),
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
