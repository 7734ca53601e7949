//! `npy plot FILE`: a picture of an array, as SVG or in the terminal.

use std::io::Write;
use std::path::PathBuf;
use std::slice;

use crate::output::{Answer, Output, Result};
use crate::output_file::Replacing;
use crate::plot::{Kind, Picture, svg, terminal};
use crate::source::Source;
use crate::target::Target;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// A .npy, .csv or .jsonl file, or a member of an archive
    #[arg(value_name = "FILE")]
    input: Target,
    /// The columns to draw, such as a,hdr.t0 or 0,2; a first column of times is the horizontal axis
    #[arg(short, long, value_delimiter = ',', value_name = "NAMES")]
    columns: Vec<String>,
    /// What to draw; without it lines, or a heat map of a matrix
    #[arg(short, long, value_enum)]
    kind: Option<Kind>,
    /// The SVG file to write, or - for standard output; without it, draws in the terminal
    #[arg(short, long, value_name = "OUT")]
    output: Option<PathBuf>,
    #[command(flatten)]
    replacing: Replacing,
}

impl Args {
    pub(crate) fn run(self) -> Result {
        let output = match &self.output {
            Some(path) => Some(self.replacing.output(path, slice::from_ref(&self.input))?),
            None => None,
        };
        let picture = Picture::of(Source::open(&self.input)?, &self.columns, self.kind)?;
        if let Some(output) = output {
            let text = svg::draw(&picture, &self.input.to_string());
            output.write(|out| Ok(out.write_all(text.as_bytes())?))?;
            return Ok(Answer::Yes);
        }
        let mut out = Output::stdout();
        let text = terminal::draw(&picture, out.width.unwrap_or(80));
        out.write_all(text.as_bytes())?;
        out.finish()
    }
}
