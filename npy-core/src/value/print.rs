//! How items print: as NumPy's do, near enough for people.

use std::cell::Cell;
use std::fmt::{self, Formatter};

use super::{ArrayValue, RecordValue, Str, Value};
use crate::dtype::Resolution;
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

/// As Python writes it: text and bytes in quotes. Of a long sub-array both ends, and of what is very long the start.
impl fmt::Debug for Value<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.print(f, &Cell::new(MOST))
    }
}

/// Values that are shown at most: a sub-array of items of no bytes has no end.
const MOST: usize = 10_000;
/// Sub-arrays of more values show this many at each end.
const THRESHOLD: usize = 1000;
const EDGE: usize = 3;

impl Value<'_> {
    /// Writes the value; each part of it takes one of `left`, and without there is no more.
    pub(crate) fn print(&self, f: &mut dyn fmt::Write, left: &Cell<usize>) -> fmt::Result {
        let Some(rest) = left.get().checked_sub(1) else { return f.write_str("...") };
        left.set(rest);
        match self {
            Value::Bool(value) => f.write_str(if *value { "True" } else { "False" }),
            Value::Int(value) => write!(f, "{value}"),
            Value::UInt(value) => write!(f, "{value}"),
            Value::F16(value) => write!(f, "{}", float(&shortest_half(*value))),
            Value::F32(value) => write!(f, "{}", float(&format!("{value:?}"))),
            Value::F64(value) => write!(f, "{}", float(&format!("{value:?}"))),
            Value::LongDouble(value) => write!(f, "{}", float(&format!("{:?}", value.to_f64()))),
            Value::Complex32(re, im) => complex(f, &format!("{re:?}"), &format!("{im:+?}")),
            Value::Complex64(re, im) => complex(f, &format!("{re:?}"), &format!("{im:+?}")),
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
            Value::Str(text) => write!(f, "{text:?}"),
            Value::DateTime(count, resolution) => write!(f, "{}", Date(*count, *resolution)),
            Value::TimeDelta(count, resolution) => write!(f, "{}", Span(*count, *resolution)),
            Value::Record(record) => record.print(f, left),
            Value::Array(array) => array.print(f, left),
        }
    }
}

/// How a count prints as a time.
struct Date(i64, Option<Resolution>);

impl fmt::Display for Date {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write_date(f, self.0, self.1)
    }
}

/// How a count prints as a span.
struct Span(i64, Option<Resolution>);

impl fmt::Display for Span {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write_span(f, self.0, self.1)
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
        self.print(f, &Cell::new(MOST))
    }
}

impl RecordValue<'_> {
    fn print(&self, f: &mut dyn fmt::Write, left: &Cell<usize>) -> fmt::Result {
        f.write_char('(')?;
        for (i, (_, value)) in self.iter().enumerate() {
            f.write_str(if i > 0 { ", " } else { "" })?;
            value.print(f, left)?;
        }
        // The comma that makes one value a tuple.
        f.write_str(if self.fields.len() == 1 { ",)" } else { ")" })
    }
}

/// As a Python list.
impl fmt::Debug for ArrayValue<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.print(f, &Cell::new(MOST))
    }
}

impl ArrayValue<'_> {
    fn print(&self, f: &mut dyn fmt::Write, left: &Cell<usize>) -> fmt::Result {
        let count = self.iter().len();
        let all = self.shape.iter().fold(1, |all: usize, &n| all.saturating_mul(n));
        let elided = all > THRESHOLD && count > EDGE.saturating_mul(2);
        f.write_char('[')?;
        let mut i = 0usize;
        while i < count {
            f.write_str(if i > 0 { ", " } else { "" })?;
            if elided && i == EDGE {
                f.write_str("..., ")?;
                i = count.saturating_sub(EDGE);
            }
            if left.get() == 0 {
                f.write_str("...")?;
                break;
            }
            if let Some(value) = self.get(i) {
                value.print(f, left)?;
            }
            i = i.saturating_add(1);
        }
        f.write_char(']')
    }
}

/// What Rust calls `NaN` is Python's `nan`.
fn float(text: &str) -> String {
    text.replace("NaN", "nan")
}

/// `(1.5-2j)`, as Python has it.
fn complex(f: &mut dyn fmt::Write, re: &str, im: &str) -> fmt::Result {
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
