//! `npy`: looks into NumPy's `.npy` and `.npz` files, converts, compares and checks them.
//!
//! `args.rs` is the table of subcommands. Each has a file in `commands/`, with its arguments and a function `run`. They share
//!
//! - `target.rs`: the argument `FILE[::MEMBER][[SLICE]]`;
//! - `source.rs`: the array that it names, read in blocks of rows, after its slice;
//! - `columns.rs`: the columns that an option names, found by the header;
//! - `rows.rs`: the rows that are printed, and `printer.rs`, which prints them as a table, CSV or JSON;
//! - `row_text.rs`: one row as text, and `text.rs`: one scalar;
//! - `sheet.rs`: a table of rows, and `table.rs`: any other table;
//! - `input.rs`: CSV and JSON, which become arrays;
//! - `raw.rs`: files without a header, by an option;
//! - `dtypes.rs`: the dtypes that users write, and `ml_dtype.rs`: the numbers that raw bytes are;
//! - `fields.rs`: the fields of records that become another dtype, for advice, and `python.rs`: Python in messages;
//! - `plot.rs`: pictures of columns;
//! - `histogram.rs`: counts of values whose range is not known before;
//! - `output.rs`: standard output, errors and the exit code;
//! - `remedy.rs`: the advice for files that end too early, and `lost_header.rs` for those whose header cannot be mended;
//! - `remote.rs`: paths that are URLs;
//! - `output_file.rs`: files that an argument names as the output, and what they replace;
//! - `signals.rs`: Ctrl-C and other signals, after which no file is left.

mod args;
mod columns;
mod commands;
mod dtypes;
mod fields;
mod histogram;
mod input;
mod lost_header;
mod ml_dtype;
mod output;
mod output_file;
mod plot;
mod printer;
mod python;
mod raw;
mod remedy;
mod remote;
mod row_text;
mod rows;
mod sheet;
mod shell;
mod source;
mod table;
mod target;
mod text;
mod time_range;

use std::ffi::OsString;
use std::path::Path;
use std::process::ExitCode;

/// Runs the command with these arguments; the first one is the name of the program. The program `npy` and the entry point of the
/// Python package are this function.
pub fn main(args: impl IntoIterator<Item = OsString>) -> ExitCode {
    whole_file::remove_at_signals(|| {
        whole_file::NewFile::remove_incomplete();
        commands::concat::parts::remove_unfinished();
    });
    let answer = args::Npy::run_with(args);
    source::tell_of_streams(answer.is_err());
    output::exit_code(answer)
}

/// Returns the command that repairs a file, with its effect, if it is damaged. Of an array, the header and the size are read alone; an
/// archive of up to 256 MiB is read completely.
///
/// Returns `None` for a sound file, and also for a file that cannot be opened, for damage that no repair mends, and for a larger archive
/// whose directory is right. [`verify`] reads all of a file.
pub fn repair_advice(path: &Path) -> Option<String> {
    remedy::for_path(path)
}

/// The findings of `npy verify` in a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Findings {
    /// Damage, and danger for other programs.
    pub problems: Vec<String>,
    /// The names that `np.load(allow_pickle=True)` would import.
    pub imports: Vec<String>,
}

/// Reads all of a file as `npy verify` does.
///
/// # Errors
///
/// The message of a file that cannot be read at all.
pub fn verify(path: &Path) -> Result<Findings, String> {
    commands::verify::findings(path)
}
