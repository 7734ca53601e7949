//! Rows of an array as a table, CSV or JSON: what `head`, `tail`, `sample`, `cat` and `convert` print.
//!
//! `Rows::open(&target, &columns, form, &mut objects)` reads the header only, unless there are Python objects; `rows.skip(n)` and `rows.print(n, &mut printer)` go through the rows. One
//! [`Printer`] can print the rows of several arrays, if they have the same columns.

use std::io::Write;
use std::ops::Range;
use std::thread;

use npy_core::{DynArray, ObjectRef, Objects};

use crate::columns::{Columns, Leaf, Split, Tree, csv_header, csv_row};
use crate::output::{Failure, Output, Progress, Result};
use crate::source::{self, AnyReader, Source};
use crate::table::{Align, Sheet};
use crate::target::Target;

/// The options of subcommands that print rows.
#[derive(clap::Args, Clone, Debug)]
pub(crate) struct Format {
    /// The columns to print, such as a,hdr.t0 or 0,2
    #[arg(short, long, value_delimiter = ',', value_name = "NAMES")]
    pub(crate) columns: Vec<String>,
    /// Prints CSV with a line of names
    #[arg(long, group = "form")]
    csv: bool,
    /// Prints CSV with tabs in place of commas
    #[arg(long, group = "form")]
    tsv: bool,
    /// Prints one array of JSON
    #[arg(long, group = "form")]
    json: bool,
    /// Prints a line of JSON for each row
    #[arg(long, group = "form")]
    jsonl: bool,
}

/// How rows are printed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Form {
    Table,
    /// With this byte between two fields.
    Csv(u8),
    Json,
    JsonLines,
}

impl Form {
    pub(crate) const CSV: Form = Form::Csv(b',');
    pub(crate) const TSV: Form = Form::Csv(b'\t');
}

impl Format {
    /// Returns the form that the options name.
    pub(crate) fn form(&self, default: Form) -> Form {
        match self {
            Format { csv: true, .. } => Form::CSV,
            Format { tsv: true, .. } => Form::TSV,
            Format { json: true, .. } => Form::Json,
            Format { jsonl: true, .. } => Form::JsonLines,
            _ => default,
        }
    }
}

/// Tables have no more columns, even if the output has any width.
const MAX_TABLE_COLUMNS: usize = 1000;

/// The columns of a record are not counted further.
const MAX_COUNTED_COLUMNS: usize = 1 << 20;

/// The rows of an array.
pub(crate) struct Rows<'a> {
    source: Source,
    leaves: Vec<Leaf>,
    tree: Tree,
    /// The columns that the array has, which may be more than those of a table.
    total: usize,
    /// The threads that make text of rows.
    threads: usize,
    /// The Python objects, whose indices the rows have.
    objects: Vec<ObjectRef<'a>>,
}

impl<'a> Rows<'a> {
    /// Opens an array. `objects` is where its Python objects are kept, if it has any.
    pub(crate) fn open(
        target: &Target,
        columns: &[String],
        form: Form,
        objects: &'a mut Option<Objects>,
    ) -> Result<Self> {
        let reader = source::open(target)?.into_array(target)?;
        Rows::of(reader, target, columns, form, objects)
    }

    pub(crate) fn of(
        mut reader: AnyReader,
        target: &Target,
        columns: &[String],
        form: Form,
        objects: &'a mut Option<Objects>,
    ) -> Result<Self> {
        let (mut dtype, mut list) = (reader.header().dtype().clone(), Vec::new());
        if dtype.has_object() {
            let objects = objects.insert(source::objects(&mut reader, target)?);
            (reader, dtype, list) = source::split(objects, target)?;
        }
        let is_table = form == Form::Table;
        let inner = reader.header().shape().iter().skip(1);
        let total = inner.fold(1, |total: usize, &n| total.saturating_mul(n));
        let is_matrix = reader.header().shape().len() == 2 && target.slice.is_none();
        let indices: Option<Vec<usize>> =
            columns.iter().map(|column| column.parse::<usize>().ok()).collect();
        let max = match indices.as_deref() {
            Some([]) if is_table => MAX_TABLE_COLUMNS,
            // Rows of a matrix are not read beyond the last column that is wanted.
            Some([first, rest @ ..]) if is_matrix => {
                rest.iter().fold(*first, |last, &index| last.max(index)).saturating_add(1)
            }
            _ => usize::MAX,
        };
        let source = Source::of(reader, target, max)?;
        let split = if is_table { Split::Fields } else { Split::All };
        let columns = Columns::of_dtype(&dtype, &source, columns)?;
        let leaves = match form {
            Form::Table => columns.leaves(split, MAX_TABLE_COLUMNS),
            Form::Csv(_) => columns.all_leaves(split, source.name())?,
            Form::Json | Form::JsonLines => Vec::new(),
        };
        let is_limited = is_table && target.slice.is_none() && leaves.len() == MAX_TABLE_COLUMNS;
        let total = match is_limited {
            // The columns of a matrix were not all selected.
            true if total > leaves.len() => total,
            true => columns.leaves(split, MAX_COUNTED_COLUMNS).len(),
            false => leaves.len(),
        };
        let tree = columns.tree();
        let threads = thread::available_parallelism().map_or(1, |threads| threads.get().min(8));
        Ok(Rows { source, leaves, tree, total, threads, objects: list })
    }

    /// Returns the shape of the array after its slice.
    pub(crate) fn shape(&self) -> Vec<usize> {
        self.source.header().shape().to_vec()
    }

    /// Returns the number of rows.
    pub(crate) fn len(&self) -> usize {
        self.source.rows()
    }

    /// Returns true if CSV of the rows would be lines without text.
    pub(crate) fn has_no_columns(&self) -> bool {
        self.leaves.is_empty() && self.len() > 0
    }

    /// Returns the size of all rows.
    pub(crate) fn bytes(&self) -> u64 {
        self.source.header().data_bytes()
    }

    /// Skips some rows.
    pub(crate) fn skip(&mut self, count: usize) {
        self.source.skip(count);
    }

    /// Skips to a row that is not before the current one.
    pub(crate) fn skip_to(&mut self, row: usize) {
        self.skip(row.saturating_sub(self.source.position()));
    }

    fn names(&self) -> Vec<String> {
        self.leaves.iter().map(|leaf| leaf.name.clone()).collect()
    }

    /// Returns the columns for which a table has no space at any width.
    fn left_out(&self) -> usize {
        self.total - self.leaves.len()
    }

    fn aligns(&self) -> Vec<Align> {
        let of = |leaf: &Leaf| match leaf.count == 1 && leaf.cell.is_number() {
            true => Align::Right,
            false => Align::Left,
        };
        self.leaves.iter().map(of).collect()
    }

    /// Prints the next rows, at most `count`.
    pub(crate) fn print(&mut self, mut count: usize, printer: &mut Printer<'_>) -> Result<()> {
        printer.begin(self)?;
        while count > 0 {
            let first = self.source.position();
            let max = self.source.rows_per_block().saturating_mul(self.threads).min(count);
            let Some(block) = self.source.next(max)? else { break };
            count -= block.shape().first().copied().unwrap_or(0).min(count);
            printer.block(self, &block, first)?;
        }
        Ok(())
    }
}

/// Prints rows.
pub(crate) struct Printer<'a> {
    out: &'a mut dyn Write,
    form: Form,
    sheet: Option<Sheet>,
    names: Option<Vec<String>>,
    /// True before the first row.
    is_first: bool,
    buffer: Vec<u8>,
    progress: Option<Progress>,
}

/// Fewer bytes of rows are printed by one thread.
const MIN_THREAD_BYTES: usize = 1 << 18;

impl<'a> Printer<'a> {
    /// Prints to a file, in any form but a table.
    pub(crate) fn to(out: &'a mut dyn Write, form: Form) -> Self {
        let (names, buffer) = (None, Vec::new());
        Printer { out, form, sheet: None, names, is_first: true, buffer, progress: None }
    }

    /// Shows the progress while rows are printed.
    pub(crate) fn show(&mut self, progress: Progress) {
        self.progress = Some(progress);
    }

    /// Prints to standard output.
    pub(crate) fn stdout(out: &'a mut Output, form: Form) -> Self {
        let sheet = (form == Form::Table).then(|| Sheet::new(out.width, out.colored));
        Printer { sheet, ..Printer::to(out, form) }
    }

    /// Starts with the rows of an array.
    fn begin(&mut self, rows: &Rows<'_>) -> Result<()> {
        if matches!(self.form, Form::Json | Form::JsonLines) {
            if self.form == Form::Json && self.names.is_none() {
                self.names = Some(Vec::new());
                self.buffer.push(b'[');
            }
            return Ok(());
        }
        let names = rows.names();
        match &self.names {
            None => {}
            Some(known) if *known == names => return Ok(()),
            Some(known) => {
                let (known, names) = (known.join(","), names.join(","));
                let message =
                    format!("the columns are {names}, but those of the first array are {known}");
                return Err(Failure::new(rows.source.name(), message));
            }
        }
        match (&mut self.sheet, self.form) {
            (Some(sheet), _) => sheet.begin(&names, rows.aligns(), rows.left_out()),
            (None, Form::Csv(comma)) => csv_header(&rows.leaves, comma, &mut self.buffer),
            (None, _) => {}
        }
        self.names = Some(names);
        Ok(())
    }

    fn block(&mut self, rows: &Rows<'_>, block: &DynArray, first: usize) -> Result<()> {
        let objects = &rows.objects[..];
        let count = block.shape().first().copied().unwrap_or(0);
        let bytes = block.as_bytes();
        let size = bytes.len().checked_div(count).unwrap_or(0);
        let row = |i: usize| bytes.get(i * size..(i + 1) * size).unwrap_or_default();
        if let Some(progress) = &mut self.progress {
            progress.add(bytes.len());
        }
        if let Some(sheet) = &mut self.sheet {
            for i in 0..count {
                let cells = rows.leaves.iter().map(|leaf| leaf.table(row(i), objects)).collect();
                sheet.row(rows.source.file_row(first + i), cells, self.out)?;
            }
            return Ok(());
        }
        let (form, leaves, tree) = (self.form, &rows.leaves, &rows.tree);
        let print = |part: Range<usize>, out: &mut Vec<u8>| {
            for i in part {
                match form {
                    Form::Csv(comma) => csv_row(leaves, row(i), objects, comma, out),
                    _ => {
                        out.extend_from_slice(if form == Form::Json { b",\n" } else { b"\n" });
                        tree.json(row(i), objects, out);
                    }
                }
            }
        };
        let mut start = 0;
        if count > 0 && !matches!(form, Form::Csv(_)) {
            self.separate();
            tree.json(row(0), objects, &mut self.buffer);
            start = 1;
        }
        let threads = if bytes.len() < MIN_THREAD_BYTES { 1 } else { rows.threads };
        let share = (count - start).div_ceil(threads).max(1);
        let end = |part: usize| (start + part * share).min(count);
        thread::scope(|scope| {
            // The other threads print the later parts meanwhile.
            let later = |part: usize| {
                let print = &print;
                scope.spawn(move || {
                    let mut out = Vec::new();
                    print(end(part)..end(part + 1), &mut out);
                    out
                })
            };
            let later: Vec<_> = (1..threads).map(later).collect();
            print(start..end(1), &mut self.buffer);
            self.flush_block()?;
            for part in later {
                self.out.write_all(&std::mem::take(&mut self.buffer))?;
                match part.join() {
                    Ok(out) => self.out.write_all(&out)?,
                    Err(panic) => std::panic::resume_unwind(panic),
                }
            }
            Ok(())
        })
    }

    /// Writes what comes between two rows of JSON.
    fn separate(&mut self) {
        if !self.is_first {
            self.buffer.extend_from_slice(if self.form == Form::Json { b",\n" } else { b"\n" });
        }
        self.is_first = false;
    }

    fn flush_block(&mut self) -> Result<()> {
        if self.buffer.len() >= 1 << 16 {
            self.out.write_all(&self.buffer)?;
            self.buffer.clear();
        }
        Ok(())
    }

    /// Writes the rest.
    pub(crate) fn finish(mut self) -> Result<()> {
        if let Some(sheet) = &mut self.sheet {
            sheet.finish(self.out)?;
        }
        match self.form {
            Form::Json => self.buffer.extend_from_slice(b"]\n"),
            Form::JsonLines if !self.is_first => self.buffer.push(b'\n'),
            _ => {}
        }
        self.out.write_all(&self.buffer).map_err(Failure::from)
    }
}
