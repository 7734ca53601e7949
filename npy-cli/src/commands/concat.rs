//! `npy concat -o OUT IN...`: joins arrays along their first dimension, in one file or in several of some size (`concat/parts.rs`).

pub(crate) mod parts;

use std::path::PathBuf;

use npy_core::{Cast, Header, Order};

use self::parts::Parts;
use super::conversion;
use super::convert::Format;
use super::info::{full_dtype, python_tuple};
use crate::output::{Answer, Failure, Of, Progress, Result};
use crate::output_file::Replacing;
use crate::raw::RawFiles;
use crate::shell;
use crate::source::{self, Source};
use crate::target::Target;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// The .npy file to write; - is standard output; with --target-size, the directory for the files
    #[arg(short, long, value_name = "OUT")]
    output: PathBuf,
    /// Writes files part-00000.npy, … of at most about this size, such as 256MB or 1GiB; all of them or none
    #[arg(long, value_name = "SIZE", value_parser = parts::size)]
    target_size: Option<u64>,
    /// Replaces the files part-*.npy of a directory that is not empty
    #[arg(long, requires = "target_size", conflicts_with = "no_clobber")]
    force: bool,
    /// The arrays, joined in this order
    #[arg(required = true, value_name = "IN")]
    inputs: Vec<Target>,
    #[command(flatten)]
    raw: RawFiles,
    #[command(flatten)]
    replacing: Replacing,
}

/// The inputs, whose headers fit.
struct Joined {
    /// The header of all rows.
    header: Header,
    /// Streams stay open, as they cannot be opened again; files do not, as there may be thousands.
    sources: Vec<Option<Source>>,
}

impl Args {
    pub(crate) fn run(mut self) -> Result {
        self.inputs.iter_mut().for_each(|input| self.raw.mark(input));
        if let Some(size) = self.target_size {
            Parts::check(&self.output, &self.inputs, self.force)?;
            let joined = self.joined()?;
            let mut parts = Parts::create(&self.output, joined.header.clone(), size)?;
            let named = |failure: Failure| failure.named(self.output.display());
            self.each_block(joined, |block| parts.write(block).map_err(named))?;
            parts.finish().map_err(named)?;
            return Ok(Answer::Yes);
        }
        if Format::of(&self.output).is_some_and(|format| format != Format::Npy) {
            let out = shell::output(&self.output);
            let npy = shell::path(&self.output.with_extension("npy"));
            let message = format!(
                "npy concat writes .npy files alone; write {npy}, and then run npy convert {npy} {out}"
            );
            return Err(Failure::new(self.output.display(), message));
        }
        let output = self.replacing.output(&self.output, &self.inputs)?.binary()?;
        let joined = self.joined()?;
        output.write(|out| {
            out.write_all(&joined.header.to_bytes().of(&self.output.display())?)?;
            self.each_block(joined, |block| Ok(out.write_all(block)?))
        })?;
        Ok(Answer::Yes)
    }

    /// Reads the headers of the inputs.
    fn joined(&self) -> Result<Joined> {
        let mut header = None;
        let mut rows = 0usize;
        let mut sources = Vec::new();
        for input in &self.inputs {
            let reader = source::open(input)?.into_array(input)?;
            source::tell_of_rest(&reader, input);
            let source = Source::of(reader, input)?;
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
        let dtype = first.dtype().clone();
        let header = Header::new(dtype, shape, Order::C).of(&self.output.display())?;
        Ok(Joined { header, sources })
    }

    /// Passes the bytes of all rows to a function, block by block.
    fn each_block(
        &self,
        Joined { header, sources }: Joined,
        mut write: impl FnMut(&[u8]) -> Result<()>,
    ) -> Result<()> {
        let dtype = header.dtype();
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
                left = left
                    .checked_sub(block.as_bytes().len() as u64)
                    .ok_or_else(|| self.changed())?;
                write(block.as_bytes())?;
                progress.add(block.as_bytes().len());
            }
        }
        if left == 0 { Ok(()) } else { Err(self.changed()) }
    }

    fn changed(&self) -> Failure {
        let message = "an input changed while it was read; run the command again";
        Failure::new(self.output.display(), message)
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
        let advice = conversion::advice(input, found.dtype(), first.dtype());
        let [found, first] = [found, first].map(|header| full_dtype(header.dtype()));
        Failure::new(
            input,
            format!("dtype {found} does not fit into {first}, that of the first input; {advice}"),
        )
    })
}
