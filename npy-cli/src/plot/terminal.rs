//! Pictures in a terminal: lines and points in Braille, whose characters have 2 × 4 dots; histograms and heat maps in blocks.

use super::{Picture, Series, part, range, widened};
use crate::output::printable;
use crate::text::short_float;

/// The lines of a picture.
const HEIGHT: usize = 16;

/// Returns the picture as lines of this width.
#[expect(clippy::cast_precision_loss, reason = "positions in a picture")]
pub(crate) fn draw(picture: &Picture, width: usize) -> String {
    match picture {
        Picture::Points { x, y, stride, is_scatter } => {
            let x = (x.as_ref(), *stride);
            let each = y.iter().map(|series| points(x, series, *is_scatter, width));
            each.collect::<Vec<_>>().join("\n")
        }
        Picture::Histogram { series, low, high, counts } => {
            let mut out = String::new();
            for (series, counts) in series.iter().zip(counts) {
                out += &format!("{}\n", printable(&series.name));
                let most = counts.iter().copied().max().unwrap_or(0).max(1);
                // Two ranges a line, so that a histogram is as high as the other pictures.
                for (line, pair) in counts.chunks(2).enumerate() {
                    let from = mixed(*low, *high, (2 * line) as f64 / counts.len() as f64);
                    let count: u64 = pair.iter().sum();
                    let widest = width.saturating_sub(26) as u64;
                    let length = u128::from(count) * u128::from(widest) / (2 * u128::from(most));
                    let length = usize::try_from(length).unwrap_or(0);
                    out += &format!(
                        "{:>12} {:<2$} {count}\n",
                        series.label(from),
                        "█".repeat(length),
                        1
                    );
                }
            }
            out
        }
        Picture::HeatMap { cells, width: columns, .. } => heat_map(cells, *columns, width),
    }
}

/// Returns the number at this part of the way from one to another, whose difference may be infinite.
fn mixed(one: f64, other: f64, part: f64) -> f64 {
    let half = (other / 2.0 - one / 2.0) * part;
    one + half + half
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_precision_loss,
    reason = "positions in a picture"
)]
fn points(
    (x, stride): (Option<&Series>, f64),
    series: &Series,
    is_scatter: bool,
    width: usize,
) -> String {
    let columns = width.saturating_sub(14).clamp(10, 200);
    let of_x = match x {
        Some(x) => x.range().unwrap_or((0.0, 1.0)),
        None => (0.0, series.values.len().saturating_sub(1) as f64 * stride),
    };
    let (across, up) = (widened(of_x), widened(series.range().unwrap_or((0.0, 1.0))));
    let mut dots = vec![0u8; columns * HEIGHT];
    let at = |part: f64, count: usize| ((part * count as f64) as usize).min(count - 1);
    let mut previous: Option<(usize, usize)> = None;
    for (i, &value) in series.values.iter().enumerate() {
        let at_x = |x: &Series| x.values.get(i).copied().unwrap_or(f64::NAN);
        let position = x.map_or(i as f64 * stride, at_x);
        if !value.is_finite() || !position.is_finite() {
            previous = None;
            continue;
        }
        let left = at(part(position, across), columns * 2);
        let top = HEIGHT * 4 - 1 - at(part(value, up), HEIGHT * 4);
        let (from_x, from) = previous.filter(|_| !is_scatter).unwrap_or((left, top));
        // Steps along the longer side of the line from the point before.
        let steps = from_x.abs_diff(left).max(from.abs_diff(top)).max(1);
        for step in 0..=steps {
            let mix = |one: usize, other: usize| (one * (steps - step) + other * step) / steps;
            let (x, y) = (mix(from_x, left), mix(from, top));
            const BITS: [[u8; 4]; 2] = [[0x01, 0x02, 0x04, 0x40], [0x08, 0x10, 0x20, 0x80]];
            if let Some(cell) = dots.get_mut(y / 4 * columns + x / 2) {
                *cell |= BITS[x % 2][y % 4];
            }
        }
        previous = Some((left, top));
    }
    let mut out = format!("{}\n", printable(&series.name));
    for (line, cells) in dots.chunks(columns).enumerate() {
        let label = match line {
            0 => series.label(up.1),
            line if line == HEIGHT - 1 => series.label(up.0),
            _ => String::new(),
        };
        let text: String = cells
            .iter()
            .map(|&cell| char::from_u32(0x2800 + u32::from(cell)).unwrap_or(' '))
            .collect();
        out += &format!("{label:>12} {}\n", text.trim_end_matches('\u{2800}'));
    }
    let label = |value: f64| match x {
        Some(x) => x.label(value),
        None => short_float(value).trim_end_matches(".0").to_owned(),
    };
    let (low, high) = (label(of_x.0), label(of_x.1));
    let gap = columns.saturating_sub(low.chars().count());
    out + &format!("{:>12} {low}{high:>gap$}\n", "")
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "one of five shades")]
fn heat_map(cells: &[f64], columns: usize, width: usize) -> String {
    const SHADES: [char; 5] = [' ', '░', '▒', '▓', '█'];
    let (low, high) = widened(range(cells.iter().copied()).unwrap_or((0.0, 1.0)));
    let rows = cells.len() / columns.max(1);
    let (across, down) = (columns.min(width.max(1)), rows.min(HEIGHT * 2));
    let mut out = String::new();
    for y in 0..down {
        for x in 0..across {
            let cell = cells.get(y * rows / down * columns + x * columns / across);
            let part = part(cell.copied().unwrap_or(f64::NAN), (low, high));
            out.push(if part.is_finite() { SHADES[((part * 5.0) as usize).min(4)] } else { '·' });
        }
        out.push('\n');
    }
    out + &format!("' ' {} … '█' {}\n", short_float(low), short_float(high))
}
