//! `npy cat`: all rows of one or more arrays, streamed.

use crate::output::{Failure, Output, Result};
use crate::printer::Printer;
use crate::raw::RawFiles;
use crate::rows::{Form, Format, Rows, Unnamed};
use crate::target::{Target, refuse_two_stdin};

#[derive(clap::Args)]
pub(crate) struct Args {
    /// The arrays, which need the same columns unless the output is JSON
    #[arg(required = true, value_name = "FILE")]
    files: Vec<Target>,
    #[command(flatten)]
    format: Format,
    /// CSV without the line of names
    #[arg(long)]
    no_header: bool,
    #[command(flatten)]
    unnamed: Unnamed,
    #[command(flatten)]
    raw: RawFiles,
}

impl Args {
    pub(crate) fn run(mut self) -> Result {
        self.files.iter_mut().for_each(|file| self.raw.mark(file));
        refuse_two_stdin(&self.files)?;
        let mut out = Output::stdout();
        let form = self.format.form(if out.is_terminal { Form::Table } else { Form::CSV });
        self.unnamed.check(matches!(form, Form::Csv(_)))?;
        let mut printer = Printer::stdout(&mut out, form);
        if self.no_header {
            if !matches!(form, Form::Csv(_)) {
                return Err(Failure::usage("--no-header is for CSV; add --csv or --tsv"));
            }
            printer = printer.without_names();
        }
        for file in &self.files {
            let mut objects = None;
            let mut rows = Rows::open(file, &self.format, form, &mut objects)?;
            rows.leave_out_names(&self.unnamed)?;
            printer.print(&mut rows, usize::MAX)?;
        }
        printer.finish()?;
        out.finish()
    }
}
