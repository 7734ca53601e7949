//! The points of a column, as many as a picture has room for.

use npy_core::dtype::ScalarKind;
use npy_core::{DType, Value};

use super::Result;
use super::elements::Elements;
use super::table::Table;
use crate::file::ReadAt;
use crate::json::{Json, object};
use crate::text;

/// The most points: each is the least and the greatest value of a range of rows.
const POINTS: usize = 512;
/// The most points of a larger member with a seek index: for each, a chunk of up to 1 MiB is inflated.
const CHUNK_POINTS: usize = 32;
/// Of larger arrays, only a part of each range is read.
const MAX_BYTES: usize = 32 << 20;
/// The bytes that are read of each range of a larger array.
const SAMPLE: usize = 32 << 10;
/// The most rows that are read at once.
const CHUNK: usize = 1 << 16;

/// Returns the points of a column.
pub(crate) fn points<F: ReadAt>(
    table: &Table,
    elements: &mut Elements<F>,
    index: usize,
) -> Result<Json> {
    let column = table.column(index).ok_or("there is no such column")?;
    let stride = table.stride_bytes().max(1);
    let is_sampled = stride.saturating_mul(table.rows) > MAX_BYTES && table.rows > POINTS;
    let has_chunks = matches!(elements, Elements::Chunks(_));
    let count = table.rows.min(if is_sampled && has_chunks { CHUNK_POINTS } else { POINTS });
    let in_sample = SAMPLE.checked_div(stride).unwrap_or(SAMPLE).max(1);
    let sample = if is_sampled { in_sample } else { usize::MAX };
    let mut points = Vec::new();
    for point in 0..count {
        let (from, end) =
            (start(point, count, table.rows), start(point.saturating_add(1), count, table.rows));
        let end = end.min(from.saturating_add(sample));
        let mut range: Option<(f64, f64)> = None;
        let mut at = from;
        while at < end {
            let rows = CHUNK.min(end.saturating_sub(at));
            table.visit(elements, column, at, rows, |_, value| {
                let number = number(&value);
                if number.is_finite() {
                    let (low, high) = range.unwrap_or((number, number));
                    range = Some((low.min(number), high.max(number)));
                }
            })?;
            at = at.saturating_add(rows);
        }
        points.push((from, range));
    }
    let low = points.iter().filter_map(|(_, range)| range.map(|range| range.0)).reduce(f64::min);
    let high = points.iter().filter_map(|(_, range)| range.map(|range| range.1)).reduce(f64::max);
    let label = |number: Option<f64>| number.map(|number| label(number, &column.dtype));
    let points: Vec<Json> = points
        .iter()
        .map(|(row, range)| {
            Json::List(vec![
                (*row).into(),
                range.map(|it| it.0).into(),
                range.map(|it| it.1).into(),
            ])
        })
        .collect();
    Ok(object([
        ("name", Json::from(column.name.as_str())),
        ("rows", Json::from(table.rows)),
        ("points", Json::from(points)),
        ("low", Json::from(low)),
        ("high", Json::from(high)),
        ("low_label", Json::from(label(low))),
        ("high_label", Json::from(label(high))),
        ("is_sampled", Json::from(is_sampled)),
    ]))
}

/// Returns the first row of a range.
fn start(point: usize, count: usize, rows: usize) -> usize {
    let start = (point as u64).saturating_mul(rows as u64).checked_div(count as u64);
    start.and_then(|start| usize::try_from(start).ok()).unwrap_or(0)
}

/// Returns a value as the nearest float; NaN for one that is missing.
#[expect(clippy::cast_precision_loss, reason = "a picture has fewer digits than a float")]
fn number(value: &Value<'_>) -> f64 {
    match *value {
        _ if value.is_nat() => f64::NAN,
        Value::Bool(value) => f64::from(u8::from(value)),
        Value::Int(value) | Value::DateTime(value, _) | Value::TimeDelta(value, _) => value as f64,
        Value::UInt(value) => value as f64,
        Value::LongDouble(value) => value.to_f64(),
        _ => value.as_f64().unwrap_or(f64::NAN),
    }
}

/// Returns the text of a number of a column; times are drawn as the count of their unit.
#[expect(clippy::cast_possible_truncation, reason = "times are drawn as floats")]
fn label(number: f64, dtype: &DType) -> String {
    let value = match dtype.scalar().map(npy_core::dtype::Scalar::kind) {
        Some(ScalarKind::DateTime(unit)) => Value::DateTime(number as i64, unit),
        Some(ScalarKind::TimeDelta(unit)) => Value::TimeDelta(number as i64, unit),
        _ => Value::F64(number),
    };
    text::start_of(&value, 40)
}
