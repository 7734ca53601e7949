//! Decides which scalars can be converted, and whether each value must be checked. [`kernel`](crate::kernel) runs the conversions.

use super::cast::Cast;
use crate::dtype::{Resolution, Scalar, ScalarKind, Unit};

/// A conversion of scalars.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Convert {
    pub(crate) from: Scalar,
    pub(crate) to: Scalar,
    /// True if a value that does not fit is an error.
    pub(crate) is_checked: bool,
    /// True if a time is rounded down to a whole number of units.
    pub(crate) cuts: bool,
    /// The path of the field, for that error; empty outside a record.
    pub(crate) field: String,
}

impl Convert {
    /// Returns the conversion between two different scalars; `None` if the cast does not allow it.
    pub(crate) fn new(from: Scalar, to: Scalar, cast: Cast) -> Option<Self> {
        let is_checked = match cast {
            Cast::Exact => return None,
            _ if widens(from, to) => false,
            _ if shortens(from, to) || rescales(from, to) => true,
            Cast::Numeric | Cast::Checked if is_number(from) && is_number(to) => {
                cast == Cast::Checked
            }
            _ => return None,
        };
        let cuts = cast == Cast::Numeric;
        Some(Convert { from, to, is_checked, cuts, field: String::new() })
    }
}

/// Returns true if `to` can represent every value of `from`.
fn widens(from: Scalar, to: Scalar) -> bool {
    use ScalarKind::{Bool, Bytes, Complex, Float, Int, Str, UInt};
    if is_long(from) || is_long(to) {
        // A long double of 12 or 16 bytes has its value in the first ten; the others are padding.
        return is_long(from) && from.kind() == to.kind() && from.itemsize() < to.itemsize();
    }
    let (Some(f_bits), Some(t_bits)) = (bits(from), bits(to)) else { return false };
    match (from.kind(), to.kind()) {
        (Bytes, Bytes) | (Str, Str) => from.itemsize() < to.itemsize(),
        (Bool, Int | UInt | Float | Complex) => true,
        (Int, Int) | (UInt, UInt | Int) | (Float, Float | Complex) | (Complex, Complex) => {
            // An unsigned integer needs a wider signed one, which has a bit for the sign.
            f_bits < t_bits || (to.kind() == Complex && from.kind() == Float && f_bits == t_bits)
        }
        (Int | UInt, Float | Complex) => f_bits <= t_bits,
        _ => false,
    }
}

/// Returns true if `to` is shorter text of the same kind, but not empty.
fn shortens(from: Scalar, to: Scalar) -> bool {
    matches!(from.kind(), ScalarKind::Bytes | ScalarKind::Str)
        && from.kind() == to.kind()
        && (1..from.itemsize()).contains(&to.itemsize())
}

/// Returns true for two dates with units, and for two time spans with units, unless only one of the spans is in months or years.
fn rescales(from: Scalar, to: Scalar) -> bool {
    let is_months = |resolution: Resolution| matches!(resolution.unit, Unit::Year | Unit::Month);
    match (from.kind(), to.kind()) {
        (ScalarKind::DateTime(Some(_)), ScalarKind::DateTime(Some(_))) => true,
        (ScalarKind::TimeDelta(Some(from)), ScalarKind::TimeDelta(Some(to))) => {
            is_months(from) == is_months(to)
        }
        _ => false,
    }
}

/// Returns true for a number or `bool` of at most eight bytes, and for a complex number of two such numbers.
fn is_number(scalar: Scalar) -> bool {
    bits(scalar).is_some_and(|bits| bits > 0)
}

/// Returns true for a long double, and for a complex number whose parts are long doubles.
pub(crate) fn is_long(scalar: Scalar) -> bool {
    let float = matches!(scalar.kind(), ScalarKind::Float | ScalarKind::Complex);
    float && scalar.swap_unit() > 8
}

/// Returns the width, in bits, of the widest integers that a scalar can hold exactly: 0 for text, `None` for long doubles, times, raw bytes
/// and objects.
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
            let convert = Convert::new(scalar(from), scalar(to), Cast::Lossless);
            assert!(convert.is_some_and(|convert| !convert.is_checked), "{from} {to}");
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
            ("|S3", "<U3"),
            ("|S3", "|V5"),
            ("|i1", "|b1"),
            ("<i8", "<M8[s]"),
            ("<i2", "<f2"),
            ("<f2", "|i1"),
        ];
        for (from, to) in refused {
            let convert = Convert::new(scalar(from), scalar(to), Cast::Lossless);
            assert!(convert.is_none(), "{from} {to}");
        }
    }

    #[test]
    fn values_are_checked_where_not_all_fit() {
        let pairs = [
            ("|S5", "|S3"),
            ("<U3", ">U1"),
            ("<M8[s]", "<M8[ms]"),
            ("<M8[ns]", "<M8[us]"),
            ("<M8[D]", "<M8[s]"),
            ("<M8[M]", "<M8[25s]"),
            ("<m8[s]", ">m8[D]"),
            ("<m8[Y]", "<m8[M]"),
        ];
        for (from, to) in pairs {
            for cast in [Cast::Lossless, Cast::Numeric, Cast::Checked] {
                let convert = Convert::new(scalar(from), scalar(to), cast);
                assert!(convert.is_some_and(|convert| convert.is_checked), "{from} {to}");
            }
            assert!(Convert::new(scalar(from), scalar(to), Cast::Exact).is_none(), "{from} {to}");
        }
        for (from, to) in
            [("<m8[M]", "<m8[D]"), ("<M8", "<M8[s]"), ("<M8[s]", "<m8[s]"), ("|S3", "|S0")]
        {
            assert!(Convert::new(scalar(from), scalar(to), Cast::Checked).is_none(), "{from} {to}");
        }
    }

    #[test]
    fn any_number_becomes_any_other() {
        let numbers = ["|b1", "|i1", ">u2", "<i4", "<u8", "<f2", ">f4", "<f8", "<c8", ">c16"];
        for from in numbers {
            for to in numbers.into_iter().filter(|&to| to != from) {
                let allowed = |cast| Convert::new(scalar(from), scalar(to), cast);
                assert!(allowed(Cast::Numeric).is_some_and(|convert| !convert.is_checked));
                let is_wider = allowed(Cast::Lossless).is_some();
                assert!(
                    allowed(Cast::Checked).is_some_and(|convert| convert.is_checked != is_wider)
                );
            }
            for other in ["|S8", "<U2", "|V4", "<f16", "<M8[s]", "|O"] {
                assert!(Convert::new(scalar(from), scalar(other), Cast::Numeric).is_none());
                assert!(Convert::new(scalar(other), scalar(from), Cast::Numeric).is_none());
            }
        }
    }
}
