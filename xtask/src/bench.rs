//! `cargo xtask bench`: runs the benchmark, and puts its results into docs/benchmarks.md.

use std::fs;

use crate::command::{cargo, run as run_command};
use crate::python::{target, with_numpy};
use crate::{Result, marked, root};

/// The lines in docs/benchmarks.md before and after the table.
const MARKS: [&str; 2] = ["<!-- cargo xtask bench --docs -->\n", "<!-- end -->\n"];
const CHART: &str = "![the table below as a chart](bench.svg)\n";

/// Runs the benchmark. `--docs` puts the results into docs/benchmarks.md.
pub(crate) fn run(args: &[&str]) -> Result {
    let out = target()?.join("bench");
    let is_for_docs = |arg: &&str| *arg == "--docs";
    let mut bench = cargo(&["bench", "--package", "npy-benches", "--features", "live"]);
    bench.args(["--bench", "bench", "--"]).args(args.iter().filter(|arg| !is_for_docs(arg)));
    run_command(with_numpy(bench)?.arg("--out").arg(&out))?;
    if args.iter().any(is_for_docs) {
        let table = fs::read_to_string(out.join("results.md"))?;
        let page = root().join("docs/benchmarks.md");
        marked::replace(&page, MARKS, &format!("{CHART}\n{table}"))?;
        fs::copy(out.join("results.svg"), root().join("docs/bench.svg"))?;
    }
    Ok(())
}
