//! `npy head`, `tail` and `sample`: some rows of an array.

use std::collections::BTreeSet;
use std::time::{SystemTime, UNIX_EPOCH};

use super::members;
use crate::args::whole;
use crate::output::{Of, Output, Result, note};
use crate::printer::Printer;
use crate::raw::RawFiles;
use crate::rows::{Form, Format, Rows};
use crate::source::{self, AnyReader, Input};
use crate::target::Target;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// The array; of an archive, each member is shown
    #[arg(value_name = "FILE")]
    file: Target,
    /// The number of rows; without it 10, and 3 of each member of an archive
    #[arg(short = 'n', long, value_name = "ROWS", value_parser = whole::<usize>)]
    rows: Option<usize>,
    #[command(flatten)]
    format: Format,
    #[command(flatten)]
    raw: RawFiles,
}

/// The rows of an array, and of each member of an archive.
const ROWS: usize = 10;
const MEMBER_ROWS: usize = 3;

#[derive(clap::Args)]
pub(crate) struct SampleArgs {
    #[command(flatten)]
    args: Args,
    /// Chooses the same rows each time
    #[arg(long, value_name = "NUMBER", value_parser = whole::<u64>)]
    seed: Option<u64>,
}

impl Args {
    pub(crate) fn head(self) -> Result {
        self.print(|rows, count, printer| printer.print(rows, count))
    }

    pub(crate) fn tail(self) -> Result {
        self.print(|rows, count, printer| {
            rows.skip(rows.len().saturating_sub(count));
            printer.print(rows, count)
        })
    }

    fn print(
        mut self,
        print: impl Fn(&mut Rows<'_>, usize, &mut Printer<'_>) -> Result<()>,
    ) -> Result {
        self.raw.mark(&mut self.file);
        let form = self.format.form(Form::Table);
        let mut out = Output::stdout();
        let show = |reader: AnyReader, target: &Target, count: usize, out: &mut Output| {
            let mut objects = None;
            let mut rows = Rows::of(reader, target, &self.format.columns, form, &mut objects)?;
            let mut printer = Printer::stdout(out, form);
            print(&mut rows, count, &mut printer)?;
            printer.finish()
        };
        // Columns, a slice and other forms than a table are for one array.
        let is_plain =
            form == Form::Table && self.format.columns.is_empty() && self.file.slice.is_none();
        match source::open(&self.file)? {
            Input::Archive(archive) if is_plain && archive.len() > 1 => {
                let count = self.rows.unwrap_or(MEMBER_ROWS);
                let answer =
                    members::each(&archive, &self.file, true, &mut out, |reader, target, out| {
                        show(reader.widened(&self.format.void).of(target)?, target, count, out)
                    });
                out.finish()?;
                answer
            }
            input => {
                let reader = input.into_array(&self.file)?;
                source::tell_of_rest(&reader, &self.file);
                let is_told = source::has_complete_slice(&reader, &self.file);
                let truncated = source::truncation(&reader, &self.file).filter(|_| !is_told);
                let reader = reader.numbers_of(&self.format.void, &self.file)?;
                show(reader, &self.file, self.rows.unwrap_or(ROWS), &mut out)?;
                let answer = out.finish();
                if let Some(text) = truncated {
                    note(&self.file, text);
                }
                answer
            }
        }
    }
}

impl SampleArgs {
    pub(crate) fn run(self) -> Result {
        let seed = self.seed.unwrap_or_else(|| {
            let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
            u64::from(now.subsec_nanos()) ^ (now.as_secs() << 30)
        });
        self.args.print(|rows, count, printer| {
            for row in chosen(rows.len(), count, seed) {
                rows.skip_to(row);
                printer.print(rows, 1)?;
            }
            Ok(())
        })
    }
}

/// Chooses `count` of the numbers below `length`, each with the same chance (Floyd's algorithm).
fn chosen(length: usize, count: usize, seed: u64) -> BTreeSet<usize> {
    let mut state = seed;
    let mut chosen = BTreeSet::new();
    for last in length.saturating_sub(count)..length {
        // SplitMix64. The bias of the remainder is far below what a sample shows.
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = state;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        bits ^= bits >> 31;
        let row = usize::try_from(bits % (last as u64 + 1)).unwrap_or(last);
        if !chosen.insert(row) {
            chosen.insert(last);
        }
    }
    chosen
}

#[cfg(test)]
mod tests {
    use super::chosen;

    #[test]
    fn a_sample_has_as_many_rows_as_asked_for_without_repetition() {
        for (length, count) in [(0, 5), (3, 5), (5, 5), (1000, 10)] {
            let sample = chosen(length, count, 7);
            assert_eq!(sample.len(), length.min(count));
            assert!(sample.iter().all(|&row| row < length));
        }
    }

    #[test]
    fn a_seed_chooses_the_same_rows_again() {
        assert_eq!(chosen(1000, 10, 1), chosen(1000, 10, 1));
        assert_ne!(chosen(1000, 10, 1), chosen(1000, 10, 2));
    }
}
