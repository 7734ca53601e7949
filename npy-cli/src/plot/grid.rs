//! Matrices and images as cells: of a large array, a cell is the mean of many values.

use crate::text::short_float;

/// The cells of a matrix, or of an image whose cells have several channels.
#[derive(Debug)]
pub(crate) struct Grid {
    pub(crate) width: usize,
    pub(crate) height: usize,
    channels: usize,
    /// The shape of the array, in elements of all channels.
    pub(crate) rows: usize,
    pub(crate) columns: usize,
    /// True if two columns are the parts of a complex number.
    pub(crate) is_split: bool,
    /// The sum of the finite values of each cell and channel, and their number.
    sums: Vec<(f64, f64)>,
    /// The least and the greatest value of the array.
    pub(crate) range: Option<(f64, f64)>,
}

/// Pixels of red, green, blue and opacity.
#[derive(Debug, PartialEq)]
pub(crate) struct Pixels {
    pub(crate) width: usize,
    pub(crate) height: usize,
    pub(crate) rgba: Vec<u8>,
}

impl Grid {
    /// Makes at most `most` cells in each direction for an array of this shape.
    pub(crate) fn new(
        (rows, columns, channels): (usize, usize, usize),
        most: (usize, usize),
    ) -> Self {
        let (width, height) = (columns.min(most.0).max(1), rows.min(most.1).max(1));
        let sums = vec![(0.0, 0.0); width * height * channels];
        Grid { width, height, channels, rows, columns, is_split: false, sums, range: None }
    }

    /// Adds the values of a row.
    pub(crate) fn add(&mut self, row: usize, values: impl Iterator<Item = f64>) {
        let line = row.saturating_mul(self.height) / self.rows.max(1);
        for (i, value) in values.enumerate().filter(|(_, value)| value.is_finite()) {
            let column = i / self.channels * self.width / self.columns.max(1);
            let cell = (line * self.width + column) * self.channels + i % self.channels;
            let (sum, count) = &mut self.sums[cell];
            (*sum, *count) = (*sum + value, *count + 1.0);
            self.range = super::wider(self.range, Some((value, value)));
        }
    }

    /// Returns the same values as a matrix whose columns are the channels.
    pub(crate) fn into_matrix(self) -> Self {
        let (width, columns) = (self.width * self.channels, self.columns * self.channels);
        Grid { width, columns, channels: 1, ..self }
    }

    /// Returns the values of each cell, by channel: their means; NaN for a cell without finite values.
    pub(crate) fn cells(&self) -> impl Iterator<Item = f64> {
        self.sums.iter().map(|(sum, count)| sum / count)
    }

    /// Returns the image in gray: what the eye sees of red, green and blue, before black where it is transparent.
    pub(crate) fn brightness(&self, white: f64) -> Self {
        let cells: Vec<f64> = self.cells().collect();
        let gray = |cell: &[f64]| match *cell {
            [red, green, blue] => 0.299 * red + 0.587 * green + 0.114 * blue,
            [red, green, blue, alpha] => {
                (0.299 * red + 0.587 * green + 0.114 * blue) * (alpha / white)
            }
            _ => cell.first().copied().unwrap_or(f64::NAN),
        };
        let sums = cells.chunks(self.channels.max(1)).map(|cell| (gray(cell), 1.0)).collect();
        Grid { channels: 1, sums, ..*self }
    }

    /// Returns the cells as an image whose brightest value is `white`.
    pub(crate) fn image(&self, white: f64) -> Pixels {
        let values: Vec<f64> = self.cells().collect();
        let byte = |value: f64| byte(value / white);
        let pixel = |cell: &[f64]| match *cell {
            [red, green, blue] => [byte(red), byte(green), byte(blue), 255],
            [red, green, blue, alpha] => [byte(red), byte(green), byte(blue), byte(alpha)],
            _ => {
                let gray = byte(cell.first().copied().unwrap_or(0.0));
                [gray, gray, gray, 255]
            }
        };
        self.pixels(values.chunks(self.channels.max(1)).flat_map(pixel).collect())
    }

    /// Returns the cells as colors of the range of the values. A cell without a value is transparent.
    pub(crate) fn colors(&self) -> Pixels {
        let range = super::widened(self.range);
        let pixel = |value: f64| match value.is_finite() {
            true => {
                let color = color(super::axis::part(value, range));
                [color[0], color[1], color[2], 255]
            }
            false => [0; 4],
        };
        self.pixels(self.cells().flat_map(pixel).collect())
    }

    fn pixels(&self, rgba: Vec<u8>) -> Pixels {
        Pixels { width: self.width, height: self.height, rgba }
    }

    /// Says what a cell and a column are, if they are not those of the array.
    pub(crate) fn note(&self) -> Option<String> {
        let text = |whole: usize, parts: usize| match whole.is_multiple_of(parts) {
            true => (whole / parts).to_string(),
            #[expect(clippy::cast_precision_loss, reason = "a number for people")]
            false => short_float((whole as f64 / parts as f64 * 10.0).round() / 10.0),
        };
        let (rows, columns) = (text(self.rows, self.height), text(self.columns, self.width));
        let is_mean = self.rows > self.height || self.columns > self.width;
        let mean = is_mean.then(|| format!("a cell is the mean of {rows} × {columns} values"));
        let parts = self.is_split.then(|| "a complex number is two columns, re and im".to_owned());
        let notes: Vec<String> = parts.into_iter().chain(mean).collect();
        (!notes.is_empty()).then(|| notes.join("; "))
    }
}

/// Returns the color of a number from 0 to 1.
pub(crate) fn color(part: f64) -> [u8; 3] {
    colorous::VIRIDIS.eval_continuous(part.clamp(0.0, 1.0)).as_array()
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped to a byte")]
fn byte(part: f64) -> u8 {
    (part * 255.0).round().clamp(0.0, 255.0) as u8
}

#[cfg(test)]
mod tests {
    use super::{Grid, color};

    /// Guards that the range is that of the values, and not that of the means that are drawn.
    #[test]
    fn the_range_is_that_of_the_values() {
        let mut grid = Grid::new((4, 4, 1), (2, 2));
        for row in 0..4 {
            grid.add(row, (0..4).map(|column| if (row, column) == (0, 0) { 8.0 } else { 0.0 }));
        }
        assert_eq!(grid.range, Some((0.0, 8.0)));
        assert_eq!(grid.cells().collect::<Vec<_>>(), [2.0, 0.0, 0.0, 0.0]);
        assert_eq!(grid.colors().rgba[..4], [&color(0.25)[..], &[255]].concat());
        assert_eq!(grid.note().unwrap(), "a cell is the mean of 2 × 2 values");
    }

    #[test]
    fn a_cell_without_values_is_transparent() {
        let mut grid = Grid::new((1, 2, 1), (10, 10));
        grid.add(0, [f64::NAN, 3.0].into_iter());
        assert_eq!(grid.colors().rgba[3], 0);
        assert_eq!((grid.range, grid.note()), (Some((3.0, 3.0)), None));
    }

    #[test]
    fn channels_are_red_green_blue_and_opacity() {
        let mut grid = Grid::new((1, 2, 4), (10, 10));
        grid.add(0, [255.0, 0.0, 0.0, 255.0, 1.0, 2.0, 3.0, 4.0].into_iter());
        assert_eq!(grid.image(255.0).rgba, [255, 0, 0, 255, 1, 2, 3, 4]);
        assert_eq!(grid.into_matrix().columns, 8);
    }
}
