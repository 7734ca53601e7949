//! Scalars as text, straight from their bytes: for CSV, for JSON and for tables.
//!
//! `Cell::new(&dtype)` is made once for a column; `cell.csv(bytes, objects, out)`, `cell.json(bytes, objects, out)` and `cell.table(bytes, objects)`
//! then print one element. Floats print as Python's `repr` does, with the fewest digits that read back as the same number.
//!
//! | | CSV | JSON | table |
//! |---|---|---|---|
//! | NaN, NaT | nothing | `null` | `nan`, `NaT` |
//! | infinity | `inf` | `"inf"` | `inf` |
//! | bool | `True` | `true` | `True` |
//! | `M8[s]` | `2024-01-31 12:00:00` | `"2024-01-31T12:00:00"` | `2024-01-31T12:00:00` |
//! | `S`, `U` | the text; bytes that are not UTF-8 as `\xff` | a string | the text, escaped |
//! | `V` | hexadecimal digits | a string of them | hexadecimal digits |
//! | complex | two columns | `[re, im]` | `1.0+2.0j` |

use std::cell::RefCell;
use std::io::Write;

use npy_core::dtype::{Resolution, Scalar, ScalarKind, Unit};
use npy_core::object::Kind as ObjectKind;
use npy_core::{ByteOrder, DType, ObjectRef, Value};

use crate::output::printable;

/// A column of scalars.
#[derive(Clone, Debug)]
pub(crate) struct Cell {
    dtype: DType,
    kind: Kind,
    is_big: bool,
    clock: Option<Clock>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    Bool,
    Int,
    UInt,
    F32,
    F64,
    /// A float of another size.
    Float,
    Complex,
    Bytes,
    Str,
    DateTime,
    TimeDelta,
    Void,
    /// A Python object: its index.
    Object,
    /// A record or a sub-array.
    Other,
}

impl Cell {
    pub(crate) fn new(dtype: &DType) -> Self {
        let kind = match dtype.scalar().map(|scalar| (scalar.kind(), scalar.itemsize())) {
            Some((ScalarKind::Bool, _)) => Kind::Bool,
            Some((ScalarKind::Int, _)) => Kind::Int,
            Some((ScalarKind::UInt, _)) => Kind::UInt,
            Some((ScalarKind::Float, 4)) => Kind::F32,
            Some((ScalarKind::Float, 8)) => Kind::F64,
            Some((ScalarKind::Float, _)) => Kind::Float,
            Some((ScalarKind::Complex, _)) => Kind::Complex,
            Some((ScalarKind::Bytes, _)) => Kind::Bytes,
            Some((ScalarKind::Str, _)) => Kind::Str,
            Some((ScalarKind::DateTime(_), _)) => Kind::DateTime,
            Some((ScalarKind::TimeDelta(_), _)) => Kind::TimeDelta,
            Some((ScalarKind::Void, _)) => Kind::Void,
            Some((ScalarKind::Object, _)) => Kind::Object,
            _ => Kind::Other,
        };
        let order = dtype.scalar().and_then(Scalar::byte_order);
        let clock = match dtype.scalar().map(Scalar::kind) {
            Some(ScalarKind::DateTime(Some(resolution))) => Clock::of(resolution),
            _ => None,
        };
        Cell { dtype: dtype.clone(), kind, is_big: order == Some(ByteOrder::Big), clock }
    }

    /// Returns the dtype of an element.
    pub(crate) fn dtype(&self) -> &DType {
        &self.dtype
    }

    /// Returns the size of an element in bytes.
    pub(crate) fn size(&self) -> usize {
        self.dtype.itemsize()
    }

    /// Returns true if the column is aligned at the right, as numbers are.
    pub(crate) fn is_number(&self) -> bool {
        !matches!(self.kind, Kind::Bytes | Kind::Str | Kind::Void | Kind::Object | Kind::Other)
    }

    /// Decodes an element. Missing bytes count as zeros.
    pub(crate) fn value<'a>(&'a self, bytes: &'a [u8]) -> Value<'a> {
        Value::from_bytes(&self.dtype, bytes).unwrap_or(Value::Void(bytes))
    }

    /// Returns the bits of a number of at most eight bytes.
    #[inline(always)]
    pub(crate) fn bits(&self, bytes: &[u8]) -> u64 {
        let mut bits = [0; 8];
        let size = bytes.len().min(8);
        bits[..size].copy_from_slice(&bytes[..size]);
        if self.is_big {
            bits[..size].reverse();
        }
        u64::from_le_bytes(bits)
    }

    #[inline(always)]
    pub(crate) fn int(&self, bytes: &[u8]) -> i64 {
        let unused = 64 - 8 * u32::try_from(bytes.len().clamp(1, 8)).unwrap_or(8);
        (self.bits(bytes) << unused).cast_signed() >> unused
    }

    #[inline(always)]
    pub(crate) fn f32(&self, bytes: &[u8]) -> f32 {
        f32::from_bits(u32::try_from(self.bits(bytes)).unwrap_or(0))
    }

    #[inline(always)]
    pub(crate) fn f64(&self, bytes: &[u8]) -> f64 {
        f64::from_bits(self.bits(bytes))
    }

    /// Returns a number, a time or a boolean as a float; NaN for one that is missing, and for anything else.
    #[expect(clippy::cast_precision_loss, reason = "a picture has fewer digits than a float")]
    #[inline(always)]
    pub(crate) fn float(&self, bytes: &[u8]) -> f64 {
        match self.kind {
            Kind::F64 => self.f64(bytes),
            Kind::F32 => f64::from(self.f32(bytes)),
            Kind::Bool => f64::from(u8::from(self.bits(bytes) != 0)),
            Kind::Int => self.int(bytes) as f64,
            Kind::UInt => self.bits(bytes) as f64,
            Kind::DateTime | Kind::TimeDelta => match self.int(bytes) {
                i64::MIN => f64::NAN,
                count => count as f64,
            },
            _ => match self.value(bytes) {
                Value::LongDouble(value) => value.to_f64(),
                other => other.as_f64().unwrap_or(f64::NAN),
            },
        }
    }

    /// Returns the object whose index these bytes are.
    pub(crate) fn object<'a>(
        &self,
        bytes: &[u8],
        objects: &[ObjectRef<'a>],
    ) -> Option<ObjectRef<'a>> {
        objects.get(usize::try_from(self.bits(bytes)).ok()?).copied()
    }

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
                    json_string(&text, out);
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
                if serde_json::to_writer(&mut *out, &object).is_err() {
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
            Value::Bytes(bytes) if str::from_utf8(bytes).is_ok() => out.extend_from_slice(bytes),
            Value::Bytes(bytes) => out.extend(bytes.escape_ascii()),
            Value::Str(text) => {
                for number in text.code_points() {
                    match char::from_u32(number) {
                        Some(c) => out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes()),
                        // As Python's `backslashreplace`: a lone surrogate, or no code point.
                        None if number <= 0xffff => out.extend(format!("\\u{number:04x}").bytes()),
                        None => out.extend(format!("\\U{number:08x}").bytes()),
                    }
                }
            }
            other => out.extend_from_slice(other.to_string().as_bytes()),
        }
    }

    /// Writes a time, with this character between the date and the time of day.
    fn time(&self, bytes: &[u8], separator: u8, out: &mut Vec<u8>) {
        let count = self.int(bytes);
        if let Some((day, second, fraction, digits)) =
            self.clock.and_then(|clock| clock.read(count))
        {
            date(day, out);
            out.push(separator);
            for (i, part) in [second / 3600, second / 60 % 60, second % 60].into_iter().enumerate()
            {
                if i > 0 {
                    out.push(b':');
                }
                let digit = |digit: i64| b'0' + u8::try_from(digit).unwrap_or(0);
                out.extend_from_slice(&[digit(part / 10), digit(part % 10)]);
            }
            if digits > 0 {
                let mut buffer = itoa::Buffer::new();
                let text = buffer.format(fraction);
                out.push(b'.');
                out.extend(std::iter::repeat_n(b'0', digits.saturating_sub(text.len())));
                out.extend_from_slice(text.as_bytes());
            }
            return;
        }
        let text = self.value(bytes).to_string();
        let bytes = text.bytes().map(|byte| if byte == b'T' { separator } else { byte });
        // NaT has a T, but does not come here.
        out.extend(bytes);
    }
}

/// The units of a time from seconds to nanoseconds.
#[derive(Clone, Copy, Debug)]
struct Clock {
    per_second: i64,
    digits: usize,
}

/// Returns an object as text for CSV; nothing for a missing value.
fn object_text(object: ObjectRef<'_>) -> String {
    if object.is_missing() {
        return String::new();
    }
    // Also `numpy.str_`.
    if let Some(text) = object.as_str() {
        return text.into_owned();
    }
    match object.kind() {
        // Times in ISO 8601, as in JSON and in columns of times.
        ObjectKind::Date
        | ObjectKind::Time
        | ObjectKind::DateTime
        | ObjectKind::TimeDelta
        | ObjectKind::Decimal => match serde_json::to_value(object) {
            Ok(serde_json::Value::String(text)) => text,
            _ => object.to_string(),
        },
        _ => object.to_string(),
    }
}

impl Clock {
    fn of(resolution: Resolution) -> Option<Self> {
        let (per_second, digits) = match (resolution.unit, resolution.multiple) {
            (Unit::Second, 1) => (1, 0),
            (Unit::Millisecond, 1) => (1_000, 3),
            (Unit::Microsecond, 1) => (1_000_000, 6),
            (Unit::Nanosecond, 1) => (1_000_000_000, 9),
            _ => return None,
        };
        Some(Clock { per_second, digits })
    }

    /// Returns the day, the second of the day, and the fraction with its digits.
    fn read(self, count: i64) -> Option<(i64, i64, i64, usize)> {
        let seconds = count.div_euclid(self.per_second);
        let fraction = count.rem_euclid(self.per_second);
        Some((seconds.div_euclid(86_400), seconds.rem_euclid(86_400), fraction, self.digits))
    }
}

thread_local! {
    /// The day that was written last, as times close to each other are usually of the same day.
    static LAST_DAY: RefCell<(i64, String)> = const { RefCell::new((i64::MIN, String::new())) };
}

/// Writes the date of a day since 1970-01-01.
fn date(day: i64, out: &mut Vec<u8>) {
    LAST_DAY.with_borrow_mut(|(last, text)| {
        if *last != day || text.is_empty() {
            let days = Resolution { multiple: 1, unit: Unit::Day };
            (*last, *text) = (day, Value::DateTime(day, Some(days)).to_string());
        }
        out.extend_from_slice(text.as_bytes());
    });
}

fn needs_quotes(byte: u8, comma: u8) -> bool {
    byte == comma || matches!(byte, b'"' | b'\n' | b'\r')
}

/// Returns true for a byte that is in a string of JSON as it is.
fn is_plain(byte: u8) -> bool {
    byte >= 0x20 && byte != b'"' && byte != b'\\'
}

/// Returns the dtype of the two parts of a complex number.
pub(crate) fn half_of(complex: &DType) -> DType {
    let text = complex.to_string();
    let order = text.get(..1).unwrap_or("<");
    format!("{order}f{}", complex.itemsize() / 2).parse().unwrap_or_else(|_| complex.clone())
}

const INFINITIES: [&str; 2] = ["-inf", "inf"];
/// JSON has no infinite numbers. As null they would be missing.
const JSON_INFINITIES: [&str; 2] = ["\"-inf\"", "\"inf\""];

/// Returns a number as JSON has it.
pub(crate) fn json_float(value: f64) -> serde_json::Value {
    match value {
        f64::NEG_INFINITY => "-inf".into(),
        f64::INFINITY => "inf".into(),
        value => value.into(),
    }
}

/// Writes a float as Python does. zmij's exponents have neither a sign nor two digits, and it writes 0.00001 without one.
fn float<F: zmij::Float + Copy + Into<f64>>(
    value: F,
    nan: &str,
    infinities: [&str; 2],
    out: &mut Vec<u8>,
) {
    let wide: f64 = value.into();
    if !wide.is_finite() {
        let text = match wide {
            f64::NEG_INFINITY => infinities[0],
            f64::INFINITY => infinities[1],
            _ => nan,
        };
        out.extend_from_slice(text.as_bytes());
        return;
    }
    let mut buffer = zmij::Buffer::new();
    let text = buffer.format_finite(value);
    if wide.abs() >= 1e-4 && wide.abs() < 1e16 || wide == 0.0 {
        out.extend_from_slice(text.as_bytes());
        return;
    }
    match text.split_once('e') {
        Some((digits, exponent)) => {
            let (sign, exponent) = match exponent.strip_prefix('-') {
                Some(exponent) => ('-', exponent),
                None => ('+', exponent.trim_start_matches('+')),
            };
            // A `Vec` takes everything.
            let _ = write!(out, "{}e{sign}{exponent:0>2}", digits.trim_end_matches(".0"));
        }
        None if wide.abs() >= 1.0 => out.extend_from_slice(text.as_bytes()),
        None => {
            // 0.0000125 is 1.25e-05.
            let (sign, text) = match text.strip_prefix('-') {
                Some(text) => ("-", text),
                None => ("", text),
            };
            let zeros = text.bytes().skip(2).take_while(|&byte| byte == b'0').count();
            let digits = text.get(2 + zeros..).unwrap_or("0");
            let (first, rest) = digits.split_at(1);
            let point = if rest.is_empty() { "" } else { "." };
            let _ = write!(out, "{sign}{first}{point}{rest}e-{:0>2}", zeros + 1);
        }
    }
}

/// Returns a float with at most six digits.
pub(crate) fn short_float(value: f64) -> String {
    let mut text = Vec::new();
    float(value, "nan", INFINITIES, &mut text);
    let text = String::from_utf8(text).unwrap_or_default();
    if text.len() <= 9 || !value.is_finite() {
        return text;
    }
    let magnitude = value.abs();
    let text = format!("{value:.5e}");
    let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    if (1e-4..1e7).contains(&magnitude) {
        // Six digits, of which those before the point count, and zeros after it do not; but at least one after it.
        let exponent: i64 = exponent.parse().unwrap_or(0);
        let decimals = usize::try_from((5 - exponent).max(1)).unwrap_or(6);
        let rounded = format!("{value:.decimals$}");
        let trimmed = rounded.trim_end_matches('0');
        return if trimmed.ends_with('.') { format!("{trimmed}0") } else { trimmed.to_owned() };
    }
    let digits = digits.trim_end_matches('0').trim_end_matches('.');
    let (sign, exponent) = match exponent.strip_prefix('-') {
        Some(exponent) => ('-', exponent),
        None => ('+', exponent),
    };
    format!("{digits}e{sign}{exponent:0>2}")
}

/// Returns a time without zeros at the end of its fraction.
pub(crate) fn short_time(time: &str) -> String {
    match time.split_once('.') {
        Some((seconds, fraction)) => {
            let fraction = fraction.trim_end_matches('0');
            let point = if fraction.is_empty() { "" } else { "." };
            format!("{seconds}{point}{fraction}")
        }
        None => time.to_owned(),
    }
}

/// Writes a field of CSV, in quotes if it needs them.
pub(crate) fn csv_field(text: &str, comma: u8, out: &mut Vec<u8>) {
    if text.bytes().any(|byte| needs_quotes(byte, comma)) {
        out.push(b'"');
        out.extend_from_slice(text.replace('"', "\"\"").as_bytes());
        out.push(b'"');
    } else {
        out.extend_from_slice(text.as_bytes());
    }
}

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

/// An object of JSON, whose keys stay in the order in which they were added.
pub(crate) struct JsonObject(String);

impl JsonObject {
    pub(crate) fn new() -> Self {
        JsonObject(String::new())
    }

    /// Adds a value: of serde_json, or an object or a list as text.
    pub(crate) fn add(&mut self, key: &str, value: impl std::fmt::Display) {
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

impl std::fmt::Display for JsonObject {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(if self.0.is_empty() { "{" } else { &self.0 })?;
        f.write_str("}")
    }
}

fn hex(bytes: &[u8], out: &mut Vec<u8>) {
    for byte in bytes {
        let _ = write!(out, "{byte:02x}");
    }
}

#[cfg(test)]
mod tests {
    use super::{Cell, csv_field, float, short_float};

    fn repr(value: f64) -> String {
        let mut out = Vec::new();
        float(value, "nan", super::INFINITIES, &mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn floats_are_printed_as_python_prints_them() {
        for (value, text) in [
            (1.0, "1.0"),
            (-0.0, "-0.0"),
            (0.1, "0.1"),
            (1e-4, "0.0001"),
            (1e-5, "1e-05"),
            (-1.25e-5, "-1.25e-05"),
            (1e15, "1000000000000000.0"),
            (1e16, "1e+16"),
            (1.5e300, "1.5e+300"),
            (5e-324, "5e-324"),
            (123456.789, "123456.789"),
            (f64::NAN, "nan"),
            (f64::NEG_INFINITY, "-inf"),
        ] {
            assert_eq!(repr(value), text);
        }
    }

    #[test]
    fn tables_round_long_floats_to_six_digits() {
        for (value, text) in [
            (0.1, "0.1"),
            (1.0 / 3.0, "0.333333"),
            (2000.0 / 3.0, "666.667"),
            (-1.0 / 3000.0, "-0.000333333"),
            (1e7 / 3.0, "3333333.3"),
            (1e10 / 3.0, "3.33333e+09"),
            (1e-10 / 3.0, "3.33333e-11"),
        ] {
            assert_eq!(short_float(value), text);
        }
    }

    #[test]
    fn text_of_csv_is_quoted_only_if_it_must_be() {
        let field = |text: &str| {
            let mut out = Vec::new();
            csv_field(text, b',', &mut out);
            String::from_utf8(out).unwrap()
        };
        assert_eq!(field("a b"), "a b");
        assert_eq!(field("a,\"b\""), "\"a,\"\"b\"\"\"");
    }

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
