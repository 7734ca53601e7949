//! A picture as marks: lines, areas, texts and images at their positions. `svg.rs` and `png.rs` write the same marks.

use super::font;
use super::grid::Pixels;

pub(crate) type Color = [u8; 3];

/// A picture that grows by marks. The origin is at the upper left.
#[derive(Debug)]
pub(crate) struct Scene {
    pub(crate) width: f64,
    pub(crate) height: f64,
    pub(crate) marks: Vec<Mark>,
}

#[derive(Debug, PartialEq)]
pub(crate) enum Mark {
    Line {
        points: Vec<(f64, f64)>,
        color: Color,
        width: f64,
    },
    Area {
        area: Area,
        color: Color,
        opacity: f64,
    },
    Dots {
        centers: Vec<(f64, f64)>,
        color: Color,
    },
    /// The middle of the text is at `x`, or its start, or its end; `y` is its baseline.
    Text {
        x: f64,
        y: f64,
        anchor: Anchor,
        size: f64,
        color: Color,
        text: String,
    },
    Image {
        area: Area,
        pixels: Pixels,
    },
}

/// A rectangle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Area {
    pub(crate) x: f64,
    pub(crate) y: f64,
    pub(crate) width: f64,
    pub(crate) height: f64,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Anchor {
    Start,
    Middle,
    End,
}

/// The radius of a dot, and its opacity: where dots overlap, they are darker.
pub(crate) const DOT: (f64, f64) = (2.5, 0.6);

impl Area {
    pub(crate) fn right(&self) -> f64 {
        self.x + self.width
    }

    pub(crate) fn bottom(&self) -> f64 {
        self.y + self.height
    }
}

impl Anchor {
    /// Returns the part of a text that is before its position.
    pub(crate) fn before(self) -> f64 {
        match self {
            Anchor::Start => 0.0,
            Anchor::Middle => 0.5,
            Anchor::End => 1.0,
        }
    }
}

impl Area {
    /// Returns true if each pixel of an image in this area is seen as such, and is not to be smoothed.
    pub(crate) fn magnifies(&self, pixels: &Pixels) -> bool {
        #[expect(clippy::cast_precision_loss, reason = "a few pixels")]
        let width = pixels.width as f64;
        self.width >= 2.0 * width
    }
}

impl Mark {
    /// Returns the area that a text takes in the font of the pictures.
    #[cfg(test)]
    pub(crate) fn text_area(&self) -> Option<(&str, Area)> {
        let Mark::Text { x, y, anchor, size, text, .. } = self else { return None };
        let width = font::width(text, *size);
        let area = Area { x: x - anchor.before() * width, y: y - size * 0.8, width, height: *size };
        Some((text, area))
    }
}

/// Returns the text cut to a width, with an ellipsis. A name in a file may have any length.
pub(crate) fn cut(text: &str, size: f64, width: f64) -> String {
    let mut wide = 0.0;
    // The end of the part that has room for an ellipsis after it.
    let mut end = 0;
    for (at, c) in text.char_indices() {
        if wide + font::width("…", size) <= width {
            end = at;
        }
        wide += font::width(c.encode_utf8(&mut [0; 4]), size);
        if wide > width {
            return format!("{}…", text.get(..end).unwrap_or_default());
        }
    }
    text.to_owned()
}
