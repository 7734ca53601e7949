//! `npy plot FILE`: a picture of an array, as SVG or in the terminal.

use std::io::Write;
use std::path::PathBuf;

use crate::output::{Answer, Output, Result, replace};
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
}

impl Args {
    pub(crate) fn run(self) -> Result {
        let picture = Picture::of(Source::open(&self.input)?, &self.columns, self.kind)?;
        if let Some(path) = &self.output {
            let text = svg::draw(&picture, &self.input.to_string());
            replace(path, |out| Ok(out.write_all(text.as_bytes())?))?;
            return Ok(Answer::Yes);
        }
        let mut out = Output::stdout();
        let text = terminal::draw(&picture, out.width.unwrap_or(80));
        out.write_all(text.as_bytes())?;
        out.finish()
    }
}
