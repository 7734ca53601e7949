//! The benchmark: the same queries over `.npy` files, over Parquet, and by hand in NumPy.
//!
//! `NPY_PYTHON=python3 cargo run --release -p npy-datafusion-bench -- --rows 20000000 --rounds 9`
//!
//! It runs on Linux. In each round every contender runs once, in another order, so that other load affects all of them. A figure is the median of the CPU
//! time, of all threads together. All results are compared before a figure is printed.

mod data;
mod engine;
mod numpy;
mod report;
mod vectors;

use std::error::Error;

use engine::Engine;
use numpy::Numpy;
use report::Report;

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
    let rows = argument("--rows")?.unwrap_or(20_000_000);
    let rounds = argument("--rounds")?.unwrap_or(9);
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
    let vectors = argument("--vectors")?.unwrap_or(1_000_000);
    vectors::run(directory.path(), vectors, rounds, &mut numpy).await?;
    Ok(())
}

/// Returns the number after a name on the command line.
fn argument(name: &str) -> Result<Option<usize>> {
    let mut arguments = std::env::args().skip_while(|argument| argument != name).skip(1);
    Ok(arguments.next().map(|number| number.parse()).transpose()?)
}
