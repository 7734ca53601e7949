//! Pictures of columns: what `npy plot` and `npy view` draw, as SVG (`plot/svg.rs`) or for a terminal (`plot/terminal.rs`).
//!
//! `Picture::of(&target, &columns, kind)` reads the columns; a column takes eight bytes a row.

pub(crate) mod svg;
pub(crate) mod terminal;

use npy_core::Value;
use npy_core::dtype::ScalarKind;

use crate::columns::{Columns, Leaf, Split};
use crate::output::{Failure, Result};
use crate::source::Source;
use crate::text::{Cell, short_float, short_time};

#[derive(Clone, Copy, Debug, PartialEq, clap::ValueEnum)]
pub(crate) enum Kind {
    /// A line for each column
    Line,
    /// How many values are in each range
    Histogram,
    /// A matrix as colors
    Heatmap,
    /// The second column against the first
    Scatter,
}

/// The most columns that are drawn together: more could not be told apart.
const MAX_SERIES: usize = 8;
/// Arrays with more columns are drawn as a heat map.
const MAX_LINES: usize = 16;
/// The most cells of a heat map, in each direction.
const MAX_CELLS: usize = 160;
/// The number of ranges of a histogram.
const BINS: usize = 40;

/// A column of numbers.
#[derive(Debug)]
pub(crate) struct Series {
    pub(crate) name: String,
    pub(crate) values: Vec<f64>,
    /// Prints times, which are drawn as the number of their units.
    time: Option<Cell>,
}

/// What is drawn.
#[derive(Debug)]
pub(crate) enum Picture {
    /// `x` is the row if it is `None`.
    Points { x: Option<Series>, y: Vec<Series>, is_scatter: bool },
    /// The number of values of each series in each range.
    Histogram { series: Vec<Series>, low: f64, high: f64, counts: Vec<Vec<usize>> },
    /// The means of cells, and their number in each row.
    HeatMap { cells: Vec<f64>, width: usize, rows: usize, columns: usize },
}

impl Series {
    fn new(leaf: &Leaf) -> Self {
        let time = is_time(leaf).then(|| leaf.cell.clone());
        Series { name: leaf.name.clone(), values: Vec::new(), time }
    }

    /// Returns a number of this column as text.
    #[expect(clippy::cast_possible_truncation, reason = "times are drawn as floats")]
    pub(crate) fn label(&self, value: f64) -> String {
        match &self.time {
            Some(cell) => {
                let count = value as i64;
                let is_big = cell.dtype().to_string().starts_with('>');
                let bytes = if is_big { count.to_be_bytes() } else { count.to_le_bytes() };
                short_time(&cell.table(&bytes))
            }
            None => short_float(value),
        }
    }

    /// Returns the least and the greatest finite number.
    pub(crate) fn range(&self) -> Option<(f64, f64)> {
        range(self.values.iter().copied())
    }
}

/// Returns the least and the greatest finite number.
pub(crate) fn range(values: impl Iterator<Item = f64>) -> Option<(f64, f64)> {
    let finite = values.filter(|value| value.is_finite());
    finite.fold(None, |range, value| match range {
        None => Some((value, value)),
        Some((low, high)) => Some((low.min(value), high.max(value))),
    })
}

/// Returns a range that has a width.
pub(crate) fn widened((low, high): (f64, f64)) -> (f64, f64) {
    if high > low {
        (low, high)
    } else {
        (low - 0.5_f64.max(low.abs() * 0.1), high + 0.5_f64.max(low.abs() * 0.1))
    }
}

/// Returns numbers of few digits in the range, about `count`.
pub(crate) fn ticks((low, high): (f64, f64), count: f64) -> Vec<f64> {
    let raw = (high - low) / count;
    if !raw.is_finite() || raw <= 0.0 {
        return vec![low];
    }
    let power = 10f64.powf(raw.log10().floor());
    let step = [1.0, 2.0, 5.0, 10.0].iter().map(|n| n * power).find(|step| *step >= raw);
    let step = step.unwrap_or(raw);
    let first = (low / step).ceil();
    let each = (0..100u32).map(|i| (first + f64::from(i)) * step).take_while(|tick| *tick <= high);
    // Without this, zero would be a tiny number.
    each.map(|tick| if tick.abs() < step / 1e6 { 0.0 } else { tick }).collect()
}

/// Returns true for a column that can be drawn.
pub(crate) fn is_drawn(leaf: &Leaf) -> bool {
    use ScalarKind as K;
    let kind = leaf.cell.dtype().scalar().map(npy_core::dtype::Scalar::kind);
    leaf.count == 1
        && matches!(
            kind,
            Some(K::Bool | K::Int | K::UInt | K::Float | K::DateTime(_) | K::TimeDelta(_))
        )
}

/// Returns true for a column of points in time.
pub(crate) fn is_time(leaf: &Leaf) -> bool {
    let kind = leaf.cell.dtype().scalar().map(npy_core::dtype::Scalar::kind);
    matches!(kind, Some(ScalarKind::DateTime(Some(_))))
}

/// Returns an element as a float; NaN for one that is missing.
#[expect(clippy::cast_precision_loss, reason = "a picture has fewer digits than a float")]
fn float(cell: &Cell, bytes: &[u8]) -> f64 {
    match cell.dtype().scalar().map(npy_core::dtype::Scalar::kind) {
        Some(ScalarKind::Bool) => f64::from(u8::from(cell.bits(bytes) != 0)),
        Some(ScalarKind::Int) => cell.int(bytes) as f64,
        Some(ScalarKind::UInt) => cell.bits(bytes) as f64,
        Some(ScalarKind::DateTime(_) | ScalarKind::TimeDelta(_)) => match cell.int(bytes) {
            i64::MIN => f64::NAN,
            count => count as f64,
        },
        _ => match cell.value(bytes) {
            Value::LongDouble(value) => value.to_f64(),
            other => other.as_f64().unwrap_or(f64::NAN),
        },
    }
}

impl Picture {
    /// Reads what is to be drawn. Without a kind, the shape and the dtype choose one.
    pub(crate) fn of(mut source: Source, selection: &[String], kind: Option<Kind>) -> Result<Self> {
        if source.dtype().has_object() {
            return Err(Failure::new(source.name(), "Python objects cannot be drawn"));
        }
        let columns = Columns::of(&source, selection)?;
        let all = columns.all_leaves(Split::All, source.name())?;
        let is_matrix = !source.dtype().is_record() && !source.row_shape().is_empty();
        let drawn: Vec<Leaf> = all.into_iter().filter(is_drawn).collect();
        if drawn.is_empty() || source.rows() == 0 {
            return Err(Failure::new(source.name(), "there are no numbers to draw"));
        }
        let is_map = is_matrix && drawn.len() > MAX_LINES && source.rows() > 1;
        match kind.unwrap_or(if is_map { Kind::Heatmap } else { Kind::Line }) {
            Kind::Heatmap => heat_map(&mut source, &drawn),
            Kind::Histogram if is_matrix && drawn.len() > MAX_SERIES => {
                Ok(histogram(vec![read_all(&mut source, &drawn)?]))
            }
            Kind::Histogram => {
                // Times and numbers have no axis in common.
                let numbers = drawn.iter().any(|leaf| !is_time(leaf));
                let mut same = drawn;
                same.retain(|leaf| !(numbers && is_time(leaf)));
                same.truncate(MAX_SERIES);
                Ok(histogram(read(&mut source, &same)?))
            }
            Kind::Scatter if drawn.len() < 2 => {
                Err(Failure::new(source.name(), "a scatter plot needs two columns: -c x,y"))
            }
            kind => {
                let drawn = drawn.get(..MAX_SERIES).unwrap_or(&drawn);
                let mut series = read(&mut source, drawn)?;
                let is_scatter = kind == Kind::Scatter;
                let has_x = series.len() > 1 && (is_scatter || series[0].time.is_some());
                let x = has_x.then(|| series.remove(0));
                Ok(Picture::Points { x, y: series, is_scatter })
            }
        }
    }
}

/// Reads columns.
fn read(source: &mut Source, leaves: &[Leaf]) -> Result<Vec<Series>> {
    let mut series: Vec<Series> = leaves.iter().map(Series::new).collect();
    each_row(source, |_, row| {
        for (series, leaf) in series.iter_mut().zip(leaves) {
            series.values.push(float(&leaf.cell, leaf.of(row)));
        }
    })?;
    Ok(series)
}

/// Reads all columns of a matrix as one.
fn read_all(source: &mut Source, leaves: &[Leaf]) -> Result<Series> {
    let mut all = Series { name: "all values".into(), values: Vec::new(), time: None };
    each_row(source, |_, row| {
        all.values.extend(leaves.iter().map(|leaf| float(&leaf.cell, leaf.of(row))));
    })?;
    Ok(all)
}

fn each_row(source: &mut Source, mut visit: impl FnMut(usize, &[u8])) -> Result<()> {
    let size = source.row_bytes().max(1);
    let mut at = 0;
    while let Some(block) = source.next(source.rows_per_block())? {
        for row in block.as_bytes().chunks_exact(size) {
            visit(at, row);
            at += 1;
        }
    }
    Ok(())
}

#[expect(clippy::cast_precision_loss, reason = "counts of values in one cell")]
fn heat_map(source: &mut Source, leaves: &[Leaf]) -> Result<Picture> {
    let (rows, columns) = (source.rows(), leaves.len());
    let (width, height) = (columns.min(MAX_CELLS), rows.min(MAX_CELLS));
    let mut sums = vec![(0.0, 0usize); width * height];
    each_row(source, |at, row| {
        let line = at.saturating_mul(height) / rows.max(1);
        for (i, leaf) in leaves.iter().enumerate() {
            let value = float(&leaf.cell, leaf.of(row));
            if let Some((sum, count)) = sums.get_mut(line * width + i * width / columns)
                && value.is_finite()
            {
                *sum += value;
                *count += 1;
            }
        }
    })?;
    let cells = sums.into_iter().map(|(sum, count)| sum / count as f64).collect();
    Ok(Picture::HeatMap { cells, width, rows, columns })
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_precision_loss,
    reason = "the index of a range"
)]
fn histogram(series: Vec<Series>) -> Picture {
    let all = series.iter().flat_map(|series| series.values.iter().copied());
    let (low, high) = widened(range(all).unwrap_or((0.0, 1.0)));
    let mut counts = vec![vec![0; BINS]; series.len()];
    for (series, counts) in series.iter().zip(&mut counts) {
        for value in series.values.iter().filter(|value| value.is_finite()) {
            let bin = ((value - low) / (high - low) * BINS as f64) as usize;
            counts[bin.min(BINS - 1)] += 1;
        }
    }
    Picture::Histogram { series, low, high, counts }
}

#[cfg(test)]
mod tests {
    use super::ticks;

    #[test]
    fn ticks_are_numbers_of_few_digits() {
        assert_eq!(ticks((0.0, 10.0), 5.0), [0.0, 2.0, 4.0, 6.0, 8.0, 10.0]);
        assert_eq!(ticks((-1.1, 0.9), 4.0), [-1.0, -0.5, 0.0, 0.5]);
        assert_eq!(ticks((3.0, 3.0), 4.0), [3.0]);
        assert!(ticks((-1e308, 1e308), 4.0).len() < 100);
    }
}
