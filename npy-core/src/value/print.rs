//! Prints elements nearly as NumPy does.

use std::cell::Cell;
use std::fmt::{self, Formatter};

use super::{ArrayValue, RecordValue, Str, Value};
use crate::checked;
use crate::element::time::{date_text, span_text};

/// Prints text without quotes, unless it is inside a record or a sub-array.
impl fmt::Display for Value<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Value::Str(text) => f.pad(&text.to_text_lossy()),
            Value::Bytes(bytes) => f.pad(&String::from_utf8_lossy(bytes)),
            _ => fmt::Debug::fmt(self, f),
        }
    }
}

/// Implements `Debug` with `print`.
macro_rules! debug {
    ($($type:ident),*) => {$(
        /// Prints like Python: a record as a tuple, a sub-array as a list, text and bytes in quotes. Long sub-arrays are shortened in the
        /// middle, very long values at the end.
        impl fmt::Debug for $type<'_> {
            fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
                self.print(f, &Cell::new(MAX_VALUES))
            }
        }
    )*};
}

debug!(Value, RecordValue, ArrayValue);

/// The largest number of values that `Debug` prints. Without a limit, a sub-array of elements of
/// zero bytes could print without end.
const MAX_VALUES: usize = 10_000;
/// A sub-array is shortened only if it has more elements than this.
const THRESHOLD: usize = 1000;
/// The number of values at each end of a shortened sub-array.
const EDGE: usize = 3;

impl Value<'_> {
    /// Writes the value. The value and each value inside it decrement `left`; once `left` is zero,
    /// the rest is printed as `...`.
    pub(crate) fn print(&self, f: &mut dyn fmt::Write, left: &Cell<usize>) -> fmt::Result {
        let Some(rest) = left.get().checked_sub(1) else { return f.write_str("...") };
        left.set(rest);
        match self {
            Value::Bool(value) => f.write_str(if *value { "True" } else { "False" }),
            Value::Int(value) => write!(f, "{value}"),
            Value::UInt(value) => write!(f, "{value}"),
            Value::F16(value) => f.write_str(&float(shortest_half(*value))),
            Value::F32(value) => f.write_str(&float(value)),
            Value::F64(value) => f.write_str(&float(value)),
            Value::LongDouble(value) => f.write_str(&float(value.to_f64())),
            Value::Complex32(re, im) => complex(f, re, im),
            Value::Complex64(re, im) => complex(f, re, im),
            Value::ComplexLongDouble(re, im) => complex(f, re.to_f64(), im.to_f64()),
            Value::Void(bytes) => {
                f.write_str("b'")?;
                bytes.iter().try_for_each(|byte| write!(f, "\\x{byte:02x}"))?;
                f.write_char('\'')
            }
            Value::Bytes(bytes) => write!(f, "b'{}'", bytes.escape_ascii()),
            Value::Str(text) => write!(f, "{text:?}"),
            Value::DateTime(count, resolution) => f.write_str(&date_text(*count, *resolution)),
            Value::TimeDelta(count, resolution) => f.write_str(&span_text(*count, *resolution)),
            Value::Object => f.write_str("<object>"),
            Value::Record(record) => record.print(f, left),
            Value::Array(array) => array.print(f, left),
        }
    }
}

impl fmt::Display for Str<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.pad(&self.to_text_lossy())
    }
}

impl fmt::Debug for Str<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(&crate::literal::repr::of_code_points(self.code_points()))
    }
}

impl RecordValue<'_> {
    fn print(&self, f: &mut dyn fmt::Write, left: &Cell<usize>) -> fmt::Result {
        f.write_char('(')?;
        for (i, (_, value)) in self.iter().enumerate() {
            f.write_str(if i > 0 { ", " } else { "" })?;
            value.print(f, left)?;
        }
        // Python's tuple of one value has a comma.
        f.write_str(if self.fields.len() == 1 { ",)" } else { ")" })
    }
}

impl ArrayValue<'_> {
    fn print(&self, f: &mut dyn fmt::Write, left: &Cell<usize>) -> fmt::Result {
        let count = self.iter().len();
        // Saturation is fine, as the product is only compared.
        let all = self.shape.iter().fold(1, |all: usize, &n| all.saturating_mul(n));
        let elided = all > THRESHOLD && count > 2 * EDGE;
        f.write_char('[')?;
        let mut i = 0usize;
        while i < count {
            f.write_str(if i > 0 { ", " } else { "" })?;
            if elided && i == EDGE {
                f.write_str("..., ")?;
                i = checked::sub(count, EDGE);
            }
            if left.get() == 0 {
                f.write_str("...")?;
                break;
            }
            checked::some(self.get(i)).print(f, left)?;
            i = checked::add(i, 1);
        }
        f.write_char(']')
    }
}

/// Formats a float like Python, which prints `nan` for Rust's `NaN`.
fn float(value: impl fmt::Debug) -> String {
    format!("{value:?}").replace("NaN", "nan")
}

/// Writes a complex number like Python: `(1.5-2j)`.
fn complex(f: &mut dyn fmt::Write, re: impl fmt::Debug, im: impl fmt::Debug) -> fmt::Result {
    let (re, im) = (float(re), float(im));
    let (re, im) = (re.strip_suffix(".0").unwrap_or(&re), im.strip_suffix(".0").unwrap_or(&im));
    let sign = if im.starts_with('-') { "" } else { "+" };
    write!(f, "({re}{sign}{im}j)")
}

/// Returns the shortest decimal that is nearer to this half-precision number than to any other.
fn shortest_half(value: f32) -> f64 {
    let value = f64::from(value);
    if !value.is_finite() || value == 0.0 {
        return value;
    }
    // Half of the distance to the next number; the precision is ten bits after the leading one.
    let exponent = value.abs().log2().floor().max(-14.0);
    let above = (exponent - 11.0).exp2();
    // The numbers below a power of two are half as far apart, except next to the subnormal numbers.
    let is_power = value.abs() == exponent.exp2() && exponent > -14.0;
    let below = if is_power { above / 2.0 } else { above };
    let is_near = |decimal: &f64| {
        let excess = decimal.abs() - value.abs();
        (-below..above).contains(&excess) && excess != -below
    };
    // The nearest decimal with this many digits after the point; in a tie, both decimals. Its digits are few, so the quotient is exact.
    let decimals = |digits: i32| {
        let power = 10_f64.powi(digits);
        [value, value * (1.0 + f64::EPSILON)].map(|value| (value * power).round_ties_even() / power)
    };
    (-4..13).flat_map(decimals).find(is_near).unwrap_or(value)
}

#[cfg(test)]
mod tests {
    use super::shortest_half;
    use crate::kernel::cast::half;

    /// Guards that two half-precision numbers are never printed as the same decimal.
    #[test]
    fn every_half_is_nearer_to_its_printed_decimal_than_any_other() {
        let distance = |bits: u16, decimal: f64| (f64::from(half(bits)) - decimal).abs();
        for bits in 1..0x7bff {
            let decimal = shortest_half(half(bits));
            for other in [bits - 1, bits + 1] {
                assert!(distance(bits, decimal) < distance(other, decimal), "{decimal}");
            }
        }
        // As NumPy prints them: below a power of two, numbers are half as far apart.
        assert_eq!(shortest_half(0.007_812_5), 0.007_812);
        assert_eq!(shortest_half(0.015_625), 0.015_63);
        assert_eq!(shortest_half(-0.1), -0.1);
    }
}
