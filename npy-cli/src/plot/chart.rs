//! Lays a picture out: title, legend, axes with their labels, and what is drawn between them.

use super::axis::{Axis, Room, Scale};
use super::grid::{self, Grid, Pixels};
use super::scene::{Anchor, Area, Color, Mark, Scene, cut};
use super::{Picture, Series, font, range, widened};
use crate::output::printable;
use crate::text::short_float;

const WIDTH: f64 = 860.0;
const HEIGHT: f64 = 420.0;
/// The greatest height of an image.
const IMAGE_HEIGHT: f64 = 560.0;
/// The empty space around a picture.
const MARGIN: f64 = 24.0;
/// The space below the lower axis.
const BOTTOM: f64 = 40.0;
/// The distance of the labels of the vertical axis.
const GAP: f64 = 8.0;
/// The sizes of texts.
const TITLE: f64 = 15.0;
const SMALL: f64 = 12.0;
/// The width of the bar of colors and of the space before it.
const BAR: (f64, f64) = (14.0, 20.0);

const INK: Color = [0x1f, 0x23, 0x28];
const GRAY: Color = [0x59, 0x63, 0x6e];
const GRID: Color = [0xe4, 0xe8, 0xec];

/// Colors that differ for color-blind eyes, too.
const COLORS: [Color; 8] = [
    [0x00, 0x72, 0xb2],
    [0xd5, 0x5e, 0x00],
    [0x00, 0x9e, 0x73],
    [0xcc, 0x79, 0xa7],
    [0xe6, 0x9f, 0x00],
    [0x56, 0xb4, 0xe9],
    [0x7f, 0x5c, 0xb8],
    [0x59, 0x63, 0x6e],
];

/// The area between the axes, and the axes.
struct Frame {
    area: Area,
    x: Axis,
    y: Axis,
}

impl Frame {
    fn at(&self, x: f64, y: f64) -> (f64, f64) {
        let Frame { area, .. } = self;
        (area.x + self.x.part(x) * area.width, area.bottom() - self.y.part(y) * area.height)
    }
}

/// Lays out a picture.
pub(crate) fn scene(picture: &Picture, title: &str) -> Scene {
    let mut scene = Scene { width: WIDTH, height: HEIGHT, marks: Vec::new() };
    let title = cut(&printable(title), TITLE, WIDTH - 2.0 * MARGIN);
    scene.text((MARGIN, 28.0), Anchor::Start, TITLE, INK, title);
    match picture {
        Picture::Points { x, y, stride, is_scatter } => {
            points(&mut scene, (x.as_ref(), *stride), y, *is_scatter);
        }
        Picture::Histogram { series, low, high, counts } => {
            histogram(&mut scene, series, (*low, *high), counts);
        }
        Picture::HeatMap(grid) => heat_map(&mut scene, grid),
        Picture::Image(grid, white) => image(&mut scene, grid, *white),
    }
    scene
}

impl Scene {
    fn text(&mut self, (x, y): (f64, f64), anchor: Anchor, size: f64, color: Color, text: String) {
        self.marks.push(Mark::Text { x, y, anchor, size, color, text });
    }

    fn area(&mut self, area: Area, color: Color, opacity: f64) {
        self.marks.push(Mark::Area { area, color, opacity });
    }

    fn line(&mut self, points: Vec<(f64, f64)>, color: Color, width: f64) {
        self.marks.push(Mark::Line { points, color, width });
    }

    /// Draws the names of the series with their colors, in as many lines as they need. Returns where the picture begins below them.
    fn legend(&mut self, names: &[String]) -> f64 {
        let (mut x, mut y) = (MARGIN, 50.0);
        for (name, color) in names.iter().zip(COLORS) {
            let name = cut(&printable(name), SMALL, WIDTH / 2.0);
            let width = 15.0 + font::width(&name, SMALL);
            if x + width > WIDTH - MARGIN {
                (x, y) = (MARGIN, y + 18.0);
            }
            self.area(Area { x, y: y - 9.5, width: 10.0, height: 10.0 }, color, 1.0);
            self.text((x + 15.0, y), Anchor::Start, SMALL, INK, name);
            x += width + 20.0;
        }
        y + 16.0
    }

    /// Draws axes with their labels in this area, from which the labels of the vertical axis take what they need. A matrix begins at the top, and
    /// has no lines from the labels across it.
    fn frame(
        &mut self,
        mut area: Area,
        (x, across): ((f64, f64), Scale<'_>),
        (y, up): ((f64, f64), Scale<'_>),
        is_matrix: bool,
    ) -> Frame {
        let y = vertical(y, &up, area.height);
        let labels = y.ticks.iter().map(|tick| font::width(&tick.label, SMALL));
        let labels = labels.fold(0.0, f64::max) + GAP;
        (area.x, area.width) = (area.x + labels, area.width - labels);
        let size = |label: &str| font::width(label, SMALL);
        let (before, after) = (area.x - 4.0, WIDTH - area.right() - 4.0);
        let room = Room { length: area.width, before, after, gap: 20.0, most: 12, size: &size };
        let frame = Frame { area, x: Axis::new(x, &across, &room), y };
        for tick in &frame.y.ticks {
            let (_, at) = frame.at(0.0, tick.value);
            if !is_matrix {
                self.line(vec![(area.x, at), (area.right(), at)], GRID, 1.0);
            }
            let middle = if is_matrix { area.y + tick.center } else { area.bottom() - tick.center };
            let place = (area.x - GAP, middle + 4.0);
            self.text(place, Anchor::End, SMALL, GRAY, tick.label.clone());
        }
        for tick in &frame.x.ticks {
            let (at, _) = frame.at(tick.value, 0.0);
            let end = if is_matrix { area.bottom() + 4.0 } else { area.y };
            self.line(vec![(at, area.bottom()), (at, end)], GRID, 1.0);
            let place = (area.x + tick.center, area.bottom() + 18.0);
            self.text(place, Anchor::Middle, SMALL, GRAY, tick.label.clone());
        }
        frame
    }

    /// Returns the area below this position.
    fn below(&self, y: f64) -> Area {
        Area { x: MARGIN, y, width: WIDTH - 2.0 * MARGIN, height: HEIGHT - BOTTOM - y }
    }
}

/// Returns an axis whose labels are one above the other.
fn vertical(range: (f64, f64), scale: &Scale<'_>, length: f64) -> Axis {
    let room =
        Room { length, before: SMALL, after: SMALL, gap: 20.0, most: 8, size: &|_: &str| SMALL };
    Axis::new(range, scale, &room)
}

#[expect(clippy::cast_precision_loss, reason = "positions in a picture")]
fn points(scene: &mut Scene, (x, stride): (Option<&Series>, f64), y: &[Series], is_scatter: bool) {
    let name = |series: &Series| match x {
        Some(x) if is_scatter => format!("{} by {}", series.name, x.name),
        _ => series.name.clone(),
    };
    let top = scene.legend(&y.iter().map(name).collect::<Vec<_>>());
    let values = y.first().map_or(0, |series| series.values.len());
    let across = match x {
        Some(x) if is_scatter => (padded(x.range()), x.scale()),
        Some(x) => (widened(x.range()), x.scale()),
        None => (widened(Some((0.0, values.saturating_sub(1) as f64 * stride))), Scale::Integers),
    };
    let all = range(y.iter().flat_map(|series| series.values.iter().copied()));
    let up = (padded(all), y.first().map_or(Scale::Numbers, Series::scale));
    let frame = scene.frame(scene.below(top), across, up, false);
    for (series, color) in y.iter().zip(COLORS) {
        let at = |i: usize| {
            x.map_or(i as f64 * stride, |x| x.values.get(i).copied().unwrap_or(f64::NAN))
        };
        if is_scatter {
            // More points could not be seen.
            let step = series.values.len().div_ceil(5000).max(1);
            let places = series.values.iter().enumerate().step_by(step);
            let finite = places.filter(|(i, value)| value.is_finite() && at(*i).is_finite());
            let centers = finite.map(|(i, value)| frame.at(at(i), *value)).collect();
            scene.marks.push(Mark::Dots { centers, color });
        } else {
            // A single value between missing ones is a dot.
            let (dots, lines): (Vec<_>, Vec<_>) = lines(&frame, &series.values, &at)
                .into_iter()
                .partition(|points| points.len() == 1);
            lines.into_iter().for_each(|points| scene.line(points, color, 1.5));
            if !dots.is_empty() {
                scene.marks.push(Mark::Dots { centers: dots.concat(), color });
            }
        }
    }
}

/// Returns a range with a margin, so that nothing touches the frame.
fn padded(range: Option<(f64, f64)>) -> (f64, f64) {
    let (low, high) = widened(range);
    // Halved, so that the margin is finite; the largest floats have none.
    let margin = (high / 2.0 - low / 2.0) * 0.06;
    let wide = (low - margin, high + margin);
    if wide.0.is_finite() && wide.1.is_finite() { wide } else { (low, high) }
}

/// Returns lines, which end at missing values. Of many rows, the least and the greatest of each pixel are drawn.
fn lines(frame: &Frame, values: &[f64], x: &dyn Fn(usize) -> f64) -> Vec<Vec<(f64, f64)>> {
    let mut lines = vec![Vec::new()];
    let group = values.len().div_ceil(1500).max(1);
    for (nth, part) in values.chunks(group).enumerate() {
        let x = x(nth * group);
        let extremes = range(part.iter().copied()).filter(|_| x.is_finite());
        match (extremes, lines.last_mut()) {
            (Some((low, high)), Some(line)) => {
                line.push(frame.at(x, low));
                if group > 1 {
                    line.push(frame.at(x, high));
                }
            }
            _ => lines.push(Vec::new()),
        }
    }
    lines.retain(|line| !line.is_empty());
    lines
}

#[expect(clippy::cast_precision_loss, reason = "positions in a picture")]
fn histogram(scene: &mut Scene, series: &[Series], bounds: (f64, f64), counts: &[Vec<u64>]) {
    let top = scene.legend(&series.iter().map(|series| series.name.clone()).collect::<Vec<_>>());
    let most = counts.iter().flatten().copied().max().unwrap_or(0).max(1);
    let across = (bounds, series.first().map_or(Scale::Numbers, Series::scale));
    let up = ((0.0, most as f64), Scale::Integers);
    let frame = scene.frame(scene.below(top), across, up, false);
    let opacity = if series.len() > 1 { 0.5 } else { 0.9 };
    for (counts, color) in counts.iter().zip(COLORS) {
        let step = frame.area.width / counts.len().max(1) as f64;
        for (bin, &count) in counts.iter().enumerate().filter(|(_, count)| **count > 0) {
            let (_, top) = frame.at(0.0, count as f64);
            let (x, height) = (frame.area.x + step * bin as f64, frame.area.bottom() - top);
            scene.area(Area { x, y: top, width: step - 1.0, height }, color, opacity);
        }
    }
}

/// Returns the range of an axis with this many rows or columns: the label of each is at its middle.
#[expect(clippy::cast_precision_loss, reason = "positions in a picture")]
fn indices(count: usize) -> (f64, f64) {
    (-0.5, count as f64 - 0.5)
}

fn heat_map(scene: &mut Scene, grid: &Grid) {
    let mut area = scene.below(52.0);
    if let Some(note) = grid.note() {
        scene.text((MARGIN, 48.0), Anchor::Start, SMALL, GRAY, note);
        area = scene.below(64.0);
    }
    let labels = bar_labels(grid, area.height);
    let widest = labels.iter().map(|(_, label)| font::width(label, SMALL)).fold(0.0, f64::max);
    let bar = Area { x: area.right() - widest - 6.0 - BAR.0, width: BAR.0, ..area };
    area.width = bar.x - BAR.1 - area.x;
    cells(scene, area, grid, grid.colors());
    // From the greatest value at the top to the least.
    let colors = (0..=255u8).rev().map(|i| grid::color(f64::from(i) / 255.0));
    let rgba = colors.flat_map(|[red, green, blue]| [red, green, blue, 255]).collect();
    scene.marks.push(Mark::Image { area: bar, pixels: Pixels { width: 1, height: 256, rgba } });
    for (y, label) in labels {
        let place = (bar.right() + 6.0, bar.bottom() - y + 4.0);
        scene.text(place, Anchor::Start, SMALL, GRAY, label);
    }
}

/// Returns the labels of the bar of colors, with their distance from its end: the least and the greatest value as they are, and round ones between
/// them.
fn bar_labels(grid: &Grid, height: f64) -> Vec<(f64, String)> {
    let Some((low, high)) = grid.range else { return Vec::new() };
    if low == high {
        return vec![(height / 2.0, short_float(low))];
    }
    let ends = [(4.0, short_float(low)), (height - 4.0, short_float(high))];
    let round = vertical((low, high), &Scale::Numbers, height).ticks.into_iter();
    let round = round.map(|tick| (tick.center, tick.label));
    round.filter(|(y, _)| (24.0..height - 24.0).contains(y)).chain(ends).collect()
}

fn image(scene: &mut Scene, grid: &Grid, white: f64) {
    let (columns, rows) = (indices(grid.columns).1 + 0.5, indices(grid.rows).1 + 0.5);
    let mut top = 52.0;
    if let Some(note) = grid.note() {
        scene.text((MARGIN, 48.0), Anchor::Start, SMALL, GRAY, note);
        top = 64.0;
    }
    // The labels of the rows are measured when the height is known; six digits always fit.
    let widest = WIDTH - 2.0 * MARGIN - 60.0;
    let scale = (widest / columns).min(IMAGE_HEIGHT / rows);
    let (width, height) = ((scale * columns).max(1.0), (scale * rows).max(1.0));
    scene.height = top + height + BOTTOM;
    let labels = vertical(indices(grid.rows), &Scale::Integers, height).ticks;
    let labels = labels.iter().map(|tick| font::width(&tick.label, SMALL)).fold(0.0, f64::max);
    let area = Area { x: MARGIN, y: top, width: width + labels + GAP, height };
    cells(scene, area, grid, grid.image(white));
}

/// Draws the cells of a matrix with the numbers of its rows and columns. Row 0 is at the top, as it is when the array is printed.
fn cells(scene: &mut Scene, area: Area, grid: &Grid, pixels: Pixels) {
    let across = (indices(grid.columns), Scale::Integers);
    let frame = scene.frame(area, across, (indices(grid.rows), Scale::Integers), true);
    scene.marks.push(Mark::Image { area: frame.area, pixels });
}

#[cfg(test)]
mod tests {
    use npy_core::dtype::{Resolution, Unit};

    use super::super::grid::Grid;
    use super::super::scene::{Area, Mark, Scene};
    use super::super::time::Clock;
    use super::super::{Picture, Series, png, svg};
    use super::scene;

    fn series(name: &str, values: impl Iterator<Item = f64>) -> Series {
        Series { name: name.into(), values: values.collect(), clock: None }
    }

    /// Returns the times from the start of a second on, this many seconds from each other.
    fn times(count: i64, seconds: i64) -> Series {
        let mut clock = Clock::new(Resolution { multiple: 1, unit: Unit::Second });
        let start = 1_706_693_377;
        let values = (0..count).map(|i| clock.since_first(start + i * seconds)).collect();
        Series { name: "time".into(), values, clock: Some(clock) }
    }

    fn line(x: Option<Series>, y: Vec<Series>) -> Picture {
        Picture::Points { x, y, stride: 1.0, is_scatter: false }
    }

    fn grid(rows: usize, columns: usize, channels: usize) -> Grid {
        let mut grid = Grid::new((rows, columns, channels), (256, 256));
        for row in 0..rows {
            grid.add(row, (0..columns * channels).map(|i| ((row * 7 + i) % 256) as f64));
        }
        grid
    }

    fn texts(scene: &Scene) -> Vec<(&str, Area)> {
        scene.marks.iter().filter_map(Mark::text_area).collect()
    }

    /// Returns one picture of each kind.
    fn all() -> Vec<Picture> {
        let wave = |name: &str| series(name, (0..500).map(|i| f64::from(i).sin() * 1e6));
        let long = "a column whose name is so long that nobody would read all of it, ".repeat(4);
        let spans = [1, 600, 86_400, 86_400 * 40];
        let mut all: Vec<Picture> =
            spans.map(|span| line(Some(times(500, span)), vec![wave("a")])).into();
        all.push(line(None, ["a", "b & <c>", &long, &long, &long, "漢字"].map(wave).into()));
        let (x, y) = (Some(wave("x")), vec![wave("y")]);
        all.push(Picture::Points { x, y, stride: 1.0, is_scatter: true });
        let counts = vec![(0..40).collect(), vec![1; 40]];
        let two = vec![wave("a"), wave("b")];
        all.push(Picture::Histogram { series: two, low: -1e-9, high: 1e-9, counts });
        all.extend([(60, 80), (3000, 7), (1, 1)].map(|(h, w)| Picture::HeatMap(grid(h, w, 1))));
        let sizes = [(60, 80), (2000, 3), (3, 2000), (1, 1)];
        all.extend(sizes.map(|(h, w)| Picture::Image(grid(h, w, 3), 255.0)));
        all
    }

    /// Guards that no text is cut at an edge, and that no two overlap.
    #[test]
    fn texts_are_in_the_picture_and_apart() {
        for picture in all() {
            let scene = scene(&picture, &"/a/long/path/to/a/file.npy".repeat(10));
            let texts = texts(&scene);
            assert!(texts.len() > 2 || matches!(picture, Picture::Image(..)), "{texts:?}");
            for (i, (text, area)) in texts.iter().enumerate() {
                let is_inside = area.x >= 0.0 && area.right() <= scene.width;
                let is_inside = is_inside && area.y >= 0.0 && area.bottom() <= scene.height;
                assert!(is_inside, "{text:?}: {area:?}");
                for (other, place) in &texts[i + 1..] {
                    let is_apart = area.right() <= place.x || place.right() <= area.x;
                    let is_apart = is_apart || area.bottom() <= place.y || place.bottom() <= area.y;
                    assert!(is_apart, "{text:?} overlaps {other:?}");
                }
            }
        }
    }

    /// Guards that what is drawn is between the axes.
    #[test]
    fn marks_are_in_the_picture() {
        for picture in all() {
            let scene = scene(&picture, "x.npy");
            let (width, height) = (scene.width, scene.height);
            for mark in &scene.marks {
                let corners = match mark {
                    Mark::Line { points, .. } => points.clone(),
                    Mark::Dots { centers, .. } => centers.clone(),
                    Mark::Area { area, .. } | Mark::Image { area, .. } => {
                        vec![(area.x, area.y), (area.right(), area.bottom())]
                    }
                    Mark::Text { .. } => Vec::new(),
                };
                let is_inside = |&(x, y): &(f64, f64)| {
                    (0.0..=width).contains(&x) && (0.0..=height).contains(&y)
                };
                assert!(corners.iter().all(is_inside), "{mark:?}");
            }
        }
    }

    #[test]
    fn a_time_axis_has_round_times() {
        let picture = line(Some(times(8, 3600)), vec![series("a", (0..8).map(f64::from))]);
        let scene = scene(&picture, "x.npy");
        let found: Vec<&str> = texts(&scene).iter().map(|(text, _)| *text).collect();
        let expected = ["2024-01-31 10:00", "11:00", "12:00", "13:00", "14:00", "15:00", "16:00"];
        assert_eq!(found[found.len() - 7..], expected);
    }

    /// Guards that each value is a point of the line, and that a missing one ends it.
    #[test]
    fn a_line_has_each_value_and_ends_at_a_gap() {
        let values = (0..100).map(|i| if i == 50 { f64::NAN } else { f64::from(i) });
        let scene = scene(&line(None, vec![series("a", values)]), "x.npy");
        let lines = scene.marks.iter().filter_map(|mark| match mark {
            Mark::Line { points, width, .. } if *width > 1.0 => Some(points.len()),
            _ => None,
        });
        assert_eq!(lines.collect::<Vec<_>>(), [50, 49]);
    }

    /// Guards that the bar of colors names the least and the greatest value of the array, and not those of the means that are drawn.
    #[test]
    fn the_bar_of_colors_names_true_values() {
        let mut grid = Grid::new((1000, 10, 1), (256, 256));
        for row in 0..1000 {
            grid.add(row, (0..10).map(|_| if row == 500 { 123.25 } else { 0.0 }));
        }
        let scene = scene(&Picture::HeatMap(grid), "x.npy");
        let found: Vec<&str> = texts(&scene).iter().map(|(text, _)| *text).collect();
        assert!(found.contains(&"123.25") && found.contains(&"0.0"), "{found:?}");
        assert!(found.contains(&"a cell is the mean of 3.9 × 1 values"), "{found:?}");
    }

    /// Guards that a heat map is one image, and that its file is small.
    #[test]
    fn a_heat_map_is_one_image() {
        let scene = scene(&Picture::HeatMap(grid(60, 80, 1)), "x.npy");
        let svg = svg::text(&scene);
        assert_eq!(svg.matches("<image ").count(), 2, "the cells, and the bar of colors");
        assert!(svg.len() < 30_000, "{} bytes", svg.len());
    }

    /// Guards that PNG has the same marks: the colors of an image are at their places.
    #[test]
    fn a_png_has_the_pixels_of_an_image() {
        let mut grid = Grid::new((2, 2, 3), (256, 256));
        grid.add(0, [255.0, 0.0, 0.0, 0.0, 255.0, 0.0].into_iter());
        grid.add(1, [0.0, 0.0, 255.0, 10.0, 20.0, 30.0].into_iter());
        let scene = scene(&Picture::Image(grid, 255.0), "x.npy");
        let image = scene.marks.iter().find_map(|mark| match mark {
            Mark::Image { area, .. } => Some(*area),
            _ => None,
        });
        let area = image.unwrap();
        let map = tiny_skia::Pixmap::decode_png(&png::bytes(&scene).unwrap()).unwrap();
        assert_eq!(
            (f64::from(map.width()), f64::from(map.height())),
            (2.0 * scene.width, (2.0 * scene.height).ceil())
        );
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
        // The position of a pixel.
        let at = |x: f64, y: f64| {
            let (x, y) = (area.x + x * area.width, area.y + y * area.height);
            let color = map.pixel((2.0 * x) as u32, (2.0 * y) as u32).unwrap();
            [color.red(), color.green(), color.blue()]
        };
        assert_eq!([at(0.25, 0.25), at(0.75, 0.25)], [[255, 0, 0], [0, 255, 0]]);
        assert_eq!([at(0.25, 0.75), at(0.75, 0.75)], [[0, 0, 255], [10, 20, 30]]);
        // The title is drawn, too, in a font that is part of the command.
        let title = (0..60).flat_map(|y| (0..200).map(move |x| (x, y)));
        let dark = title.filter(|&(x, y)| map.pixel(x, y).unwrap().red() < 100).count();
        assert!(dark > 100, "{dark} dark pixels");
    }

    #[test]
    fn text_of_a_file_does_not_become_elements() {
        let picture = line(None, vec![series("<b>&\u{1b}", (0..3).map(f64::from))]);
        let svg = svg::text(&scene(&picture, "\"<script>\""));
        assert!(svg.contains("&lt;b&gt;&amp;") && !svg.contains("<script"), "{svg}");
        assert!(!svg.contains('\u{1b}'), "{svg}");
    }
}
