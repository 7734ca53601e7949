//! The Rust type of a dtype, for messages.

use super::{DType, Resolution, ScalarKind, Unit};
use crate::checked;

/// Returns the Rust type of a dtype: of a number, a text or a time, or of an array of them; `None` for others, and for those that need a
/// feature.
pub(crate) fn rust_type(dtype: &DType) -> Option<String> {
    let (base, dims) = dtype.flat();
    let scalar = base.scalar()?;
    let size = scalar.itemsize();
    let bits = checked::mul(size, 8);
    let element = match scalar.kind() {
        ScalarKind::Bool => "bool".into(),
        ScalarKind::Int => format!("i{bits}"),
        ScalarKind::UInt => format!("u{bits}"),
        ScalarKind::Float if size == 4 || size == 8 => format!("f{bits}"),
        ScalarKind::Str => format!("FixedStr<{}>", size / 4),
        ScalarKind::Bytes => format!("ByteStr<{size}>"),
        ScalarKind::DateTime(resolution) => format!("DateTime64<{}>", unit_type(resolution)),
        ScalarKind::TimeDelta(resolution) => format!("TimeDelta64<{}>", unit_type(resolution)),
        _ => return None,
    };
    Some(dims.iter().rev().fold(element, |item, n| format!("[{item}; {n}]")))
}

/// Returns the type of a unit, in the module `time`.
fn unit_type(resolution: Option<Resolution>) -> String {
    let Some(Resolution { multiple, unit }) = resolution else { return "time::Generic".into() };
    let unit = match unit {
        Unit::Year => "Year",
        Unit::Month => "Month",
        Unit::Week => "Week",
        Unit::Day => "Day",
        Unit::Hour => "Hour",
        Unit::Minute => "Minute",
        Unit::Second => "Second",
        Unit::Millisecond => "Ms",
        Unit::Microsecond => "Us",
        Unit::Nanosecond => "Ns",
        Unit::Picosecond => "Ps",
        Unit::Femtosecond => "Fs",
        Unit::Attosecond => "As",
    };
    if multiple == 1 {
        format!("time::{unit}")
    } else {
        format!("time::Times<{multiple}, time::{unit}>")
    }
}
