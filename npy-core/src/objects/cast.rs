//! Casts numbers that are Python objects.

use super::ObjectRef;
use super::known::Meaning;
use crate::dtype::{ByteOrder, Scalar, ScalarKind};
use crate::dynamic::DynArray;
use crate::element::exact::copy;
use crate::plan::Cast;
use crate::shape::Order;
use npy_pickle::{BigInt, Value as Python};

/// Writes a number that the scalar does not hold exactly; `None` if it is not a number, or the cast refuses it.
pub(super) fn number(
    object: ObjectRef<'_>,
    wanted: Scalar,
    cast: Cast,
    out: &mut [u8],
) -> Option<()> {
    use ScalarKind::{Bool, Complex, Float, Int, UInt};
    let may_lose = matches!(cast, Cast::Numeric | Cast::Checked);
    if !may_lose || !matches!(wanted.kind(), Bool | Int | UInt | Float | Complex) {
        return None;
    }
    let array = |kind, bytes: &[u8]| {
        let dtype = Scalar::ordered(kind, bytes.len(), ByteOrder::Little).into();
        DynArray::new(dtype, [], Order::C, bytes.to_vec()).ok()
    };
    let found = match object.meaning() {
        Meaning::Scalar(found) => found.to_dyn(object.limits()).ok(),
        Meaning::Python(Python::Bool(value)) => array(Bool, &[value.into()]),
        Meaning::Python(Python::Int(value)) => array(Int, &value.to_le_bytes()),
        Meaning::Python(Python::BigInt(value)) => {
            let small = value.to_i128().and_then(|value| u64::try_from(value).ok());
            match (small, wanted.kind(), cast) {
                (Some(value), ..) => array(UInt, &value.to_le_bytes()),
                (None, Int | UInt, Cast::Numeric) => array(UInt, &low_bits(value).to_le_bytes()),
                // As a float, it may be rounded to one that an integer holds.
                (None, Int | UInt, _) => None,
                (None, ..) => {
                    let number = float(value);
                    let is_refused = cast == Cast::Checked && number.is_infinite();
                    if is_refused { None } else { array(Float, &number.to_le_bytes()) }
                }
            }
        }
        Meaning::Python(Python::Float(value)) => array(Float, &value.to_le_bytes()),
        Meaning::Python(Python::Complex(re, im)) => {
            array(Complex, &[re.to_le_bytes(), im.to_le_bytes()].concat())
        }
        _ => None,
    };
    copy(found?.cast_with(&wanted.into(), cast).ok()?.as_bytes(), out)
}

/// Returns the nearest float, as Python's `float` does; beyond the range, an infinite one.
fn float(value: BigInt<'_>) -> f64 {
    /// The bytes of the largest float, and of the sign.
    const MAX_BYTES: usize = 129;
    if let Some(value) = value.to_i128() {
        return value as f64;
    }
    let value = match value {
        BigInt::Binary(bytes) => {
            let is_negative = bytes.last().is_some_and(|&byte| byte >= 0x80);
            let sign = if is_negative { 0xff } else { 0 };
            let last = bytes.iter().rposition(|&byte| byte != sign).unwrap_or(0);
            if last >= MAX_BYTES {
                // Its decimal text would take the square of its length.
                return if is_negative { f64::NEG_INFINITY } else { f64::INFINITY };
            }
            // With one byte of the sign.
            BigInt::Binary(bytes.get(..last.saturating_add(2)).unwrap_or(bytes))
        }
        decimal => decimal,
    };
    let text = value.to_string();
    // Text that is not decimal is that of a number beyond any float.
    let infinite = if text.starts_with('-') { f64::NEG_INFINITY } else { f64::INFINITY };
    text.parse().unwrap_or(infinite)
}

/// Returns the low bits of an integer in two's complement.
fn low_bits(value: BigInt<'_>) -> u64 {
    match value {
        BigInt::Binary(bytes) => {
            let is_negative = bytes.last().is_some_and(|&byte| byte >= 0x80);
            let mut low = [if is_negative { 0xff } else { 0 }; 8];
            low.iter_mut().zip(bytes).for_each(|(to, from)| *to = *from);
            u64::from_le_bytes(low)
        }
        BigInt::Decimal(_) => {
            let text = value.to_string();
            let digits = text.bytes().filter(u8::is_ascii_digit);
            let low = digits.fold(0u64, |low, digit| {
                low.wrapping_mul(10).wrapping_add(u64::from(digit.wrapping_sub(b'0')))
            });
            if text.starts_with('-') { low.wrapping_neg() } else { low }
        }
    }
}
