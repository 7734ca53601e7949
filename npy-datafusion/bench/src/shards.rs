//! One hour of a year of sorted shards: the requests, the bytes and the time, of `.npy` files with an index and of Parquet.

use std::path::Path;
use std::sync::Arc;

use datafusion::arrow::array::{ArrayRef, AsArray, RecordBatch};
use datafusion::arrow::compute::cast;
use datafusion::arrow::datatypes::{DataType, Float64Type};
use datafusion::prelude::{ParquetReadOptions, SessionContext};
use npy_core::WriteNpy;
use npy_datafusion::{INDEX_BLOCK, write_index};

use crate::Result;
use crate::data::{Random, Tick};
use crate::engine::cpu_ms;
use crate::store::{Counted, Requested};

/// The goals: at most this multiple of Parquet's bytes, and this number of requests before the first one for rows.
const BYTES: f64 = 1.5;
const REQUESTS: usize = 1;

/// The rows of a block of the finer index.
const FINE_BLOCK: u64 = 8192;

/// The milliseconds of a year, and of an hour.
const YEAR: u64 = 365 * 24 * HOUR;
const HOUR: u64 = 3_600_000;
const START: u64 = 1_700_000_000_000;

/// The number of hours that are measured, which are spread over the year.
const HOURS: u64 = 24;

/// The rows of all files, sorted by time.
#[derive(Clone, Copy)]
pub(crate) struct Shards {
    pub(crate) files: usize,
    pub(crate) rows: usize,
}

impl Shards {
    fn time(self, row: usize) -> Result<i64> {
        let all = (self.files * self.rows) as u128;
        Ok(i64::try_from(u128::from(START) + u128::from(YEAR) * row as u128 / all)?)
    }

    /// Writes each file as `.npy` and as Parquet.
    async fn write(self, directory: &Path) -> Result<()> {
        let (mut random, ctx) = (Random::new(), npy_datafusion::session());
        for folder in ["npy", "parquet"] {
            std::fs::create_dir_all(directory.join(folder))?;
        }
        for file in 0..self.files {
            let ticks = (file * self.rows..(file + 1) * self.rows)
                .map(|row| Ok(random.tick(self.time(row)?)))
                .collect::<Result<Vec<Tick>>>()?;
            let npy = directory.join(format!("npy/{file:05}.npy"));
            ticks.write_npy(&npy)?;
            let parquet = directory.join(format!("parquet/{file:05}.parquet"));
            let sql = format!(
                "COPY (SELECT * FROM npy('{}')) TO '{}' OPTIONS (compression 'snappy')",
                npy.display(),
                parquet.display()
            );
            ctx.sql(&sql).await?.collect().await?;
        }
        Ok(())
    }
}

/// The cost of a contender.
struct Measured {
    name: &'static str,
    /// To plan the first query.
    plan: Requested,
    /// On average for an hour, once it is planned.
    query: Requested,
    /// The CPU milliseconds of the first query with all that precedes it, and of another one.
    cpu: [f64; 2],
    /// The result of each hour.
    sums: Vec<Vec<f64>>,
}

/// Measures both, and prints a table. The files are kept in a directory that is given, and are not written again if they are there.
pub(crate) async fn run(shards: Shards, directory: Option<&Path>) -> Result<()> {
    let temporary = tempfile::tempdir()?;
    let directory = directory.unwrap_or(temporary.path());
    if !directory.join("npy").exists() {
        shards.write(directory).await?;
    }
    let store = Counted::new(directory)?;
    let npy = directory.join("npy").display().to_string();
    let mut all = Vec::new();
    for (name, block) in
        [("`.npy`, blocks of 65,536 rows", INDEX_BLOCK), ("`.npy`, blocks of 8,192", FINE_BLOCK)]
    {
        write_index(&npy_datafusion::session().state(), &npy, None, block).await?;
        let ctx = npy_datafusion::session();
        all.push(measure(name, &ctx, &store).await?);
    }
    all.push(measure("Parquet", &SessionContext::new(), &store).await?);
    print(shards, &all)
}

async fn measure(name: &'static str, ctx: &SessionContext, store: &Counted) -> Result<Measured> {
    ctx.register_object_store(&"mem://bench/".try_into()?, Arc::new(store.clone()));
    store.take();
    let start = cpu_ms();
    if name == "Parquet" {
        let options = ParquetReadOptions::default();
        ctx.register_parquet("t", "mem://bench/parquet/", options).await?;
    } else {
        let create = "CREATE EXTERNAL TABLE t STORED AS NPY LOCATION 'mem://bench/npy/' OPTIONS ('index' 'frozen')";
        ctx.sql(create).await?.collect().await?;
    }
    // A condition that no row meets needs the plan alone.
    ctx.sql(&query(START + 2 * YEAR)).await?.collect().await?;
    let plan = store.take();
    let mut sums = vec![sum(&ctx.sql(&query(START)).await?.collect().await?)?];
    let first = cpu_ms() - start;
    store.take();
    let start = cpu_ms();
    for hour in 0..HOURS {
        let from = START + hour * (YEAR - HOUR) / (HOURS - 1);
        sums.push(sum(&ctx.sql(&query(from)).await?.collect().await?)?);
    }
    let cpu = [first, (cpu_ms() - start) / HOURS as f64];
    let Requested { requests, bytes } = store.take();
    let query = Requested { requests: requests / HOURS as usize, bytes: bytes / HOURS };
    Ok(Measured { name, plan, query, cpu, sums })
}

/// Returns the query for all columns of an hour.
fn query(from: u64) -> String {
    let to = from + HOUR;
    format!(
        "SELECT count(*), sum(id), sum(x), sum(y), sum(CAST(flag AS INT)), max(time) FROM t WHERE time >= {from} AND time < {to}"
    )
}

/// Returns the numbers of the only row.
fn sum(batches: &[RecordBatch]) -> Result<Vec<f64>> {
    let row = batches.iter().find(|batch| batch.num_rows() == 1).ok_or("a query without a row")?;
    let number = |column: &ArrayRef| -> Result<f64> {
        let value = cast(column, &DataType::Float64)?;
        Ok(value.as_primitive::<Float64Type>().value(0))
    };
    row.columns().iter().map(number).collect()
}

fn print(shards: Shards, all: &[Measured]) -> Result<()> {
    let Some(parquet) = all.last() else { return Ok(()) };
    let numbers = |measured: &Measured| measured.sums.concat();
    for other in all {
        let mut pairs = numbers(parquet).into_iter().zip(numbers(other));
        // Floats are added in another order.
        if let Some((theirs, ours)) =
            pairs.find(|(theirs, ours)| (theirs - ours).abs() > theirs.abs() * 1e-9)
        {
            return Err(format!("{}: the results differ: {ours} and {theirs}", other.name).into());
        }
    }
    let Shards { files, rows } = shards;
    println!("\nOne hour of a year: {files} files of {rows} records of 25 bytes, sorted by time\n");
    println!(
        "| | requests to plan | their bytes | requests of a query | its bytes | of Parquet | first, CPU ms | next, CPU ms |"
    );
    println!("|---|---|---|---|---|---|---|---|");
    for Measured { name, plan, query, cpu: [first, next], .. } in all {
        let ratio = query.bytes as f64 / parquet.query.bytes as f64;
        let is_ours = *name != parquet.name;
        let bytes = if is_ours && ratio > BYTES { " ✗" } else { "" };
        let requests = if is_ours && plan.requests > REQUESTS { " ✗" } else { "" };
        println!(
            "| {name} | {}{requests} | {} | {} | {} | {ratio:.2}{bytes} | {first:.0} | {next:.1} |",
            plan.requests, plan.bytes, query.requests, query.bytes
        );
    }
    Ok(())
}
