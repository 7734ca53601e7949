//! `cargo xtask bench`: runs the benchmark, and puts its results into the README.

use std::fs;

use crate::command::{cargo, run as run_command};
use crate::python::{target, with_numpy};
use crate::{Result, build_time, root};

/// The lines in the README before and after the table.
const MARKS: [&str; 2] = ["<!-- cargo xtask bench --readme -->\n", "<!-- end -->\n"];
const CHART: &str = "![the table below as a chart](docs/bench.svg)\n";

/// Runs the benchmark. `--readme` puts the results into the README; `--build` measures builds instead.
pub(crate) fn run(args: &[&str]) -> Result {
    let out = target()?.join("bench");
    if let ["--build"] = args {
        return build_time::run(&out);
    }
    let is_for_readme = |arg: &&str| *arg == "--readme";
    let mut bench = cargo(&["bench", "--package", "npy-benches", "--features", "live"]);
    bench.args(["--bench", "bench", "--"]).args(args.iter().filter(|arg| !is_for_readme(arg)));
    run_command(with_numpy(bench)?.arg("--out").arg(&out))?;
    if args.iter().any(is_for_readme) {
        let readme = root().join("README.md");
        let table = fs::read_to_string(out.join("results.md"))?;
        fs::write(&readme, with_table(&fs::read_to_string(&readme)?, &table)?)?;
        fs::create_dir_all(root().join("docs"))?;
        fs::copy(out.join("results.svg"), root().join("docs/bench.svg"))?;
    }
    Ok(())
}

/// Returns the text with the chart and the new table between the marks.
fn with_table(readme: &str, table: &str) -> Result<String> {
    let [from, to] = MARKS;
    let parts = readme.split_once(from).and_then(|(before, rest)| {
        let (_, after) = rest.split_once(to)?;
        Some(format!("{before}{from}{CHART}\n{table}{to}{after}"))
    });
    parts.ok_or_else(|| format!("README.md lacks the lines {from}{to}").into())
}

#[cfg(test)]
mod tests {
    use super::{CHART, with_table};

    #[test]
    fn the_table_takes_the_place_of_the_old_one() {
        let readme = "a\n<!-- cargo xtask bench --readme -->\nold\n<!-- end -->\nb\n";
        let new = with_table(readme, "new\n").unwrap();
        assert_eq!(new, readme.replace("old", &format!("{CHART}\nnew")));
        // And that of the new one.
        assert_eq!(with_table(&new, "new\n").unwrap(), new);
        assert!(with_table("a\n", "new\n").is_err());
    }
}
