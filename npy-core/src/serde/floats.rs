//! Numbers that become floats: an integer exactly, or not at all.

use serde::de::{Deserializer, Expected, Visitor};

use super::RowError;
use crate::value::{Value, fits_float};

/// A type of floats that a visitor asked for.
#[derive(Clone, Copy)]
pub(super) enum Float {
    Single,
    Double,
}

impl Float {
    /// Deserializes a float of this type.
    pub(super) fn visit<'de, D: Deserializer<'de>, V: Visitor<'de>>(
        self,
        from: D,
        visitor: V,
    ) -> Result<V::Value, D::Error> {
        match self {
            Float::Single => from.deserialize_f32(visitor),
            Float::Double => from.deserialize_f64(visitor),
        }
    }

    fn bits(self) -> u32 {
        match self {
            Float::Single => f32::MANTISSA_DIGITS,
            Float::Double => f64::MANTISSA_DIGITS,
        }
    }

    /// Refuses an integer that the float would round.
    #[inline]
    pub(super) fn check_integer(
        self,
        number: i128,
        expected: &dyn Expected,
    ) -> Result<(), RowError> {
        // Nearly all integers are small, and the comparison is quick.
        if number.unsigned_abs().checked_shr(self.bits()) == Some(0) {
            return Ok(());
        }
        self.check_large(number, expected)
    }

    #[cold]
    fn check_large(self, number: i128, expected: &dyn Expected) -> Result<(), RowError> {
        if fits_float(number.unsigned_abs(), self.bits()) {
            return Ok(());
        }
        let integer = match (i64::try_from(number), u64::try_from(number)) {
            (Ok(_), _) => "i64",
            (_, Ok(_)) => "u64",
            _ => "i128",
        };
        let wider = match self {
            Float::Single if fits_float(number.unsigned_abs(), Float::Double.bits()) => "f64 or ",
            _ => "",
        };
        let bits = self.bits();
        Err(RowError::new(format_args!(
            "expected {expected}, found the integer {number}, which has more than the {bits} bits of the float; read it as {wider}{integer}"
        )))
    }

    /// Refuses a number that the float would make infinite; it may lose digits.
    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "only an infinity is looked for")]
    pub(super) fn check_real(self, number: f64, expected: &dyn Expected) -> Result<(), RowError> {
        match self {
            Float::Single if number.is_finite() && (number as f32).is_infinite() => {
                Err(RowError::new(format_args!(
                    "expected {expected}, found {number:e}, which is too large; read it as f64"
                )))
            }
            _ => Ok(()),
        }
    }

    /// Refuses an integer or a number for the same reasons.
    pub(super) fn check(self, value: Value<'_>, expected: &dyn Expected) -> Result<(), RowError> {
        match value {
            Value::Int(number) => self.check_integer(number.into(), expected),
            Value::UInt(number) => self.check_integer(number.into(), expected),
            Value::F64(number) => self.check_real(number, expected),
            _ => Ok(()),
        }
    }
}
