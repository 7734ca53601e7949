//! The tables, in Markdown.

use std::fmt::Write;

use super::{COLUMNS, ratio};
use crate::contest::{Measured, Outcome, Who};

/// Marks a figure of this library that misses its goal.
const MISSED: &str = " ✗";

/// Returns the tables of times and of peak memory, with a description of the machine.
pub(crate) fn of(outcomes: &[Outcome], machine: &str) -> String {
    let mut text = String::new();
    let names: String = COLUMNS.map(|(_, name)| format!(" {name} |")).concat();
    let rule = "---|".repeat(COLUMNS.len());
    writeln!(text, "| | time relative to a loop by hand | by hand |{names} to reach (2 threads) |")
        .unwrap();
    writeln!(text, "|---|---|---|{rule}---|").unwrap();
    for outcome in outcomes {
        let (id, work, floor) = (outcome.id, outcome.work, seconds(outcome.floor.0));
        write!(text, "| {id} | {work} | {floor} |").unwrap();
        for (who, _) in COLUMNS {
            write!(text, " {} |", outcome.of(who).map_or("–".into(), |it| shown(outcome, it)))
                .unwrap();
        }
        let two = outcome.goal.two.map(|two| format!(" (≤ {two:.2})"));
        let one = ratio(outcome.goal.one);
        writeln!(text, " ≤ {one}{} |", two.unwrap_or_default()).unwrap();
    }
    writeln!(text, "\nMedians of the ratios of each round;{MISSED} misses its goal.").unwrap();
    let others: Vec<_> = outcomes.iter().flat_map(others).collect();
    if !others.is_empty() {
        writeln!(text, "Other ways: {}.", others.join("; ")).unwrap();
    }
    writeln!(text, "\n| | memory on top of the input, MB | by hand |{names}").unwrap();
    writeln!(text, "|---|---|---|{rule}").unwrap();
    for outcome in outcomes {
        let (id, work) = (outcome.id, outcome.work);
        write!(text, "| {id} | {work} | {} |", megabytes(outcome.floor.1)).unwrap();
        for (who, _) in COLUMNS {
            let peak = outcome.of(who).map_or("–".into(), |it| megabytes(it.peak));
            write!(text, " {peak} |").unwrap();
        }
        text.push('\n');
    }
    writeln!(text, "\n{machine}.").unwrap();
    text
}

fn shown(outcome: &Outcome, result: &Measured) -> String {
    let mark = if outcome.goal.is_missed(result) { MISSED } else { "" };
    format!("{}{mark}", ratio(result.ratio))
}

fn others(outcome: &Outcome) -> impl Iterator<Item = String> {
    outcome.results.iter().filter_map(|result| {
        let Who::Other(how) = result.who else { return None };
        Some(format!("{} {how} {}", outcome.id, ratio(result.ratio)))
    })
}

fn seconds(value: f64) -> String {
    match value {
        ..1e-3 => format!("{:.1} µs", value * 1e6),
        ..1e-2 => format!("{:.1} ms", value * 1e3),
        ..1.0 => format!("{:.0} ms", value * 1e3),
        _ => format!("{value:.2} s"),
    }
}

#[expect(clippy::cast_precision_loss)] // It is rounded anyway.
fn megabytes(bytes: Option<u64>) -> String {
    bytes.map_or("?".into(), |bytes| format!("{:.1}", bytes as f64 / 1e6))
}
