//! The report of the measurements: a table and a chart.

pub(crate) mod chart;
pub(crate) mod sizes;
pub(crate) mod table;

use crate::contest::Who;

/// Formats a ratio with its significant digits.
fn ratio(value: f64) -> String {
    match value {
        ..0.1 => format!("{value:.3}"),
        ..10.0 => format!("{value:.2}"),
        _ => format!("{value:.0}"),
    }
}

/// Marks a figure of this library that misses its goal.
pub(crate) const MISSED: &str = " ✗";

/// The names of the contenders that have their own column.
const COLUMNS: [(Who, &str); 5] = [
    (Who::Ours, "npy-core"),
    (Who::OursTwice, "2 threads"),
    (Who::NumPy, "NumPy"),
    (Who::Npyz, "npyz"),
    (Who::NdarrayNpy, "ndarray-npy"),
];
