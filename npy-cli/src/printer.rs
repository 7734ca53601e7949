//! Printing rows of arrays: as a table, CSV or JSON, to standard output or to a file.
//!
//! One [`Printer`] can print the rows of several arrays, if they have the same columns.

use std::io::Write;
use std::ops::Range;
use std::thread;

use npy_core::DynArray;
use npy_core::object::Kind;

use crate::output::{Failure, Output, Progress, Result};
use crate::row_text::{Leaf, csv_header, csv_row};
use crate::rows::{Form, Rows};
use crate::sheet::Sheet;

/// Prints rows.
pub(crate) struct Printer<'a> {
    out: &'a mut dyn Write,
    form: Form,
    sheet: Option<Sheet>,
    /// The columns by position; `None` before the first array.
    keys: Option<Vec<String>>,
    /// True if CSV begins with its first row.
    is_headless: bool,
    /// True before the first row.
    is_first: bool,
    buffer: Vec<u8>,
    progress: Option<Progress>,
    /// The number of objects that are `None`, and empty fields of CSV.
    nones: usize,
}

/// Fewer bytes of rows are printed by one thread.
const MIN_THREAD_BYTES: usize = 1 << 18;

impl<'a> Printer<'a> {
    /// Prints to a file, in any form but a table.
    pub(crate) fn to(out: &'a mut dyn Write, form: Form) -> Self {
        let (keys, buffer) = (None, Vec::new());
        let is_headless = false;
        Printer {
            out,
            form,
            sheet: None,
            keys,
            is_headless,
            is_first: true,
            buffer,
            progress: None,
            nones: 0,
        }
    }

    /// Leaves out the names of the columns in CSV.
    pub(crate) fn without_names(self) -> Self {
        Printer { is_headless: true, ..self }
    }

    /// Returns the number of objects that are `None`, and empty fields of CSV.
    pub(crate) fn nones(&self) -> usize {
        self.nones
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

    /// Prints the next rows of an array, at most `count`.
    pub(crate) fn print(&mut self, rows: &mut Rows<'_>, mut count: usize) -> Result<()> {
        self.begin(rows)?;
        while count > 0
            && let Some((first, block)) = rows.next(count)?
        {
            count -= block.shape().first().copied().unwrap_or(0).min(count);
            self.block(rows, &block, first)?;
        }
        Ok(())
    }

    /// Starts with the rows of an array.
    fn begin(&mut self, rows: &Rows<'_>) -> Result<()> {
        if matches!(self.form, Form::Json | Form::JsonLines) {
            if self.form == Form::Json && self.keys.is_none() {
                self.keys = Some(Vec::new());
                self.buffer.push(b'[');
            }
            return Ok(());
        }
        match &self.keys {
            None => {}
            Some(known) if *known == rows.keys => return Ok(()),
            Some(known) => {
                let (known, keys) = (known.join(","), rows.keys.join(","));
                let message =
                    format!("the columns are {keys}, but those of the first array are {known}");
                return Err(Failure::new(rows.name(), message));
            }
        }
        match (&mut self.sheet, self.form) {
            (Some(sheet), _) => sheet.begin(&rows.names(), rows.aligns(), rows.left_out()),
            (None, Form::Csv(comma)) if !self.is_headless => {
                csv_header(&rows.leaves, comma, &mut self.buffer)
            }
            (None, _) => {}
        }
        self.keys = Some(rows.keys.clone());
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
                sheet.row(rows.file_row(first + i), cells, self.out)?;
            }
            return Ok(());
        }
        let (form, leaves, tree) = (self.form, &rows.leaves, &rows.tree);
        if matches!(form, Form::Csv(_)) && !objects.is_empty() {
            let is_object = |leaf: &&Leaf| leaf.cell.dtype().has_object();
            let is_none = |leaf: &&Leaf, i| {
                let object = leaf.cell.object(leaf.of(row(i)), objects);
                object.is_some_and(|object| object.kind() == Kind::None)
            };
            let leaves: Vec<&Leaf> = leaves.iter().filter(is_object).collect();
            let nones = |i| leaves.iter().filter(|leaf| is_none(leaf, i)).count();
            self.nones += (0..count).map(nones).sum::<usize>();
        }
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
