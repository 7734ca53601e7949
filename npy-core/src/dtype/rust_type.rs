//! The Rust type of a dtype, for messages.

use super::scalar::UNITS;
use super::{ByteOrder, DType, Resolution, ScalarKind};
use crate::checked;

/// Returns the Rust type of a dtype: of a number, a text, a time or raw bytes, or of an array of them; `None` for others, and for those that need a
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
        ScalarKind::Void => format!("Void<{size}>"),
        ScalarKind::DateTime(resolution) => {
            format!("DateTime64<{}>", unit_type(resolution, "time"))
        }
        ScalarKind::TimeDelta(resolution) => {
            format!("TimeDelta64<{}>", unit_type(resolution, "time"))
        }
        _ => return None,
    };
    Some(array_of(element, &dims))
}

/// Returns the Rust type that views values of a dtype in place, in its byte order; `None` if no type of this crate does.
pub(crate) fn viewed_type(dtype: &DType) -> Option<String> {
    let (base, dims) = dtype.flat();
    let scalar = base.scalar()?;
    let size = scalar.itemsize();
    let is_swapped = scalar.byte_order().is_some_and(|order| order != ByteOrder::NATIVE);
    let element = match scalar.kind() {
        ScalarKind::Bool => "Bool8".into(),
        ScalarKind::Int | ScalarKind::UInt | ScalarKind::Float if is_swapped => {
            let order = if ByteOrder::NATIVE == ByteOrder::Little { "Be" } else { "Le" };
            format!("{order}<{}>", rust_type(base)?)
        }
        ScalarKind::DateTime(_) | ScalarKind::TimeDelta(_) if is_swapped => return None,
        ScalarKind::Str => return None,
        ScalarKind::Float if size == 2 && cfg!(feature = "half") => "half::f16".into(),
        ScalarKind::Complex if size <= 16 && !is_swapped && cfg!(feature = "num-complex") => {
            format!("num_complex::Complex<{}>", rust_type(scalar.half()?)?)
        }
        _ => rust_type(base)?,
    };
    Some(array_of(element, &dims))
}

/// Returns the type of nested arrays: `[[f64; 3]; 2]`.
fn array_of(element: String, dims: &[usize]) -> String {
    dims.iter().rev().fold(element, |item, n| format!("[{item}; {n}]"))
}

/// Returns the type of a resolution; `module` is the path of the module `time`.
pub(crate) fn unit_type(resolution: Option<Resolution>, module: &str) -> String {
    let Some(Resolution { multiple, unit }) = resolution else {
        return format!("{module}::Generic");
    };
    let short = UNITS.iter().find(|(other, _)| *other == unit).map_or("", |(_, short)| short);
    // The type of a unit that is shorter than a second has its abbreviation for a name: `Ms`.
    let name = match short.split_at_checked(1) {
        Some((first, rest @ "s")) => format!("{}{rest}", first.to_uppercase()),
        _ => format!("{unit:?}"),
    };
    if multiple == 1 {
        format!("{module}::{name}")
    } else {
        format!("{module}::Times<{multiple}, {module}::{name}>")
    }
}
