//! Pictures as SVG.

use std::fmt::Write;

use super::{Picture, Series, part, range, ticks, widened};
use crate::text::short_float;

const WIDTH: f64 = 860.0;
const HEIGHT: f64 = 420.0;
const LEFT: f64 = 80.0;
const RIGHT: f64 = 24.0;
const TOP: f64 = 48.0;
const BOTTOM: f64 = 44.0;

/// Colors that differ for color-blind eyes, too.
const COLORS: [&str; 8] =
    ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#7f5cb8", "#59636e"];

/// The area in which a picture is drawn, and the ranges of its axes.
struct Frame {
    x: (f64, f64),
    y: (f64, f64),
}

impl Frame {
    fn x(&self, value: f64) -> f64 {
        LEFT + part(value, self.x) * (WIDTH - LEFT - RIGHT)
    }

    fn y(&self, value: f64) -> f64 {
        HEIGHT - BOTTOM - part(value, self.y) * (HEIGHT - TOP - BOTTOM)
    }

    /// Draws the lines of both axes with their numbers.
    fn axes(
        &self,
        out: &mut String,
        x: &dyn Fn(f64) -> String,
        y: &dyn Fn(f64) -> String,
        count: f64,
    ) {
        for tick in ticks(self.x, count) {
            let (at, bottom) = (self.x(tick), HEIGHT - BOTTOM);
            let _ = writeln!(
                out,
                "<line x1=\"{at:.1}\" x2=\"{at:.1}\" y1=\"{TOP}\" y2=\"{bottom}\" stroke=\"#eaeef2\"/><text x=\"{at:.1}\" y=\"{}\" text-anchor=\"middle\">{}</text>",
                bottom + 18.0,
                escaped(&x(tick))
            );
        }
        for tick in ticks(self.y, 5.0) {
            let (at, right) = (self.y(tick), WIDTH - RIGHT);
            let _ = writeln!(
                out,
                "<line x1=\"{LEFT}\" x2=\"{right}\" y1=\"{at:.1}\" y2=\"{at:.1}\" stroke=\"#d8dee4\"/><text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
                LEFT - 8.0,
                at + 4.0,
                escaped(&y(tick))
            );
        }
    }
}

/// Returns the picture as a complete SVG file.
pub(crate) fn draw(picture: &Picture, title: &str) -> String {
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" width=\"{WIDTH}\" height=\"{HEIGHT}\" font-family=\"system-ui, 'DejaVu Sans', sans-serif\" font-size=\"12\" fill=\"#1f2328\">\n<rect width=\"{WIDTH}\" height=\"{HEIGHT}\" rx=\"6\" fill=\"#ffffff\"/>\n<text x=\"16\" y=\"24\" font-size=\"14\" font-weight=\"600\">{}</text>\n",
        escaped(title)
    );
    match picture {
        Picture::Points { x, y, stride, is_scatter } => {
            points(&mut out, (x.as_ref(), *stride), y, *is_scatter);
        }
        Picture::Histogram { series, low, high, counts } => {
            histogram(&mut out, series, (*low, *high), counts);
        }
        Picture::HeatMap { cells, width, rows, columns } => {
            heat_map(&mut out, cells, *width, (*rows, *columns));
        }
    }
    out.push_str("</svg>\n");
    out
}

#[expect(clippy::cast_precision_loss, reason = "positions in a picture")]
fn points(out: &mut String, (x, stride): (Option<&Series>, f64), y: &[Series], is_scatter: bool) {
    let values = y.first().map_or(0, |series| series.values.len());
    let x_range = match x {
        Some(x) => x.range().unwrap_or((0.0, 1.0)),
        None => (0.0, values.saturating_sub(1) as f64 * stride),
    };
    let all = y.iter().flat_map(|series| series.values.iter().copied());
    let frame = Frame { x: widened(x_range), y: widened(range(all).unwrap_or((0.0, 1.0))) };
    let is_time = x.is_some_and(|x| x.time.is_some());
    let label = |value: f64| {
        x.map_or_else(|| short_float(value).trim_end_matches(".0").to_owned(), |x| x.label(value))
    };
    let of_y = |value: f64| y.first().map_or_else(String::new, |series| series.label(value));
    frame.axes(out, &label, &of_y, if is_time { 3.0 } else { 8.0 });
    for (series, color) in y.iter().zip(COLORS) {
        let at = |i: usize| {
            x.map_or(i as f64 * stride, |x| x.values.get(i).copied().unwrap_or(f64::NAN))
        };
        if is_scatter {
            // More points could not be seen.
            let step = series.values.len().div_ceil(5000).max(1);
            for (row, value) in series.values.iter().enumerate().step_by(step) {
                if value.is_finite() && at(row).is_finite() {
                    let _ = writeln!(
                        out,
                        "<circle cx=\"{:.1}\" cy=\"{:.1}\" r=\"2.5\" fill=\"{color}\" fill-opacity=\"0.6\"/>",
                        frame.x(at(row)),
                        frame.y(*value)
                    );
                }
            }
        } else {
            let path = path(&frame, &series.values, &at);
            let _ = writeln!(
                out,
                "<path d=\"{path}\" fill=\"none\" stroke=\"{color}\" stroke-width=\"1.5\" stroke-linejoin=\"round\"/>"
            );
        }
    }
    let mut names: Vec<String> = y.iter().map(|series| series.name.clone()).collect();
    if let (Some(x), true) = (x, is_scatter) {
        names.iter_mut().for_each(|name| *name = format!("{name} by {}", x.name));
    }
    legend(out, &names);
}

/// Returns the path of a line. Of many rows, the least and the greatest of each pixel are drawn.
fn path(frame: &Frame, values: &[f64], x: &dyn Fn(usize) -> f64) -> String {
    let mut path = String::new();
    let group = values.len().div_ceil(1500).max(1);
    let mut is_drawing = false;
    for (nth, part) in values.chunks(group).enumerate() {
        let first = nth * group;
        let extremes = range(part.iter().copied());
        let Some((low, high)) = extremes.filter(|_| x(first).is_finite()) else {
            is_drawing = false;
            continue;
        };
        let both = if group == 1 { vec![low] } else { vec![low, high] };
        for value in both {
            let command = if is_drawing { 'L' } else { 'M' };
            let _ = write!(path, "{command}{:.1} {:.1}", frame.x(x(first)), frame.y(value));
            is_drawing = true;
        }
        // A single value between missing ones is a dot.
        if group == 1 && !values.get(first + 1).is_some_and(|next| next.is_finite()) {
            path.push_str("h0.1");
        }
    }
    path
}

#[expect(clippy::cast_precision_loss, reason = "positions in a picture")]
fn histogram(out: &mut String, series: &[Series], bounds: (f64, f64), counts: &[Vec<u64>]) {
    let most = counts.iter().flatten().copied().max().unwrap_or(0).max(1);
    let frame = Frame { x: bounds, y: (0.0, most as f64) };
    let label = |value: f64| series.first().map_or_else(String::new, |series| series.label(value));
    let count = |value: f64| short_float(value).trim_end_matches(".0").to_owned();
    let is_time = series.first().is_some_and(|series| series.time.is_some());
    frame.axes(out, &label, &count, if is_time { 3.0 } else { 8.0 });
    let opacity = if series.len() > 1 { 0.5 } else { 0.9 };
    for (counts, color) in counts.iter().zip(COLORS) {
        let (first, last) = (frame.x(bounds.0), frame.x(bounds.1));
        let step = (last - first) / counts.len().max(1) as f64;
        for (bin, &count) in counts.iter().enumerate().filter(|(_, count)| **count > 0) {
            let left = first + step * bin as f64;
            let right = first + step * (bin + 1) as f64;
            let top = frame.y(count as f64);
            let _ = writeln!(
                out,
                "<rect x=\"{left:.1}\" y=\"{top:.1}\" width=\"{:.1}\" height=\"{:.1}\" fill=\"{color}\" fill-opacity=\"{opacity}\"><title>{count}</title></rect>",
                right - left - 1.0,
                HEIGHT - BOTTOM - top
            );
        }
    }
    legend(out, &series.iter().map(|series| series.name.clone()).collect::<Vec<_>>());
}

#[expect(clippy::cast_precision_loss, reason = "positions in a picture")]
fn heat_map(out: &mut String, cells: &[f64], width: usize, (rows, columns): (usize, usize)) {
    let height = cells.len() / width.max(1);
    // Row 0 is at the top, as it is when the array is printed.
    let frame = Frame { x: (0.0, columns as f64), y: (rows as f64, 0.0) };
    let count = |value: f64| short_float(value).trim_end_matches(".0").to_owned();
    let (low, high) = widened(range(cells.iter().copied()).unwrap_or((0.0, 1.0)));
    let (cell_width, cell_height) = (
        (WIDTH - LEFT - RIGHT - 90.0) / width.max(1) as f64,
        (HEIGHT - TOP - BOTTOM) / height.max(1) as f64,
    );
    let _ = writeln!(out, "<g shape-rendering=\"crispEdges\">");
    for (i, value) in cells.iter().enumerate().filter(|(_, value)| value.is_finite()) {
        let (x, y) =
            (LEFT + cell_width * (i % width) as f64, TOP + cell_height * (i / width) as f64);
        let color = color(part(*value, (low, high)));
        let _ = writeln!(
            out,
            "<rect x=\"{x:.2}\" y=\"{y:.2}\" width=\"{:.2}\" height=\"{:.2}\" fill=\"{color}\"/>",
            cell_width + 0.5,
            cell_height + 0.5
        );
    }
    out.push_str("</g>\n");
    let scale = (WIDTH - LEFT - RIGHT - 90.0) / (WIDTH - LEFT - RIGHT);
    for tick in ticks(frame.x, 8.0) {
        let at = LEFT + (frame.x(tick) - LEFT) * scale;
        let _ = writeln!(
            out,
            "<text x=\"{at:.1}\" y=\"{}\" text-anchor=\"middle\">{}</text>",
            HEIGHT - BOTTOM + 18.0,
            count(tick)
        );
    }
    for tick in ticks((0.0, rows as f64), 6.0) {
        let at = frame.y(tick) + 4.0;
        let _ = writeln!(
            out,
            "<text x=\"{}\" y=\"{at:.1}\" text-anchor=\"end\">{}</text>",
            LEFT - 8.0,
            count(tick)
        );
    }
    let x = WIDTH - RIGHT - 74.0;
    for step in 0..64u32 {
        let part = f64::from(step) / 63.0;
        let y = HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * (f64::from(step) + 1.0) / 64.0;
        let _ = writeln!(
            out,
            "<rect x=\"{x}\" y=\"{y:.1}\" width=\"14\" height=\"6\" fill=\"{}\"/>",
            color(part)
        );
    }
    for (value, y) in [(low, HEIGHT - BOTTOM), (high, TOP + 8.0)] {
        let _ = writeln!(out, "<text x=\"{}\" y=\"{y}\">{}</text>", x + 20.0, short_float(value));
    }
}

/// Returns the color of a number from 0 to 1: viridis, in five steps with straight lines between them.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "parts of a color")]
pub(crate) fn color(part: f64) -> String {
    const STOPS: [[f64; 3]; 5] = [
        [68.0, 1.0, 84.0],
        [59.0, 82.0, 139.0],
        [33.0, 145.0, 140.0],
        [94.0, 201.0, 98.0],
        [253.0, 231.0, 37.0],
    ];
    let at = part.clamp(0.0, 1.0) * 4.0;
    let below = (at as usize).min(3);
    let mix = |channel: usize| {
        let (one, other) = (STOPS[below][channel], STOPS[below + 1][channel]);
        (one + (other - one) * (at - below as f64)).round() as u8
    };
    format!("#{:02x}{:02x}{:02x}", mix(0), mix(1), mix(2))
}

/// Draws the names of the series with their colors.
#[expect(clippy::cast_precision_loss, reason = "positions in a picture")]
fn legend(out: &mut String, names: &[String]) {
    let mut at = LEFT;
    for (name, color) in names.iter().zip(COLORS) {
        let _ = writeln!(
            out,
            "<rect x=\"{at:.1}\" y=\"33\" width=\"10\" height=\"10\" rx=\"2\" fill=\"{color}\"/><text x=\"{:.1}\" y=\"42\">{}</text>",
            at + 15.0,
            escaped(name)
        );
        at += 36.0 + 7.0 * name.chars().count() as f64;
    }
}

/// Escapes text for XML; control characters have no place in it.
pub(crate) fn escaped(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}
