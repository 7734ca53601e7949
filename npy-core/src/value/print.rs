//! How items print: as NumPy's do, near enough for people.

use std::fmt::{self, Formatter, Write as _};

use super::{ArrayValue, RecordValue, Str, Value};
use crate::element::time::{write_date, write_span};

/// As a person writes it; text without quotes, unless it stands within something.
impl fmt::Display for Value<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Value::Str(text) => f.pad(&text.to_text_lossy()),
            Value::Bytes(bytes) => f.pad(&String::from_utf8_lossy(bytes)),
            _ => fmt::Debug::fmt(self, f),
        }
    }
}

/// As Python writes it: text and bytes in quotes.
impl fmt::Debug for Value<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Value::Bool(value) => f.write_str(if *value { "True" } else { "False" }),
            Value::Int(value) => write!(f, "{value}"),
            Value::UInt(value) => write!(f, "{value}"),
            Value::F16(value) => write!(f, "{}", float(&shortest_half(*value))),
            Value::F32(value) => write!(f, "{}", float(&format!("{value:?}"))),
            Value::F64(value) => write!(f, "{}", float(&format!("{value:?}"))),
            Value::Complex32(re, im) => complex(f, &format!("{re:?}"), &format!("{im:+?}")),
            Value::Complex64(re, im) => complex(f, &format!("{re:?}"), &format!("{im:+?}")),
            Value::LongDouble(value) => write!(f, "{}", float(&format!("{:?}", value.to_f64()))),
            Value::ComplexLongDouble(re, im) => {
                let (re, im) = (re.to_f64(), im.to_f64());
                complex(f, &format!("{re:?}"), &format!("{im:+?}"))
            }
            Value::Void(bytes) => {
                f.write_str("b'")?;
                bytes.iter().try_for_each(|byte| write!(f, "\\x{byte:02x}"))?;
                f.write_char('\'')
            }
            Value::Bytes(bytes) => write!(f, "b'{}'", bytes.escape_ascii()),
            Value::Str(text) => fmt::Debug::fmt(text, f),
            Value::DateTime(count, resolution) => write_date(f, *count, *resolution),
            Value::TimeDelta(count, resolution) => write_span(f, *count, *resolution),
            Value::Record(record) => fmt::Debug::fmt(record, f),
            Value::Array(array) => fmt::Debug::fmt(array, f),
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
        let mut out = String::new();
        crate::literal::repr::write_repr(self.code_points(), &mut out);
        f.write_str(&out)
    }
}

/// As a Python tuple.
impl fmt::Debug for RecordValue<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_char('(')?;
        list(f, self.iter().map(|(_, value)| value))?;
        // The comma that makes one value a tuple.
        f.write_str(if self.fields.len() == 1 { ",)" } else { ")" })
    }
}

/// As a Python list.
impl fmt::Debug for ArrayValue<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_char('[')?;
        list(f, self.iter())?;
        f.write_char(']')
    }
}

fn list<'a>(f: &mut Formatter<'_>, values: impl Iterator<Item = Value<'a>>) -> fmt::Result {
    for (i, value) in values.enumerate() {
        let comma = if i > 0 { ", " } else { "" };
        write!(f, "{comma}{value:?}")?;
    }
    Ok(())
}

/// What Rust calls `NaN` is Python's `nan`.
fn float(text: &str) -> String {
    text.replace("NaN", "nan")
}

/// `(1.5-2j)`, as Python has it.
fn complex(f: &mut Formatter<'_>, re: &str, im: &str) -> fmt::Result {
    let part = |text: &str| float(text.strip_suffix(".0").unwrap_or(text));
    let sign = if im.starts_with(['+', '-']) { "" } else { "+" };
    write!(f, "({}{sign}{}j)", part(re), part(im))
}

/// The shortest decimal that is nearer to this half-precision number than to any other.
fn shortest_half(value: f32) -> String {
    let value = f64::from(value);
    if !value.is_finite() || value == 0.0 {
        return format!("{value:?}");
    }
    // Half of the distance to the next one: ten bits behind the leading one.
    let exponent = value.abs().log2().floor().max(-14.0);
    let half_step = (exponent - 11.0).exp2();
    let near = |digits: usize| {
        let decimal: f64 = format!("{value:.digits$e}").parse().ok()?;
        ((decimal - value).abs() < half_step).then_some(decimal)
    };
    format!("{:?}", (0..5).find_map(near).unwrap_or(value))
}
