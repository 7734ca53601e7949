//! Pictures of columns: what `npy plot` and `npy view` draw, as SVG (`plot/svg.rs`) or for a terminal (`plot/terminal.rs`).
//!
//! `Picture::of(source, &columns, kind)` reads the columns. The memory does not depend on the number of rows: of many rows, each group is
//! two values.

pub(crate) mod svg;
pub(crate) mod terminal;

use npy_core::dtype::ScalarKind;

use crate::columns::{Columns, Leaf, Split};
use crate::histogram::Histogram;
use crate::output::{Failure, Progress, Result};
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
/// Columns of more rows are drawn in groups of rows.
const MAX_ROWS: usize = 1 << 17;
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
    /// `x` is the row if it is `None`: the index of a value times `stride`.
    Points { x: Option<Series>, y: Vec<Series>, stride: f64, is_scatter: bool },
    /// The number of values of each series in each range. The series have no values.
    Histogram { series: Vec<Series>, low: f64, high: f64, counts: Vec<Vec<u64>> },
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
                short_time(&cell.table(&bytes, &[]))
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

/// Returns the position of a value in a range: 0 at its start, 1 at its end. Both are halved, so that their difference is finite.
pub(crate) fn part(value: f64, (low, high): (f64, f64)) -> f64 {
    (value / 2.0 - low / 2.0) / (high / 2.0 - low / 2.0)
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
                let all = Series { name: "all values".into(), values: Vec::new(), time: None };
                histogram(&mut source, vec![all], &[&drawn])
            }
            Kind::Histogram => {
                // Times and numbers have no axis in common.
                let numbers = drawn.iter().any(|leaf| !is_time(leaf));
                let mut same = drawn;
                same.retain(|leaf| !(numbers && is_time(leaf)));
                same.truncate(MAX_SERIES);
                let series = same.iter().map(Series::new).collect();
                histogram(&mut source, series, &same.chunks(1).collect::<Vec<_>>())
            }
            Kind::Scatter if drawn.len() < 2 => {
                Err(Failure::new(source.name(), "a scatter plot needs two columns: -c x,y"))
            }
            kind => {
                let drawn = drawn.get(..MAX_SERIES).unwrap_or(&drawn);
                let is_scatter = kind == Kind::Scatter;
                let has_x = drawn.len() > 1 && (is_scatter || is_time(&drawn[0]));
                let (mut series, stride) = read(&mut source, drawn, has_x, is_scatter)?;
                let x = has_x.then(|| series.remove(0));
                Ok(Picture::Points { x, y: series, stride, is_scatter })
            }
        }
    }
}

/// Reads columns, and returns them with the number of rows from one value to the next. Of many rows, a scatter plot has one of each group, and
/// lines have the least and the greatest value of each group, at the first x of the group.
#[expect(clippy::cast_precision_loss, reason = "positions in a picture")]
fn read(
    source: &mut Source,
    leaves: &[Leaf],
    has_x: bool,
    is_scatter: bool,
) -> Result<(Vec<Series>, f64)> {
    let mut series: Vec<Series> = leaves.iter().map(Series::new).collect();
    let rows = source.rows();
    let group = if rows <= MAX_ROWS { 1 } else { rows.div_ceil(MAX_ROWS / 2) };
    // A group without finite values is a gap.
    let mut groups = vec![(f64::NAN, f64::NAN); leaves.len()];
    let mut in_group = 0;
    each_row(source, |at, row| {
        let (is_first, is_last) = (in_group == 0, in_group + 1 == group || at + 1 == rows);
        in_group = if is_last { 0 } else { in_group + 1 };
        if is_scatter && !is_first {
            return;
        }
        for (i, ((series, leaf), (low, high))) in
            series.iter_mut().zip(leaves).zip(&mut groups).enumerate()
        {
            let value = leaf.cell.float(leaf.of(row));
            if group == 1 || is_scatter {
                series.values.push(value);
                continue;
            }
            if is_first {
                (*low, *high) = (f64::NAN, f64::NAN);
            }
            let is_x = has_x && i == 0;
            if value.is_finite() && (is_first || !is_x) {
                // The other number, if one is NaN.
                (*low, *high) = (low.min(value), high.max(value));
            }
            if is_last {
                series.values.extend([*low, *high]);
            }
        }
    })?;
    let values = series.first().map_or(0, |series| series.values.len());
    // The last value is that of the last row.
    let stride = rows.saturating_sub(1) as f64 / values.saturating_sub(1).max(1) as f64;
    Ok((series, stride))
}

fn each_row(source: &mut Source, mut visit: impl FnMut(usize, &[u8])) -> Result<()> {
    let size = source.row_bytes().max(1);
    let mut at = 0;
    let mut progress = Progress::start(source.header().data_bytes());
    while let Some(block) = source.next(source.rows_per_block())? {
        for row in block.as_bytes().chunks_exact(size) {
            visit(at, row);
            at += 1;
        }
        progress.add(block.as_bytes().len());
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
            let value = leaf.cell.float(leaf.of(row));
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

/// Counts the values of each series, which are those of some columns. Few values are kept, so that each is in its range exactly.
fn histogram(source: &mut Source, mut series: Vec<Series>, columns: &[&[Leaf]]) -> Result<Picture> {
    let all: usize = columns.iter().map(|leaves| leaves.len()).sum();
    let is_exact = source.rows().saturating_mul(all) <= MAX_ROWS;
    let mut many = vec![(Histogram::default(), None); series.len()];
    each_row(source, |_, row| {
        for ((series, leaves), (histogram, bounds)) in series.iter_mut().zip(columns).zip(&mut many)
        {
            series.values.extend(leaves.iter().map(|leaf| leaf.cell.float(leaf.of(row))));
            if !is_exact && series.values.len() >= 1 << 12 {
                count(&mut series.values, histogram, bounds);
            }
        }
    })?;
    let mut all = None;
    for (series, (histogram, bounds)) in series.iter_mut().zip(&mut many) {
        if is_exact {
            *bounds = series.range();
        } else {
            count(&mut series.values, histogram, bounds);
        }
        all = wider(all, *bounds);
    }
    let (low, high) = widened(all.unwrap_or((0.0, 1.0)));
    let counts = series.iter_mut().zip(&many).map(|(series, (histogram, _))| {
        let values = std::mem::take(&mut series.values);
        if is_exact { bins(&values, low, high) } else { histogram.bars(low, high, BINS) }
    });
    let counts = counts.collect();
    Ok(Picture::Histogram { series, low, high, counts })
}

/// Moves values to a histogram.
fn count(values: &mut Vec<f64>, histogram: &mut Histogram, bounds: &mut Option<(f64, f64)>) {
    histogram.add(values);
    *bounds = wider(*bounds, range(values.iter().copied()));
    values.clear();
}

/// Returns the range that contains both.
fn wider(one: Option<(f64, f64)>, other: Option<(f64, f64)>) -> Option<(f64, f64)> {
    match (one, other) {
        (Some((low, high)), Some((least, most))) => Some((low.min(least), high.max(most))),
        (one, other) => one.or(other),
    }
}

/// Counts the finite values in ranges of equal width.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_precision_loss,
    reason = "the index of a range"
)]
fn bins(values: &[f64], low: f64, high: f64) -> Vec<u64> {
    let mut counts = vec![0; BINS];
    for value in values.iter().filter(|value| value.is_finite()) {
        counts[((part(*value, (low, high)) * BINS as f64) as usize).min(BINS - 1)] += 1;
    }
    counts
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
