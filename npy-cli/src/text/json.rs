//! Strings, numbers and objects of JSON.

use std::fmt;

/// Writes a string of JSON.
pub(crate) fn json_string(text: &str, out: &mut Vec<u8>) {
    if text.bytes().all(is_plain) {
        out.push(b'"');
        out.extend_from_slice(text.as_bytes());
        out.push(b'"');
    } else {
        // A `Vec` takes everything, and text has no other errors.
        let _ = serde_json::to_writer(out, text);
    }
}

/// Returns true for a byte that is in a string of JSON as it is.
pub(super) fn is_plain(byte: u8) -> bool {
    byte >= 0x20 && byte != b'"' && byte != b'\\'
}

/// Returns a number as JSON has it.
pub(crate) fn json_float(value: f64) -> serde_json::Value {
    match value {
        f64::NEG_INFINITY => "-inf".into(),
        f64::INFINITY => "inf".into(),
        value => value.into(),
    }
}

/// An object of JSON, whose keys stay in the order in which they were added.
pub(crate) struct JsonObject(String);

impl JsonObject {
    pub(crate) fn new() -> Self {
        JsonObject(String::new())
    }

    /// Adds a value: of serde_json, or an object or a list as text.
    pub(crate) fn add(&mut self, key: &str, value: impl fmt::Display) {
        let mut text = if self.0.is_empty() { b"{".to_vec() } else { b",".to_vec() };
        json_string(key, &mut text);
        text.push(b':');
        self.0 += &String::from_utf8(text).unwrap_or_default();
        self.0 += &value.to_string();
    }

    /// Adds a text.
    pub(crate) fn add_text(&mut self, key: &str, text: &str) {
        self.add(key, serde_json::Value::from(text));
    }
}

impl fmt::Display for JsonObject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_empty() { "{" } else { &self.0 })?;
        f.write_str("}")
    }
}
