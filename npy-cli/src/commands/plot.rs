//! `npy plot FILE`: a picture of an array, as SVG, PNG or in the terminal.

use std::io::Write;
use std::path::PathBuf;
use std::slice;

use crate::ml_dtype::RawNumbers;
use crate::output::{Answer, Failure, Output, Result};
use crate::output_file::{Replacing, refuse_picture_as_member};
use crate::plot::{Canvas, Format, Kind, Picture, pixels, terminal};
use crate::raw::RawFiles;
use crate::target::Target;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// A .npy, .csv or .jsonl file, or a member of an archive
    #[arg(value_name = "FILE")]
    input: Target,
    #[command(flatten)]
    raw: RawFiles,
    /// The columns to draw, such as a,hdr.t0,samples.3; of an array without fields 0,2, the numbers in the file; a first column of times is the horizontal axis
    #[arg(short, long, value_delimiter = ',', value_name = "NAMES")]
    columns: Vec<String>,
    /// The kind of picture; without it lines of up to 8 columns, a heat map of a matrix with more, or the image of bytes or floats of shape (h, w, 3) or (h, w, 4)
    #[arg(short, long, value_enum)]
    kind: Option<Kind>,
    #[command(flatten)]
    void: RawNumbers,
    /// The file to write, .svg or .png, or - for standard output, as SVG, or as PNG with --pixels; without it, draws in the terminal
    #[arg(short, long, value_name = "OUT")]
    output: Option<PathBuf>,
    /// Writes the pixels of an image of shape (h, w), (h, w, 3) or (h, w, 4) to a .png file, without axes: bytes and u2 as they are, booleans as black and white, floats from 0 to 1 and other numbers from their least to their greatest as bytes
    #[arg(long, requires = "output", conflicts_with = "columns")]
    pixels: bool,
    #[command(flatten)]
    replacing: Replacing,
}

impl Args {
    pub(crate) fn run(mut self) -> Result {
        self.raw.mark(&mut self.input);
        let draw =
            |canvas| Picture::of_file(&self.input, &self.columns, self.kind, &self.void, canvas);
        if let Some(path) = &self.output {
            refuse_picture_as_member(path)?;
            let output = self.replacing.output(path, slice::from_ref(&self.input))?;
            if self.pixels {
                if self.kind.is_some() {
                    let message = "--pixels writes the elements of an image, and --kind (-k) draws a picture of the array; leave out one of them";
                    return Err(Failure::usage(message));
                }
                if !output.is_stdout() && Format::of(path)? != Format::Png {
                    let message = "--pixels writes a PNG file; end its name in .png";
                    return Err(Failure::new(path.display(), message));
                }
                let (output, file) = (output.binary()?, pixels::png(&self.input, &self.void)?);
                output.write(|out| Ok(out.write_all(&file)?))?;
                return Ok(Answer::Yes);
            }
            let format = Format::of(path)?;
            let file = draw(Canvas::File)?.to_file(&self.input.to_string(), format)?;
            output.write(|out| Ok(out.write_all(&file)?))?;
            return Ok(Answer::Yes);
        }
        let mut out = Output::stdout();
        let width = out.width.unwrap_or(80);
        let text = terminal::draw(&draw(Canvas::Terminal(width))?, width);
        out.write_all(text.as_bytes())?;
        out.finish()
    }
}
