//! The font of the pictures: widths to lay them out, and outlines to draw them without a font of the system.
//!
//! It is DejaVu Sans, one of the widest fonts, so that what fits in it fits in the browser's. `font/DejaVuSans.ttf` has its Latin, Greek and
//! Cyrillic letters and the signs of mathematics, without hints; the license is beside it:
//!
//! ```sh
//! pyftsubset DejaVuSans.ttf --notdef-outline --no-hinting --layout-features='' --drop-tables+=FFTM,GDEF,GPOS,GSUB,kern,DSIG --name-IDs=0,1,2,4,5,13,14 \
//!     --unicodes=U+0020-007E,U+00A0-024F,U+0370-03FF,U+0400-045F,U+2010-2027,U+2030-203A,U+2070-2094,U+20A0-20BF,U+2190-2199,U+2200-22FF,U+FFFD
//! ```

use std::sync::LazyLock;

use tiny_skia::{Path, PathBuilder, Transform};
use ttf_parser::{Face, GlyphId, OutlineBuilder};

/// `None` only if the file in this folder is damaged, which a test would notice.
static FACE: LazyLock<Option<Face<'static>>> =
    LazyLock::new(|| Face::parse(include_bytes!("font/DejaVuSans.ttf"), 0).ok());

/// Returns the width of a text of this size.
pub(crate) fn width(text: &str, size: f64) -> f64 {
    text.chars().map(advance).sum::<f64>() * size
}

/// Returns the distance to the next character, in parts of the size. What the font does not have is as wide as it is high, as Chinese is.
fn advance(c: char) -> f64 {
    let found = FACE.as_ref().and_then(|face| {
        let width = face.glyph_hor_advance(face.glyph_index(c)?)?;
        Some(f64::from(width) / f64::from(face.units_per_em()))
    });
    found.unwrap_or(1.0)
}

/// Returns the outlines of a text that starts at this position of its baseline.
pub(crate) fn outline(text: &str, size: f64, (x, y): (f64, f64)) -> Option<Path> {
    let face = FACE.as_ref()?;
    #[expect(clippy::cast_possible_truncation, reason = "positions in a picture")]
    let transform = |x: f64| {
        let scale = (size / f64::from(face.units_per_em())) as f32;
        Transform::from_row(scale, 0.0, 0.0, -scale, x as f32, y as f32)
    };
    let mut paths = PathBuilder::new();
    let mut at = x;
    for c in text.chars() {
        let mut outline = Outline(PathBuilder::new());
        // A box for what the font does not have.
        face.outline_glyph(face.glyph_index(c).unwrap_or(GlyphId(0)), &mut outline);
        if let Some(path) = outline.0.finish().and_then(|path| path.transform(transform(at))) {
            paths.push_path(&path);
        }
        at += advance(c) * size;
    }
    paths.finish()
}

/// Makes a path of a glyph, in units of the font.
struct Outline(PathBuilder);

impl OutlineBuilder for Outline {
    fn move_to(&mut self, x: f32, y: f32) {
        self.0.move_to(x, y);
    }

    fn line_to(&mut self, x: f32, y: f32) {
        self.0.line_to(x, y);
    }

    fn quad_to(&mut self, x1: f32, y1: f32, x: f32, y: f32) {
        self.0.quad_to(x1, y1, x, y);
    }

    fn curve_to(&mut self, x1: f32, y1: f32, x2: f32, y2: f32, x: f32, y: f32) {
        self.0.cubic_to(x1, y1, x2, y2, x, y);
    }

    fn close(&mut self) {
        self.0.close();
    }
}

#[cfg(test)]
mod tests {
    use super::{outline, width};

    #[test]
    fn the_font_has_letters_of_several_alphabets() {
        for text in ["Aé", "λσ", "Дж", "×≤", "…−"] {
            let wide = width(text, 10.0);
            assert!(wide > 8.0 && wide < 20.0, "{text}: {wide}");
            let path = outline(text, 10.0, (100.0, 50.0)).unwrap();
            let bounds = path.bounds();
            assert!(
                bounds.left() >= 99.0 && f64::from(bounds.right()) <= 101.0 + wide,
                "{bounds:?}"
            );
            assert!(bounds.top() > 38.0 && bounds.bottom() < 54.0, "{bounds:?}");
        }
        assert_eq!(width("漢", 10.0), 10.0);
    }

    /// Returns an attribute of the start of an element.
    fn attribute<'a>(element: &'a str, name: &str) -> Option<&'a str> {
        let value = element.split_once(&format!(" {name}=\""))?.1;
        Some(value.split_once('"')?.0)
    }

    fn numbers<const N: usize>(element: &str, names: [&str; N]) -> [f64; N] {
        names.map(|name| attribute(element, name).and_then(|text| text.parse().ok()).unwrap_or(0.0))
    }

    /// Guards that no text of the documentation's pictures is cut at an edge, or leaves its box.
    #[test]
    fn texts_of_the_documentation_are_in_their_boxes() {
        for name in [
            "docs/bench",
            "npy-core/src/_guide/archive",
            "npy-core/src/_guide/read",
            "npy-core/src/_guide/record",
            "npy-core/src/_guide/seek",
        ] {
            let path = format!("{}/../{name}.svg", env!("CARGO_MANIFEST_DIR"));
            let svg = std::fs::read_to_string(path).unwrap();
            let [page, page_size] = numbers(&svg, ["width", "font-size"]);
            let boxes: Vec<[f64; 4]> = svg
                .split("<rect ")
                .map(|element| numbers(&format!(" {element}"), ["x", "y", "width", "height"]))
                .collect();
            for element in svg.split("<text").skip(1) {
                let text = element.split_once('>').unwrap().1.split_once('<').unwrap().0;
                let text = text.replace("&lt;", "<").replace("&amp;", "&");
                let [x, y] = numbers(element, ["x", "y"]);
                let size =
                    attribute(element, "font-size").map_or(page_size, |size| size.parse().unwrap());
                let wide = match element.contains("monospace") {
                    true => 0.602 * size * text.chars().count() as f64,
                    // The bold font is wider by less than an eighth.
                    false if element.contains("font-weight") => width(&text, size) * 1.125,
                    false => width(&text, size),
                };
                let start = match attribute(element, "text-anchor") {
                    Some("end") => x - wide,
                    Some("middle") => x - wide / 2.0,
                    _ => x,
                };
                let inside = boxes.iter().filter(|[left, top, width, height]| {
                    (*left..left + width).contains(&x) && (*top..top + height).contains(&y)
                });
                let edge = inside.map(|[left, _, width, _]| left + width).fold(page, f64::min);
                assert!(
                    start >= 4.0 && start + wide <= edge - 2.0,
                    "{name}: {text:?}: {start} + {wide}"
                );
            }
        }
    }
}
