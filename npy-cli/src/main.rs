//! `npy`: looks into NumPy's `.npy` and `.npz` files, converts, compares and checks them.
//!
//! `args.rs` is the table of subcommands. Each has a file in `commands/`, with its arguments and a function `run`. They share
//!
//! - `target.rs`: the argument `FILE[::MEMBER][[SLICE]]`;
//! - `source.rs`: the array that it names, read in blocks of rows, after its slice;
//! - `input.rs`: CSV and lines of JSON, which become arrays;
//! - `dtypes.rs`: the dtypes that users write;
//! - `plot.rs`: pictures of columns;
//! - `histogram.rs`: counts of values whose range is not known before;
//! - `rows.rs`: rows as a table, CSV or JSON;
//! - `columns.rs`: the columns of rows, as tables, CSV and JSON have them;
//! - `text.rs`: scalars as text, for CSV, JSON and tables;
//! - `table.rs`: text in columns;
//! - `output.rs`: standard output, files that replace others, errors and the exit code.

mod args;
mod columns;
mod commands;
mod dtypes;
mod histogram;
mod input;
mod output;
mod plot;
mod rows;
mod source;
mod table;
mod target;
mod text;

use std::process::ExitCode;

use clap::Parser;

fn main() -> ExitCode {
    let args = args::Npy::parse_from(std::env::args_os().map(target::marked));
    output::exit_code(args.run())
}
