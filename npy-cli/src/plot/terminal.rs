//! Pictures in a terminal: lines and points in Braille, whose characters have 2 × 4 dots; histograms and matrices in blocks.

use super::axis::{Axis, Room, Scale, number};
use super::grid::Grid;
use super::{Picture, Series, axis, widened};
use crate::output::printable;
use crate::text::short_float;

/// The lines of a picture.
const HEIGHT: usize = 16;
/// From dark to light on a dark terminal.
const SHADES: [char; 5] = [' ', '░', '▒', '▓', '█'];

/// Returns the picture as lines of at most this width.
pub(crate) fn draw(picture: &Picture, width: usize) -> String {
    match picture {
        Picture::Points { x, y, stride, is_scatter } => {
            let x = (x.as_ref(), *stride);
            let each = y.iter().map(|series| points(x, series, *is_scatter, width));
            each.collect::<Vec<_>>().join("\n")
        }
        Picture::Histogram { series, low, high, counts } => {
            let each = series.iter().zip(counts);
            each.map(|(series, counts)| histogram(series, (*low, *high), counts, width)).collect()
        }
        Picture::HeatMap(grid) => {
            let (low, high) = grid.range.unwrap_or((0.0, 0.0));
            let legend = format!("' ' {} … '█' {}", short_float(low), short_float(high));
            let note = grid.note().map(|note| note + "\n").unwrap_or_default();
            format!("{}{legend}\n{note}", shades(grid, widened(grid.range)))
        }
        Picture::Image(grid, white) => shades(&grid.brightness(*white), (0.0, *white)),
    }
}

/// Dots in characters.
struct Dots {
    columns: usize,
    cells: Vec<u8>,
}

impl Dots {
    fn new(columns: usize) -> Self {
        Dots { columns, cells: vec![0; columns * HEIGHT] }
    }

    /// Returns the dot at a position, whose parts are 0 to 1.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        clippy::cast_precision_loss,
        reason = "positions in a picture"
    )]
    fn at(&self, (x, y): (f64, f64)) -> (usize, usize) {
        let nearest = |part: f64, count: usize| ((part * count as f64) as usize).min(count - 1);
        (nearest(x, self.columns * 2), HEIGHT * 4 - 1 - nearest(y, HEIGHT * 4))
    }

    fn set(&mut self, x: usize, y: usize) {
        const BITS: [[u8; 4]; 2] = [[0x01, 0x02, 0x04, 0x40], [0x08, 0x10, 0x20, 0x80]];
        self.cells[y / 4 * self.columns + x / 2] |= BITS[x % 2][y % 4];
    }

    fn line(&mut self, from: (usize, usize), to: (usize, usize)) {
        // Steps along the longer side.
        let steps = from.0.abs_diff(to.0).max(from.1.abs_diff(to.1)).max(1);
        for step in 0..=steps {
            let mix = |one: usize, other: usize| (one * (steps - step) + other * step) / steps;
            self.set(mix(from.0, to.0), mix(from.1, to.1));
        }
    }

    fn lines(&self) -> impl Iterator<Item = String> {
        let character = |&cell: &u8| char::from_u32(0x2800 + u32::from(cell)).unwrap_or(' ');
        let line = move |cells: &[u8]| cells.iter().map(character).collect::<String>();
        self.cells.chunks(self.columns).map(line)
    }
}

#[expect(clippy::cast_precision_loss, reason = "positions in a picture")]
fn points(
    (x, stride): (Option<&Series>, f64),
    series: &Series,
    is_scatter: bool,
    width: usize,
) -> String {
    let size = |label: &str| label.chars().count() as f64;
    let (before, after) = (0.0, 0.0);
    let room =
        Room { length: HEIGHT as f64, before, after, gap: 1.0, most: 5, size: &|_: &str| 1.0 };
    let up = Axis::new(widened(series.range()), &series.scale(), &room);
    let margin = up.ticks.iter().map(|tick| tick.label.chars().count()).max().unwrap_or(0);
    let columns = width.saturating_sub(margin + 2).clamp(10, 200);
    let last = series.values.len().saturating_sub(1) as f64 * stride;
    let (range, scale) = match x {
        Some(x) => (x.range(), x.scale()),
        None => (Some((0.0, last)), Scale::Integers),
    };
    let (length, before) = (columns as f64, (margin + 2) as f64);
    let room = Room { length, before, after, gap: 2.0, most: columns / 8, size: &size };
    let across = Axis::new(widened(range), &scale, &room);

    let mut dots = Dots::new(columns);
    let mut previous = None;
    for (i, &value) in series.values.iter().enumerate() {
        let at_x = |x: &Series| x.values.get(i).copied().unwrap_or(f64::NAN);
        let position = (across.part(x.map_or(i as f64 * stride, at_x)), up.part(value));
        if !position.0.is_finite() || !position.1.is_finite() {
            previous = None;
            continue;
        }
        let dot = dots.at(position);
        dots.line(previous.filter(|_| !is_scatter).unwrap_or(dot), dot);
        previous = Some(dot);
    }

    let by = x.filter(|_| is_scatter).map(|x| format!(" by {}", x.name)).unwrap_or_default();
    let range = series.extremes().map(|[low, high]| format!(": {low} … {high}"));
    let name = format!("{}{by}{}", series.name, range.unwrap_or_default());
    let mut out = format!("{}\n", printable(&name));
    for (line, text) in dots.lines().enumerate() {
        let from_below = HEIGHT - 1 - line;
        let tick = up.ticks.iter().find(|tick| character(tick.center) == from_below);
        let (label, edge) = tick.map_or(("", '│'), |tick| (&tick.label, '┤'));
        out += format!("{label:>margin$} {edge}{text}").trim_end_matches(['\u{2800}', ' ']);
        out.push('\n');
    }
    let mut edge = vec!['─'; columns];
    let mut labels = vec![' '; margin + 2 + columns];
    for tick in &across.ticks {
        edge[character(across.part(tick.value) * length).min(columns - 1)] = '┬';
        let start = character(before + tick.center - size(&tick.label) / 2.0);
        for (to, c) in labels.iter_mut().skip(start).zip(tick.label.chars()) {
            *to = c;
        }
    }
    let (edge, labels) = (edge.iter().collect::<String>(), labels.iter().collect::<String>());
    out + &format!("{:>margin$} └{edge}\n{}\n", "", labels.trim_end())
}

/// Returns the index of the character at a position.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a few characters")]
fn character(position: f64) -> usize {
    position as usize
}

/// Returns a line for each range of values, with a bar and the number of the values.
#[expect(clippy::cast_precision_loss, reason = "positions in a picture")]
fn histogram(series: &Series, (low, high): (f64, f64), counts: &[u64], width: usize) -> String {
    // Two ranges a line, so that a histogram is as high as the other pictures.
    let pairs: Vec<u64> = counts.chunks(2).map(|pair| pair.iter().sum()).collect();
    // Halved, so that the width of a range is finite.
    let half = (high / 2.0 - low / 2.0) / pairs.len().max(1) as f64;
    let label = |line: usize| {
        let from = low + half * line as f64 + half * line as f64;
        match &series.clock {
            Some(clock) => clock.label(from),
            None => number(from, half, low.abs().max(high.abs())),
        }
    };
    let labels: Vec<String> = (0..pairs.len()).map(label).collect();
    let margin = labels.iter().map(|label| label.chars().count()).max().unwrap_or(0);
    let most = pairs.iter().copied().max().unwrap_or(0).max(1);
    let widest = width.saturating_sub(margin + most.to_string().len() + 2).max(1);
    let mut out = format!("{}\n", printable(&series.name));
    for (label, count) in labels.iter().zip(pairs) {
        let length = u128::from(count) * widest as u128 / u128::from(most);
        let bar = "█".repeat(usize::try_from(length).unwrap_or(0));
        out += &format!("{label:>margin$} {bar} {count}\n");
    }
    out
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "one of five shades")]
fn shades(grid: &Grid, range: (f64, f64)) -> String {
    let shade = |value: f64| match axis::part(value, range) {
        part if part.is_finite() => SHADES[((part * 5.0) as usize).min(4)],
        _ => '·',
    };
    let mut out = String::new();
    for (i, value) in grid.cells().enumerate() {
        out.push(shade(value));
        if (i + 1) % grid.width == 0 {
            out.push('\n');
        }
    }
    out
}
