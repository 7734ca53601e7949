//! `npy index`: writes the index of a directory.

use std::path::Path;

use clap::Parser;
use npy_datafusion::datafusion::common::plan_err;
use npy_datafusion::datafusion::error::Result;
use npy_datafusion::{INDEX_BLOCK, INDEX_NAME, word, write_index};

/// Writes the index of a directory: _npy.index, an archive that NumPy opens.
///
/// It has the size, the time and the header of each .npy file in the directory and below it (of the archives, if there is no such file), and the least and the greatest value of each
/// block of rows, of numbers, times and short text. Queries then open only the files, and read only the blocks, that may have rows of the query. A file
/// that has changed since is read as without an index. Run it again when files have changed: it reads those alone.
#[derive(Parser)]
#[command(name = "npy index", bin_name = "npy index", version, after_help = EXAMPLES)]
pub(crate) struct Args {
    /// The directory, or its URL (s3://bucket/days/)
    #[arg(value_name = "DIR")]
    directory: String,
    /// The columns that get bounds, by default all of numbers, times and short text
    #[arg(long, value_delimiter = ',', value_name = "NAME,…")]
    columns: Option<Vec<String>>,
    /// The rows that have bounds in common
    #[arg(long, default_value_t = INDEX_BLOCK, value_name = "ROWS")]
    block: u64,
}

const EXAMPLES: &str = "\
Examples:
  npy index days/
  npy index days/ --columns time,station --block 10000
  npy index s3://bucket/days/
  npy sql 'SELECT avg(x) FROM t WHERE time < 3600' days/

npy sql uses the index of a directory. It lists the files and compares their sizes and times with the index. In a statement, OPTIONS ('index' 'frozen')
trusts the index: no file is listed, and one that differs is an error. OPTIONS ('index' 'off') reads the files without it. COPY … TO 'days/' STORED AS NPY
OPTIONS ('index' 'update') writes the index again when its files are there, with the columns and blocks of the old one. Several programs may do that
at once: none of their files is lost.

Exit code: 0; 2 for errors, after which an old index is as it was.";

pub(crate) async fn run(args: Args) -> Result<()> {
    let ctx = npy_datafusion::session();
    let Args { directory, columns, block } = args;
    check(&directory)?;
    let report = write_index(&ctx.state(), &directory, columns.as_deref(), block).await?;
    let columns = match report.columns.is_empty() {
        true => "no column".to_owned(),
        false => report.columns.join(", "),
    };
    println!(
        "{directory}: {} ({} read), {}, bounds of {columns}; {INDEX_NAME} has {}",
        counted(report.files as u64, "file"),
        report.read,
        counted(report.rows, "row"),
        counted(report.bytes, "byte")
    );
    Ok(())
}

/// Refuses a path that is not that of a directory.
fn check(directory: &str) -> Result<()> {
    let path = Path::new(directory);
    if directory.contains("://") || path.is_dir() {
        return Ok(());
    }
    if !path.exists() {
        return plan_err!("{directory}: there is no such directory; check its name");
    }
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
    let parent = parent.unwrap_or(Path::new("."));
    plan_err!(
        "{directory}: it is a file, and an index is that of a directory; run npy index {}",
        word(&parent.to_string_lossy())
    )
}

/// Returns a number with its noun.
fn counted(count: u64, noun: &str) -> String {
    let end = if count == 1 { "" } else { "s" };
    format!("{count} {noun}{end}")
}
