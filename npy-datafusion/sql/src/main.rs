//! `npy-sql`, which `npy sql` runs: queries `.npy` and `.npz` files with SQL.

mod advice;
mod aliases;
mod copy;
mod index;
mod lists;
mod message;
mod nearest;
mod numbers;
mod options;
mod output;
mod prepared;
mod quotes;
mod spans;
mod statements;
mod tables;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::{io, thread};

use clap::Parser;
use npy_datafusion::datafusion::common::{exec_err, plan_datafusion_err};
use npy_datafusion::datafusion::error::{DataFusionError, Result};
use npy_datafusion::datafusion::prelude::{SessionConfig, SessionContext};
use tokio::runtime::Builder;
use whole_file::NewFile;

use crate::output::Form;

/// Queries .npy and .npz files with SQL; `npy sql` runs this program, npy-sql.
///
/// The files are the tables t, t2, …, and each also has the name of its file without the extension, unless two have it.
/// A directory is a table of all its .npy files; directories day=2024-05-01 in it are a column of text.
/// In the query, npy('dir/*.npy') is a table, too. Names are written as in the files, Price as Price; those with other
/// characters than letters, digits and _ or a digit first (2theta), and words of SQL (order, current_date, true), in double quotes.
#[derive(Parser)]
#[command(name = "npy sql", bin_name = "npy sql", version, after_help = EXAMPLES)]
struct Args {
    /// One or more statements, separated by ;
    #[arg(required_unless_present = "script")]
    sql: Option<String>,
    /// Files, directories (dir/), patterns ('dir/*.npz', 'runs/*/x.npy', 'runs/**/*.npy') and URLs (s3://bucket/dir/, gs://, az://, https://host/x.npy)
    files: Vec<String>,
    /// Runs the statements of a file, or those of standard input (-f -); all other arguments are then files
    #[arg(short = 'f', long = "file", value_name = "FILE")]
    script: Option<PathBuf>,
    /// Prints CSV: NaN is NaN; null is empty, as a text without characters is
    #[arg(long, conflicts_with = "json")]
    csv: bool,
    /// Prints a line of JSON for each row, whose columns need different names: NaN and infinity are null, too, since JSON has neither
    #[arg(long)]
    json: bool,
    /// Reads bytes (dtype S) as text, also those of npy('x.npy') and CREATE EXTERNAL TABLE; they are printed in hexadecimal otherwise
    #[arg(long)]
    text: bool,
    /// Refuses to replace a file by COPY
    #[arg(long)]
    no_clobber: bool,
    /// Lets COPY replace an archive whose other members are lost, and add files to a directory of others
    #[arg(long)]
    force: bool,
}

const EXAMPLES: &str = "\
Examples:
  npy sql 'SELECT id, avg(price) FROM ticks GROUP BY id' ticks.npy
  npy sql 'SELECT * FROM t JOIN t2 USING (id)' a.npy b.npz --csv
  npy sql \"COPY (SELECT * FROM t WHERE price > 1) TO 'some.npy'\" days/
  npy sql \"SET datafusion.execution.target_partitions = 1; SELECT * FROM t\" ticks.npy
  npy sql -f report.sql days/

A float NaN is a value, which is greater than all others and equal to itself, unlike in NumPy: add AND NOT isnan(x). The NaN that NumPy makes of 0/0 on
x86 has a sign; it is another value, and less than all numbers: nullif(x, 'NaN') does not find it. median, percentile_cont and approx_median of a
NaN are NaN, as in NumPy, and corr is NaN or null: median(x) FILTER (WHERE NOT isnan(x)). CASE WHEN isnan(x) THEN NULL ELSE x END is null for each NaN, nanvl(x, 0.0) is 0.0. -0.0 equals 0.0, except in IN lists, windows, ORDER BY and count(DISTINCT x): x + 0.0
makes them one. NaT is null. x = 0.1 finds no float of 32 bits: x = CAST(0.1 AS REAL). TABLESAMPLE is ignored, and SIMILAR TO is a regular expression.
The rows of one file keep its order, also in the file that COPY writes. Rows of several files, of text files, of CREATE TABLE, of joins, of IN (SELECT …)
and of GROUP BY have no order without ORDER BY; npy concat keeps that of the files. Times of ps, fs and as are their counts. An array of more dimensions has one list of the others in each
row. Lists count from 1, value[0] is an error, and an index out of range is null: value[1] is the first value of a list, and _row counts from 0. Members of an archive are columns of one length; npy convert x.npz::a a.npy makes a file of one, and npy verify checks the checksums.

Two rows of an array of more dimensions are in order by their first values that differ, also for max: array_max(value), array_min(value),
array_sum(value) and array_avg(value) are of all values of a row, and unnest(value) makes a row of each. A complex number is a list of two: value[1] is its real part. A long
double is its bytes; npy('x.npy', 'long_double_as_f64', 'true') has floats, and 'complex_as_struct' the fields re and im. Text of other files is a table by
CREATE EXTERNAL TABLE x STORED AS CSV LOCATION 'x.csv' OPTIONS (has_header true), so are JSON and PARQUET; a .csv is no argument.

Integers are divided without a rest: 1 / 2 is 0, and -7 / 2 is -3, unlike NumPy's /: x / 2.0, or CAST(x AS DOUBLE) / y. An unsigned column of
64 bits (u8) and a signed integer are divided as floats: CAST(u AS BIGINT) / 10. A sum of integers that
needs more than 64 bits is an error; x + y, x - y and x * y wrap at the width of their columns,
as in NumPy: u - v of 1 and 3 is 65534 for two u2, CAST(u AS BIGINT) - v has 64 bits, and CAST(x AS DECIMAL(38, 0)) + y more. An unsigned
column of 64 bits (u8) and signed integers make a decimal: CAST(x + 1 AS BIGINT UNSIGNED). An outer join with USING or NATURAL is an error. Conditions of WHERE are in no order:
one does not guard another from a division by zero or a CAST that fails, as CASE WHEN x <> 0 THEN 1 / x END does, and TRY_CAST.

COPY replaces a file of that name when the query has succeeded: links are followed, and permissions are kept. The file cannot also be an input of the
query, by this or another name. With --no-clobber, a file that exists is an error. Only --force replaces an archive whose other members would be lost, and
adds files to a directory whose files have other columns. The directory of a file must exist; that of COPY … TO 'dir/' STORED AS NPY is made, and
files that are in it stay.
INSERT INTO adds a file to a directory, and refuses a value that the type of its column does not have: 7.9 for an integer, a time with a rest.
A null is NaN in floats and NaT in times; for others it is an error: coalesce(x, 0) AS x, or COPY … OPTIONS (fill_nulls true), which writes 0, '' and false.
COPY writes .npy files, which are arrays of records: a column of any name is a field, also if it is the only one. A single column called value is
an array of its numbers: COPY (SELECT price AS value FROM t) TO 'price.npy'. It writes .npz archives, not compressed (npy convert --compress), whose
arrays are the columns; CSV, JSON and PARQUET are written by the engine, to the temporary directory first. A table is printed when
all rows are in memory; --csv and --json print them as they come. SHOW ALL lists the settings, SHOW TABLES the tables, and
DESCRIBE t the columns.

dir/ has the .npy files in it and in its directories name=value, and not the archives; 'dir/**/*.npy' has those of all directories. INTERSECT ALL and EXCEPT ALL do not count
equal rows, and IS DISTINCT FROM needs parentheses before AND and OR: (a IS DISTINCT FROM true) AND b.

A statement that names _file or _row has both: the path of the file of a row, and the index of the row in it. * leaves them out.
npy_l2(v, [1.0, 2.0]), npy_cosine and npy_dot compare vectors: SELECT _row FROM t ORDER BY npy_l2(value, [0.5, 1.0]) LIMIT 10. npy index dir/
writes an index, by which a query leaves out files and blocks of rows; EXPLAIN ANALYZE tells how many.

A folder in which each file is a column is a table by npy('alf/spikes.*.npy', 'layout', 'columns'), and by CREATE EXTERNAL TABLE spikes STORED AS NPY
LOCATION 'alf/spikes.*.npy' OPTIONS ('layout' 'columns'); folders in 'dir/' are groups of rows. OPTIONS ('sorted_by' 't') states that t is in order in
each file, so that conditions on t leave out files and ORDER BY t does not sort; a file that is not in order is an error. npy('w.npy', 'void', 'bfloat16')
reads raw bytes (V2, V1) as numbers of ml_dtypes; others are float8_e4m3fn, float8_e5m2 and so on.

s3://bucket/dir/ needs AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_SKIP_SIGNATURE=true for a public bucket, and often AWS_REGION or
AWS_ENDPOINT_URL; gs:// GOOGLE_APPLICATION_CREDENTIALS; az:// AZURE_STORAGE_ACCOUNT_NAME and AZURE_STORAGE_ACCOUNT_KEY. A URL of a web server names
one file; a directory or a pattern needs a server with WebDAV.

Exit code: 0; 2 for errors. If a statement fails, those after it do not run.";

/// The stack of each thread. A condition of thousands of terms is a tree as deep, and DataFusion goes down it by recursion. Only what is used of a
/// stack takes memory.
const STACK: usize = 256 << 20;

fn main() -> ExitCode {
    let (name, result) = match std::env::args_os().nth(1).is_some_and(|first| first == INDEX) {
        true => {
            let args = index::Args::parse_from(std::env::args_os().skip(1));
            ("npy index", on_large_stack(|| index::run(args)))
        }
        false => ("npy sql", on_large_stack(|| run(options::parse()))),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        // Whoever reads the output has enough of it.
        Err(error) if is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{name}: {}", output::printable(&message::message(&error)));
            ExitCode::from(2)
        }
    }
}

/// The first argument that asks for an index, as `npy index` gives it. No statement is this word.
const INDEX: &str = "index";

/// Runs a task on threads of our own: the system chooses the stack of the main one.
fn on_large_stack<F>(task: impl FnOnce() -> F + Send + 'static) -> Result<()>
where
    F: Future<Output = Result<()>>,
{
    let query = || {
        let mut runtime = Builder::new_multi_thread();
        runtime.enable_all().thread_stack_size(STACK).build()?.block_on(task())
    };
    let thread = thread::Builder::new().stack_size(STACK).spawn(query)?;
    let failed = |_| exec_err!("the engine has failed by a mistake in it, as it says above");
    thread.join().unwrap_or_else(failed)
}

async fn run(mut args: Args) -> Result<()> {
    let statements = match &args.script {
        Some(script) => {
            // The first argument is a file, too.
            args.files.splice(0..0, args.sql.take());
            read(script)?
        }
        None => {
            let sql = args.sql.take().unwrap_or_default();
            advice::check_statement(&sql, &args.files)?;
            sql
        }
    };
    let mut config = SessionConfig::new().with_information_schema(true);
    // NumPy's names have a case: `SELECT Price` is the column Price.
    config.options_mut().sql_parser.enable_ident_normalization = false;
    let ctx = npy_datafusion::session_with_config(config);
    for (setting, is_on) in [("no_clobber", args.no_clobber), ("force", args.force)] {
        if is_on {
            ctx.sql(&format!("SET npy.{setting} = true")).await?;
        }
    }
    let of_signal = ctx.clone();
    whole_file::remove_at_signals(move || remove_incomplete(&of_signal));
    let form = match (args.csv, args.json) {
        (true, _) => Form::Csv,
        (_, true) => Form::Json,
        _ => Form::Table,
    };
    let result = match tables::register(&ctx, &args.files, args.text).await {
        Ok(()) => statements::run(&ctx, &statements, &args.files, form, args.no_clobber).await,
        Err(error) => Err(error),
    };
    // The signals have a session, so that its files are not removed with the one here.
    remove_incomplete(&ctx);
    result
}

/// Removes files that are not complete, and those that the engine keeps for a while.
fn remove_incomplete(ctx: &SessionContext) {
    NewFile::remove_incomplete();
    for directory in ctx.runtime_env().disk_manager.temp_dir_paths() {
        // Meanwhile other threads may add files.
        let _ = (0..100).any(|_| std::fs::remove_dir_all(&directory).is_ok());
    }
}

/// Reads the statements of a file, or those of standard input.
fn read(script: &Path) -> Result<String> {
    let text = match script.as_os_str() == "-" {
        true => io::read_to_string(io::stdin()),
        false => std::fs::read_to_string(script),
    };
    text.map_err(|error| plan_datafusion_err!("{}: {error}", script.display()))
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
