//! `npy stats`: a summary of each column, made in one pass.

mod distinct;
mod summary;

use std::io::Write;
use std::thread;

use npy_core::dtype::ScalarKind;
use npy_core::object::Kind;
use npy_core::{DType, ObjectRef, Value};
use serde_json::json;

use super::members;
use crate::columns::{Columns, Leaf, Split};
use crate::histogram::blocks;
use crate::input::{decimal, integer_part, is_float};
use crate::ml_dtype::RawNumbers;
use crate::output::{Answer, Of, Output, Result, note, printable};
use crate::raw::RawFiles;
use crate::sheet::{Align, Sheet};
use crate::source::{self, AnyReader, Input, Origin, Parted, Selection, Source};
use crate::target::Target;
use crate::text::{Cell, JsonObject, half_of, json_float, object_text, short_float, short_time};
use distinct::{MAX_DISTINCT, hash};
use summary::Summary;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// The array; of an archive, each member is shown. All numbers of an array without fields are one column, unless it has two dimensions and at most 32 columns
    #[arg(value_name = "FILE")]
    file: Target,
    /// The columns, such as a,hdr.t0,samples.3; of an array without fields 0,2, the numbers in the file
    #[arg(short, long, value_delimiter = ',', value_name = "NAMES")]
    columns: Vec<String>,
    /// Prints a line of JSON for each column
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    raw: RawFiles,
    #[command(flatten)]
    void: RawNumbers,
}

/// An array with longer rows and without fields is one column.
const MAX_COLUMNS: usize = 32;
/// Data of fewer bytes is summarized by one thread.
const MIN_THREAD_BYTES: u64 = 8 << 20;
/// The number of bars of a histogram.
const BARS: usize = 16;

/// A column: one scalar of each row, or several in a distance.
struct Column {
    name: String,
    cell: Cell,
    dtype: DType,
    offset: usize,
    count: usize,
    distance: usize,
}

impl Args {
    pub(crate) fn run(mut self) -> Result {
        self.raw.mark(&mut self.file);
        let mut out = Output::stdout();
        // Columns and a slice are for one array.
        let is_plain = self.columns.is_empty() && self.file.slice.is_none();
        let answer = match source::open(&self.file)? {
            Input::Archive(archive) if is_plain && archive.len() > 1 => {
                members::each(&archive, &self.file, !self.json, &mut out, |reader, target, out| {
                    self.array(reader, target, target.member.as_deref(), out)
                })
            }
            input => {
                let reader = input.into_array(&self.file)?;
                source::tell_of_rest(&reader, &self.file);
                let reader = reader.numbers_of(&self.void, &self.file)?;
                self.array(reader, &self.file, None, &mut out).map(|()| Answer::Yes)
            }
        };
        out.finish()?;
        answer
    }

    /// Prints the summary of an array. `member` is its name among others.
    fn array(
        &self,
        reader: AnyReader,
        target: &Target,
        member: Option<&str>,
        out: &mut Output,
    ) -> Result<()> {
        let mut kept = None;
        let reader = reader.widened(&self.void).of(target)?;
        let (columns, summaries) = self.of_rows(Parted::of(reader, target, &mut kept)?, target)?;
        for (column, summary) in columns.iter().zip(&summaries) {
            if summary.left_out() > 0 {
                let (name, count) = (&column.name, summary.left_out());
                let message = format!(
                    "column {name}: objects that are not numbers, or too large for a float, are left out: {count}"
                );
                note(target, message);
            }
        }
        if !self.json {
            return print(&columns, &summaries, out);
        }
        for (column, summary) in columns.iter().zip(&summaries) {
            writeln!(out, "{}", described(column, summary, member))?;
        }
        Ok(())
    }

    /// Summarizes the columns of an array.
    fn of_rows(&self, array: Parted<'_>, target: &Target) -> Result<(Vec<Column>, Vec<Summary>)> {
        let Parted { reader, dtype, objects, .. } = array;
        let is_file = matches!(reader.origin(), Origin::File | Origin::Raw)
            && !target.is_stream()
            && !target.is_url();
        let header = reader.header().clone();
        let is_record = dtype.is_record();
        let row: usize = header.shape().iter().skip(1).fold(1, |row, &n| row.saturating_mul(n));
        // The order of the values does not matter, so they are read in that of the file.
        let is_flat = self.columns.is_empty()
            && target.slice.is_none()
            && header.shape().len() != 1
            && (is_record || header.shape().len() != 2 || row > MAX_COLUMNS);
        let chosen = Selection::of(&header, target)?;
        let count = chosen.row_elements();
        let is_plain = self.columns.is_empty() && !is_record;
        if is_plain && chosen.row_steps().len() == 1 && count > MAX_COLUMNS {
            note(
                target,
                format!("its {count} columns are summarized as one; -c chooses some of them"),
            );
        }
        let flat = |reader: AnyReader| if is_flat { reader.flatten() } else { Ok(reader) };
        let reader = flat(reader)?;
        let selection = Selection::of(reader.header(), target)?;
        let columns = self.columns(&dtype, &selection, target)?;
        let rows = selection.rows();
        let threads = thread::available_parallelism().map_or(1, |threads| threads.get().min(8));
        let is_large = header.data_bytes() >= MIN_THREAD_BYTES;
        if !is_file || !is_large || threads == 1 {
            let source = Source::new(reader, selection, target)?;
            let summaries = summarized(source, &columns, &objects, rows)?;
            return Ok((columns, summaries));
        }
        let share = rows.div_ceil(threads);
        let parts: Vec<Result<Vec<Summary>>> = thread::scope(|scope| {
            let part = |i: usize| {
                let columns = &columns;
                let open = || {
                    let reader = flat(
                        source::open(target)?.into_array(target)?.widened(&self.void).of(target)?,
                    )?;
                    Source::new(reader, selection.clone(), target)
                };
                scope.spawn(move || {
                    let mut source = open()?;
                    source.skip(i * share);
                    summarized(source, columns, &[], share)
                })
            };
            let parts: Vec<_> = (0..threads).map(part).collect();
            let join = |part: thread::ScopedJoinHandle<'_, Result<Vec<Summary>>>| match part.join()
            {
                Ok(summaries) => summaries,
                Err(panic) => std::panic::resume_unwind(panic),
            };
            parts.into_iter().map(join).collect()
        });
        let mut summaries = vec![Summary::default(); columns.len()];
        for part in parts {
            for (summary, part) in summaries.iter_mut().zip(part?) {
                summary.merge(&part);
            }
        }
        Ok((columns, summaries))
    }

    fn columns(
        &self,
        dtype: &DType,
        selection: &Selection,
        target: &Target,
    ) -> Result<Vec<Column>> {
        let is_plain = self.columns.is_empty() && !dtype.is_record();
        let row = selection.row_elements();
        if is_plain && (row > MAX_COLUMNS || selection.row_steps().len() > 1) {
            let cell = Cell::new(dtype);
            return Ok(of_leaf(Leaf { name: "value".into(), offset: 0, cell, count: row }));
        }
        let columns = Columns::resolve(dtype, selection, &self.columns, target)?;
        let leaves = columns.all_leaves(Split::Fields, target)?;
        Ok(leaves.into_iter().flat_map(of_leaf).collect())
    }
}

/// Returns a column for a scalar, or two for a complex number.
fn of_leaf(leaf: Leaf) -> Vec<Column> {
    let dtype = leaf.cell.dtype().clone();
    let (name, offset, count, distance) = (leaf.name, leaf.offset, leaf.count, dtype.itemsize());
    if dtype.scalar().map(|scalar| scalar.kind()) != Some(ScalarKind::Complex) {
        return vec![Column { name, cell: leaf.cell, dtype, offset, count, distance }];
    }
    let half = half_of(&dtype);
    let part = |(part, offset)| {
        let (name, cell) = (format!("{name}.{part}"), Cell::new(&half));
        Column { name, cell, dtype: half.clone(), offset, count, distance }
    };
    [("re", offset), ("im", offset + distance / 2)].map(part).into()
}

/// Summarizes the next rows. An object is its index in `objects`.
fn summarized(
    mut source: Source,
    columns: &[Column],
    objects: &[ObjectRef<'_>],
    rows: usize,
) -> Result<Vec<Summary>> {
    let mut summaries = vec![Summary::default(); columns.len()];
    let (mut left, mut values) = (rows, Values::default());
    while left > 0 {
        let Some(block) = source.next(source.rows_per_block().min(left))? else { break };
        let rows = block.shape().first().copied().unwrap_or(0);
        left -= rows.min(left);
        let size = block.as_bytes().len().checked_div(rows).unwrap_or(0);
        for (column, summary) in columns.iter().zip(&mut summaries) {
            let is_object = column.dtype.has_object();
            match is_object && size > 0 {
                true => add_objects(column, block.as_bytes(), size, objects, summary),
                false => values.add(column, block.as_bytes(), rows, size, summary),
            }
        }
    }
    summaries.iter_mut().for_each(Summary::end_objects);
    Ok(summaries)
}

/// Buffers for the values of a block.
#[derive(Default)]
struct Values {
    floats: Vec<f64>,
    integers: Vec<i64>,
}

impl Values {
    fn add(
        &mut self,
        column: &Column,
        rows: &[u8],
        count: usize,
        row: usize,
        summary: &mut Summary,
    ) {
        self.floats.clear();
        self.integers.clear();
        let Some(scalar) = column.dtype.scalar() else {
            summary.count += (count * column.count) as u64;
            return;
        };
        self.floats.reserve(count * column.count);
        let size = column.dtype.itemsize();
        if size == 0 || row == 0 {
            summary.count += (count * column.count) as u64;
            if summary.count > 0 {
                // All values without bytes are equal.
                summary.distinct.add(std::iter::once(0));
            }
            return;
        }
        let items = Items { rows, row, size, column };
        match scalar.kind() {
            ScalarKind::Float if size == 8 => {
                items.each(|bytes| self.floats.push(column.cell.f64(bytes)))
            }
            ScalarKind::Float if size == 4 => {
                items.each(|bytes| self.floats.push(f64::from(column.cell.f32(bytes))));
            }
            ScalarKind::Float => items.each(|bytes| {
                let value = match column.cell.value(bytes) {
                    Value::LongDouble(value) => value.to_f64(),
                    value => value.as_f64().unwrap_or(f64::NAN),
                };
                self.floats.push(value);
            }),
            ScalarKind::Int | ScalarKind::Bool => items.each(|bytes| {
                let value = column.cell.int(bytes);
                self.integers.push(value);
                self.floats.push(value as f64);
            }),
            // In the order of signed numbers, by an offset.
            ScalarKind::UInt => items.each(|bytes| {
                let value = column.cell.bits(bytes);
                self.integers.push((value ^ (1 << 63)).cast_signed());
                self.floats.push(value as f64);
            }),
            ScalarKind::DateTime(_) | ScalarKind::TimeDelta(_) => items.each(|bytes| {
                let value = column.cell.int(bytes);
                if value == i64::MIN {
                    self.floats.push(f64::NAN);
                } else {
                    self.integers.push(value);
                    self.floats.push(value as f64);
                }
            }),
            ScalarKind::Bytes | ScalarKind::Str | ScalarKind::Void => {
                let mut hashes = Vec::new();
                items.each(|bytes| hashes.push(hash(bytes)));
                summary.count += hashes.len() as u64;
                summary.distinct.add(hashes.into_iter());
                return;
            }
            _ => {
                summary.count += (count * column.count) as u64;
                return;
            }
        }
        match scalar.kind() {
            ScalarKind::Float => summary.add_floats(&self.floats),
            ScalarKind::UInt => summary.add_integers(&self.floats, &self.integers, 1 << 63),
            _ => summary.add_integers(&self.floats, &self.integers, 0),
        }
    }
}

/// The bytes of the scalars of a column.
struct Items<'a> {
    rows: &'a [u8],
    row: usize,
    size: usize,
    column: &'a Column,
}

impl Items<'_> {
    fn each(&self, mut add: impl FnMut(&[u8])) {
        // With a size that is known when compiled, an item is read by one instruction.
        match self.size {
            1 => self.each_sized::<1>(&mut add),
            2 => self.each_sized::<2>(&mut add),
            4 => self.each_sized::<4>(&mut add),
            8 => self.each_sized::<8>(&mut add),
            _ => self.each_of_any_size(&mut add),
        }
    }

    #[inline(always)]
    fn each_sized<const N: usize>(&self, add: &mut impl FnMut(&[u8])) {
        if self.row == N && self.column.distance == N {
            return self.rows.as_chunks::<N>().0.iter().for_each(|item| add(item));
        }
        self.each_of_any_size(&mut |bytes| {
            if let Some(item) = bytes.first_chunk::<N>() {
                add(item);
            }
        });
    }

    #[inline(always)]
    fn each_of_any_size(&self, add: &mut impl FnMut(&[u8])) {
        for row in self.rows.chunks_exact(self.row) {
            for i in 0..self.column.count {
                let start = self.column.offset + i * self.column.distance;
                if let Some(bytes) = row.get(start..start + self.size) {
                    add(bytes);
                }
            }
        }
    }
}

/// Summarizes Python objects; the rows have their indices.
fn add_objects(
    column: &Column,
    rows: &[u8],
    row: usize,
    objects: &[ObjectRef<'_>],
    summary: &mut Summary,
) {
    let items = Items { rows, row, size: column.dtype.itemsize(), column };
    items.each(|bytes| {
        if let Some(object) = column.cell.object(bytes, objects) {
            add_object(object, summary);
        }
    });
}

fn add_object(object: ObjectRef<'_>, summary: &mut Summary) {
    if object.is_missing() {
        summary.missing += 1;
    } else if let Some(value) = object.as_bool().map(i64::from).or_else(|| object.as_i64()) {
        summary.add_integers(&[value as f64], &[value], 0);
    } else if let Some(value) = object.as_i128() {
        summary.add_large_integer(value, distinct(object));
    } else if let Some(value) = object.as_f64() {
        summary.add_mixed(value);
    } else if matches!(object.kind(), Kind::Int | Kind::Decimal)
        && let text = object_text(object)
        && let Some(value) = text.parse().ok().filter(|value: &f64| !value.is_infinite())
    {
        match object.kind() {
            _ if value.is_nan() => summary.missing += 1,
            Kind::Decimal => add_decimal(&text, value, summary),
            _ => summary.add_unlisted(value, distinct(object)),
        }
    } else {
        summary.add_other(distinct(object));
    }
}

/// Adds a decimal number and the nearest float. As in Python, it is equal to any number of the same value: 1.50 is 1.5.
fn add_decimal(text: &str, nearest: f64, summary: &mut Summary) {
    if is_float(text) {
        return summary.add_mixed(nearest);
    }
    let whole = match integer_part(text) {
        // Larger integers have one of these.
        Some((i128::MIN | i128::MAX, _)) => None,
        Some((whole, true)) => Some(whole),
        _ => None,
    };
    match (whole, whole.and_then(|whole| i64::try_from(whole).ok())) {
        (_, Some(value)) => summary.add_integers(&[nearest], &[value], 0),
        (Some(whole), None) => {
            summary.add_large_integer(whole, hash(whole.to_string().as_bytes()));
        }
        (None, None) => {
            let (digits, exponent) = decimal(text).unwrap_or_default();
            let sign = if text.starts_with('-') { "-" } else { "" };
            let id = hash(format!("{sign}{digits}e{exponent}").as_bytes());
            summary.add_unlisted(nearest, id);
        }
    }
}

/// Returns 64 bits for an object, by which distinct objects are counted.
fn distinct(object: ObjectRef<'_>) -> u64 {
    // A large integer is equal to a float, if there is one.
    match object.as_f64() {
        Some(value) => value.to_bits(),
        None => hash(object.to_string().as_bytes()),
    }
}

/// Returns the count of a time. All times of a column are counts of 64 bits, and so is their mean.
fn count(exact: i128) -> i64 {
    i64::try_from(exact).unwrap_or(i64::MIN)
}

/// Returns a number of the column as text: a time as a time.
fn text(column: &Column, value: f64, exact: Option<i128>) -> String {
    let kind = column.dtype.scalar().map(|scalar| scalar.kind());
    match (kind, exact) {
        (Some(ScalarKind::Bool), Some(value)) => if value == 0 { "False" } else { "True" }.into(),
        (Some(ScalarKind::DateTime(resolution)), Some(exact)) => {
            short_time(&Value::DateTime(count(exact), resolution).to_string())
        }
        (Some(ScalarKind::TimeDelta(resolution)), Some(exact)) => {
            Value::TimeDelta(count(exact), resolution).to_string()
        }
        (_, Some(exact)) => exact.to_string(),
        _ => short_float(value),
    }
}

/// The texts of a summary; an empty one for what the column does not have.
struct Texts {
    min: String,
    max: String,
    mean: String,
    std: String,
    distinct: String,
    histogram: String,
}

fn texts(column: &Column, summary: &Summary) -> Texts {
    let is_time = matches!(
        column.dtype.scalar().map(|scalar| scalar.kind()),
        Some(ScalarKind::DateTime(_) | ScalarKind::TimeDelta(_))
    );
    let [min, max] = match summary.bounds() {
        Some(bounds) => bounds.map(|(value, exact)| text(column, value, exact)),
        None => Default::default(),
    };
    let mean = match summary.mean() {
        Some(mean) if is_time => text(column, mean, summary.exact_mean()),
        Some(mean) => short_float(mean),
        None => String::new(),
    };
    let std = match summary.std() {
        Some(std) if !is_time => short_float(std),
        _ => String::new(),
    };
    let distinct = match summary.distinct.count() {
        Some(0) => String::new(),
        Some(count) => count.to_string(),
        None => format!(">{MAX_DISTINCT}"),
    };
    let histogram = match summary.range() {
        Some((low, high)) if low < high && low.is_finite() && high.is_finite() => {
            blocks(&summary.histogram.bars(low, high, BARS))
        }
        _ => String::new(),
    };
    Texts { min, max, mean, std, distinct, histogram }
}

/// Prints a table, or a paragraph for each column if the table would be too wide.
fn print(columns: &[Column], summaries: &[Summary], out: &mut Output) -> Result<()> {
    let names =
        ["column", "count", "missing", "min", "max", "mean", "std", "distinct", "histogram"];
    let rows: Vec<Vec<String>> = columns
        .iter()
        .zip(summaries)
        .map(|(column, summary)| {
            let Texts { min, max, mean, std, distinct, histogram } = texts(column, summary);
            let [count, missing] = [summary.count, summary.missing].map(|count| count.to_string());
            // A name of a file cannot control the terminal.
            vec![printable(&column.name), count, missing, min, max, mean, std, distinct, histogram]
        })
        .collect();
    let mut sheet = Sheet::without_index(out.width, out.colored);
    let mut aligns = vec![Align::Right; names.len()];
    aligns[0] = Align::Left;
    aligns[8] = Align::Left;
    sheet.begin(&names.map(str::to_owned), aligns, 0);
    if sheet.fits(&rows) {
        for row in rows {
            sheet.row(0, row, out)?;
        }
        return sheet.finish(out);
    }
    for row in &rows {
        let [name, parts @ .., histogram] = &row[..] else { continue };
        writeln!(out, "{}", out.bold(name))?;
        // The width and the text of each number that the column has.
        let known: Vec<(usize, String)> = names[1..]
            .iter()
            .zip(parts)
            .filter(|(_, text)| !text.is_empty())
            .map(|(name, text)| {
                (name.len() + 1 + text.chars().count(), format!("{} {text}", out.dim(name)))
            })
            .collect();
        let (limit, mut used) = (out.width.unwrap_or(80), 0);
        let mut line = String::new();
        for (plain, text) in known {
            if !line.is_empty() && used + 2 + plain > limit {
                writeln!(out, "{line}")?;
                line.clear();
            }
            used = if line.is_empty() { plain + 2 } else { used + plain + 2 };
            line += "  ";
            line += &text;
        }
        writeln!(out, "{line}")?;
        if !histogram.is_empty() {
            writeln!(out, "  {histogram}")?;
        }
    }
    Ok(())
}

fn described(column: &Column, summary: &Summary, member: Option<&str>) -> JsonObject {
    let mut info = JsonObject::new();
    if let Some(member) = member {
        info.add_text("member", member);
    }
    info.add_text("column", &column.name);
    info.add_text("dtype", &column.dtype.to_string());
    info.add("count", summary.count);
    info.add("missing", summary.missing);
    if summary.left_out() > 0 {
        info.add("left_out", summary.left_out());
    }
    let Texts { min, max, mean, .. } = texts(column, summary);
    let is_time = matches!(
        column.dtype.scalar().map(|scalar| scalar.kind()),
        Some(ScalarKind::DateTime(_) | ScalarKind::TimeDelta(_))
    );
    let exact = |exact: i128| match (i64::try_from(exact), u64::try_from(exact)) {
        (Ok(exact), _) => json!(exact),
        (_, Ok(exact)) => json!(exact),
        _ => json!(exact.to_string()),
    };
    if let Some([(low, exact_low), (high, exact_high)]) = summary.bounds() {
        if is_time {
            info.add_text("min", &min);
            info.add_text("max", &max);
            info.add_text("mean", &mean);
        } else {
            info.add("min", exact_low.map_or_else(|| json_float(low), exact));
            info.add("max", exact_high.map_or_else(|| json_float(high), exact));
            info.add("mean", json!(summary.mean().map(json_float)));
            info.add("std", json!(summary.std().map(json_float)));
        }
        if !is_time && low < high && low.is_finite() && high.is_finite() {
            info.add("histogram", json!(summary.histogram.bars(low, high, BARS)));
        }
    }
    if let Some(distinct) = summary.distinct.count().filter(|&distinct| distinct > 0) {
        info.add("distinct", distinct);
    }
    info
}
