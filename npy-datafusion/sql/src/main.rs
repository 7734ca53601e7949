//! `npy-sql`, which `npy sql` runs: queries `.npy` and `.npz` files with SQL.

mod output;
mod tables;

use std::io;
use std::process::ExitCode;

use clap::Parser;
use npy_datafusion::datafusion::error::{DataFusionError, Result};
use tokio::runtime::Runtime;

use crate::output::Form;

/// Queries .npy and .npz files with SQL.
///
/// The files are the tables t, t2, …, and each also has the name of its file without the extension.
/// A directory is a table of all its .npy files. In the query, npy('dir/*.npy') is a table, too.
#[derive(Parser)]
#[command(name = "npy sql", bin_name = "npy sql", version, after_help = EXAMPLES)]
struct Args {
    /// The statement
    sql: String,
    /// Files, directories (dir/) and patterns ('dir/*.npz')
    files: Vec<String>,
    /// Prints CSV
    #[arg(long, conflicts_with = "json")]
    csv: bool,
    /// Prints a line of JSON for each row
    #[arg(long)]
    json: bool,
    /// Reads bytes (dtype S) as text; they are printed in hexadecimal otherwise
    #[arg(long)]
    text: bool,
}

const EXAMPLES: &str = "\
Examples:
  npy sql 'SELECT id, avg(price) FROM ticks GROUP BY id' ticks.npy
  npy sql 'SELECT * FROM t JOIN t2 USING (id)' a.npy b.npz --csv
  npy sql \"COPY (SELECT * FROM t WHERE price > 1) TO 'some.npy'\" days/

A float NaN is a value, which is greater than all others and equal to itself, unlike in NumPy: add AND NOT isnan(x). NaT is null. The rows of
several files have no order without ORDER BY; npy concat keeps that of the files. Times of ps, fs and as are their counts.

Exit code: 0; 2 for errors.";

fn main() -> ExitCode {
    let args = Args::parse();
    let result =
        Runtime::new().map_err(DataFusionError::from).and_then(|it| it.block_on(run(args)));
    match result {
        Ok(()) => ExitCode::SUCCESS,
        // Whoever reads the output has enough of it.
        Err(error) if is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("npy sql: {}", output::printable(&message(&error)));
            ExitCode::from(2)
        }
    }
}

async fn run(args: Args) -> Result<()> {
    let ctx = npy_datafusion::session();
    tables::register(&ctx, &args.files, args.text).await?;
    let rows = ctx.sql(&args.sql).await.map_err(|error| tables::named(error, &args.files))?;
    let rows = rows.execute_stream().await?;
    let form = match (args.csv, args.json) {
        (true, _) => Form::Csv,
        (_, true) => Form::Json,
        _ => Form::Table,
    };
    output::print(rows, form).await
}

/// Returns the text of an error in one line. DataFusion puts the cause after the context, in lines of their own.
fn message(error: &DataFusionError) -> String {
    error.strip_backtrace().replace("\ncaused by\n", ": ").replace('\n', " ")
}

fn is_broken_pipe(error: &DataFusionError) -> bool {
    let mut cause: Option<&(dyn std::error::Error + 'static)> = Some(error);
    while let Some(error) = cause {
        if let Some(error) = error.downcast_ref::<io::Error>() {
            return error.kind() == io::ErrorKind::BrokenPipe;
        }
        cause = error.source();
    }
    false
}
