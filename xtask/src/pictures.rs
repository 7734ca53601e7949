//! `cargo xtask pictures`: draws the pictures of the guide and the README. A test holds them to what is committed.

use std::fmt::Write;
use std::fs;
use std::path::PathBuf;

use crate::{Result, root};

const INK: &str = "#1f2328";
const GRAY: &str = "#59636e";
/// The colors of the fields and boxes, light enough for text.
const FILLS: [&str; 4] = ["#cfe8ff", "#ffe3b3", "#d5f0d0", "#f3d6ea"];
const PAPER: &str = "#f6f8fa";

/// Draws each picture and writes it.
pub(crate) fn run() -> Result {
    for (path, picture) in all() {
        fs::write(path, picture)?;
    }
    Ok(())
}

fn all() -> [(PathBuf, String); 3] {
    let at = |name: &str| root().join("npy-core/src/_guide").join(name);
    [(at("record.svg"), record()), (at("archive.svg"), archive()), (at("read.svg"), read())]
}

/// A picture that grows by texts and boxes.
struct Picture {
    size: (u32, u32),
    body: String,
}

impl Picture {
    fn new(width: u32, height: u32) -> Self {
        Picture { size: (width, height), body: String::new() }
    }

    fn text(&mut self, x: f64, y: f64, style: &str, text: &str) {
        let text = text.replace('&', "&amp;").replace('<', "&lt;");
        writeln!(
            self.body,
            "<text x=\"{x}\" y=\"{y}\" xml:space=\"preserve\"{style}>{text}</text>"
        )
        .unwrap();
    }

    fn area(&mut self, x: f64, y: f64, width: f64, height: f64, fill: &str) {
        writeln!(
            self.body,
            "<rect x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" rx=\"3\" fill=\"{fill}\" stroke=\"#afb8c1\"/>"
        )
        .unwrap();
    }

    /// A box with a title and lines below it.
    fn labeled(&mut self, x: f64, y: f64, width: f64, fill: &str, lines: &[&str]) {
        self.area(x, y, width, 14.0 + 17.0 * count(lines.len()), fill);
        for (n, line) in lines.iter().enumerate() {
            let style = if n == 0 { TITLE } else { SMALL };
            self.text(x + 10.0, y + 21.0 + 17.0 * count(n), style, line);
        }
    }

    fn arrow(&mut self, from: (f64, f64), to: (f64, f64)) {
        writeln!(
            self.body,
            "<line x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\" stroke=\"{GRAY}\" stroke-width=\"1.5\" marker-end=\"url(#head)\"/>",
            from.0, from.1, to.0, to.1
        )
        .unwrap();
    }

    fn finish(self) -> String {
        let (width, height) = self.size;
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" height=\"{height}\" font-family=\"system-ui, 'DejaVu Sans', sans-serif\" font-size=\"12.5\" fill=\"{INK}\">\n<defs><marker id=\"head\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"7\" markerHeight=\"7\" orient=\"auto\"><path d=\"M0 0L8 4L0 8z\" fill=\"{GRAY}\"/></marker></defs>\n<rect width=\"{width}\" height=\"{height}\" rx=\"6\" fill=\"#ffffff\"/>\n{}</svg>\n",
            self.body
        )
    }
}

const CODE: &str = " font-family=\"ui-monospace, 'DejaVu Sans Mono', monospace\"";
const TITLE: &str = " font-weight=\"600\"";
const SMALL: &str = " font-size=\"11.5\" fill=\"#59636e\"";
const BYTE: &str = " font-family=\"ui-monospace, 'DejaVu Sans Mono', monospace\" font-size=\"10.5\" text-anchor=\"middle\"";
const OFFSET: &str = " font-size=\"10.5\" fill=\"#59636e\" text-anchor=\"middle\"";

#[expect(clippy::cast_precision_loss)] // A few lines of text.
fn count(n: usize) -> f64 {
    n as f64
}

/// A struct, its dtype, and the bytes of one record.
fn record() -> String {
    let mut picture = Picture::new(800, 286);
    let fields: [(&str, &str, Vec<u8>); 4] = [
        ("station: u32,", "('station', '<u4')", 7u32.to_le_bytes().to_vec()),
        ("start: i64,", "('t0', '<i8')", 1_700_000_000i64.to_le_bytes().to_vec()),
        ("gain: f32,", "('gain', '<f4')", 1.5f32.to_le_bytes().to_vec()),
        (
            "samples: [f32; 4],",
            "('samples', '<f4', (4,))",
            [0.0f32, 0.5, -1.0, 2.0].iter().flat_map(|sample| sample.to_le_bytes()).collect(),
        ),
    ];
    picture.text(20.0, 28.0, TITLE, "Rust");
    picture.text(430.0, 28.0, TITLE, "NumPy's dtype: 32 bytes, packed");
    picture.text(20.0, 52.0, CODE, "#[derive(NpyRecord)]");
    picture.text(20.0, 71.0, CODE, "struct Trace {");
    picture.text(430.0, 71.0, CODE, "[");
    let mut y = 90.0;
    let mut at = 20.0;
    let mut offset = 0;
    for ((field, descr, bytes), fill) in fields.iter().zip(FILLS) {
        let rename = if field.starts_with("start") { "#[npy(rename = \"t0\")] " } else { "" };
        picture.area(36.0, y - 14.0, 330.0, 18.0, fill);
        picture.text(42.0, y, CODE, &format!("{rename}{field}"));
        picture.area(446.0, y - 14.0, 230.0, 18.0, fill);
        picture.text(452.0, y, CODE, descr);
        picture.arrow((370.0, y - 5.0), (441.0, y - 5.0));
        let width = 23.5 * count(bytes.len());
        picture.area(at, 214.0, width, 26.0, fill);
        for (n, byte) in bytes.iter().enumerate() {
            picture.text(at + 11.75 + 23.5 * count(n), 231.0, BYTE, &format!("{byte:02x}"));
        }
        picture.text(at + 6.0, 256.0, OFFSET, &offset.to_string());
        offset += bytes.len();
        at += width;
        y += 21.0;
    }
    picture.text(20.0, y + 2.0, CODE, "}");
    picture.text(430.0, y + 2.0, CODE, "]");
    picture.text(20.0, 203.0, TITLE, "One record in the file");
    picture.text(
        200.0,
        203.0,
        SMALL,
        "station 7, start 1,700,000,000, gain 1.5, samples [0.0, 0.5, -1.0, 2.0]",
    );
    picture.text(at - 8.0, 256.0, OFFSET, &offset.to_string());
    picture.text(20.0, 276.0, SMALL, "offsets in bytes; little-endian, the lowest byte first");
    picture.finish()
}

/// The members of an archive, and the directory at its end.
fn archive() -> String {
    let mut picture = Picture::new(800, 246);
    picture.text(20.0, 28.0, TITLE, "model.npz, a zip file");
    let mut y = 44.0;
    for (name, header, data) in [
        ("weights.npy", "{'descr': '<f4', 'shape': (2, 3), …", "24 bytes of f4"),
        ("bias.npy", "{'descr': '<f4', 'shape': (3,), …", "12 bytes of f4"),
    ] {
        picture.area(20.0, y, 150.0, 42.0, PAPER);
        picture.text(30.0, y + 18.0, TITLE, name);
        picture.text(30.0, y + 34.0, SMALL, "zip's local header");
        picture.area(170.0, y, 330.0, 42.0, FILLS[0]);
        picture.text(180.0, y + 18.0, CODE, header);
        picture.text(180.0, y + 34.0, SMALL, "the header of the array, as in a .npy file");
        picture.area(500.0, y, 280.0, 42.0, FILLS[2]);
        picture.text(510.0, y + 18.0, TITLE, data);
        picture.text(510.0, y + 34.0, SMALL, "stored: bytes as in memory, so it can be mapped");
        y += 50.0;
    }
    picture.area(20.0, y, 760.0, 42.0, FILLS[1]);
    picture.text(30.0, y + 18.0, TITLE, "zip's directory");
    picture.text(
        30.0,
        y + 34.0,
        SMALL,
        "for each member: its name, method (stored or deflated), sizes, checksum, and where it starts",
    );
    picture.text(
        20.0,
        y + 68.0,
        SMALL,
        "A reader starts at the end: the directory says where each member is. So one member of many is read without the others, and",
    );
    picture.text(
        20.0,
        y + 84.0,
        SMALL,
        "from a remote store two requests are enough. Writing ends with the directory; until then the file is no archive.",
    );
    picture.finish()
}

/// The steps from a file to a vector of structs.
fn read() -> String {
    let mut picture = Picture::new(800, 250);
    picture.labeled(
        20.0,
        24.0,
        215.0,
        FILLS[0],
        &[
            "1. Header",
            "magic, version, a Python dict:",
            "dtype, order, shape",
            "checked against the limits",
        ],
    );
    picture.labeled(
        292.0,
        24.0,
        215.0,
        FILLS[1],
        &[
            "2. Plan, once a file",
            "fields are matched by name;",
            "copy, swap, convert or skip",
            "a difference is an error here",
        ],
    );
    picture.labeled(
        564.0,
        24.0,
        215.0,
        FILLS[2],
        &[
            "3. Length",
            "rows × itemsize, checked;",
            "memory grows with the data",
            "that arrives, not with claims",
        ],
    );
    picture.arrow((238.0, 65.0), (288.0, 65.0));
    picture.arrow((510.0, 65.0), (560.0, 65.0));
    picture.arrow((671.0, 110.0), (671.0, 144.0));
    picture.labeled(
        400.0,
        148.0,
        380.0,
        FILLS[3],
        &[
            "4. Blocks",
            "256 KiB are read and decoded at a time, while in the cache;",
            "large numbers of the same layout go straight into the result;",
            "with threads, each reads its own rows",
        ],
    );
    picture.arrow((396.0, 190.0), (330.0, 190.0));
    picture.labeled(
        20.0,
        148.0,
        306.0,
        PAPER,
        &["5. Vec<Trace>", "complete, or an error that names the file,", "the row and the field"],
    );
    picture.finish()
}

#[cfg(test)]
mod tests {
    use std::fs;

    /// Guards that the pictures are those that the code draws.
    #[test]
    fn pictures_are_up_to_date() {
        for (path, picture) in super::all() {
            let committed = fs::read_to_string(&path).unwrap_or_default();
            assert!(committed == picture, "{}: run `cargo xtask pictures`", path.display());
        }
    }
}
