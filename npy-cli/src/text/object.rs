//! Python objects as text.

use std::io::Write;

use npy_core::object::Kind;
use npy_core::{ObjectRef, Value};

use super::infinite::Infinite;

/// Writes an object as JSON: infinite numbers are text, as those of other columns.
pub(crate) fn object_json(object: ObjectRef<'_>, out: impl Write) -> serde_json::Result<()> {
    serde_json::to_writer(out, &Infinite(object))
}

/// Returns an object as text for CSV; nothing for a missing value.
pub(crate) fn object_text(object: ObjectRef<'_>) -> String {
    if object.is_missing() {
        return String::new();
    }
    // Also `numpy.str_`.
    if let Some(text) = object.as_str() {
        return text.into_owned();
    }
    match object.kind() {
        // Times in ISO 8601, as in JSON and in columns of times.
        Kind::Date | Kind::Time | Kind::DateTime | Kind::TimeDelta | Kind::Decimal => {
            match serde_json::to_value(object) {
                Ok(serde_json::Value::String(text)) => text,
                _ => object.to_string(),
            }
        }
        _ => object.to_string(),
    }
}

/// Returns the real and the imaginary part of a complex number of Python or NumPy.
pub(crate) fn complex_parts(object: ObjectRef<'_>) -> Option<[f64; 2]> {
    match object.kind() {
        Kind::Complex => {
            let parts = object.arguments()?;
            Some([parts.at(0)?.as_f64()?, parts.at(1)?.as_f64()?])
        }
        Kind::Scalar => match object.as_array().ok()?.get(&[])? {
            Value::Complex32(re, im) => Some([re.into(), im.into()]),
            Value::Complex64(re, im) => Some([re, im]),
            _ => None,
        },
        _ => None,
    }
}
