//! The Rust types of scalars, and what these types need.

use npy_core::dtype::{Scalar, ScalarKind};
use npy_core::private::unit_type;

use crate::code::Need;

/// Returns the Rust type of a scalar.
pub(crate) fn scalar_type(scalar: Scalar) -> String {
    use ScalarKind as K;
    let size = scalar.itemsize();
    match (scalar.kind(), size) {
        (K::Bool, _) => "bool".into(),
        (K::Int, _) => format!("i{}", size.saturating_mul(8)),
        (K::UInt, _) => format!("u{}", size.saturating_mul(8)),
        (K::Float, 2) => "half::f16".into(),
        (K::Float, 4) => "f32".into(),
        (K::Float, 8) => "f64".into(),
        (K::Float, _) => "npy_core::LongDouble".into(),
        (K::Complex, 8) => "num_complex::Complex<f32>".into(),
        (K::Complex, 16) => "num_complex::Complex<f64>".into(),
        (K::Complex, _) => "npy_core::ComplexLongDouble".into(),
        (K::DateTime(resolution), _) => {
            format!("npy_core::DateTime64<{}>", unit_type(resolution, "npy_core::time"))
        }
        (K::TimeDelta(resolution), _) => {
            format!("npy_core::TimeDelta64<{}>", unit_type(resolution, "npy_core::time"))
        }
        (K::Bytes, _) => format!("npy_core::ByteStr<{size}>"),
        (K::Str, _) => format!("npy_core::FixedStr<{}>", size / 4),
        (K::Void, 1) if scalar.byte_order().is_some() => "npy_core::Float8".into(),
        (K::Void, 2) if scalar.byte_order().is_some() => "half::bf16".into(),
        (K::Object, _) => "npy_core::Objects".into(),
        // Raw bytes; so is a kind that this version does not know.
        _ => format!("npy_core::Void<{size}>"),
    }
}

/// Returns the Rust type of a scalar in a record with Python objects.
pub(crate) fn object_type(scalar: Scalar) -> String {
    use ScalarKind as K;
    match (scalar.kind(), scalar.itemsize()) {
        (K::Float, 2) => "f32".into(),
        (K::Float, 12 | 16) => "f64".into(),
        (K::Complex, _) => "(f64, f64)".into(),
        (K::Str, _) => "String".into(),
        (K::Bytes | K::Void, _) => "Vec<u8>".into(),
        (K::Object, _) => "Option<String>".into(),
        _ => scalar_type(scalar),
    }
}

/// Returns what the Rust type of a scalar needs.
pub(crate) fn need(scalar: Scalar) -> Option<Need> {
    match (scalar.kind(), scalar.itemsize()) {
        (ScalarKind::Float, 2) => Some(Need::Half),
        (ScalarKind::Void, 2) if scalar.byte_order().is_some() => Some(Need::Half),
        (ScalarKind::Complex, 8 | 16) => Some(Need::NumComplex),
        _ => None,
    }
}
