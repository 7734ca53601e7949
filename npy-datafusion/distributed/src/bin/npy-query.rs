//! The front of a cluster: plans statements of SQL, and prints the rows that the workers return.

use std::io::{BufWriter, Write, stdout};
use std::process::ExitCode;

use clap::Parser;
use futures::TryStreamExt;
use npy_datafusion::datafusion::arrow::csv;
use npy_datafusion::datafusion::arrow::util::pretty::pretty_format_batches;
use npy_distributed::datafusion::error::Result;
use npy_distributed::datafusion::execution::SendableRecordBatchStream;
use npy_distributed::datafusion::prelude::SessionConfig;

/// Runs SQL over .npy and .npz files on the workers of a cluster.
///
/// Statements run in their order. A table is CREATE EXTERNAL TABLE t STORED AS NPY LOCATION '/shared/dir/', or npy('s3://bucket/dir/*.npy') in a query.
#[derive(Parser)]
#[command(version)]
struct Args {
    /// The workers: host:port,host:port
    #[arg(long, value_delimiter = ',', required = true)]
    workers: Vec<String>,
    /// Statements of SQL, each an argument
    #[arg(required = true)]
    statements: Vec<String>,
    /// Prints CSV
    #[arg(long)]
    csv: bool,
}

#[tokio::main]
async fn main() -> ExitCode {
    match run(Args::parse()).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("npy-query: {}", error.strip_backtrace());
            ExitCode::from(2)
        }
    }
}

async fn run(args: Args) -> Result<()> {
    let mut config = SessionConfig::new().with_information_schema(true);
    // NumPy's names have a case: `SELECT Price` is the column Price.
    config.options_mut().sql_parser.enable_ident_normalization = false;
    let ctx = npy_distributed::connect(&args.workers, config).await?;
    for statement in &args.statements {
        let rows = npy_datafusion::sql(&ctx, statement).await?.execute_stream().await?;
        print(rows, args.csv).await?;
    }
    Ok(())
}

/// Prints the rows of a statement, and nothing if it has no columns.
async fn print(mut rows: SendableRecordBatchStream, as_csv: bool) -> Result<()> {
    if rows.schema().fields().is_empty() {
        while rows.try_next().await?.is_some() {}
        return Ok(());
    }
    let mut out = BufWriter::new(stdout());
    if as_csv {
        let mut csv = csv::Writer::new(&mut out);
        while let Some(batch) = rows.try_next().await? {
            csv.write(&batch)?;
        }
    } else {
        let batches: Vec<_> = rows.try_collect().await?;
        writeln!(out, "{}", pretty_format_batches(&batches)?)?;
    }
    Ok(out.flush()?)
}
