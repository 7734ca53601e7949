//! The benchmark: the same queries over `.npy` files, over Parquet, and by hand in NumPy.
//!
//! `NPY_PYTHON=python3 cargo run --release -p npy-datafusion-bench -- --rows 20000000 --rounds 9`
//!
//! `--only queries,vectors,shards` runs some of it, and `--quick` all of it once with little data. The shards take 20 GB of the directory for temporary files
//! (`TMPDIR`); `--shards 1000` makes fewer, and `--directory DIR` keeps them there.
//!
//! It runs on Linux. In each round every contender runs once, in another order, so that other load affects all of them. A figure is the median of the CPU
//! time, of all threads together. All results are compared before a figure is printed.

mod data;
mod engine;
mod numpy;
mod report;
mod shards;
mod store;
mod vectors;

use std::error::Error;
use std::path::Path;

use engine::Engine;
use numpy::Numpy;
use report::Report;
use shards::Shards;

type Result<T, E = Box<dyn Error>> = std::result::Result<T, E>;

/// A query that every contender answers with two numbers.
pub(crate) struct Query {
    pub(crate) name: &'static str,
    pub(crate) sql: &'static str,
    /// The goals: at most this multiple of Parquet's time, and of NumPy's, and a fifth more, as machines differ.
    pub(crate) goals: [Option<f64>; 2],
}

/// The queries. NumPy has the same names (`numpy.py`).
const QUERIES: [Query; 4] = [
    Query {
        name: "group",
        sql: "SELECT id, avg(x) FROM t GROUP BY id",
        goals: [Some(0.5), Some(1.0)],
    },
    Query { name: "filter", sql: "SELECT id, y FROM t WHERE x > 0.999", goals: [Some(0.35), None] },
    Query { name: "sum", sql: "SELECT 0, sum(x) FROM t", goals: [None, None] },
    Query { name: "count", sql: "SELECT 0, count(*) FROM t", goals: [None, None] },
];

#[tokio::main]
async fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let is_quick = arguments.iter().any(|argument| argument == "--quick");
    let text = |name: &str| arguments.iter().skip_while(|argument| *argument != name).nth(1);
    let number = |name: &str, full: usize, quick: usize| -> Result<usize> {
        let value = text(name);
        let default = if is_quick { quick } else { full };
        Ok(value.map(|number| number.parse()).transpose()?.unwrap_or(default))
    };
    let only = text("--only");
    let is_wanted = |name: &str| only.is_none_or(|only| only.split(',').any(|it| it == name));
    let rounds = number("--rounds", 9, 1)?;
    if is_wanted("queries") {
        queries(number("--rows", 20_000_000, 20_000)?, rounds).await?;
    }
    if is_wanted("vectors") {
        vectors::run(number("--vectors", 1_000_000, 2000)?, rounds).await?;
    }
    if is_wanted("shards") {
        let (files, rows) =
            (number("--shards", 10_000, 50)?, number("--shard-rows", 40_000, 4000)?);
        let directory = text("--directory").map(Path::new);
        shards::run(Shards { files, rows }, directory).await?;
    }
    Ok(())
}

/// Measures the queries.
async fn queries(rows: usize, rounds: usize) -> Result<()> {
    let directory = tempfile::tempdir()?;
    data::write(directory.path(), rows).await?;
    let engines = [
        Engine::npy(directory.path()).await?,
        Engine::parquet(directory.path(), false).await?,
        Engine::parquet(directory.path(), true).await?,
    ];
    let mut numpy = Numpy::start(directory.path())?;
    let mut report = Report::new(["npy", "Parquet", "Parquet, filter pushed down", "NumPy"]);
    // The first round fills caches, and is not counted.
    for round in 0..=rounds {
        for query in &QUERIES {
            let mut sums = Vec::new();
            for turn in 0..4 {
                let contender = (round + turn) % 4;
                let (cpu, sum) = match engines.get(contender) {
                    Some(engine) => engine.run(query).await?,
                    None => numpy.run(query)?,
                };
                sums.push(sum);
                if round > 0 {
                    report.add(query, contender, cpu);
                }
            }
            report::compare(query, &sums)?;
        }
    }
    println!("{rows} records of 25 bytes in {} files, {rounds} rounds, CPU ms\n", data::FILES);
    report.print(&QUERIES);
    Ok(())
}
