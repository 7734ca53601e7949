//! The tables, in Markdown.

use std::fmt::Write;

use super::{COLUMNS, MISSED, ratio};
use crate::contest::{Measured, Outcome, Who};

/// Returns the tables for the engineers of this library: names of workloads, goals, and other ways to do the work.
pub(crate) fn with_goals(outcomes: &[Outcome], machine: &str) -> String {
    let mut text = String::new();
    let (names, rule) = columns();
    writeln!(text, "| | time relative to a loop by hand | by hand |{names} to reach (2 threads) |")
        .unwrap();
    writeln!(text, "|---|---|---|{rule}---|").unwrap();
    for outcome in outcomes {
        let two = outcome.goal.two.map(|two| format!(" (≤ {two:.2})"));
        let one = ratio(outcome.goal.one);
        let row = times(outcome, |result| if outcome.goal.is_missed(result) { MISSED } else { "" });
        writeln!(text, "| {} {row} ≤ {one}{} |", outcome.id, two.unwrap_or_default()).unwrap();
    }
    writeln!(text, "\nMedians of the ratios of each round;{MISSED} misses its goal.").unwrap();
    let others: Vec<_> = outcomes.iter().flat_map(others).collect();
    if !others.is_empty() {
        writeln!(text, "Other ways: {}.", others.join("; ")).unwrap();
    }
    text + &memory_and_machine(outcomes, machine)
}

/// Returns the tables for users.
pub(crate) fn for_docs(outcomes: &[Outcome], machine: &str) -> String {
    let mut text = String::new();
    let (names, rule) = columns();
    writeln!(text, "| time relative to a loop by hand | by hand |{names}").unwrap();
    writeln!(text, "|---|---|{rule}").unwrap();
    for outcome in outcomes {
        writeln!(text, "{}", times(outcome, |_| "")).unwrap();
    }
    text + &memory_and_machine(outcomes, machine)
}

/// Returns the names of the contenders, and the line below them.
fn columns() -> (String, String) {
    (COLUMNS.map(|(_, name)| format!(" {name} |")).concat(), "---|".repeat(COLUMNS.len()))
}

/// Returns the cells of the work, the time by hand and the ratios, each ratio with its mark.
fn times(outcome: &Outcome, mark: impl Fn(&Measured) -> &'static str) -> String {
    let mut row = format!("| {} | {} |", outcome.work, seconds(outcome.floor.0));
    for (who, _) in COLUMNS {
        let cell = outcome
            .of(who)
            .map_or("–".into(), |result| format!("{}{}", ratio(result.ratio), mark(result)));
        write!(row, " {cell} |").unwrap();
    }
    row
}

fn memory_and_machine(outcomes: &[Outcome], machine: &str) -> String {
    let mut text = String::new();
    let (names, rule) = columns();
    writeln!(text, "\n| memory on top of the input, MB | by hand |{names}").unwrap();
    writeln!(text, "|---|---|{rule}").unwrap();
    for outcome in outcomes {
        write!(text, "| {} | {} |", outcome.work, megabytes(outcome.floor.1)).unwrap();
        for (who, _) in COLUMNS {
            let peak = outcome.of(who).map_or("–".into(), |it| megabytes(it.peak));
            write!(text, " {peak} |").unwrap();
        }
        text.push('\n');
    }
    writeln!(text, "\n{machine}.").unwrap();
    text
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
