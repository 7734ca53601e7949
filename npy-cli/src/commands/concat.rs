//! `npy concat -o OUT IN...`: joins arrays along an axis, in one file or in several of some size (`concat/parts.rs`).
//!
//! The result is in C order, and so are the bytes of each input (`concat/input.rs`): for each index before the axis, a part of each input follows in turn.

mod input;
pub(crate) mod parts;

use std::iter;
use std::path::PathBuf;

use npy_core::{Cast, Header, Order, npz};

use self::input::{Input, Reading};
use self::parts::Parts;
use super::conversion;
use super::convert::Format;
use super::info::{full_dtype, python_tuple};
use crate::output::{Answer, Failure, Of, Progress, Result};
use crate::output_file::{Replacing, converted, member, refuse_compressed};
use crate::raw::RawFiles;
use crate::remote;
use crate::shell;
use crate::target::{Target, refuse_two_stdin};

#[derive(clap::Args)]
pub(crate) struct Args {
    /// The .npy file to write; - is standard output; with --target-size, the directory for the files
    #[arg(short, long, value_name = "OUT")]
    output: PathBuf,
    /// The dimension along which the arrays are joined, the others being the same; negative numbers count from the last one
    #[arg(long, value_name = "N", default_value_t = 0, allow_negative_numbers = true, value_parser = axis)]
    axis: i64,
    /// Writes files part-00000.npy, … of at most about this size, such as 256MB or 1GiB; all of them or none
    #[arg(long, value_name = "SIZE", value_parser = parts::size)]
    target_size: Option<u64>,
    /// Replaces the files part-*.npy of a directory that is not empty, and writes more than 10,000 files
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
struct Joined<'a> {
    /// The header of the result.
    header: Header,
    /// Each with the bytes of a part of it: all elements of one index of the dimensions before the axis.
    inputs: Vec<(Input<'a>, u64)>,
    /// The number of parts of each.
    parts: u64,
    /// The end of the error for a value of another dtype that does not fit: text that is too long, or a time that is not a whole number of units.
    advice: String,
}

impl Args {
    pub(crate) fn run(mut self) -> Result {
        self.inputs.iter_mut().for_each(|input| self.raw.mark(input));
        refuse_two_stdin(&self.inputs)?;
        if let Some(size) = self.target_size {
            Parts::check(&self.output, &self.inputs, self.force)?;
            let joined = self.joined()?;
            let mut parts = Parts::create(&self.output, joined.header.clone(), size, self.force)?;
            let named = |failure: Failure| failure.named(self.output.display());
            self.each_block(joined, |block| parts.write(block).map_err(named))?;
            parts.finish().map_err(named)?;
            return Ok(Answer::Yes);
        }
        refuse_compressed(&self.output, &self.output.with_extension(""))?;
        remote::refuse_directory(&self.output)?;
        if self.two_steps().is_some() {
            // The advice is for inputs that can be joined.
            self.joined()?;
            let message = format!(
                "npy concat writes .npy files alone; {} writes it",
                self.command(&self.inputs.iter().map(shell::target).collect::<Vec<_>>())
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

    /// Returns the file to write and the output of the `npy convert` that follows, if the output is not a .npy file.
    fn two_steps(&self) -> Option<(String, String)> {
        let npy = self.output.with_extension("npy");
        if let Some(member) = member(&self.output) {
            return Some(("OUT.npy".to_owned(), converted(&member)));
        }
        let out = match Format::of(&self.output).filter(|_| self.target_size.is_none())? {
            Format::Npy => return None,
            // The other members of an archive are kept, and the other tensors of a file.
            Format::Npz => match npz::Reader::open(&self.output) {
                Ok(archive) => {
                    let stem = npy.file_stem().unwrap_or_default().to_string_lossy();
                    let names = (2..).map(|count| format!("{stem}_{count}"));
                    let mut names = iter::once(stem.clone().into_owned()).chain(names);
                    shell::member(&self.output, &names.find(|name| !archive.contains(name))?)
                }
                Err(_) => shell::output(&self.output),
            },
            Format::Safetensors => shell::new_output(&self.output),
            _ => shell::output(&self.output),
        };
        Some((shell::new_output(&npy), out))
    }

    /// Returns the same command with other inputs, and the one that follows if the output is not a .npy file.
    fn command(&self, inputs: &[String]) -> String {
        let axis = (self.axis != 0).then(|| format!("--axis {}", self.axis));
        let size = self.target_size.map(|size| format!("--target-size {size}"));
        let force = self.force.then(|| "--force".to_owned());
        let options = axis.into_iter().chain(size).chain(force).chain(self.raw.option());
        let words = options.chain(self.replacing.option()).chain(inputs.iter().cloned());
        let output = match self.two_steps() {
            Some((npy, out)) => format!("{npy} && npy convert {npy} {out}"),
            None => shell::path(&self.output),
        };
        format!("npy concat {} -o {output}", words.collect::<Vec<_>>().join(" "))
    }

    /// Checks that the values of all arrays fit the dtype of the first. Texts, and times in another unit, may fit.
    fn check_dtypes(&self, headers: &[Header]) -> Result<()> {
        let dtypes = || headers.iter().map(Header::dtype);
        let Some(first) = dtypes().next() else { return Ok(()) };
        conversion::check_fields(self.inputs.iter().zip(dtypes()), first, "the first input")?;
        let mut pairs = self.inputs.iter().zip(dtypes());
        let Some((input, found)) =
            pairs.find(|(_, found)| found.converts_to(first, Cast::Lossless).is_err())
        else {
            return Ok(());
        };
        let advice = self.advice(headers).unwrap_or_default();
        let [found, first] = [found, first].map(full_dtype);
        let message =
            format!("dtype {found} does not fit into {first}, that of the first input; {advice}");
        Err(Failure::new(input, message))
    }

    /// Returns the commands that join the arrays with a dtype which holds the values of all.
    fn advice(&self, headers: &[Header]) -> Option<String> {
        let arrays: Vec<(&Target, &Header)> = self.inputs.iter().zip(headers).collect();
        conversion::advice(&arrays, Cast::Lossless, |inputs| self.command(inputs))
    }

    /// Reads the headers of the inputs.
    fn joined(&self) -> Result<Joined<'_>> {
        let Some(target) = self.inputs.first() else { return Err(Failure::usage("no input")) };
        let (input, first) = Input::open(target)?;
        check_plain(target, &first)?;
        let axis = self.axis_of(first.shape())?;
        let part = |header: &Header| {
            let lengths = header.shape().iter().skip(axis).map(|&length| length as u64);
            lengths.fold(header.dtype().itemsize() as u64, u64::saturating_mul)
        };
        let mut shape = first.shape().to_vec();
        let mut inputs = vec![(input, part(&first))];
        let mut headers = vec![first.clone()];
        for target in &self.inputs[1..] {
            let (input, found) = Input::open(target)?;
            check_plain(target, &found)?;
            check_shape(target, first.shape(), found.shape(), axis)?;
            let too_many = || Failure::new(target, "all together are more than a file can have");
            shape[axis] = shape[axis].checked_add(found.shape()[axis]).ok_or_else(too_many)?;
            let header = Header::new(first.dtype().clone(), found.shape(), Order::C);
            inputs.push((input, part(&header.of(target)?)));
            headers.push(found);
        }
        self.check_dtypes(&headers)?;
        let parts = shape.iter().take(axis).map(|&length| length as u64);
        let parts = parts.fold(1, u64::saturating_mul);
        let header = Header::new(first.dtype().clone(), shape, Order::C);
        let advice = self.advice(&headers).map_or(String::new(), |advice| format!("; {advice}"));
        Ok(Joined { header: header.of(&self.output.display())?, inputs, parts, advice })
    }

    /// Returns the axis as an index of dimensions.
    fn axis_of(&self, shape: &[usize]) -> Result<usize> {
        let dimensions = shape.len();
        let axis = match usize::try_from(self.axis.unsigned_abs()) {
            Ok(back) if self.axis < 0 => dimensions.checked_sub(back),
            Ok(axis) => Some(axis),
            Err(_) => None,
        };
        axis.filter(|&axis| axis < dimensions).ok_or_else(|| {
            Failure::usage(format!(
                "there is no axis {}: the arrays have shape {}, and so the axes are 0 to {}; in Python, np.stack makes a new axis of arrays of one shape and dtype",
                self.axis,
                python_tuple(shape),
                dimensions.saturating_sub(1)
            ))
        })
    }

    /// Passes the bytes of the result to a function, block by block.
    fn each_block(
        &self,
        Joined { header, mut inputs, parts, advice }: Joined<'_>,
        mut write: impl FnMut(&[u8]) -> Result<()>,
    ) -> Result<()> {
        /// The memory of the blocks of all inputs.
        const MEMORY: usize = 1 << 26;
        /// The bytes after which the progress is told.
        const REPORTED: usize = 1 << 20;
        /// More files are not open at a time.
        const MAX_OPEN: usize = 200;
        let bytes = header.data_bytes();
        // What has no bytes need not be read.
        let parts = if bytes == 0 { 0 } else { parts };
        let reading = Reading {
            dtype: header.dtype(),
            block: if parts > 1 { MEMORY / inputs.len() } else { MEMORY },
            closes: parts > 1 && inputs.len() > MAX_OPEN,
            advice: &advice,
        };
        let (mut progress, mut written) = (Progress::start(bytes), 0);
        // Parts may have few bytes.
        let mut write = |block: &[u8]| {
            written += block.len();
            if written >= REPORTED {
                progress.add(std::mem::take(&mut written));
            }
            write(block)
        };
        for _ in 0..parts {
            for (input, part) in &mut inputs {
                input.take(*part, reading, &mut write)?;
            }
        }
        Ok(())
    }
}

/// Parses an axis.
fn axis(text: &str) -> Result<i64, String> {
    text.parse()
        .map_err(|_| "an axis is the number of a dimension: 0 is the first, -1 the last".into())
}

/// Refuses arrays that cannot be joined.
fn check_plain(input: &Target, header: &Header) -> Result<()> {
    if header.shape().is_empty() {
        return Err(Failure::new(input, "an array without dimensions has no rows to join"));
    }
    if header.dtype().has_object() {
        return Err(Failure::new(input, "Python objects cannot be joined"));
    }
    Ok(())
}

/// Checks that all dimensions but one are those of the first array.
fn check_shape(input: &Target, first: &[usize], found: &[usize], axis: usize) -> Result<()> {
    let is_same = |at: usize| at == axis || first.get(at) == found.get(at);
    if first.len() == found.len() && (0..first.len()).all(is_same) {
        return Ok(());
    }
    let rule = match first.len() == found.len() {
        true => "only the lengths along the axis may differ",
        false => "they need the same number of dimensions",
    };
    let [first, found] = [first, found].map(python_tuple);
    let message = format!(
        "its shape {found} does not fit that of the first input, {first}, along axis {axis}; {rule}"
    );
    Err(Failure::new(input, message))
}
