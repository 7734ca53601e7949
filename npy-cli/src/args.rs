//! The table of subcommands with their help.

use clap::{Parser, Subcommand};

use crate::commands;
use crate::output::Result;

/// Looks into NumPy's .npy and .npz files, converts, compares and checks them.
///
/// Without a subcommand, prints what the files hold: `npy x.npy` is `npy info x.npy`.
#[derive(Parser)]
#[command(
    name = "npy",
    version,
    args_conflicts_with_subcommands = true,
    subcommand_negates_reqs = true,
    arg_required_else_help = true,
    after_help = FILES
)]
pub(crate) struct Npy {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    info: commands::info::Args,
}

/// The form of file arguments, for each help page.
pub(crate) const FILES: &str = "\
A file is FILE[::MEMBER][[SLICE]], with slices as in Python, or - for standard input:
  t.npy[1000:2000]   model.npz::layers/0/weights[:10,0]   -::weights

Exit code: 0; 1 if files differ or are damaged; 2 for wrong arguments and unreadable files.";

#[derive(Subcommand)]
enum Command {
    /// Prints shape, dtype, order, version and size; of an archive, a line for each member
    Info(commands::info::Args),
    /// Prints the first rows
    Head(commands::head::Args),
    /// Prints the last rows
    Tail(commands::head::Args),
    /// Prints rows chosen at random, in the order of the file
    Sample(commands::head::SampleArgs),
    /// Prints all rows: a table on a terminal, CSV in a pipe
    Cat(commands::cat::Args),
    /// Summarizes each column: count, missing, min, max, mean, std, distinct, histogram
    ///
    /// The standard deviation is that of NumPy, which divides by the number of values; pandas divides by one less.
    Stats(commands::stats::Args),
    /// Compares two files: headers first, then rows; exit code 1 if they differ
    Diff(commands::diff::Args),
    /// Reads all of a file as a strict reader does: sizes, checksums, what pickles import
    Verify(commands::verify::Args),
    /// Draws lines, histograms, heat maps and scatter plots: as SVG, or in the terminal
    Plot(commands::plot::Args),
    /// Writes an HTML page with the header, the first rows and pictures
    View(commands::view::Args),
    /// Prints the Rust struct that reads a file, or its np.dtype
    Struct(commands::structs::Args),
    /// Converts to another dtype, order or container, and to text
    Convert(commands::convert::Args),
    /// Joins arrays along their first dimension
    Concat(commands::concat::Args),
    /// Adds rows at the end of a file, in place
    Append(commands::append::Args),
    /// Lists, extracts, packs, removes and renames the members of an archive
    Npz(commands::npz::Args),
    /// Queries files with SQL, by the separate program npy-sql
    ///
    /// Each file is a table, named after its file: npy sql "SELECT station, count(*) FROM traces GROUP BY station" traces.npy
    #[command(disable_help_flag = true)]
    Sql(commands::sql::Args),
    /// Prints the completions for a shell
    Completions(commands::completions::Completions),
    /// Prints the man page
    Man(commands::completions::Man),
}

impl Npy {
    pub(crate) fn run(self) -> Result {
        match self.command {
            None => self.info.run(),
            Some(Command::Info(args)) => args.run(),
            Some(Command::Head(args)) => args.head(),
            Some(Command::Tail(args)) => args.tail(),
            Some(Command::Sample(args)) => args.run(),
            Some(Command::Cat(args)) => args.run(),
            Some(Command::Stats(args)) => args.run(),
            Some(Command::Diff(args)) => args.run(),
            Some(Command::Verify(args)) => args.run(),
            Some(Command::Plot(args)) => args.run(),
            Some(Command::View(args)) => args.run(),
            Some(Command::Struct(args)) => args.run(),
            Some(Command::Convert(args)) => args.run(),
            Some(Command::Concat(args)) => args.run(),
            Some(Command::Append(args)) => args.run(),
            Some(Command::Npz(args)) => args.run(),
            Some(Command::Sql(args)) => args.run(),
            Some(Command::Completions(args)) => args.run(),
            Some(Command::Man(args)) => args.run(),
        }
    }
}
