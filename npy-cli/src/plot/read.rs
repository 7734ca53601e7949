//! Reads what is drawn. The memory does not depend on the number of rows: of many rows, each group is two values.

use npy_core::dtype::{Resolution, ScalarKind};
use npy_core::{DType, Header};

use super::grid::Grid;
use super::time::Clock;
use super::{Kind, Picture, Series, axis, range, widened, wider};
use crate::columns::{Columns, Leaf, Split};
use crate::histogram::Histogram;
use crate::ml_dtype::RawNumbers;
use crate::output::{Failure, Progress, Result, note};
use crate::source::{self, Parted, Source};
use crate::target::Target;
use crate::text::short_number;

/// The most columns that are drawn together: more could not be told apart. Arrays without fields that have more are drawn as a heat map.
const MAX_SERIES: usize = 8;
/// Columns of more rows are drawn in groups of rows.
const MAX_ROWS: usize = 1 << 17;
/// The most rows of cells in a terminal.
const MAX_LINES_OF_CELLS: usize = 32;
/// The number of ranges of a histogram.
const BINS: usize = 40;

/// Returns true for a column that can be drawn.
pub(crate) fn is_drawn(leaf: &Leaf) -> bool {
    use ScalarKind as K;
    let is_number = |kind| {
        matches!(kind, K::Bool | K::Int | K::UInt | K::Float | K::DateTime(_) | K::TimeDelta(_))
    };
    leaf.count == 1 && kind(leaf.cell.dtype()).is_some_and(is_number)
}

/// Returns true for a column of points in time.
pub(crate) fn is_time(leaf: &Leaf) -> bool {
    resolution(leaf).is_some()
}

fn resolution(leaf: &Leaf) -> Option<Resolution> {
    match kind(leaf.cell.dtype()) {
        Some(ScalarKind::DateTime(resolution)) => resolution,
        _ => None,
    }
}

/// Returns true for an array that `--pixels` writes.
fn are_pixels(header: &Header) -> bool {
    use ScalarKind as S;
    let is_number = matches!(kind(header.dtype()), Some(S::Bool | S::Int | S::UInt | S::Float));
    is_number && matches!(header.shape(), [_, _] | [_, _, 3 | 4])
}

/// Returns the kind of a single value.
pub(super) fn kind(dtype: &DType) -> Option<ScalarKind> {
    dtype.scalar().map(npy_core::dtype::Scalar::kind)
}

/// Returns the columns that have an axis in common: numbers, or the times of one column. It is an error if the others were named, and is
/// said if not. `rule` is about times.
fn on_one_axis(leaves: Vec<Leaf>, are_named: bool, rule: &str, name: &str) -> Result<Vec<Leaf>> {
    let all = leaves.len();
    let (times, mut drawn): (Vec<Leaf>, Vec<Leaf>) = leaves.into_iter().partition(is_time);
    match drawn.is_empty() {
        true => drawn.extend(times.into_iter().take(1)),
        false => drawn.truncate(MAX_SERIES),
    }
    let count = drawn.len();
    if count < all && are_named {
        let message = format!(
            "only {count} of {all} named columns have an axis in common; name at most {MAX_SERIES} columns of numbers, {rule}"
        );
        return Err(Failure::new(name, message));
    }
    if count < all {
        let message = format!("only {count} of {all} columns are drawn; -c names others");
        note(name, message);
    }
    Ok(drawn)
}

impl Series {
    fn new(leaf: &Leaf) -> Self {
        let clock = resolution(leaf).map(Clock::new);
        Series { name: leaf.name.clone(), values: Vec::new(), clock }
    }

    /// Returns the value of this column in a row.
    fn value(&mut self, leaf: &Leaf, row: &[u8]) -> f64 {
        match &mut self.clock {
            Some(clock) => clock.since_first(leaf.cell.int(leaf.of(row))),
            None => leaf.cell.float(leaf.of(row)),
        }
    }
}

/// The medium of a picture, which decides how many cells it has.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Canvas {
    File,
    /// The number of characters of a line.
    Terminal(usize),
}

impl Canvas {
    /// Returns the most cells for an array of this shape: their number in a row, and the number of rows.
    fn cells(self, (rows, columns): (usize, usize), is_image: bool) -> (usize, usize) {
        match self {
            Canvas::File if is_image => (1024, 1024),
            Canvas::File => (256, 256),
            Canvas::Terminal(width) if is_image => {
                // A character is twice as high as it is wide.
                let width = width.min(columns).min(2 * MAX_LINES_OF_CELLS * columns / rows.max(1));
                (width, (width * rows / columns.max(1)).div_ceil(2))
            }
            Canvas::Terminal(width) => (width, MAX_LINES_OF_CELLS),
        }
    }
}

impl Picture {
    /// Reads a picture of an array. Without a kind, the shape and the dtype choose one.
    pub(crate) fn of(
        source: Source,
        selection: &[String],
        kind: Option<Kind>,
        canvas: Canvas,
    ) -> Result<Self> {
        let dtype = source.dtype().clone();
        of_dtype(source, &dtype, selection, kind, canvas)
    }

    /// Reads a picture of a file, in which numbers may be beside Python objects.
    pub(crate) fn of_file(
        target: &Target,
        selection: &[String],
        kind: Option<Kind>,
        void: &RawNumbers,
        canvas: Canvas,
    ) -> Result<Self> {
        let reader = source::open(target)?.into_array(target)?;
        source::tell_of_rest(&reader, target);
        let reader = reader.numbers_of(void, target)?;
        let mut kept = None;
        let Parted { reader, dtype, .. } = Parted::of(reader, target, &mut kept)?;
        let picture = of_dtype(Source::of(reader, target)?, &dtype, selection, kind, canvas)?;
        if !picture.has_values() {
            note(target, "no value is finite, so the picture is empty");
        }
        Ok(picture)
    }

    fn has_values(&self) -> bool {
        match self {
            Picture::Points { y, .. } => y.iter().any(|series| series.range().is_some()),
            Picture::Histogram { counts, .. } => counts.iter().flatten().any(|&count| count > 0),
            Picture::HeatMap(grid) | Picture::Image(grid, _) => grid.range.is_some(),
        }
    }
}

/// Reads a picture of elements of this dtype, which may have objects where the source has their indices.
fn of_dtype(
    mut source: Source,
    dtype: &DType,
    selection: &[String],
    kind: Option<Kind>,
    canvas: Canvas,
) -> Result<Picture> {
    let columns = Columns::resolve(dtype, source.selection(), selection, source.name())?;
    let mut drawn = columns.all_leaves(Split::All, source.name())?;
    let are_named = !selection.is_empty();
    let other = drawn.iter().find(|leaf| !is_drawn(leaf)).map(|leaf| leaf.name.clone());
    drawn.retain(is_drawn);
    if drawn.is_empty() || source.rows() == 0 {
        let why = if dtype.has_object() { "; Python objects cannot be drawn" } else { "" };
        return Err(Failure::new(source.name(), format!("there are no numbers to draw{why}")));
    }
    if let Some(other) = other.filter(|_| are_named) {
        let message = format!("column {other} has no numbers to draw; leave it out of -c");
        return Err(Failure::new(source.name(), message));
    }
    let is_matrix = !dtype.is_record() && !source.row_shape().is_empty();
    let shape = source.row_shape();
    let usual = match white(dtype) {
        Some(white)
            if white <= 255.0 && selection.is_empty() && matches!(shape[..], [_, 3 | 4]) =>
        {
            Kind::Image
        }
        _ if is_matrix && drawn.len() > MAX_SERIES && source.rows() > 1 => Kind::Heatmap,
        _ => Kind::Line,
    };
    let is_split = columns.count(Split::Elements) < columns.count(Split::All);
    match kind.unwrap_or(usual) {
        Kind::Image => {
            let (columns, channels) = match shape[..] {
                [columns] => (columns, 1),
                [columns, channels @ (3 | 4)] => (columns, channels),
                _ => (0, 0),
            };
            if are_named {
                let message = "an image has all of its columns, and -c chooses some; leave out -c";
                return Err(Failure::new(source.name(), message));
            }
            let white = white(dtype).filter(|_| channels > 0);
            let Some(white) = white else {
                let message = "is not an image; one has the shape (h, w), (h, w, 3) or (h, w, 4), and unsigned integers of 8 or 16 bits or floats";
                let failure = Failure::new(source.name(), message);
                return Err(match are_pixels(source.header()) {
                    true => failure.with("; --pixels -o OUT.png writes its elements as pixels"),
                    false => failure,
                });
            };
            let grid = grid(&mut source, &drawn, (columns, channels), canvas, true)?;
            let (low, high) = grid.range.unwrap_or((0.0, white));
            if low >= 0.0 && high <= white {
                return Ok(Picture::Image(grid, white));
            }
            let message = format!(
                "its values are {} to {}; an image of floats has 0 to 1",
                short_number(low),
                short_number(high)
            );
            if kind.is_none() {
                note(source.name(), message + "; this is a heat map");
                return Ok(Picture::HeatMap(grid.into_matrix()));
            }
            Err(Failure::new(source.name(), message))
        }
        Kind::Heatmap => {
            if !are_named && shape.len() > 1 {
                let advice = match white(dtype) {
                    _ if kind.is_some() || !matches!(shape[..], [_, 3 | 4]) => {
                        "a slice such as [0] leaves out a dimension"
                    }
                    Some(_) => "-k image draws an image",
                    None => "an image has unsigned integers of 8 or 16 bits, or floats from 0 to 1",
                };
                let message = format!(
                    "the columns of this heat map are all {} of a row; {advice}",
                    drawn.len()
                );
                note(source.name(), message);
            }
            let mut grid = grid(&mut source, &drawn, (drawn.len(), 1), canvas, false)?;
            grid.is_split = is_split;
            Ok(Picture::HeatMap(grid))
        }
        Kind::Histogram if is_matrix && drawn.len() > MAX_SERIES => {
            let name = if is_split { "all real and imaginary parts" } else { "all values" };
            let all = Series { name: name.into(), values: Vec::new(), clock: None };
            histogram(&mut source, vec![all], &[&drawn])
        }
        Kind::Histogram => {
            let same = on_one_axis(drawn, are_named, "or one of times", source.name())?;
            let series = same.iter().map(Series::new).collect();
            histogram(&mut source, series, &same.chunks(1).collect::<Vec<_>>())
        }
        Kind::Scatter if drawn.len() < 2 => {
            Err(Failure::new(source.name(), "a scatter plot needs two columns: -c x,y"))
        }
        kind => {
            let is_scatter = kind == Kind::Scatter;
            let has_x = drawn.len() > 1 && (is_scatter || is_time(&drawn[0]));
            let y = drawn.split_off(usize::from(has_x));
            let rule = "and before them at most one of times";
            let y = on_one_axis(y, are_named, rule, source.name())?;
            drawn.truncate(usize::from(has_x));
            drawn.extend(y);
            let (mut series, stride) = read(&mut source, &drawn, has_x, is_scatter)?;
            let x = has_x.then(|| series.remove(0));
            Ok(Picture::Points { x, y: series, stride, is_scatter })
        }
    }
}

/// Returns the brightest value of an image of this dtype.
fn white(dtype: &DType) -> Option<f64> {
    match (kind(dtype)?, dtype.itemsize()) {
        (ScalarKind::UInt, 1) => Some(f64::from(u8::MAX)),
        (ScalarKind::UInt, 2) => Some(f64::from(u16::MAX)),
        (ScalarKind::Float, _) => Some(1.0),
        _ => None,
    }
}

/// Reads the cells of a matrix or an image. The latter has several channels in a column.
fn grid(
    source: &mut Source,
    leaves: &[Leaf],
    (columns, channels): (usize, usize),
    canvas: Canvas,
    is_image: bool,
) -> Result<Grid> {
    let rows = source.rows();
    let cells = canvas.cells((rows, columns), is_image);
    let mut grid = Grid::new((rows, columns, channels), cells);
    each_row(source, |at, row| {
        grid.add(at, leaves.iter().map(|leaf| leaf.cell.float(leaf.of(row))));
    })?;
    Ok(grid)
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
    // Of each column, the range of the values of the group; a group without finite values is a gap.
    let mut ranges = vec![None; leaves.len()];
    each_row(source, |at, row| {
        let (is_first, is_last) = (at % group == 0, at % group + 1 == group || at + 1 == rows);
        for (i, (leaf, series)) in leaves.iter().zip(&mut series).enumerate() {
            if group == 1 || is_scatter {
                if is_first {
                    let value = series.value(leaf, row);
                    series.values.push(value);
                }
                continue;
            }
            let value = series.value(leaf, row);
            if value.is_finite() && (is_first || i > 0 || !has_x) {
                ranges[i] = wider(ranges[i], Some((value, value)));
            }
            if is_last {
                let (low, high) = ranges[i].take().unwrap_or((f64::NAN, f64::NAN));
                series.values.extend([low, high]);
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

/// Counts the values of each series, which are those of some columns. Few values are kept, so that each is in its range exactly.
fn histogram(source: &mut Source, mut series: Vec<Series>, columns: &[&[Leaf]]) -> Result<Picture> {
    let all: usize = columns.iter().map(|leaves| leaves.len()).sum();
    let is_exact = source.rows().saturating_mul(all) <= MAX_ROWS;
    let mut many = vec![(Histogram::default(), None); series.len()];
    each_row(source, |_, row| {
        for ((series, leaves), (histogram, bounds)) in series.iter_mut().zip(columns).zip(&mut many)
        {
            for leaf in *leaves {
                let value = series.value(leaf, row);
                series.values.push(value);
            }
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
    let (low, high) = widened(all);
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
        counts[((axis::part(*value, (low, high)) * BINS as f64) as usize).min(BINS - 1)] += 1;
    }
    counts
}
