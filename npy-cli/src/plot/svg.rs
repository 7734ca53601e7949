//! Pictures as SVG.

use std::fmt::Write;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::png;
use super::scene::{Anchor, Area, Color, DOT, Mark, Scene};

/// Returns the picture as a complete SVG file.
pub(crate) fn text(scene: &Scene) -> String {
    let Scene { width, height, marks } = scene;
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" height=\"{height}\" font-family=\"system-ui, 'DejaVu Sans', sans-serif\">\n<rect width=\"{width}\" height=\"{height}\" rx=\"6\" fill=\"#ffffff\"/>\n"
    );
    for mark in marks {
        // A `String` takes everything.
        let _ = write_mark(mark, &mut out);
    }
    out.push_str("</svg>\n");
    out
}

fn write_mark(mark: &Mark, out: &mut String) -> std::fmt::Result {
    match mark {
        Mark::Line { points, color, width } => {
            write!(out, "<path d=\"")?;
            for (i, (x, y)) in points.iter().enumerate() {
                let command = if i == 0 { 'M' } else { 'L' };
                write!(out, "{command}{x:.1} {y:.1}")?;
            }
            let color = hex(*color);
            writeln!(
                out,
                "\" fill=\"none\" stroke=\"{color}\" stroke-width=\"{width}\" stroke-linejoin=\"round\" stroke-linecap=\"round\"/>"
            )
        }
        Mark::Area { area, color, opacity } => {
            let (area, color) = (attributes(area), hex(*color));
            writeln!(out, "<rect {area} fill=\"{color}\" fill-opacity=\"{opacity}\"/>")
        }
        Mark::Dots { centers, color } => {
            let (radius, opacity) = DOT;
            writeln!(out, "<g fill=\"{}\" fill-opacity=\"{opacity}\">", hex(*color))?;
            for (x, y) in centers {
                writeln!(out, "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{radius}\"/>")?;
            }
            writeln!(out, "</g>")
        }
        Mark::Text { x, y, anchor, size, color, text } => {
            let anchor = match anchor {
                Anchor::Start => "start",
                Anchor::Middle => "middle",
                Anchor::End => "end",
            };
            let (color, text) = (hex(*color), escaped(text));
            writeln!(
                out,
                "<text x=\"{x:.1}\" y=\"{y:.1}\" font-size=\"{size}\" text-anchor=\"{anchor}\" fill=\"{color}\">{text}</text>"
            )
        }
        Mark::Image { area, pixels } => {
            let style =
                if area.magnifies(pixels) { " style=\"image-rendering:pixelated\"" } else { "" };
            // The picture is in memory, and its size is limited; so it is always written.
            let png = png::of_pixels(pixels).map(|png| STANDARD.encode(png)).unwrap_or_default();
            let area = attributes(area);
            writeln!(
                out,
                "<image {area} preserveAspectRatio=\"none\"{style} href=\"data:image/png;base64,{png}\"/>"
            )
        }
    }
}

fn attributes(Area { x, y, width, height }: &Area) -> String {
    format!("x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{height:.1}\"")
}

fn hex([red, green, blue]: Color) -> String {
    format!("#{red:02x}{green:02x}{blue:02x}")
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
