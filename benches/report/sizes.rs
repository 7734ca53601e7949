//! The table of sizes, in Markdown.

use std::fmt::Write;

use super::ratio;
use crate::sizes::Row;

/// Returns the table with a mark on each size that misses its goal.
pub(crate) fn table(rows: &[Row], missed: &str) -> String {
    let mut text = String::from(
        "\n| 8 MiB, deflated | level | size without seek index, of raw | with one each MiB | growth | NumPy | time to write | time to read ten rows in the middle |\n|---|---|---|---|---|---|---|---|\n",
    );
    for row in rows {
        let growth = (row.ours / row.without_chunks - 1.0) * 100.0;
        let mark = if row.is_missed() { missed } else { "" };
        let numpy = row.numpy.map_or("–".into(), percent);
        writeln!(
            text,
            "| {} | {} | {} | {}{mark} | {growth:.2} % | {numpy} | {} | {} |",
            row.kind,
            row.level,
            percent(row.without_chunks),
            percent(row.ours),
            ratio(row.write),
            ratio(row.slice),
        )
        .unwrap();
    }
    text += "\nThe times are relative to those without a seek index: zlib-rs of one member as a whole, and inflating it from its start.\n";
    text
}

fn percent(value: f64) -> String {
    format!("{:.2} %", value * 100.0)
}
