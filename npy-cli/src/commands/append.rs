//! `npy append FILE IN...`: adds rows at the end of a file, in place.

use std::path::{Path, PathBuf};

use npy_core::{DynArray, Order, UncountedRows, WriteOptions};

use crate::output::{Answer, Failure, Of, Result};
use crate::source::Source;
use crate::target::Target;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// The .npy file that grows
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// The arrays whose rows are added, in this order
    #[arg(required_unless_present = "uncounted", value_name = "IN")]
    inputs: Vec<Target>,
    /// Counts or removes complete rows at the end that the header does not count; a writer that was stopped may have left them
    #[arg(long, value_enum, value_name = "keep|remove", hide_possible_values = true)]
    uncounted: Option<Uncounted>,
}

#[derive(Clone, Copy, clap::ValueEnum)]
enum Uncounted {
    Keep,
    Remove,
}

impl Args {
    pub(crate) fn run(self) -> Result {
        let name = self.file.display();
        // All inputs are opened and compared before the file changes.
        let mut sources = Vec::new();
        for input in &self.inputs {
            sources.push(Source::open(input)?);
        }
        let mut options = WriteOptions::new();
        match self.uncounted {
            Some(Uncounted::Keep) => _ = options.uncounted_rows(UncountedRows::Keep),
            Some(Uncounted::Remove) => _ = options.uncounted_rows(UncountedRows::Remove),
            None => {}
        }
        let mut appender = options.append_dyn(&self.file).of(&name)?;
        for (input, source) in self.inputs.iter().zip(&sources) {
            if source.dtype().has_object() {
                return Err(Failure::new(input, "Python objects cannot be appended"));
            }
            let ours = appender.row_shape();
            if source.header().shape().get(1..) != Some(ours) {
                let shape = super::info::shape_text(source.header());
                let row = super::info::python_tuple(ours);
                let message =
                    format!("the array of shape {shape} does not fit rows of shape {row}");
                return Err(Failure::new(source.name(), message));
            }
            if is_same_file(&input.path, &self.file) {
                return Err(Failure::new(
                    source.name(),
                    "a file cannot be appended to itself; use npy concat",
                ));
            }
        }
        for source in &mut sources {
            let rows = source.rows_per_block();
            while let Some(block) = source.next(rows)? {
                // After a slice like [3], a row of the file is several rows of the result.
                let block = rows_of(block, appender.row_shape()).of(&source.name())?;
                appender.append(&block).of(&source.name())?;
            }
        }
        appender.finish().of(&name)?;
        Ok(Answer::Yes)
    }
}

/// Returns the same elements as rows of this shape.
fn rows_of(block: DynArray, row: &[usize]) -> npy_core::Result<DynArray> {
    if block.shape().get(1..) == Some(row) {
        return Ok(block);
    }
    let elements: usize = block.shape().iter().product();
    let count = elements / row.iter().product::<usize>().max(1);
    DynArray::new(block.dtype().clone(), [&[count], row].concat(), Order::C, block.into_bytes())
}

/// Returns true if reading the one file would see what is written to the other.
fn is_same_file(input: &Path, file: &Path) -> bool {
    matches!((input.canonicalize(), file.canonicalize()), (Ok(input), Ok(file)) if input == file)
}
