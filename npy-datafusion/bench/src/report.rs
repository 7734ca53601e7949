//! Medians, ratios and goals.

use std::collections::HashMap;

use crate::{Query, Result};

/// The CPU times of all rounds.
pub(crate) struct Report {
    names: [&'static str; 4],
    times: HashMap<(&'static str, usize), Vec<f64>>,
}

impl Report {
    pub(crate) fn new(names: [&'static str; 4]) -> Self {
        Report { names, times: HashMap::new() }
    }

    pub(crate) fn add(&mut self, query: &Query, contender: usize, cpu: f64) {
        self.times.entry((query.name, contender)).or_default().push(cpu);
    }

    /// Prints a table of medians, and of the medians of the ratios of each round. ✗ marks a goal that is missed.
    pub(crate) fn print(&self, queries: &[Query]) {
        println!("| query | {} | npy / Parquet | npy / NumPy |", self.names.join(" | "));
        println!("|---|---|---|---|---|---|---|");
        for query in queries {
            let times = |contender| self.times.get(&(query.name, contender)).map_or(&[][..], |t| t);
            let medians: Vec<String> =
                (0..4).map(|contender| format!("{:.1}", median(times(contender)))).collect();
            let ratio = |contender, goal: Option<f64>| {
                let ratios = times(0).iter().zip(times(contender)).map(|(npy, other)| npy / other);
                let ratio = median(&ratios.collect::<Vec<_>>());
                let mark = if goal.is_some_and(|goal| ratio > 1.2 * goal) { " ✗" } else { "" };
                format!("{ratio:.2}{mark}")
            };
            let [parquet, numpy] = query.goals;
            let (parquet, numpy) = (ratio(1, parquet), ratio(3, numpy));
            println!("| `{}` | {} | {parquet} | {numpy} |", query.sql, medians.join(" | "));
        }
    }
}

/// Returns an error if two contenders have different results.
pub(crate) fn compare(query: &Query, sums: &[f64]) -> Result<()> {
    let first = sums.first().copied().unwrap_or_default();
    // Floats are added in another order.
    match sums.iter().all(|sum| (sum - first).abs() <= first.abs() * 1e-9) {
        true => Ok(()),
        false => Err(format!("{}: the results differ: {sums:?}", query.name).into()),
    }
}

pub(crate) fn median(times: &[f64]) -> f64 {
    let mut times = times.to_vec();
    times.sort_by(f64::total_cmp);
    times.get(times.len() / 2).copied().unwrap_or(f64::NAN)
}
