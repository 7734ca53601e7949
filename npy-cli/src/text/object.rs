//! Python objects as text.

use npy_core::ObjectRef;
use npy_core::object::Kind;

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
