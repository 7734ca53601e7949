//! `cargo xtask bench`: runs the benchmark, and puts its results into docs/benchmarks.md.

use std::fs;

use crate::command::{cargo, run as run_command};
use crate::python::{target, with_numpy};
use crate::{Result, build_time, root};

/// The lines in docs/benchmarks.md before and after the table.
const MARKS: [&str; 2] = ["<!-- cargo xtask bench --docs -->\n", "<!-- end -->\n"];
const CHART: &str = "![the table below as a chart](bench.svg)\n";

/// Runs the benchmark. `--docs` puts the results into docs/benchmarks.md; `--build` measures builds instead.
pub(crate) fn run(args: &[&str]) -> Result {
    let out = target()?.join("bench");
    if let ["--build"] = args {
        return build_time::run(&out);
    }
    let is_for_docs = |arg: &&str| *arg == "--docs";
    let mut bench = cargo(&["bench", "--package", "npy-benches", "--features", "live"]);
    bench.args(["--bench", "bench", "--"]).args(args.iter().filter(|arg| !is_for_docs(arg)));
    run_command(with_numpy(bench)?.arg("--out").arg(&out))?;
    if args.iter().any(is_for_docs) {
        let page = root().join("docs/benchmarks.md");
        let table = fs::read_to_string(out.join("results.md"))?;
        fs::write(&page, with_table(&fs::read_to_string(&page)?, &table)?)?;
        fs::copy(out.join("results.svg"), root().join("docs/bench.svg"))?;
    }
    Ok(())
}

/// Returns the text with the chart and the new table between the marks.
fn with_table(page: &str, table: &str) -> Result<String> {
    let [from, to] = MARKS;
    let parts = page.split_once(from).and_then(|(before, rest)| {
        let (_, after) = rest.split_once(to)?;
        Some(format!("{before}{from}{CHART}\n{table}{to}{after}"))
    });
    parts.ok_or_else(|| format!("docs/benchmarks.md lacks the lines {from}{to}").into())
}

#[cfg(test)]
mod tests {
    use super::{CHART, with_table};

    #[test]
    fn the_table_takes_the_place_of_the_old_one() {
        let page = "a\n<!-- cargo xtask bench --docs -->\nold\n<!-- end -->\nb\n";
        let new = with_table(page, "new\n").unwrap();
        assert_eq!(new, page.replace("old", &format!("{CHART}\nnew")));
        // And that of the new one.
        assert_eq!(with_table(&new, "new\n").unwrap(), new);
        assert!(with_table("a\n", "new\n").is_err());
    }
}
