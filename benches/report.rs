//! What was measured, as text: a table and a chart.

pub(crate) mod chart;
pub(crate) mod table;

use crate::contest::Who;

/// A ratio with the digits that say something.
fn ratio(value: f64) -> String {
    match value {
        ..0.1 => format!("{value:.3}"),
        ..10.0 => format!("{value:.2}"),
        _ => format!("{value:.0}"),
    }
}

/// The names of the contenders that have a column of their own.
const COLUMNS: [(Who, &str); 5] = [
    (Who::Ours, "npy-core"),
    (Who::OursTwice, "2 threads"),
    (Who::NumPy, "NumPy"),
    (Who::Npyz, "npyz"),
    (Who::NdarrayNpy, "ndarray-npy"),
];
