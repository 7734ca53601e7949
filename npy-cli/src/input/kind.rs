//! The kinds of values that a column is read as.

use npy_core::DType;
use npy_core::dtype::{Resolution, Scalar, ScalarKind};

use super::times::Digits;

/// The kind of values that a column is read as.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Kind {
    Bool,
    /// Integers of this many bytes.
    Int(usize),
    UInt(usize),
    /// Floats of eight bytes.
    Float,
    /// Floats of eight bytes: 1 for True and 0 for False.
    Truth,
    /// Complex numbers as `np.savetxt` writes them, `(1.0e+00+2.0e+00j)`.
    Complex,
    Time(Digits),
    /// Spans of time: text as the command writes it, or counts of this resolution.
    Span(Resolution),
    /// Times as counts of this resolution.
    Count(Resolution),
    /// Times as text in this resolution: `2024-01`, `2024`.
    Point(Resolution),
    Text,
    /// Text as UTF-8, in a dtype of bytes.
    Bytes,
    /// Bytes of this dtype in its byte order, or as many as the longest value has if its size is 0; text has their hexadecimal digits.
    Void(Scalar),
}

impl Kind {
    /// Returns what values of both kinds can be read as.
    pub(super) fn common(self, other: Kind) -> Option<Kind> {
        use Kind::{Float, Int, Time, UInt};
        match (self, other) {
            (one, other) if one == other => Some(one),
            (Time(one), Time(other)) => Some(Time(one.max(other))),
            (Int(_) | UInt(_) | Float, Float) | (Float, Int(_) | UInt(_)) => Some(Float),
            _ => None,
        }
    }

    /// Returns the dtype of the values. `width` is that of text.
    pub(super) fn dtype(self, width: usize) -> npy_core::Result<DType> {
        let time = |unit| Some(Resolution { multiple: 1, unit });
        let kind = match self {
            Kind::Bool => ScalarKind::Bool,
            Kind::Int(_) => ScalarKind::Int,
            Kind::UInt(_) => ScalarKind::UInt,
            Kind::Float | Kind::Truth => ScalarKind::Float,
            Kind::Complex => ScalarKind::Complex,
            Kind::Time(digits) => ScalarKind::DateTime(time(digits.unit())),
            Kind::Span(resolution) => ScalarKind::TimeDelta(time(resolution.unit)),
            Kind::Count(resolution) | Kind::Point(resolution) => {
                ScalarKind::DateTime(time(resolution.unit))
            }
            Kind::Text => ScalarKind::Str,
            Kind::Bytes => ScalarKind::Bytes,
            Kind::Void(scalar) if scalar.itemsize() > 0 => return Ok(scalar.into()),
            Kind::Void(_) => ScalarKind::Void,
        };
        Scalar::new(kind, self.itemsize(width)).map(DType::from)
    }

    /// Returns the size of a value in bytes.
    pub(super) fn itemsize(self, width: usize) -> usize {
        match self {
            Kind::Bool => 1,
            Kind::Text => width.saturating_mul(4),
            Kind::Bytes => width,
            Kind::Void(scalar) if scalar.itemsize() == 0 => width,
            Kind::Void(scalar) => scalar.itemsize(),
            Kind::Int(size) | Kind::UInt(size) => size,
            Kind::Complex => 16,
            Kind::Float
            | Kind::Truth
            | Kind::Time(_)
            | Kind::Span(_)
            | Kind::Count(_)
            | Kind::Point(_) => 8,
        }
    }
}

#[cfg(test)]
mod tests {
    use npy_core::DType;

    use super::Kind;

    /// Guards hexadecimal digits, which are bytes in the order of the dtype: of `>V2` they are not swapped.
    #[test]
    fn raw_bytes_have_the_byte_order_that_is_asked_for() {
        for (wanted, expected) in [(">V2", ">V2"), ("<V2", "<V2"), ("|V3", "|V3"), ("|V0", "|V5")] {
            let dtype: DType = wanted.parse().unwrap();
            let kind = Kind::Void(*dtype.scalar().unwrap());
            assert_eq!(kind.dtype(5).unwrap().to_string(), expected);
            assert_eq!(kind.itemsize(5), kind.dtype(5).unwrap().itemsize());
        }
    }
}
