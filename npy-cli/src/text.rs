//! Scalars as text, straight from their bytes: for CSV, for JSON and for tables.
//!
//! `Cell::new(&dtype)` (`text/cell.rs`) is made once for a column; `cell.csv(bytes, objects, out)`, `cell.json(bytes, objects, out)` and `cell.table(bytes, objects)`
//! then print one element. Floats print as Python's `repr` does, with the fewest digits that read back as the same number.
//!
//! | | CSV | JSON | table |
//! |---|---|---|---|
//! | NaN, NaT | nothing | `null` | `nan`, `NaT` |
//! | infinity | `inf` | `"inf"` | `inf` |
//! | bool | `True` | `true` | `True` |
//! | `M8[s]` | `2024-01-31 12:00:00` | `"2024-01-31T12:00:00"` | `2024-01-31T12:00:00` |
//! | `S` | the text; bytes that are not UTF-8 as `\xff` (`escape.rs`) | a string, with the same escapes | the text, escaped |
//! | `U` | the text; a lone surrogate as `\udc80` (`surrogates.rs`) | a string, with JSON's own escape for a lone surrogate | the text, escaped |
//! | `V` | hexadecimal digits | a string of them | hexadecimal digits |
//! | complex | two columns | `[re, im]` | `1.0+2.0j` |

mod cell;
mod csv;
mod escape;
mod float;
mod infinite;
mod json;
mod object;
mod size;
mod surrogates;
mod time;

use std::io::Write;

use npy_core::{ObjectRef, Value};

use self::cell::Kind;
pub(crate) use self::cell::{Cell, half_of};
pub(crate) use self::csv::csv_field;
use self::csv::needs_quotes;
use self::escape::escape;
pub(crate) use self::escape::unescape;
use self::float::{INFINITIES, JSON_INFINITIES, float};
pub(crate) use self::float::{short_float, short_number};
use self::json::is_plain;
pub(crate) use self::json::{JsonObject, json_float, json_string};
use self::object::object_json_with_surrogates;
pub(crate) use self::object::{complex_parts, numpy_time, object_json, object_text, span_text};
pub(crate) use self::size::{bytes_text, grouped};
use self::surrogates::{has_surrogate, json_of_surrogates, with_escapes};
pub(crate) use self::time::short_time;
use crate::output::printable;

impl Cell {
    /// Writes a field of CSV. An object is its index in `objects`. `comma` is what is between two fields.
    pub(crate) fn csv(
        &self,
        bytes: &[u8],
        objects: &[ObjectRef<'_>],
        comma: u8,
        out: &mut Vec<u8>,
    ) {
        match self.kind {
            Kind::F64 => float(self.f64(bytes), "", INFINITIES, out),
            Kind::F32 => float(self.f32(bytes), "", INFINITIES, out),
            Kind::Int => {
                out.extend_from_slice(itoa::Buffer::new().format(self.int(bytes)).as_bytes())
            }
            Kind::UInt => {
                out.extend_from_slice(itoa::Buffer::new().format(self.bits(bytes)).as_bytes())
            }
            Kind::Bool => {
                out.extend_from_slice(if self.bits(bytes) == 0 { b"False" } else { b"True" })
            }
            Kind::Bytes | Kind::Str => {
                let start = out.len();
                self.text(bytes, out);
                if out[start..].iter().any(|byte| needs_quotes(*byte, comma)) {
                    let text = String::from_utf8(out.split_off(start)).unwrap_or_default();
                    csv_field(&text, comma, out);
                }
            }
            Kind::DateTime | Kind::TimeDelta if self.int(bytes) == i64::MIN => {}
            Kind::DateTime => self.time(bytes, b' ', out),
            Kind::Float => {
                let text = self.value(bytes).to_string();
                if text != "nan" {
                    out.extend_from_slice(text.as_bytes());
                }
            }
            Kind::Void => hex(bytes, out),
            Kind::Object => {
                let object = self.object(bytes, objects);
                csv_field(&object.map(object_text).unwrap_or_default(), comma, out);
            }
            Kind::Complex | Kind::TimeDelta | Kind::Other => {
                csv_field(&self.value(bytes).to_string(), comma, out);
            }
        }
    }

    /// Writes a value of JSON. An object is its index in `objects`.
    pub(crate) fn json(&self, bytes: &[u8], objects: &[ObjectRef<'_>], out: &mut Vec<u8>) {
        match self.kind {
            Kind::F64 => float(self.f64(bytes), "null", JSON_INFINITIES, out),
            Kind::F32 => float(self.f32(bytes), "null", JSON_INFINITIES, out),
            Kind::Int | Kind::UInt => self.csv(bytes, objects, b',', out),
            Kind::Bool => {
                out.extend_from_slice(if self.bits(bytes) == 0 { b"false" } else { b"true" })
            }
            Kind::Bytes | Kind::Str => {
                out.push(b'"');
                let start = out.len();
                self.text(bytes, out);
                if !out[start..].iter().copied().all(is_plain) {
                    let text = String::from_utf8(out.split_off(start)).unwrap_or_default();
                    out.pop();
                    match self.value(bytes) {
                        Value::Str(text) if has_surrogate(text.code_points()) => {
                            json_of_surrogates(text.code_points(), out);
                        }
                        _ => json_string(&text, out),
                    }
                } else {
                    out.push(b'"');
                }
            }
            Kind::Void => {
                out.push(b'"');
                hex(bytes, out);
                out.push(b'"');
            }
            Kind::DateTime | Kind::TimeDelta if self.int(bytes) == i64::MIN => {
                out.extend_from_slice(b"null");
            }
            Kind::DateTime => {
                out.push(b'"');
                self.time(bytes, b'T', out);
                out.push(b'"');
            }
            Kind::Float => {
                let text = self.value(bytes).to_string();
                out.extend_from_slice(match &*text {
                    "inf" => b"\"inf\"",
                    "-inf" => b"\"-inf\"",
                    "nan" => b"null",
                    text => text.as_bytes(),
                });
            }
            Kind::Complex => {
                let half = Cell::new(&half_of(&self.dtype));
                let (re, im) = bytes.split_at(bytes.len() / 2);
                out.push(b'[');
                half.json(re, objects, out);
                out.push(b',');
                half.json(im, objects, out);
                out.push(b']');
            }
            Kind::Object => {
                let Some(object) = self.object(bytes, objects) else {
                    out.extend_from_slice(b"null");
                    return;
                };
                let start = out.len();
                if object_json_with_surrogates(object, out).is_err() {
                    // An object that JSON cannot express: a cycle, a key that is not text.
                    out.truncate(start);
                    json_string(&object.to_string(), out);
                }
            }
            Kind::TimeDelta | Kind::Other => {
                json_string(&self.value(bytes).to_string(), out);
            }
        }
    }

    /// Returns the text of an element for people. Floats of many digits are rounded to six. An object is its index in `objects`.
    pub(crate) fn table(&self, bytes: &[u8], objects: &[ObjectRef<'_>]) -> String {
        match self.kind {
            Kind::F64 => short_float(self.f64(bytes)),
            // An `f32` as an `f64` would have more digits.
            Kind::F32 => match self.csv_text(bytes) {
                text if text.len() <= 9 => text,
                _ => short_float(f64::from(self.f32(bytes))),
            },
            Kind::Bytes | Kind::Str => {
                let mut text = Vec::new();
                self.text(bytes, &mut text);
                printable(&String::from_utf8(text).unwrap_or_default())
            }
            Kind::Void => self.csv_text(bytes),
            Kind::Complex => {
                let half = Cell::new(&half_of(&self.dtype));
                let (re, im) = bytes.split_at(bytes.len() / 2);
                let (re, im) = (half.table(re, objects), half.table(im, objects));
                let sign = if im.starts_with('-') { "" } else { "+" };
                format!("{re}{sign}{im}j")
            }
            Kind::DateTime => short_time(&self.value(bytes).to_string()),
            Kind::Object => match self.object(bytes, objects) {
                Some(object) if object.is_missing() => object.to_string(),
                object => printable(&object.map(object_text).unwrap_or_default()),
            },
            _ => printable(&self.value(bytes).to_string()),
        }
    }

    fn csv_text(&self, bytes: &[u8]) -> String {
        let mut text = Vec::new();
        self.csv(bytes, &[], b',', &mut text);
        match text.is_empty() && self.kind == Kind::F32 {
            true => "nan".into(),
            false => String::from_utf8(text).unwrap_or_default(),
        }
    }

    /// Writes the text of an `S` or a `U`.
    fn text(&self, bytes: &[u8], out: &mut Vec<u8>) {
        match self.value(bytes) {
            Value::Bytes(bytes) => escape(bytes, out),
            Value::Str(text) => with_escapes(text.code_points(), out),
            other => out.extend_from_slice(other.to_string().as_bytes()),
        }
    }

    /// Writes a time, with this character between the date and the time of day.
    fn time(&self, bytes: &[u8], separator: u8, out: &mut Vec<u8>) {
        if let Some(clock) = self.clock {
            return clock.write(self.int(bytes), separator, out);
        }
        let text = self.value(bytes).to_string();
        let bytes = text.bytes().map(|byte| if byte == b'T' { separator } else { byte });
        // NaT has a T, but does not come here.
        out.extend(bytes);
    }
}

fn hex(bytes: &[u8], out: &mut Vec<u8>) {
    for byte in bytes {
        let _ = write!(out, "{byte:02x}");
    }
}

#[cfg(test)]
mod tests {
    use super::Cell;

    #[test]
    fn integers_of_each_size_and_order_keep_their_sign() {
        for (dtype, bytes, text) in [
            ("|i1", &[0xff][..], "-1"),
            ("|u1", &[0xff], "255"),
            (">i2", &[0xff, 0xfe], "-2"),
            ("<i4", &[0xfe, 0xff, 0xff, 0xff], "-2"),
            ("<u8", &[0xff; 8], "18446744073709551615"),
        ] {
            let cell = Cell::new(&dtype.parse().unwrap());
            let mut out = Vec::new();
            cell.csv(bytes, &[], b',', &mut out);
            assert_eq!(String::from_utf8(out).unwrap(), text, "{dtype}");
        }
    }
}
