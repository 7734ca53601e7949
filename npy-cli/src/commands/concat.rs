//! `npy concat -o OUT IN...`: joins arrays along their first dimension.

use std::path::PathBuf;

use npy_core::{Cast, Header, Order};

use super::convert::Format;
use super::info::{full_dtype, python_tuple};
use crate::output::{Answer, Failure, Of, Progress, Result};
use crate::output_file::Replacing;
use crate::raw::RawFiles;
use crate::source::Source;
use crate::target::Target;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// The .npy file to write; - is standard output
    #[arg(short, long, value_name = "OUT")]
    output: PathBuf,
    /// The arrays, joined in this order
    #[arg(required = true, value_name = "IN")]
    inputs: Vec<Target>,
    #[command(flatten)]
    raw: RawFiles,
    #[command(flatten)]
    replacing: Replacing,
}

impl Args {
    pub(crate) fn run(mut self) -> Result {
        self.inputs.iter_mut().for_each(|input| self.raw.mark(input));
        if Format::of(&self.output).is_some_and(|format| format != Format::Npy) {
            let (out, npy) = (self.output.display(), self.output.with_extension("npy"));
            let npy = npy.display();
            let message = format!(
                "npy concat writes .npy files alone; write {npy}, and then run npy convert {npy} {out}"
            );
            return Err(Failure::new(&out, message));
        }
        let output = self.replacing.output(&self.output, &self.inputs)?.binary()?;
        let mut inputs = self.inputs.iter();
        let mut header = None;
        let mut rows = 0usize;
        // Streams stay open, as they cannot be opened again; files do not, as there may be thousands.
        let mut sources = Vec::new();
        for input in inputs.by_ref() {
            let source = Source::open(input)?;
            let found = source.header();
            if found.shape().is_empty() {
                return Err(Failure::new(input, "an array without dimensions has no rows to join"));
            }
            if found.dtype().has_object() {
                return Err(Failure::new(input, "Python objects cannot be joined"));
            }
            let first = header.get_or_insert_with(|| found.clone());
            check(input, first, found)?;
            let too_many =
                || Failure::new(input, "all rows together are more than a file can have");
            let more = found.shape().first().copied().unwrap_or(0);
            rows = rows.checked_add(more).ok_or_else(too_many)?;
            sources.push(input.is_stream().then_some(source));
        }
        let Some(first) = header else { return Err(Failure::usage("no input")) };
        let shape: Vec<usize> =
            [rows].into_iter().chain(first.shape().iter().skip(1).copied()).collect();
        let dtype = first.dtype();
        let header = Header::new(dtype.clone(), shape, Order::C).of(&self.output.display())?;
        output.write(|out| {
            out.write_all(&header.to_bytes().of(&self.output.display())?)?;
            let mut left = header.data_bytes();
            let mut progress = Progress::start(left);
            for (input, source) in self.inputs.iter().zip(sources) {
                let mut source = match source {
                    Some(source) => source,
                    None => Source::open(input)?,
                };
                let block_rows = source.rows_per_block();
                // Rows without bytes need not be read.
                while left > 0
                    && let Some(block) = source.next(block_rows)?
                {
                    let is_same = block.dtype() == dtype;
                    let block = if is_same {
                        block
                    } else {
                        block.cast_with(dtype, Cast::Lossless).of(input)?
                    };
                    left = left.saturating_sub(block.as_bytes().len() as u64);
                    out.write_all(block.as_bytes())?;
                    progress.add(block.as_bytes().len());
                }
            }
            match left == 0 {
                true => Ok(Answer::Yes),
                false => Err(Failure::new(
                    self.output.display(),
                    "an input changed while it was read; run the command again",
                )),
            }
        })
    }
}

/// Checks that the rows of an array fit those of the first one.
fn check(input: &Target, first: &Header, found: &Header) -> Result<()> {
    let (row, expected) = (found.shape().get(1..), first.shape().get(1..));
    if row != expected {
        let [row, expected] = [row, expected].map(|row| python_tuple(row.unwrap_or_default()));
        return Err(Failure::new(
            input,
            format!("its rows have shape {row}, those of the first input {expected}"),
        ));
    }
    if found.dtype() == first.dtype() {
        return Ok(());
    }
    found.dtype().converts_to(first.dtype(), Cast::Lossless).map_err(|_| {
        let [found, first] = [found, first].map(|header| full_dtype(header.dtype()));
        let hint = "convert it first with npy convert --dtype";
        Failure::new(
            input,
            format!("dtype {found} does not fit into {first}, that of the first input; {hint}"),
        )
    })
}
