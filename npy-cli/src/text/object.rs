//! Python objects as text.

use std::io::Write;

use npy_core::dtype::{Scalar, ScalarKind};
use npy_core::object::Kind;
use npy_core::{ObjectRef, Value};
use serde::ser::Error as _;

use super::infinite::Infinite;
use super::json::json_string;
use super::surrogates::{json_of_surrogates, with_escapes};

/// Writes an object as JSON: infinite numbers are text, as those of other columns.
pub(crate) fn object_json(object: ObjectRef<'_>, out: impl Write) -> serde_json::Result<()> {
    serde_json::to_writer(out, &Infinite(object))
}

/// Like [`object_json`], but text may have lone surrogates, which serde has no type for.
pub(super) fn object_json_with_surrogates(
    object: ObjectRef<'_>,
    out: &mut Vec<u8>,
) -> serde_json::Result<()> {
    /// More levels, and more bytes, are left to `repr`: an object may have one part any number of times.
    const MAX: (usize, usize) = (32, 256 << 20);
    let (depth, mut work) = MAX;
    json(object, depth, &mut work, out)
}

fn json(
    object: ObjectRef<'_>,
    depth: usize,
    work: &mut usize,
    out: &mut Vec<u8>,
) -> serde_json::Result<()> {
    if *work == 0 {
        return Err(serde_json::Error::custom("the object has too many parts"));
    }
    let start = out.len();
    let written = object_json(object, &mut *out);
    // An attempt that fails may write nothing, and counts all the same.
    *work = work.saturating_sub(out.len() - start + 64);
    let Err(error) = written else { return Ok(()) };
    out.truncate(start);
    if let Some(text) = object.code_points() {
        json_of_surrogates(text.into_iter(), out);
        return Ok(());
    }
    // For another reason, such as a cycle, the parts would fail, too.
    if depth == 0 || !error.to_string().contains("surrogate") {
        return Err(error);
    }
    let (begin, end) = match object.kind() {
        Kind::List | Kind::Tuple | Kind::Set | Kind::FrozenSet => (b'[', b']'),
        Kind::Dict => (b'{', b'}'),
        _ => return Err(error),
    };
    out.push(begin);
    let comma = |i: usize, out: &mut Vec<u8>| out.extend((i > 0).then_some(b','));
    for (i, item) in object.iter().enumerate().filter(|_| begin == b'[') {
        comma(i, out);
        json(item, depth - 1, work, out)?;
    }
    for (i, (key, value)) in object.entries().enumerate().filter(|_| begin == b'{') {
        comma(i, out);
        match (key.as_str(), key.code_points()) {
            (Some(key), _) => json_string(&key, out),
            (None, Some(key)) => json_of_surrogates(key.into_iter(), out),
            // As serde_json writes them.
            (None, None) if matches!(key.kind(), Kind::Bool | Kind::Int | Kind::Float) => {
                json_string(&serde_json::to_string(&key)?, out);
            }
            (None, None) => return Err(error),
        }
        out.push(b':');
        json(value, depth - 1, work, out)?;
    }
    out.push(end);
    Ok(())
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
    if let Some(text) = object.code_points() {
        let mut escaped = Vec::new();
        with_escapes(text.into_iter(), &mut escaped);
        return String::from_utf8(escaped).unwrap_or_default();
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

/// Returns the kind of a time, or a span of time, of NumPy. The text of some has digits alone, such as that of a year.
pub(crate) fn numpy_time(object: ObjectRef<'_>) -> Option<ScalarKind> {
    if object.kind() != Kind::Scalar {
        return None;
    }
    let kind = object.header().ok()?.dtype().scalar().map(Scalar::kind);
    kind.filter(|kind| matches!(kind, ScalarKind::DateTime(_) | ScalarKind::TimeDelta(_)))
}

/// Returns the text of `str` of a span of time of Python or pandas: `1 day, 0:00:02.000003`, `1 days 00:00:02.000003`.
pub(crate) fn span_text(object: ObjectRef<'_>) -> String {
    const SECOND: i128 = 1_000_000_000;
    let text = object_text(object);
    let Some(span) = nanoseconds(&text) else { return text };
    let (whole, below) = (span.div_euclid(SECOND), span.rem_euclid(SECOND));
    let (days, second) = (whole.div_euclid(86_400), whole.rem_euclid(86_400));
    let [hours, minutes, seconds] = [second / 3600, second / 60 % 60, second % 60];
    let fraction = match (below, below % 1000) {
        (0, _) => String::new(),
        (_, 0) => format!(".{:06}", below / 1000),
        _ => format!(".{below:09}"),
    };
    let rest = format!("{minutes:02}:{seconds:02}{fraction}");
    if object.name().is_some_and(|name| name.starts_with("pandas.")) {
        let sign = if days < 0 { "+" } else { "" };
        return format!("{days} days {sign}{hours:02}:{rest}");
    }
    match days {
        0 => format!("{hours}:{rest}"),
        1 | -1 => format!("{days} day, {hours}:{rest}"),
        _ => format!("{days} days, {hours}:{rest}"),
    }
}

/// Returns the span of a text such as `90 seconds`.
fn nanoseconds(text: &str) -> Option<i128> {
    let (count, unit) = text.split_once(' ')?;
    let unit = match unit {
        "days" => 86_400_000_000_000,
        "seconds" => 1_000_000_000,
        "milliseconds" => 1_000_000,
        "microseconds" => 1000,
        "nanoseconds" => 1,
        _ => return None,
    };
    count.parse::<i128>().ok()?.checked_mul(unit)
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
