//! Pictures of arrays: what `npy plot` and `npy view` draw.
//!
//! `Picture::of_file(&target, &columns, kind, &void, canvas)` reads what is drawn (`plot/read.rs`). From there on nothing is about files: `plot/chart.rs` lays
//! the picture out as marks (`plot/scene.rs`), which `plot/svg.rs` and `plot/png.rs` write, and `plot/terminal.rs` draws it with characters.
//! `plot/pixels.rs` writes the pixels of an image alone.

pub(crate) mod axis;
mod chart;
mod font;
mod grid;
pub(crate) mod pixels;
mod png;
mod read;
mod scene;
pub(crate) mod svg;
pub(crate) mod terminal;
mod time;

use std::path::Path;

use crate::output::{Failure, Result};
use crate::text::short_float;
use grid::Grid;
use time::Clock;

pub(crate) use read::{Canvas, is_drawn, is_time};

#[derive(Clone, Copy, Debug, PartialEq, clap::ValueEnum)]
pub(crate) enum Kind {
    /// A line for each column
    Line,
    /// A histogram: the number of values in each range
    Histogram,
    /// A matrix as colors
    Heatmap,
    /// The second column against the first
    Scatter,
    /// An array of shape (h, w), (h, w, 3) or (h, w, 4) as gray, RGB or RGBA: bytes, or floats from 0 to 1
    Image,
}

/// A column of numbers.
#[derive(Debug)]
pub(crate) struct Series {
    name: String,
    values: Vec<f64>,
    /// Times are counts since the first one.
    clock: Option<Clock>,
}

/// The kinds of pictures.
#[derive(Debug)]
pub(crate) enum Picture {
    /// `x` is the row if it is `None`: the index of a value times `stride`.
    Points { x: Option<Series>, y: Vec<Series>, stride: f64, is_scatter: bool },
    /// The number of values of each series in each range. The series have no values.
    Histogram { series: Vec<Series>, low: f64, high: f64, counts: Vec<Vec<u64>> },
    /// A matrix as colors, from that of its least to that of its greatest value.
    HeatMap(Grid),
    /// An image whose brightest value is this.
    Image(Grid, f64),
}

/// A format of files with pictures.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Format {
    Svg,
    Png,
}

impl Format {
    /// Returns the format that the ending of a path names. Standard output is SVG.
    pub(crate) fn of(path: &Path) -> Result<Self> {
        let ending = path.extension().map(|ending| ending.to_string_lossy().to_ascii_lowercase());
        match ending.as_deref() {
            Some("svg") => Ok(Format::Svg),
            Some("png") => Ok(Format::Png),
            None if path == "-" || path == "/dev/stdout" => Ok(Format::Svg),
            _ => {
                let message = "is not the name of a picture; end it in .svg or .png";
                Err(Failure::new(path.display(), message))
            }
        }
    }
}

impl Picture {
    /// Returns the picture as a complete SVG file.
    pub(crate) fn to_svg(&self, title: &str) -> String {
        svg::text(&chart::scene(self, title))
    }

    /// Returns the picture as a file.
    pub(crate) fn to_file(&self, title: &str, format: Format) -> Result<Vec<u8>> {
        match format {
            Format::Svg => Ok(self.to_svg(title).into_bytes()),
            Format::Png => png::bytes(&chart::scene(self, title)).map_err(Failure::usage),
        }
    }
}

impl Series {
    /// Returns the values of an axis on which these are.
    fn scale(&self) -> axis::Scale<'_> {
        self.clock.as_ref().map_or(axis::Scale::Numbers, axis::Scale::Times)
    }

    /// Returns the least and the greatest value as texts.
    fn extremes(&self) -> Option<[String; 2]> {
        match &self.clock {
            Some(clock) => clock.range(),
            None => self.range().map(|(low, high)| [low, high].map(short_float)),
        }
    }

    /// Returns the least and the greatest finite number.
    fn range(&self) -> Option<(f64, f64)> {
        range(self.values.iter().copied())
    }
}

/// Returns the least and the greatest finite number.
fn range(values: impl Iterator<Item = f64>) -> Option<(f64, f64)> {
    let finite = values.filter(|value| value.is_finite());
    finite.fold(None, |range, value| wider(range, Some((value, value))))
}

/// Returns the range that contains both.
fn wider(one: Option<(f64, f64)>, other: Option<(f64, f64)>) -> Option<(f64, f64)> {
    match (one, other) {
        (Some((low, high)), Some((least, most))) => Some((low.min(least), high.max(most))),
        (one, other) => one.or(other),
    }
}

/// Returns a range that has a width.
fn widened(range: Option<(f64, f64)>) -> (f64, f64) {
    let (low, high) = range.unwrap_or((0.0, 1.0));
    if high > low {
        return (low, high);
    }
    let margin = 0.5_f64.max(low.abs() * 0.1);
    (low - margin, high + margin)
}
