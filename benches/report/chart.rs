//! The chart, in SVG: a line for each workload and a dot for each contender; further left is faster.

use std::fmt::Write;

use super::ratio;
use crate::contest::{Outcome, Who};

/// The contenders, each with its name, its color and the radius of its dot. This library is drawn last, over the others.
const DOTS: [(Who, &str, &str, f64); 5] = [
    (Who::NdarrayNpy, "ndarray-npy", "#e69f00", 4.5),
    (Who::Npyz, "npyz", "#cc79a7", 4.5),
    (Who::NumPy, "NumPy", "#0072b2", 4.5),
    (Who::OursTwice, "2 threads", "#ff9a98", 5.5),
    (Who::Ours, "npy-core", "#d1242f", 6.5),
];

/// The space for the longest description of a workload; a test of `npy-cli` measures `docs/bench.svg`.
const LEFT: f64 = 450.0;
const WIDTH: f64 = 540.0;
const TOP: f64 = 64.0;
const ROW: f64 = 26.0;
/// The ends of the axis.
const LEAST: f64 = 0.01;
const MOST: f64 = 200.0;

/// Returns the horizontal position of a ratio.
fn x(ratio: f64) -> f64 {
    let part = (ratio.clamp(LEAST, MOST) / LEAST).ln() / (MOST / LEAST).ln();
    LEFT + WIDTH * part
}

pub(crate) fn of(outcomes: &[Outcome], machine: &str) -> String {
    let rows: f64 = outcomes.iter().map(|_| ROW).sum();
    let bottom = TOP + rows;
    let (width, height) = (LEFT + WIDTH + 30.0, bottom + 58.0);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" height=\"{height}\" font-family=\"system-ui, 'DejaVu Sans', sans-serif\" font-size=\"12\" fill=\"#1f2328\">\n<rect width=\"{width}\" height=\"{height}\" rx=\"6\" fill=\"#ffffff\"/>\n"
    );
    legend(&mut svg);
    for tick in [0.01, 0.1, 0.5, 1.0, 2.0, 10.0, 100.0] {
        let (at, y) = (x(tick), bottom + 16.0);
        let (color, thick) = if tick == 1.0 { ("#1f2328", 1.5) } else { ("#d8dee4", 1.0) };
        writeln!(svg, "<line x1=\"{at:.1}\" x2=\"{at:.1}\" y1=\"{TOP}\" y2=\"{bottom}\" stroke=\"{color}\" stroke-width=\"{thick}\"/><text x=\"{at:.1}\" y=\"{y}\" text-anchor=\"middle\">{tick}</text>").unwrap();
    }
    for (y, outcome) in rows_at(outcomes) {
        row(&mut svg, y, outcome);
    }
    let y = bottom + 46.0;
    writeln!(
        svg,
        "<text x=\"16\" y=\"{y}\" font-size=\"9.5\" fill=\"#59636e\">{}</text>\n</svg>",
        escaped(machine)
    )
    .unwrap();
    svg
}

fn rows_at(outcomes: &[Outcome]) -> impl Iterator<Item = (f64, &Outcome)> {
    let mut y = TOP - ROW / 2.0;
    outcomes.iter().map(move |outcome| {
        y += ROW;
        (y, outcome)
    })
}

fn legend(svg: &mut String) {
    writeln!(svg, "<text x=\"16\" y=\"26\" font-size=\"14\" font-weight=\"600\">Time relative to a loop written by hand</text><text x=\"16\" y=\"44\" fill=\"#59636e\">further left is faster; the axis is logarithmic</text>").unwrap();
    let mut at = LEFT - 10.0;
    for (_, name, color, radius) in DOTS.iter().rev() {
        writeln!(svg, "<circle cx=\"{at}\" cy=\"22\" r=\"{radius}\" fill=\"{color}\"/><text x=\"{}\" y=\"26\">{name}</text>", at + 11.0).unwrap();
        at += 92.0;
    }
}

fn row(svg: &mut String, y: f64, outcome: &Outcome) {
    let (end, text) = (LEFT - 12.0, y + 4.0);
    let work = escaped(&outcome.work.replace('`', ""));
    writeln!(svg, "<line x1=\"{LEFT}\" x2=\"{}\" y1=\"{y}\" y2=\"{y}\" stroke=\"#eaeef2\"/><text x=\"{end}\" y=\"{text}\" text-anchor=\"end\" font-size=\"11.5\">{work}</text>", LEFT + WIDTH).unwrap();
    for (who, name, color, radius) in DOTS {
        if let Some(result) = outcome.of(who) {
            let (at, value) = (x(result.ratio), ratio(result.ratio));
            writeln!(svg, "<circle cx=\"{at:.1}\" cy=\"{y}\" r=\"{radius}\" fill=\"{color}\"><title>{name} {value}</title></circle>").unwrap();
        }
    }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('`', "")
}
