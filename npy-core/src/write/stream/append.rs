//! Opening an array in a file to add rows to it.

use std::borrow::Cow;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::path::Path;

use super::super::lock::{self, Lock};
use super::super::replace;
use super::growing::{Growing, GrowingShape};
use super::{Length, OpenedFile, WriteOptions, Writer};
use crate::dtype::DType;
use crate::dtype::rust_type::rust_type;
use crate::element::Element;
use crate::element::item_shape::{ItemShape, type_of_row};
use crate::element::type_info::TypeInfo;
use crate::error::{Error, ErrorKind, Result};
use crate::header::growth::Growth;
use crate::header::{self, Header, MAGIC};
use crate::limits;
use crate::plan::remedy::HELD;
use crate::plan::{Cast, Plan};
use crate::read::ReadOptions;
use crate::shape::{self, Order};

/// Determines how [`append`](super::WriteOptions::append) handles complete rows at the end of the file that the header does not count. A
/// writer that was killed may have left them: it writes rows first and their number later.
///
/// The file changes when it is opened: [`Writer::discard`] takes back only what the new writer adds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum UncountedRows {
    /// Refuses the file with [`ErrorKind::UncountedRows`], which says how many there are.
    #[default]
    Refuse,
    /// Counts them as rows of the array. If an incomplete row comes after them, it is removed.
    Keep,
    /// Removes them from the file, and an incomplete row after them.
    Remove,
}

/// Checks that an array can take elements, and returns how it grows and the plan for the elements.
pub(super) type Check<'c> = &'c mut dyn FnMut(&Header) -> Result<(GrowingShape, Plan)>;

/// Opens a file whose array can take elements of `T`, as `check` says, and seeks to the end of the array.
pub(super) fn open<T: Element>(
    options: &WriteOptions,
    path: &Path,
    check: Check<'_>,
) -> Result<Writer<T, File>> {
    let end = find_end(options, path, check).map_err(|error| error.in_file(path))?;
    let End { count, plan, growing, file, opened, has_uncounted } = end;
    let mut writer = Writer::resume(count, file, plan, Length::Grows(growing), Some(opened))?;
    if has_uncounted {
        // Counts the kept rows in the header at once, even if this writer writes nothing. With `sync`, they are on the disk first: a header
        // that counts rows which a loss of power has taken would lose the synced rows before them, too.
        if options.sync { writer.sync()? } else { writer.flush()? }
    }
    Ok(writer)
}

/// The end of an array, in a file whose position is there.
struct End {
    count: usize,
    plan: Plan,
    growing: Growing<File>,
    file: File,
    opened: OpenedFile<File>,
    /// True if there are rows that the header does not count, and that are kept.
    has_uncounted: bool,
}

fn find_end(options: &WriteOptions, path: &Path, check: Check<'_>) -> Result<End> {
    let (mut file, mut lock) = lock::open(path)?;
    // A short header is read by one call, and its text taken from the buffer again.
    let mut start = BufReader::with_capacity(4096, &file);
    if start.fill_buf()?.is_empty() {
        return Err(header::short_start(&[]));
    }
    let reader = ReadOptions::new().limits(options.limits).reader(&mut start)?;
    let (header, data) = (reader.header().clone(), reader.data_offset());
    let mut text = vec![0; limits::to_usize(data)?];
    start.seek_relative(0_i64.saturating_sub_unsigned(data))?;
    start.read_exact(&mut text)?;
    // The reader saw the end of the header, and not yet the data.
    let first = start.fill_buf()?.first().copied();
    header::check_line_break(text.last(), || first)?;
    let (stated, plan) = check(&header)?;
    let bytes = header.data_bytes();
    let found = file.metadata()?.len().saturating_sub(data);
    if found < bytes {
        return Err(header.truncated(found));
    }
    if found > bytes {
        file.seek(SeekFrom::Start(data.saturating_add(bytes)))?;
        refuse_array(&mut file)?;
    }

    let rows = stated.rows();
    let uncounted = uncounted_rows(options, &stated, rows, found.saturating_sub(bytes))?;
    let kept = limits::to_u64(uncounted).saturating_mul(stated.row_bytes());
    let bytes = bytes.saturating_add(kept);
    let rows = limits::to_u64(rows.saturating_add(uncounted));
    let count = limits::to_usize(rows.saturating_mul(limits::to_u64(stated.row)))?;
    let (header, growth) = Growth::new(&text, 0)?;
    let data = limits::to_u64(header.len());
    if let Cow::Owned(header) = &header {
        file.seek(SeekFrom::Start(limits::to_u64(text.len())))?;
        (file, lock) = with_header(path, header, &mut file.take(bytes))?;
    }
    let growing = Growing::new(growth, (0, data), stated);
    if count > growing.max_elements() {
        return Err(growing.full());
    }
    let end = data.saturating_add(bytes);
    if options.uncounted_rows != UncountedRows::Refuse && file.metadata()?.len() > end {
        file.set_len(end)?;
    }
    file.seek(SeekFrom::Start(end))?;
    let opened = OpenedFile::new(path, lock, options.sync)?;
    Ok(End { count, plan, growing, file, opened, has_uncounted: uncounted > 0 })
}

/// Calls `append`, or `create` if there is no file, which must not replace one: another program may create it between both calls.
pub(super) fn or_create<A>(
    append: impl Fn() -> Result<A>,
    create: impl Fn() -> Result<A>,
) -> Result<A> {
    /// The limit on attempts. A file is not created and removed this often by chance.
    const TRIES: usize = 16;
    let is = |result: &Result<A>, wanted: io::ErrorKind| match result {
        Err(error) => matches!(error.kind(), ErrorKind::Io(io) if io.kind() == wanted),
        Ok(_) => false,
    };
    for _ in 0..TRIES {
        let appended = append();
        if !is(&appended, io::ErrorKind::NotFound) {
            return appended;
        }
        let created = create();
        if !is(&created, io::ErrorKind::AlreadyExists) {
            return created;
        }
    }
    Err(ErrorKind::Locked.into())
}

/// Returns the number of uncounted rows that become part of the array. They are in the `extra` bytes after it.
fn uncounted_rows(
    options: &WriteOptions,
    stated: &GrowingShape,
    counted: usize,
    extra: u64,
) -> Result<usize> {
    let uncounted = extra.checked_div(stated.row_bytes()).unwrap_or(0);
    match options.uncounted_rows {
        UncountedRows::Keep => limits::to_usize(uncounted),
        UncountedRows::Refuse if uncounted > 0 => {
            let counted = limits::to_u64(counted);
            Err(ErrorKind::UncountedRows { counted, uncounted }.into())
        }
        UncountedRows::Refuse | UncountedRows::Remove => Ok(0),
    }
}

/// Replaces a file by one with another header and the same data, and locks it.
///
/// The header cannot be changed in place: if the process were killed, the start of one header and the end of the other could remain.
fn with_header(path: &Path, header: &[u8], data: &mut io::Take<File>) -> Result<(File, Lock)> {
    // Always synced: if the old file was synced, the new one must be, too.
    let sync = true;
    let mut taken = None;
    let file = replace::replace(path, sync, &mut |mut file| {
        taken = Some(lock::lock(file)?);
        file.write_all(header)?;
        io::copy(data, &mut file)?;
        Ok(())
    })?;
    taken.map(|lock| (file, lock)).ok_or_else(|| ErrorKind::Locked.into())
}

/// Refuses a file in which another array follows this one: appending would overwrite that array.
fn refuse_array(file: &mut File) -> Result<()> {
    let mut next = Vec::new();
    file.take(limits::to_u64(MAGIC.len())).read_to_end(&mut next)?;
    if next != MAGIC {
        return Ok(());
    }
    let what = "appending to the first of several arrays in a file".into();
    Err(ErrorKind::Unsupported { what, needs: "a file of its own for that array" }.into())
}

/// Checks that the array of a file can take elements of this type; returns how the array grows, and the
/// plan for the elements.
pub(super) fn check_elements(ty: TypeInfo, header: &Header) -> Result<(GrowingShape, Plan)> {
    let (item, outer) = outer(ty, header)?;
    let Some((_, row)) = outer.split_first() else {
        let wanted = "one more dimension, along which it can grow";
        return Err(to_append(header.rank(&ty.name(), wanted, ""), rust_type(header.dtype())));
    };
    let row = shape::count(row)?;
    if row == 0 {
        let reason = "its rows have no elements, so there is nothing to append";
        return Err(shape::invalid(header.shape(), reason));
    }
    stated(ty, header, &item, row)
}

/// Checks that the array of a file can take rows of this type along its first dimension; returns how the
/// array grows, and the plan for the elements.
pub(super) fn check_rows(ty: TypeInfo, header: &Header) -> Result<(GrowingShape, Plan)> {
    let (item, outer) = outer(ty, header)?;
    let Some((_, row @ [_, ..])) = outer.split_first() else {
        let remedy = "append single elements with Writer::append";
        let who = format!("RowWriter<{}>", ty.name());
        return Err(header.rank(&who, "two or more dimensions", remedy));
    };
    let row = shape::count(row)?;
    stated(ty, header, &item, row)
}

/// Checks that rows can be appended to the array of a file as bytes; returns how the array grows.
/// In the result, an element is one byte.
pub(super) fn check_bytes(header: &Header) -> Result<(GrowingShape, Plan)> {
    check_grows(header, "appending")?;
    let shape = header.shape();
    let row = shape::count(shape.get(1..).unwrap_or_default())?;
    let row = row.saturating_mul(header.dtype().itemsize());
    if row == 0 {
        return Err(shape::invalid(shape, "its rows have no bytes, so there is nothing to append"));
    }
    let byte = u8::dtype();
    let plan = Plan::new(&byte, &byte, Cast::Exact)?;
    Ok((GrowingShape { shape: shape.to_vec(), row, item_size: 1 }, plan))
}

/// Refuses an array that cannot grow by rows at its end: one of objects, a single element, and one in Fortran order, where what comes
/// after the last element is a column.
fn check_grows(header: &Header, who: &str) -> Result<()> {
    header.without_objects()?;
    let Some((_, row)) = header.shape().split_first() else {
        let value = rust_type(header.dtype()).map(|value| format!("load::<{value}>(path)?"));
        let remedy = format!(
            "a single value has no rows: make it an array of one row with save(path, &[{}])",
            value.as_deref().unwrap_or("value")
        );
        return Err(header.rank(who, "one or more dimensions", remedy));
    };
    if header.order() == Order::C || shape::bytes_in_file(row, 1)? <= 1 {
        return Ok(());
    }
    let what = "appending rows in Fortran order, where the elements of a row are strided,".into();
    let needs =
        "an array in C order: read it, and write it with WriteOptions::new().order(Order::C)";
    Err(ErrorKind::Unsupported { what, needs }.into())
}

/// Returns the dimensions of the type, and those of the array that come before them.
fn outer(ty: TypeInfo, header: &Header) -> Result<(ItemShape, &[usize])> {
    check_grows(header, &ty.name())?;
    let item = ItemShape::of(&ty.canonical_to_write()?);
    let outer = item.outer(header, || ty.name());
    let outer = outer.map_err(|error| to_append(error, type_of_row(header)))?;
    Ok((item, outer))
}

/// Returns how an array with rows of `row` elements grows, and the plan for the elements.
fn stated(
    ty: TypeInfo,
    header: &Header,
    item: &ItemShape,
    row: usize,
) -> Result<(GrowingShape, Plan)> {
    let plan = plan(ty, &item.in_file(header.dtype()));
    let plan = plan.map_err(|error| error.wanted_by(&ty.name()))?;
    let shape = header.shape().to_vec();
    Ok((GrowingShape { shape, row, item_size: plan.dst_itemsize }, plan))
}

/// Creates the plan that converts elements of this type to elements of the file. Returns an error if the
/// two differ in type or in their fields: values would be lost or missing.
fn plan(ty: TypeInfo, file: &DType) -> Result<Plan> {
    let ours = ty.canonical_to_write()?;
    let missing = |error: Error, lacking: &str, needs: &'static str| {
        error.map_kind(|kind| match kind {
            ErrorKind::MissingField { name, .. } => {
                let what =
                    format!("appending {} to a file {lacking} the field {name:?}", ty.name());
                ErrorKind::Unsupported { what, needs }
            }
            kind => kind,
        })
    };
    Plan::new(file, &ours, Cast::Exact).map_err(|error| {
        let needs = "a Rust type without that field, as its values would be lost";
        missing(to_append(error, rust_type(file)), "without", needs)
    })?;
    Plan::new(&ours, file, Cast::Exact).map_err(|error| {
        let needs = "a Rust type with that field, as each row must have a value for it";
        missing(error, "with", needs)
    })
}

/// Replaces the remedy of an error by one for appending. `held` is the Rust type of the file, if there is a name for it.
fn to_append(error: Error, held: Option<String>) -> Error {
    let held = held.unwrap_or_else(|| HELD.into());
    let advice = format!("change the Rust type to {held}, or write another file");
    error.map_kind(|mut kind| {
        if let ErrorKind::Mismatch { remedy, .. } | ErrorKind::Rank { remedy, .. } = &mut kind {
            *remedy = advice;
        }
        kind
    })
}

#[cfg(test)]
mod tests {
    use super::super::{DynRowAppender, RowWriter};
    use super::*;

    /// Guards rows that 32 bits cannot count, or whose bytes they cannot. A header without rows can state any number of elements in a row.
    #[test]
    fn rows_of_any_size_are_refused_or_accepted_on_every_target() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("x.npy");
        let is_64 = cfg!(target_pointer_width = "64");
        for (shape, is_accepted) in
            [(&[0, 1 << 30][..], true), (&[0, 0xffff_ffff], is_64), (&[0, 1 << 16, 1 << 16], is_64)]
        {
            let dict = format!(
                "{{'descr': '<f8', 'fortran_order': False, 'shape': {}, }}\n",
                shape::repr(shape)
            );
            let mut file = b"\x93NUMPY\x01\0".to_vec();
            file.extend_from_slice(&u16::try_from(dict.len()).unwrap().to_le_bytes());
            file.extend_from_slice(dict.as_bytes());
            std::fs::write(&path, file).unwrap();
            let writer = Writer::<f64>::append(&path).map(Writer::discard);
            assert_eq!(writer.is_ok(), is_accepted, "{shape:?}: {writer:?}");
            let rows = RowWriter::<f64>::append(&path).map(RowWriter::discard);
            assert_eq!(rows.is_ok(), is_64, "{shape:?}: {rows:?}");
            let _ = DynRowAppender::open(&path).map(DynRowAppender::discard);
        }
    }
}
