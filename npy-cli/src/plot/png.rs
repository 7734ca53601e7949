//! Pictures as PNG.

use tiny_skia::{
    Color as Paper, ColorU8, FillRule, FilterQuality, LineCap, LineJoin, Paint, Path, PathBuilder,
    Pixmap, PixmapPaint, Rect, Stroke, Transform,
};

use super::font;
use super::grid::Pixels;
use super::scene::{Area, Color, DOT, Mark, Scene};

/// The pixels of a unit of the scene, so that the picture is sharp on screens of today, too.
const SCALE: f32 = 2.0;

/// Returns the picture as a PNG file.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "sizes of a picture")]
pub(crate) fn bytes(scene: &Scene) -> Result<Vec<u8>, String> {
    let pixels = |size: f64| (size as f32 * SCALE).ceil() as u32;
    let (width, height) = (pixels(scene.width), pixels(scene.height));
    let mut map = Pixmap::new(width, height)
        .ok_or_else(|| format!("a picture of {width} × {height} pixels is too large"))?;
    map.fill(Paper::WHITE);
    for mark in &scene.marks {
        draw(mark, &mut map);
    }
    map.encode_png().map_err(|error| error.to_string())
}

/// Returns pixels as a PNG file.
pub(crate) fn of_pixels(pixels: &Pixels) -> Option<Vec<u8>> {
    map_of(pixels)?.encode_png().ok()
}

/// Draws a mark. One whose position is not finite is not seen.
fn draw(mark: &Mark, map: &mut Pixmap) {
    let scale = Transform::from_scale(SCALE, SCALE);
    let mut fill = |path: Option<Path>, color: Color, opacity: f64| {
        if let Some(path) = path {
            map.fill_path(&path, &paint(color, opacity), FillRule::Winding, scale, None);
        }
    };
    match mark {
        Mark::Line { points, color, width } => {
            let mut path = PathBuilder::new();
            for (i, &point) in points.iter().enumerate() {
                let (x, y) = at(point);
                if i == 0 { path.move_to(x, y) } else { path.line_to(x, y) }
            }
            let stroke = Stroke {
                width: narrow(*width),
                line_cap: LineCap::Round,
                line_join: LineJoin::Round,
                ..Stroke::default()
            };
            if let Some(path) = path.finish() {
                map.stroke_path(&path, &paint(*color, 1.0), &stroke, scale, None);
            }
        }
        Mark::Area { area, color, opacity } => {
            fill(rect(area).map(PathBuilder::from_rect), *color, *opacity);
        }
        Mark::Dots { centers, color } => {
            for &center in centers {
                let (x, y) = at(center);
                fill(PathBuilder::from_circle(x, y, narrow(DOT.0)), *color, DOT.1);
            }
        }
        Mark::Text { x, y, anchor, size, color, text } => {
            let start = x - anchor.before() * font::width(text, *size);
            fill(font::outline(text, *size, (start, *y)), *color, 1.0);
        }
        Mark::Image { area, pixels } => {
            let (Some(image), Some(area)) = (map_of(pixels), rect(area)) else { return };
            let quality = match area.width() >= image.width() as f32 {
                true => FilterQuality::Nearest,
                false => FilterQuality::Bilinear,
            };
            let (across, down) =
                (area.width() / image.width() as f32, area.height() / image.height() as f32);
            let place = Transform::from_row(across, 0.0, 0.0, down, area.left(), area.top());
            let paint = PixmapPaint { quality, ..PixmapPaint::default() };
            map.draw_pixmap(0, 0, image.as_ref(), &paint, place.post_concat(scale), None);
        }
    }
}

fn paint(color: Color, opacity: f64) -> Paint<'static> {
    let [red, green, blue] = color;
    let mut paint = Paint::default();
    paint.set_color(Paper::from_rgba8(red, green, blue, alpha(opacity)));
    paint
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a byte")]
fn alpha(opacity: f64) -> u8 {
    (opacity * 255.0).round() as u8
}

#[expect(clippy::cast_possible_truncation, reason = "positions in a picture")]
fn narrow(value: f64) -> f32 {
    value as f32
}

fn at((x, y): (f64, f64)) -> (f32, f32) {
    (narrow(x), narrow(y))
}

fn rect(area: &Area) -> Option<Rect> {
    Rect::from_xywh(narrow(area.x), narrow(area.y), narrow(area.width), narrow(area.height))
}

fn map_of(pixels: &Pixels) -> Option<Pixmap> {
    let size = |size: usize| u32::try_from(size).ok();
    let mut map = Pixmap::new(size(pixels.width)?, size(pixels.height)?)?;
    let colors = pixels.rgba.as_chunks::<4>().0;
    for (pixel, &[red, green, blue, alpha]) in map.pixels_mut().iter_mut().zip(colors) {
        *pixel = ColorU8::from_rgba(red, green, blue, alpha).premultiply();
    }
    Some(map)
}
