//! Decides which scalars can be widened without losing a value. [`kernel`](crate::kernel) runs the conversions.

use crate::dtype::{Scalar, ScalarKind};

/// A conversion that loses no value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Convert {
    pub(crate) from: Scalar,
    pub(crate) to: Scalar,
}

impl Convert {
    /// Returns the conversion between two scalars; `None` if `to` cannot represent every value of `from`.
    pub(crate) fn new(from: Scalar, to: Scalar) -> Option<Self> {
        use ScalarKind::{Bool, Bytes, Complex, Float, Int, Str, UInt};
        if is_long(from) || is_long(to) {
            // A long double of 12 or 16 bytes has its value in the first ten; the others are padding.
            let widens = from.kind() == to.kind() && from.itemsize() < to.itemsize();
            return (widens && is_long(from)).then_some(Convert { from, to });
        }
        let (f_bits, t_bits) = (bits(from)?, bits(to)?);
        let fits = match (from.kind(), to.kind()) {
            (Bytes, Bytes) | (Str, Str) => from.itemsize() < to.itemsize(),
            (Bool, Int | UInt | Float | Complex) => true,
            (Int, Int) | (UInt, UInt | Int) | (Float, Float | Complex) | (Complex, Complex) => {
                // In a signed integer, an unsigned one needs one more bit for the sign.
                f_bits < t_bits
                    || (to.kind() == Complex && from.kind() == Float && f_bits == t_bits)
            }
            (Int | UInt, Float | Complex) => f_bits <= t_bits,
            _ => false,
        };
        fits.then_some(Convert { from, to })
    }
}

/// Returns true for a long double, and for a complex number whose parts are long doubles.
pub(crate) fn is_long(scalar: Scalar) -> bool {
    let float = matches!(scalar.kind(), ScalarKind::Float | ScalarKind::Complex);
    float && scalar.swap_unit() > 8
}

/// Returns the bits of the widest integer that a scalar holds exactly: 0 for text, `None` for scalars that are never converted.
fn bits(scalar: Scalar) -> Option<usize> {
    let size = scalar.itemsize();
    match (scalar.kind(), size) {
        (ScalarKind::Int | ScalarKind::UInt, _) => Some(size.saturating_mul(8)),
        (ScalarKind::Float, 2) => Some(11),
        (ScalarKind::Float, 4) | (ScalarKind::Complex, 8) => Some(24),
        (ScalarKind::Float, 8) | (ScalarKind::Complex, 16) => Some(53),
        (ScalarKind::Bool, _) => Some(1),
        (ScalarKind::Bytes | ScalarKind::Str, _) => Some(0),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dtype::DType;

    fn scalar(text: &str) -> Scalar {
        *text.parse::<DType>().unwrap().scalar().unwrap()
    }

    #[test]
    fn only_conversions_that_lose_nothing_are_allowed() {
        let allowed = [
            ("|i1", "<i2"),
            ("<i4", ">i8"),
            ("|u1", "<i2"),
            ("<u4", "<i8"),
            ("<u2", "<u4"),
            ("<f2", "<f4"),
            ("<f4", "<f8"),
            ("<i2", "<f4"),
            ("<u4", "<f8"),
            ("|b1", "|i1"),
            ("|b1", "<f4"),
            ("<f4", "<c8"),
            ("<f4", "<c16"),
            ("<f8", "<c16"),
            ("<c8", "<c16"),
            ("|S3", "|S5"),
            ("<U1", ">U2"),
            ("<i4", "<c16"),
            ("|i1", "<f2"),
            ("|b1", ">f2"),
            ("<f12", "<f16"),
            (">c24", "<c32"),
        ];
        for (from, to) in allowed {
            assert!(Convert::new(scalar(from), scalar(to)).is_some(), "{from} {to}");
        }
        let refused = [
            ("<i2", "|i1"),
            ("|u1", "|i1"),
            ("|i1", "<u8"),
            ("<u8", "<i8"),
            ("<i4", "<f4"),
            ("<i8", "<f8"),
            ("<f8", "<f4"),
            ("<f4", "<i8"),
            ("<f8", "<c8"),
            ("<c8", "<f8"),
            ("<f8", "<f16"),
            ("<f16", "<f12"),
            ("<f16", "<c32"),
            ("<c24", "<f16"),
            ("<f12", "<c32"),
            ("<i4", "<f12"),
            ("<f12", "<f8"),
            ("|S12", "<f12"),
            ("|S5", "|S3"),
            ("|S3", "<U3"),
            ("|S3", "|V5"),
            ("<M8[s]", "<M8[ms]"),
            ("|i1", "|b1"),
            ("<i8", "<M8[s]"),
            ("<i2", "<f2"),
            ("<f2", "|i1"),
        ];
        for (from, to) in refused {
            assert!(Convert::new(scalar(from), scalar(to)).is_none(), "{from} {to}");
        }
    }
}
