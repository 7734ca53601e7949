//! The bytes of an index.

use std::collections::HashMap;
use std::io::Cursor;
use std::sync::Arc;

use bytes::Bytes;
use datafusion::arrow::array::{
    Array, ArrayRef, AsArray, BooleanArray, Int64Array, PrimitiveArray, RecordBatch, StringArray,
    TimestampNanosecondArray, UInt64Array,
};
use datafusion::arrow::compute::{cast, is_not_null, not, nullif};
use datafusion::arrow::datatypes::{
    ArrowPrimitiveType, DataType, TimeUnit, TimestampNanosecondType, UInt64Type,
};
use datafusion::arrow::temporal_conversions::timestamp_ns_to_datetime;
use datafusion::common::exec_datafusion_err;
use datafusion::error::Result;
use npy_arrow::{Options, column, dyn_array, into_array, record_batch};
use npy_core::dtype::DType;
use npy_core::{DynArray, Limits, npz};
use object_store::ObjectMeta;
use object_store::path::Path;

use super::bounds::is_indexed;
use super::build::Wanted;
use super::{Bounds, Entry, Index, blocks_of};
use crate::header::{Contents, File, external};
use crate::merge::field_of;

const VERSION: i64 = 1;

/// The most bytes that deflate makes of one, as a limit of the rows of a file whose header is not in the index.
const RATIO: u64 = 1032;

/// Returns the bytes of an index.
pub(super) fn encode(index: &Index, directory: &Path) -> Result<Vec<u8>> {
    let mut options = npz::WriteOptions::new();
    options.deflate(1);
    let mut writer = options.writer(Cursor::new(Vec::new())).map_err(external)?;
    let number = |value: u64| vec![value];
    writer.write("version", &vec![VERSION]).map_err(external)?;
    writer.write("block", &number(index.wanted.block)).map_err(external)?;
    if let Some(columns) = &index.wanted.columns {
        writer.write("columns", columns).map_err(external)?;
    }
    let files = dyn_array(&files(index, directory)?, &Options::new()).map_err(external)?;
    writer.write("files", &files).map_err(external)?;
    // A value where there is none is any number; `known` says so.
    let filled = Options::new().fill_nulls(true).clone();
    for Bounds { field, min, max, nulls, sorted } in &index.columns {
        let name = field.name();
        for (kind, values) in [("min", min), ("max", max)] {
            let values = column(values, field, &filled).map_err(external)?;
            writer.write(&named(kind, name), &values).map_err(external)?;
        }
        let known: Vec<bool> = is_not_null(min)?.values().iter().collect();
        writer.write(&named("known", name), &known).map_err(external)?;
        let nulls: Vec<i64> = nulls.iter().map(|nulls| nulls.unwrap_or(-1)).collect();
        writer.write(&named("nulls", name), &nulls).map_err(external)?;
        let sorted: Vec<bool> = sorted.values().iter().collect();
        writer.write(&named("sorted", name), &sorted).map_err(external)?;
    }
    Ok(writer.finish().map_err(external)?.into_inner())
}

/// Returns the name of a member. `.npy` at its end would be taken for the extension of the member, so a slash comes after it.
fn named(kind: &str, column: &str) -> String {
    let slash = if has_extension(column) { "/" } else { "" };
    format!("{kind}/{column}{slash}")
}

/// Returns the column of a member with least values.
fn column_of(member: &str) -> Option<&str> {
    let name = member.strip_prefix("min/")?;
    match has_extension(name) {
        true => Some(name.strip_suffix('/').unwrap_or(name)),
        false => Some(name),
    }
}

/// Returns true for a name that ends in `.npy`, or in that and slashes.
fn has_extension(name: &str) -> bool {
    name.trim_end_matches('/').ends_with(".npy")
}

/// Returns the files as a table, in the order of their blocks.
fn files(index: &Index, directory: &Path) -> Result<RecordBatch> {
    let mut entries: Vec<&Entry> = index.files.values().collect();
    entries.sort_by(|a, b| {
        (a.blocks.start, a.blocks.end, &a.meta.location).cmp(&(
            b.blocks.start,
            b.blocks.end,
            &b.meta.location,
        ))
    });
    let path = |entry: &&Entry| {
        let parts = entry.meta.location.prefix_match(directory);
        parts.map(|parts| Path::from_iter(parts).to_string())
    };
    let paths: Option<Vec<String>> = entries.iter().map(path).collect();
    let paths = paths.ok_or_else(|| exec_datafusion_err!("a file of another directory"))?;
    let time = |entry: &&Entry| entry.meta.last_modified.timestamp_nanos_opt();
    let etag = |entry: &&Entry| entry.meta.e_tag.clone().unwrap_or_default();
    let row = |entry: &&Entry| match entry.header.as_ref().map(|header| &header.contents) {
        Some(Contents::Rows { dtype, start }) => (*start, dtype.descr()),
        Some(Contents::Members { .. }) | None => (0, String::new()),
    };
    let (starts, dtypes): (Vec<u64>, Vec<String>) = entries.iter().map(row).unzip();
    let columns: [(&str, ArrayRef); 7] = [
        ("path", Arc::new(StringArray::from(paths))),
        ("size", Arc::new(UInt64Array::from_iter_values(entries.iter().map(|it| it.meta.size)))),
        ("modified", Arc::new(entries.iter().map(time).collect::<TimestampNanosecondArray>())),
        ("etag", Arc::new(StringArray::from_iter_values(entries.iter().map(etag)))),
        ("rows", Arc::new(UInt64Array::from_iter_values(entries.iter().map(|it| it.rows)))),
        ("start", Arc::new(UInt64Array::from(starts))),
        ("dtype", Arc::new(StringArray::from(dtypes))),
    ];
    Ok(RecordBatch::try_from_iter(columns)?)
}

/// Reads an index. Damage anywhere in it is an error.
pub(super) fn decode(bytes: Bytes, directory: &Path) -> Result<Index> {
    let reader = npz::Reader::new(Cursor::new(bytes)).map_err(external)?;
    let one = |name: &str| -> Result<i64> {
        let values: Vec<i64> = match name {
            "block" => {
                let values: Vec<u64> = reader.read(name).map_err(external)?;
                values.into_iter().map(|it| i64::try_from(it).unwrap_or(0)).collect()
            }
            _ => reader.read(name).map_err(external)?,
        };
        match values[..] {
            [value] => Ok(value),
            _ => Err(exec_datafusion_err!("{name} has {} values", values.len())),
        }
    };
    let version = one("version")?;
    if version != VERSION {
        return Err(exec_datafusion_err!("it has version {version}, and {VERSION} is known"));
    }
    let block = u64::try_from(one("block")?).unwrap_or(0);
    if block == 0 {
        return Err(exec_datafusion_err!("its blocks have no rows"));
    }
    let columns = match reader.names().any(|name| name == "columns") {
        true => Some(reader.read::<Vec<String>>("columns").map_err(external)?),
        false => None,
    };
    let wanted = Wanted { columns, block };
    let files: DynArray = reader.read("files").map_err(external)?;
    let files = record_batch(&files, &Options::new()).map_err(external)?;
    let (files, blocks) = entries(&files, block, directory)?;
    let mut columns = Vec::new();
    for name in reader.names().filter_map(column_of) {
        let array = |kind: &str| -> Result<DynArray> {
            let array: DynArray = reader.read(&named(kind, name)).map_err(external)?;
            match array.shape() == [blocks] {
                true => Ok(array),
                false => Err(exec_datafusion_err!(
                    "{kind}/{name} has the shape {:?}, and the files have {blocks} blocks",
                    array.shape()
                )),
            }
        };
        let (min, max) = (array("min")?, array("max")?);
        let field = field_of(name, min.dtype(), &Options::new())?;
        if min.dtype() != max.dtype() || !is_indexed(&field) {
            return Err(exec_datafusion_err!("min/{name} and max/{name} are no bounds"));
        }
        let known: Vec<bool> = reader.read(&named("known", name)).map_err(external)?;
        let nulls: Vec<i64> = reader.read(&named("nulls", name)).map_err(external)?;
        let has_order = reader.names().any(|member| member == named("sorted", name));
        let sorted: Vec<bool> = match has_order {
            true => reader.read(&named("sorted", name)).map_err(external)?,
            false => vec![false; blocks],
        };
        if known.len() != blocks || nulls.len() != blocks || sorted.len() != blocks {
            return Err(exec_datafusion_err!(
                "known/{name}, nulls/{name} or sorted/{name} is too short"
            ));
        }
        let unknown = not(&BooleanArray::from(known))?;
        let values = |array: DynArray| -> Result<ArrayRef> {
            let array = into_array(array, &field, &Options::new()).map_err(external)?;
            Ok(nullif(&array, &unknown)?)
        };
        let (min, max) = (values(min)?, values(max)?);
        let nulls = nulls.into_iter().map(|nulls| (nulls >= 0).then_some(nulls));
        let (nulls, sorted) = (nulls.collect::<Int64Array>(), BooleanArray::from(sorted));
        columns.push(Bounds { field, min, max, nulls, sorted });
    }
    Ok(Index { wanted, files, columns })
}

/// Returns the files of an index, and the number of their blocks.
fn entries(
    files: &RecordBatch,
    block: u64,
    directory: &Path,
) -> Result<(HashMap<Path, Entry>, usize)> {
    let (path, etag) = (texts(files, "path")?, texts(files, "etag")?);
    let dtype = texts(files, "dtype")?;
    let size = numbers::<UInt64Type>(files, "size", &DataType::UInt64)?;
    let (rows, start) = (
        numbers::<UInt64Type>(files, "rows", &DataType::UInt64)?,
        numbers::<UInt64Type>(files, "start", &DataType::UInt64)?,
    );
    let time = DataType::Timestamp(TimeUnit::Nanosecond, None);
    let modified = numbers::<TimestampNanosecondType>(files, "modified", &time)?;
    let (mut entries, mut blocks, mut dtypes) = (HashMap::new(), 0usize, HashMap::new());
    for file in 0..files.num_rows() {
        let damaged = || exec_datafusion_err!("its entry {file} is damaged: {}", path.value(file));
        let relative = Path::parse(path.value(file)).map_err(external)?;
        let location = Path::from_iter(directory.parts().chain(relative.parts()));
        let dtype = match (dtype.value(file), dtypes.get(dtype.value(file))) {
            ("", _) => None,
            (_, Some(dtype)) => Some(DType::clone(dtype)),
            (descr, None) => {
                let parsed: DType = descr.parse().map_err(external)?;
                dtypes.insert(descr, parsed.clone());
                Some(parsed)
            }
        };
        let (rows, start, size) = (rows.value(file), start.value(file), size.value(file));
        let is_possible = match &dtype {
            Some(dtype) => is_within(dtype, rows, start, size),
            None => rows <= size.saturating_mul(RATIO).max(Limits::default().empty_items),
        };
        if !is_possible {
            return Err(damaged());
        }
        let time = modified.is_valid(file).then(|| modified.value(file));
        let time = time.and_then(timestamp_ns_to_datetime).ok_or_else(damaged)?;
        let end = blocks_of(rows, block).and_then(|count| blocks.checked_add(count));
        let next = std::mem::replace(&mut blocks, end.ok_or_else(damaged)?);
        let tag = Some(etag.value(file).to_owned()).filter(|tag| !tag.is_empty());
        let entry = Entry {
            meta: ObjectMeta {
                location: location.clone(),
                last_modified: time.and_utc(),
                size,
                e_tag: tag,
                version: None,
            },
            rows,
            header: dtype.map(|dtype| {
                let contents = Contents::Rows { dtype, start };
                Arc::new(File { rows, contents, fetched: None, is_single: false })
            }),
            blocks: next..blocks,
        };
        if entries.insert(location, entry).is_some() {
            return Err(damaged());
        }
    }
    Ok((entries, blocks))
}

/// Returns true if a file of this size can have these rows.
fn is_within(dtype: &DType, rows: u64, start: u64, size: u64) -> bool {
    let end = rows.checked_mul(dtype.itemsize() as u64).and_then(|it| it.checked_add(start));
    let is_too_many = dtype.itemsize() == 0 && rows > Limits::default().empty_items;
    end.is_some_and(|end| end <= size) && !is_too_many && !dtype.has_object()
}

fn member(files: &RecordBatch, name: &str, to: &DataType) -> Result<ArrayRef> {
    let column = files.column_by_name(name);
    let column = column.ok_or_else(|| exec_datafusion_err!("its files have no {name}"))?;
    let values = cast(column, to)?;
    match values.null_count() == column.null_count() {
        true => Ok(values),
        false => Err(exec_datafusion_err!("its files have a {name} that is no {to}")),
    }
}

fn texts(files: &RecordBatch, name: &str) -> Result<StringArray> {
    Ok(member(files, name, &DataType::Utf8)?.as_string().clone())
}

fn numbers<T: ArrowPrimitiveType>(
    files: &RecordBatch,
    name: &str,
    to: &DataType,
) -> Result<PrimitiveArray<T>> {
    Ok(member(files, name, to)?.as_primitive().clone())
}
