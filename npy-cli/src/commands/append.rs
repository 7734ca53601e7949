//! `npy append FILE IN...`: adds rows at the end of a file, in place.

use std::cell::Cell;
use std::fmt::Display;
use std::fs::File;
use std::io::Read;
use std::iter;
use std::path::PathBuf;

use npy_core::{Cast, DynRowAppender, Header, Reader, UncountedRows, WriteOptions};
use npy_repair::Uncounted;

use super::conversion;
use super::info::{full_dtype, python_tuple, truncated};
use crate::output::{Answer, Failure, Of, Result, note};
use crate::output_file::is_same_file;
use crate::raw::{Raw, RawFiles};
use crate::remedy;
use crate::remote;
use crate::shell;
use crate::source::{self, After, Source};
use crate::target::{Index, Target, refuse_two_stdin};

#[derive(clap::Args)]
pub(crate) struct Args {
    /// The .npy file that grows; npy concat makes one
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// The arrays whose rows are added, in this order; their dtype must be that of FILE, in either byte order; with --uncounted there may be none
    #[arg(required_unless_present = "uncounted", value_name = "IN")]
    inputs: Vec<Target>,
    #[command(flatten)]
    raw: RawFiles,
    #[command(flatten)]
    after: After,
}

impl Args {
    /// Returns the error for a file that is an archive, or is named as one, with the command that adds the inputs as its members.
    fn as_archive(&self) -> Option<String> {
        let is_new = !self.file.exists();
        let is_named = remote::extension(&self.file).as_deref() == Some("npz");
        if !(is_new && is_named || source::begins_as_archive(&self.file)) || self.inputs.is_empty()
        {
            return None;
        }
        let append = (!is_new).then(|| "--append ".to_owned());
        let raw = self.raw.option().map(|raw| format!("{raw} "));
        let options: String = append.into_iter().chain(raw).collect();
        // Standard input has no name.
        let member = |input: &Target| match input.is_stdin() {
            true => shell::named("NAME", input),
            false => shell::target(input),
        };
        let inputs: Vec<String> = self.inputs.iter().map(member).collect();
        Some(format!(
            "an archive has members, and no rows that grow; npy npz pack {options}{} {} {}",
            shell::output(&self.file),
            inputs.join(" "),
            if is_new { "makes one of them" } else { "adds them" }
        ))
    }

    pub(crate) fn run(mut self) -> Result {
        self.inputs.iter_mut().for_each(|input| self.raw.mark(input));
        refuse_two_stdin(&self.inputs)?;
        remote::refuse_change(&self.file)?;
        let name = self.file.display();
        let target = Target::parse(self.file.as_os_str());
        if !self.file.exists() && target.is_ok_and(|target| target.member.is_some()) {
            let message = "a member of an archive does not grow; npy concat joins arrays, and npy npz pack --append adds members";
            return Err(Failure::new(name, message));
        }
        if let Some(advice) = self.as_archive() {
            // A damaged archive has the advice of its error.
            if self.file.exists() {
                source::open(&Target::from(self.file.clone()))?;
            }
            // The advice is for inputs that are one array each.
            for input in self.inputs.iter().filter(|input| !input.is_stream()) {
                source::open(input)?.into_array(input)?;
            }
            return Err(Failure::new(name, advice));
        }
        // All inputs are opened and compared before the file changes, which happens when it is opened to grow.
        let mut sources = Vec::new();
        for input in &self.inputs {
            let input_file =
                source::open(input).map_err(|failure| self.with_raw(failure, input))?;
            let reader = input_file.into_array(input)?;
            source::tell_of_rest(&reader, input);
            if input.slice.is_none()
                && let Some(failure) = truncated(&reader, input)
            {
                return Err(failure);
            }
            sources.push(Source::of(reader, input)?);
        }
        let mut options = WriteOptions::new();
        let mut removed = None;
        options.uncounted_rows(self.after.rows());
        // A file that is not an array, or does not grow, is refused below.
        if let Ok(file) = Reader::open(&self.file)
            && !file.header().shape().is_empty()
            && !file.header().dtype().has_object()
        {
            self.check(&file, &sources)?;
            let rest = self.removed(&file, &sources);
            removed = rest.map(|rest| (rest, self.rows_after(&file, &[])));
        }
        let mut appender = options.append_dyn(&self.file).of(&name)?;
        // Before the file was locked, another process may have written the rest of the row.
        let removed = removed.filter(|(_, rows)| *rows == appender.count());
        let added = sources.iter_mut().try_for_each(|source| add(source, &mut appender, &name));
        // Writes the rest first, so that nothing is added if the disk is full.
        if let Err(failure) = added.and_then(|()| appender.flush().of(&name)) {
            appender.discard();
            return Err(failure);
        }
        appender.finish().of(&name)?;
        if let Some((rest, _)) = removed {
            let message = format!("bytes of an incomplete row after the array are removed: {rest}");
            note(name, message);
        }
        Ok(Answer::Yes)
    }

    /// Adds the command that appends data without a header to the error for such an input, if it may be rows of the file.
    fn with_raw(&self, failure: Failure, input: &Target) -> Failure {
        let is_raw =
            |input: &Target| input.member.is_none() && remedy::may_be_raw_data(&input.path);
        let file = Reader::open(&self.file).ok();
        let file = file.filter(|_| self.raw.option().is_none() && is_raw(input));
        let Some((file, (dtype, [_, row @ ..]))) = file
            .as_ref()
            .map(|file| (file, (file.header().dtype().clone(), file.header().shape())))
        else {
            return failure;
        };
        let raw = Raw { dtype, row: row.to_vec() };
        let fits = |input: &Target| {
            let bytes = input.path.metadata().map_or(0, |input| input.len());
            bytes > 0 && bytes.checked_rem(raw.row_bytes()) == Some(0)
        };
        let are_rows = self.inputs.iter().filter(|input| is_raw(input)).all(fits);
        if raw.dtype.has_object() || !are_rows {
            return failure;
        }
        match self.refused(file, &[], &Some(raw.option())) {
            Ok(Some(refused)) | Err(refused) => return refused,
            Ok(None) => {}
        }
        let inputs = self.inputs.iter().map(shell::target);
        let uncounted = || self.uncounted_rows(file).map(|_| "--uncounted keep".to_owned());
        let options = self.after.option().or_else(uncounted).into_iter().chain([raw.option()]);
        let words = ["npy append".to_owned(), shell::path(&self.file)].into_iter().chain(inputs);
        let words: Vec<String> = words.chain(options).collect();
        let name = self.file.display();
        failure.with(&format!("; {} appends it as rows of {name}", words.join(" ")))
    }

    /// Checks that the rows of all inputs fit those of the file, and their number its header.
    fn check(&self, file: &Reader<File>, sources: &[Source]) -> Result<()> {
        for (input, source) in self.inputs.iter().zip(sources) {
            if source.dtype().has_object() {
                return Err(Failure::new(
                    input,
                    "Python objects cannot be appended; npy convert --dtype makes plain values of numbers, text and times",
                ));
            }
            check_shape(input, source.header(), file.header())?;
            if is_same_file(&input.path, &self.file) {
                return Err(Failure::new(
                    source.name(),
                    "a file cannot be appended to itself; use npy concat",
                ));
            }
        }
        if let Some(failure) = self.refused(file, sources, &self.raw.option())? {
            return Err(failure);
        }
        let uncounted = self.uncounted_rows(file);
        if self.after.rows() == UncountedRows::Refuse
            && matches!(uncounted, Some(Uncounted { rows: 1.., .. }))
        {
            // `append_dyn` refuses these rows. Advice about dtypes would lose them.
            return Ok(());
        }
        let header = file.header();
        self.check_dtypes(header, sources)?;
        let (rows, total) = (header.shape().first(), self.rows_after(file, sources));
        let mut bytes = Vec::new();
        let stream = File::open(&self.file).of(&self.file.display())?;
        stream.take(file.data_offset()).read_to_end(&mut bytes).of(&self.file.display())?;
        match rows {
            Some(rows) if cannot_count(&bytes, *rows, total) => Err(Failure::new(
                self.file.display(),
                format!(
                    "its header has no blanks for the digits of {total} rows; npy concat writes the rows of both to a new file"
                ),
            )),
            _ => Ok(()),
        }
    }

    /// Returns the error for a file to which no row can be added: one in Fortran order, or one that ends early. `raw` is the option of its inputs.
    fn refused(
        &self,
        file: &Reader<File>,
        sources: &[Source],
        raw: &Option<String>,
    ) -> Result<Option<Failure>> {
        let target = Target::from(self.file.clone());
        let reader = source::open(&target)?.into_array(&target)?;
        let truncated = truncated(&reader, &target);
        let is_strided = Uncounted::of(file.header(), 0).is_some_and(|rows| rows.axis > 0);
        if truncated.is_some() || !is_strided {
            return Ok(truncated);
        }
        let advice = self.in_c_order(file, sources, raw)?;
        let message =
            format!("is in Fortran order, in which no row can be added in place; {advice}");
        Ok(Some(Failure::new(self.file.display(), message)))
    }

    /// Checks that all inputs have the dtype of the file.
    fn check_dtypes(&self, file: &Header, sources: &[Source]) -> Result<()> {
        let headers = || self.inputs.iter().zip(sources.iter().map(Source::header));
        let found = || headers().map(|(input, header)| (input, header.dtype()));
        let wanted = file.dtype();
        conversion::check_fields(found(), wanted, "the file")?;
        let Some((input, dtype)) =
            found().find(|(_, dtype)| dtype.converts_to(wanted, Cast::Exact).is_err())
        else {
            return Ok(());
        };
        let target = Target::from(self.file.clone());
        let arrays: Vec<_> = iter::once((&target, file)).chain(headers()).collect();
        let is_new = Cell::new(false);
        let advice = conversion::advice(&arrays, Cast::Exact, |words| {
            // A new file has no rows that are not counted.
            is_new.set(words.first() != Some(&shell::target(&target)));
            let uncounted = self.after.option().filter(|_| !is_new.get());
            let options = self.raw.option().into_iter().chain(uncounted);
            let words: Vec<String> = words.iter().cloned().chain(options).collect();
            format!("npy append {}", words.join(" "))
        });
        // Rows that are kept are counted before the file is converted.
        let counted = match self.after.rows() {
            UncountedRows::Keep if is_new.get() => {
                format!("npy append {} --uncounted keep && ", shell::path(&self.file))
            }
            _ => String::new(),
        };
        let [found, expected] = [dtype, wanted].map(full_dtype);
        let message = format!(
            "its dtype is {found}, that of the file {expected}; {counted}{}",
            advice.unwrap_or_default()
        );
        Err(Failure::new(input, message))
    }

    /// Returns the commands that write a new file in place of one in Fortran order. The rows that are added have no values for columns
    /// that its header does not count.
    fn in_c_order(
        &self,
        file: &Reader<File>,
        sources: &[Source],
        raw: &Option<String>,
    ) -> Result<String> {
        let target = Target::from(self.file.clone());
        let concat = |arrays: &[String]| {
            let words = ["npy concat -o OUT".to_owned()].into_iter().chain(raw.clone());
            words.chain(arrays.iter().cloned()).collect::<Vec<_>>().join(" ")
        };
        let headers = self.inputs.iter().zip(sources.iter().map(Source::header));
        let dtypes = headers.clone().map(|(input, header)| (input, header.dtype()));
        conversion::check_fields(dtypes, file.header().dtype(), "the file")?;
        let arrays: Vec<_> = iter::once((&target, file.header())).chain(headers).collect();
        let repair =
            format!("npy repair {} --uncounted keep -o OUT --yes counts", shell::path(&self.file));
        let columns = match self.after.rows() {
            UncountedRows::Remove => None,
            // The bytes of another array are not columns.
            _ if source::has_at(&self.file, end_of_array(file), b"\x93NUMPY") => None,
            _ => self.uncounted_rows(file),
        };
        let has_columns = matches!(columns, Some(Uncounted { rows: 1.., .. }));
        // Dtypes that do not fit are converted first.
        let writes = match conversion::advice(&arrays, Cast::Lossless, concat) {
            Some(advice) => advice,
            None => {
                let all = iter::once(&target).chain(&self.inputs).map(shell::read_again);
                let save = shell::save_first(&self.inputs);
                let rest = if has_columns { " without these" } else { "" };
                let command = concat(&all.collect::<Vec<_>>());
                format!("{save}{command} writes all rows in C order{rest}")
            }
        };
        Ok(match (has_columns, self.inputs.is_empty()) {
            (true, true) => format!("{repair} them in a new file"),
            (true, false) => {
                format!("{repair} columns at its end, which makes each row longer; {writes}")
            }
            (false, _) => writes,
        })
    }

    /// Returns the number of rows that the file will have.
    fn rows_after(&self, file: &Reader<File>, sources: &[Source]) -> usize {
        let count = |shape: &[usize]| shape.iter().fold(1, |n: usize, &k| n.saturating_mul(k));
        let Some((rows, row)) = file.header().shape().split_first() else { return 0 };
        let added = sources.iter().map(|source| count(source.header().shape()));
        let added = added.fold(0, usize::saturating_add) / count(row).max(1);
        let kept = match self.kept_rows(file) {
            Some(Uncounted { rows, .. }) => rows,
            _ => 0,
        };
        rows.saturating_add(added).saturating_add(kept)
    }

    /// Returns the uncounted rows of the file if they are kept.
    fn kept_rows(&self, file: &Reader<File>) -> Option<Uncounted> {
        match self.after.rows() {
            UncountedRows::Keep => self.uncounted_rows(file),
            _ => None,
        }
    }

    /// Returns the number of bytes of an incomplete row after the array, if they are removed without a word of the command.
    fn removed(&self, file: &Reader<File>, sources: &[Source]) -> Option<u64> {
        let is_removed = match self.after.rows() {
            UncountedRows::Refuse => {
                Some(&self.rows_after(file, sources)) > file.header().shape().first()
            }
            choice => choice == UncountedRows::Keep,
        };
        let rest = self.uncounted_rows(file)?.rest;
        (is_removed && rest > 0).then_some(rest)
    }

    /// Returns the rows after the array, or its columns if it grows by these, and the bytes of an incomplete one after them.
    fn uncounted_rows(&self, file: &Reader<File>) -> Option<Uncounted> {
        let bytes = self.file.metadata().ok()?.len().checked_sub(end_of_array(file))?;
        Uncounted::of(file.header(), bytes).filter(|_| bytes > 0)
    }
}

/// Returns the position after the data that the header counts.
fn end_of_array(file: &Reader<File>) -> u64 {
    file.data_offset().saturating_add(file.header().data_bytes())
}

/// Returns true if the header of a file with this number of rows cannot count the total. It may have blanks before the number, which are then many.
fn cannot_count(header: &[u8], rows: usize, total: usize) -> bool {
    /// A longer header may be written again, with blanks.
    const MAX: usize = 4000;
    /// As long as the blanks before a number.
    const BLANKS: &[u8] = b"        ";
    let trimmed = header.trim_ascii_end();
    let has_blanks = trimmed.windows(BLANKS.len()).any(|part| part == BLANKS);
    let padded = header.strip_suffix(b"\n").unwrap_or(header);
    let digits = |number: usize| number.to_string().len();
    let max_digits = digits(rows) + padded.len().saturating_sub(trimmed.len());
    header.len() <= MAX && !has_blanks && digits(total) > max_digits
}

/// Adds the rows of an array. `name` is that of the file.
fn add(source: &mut Source, appender: &mut DynRowAppender, name: &impl Display) -> Result<()> {
    let rows = source.rows_per_block();
    while let Some(block) = source.next(rows)? {
        appender.append(&block).of(name)?;
    }
    Ok(())
}

/// Checks that rows of an array have the shape of those of the file.
fn check_shape(input: &Target, header: &Header, file: &Header) -> Result<()> {
    let row = file.shape().get(1..).unwrap_or_default();
    if header.shape().get(1..) != Some(row) {
        let (shape, row_text) = (python_tuple(header.shape()), python_tuple(row));
        let advice = match as_rows(input) {
            Some(rows) if header.shape() == row => format!("; {rows} is an array of one row"),
            _ => {
                let lengths: String = row.iter().map(|length| format!(" {length},")).collect();
                let is_matrix = row.len() == 1 && !file.dtype().is_record();
                let plain = match header.dtype().is_record() && is_matrix {
                    true => ", which npy convert --dtype makes of a text of numbers",
                    false => "",
                };
                format!("; an array of shape (n,{}) fits{plain}", lengths.trim_end_matches(','))
            }
        };
        let message =
            format!("the array of shape {shape} does not fit rows of shape {row_text}{advice}");
        return Err(Failure::new(input, message));
    }
    Ok(())
}

/// Returns the target with a range of one row in place of its first index: `x.npy[0:1]` for `x.npy[0]`.
fn as_rows(input: &Target) -> Option<Target> {
    let mut slice = input.slice.clone()?;
    let first = slice.first_mut()?;
    let Index::At(at) = *first else { return None };
    let stop = at.checked_add(1).filter(|&stop| stop != 0);
    *first = Index::Range { start: Some(at), stop, step: 1 };
    Some(Target { slice: Some(slice), ..input.clone() })
}
