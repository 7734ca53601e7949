//! Rows of an array as a table, CSV or JSON: what `head`, `tail`, `sample`, `cat` and `convert` print.
//!
//! `Rows::open(&target, &columns, form)` reads the header only; `rows.skip(n)` and `rows.print(n, &mut printer)` go through the rows. One
//! [`Printer`] can print the rows of several arrays, if they have the same columns.

use std::io::Write;
use std::ops::Range;
use std::thread;

use npy_core::object::Kind;
use npy_core::{DynArray, ObjectRef, Objects};

use crate::columns::{Columns, Leaf, Split, Tree, csv_header, csv_row};
use crate::output::{Failure, Output, Progress, Result, printable};
use crate::source::{self, Selection, Source};
use crate::table::{Align, Sheet};
use crate::target::Target;
use crate::text::{csv_field, json_string};

/// The options of subcommands that print rows.
#[derive(clap::Args, Clone, Debug)]
pub(crate) struct Format {
    /// The columns to print, such as a,hdr.t0 or 0,2
    #[arg(short, long, value_delimiter = ',', value_name = "NAMES")]
    pub(crate) columns: Vec<String>,
    /// Prints CSV with a line of names
    #[arg(long, group = "form")]
    csv: bool,
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
    Csv,
    Json,
    JsonLines,
}

impl Format {
    /// Returns the form that the options name.
    pub(crate) fn form(&self, default: Form) -> Form {
        match self {
            Format { csv: true, .. } => Form::Csv,
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
pub(crate) enum Rows {
    /// Numbers, text and records of them.
    Plain(Box<Plain>),
    /// Python objects.
    Objects(Box<ObjectRows>),
}

pub(crate) struct Plain {
    source: Source,
    leaves: Vec<Leaf>,
    tree: Tree,
    /// The columns that the array has, which may be more than those of a table.
    total: usize,
    /// The threads that make text of rows.
    threads: usize,
}

pub(crate) struct ObjectRows {
    name: String,
    objects: Objects,
    selection: Selection,
    /// The fields of records that are printed, each with its index; `None` for single objects.
    fields: Option<Vec<(String, usize)>>,
    next: usize,
}

impl Rows {
    pub(crate) fn open(target: &Target, columns: &[String], form: Form) -> Result<Self> {
        let reader = source::open(target)?.into_array(target)?;
        Rows::of(reader, target, columns, form)
    }

    pub(crate) fn of(
        mut reader: source::AnyReader,
        target: &Target,
        columns: &[String],
        form: Form,
    ) -> Result<Self> {
        if reader.header().dtype().has_object() {
            let selection = Selection::of(reader.header().shape(), target)?;
            let objects = source::objects(&mut reader, target)?;
            let rows = ObjectRows::of(objects, selection, target, columns)?;
            return Ok(Rows::Objects(Box::new(rows)));
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
        let columns = Columns::of(&source, columns)?;
        let leaves = match form {
            Form::Table => columns.leaves(split, MAX_TABLE_COLUMNS),
            Form::Csv => columns.all_leaves(split, source.name())?,
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
        Ok(Rows::Plain(Box::new(Plain { source, leaves, tree, total, threads })))
    }

    /// Returns the name of the array for messages.
    fn name(&self) -> &str {
        match self {
            Rows::Plain(plain) => plain.source.name(),
            Rows::Objects(rows) => &rows.name,
        }
    }

    /// Returns the number of rows.
    pub(crate) fn len(&self) -> usize {
        match self {
            Rows::Plain(plain) => plain.source.rows(),
            Rows::Objects(rows) => rows.selection.rows(),
        }
    }

    /// Returns the size of all rows, if it is known.
    pub(crate) fn bytes(&self) -> u64 {
        match self {
            Rows::Plain(plain) => plain.source.header().data_bytes(),
            Rows::Objects(_) => 0,
        }
    }

    /// Returns the index of the next row.
    fn position(&self) -> usize {
        match self {
            Rows::Plain(plain) => plain.source.position(),
            Rows::Objects(rows) => rows.next,
        }
    }

    /// Skips some rows.
    pub(crate) fn skip(&mut self, count: usize) {
        match self {
            Rows::Plain(plain) => plain.source.skip(count),
            Rows::Objects(rows) => {
                rows.next = rows.next.saturating_add(count).min(rows.selection.rows())
            }
        }
    }

    /// Skips to a row that is not before the current one.
    pub(crate) fn skip_to(&mut self, row: usize) {
        self.skip(row.saturating_sub(self.position()));
    }

    fn names(&self) -> Vec<String> {
        match self {
            Rows::Plain(plain) => plain.leaves.iter().map(|leaf| leaf.name.clone()).collect(),
            Rows::Objects(rows) => rows.names(),
        }
    }

    /// Returns the columns for which a table has no space at any width.
    fn left_out(&self) -> usize {
        match self {
            Rows::Plain(plain) => plain.total - plain.leaves.len(),
            Rows::Objects(_) => 0,
        }
    }

    fn aligns(&self) -> Vec<Align> {
        let of = |leaf: &Leaf| match leaf.count == 1 && leaf.cell.is_number() {
            true => Align::Right,
            false => Align::Left,
        };
        match self {
            Rows::Plain(plain) => plain.leaves.iter().map(of).collect(),
            Rows::Objects(rows) => vec![Align::Left; rows.names().len()],
        }
    }

    /// Prints the next rows, at most `count`.
    pub(crate) fn print(&mut self, mut count: usize, printer: &mut Printer<'_>) -> Result<()> {
        printer.begin(self)?;
        match self {
            Rows::Plain(plain) => {
                while count > 0 {
                    let first = plain.source.position();
                    let max =
                        plain.source.rows_per_block().saturating_mul(plain.threads).min(count);
                    let Some(block) = plain.source.next(max)? else { break };
                    count -= block.shape().first().copied().unwrap_or(0).min(count);
                    printer.block(plain, &block, first)?;
                }
                Ok(())
            }
            Rows::Objects(rows) => rows.print(count, printer),
        }
    }
}

impl ObjectRows {
    fn of(
        objects: Objects,
        selection: Selection,
        target: &Target,
        columns: &[String],
    ) -> Result<Self> {
        let names: Vec<&str> =
            objects.header().dtype().fields().iter().map(|field| field.name()).collect();
        let fields = match (names.is_empty(), columns.is_empty()) {
            (true, true) => None,
            (true, false) => {
                let message = "an array of Python objects has no columns to choose from";
                return Err(Failure::new(target, message));
            }
            (false, true) => {
                Some(names.iter().enumerate().map(|(i, name)| (name.to_string(), i)).collect())
            }
            (false, false) => {
                let find = |column: &String| {
                    let index = names.iter().position(|name| name == column);
                    index.map(|index| (column.clone(), index)).ok_or_else(|| {
                        let names = names.join(", ");
                        let message =
                            format!("there is no column {column:?}; the columns are {names}");
                        Failure::new(target, message)
                    })
                };
                Some(columns.iter().map(find).collect::<Result<_>>()?)
            }
        };
        Ok(ObjectRows { name: target.to_string(), objects, selection, fields, next: 0 })
    }

    fn names(&self) -> Vec<String> {
        let count = self.selection.row_items();
        match &self.fields {
            Some(fields) if count == 1 => fields.iter().map(|(name, _)| name.clone()).collect(),
            Some(fields) => {
                let of_item = |i| fields.iter().map(move |(name, _)| format!("{i}.{name}"));
                (0..count).flat_map(of_item).collect()
            }
            None if self.selection.is_flat() => vec!["value".into()],
            None => (0..count).map(|i| i.to_string()).collect(),
        }
    }

    fn print(&mut self, count: usize, printer: &mut Printer<'_>) -> Result<()> {
        let items: Vec<ObjectRef<'_>> = self.objects.iter().collect();
        let end = self.selection.rows().min(self.next.saturating_add(count));
        for row in self.next..end {
            let mut cells = Vec::new();
            for index in self.selection.row(row) {
                let Some(item) = items.get(index) else { continue };
                match &self.fields {
                    None => cells.push(*item),
                    Some(fields) => cells.extend(fields.iter().filter_map(|(_, i)| item.at(*i))),
                }
            }
            printer.objects(self, &cells, row)?;
        }
        self.next = end;
        Ok(())
    }

    fn json(&self, cells: &[ObjectRef<'_>], out: &mut Vec<u8>) -> Result<()> {
        let mut failed = Ok(());
        let value = |cell: &ObjectRef<'_>, out: &mut Vec<u8>| {
            let start = out.len();
            if serde_json::to_writer(&mut *out, cell).is_err() {
                // An object that JSON cannot express: a cycle, a key that is not text.
                out.truncate(start);
                json_string(&cell.to_string(), out);
            }
        };
        match &self.fields {
            Some(fields) if !fields.is_empty() => {
                let records: Vec<_> = cells.chunks(fields.len()).collect();
                if !self.selection.is_flat() {
                    out.push(b'[');
                }
                for (i, record) in records.iter().enumerate() {
                    out.extend_from_slice(if i > 0 { b",{" } else { b"{" });
                    for (j, ((name, _), cell)) in fields.iter().zip(*record).enumerate() {
                        if j > 0 {
                            out.push(b',');
                        }
                        json_string(name, out);
                        out.push(b':');
                        value(cell, out);
                    }
                    out.push(b'}');
                }
                if !self.selection.is_flat() {
                    out.push(b']');
                }
            }
            _ if self.selection.is_flat() => match cells {
                [cell] => value(cell, out),
                _ => failed = Err(Failure::usage("an object is missing")),
            },
            _ => {
                out.push(b'[');
                for (i, cell) in cells.iter().enumerate() {
                    if i > 0 {
                        out.push(b',');
                    }
                    value(cell, out);
                }
                out.push(b']');
            }
        }
        failed
    }
}

/// Returns an object as text for CSV; nothing for a missing value.
fn object_text(object: ObjectRef<'_>) -> String {
    match object.kind() {
        _ if object.is_missing() => String::new(),
        Kind::Str => match object.as_str() {
            Some(text) => text.into_owned(),
            None => object.to_string(),
        },
        // Times in ISO 8601, as in JSON and in columns of times.
        Kind::Date | Kind::Time | Kind::DateTime | Kind::TimeDelta | Kind::Decimal => {
            match serde_json::to_value(object) {
                Ok(serde_json::Value::String(text)) => text,
                _ => object.to_string(),
            }
        }
        _ => object.to_string(),
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
    fn begin(&mut self, rows: &Rows) -> Result<()> {
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
                return Err(Failure::new(rows.name(), message));
            }
        }
        match (&mut self.sheet, rows) {
            (Some(sheet), _) => sheet.begin(&names, rows.aligns(), rows.left_out()),
            (None, Rows::Plain(plain)) => csv_header(&plain.leaves, &mut self.buffer),
            (None, Rows::Objects(_)) => {
                for (i, name) in names.iter().enumerate() {
                    if i > 0 {
                        self.buffer.push(b',');
                    }
                    csv_field(name, &mut self.buffer);
                }
                self.buffer.push(b'\n');
            }
        }
        self.names = Some(names);
        Ok(())
    }

    fn block(&mut self, plain: &Plain, block: &DynArray, first: usize) -> Result<()> {
        let count = block.shape().first().copied().unwrap_or(0);
        let bytes = block.as_bytes();
        let size = bytes.len().checked_div(count).unwrap_or(0);
        let row = |i: usize| bytes.get(i * size..(i + 1) * size).unwrap_or_default();
        if let Some(progress) = &mut self.progress {
            progress.add(bytes.len());
        }
        if let Some(sheet) = &mut self.sheet {
            for i in 0..count {
                let cells = plain.leaves.iter().map(|leaf| leaf.table(row(i))).collect();
                sheet.row(plain.source.file_row(first + i), cells, self.out)?;
            }
            return Ok(());
        }
        let (form, leaves, tree) = (self.form, &plain.leaves, &plain.tree);
        let print = |rows: Range<usize>, out: &mut Vec<u8>| {
            for i in rows {
                match form {
                    Form::Csv => csv_row(leaves, row(i), out),
                    _ => {
                        out.extend_from_slice(if form == Form::Json { b",\n" } else { b"\n" });
                        tree.json(row(i), out);
                    }
                }
            }
        };
        let mut start = 0;
        if count > 0 && form != Form::Csv {
            self.separate();
            plain.tree.json(row(0), &mut self.buffer);
            start = 1;
        }
        let threads = if bytes.len() < MIN_THREAD_BYTES { 1 } else { plain.threads };
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

    fn objects(&mut self, rows: &ObjectRows, cells: &[ObjectRef<'_>], index: usize) -> Result<()> {
        match (&mut self.sheet, self.form) {
            (Some(sheet), _) => {
                let text = |cell: &ObjectRef<'_>| match cell.is_missing() {
                    true => cell.to_string(),
                    false => printable(&object_text(*cell)),
                };
                let row = rows.selection.file_row(index);
                sheet.row(row, cells.iter().map(text).collect(), self.out)?;
            }
            (None, Form::Csv) => {
                let start = self.buffer.len();
                for (i, cell) in cells.iter().enumerate() {
                    if i > 0 {
                        self.buffer.push(b',');
                    }
                    csv_field(&object_text(*cell), &mut self.buffer);
                }
                if self.buffer.len() == start {
                    self.buffer.extend_from_slice(b"\"\"");
                }
                self.buffer.push(b'\n');
            }
            (None, _) => {
                self.separate();
                rows.json(cells, &mut self.buffer)?;
            }
        }
        self.flush_block()
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
