//! Headers of files in a store, each read once.

use datafusion::common::{Column, HashMap};
use std::any::Any;
use std::ops::Range;
use std::sync::Arc;

use bytes::Bytes;
use datafusion::arrow::datatypes::Schema;
use datafusion::common::exec_datafusion_err;
use datafusion::error::{DataFusionError, Result};
use datafusion::execution::cache::cache_manager::{
    CachedFileMetadataEntry, FileMetadata, FileMetadataCache,
};
use npy_arrow::VALUE;
use npy_core::dtype::DType;
use npy_core::npz::Chunk;
use npy_core::{Header, Limits, Order};
use object_store::path::Path;
use object_store::{GetOptions, GetRange, ObjectMeta, ObjectStore};
use tokio::sync::OnceCell;

use crate::archive::{self, Fetched};
use crate::location::word;
use crate::packed::Index;

/// The first bytes of a file that are requested; few headers are longer.
const FIRST: u64 = 4096;

/// The facts that a scan must know of a file.
#[derive(Clone, Debug)]
pub(crate) struct File {
    pub(crate) rows: u64,
    pub(crate) contents: Contents,
    /// The bytes that were fetched with the header. The cache does not keep them.
    pub(crate) fetched: Option<Fetched>,
    /// True for an array without dimensions: its one row is the value.
    pub(crate) is_single: bool,
}

#[derive(Clone, Debug)]
pub(crate) enum Contents {
    /// One array: the dtype of a row, and the position of the first row.
    Rows { dtype: DType, start: u64 },
    /// An archive, whose members are columns, and the bytes of its directory.
    Members { members: Arc<[Member]>, directory: Fetched },
}

/// A member of an archive.
#[derive(Clone, Debug)]
pub(crate) struct Member {
    pub(crate) name: String,
    /// The dtype of a row: of arrays of more dimensions than one, a sub-array.
    pub(crate) dtype: DType,
    pub(crate) place: Place,
    /// The file that it is, where columns are files.
    pub(crate) file: Option<Arc<ObjectMeta>>,
}

/// The position of a member in its archive.
#[derive(Clone, Debug)]
pub(crate) enum Place {
    /// The position of its first row.
    At(u64),
    /// It is in Fortran order: the columns of its rows are contiguous.
    Columns {
        /// The position of the first one.
        start: u64,
        /// The numbers of the columns in the file, in the order in which a row has them.
        order: Arc<[u64]>,
    },
    /// It is compressed.
    Packed {
        /// Its entry and its bytes, and what comes after them until the next member.
        range: Range<u64>,
        /// Its seek index, which the first query of the member reads. All copies of the file have it.
        index: Arc<OnceCell<Option<Arc<Index>>>>,
    },
}

impl Member {
    /// Returns the bytes of a compressed member.
    pub(crate) fn packed(&self) -> Option<Range<u64>> {
        match &self.place {
            Place::At(_) | Place::Columns { .. } => None,
            Place::Packed { range, .. } => Some(range.clone()),
        }
    }
}

impl File {
    /// Returns the header of rows that are at the start of a file.
    pub(crate) fn of_rows(dtype: DType, rows: u64) -> Self {
        let contents = Contents::Rows { dtype, start: 0 };
        File { rows, contents, fetched: None, is_single: false }
    }

    fn without_bytes(self) -> Self {
        File { fetched: None, ..self }
    }

    /// Returns the columns of the file.
    pub(crate) fn columns(&self) -> Vec<(&str, &DType)> {
        match &self.contents {
            Contents::Rows { dtype, .. } if dtype.is_record() => {
                dtype.fields().iter().map(|field| (field.name(), field.dtype())).collect()
            }
            Contents::Rows { dtype, .. } => vec![(VALUE, dtype)],
            Contents::Members { members, .. } => {
                members.iter().map(|member| (&*member.name, &member.dtype)).collect()
            }
        }
    }

    /// Refuses a file that has none of the columns of the table: all its rows would be null.
    pub(crate) fn check_columns(
        &self,
        table: &Schema,
        store: &dyn ObjectStore,
        meta: &ObjectMeta,
    ) -> Result<()> {
        let columns = self.columns();
        let is_common = columns.iter().any(|(name, _)| table.field_with_name(name).is_ok());
        if is_common || self.rows == 0 || columns.is_empty() || table.fields().is_empty() {
            return Ok(());
        }
        let names = columns.iter().map(|(name, _)| *name);
        let of_table = table.fields().iter().map(|field| field.name().as_str());
        let reason = format!(
            "it has no column of the table: it has {}, and the table {}; select files of one kind, for example 'dir/ticks-*.npy'",
            listed(names),
            listed(of_table)
        );
        Err(located(store, meta, &reason))
    }

    /// Returns the size of a row in bytes.
    pub(crate) fn row_size(&self) -> u64 {
        match &self.contents {
            Contents::Rows { dtype, .. } => dtype.itemsize() as u64,
            Contents::Members { members, .. } => {
                members.iter().map(|member| member.dtype.itemsize() as u64).sum()
            }
        }
    }

    /// Returns the first row that begins at this byte of the file or later. So the ranges of a file divide its rows. The columns of an archive
    /// do not begin in one place, so its bytes divide them evenly.
    pub(crate) fn row_at(&self, byte: i64, meta: &ObjectMeta) -> u64 {
        let byte = u64::try_from(byte).unwrap_or(0);
        let Contents::Rows { start, .. } = self.contents else {
            let row = u128::from(self.rows) * u128::from(byte.min(meta.size));
            let row = row.div_ceil(u128::from(meta.size.max(1)));
            return u64::try_from(row).unwrap_or(self.rows);
        };
        let row = byte.saturating_sub(start).checked_add(self.row_size().saturating_sub(1));
        match row.and_then(|byte| byte.checked_div(self.row_size())) {
            Some(row) => row.min(self.rows),
            // Rows without bytes all begin where the first does.
            None if byte > start => self.rows,
            None => 0,
        }
    }
}

impl FileMetadata for File {
    fn as_any(&self) -> &dyn Any {
        self
    }

    fn memory_size(&self) -> usize {
        // The path, the tag and the date of the file, and its place in the cache.
        const ENTRY: usize = 400;
        // The text of a dtype is about as long as its fields in memory.
        let column = |(name, dtype): (&str, &DType)| name.len() + 4 * dtype.descr().len();
        let columns: usize = self.columns().into_iter().map(column).sum();
        let archive = match &self.contents {
            Contents::Rows { .. } => 0,
            Contents::Members { members, directory } => {
                // The size of an entry must not change, and the seek indexes are read later. An index by this library has a chunk for each MiB.
                let chunk = |member: &Member| match &member.place {
                    Place::Packed { .. } => member.dtype.itemsize() as u64,
                    Place::At(_) | Place::Columns { .. } => 0,
                };
                let bytes = members.iter().map(chunk).sum::<u64>().saturating_mul(self.rows);
                let indexes = usize::try_from(bytes >> 20).unwrap_or(usize::MAX);
                let indexes = indexes.saturating_mul(size_of::<Chunk>());
                members.len() * size_of::<Member>() + directory.memory() + indexes
            }
        };
        let fetched = self.fetched.as_ref().map_or(0, Fetched::memory);
        (size_of::<Self>() + ENTRY + columns + fetched).saturating_add(archive)
    }

    fn extra_info(&self) -> HashMap<String, String> {
        HashMap::from([("rows".into(), self.rows.to_string())])
    }
}

/// Returns the header of a file from the cache of the session.
pub(crate) fn known(cache: Option<&FileMetadataCache>, meta: &ObjectMeta) -> Option<File> {
    // The cache has one entry for a path, and without a tag that may be one of another store.
    meta.e_tag.as_ref()?;
    let entry = cache?.get(&meta.location)?;
    let is_same = entry.is_valid_for(meta) && tag(&entry.meta) == tag(meta);
    let file = entry.file_metadata.as_any().downcast_ref::<File>();
    file.filter(|_| is_same).cloned()
}

/// Returns the header of a file from the cache of the session, or reads it and keeps it there until the file changes.
pub(crate) async fn cached(
    cache: Option<&FileMetadataCache>,
    store: &dyn ObjectStore,
    meta: &ObjectMeta,
) -> Result<File> {
    Ok(opened(cache, store, meta).await?.without_bytes())
}

/// As [`cached`]. If the header has to be read, the bytes that were fetched with it are there, too.
pub(crate) async fn opened(
    cache: Option<&FileMetadataCache>,
    store: &dyn ObjectStore,
    meta: &ObjectMeta,
) -> Result<File> {
    if let Some(file) = known(cache, meta) {
        return Ok(file);
    }
    let file = read(store, meta).await?;
    if let Some(cache) = cache {
        let kept = Arc::new(file.clone().without_bytes());
        cache.put(&meta.location, CachedFileMetadataEntry::new(meta.clone(), kept));
    }
    Ok(file)
}

/// Returns bytes of a file. A file that ends before them is an error.
pub(crate) async fn get(
    store: &dyn ObjectStore,
    meta: &ObjectMeta,
    range: Range<u64>,
) -> Result<Bytes> {
    let bounded = Some(GetRange::Bounded(range.clone()));
    let get = GetOptions { range: bounded, ..GetOptions::default() };
    let result = store.get_opts(&meta.location, get).await;
    let result = result.map_err(|error| failed(store, meta, &error))?;
    check_unchanged(store, meta, &result.meta)?;
    let bytes = result.bytes().await.map_err(|error| failed(store, meta, &error))?;
    check_size(store, meta, &bytes, &range)?;
    Ok(bytes)
}

/// Returns the first names of columns, for messages.
pub(crate) fn listed<'a>(names: impl Iterator<Item = &'a str>) -> String {
    const SHOWN: usize = 12;
    let mut names = names.map(|name| format!("{name:?}"));
    let mut shown: Vec<String> = names.by_ref().take(SHOWN).collect();
    if let more @ 1.. = names.count() {
        shown.push(format!("and {more} more"));
    }
    shown.join(", ")
}

/// Checks that a file still is the one that was listed. The session may have the header of that one.
pub(crate) fn check_unchanged(
    store: &dyn ObjectStore,
    listed: &ObjectMeta,
    found: &ObjectMeta,
) -> Result<()> {
    match is_unchanged(listed, found) {
        true => Ok(()),
        false => Err(located(
            store,
            listed,
            &"the file has changed since it was listed; run SET datafusion.runtime.list_files_cache_limit = '0', so that each query lists the files",
        )),
    }
}

/// Returns true if both are of one version of a file.
pub(crate) fn is_unchanged(a: &ObjectMeta, b: &ObjectMeta) -> bool {
    let is_other_tag = a.e_tag.is_some() && b.e_tag.is_some() && tag(a) != tag(b);
    a.size == b.size && !is_other_tag && is_same_time(a, b)
}

/// Returns the tag of a file. The lists of Azure have it without the quotes of its other answers.
fn tag(meta: &ObjectMeta) -> Option<&str> {
    meta.e_tag.as_deref().map(|tag| tag.trim_matches('"'))
}

/// Compares the times of two answers. Some stores list files with milliseconds, and answer requests for one file in whole seconds: then its tag tells.
fn is_same_time(a: &ObjectMeta, b: &ObjectMeta) -> bool {
    let is_whole = |meta: &ObjectMeta| meta.last_modified.timestamp_subsec_nanos() == 0;
    let is_rounded = a.e_tag.is_some() && tag(a) == tag(b) && is_whole(a) != is_whole(b);
    let difference = (a.last_modified - b.last_modified).abs().num_nanoseconds();
    let most = if is_rounded { 999_999_999 } else { 0 };
    difference.is_some_and(|difference| difference <= most)
}

/// Checks that a store has returned all bytes of a range. Some return fewer at the end of a file.
pub(crate) fn check_size(
    store: &dyn ObjectStore,
    meta: &ObjectMeta,
    bytes: &Bytes,
    range: &Range<u64>,
) -> Result<()> {
    match bytes.len() as u64 == range.end.saturating_sub(range.start) {
        true => Ok(()),
        false => Err(located(store, meta, &SHORTER)),
    }
}

/// The error of a file that ends before the rows that its header states.
pub(crate) const SHORTER: &str = "truncated: it ends before the rows that its header states; write or copy the complete file again";

/// The start of the library's advice for an array that is named as an archive; the rest of it is for programs.
const ARRAY: &str = "it is a .npy file";

/// Returns an error that names the file.
pub(crate) fn located(
    store: &dyn ObjectStore,
    meta: &ObjectMeta,
    error: &dyn std::fmt::Display,
) -> DataFusionError {
    let (name, reason) = (named(store, &meta.location), error.to_string());
    let reason = match (reason.split_once(ARRAY), name.strip_suffix("npz")) {
        (Some((before, _)), Some(stem)) => format!(
            "{before}{ARRAY}: rename it to .npy, or run npy convert {} {}",
            word(&name),
            word(&format!("{stem}npy"))
        ),
        _ => in_sql(&reason),
    };
    exec_datafusion_err!("{name}: {reason}")
}

/// Returns the error of a request for a file. That of a cloud names it, and says what to do. A file that has become shorter has no such range.
pub(crate) fn failed(
    store: &dyn ObjectStore,
    meta: &ObjectMeta,
    error: &object_store::Error,
) -> DataFusionError {
    #[cfg(feature = "clouds")]
    if let Some(text) = crate::clouds::advice(error) {
        return DataFusionError::Execution(text.to_owned());
    }
    match error.to_string().contains("Requested range was invalid") {
        true => located(store, meta, &SHORTER),
        false => located(store, meta, error),
    }
}

/// Returns true if an error says what to do.
#[cfg(feature = "clouds")]
fn is_plain(error: &object_store::Error) -> bool {
    crate::clouds::advice(error).is_some()
}

/// Without clouds, none does.
#[cfg(not(feature = "clouds"))]
fn is_plain(_: &object_store::Error) -> bool {
    false
}

/// Returns an error of DataFusion without the layers around that of a cloud.
pub(crate) fn plain(error: DataFusionError) -> DataFusionError {
    #[cfg(feature = "clouds")]
    let error = crate::clouds::plain(error);
    error
}

/// Returns the name of a file for messages: its URL, if the store has one, or else its path.
pub(crate) fn named(store: &dyn ObjectStore, location: &Path) -> String {
    let root = store.to_string();
    let is_url = root.split_once("://").is_some_and(|(scheme, _)| {
        !scheme.is_empty() && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric())
    });
    match is_url {
        true => format!("{root}/{location}"),
        false => shown(location),
    }
}

/// Returns the path of a file for messages. Stores have paths without the first slash, also that of this machine.
pub(crate) fn shown(location: &Path) -> String {
    let absolute = format!("/{location}");
    match std::path::Path::new(&absolute).exists() {
        true => absolute,
        false => location.to_string(),
    }
}

/// Says what a user of SQL can do, where the message of the library names its types.
pub(crate) fn in_sql(message: &str) -> String {
    let Some((reason, advice)) = message.rsplit_once("; ") else { return message.to_owned() };
    let column = message.strip_prefix("column \"").and_then(|rest| Some(rest.split_once('"')?.0));
    // A field of a record has the name of its column and a dot before it.
    let column = column.filter(|name| !name.contains('.'));
    let x = column.map_or("x".to_owned(), |name| Column::new_unqualified(name).quoted_flat_name());
    let advice = match advice {
        _ if advice.contains("Limits::") => "queries have no larger limit: write the file again",
        _ if advice.contains("ReadOptions::")
            || advice.contains("Cast::")
            || advice.ends_with(" holds it") =>
        {
            "declare the column with another type: CREATE EXTERNAL TABLE t (…) STORED AS NPY LOCATION '…'"
        }
        _ if advice.contains("fill_nulls") => {
            let values = [("'<U", "''"), ("'|S", "X''"), ("'|b1'", "false")];
            let value = values.iter().find(|(dtype, _)| reason.contains(dtype));
            let value = value.map_or("0", |(_, value)| value);
            &format!("write coalesce({x}, {value}) AS {x}, or COPY … OPTIONS (fill_nulls true)")
        }
        _ if reason.contains("ends with a zero byte") => &format!(
            "write encode({x}, 'hex') AS {x}, which has all bytes, or rtrim(CAST({x} AS TEXT), chr(0)) AS {x} for a text without those at its end"
        ),
        _ if advice.starts_with("cast the column") && reason.contains("for Decimal") => {
            match reason.ends_with(", 0)") {
                true => &format!(
                    "write CAST({x} AS BIGINT UNSIGNED) AS {x}, or BIGINT if there are numbers below 0"
                ),
                false => &format!("write CAST({x} AS DOUBLE) AS {x}"),
            }
        }
        _ => return message.to_owned(),
    };
    format!("{reason}; {advice}")
}

/// Returns the size, the time and the tag of a file of a store, and puts its header into the cache: by one request, unless the session has the
/// header. `None` if the file is not there, or has no bytes.
pub(crate) async fn found(
    cache: &FileMetadataCache,
    store: &dyn ObjectStore,
    location: &Path,
) -> Result<Option<ObjectMeta>> {
    // An archive has its directory at its end.
    if cache.get(location).is_some() || location.extension() != Some("npy") {
        return Ok(None);
    }
    let range = Some(GetRange::Bounded(0..FIRST));
    let get = GetOptions { range, ..GetOptions::default() };
    let result = match store.get_opts(location, get).await {
        Ok(result) => result,
        // There are stores that have no range of an empty file; then the list says so.
        Err(error)
            if matches!(error, object_store::Error::NotFound { .. }) || !is_plain(&error) =>
        {
            return Ok(None);
        }
        Err(error) => return Err(plain(error.into())),
    };
    let meta = result.meta.clone();
    let head = result.bytes().await.map_err(|error| failed(store, &meta, &error))?;
    check_size(store, &meta, &head, &(0..meta.size.min(FIRST)))?;
    let file = of_head(store, &meta, head).await?.without_bytes();
    cache.put(location, CachedFileMetadataEntry::new(meta.clone(), Arc::new(file)));
    Ok(Some(meta))
}

/// Reads the header of a file: by one request, unless the header is longer than 4 KiB.
async fn read(store: &dyn ObjectStore, meta: &ObjectMeta) -> Result<File> {
    if meta.location.extension() == Some("npz") {
        return archive::read(store, meta).await;
    }
    let head = match meta.size {
        // No store returns a range of an empty file.
        0 => Bytes::new(),
        size => get(store, meta, 0..size.min(FIRST)).await?,
    };
    of_head(store, meta, head).await
}

/// Returns the header that the first bytes of a file have.
async fn of_head(store: &dyn ObjectStore, meta: &ObjectMeta, mut head: Bytes) -> Result<File> {
    let located = |error: &dyn std::fmt::Display| located(store, meta, error);
    if let Some(needed) = Header::needed(&head)
        && needed > head.len()
    {
        head = get(store, meta, 0..meta.size.min(needed as u64)).await?;
    }
    if head.starts_with(b"PK") {
        return archive::read(store, meta).await;
    }
    let (header, start) = Header::parse(&head).map_err(|error| located(&error))?;
    let start = start as u64;
    let Array { rows, dtype, columns } = array(&header).map_err(|reason| located(&reason))?;
    let fetched = Fetched::of_start(meta.size, head);
    let contents = match columns {
        None => Contents::Rows { dtype, start },
        Some(order) => {
            let place = Place::Columns { start, order };
            let name = VALUE.to_owned();
            let members = Arc::from([Member { name, dtype, place, file: None }]);
            Contents::Members { members, directory: Fetched::default() }
        }
    };
    let is_single = header.shape().is_empty();
    let file = File { rows, contents, fetched: Some(fetched), is_single };
    let size = meta.size;
    let complete = rows.checked_mul(file.row_size()).and_then(|bytes| bytes.checked_add(start));
    if complete.is_none_or(|complete| complete > size) {
        let row = file.row_size();
        return Err(located(&format!(
            "truncated: the header states {rows} rows of {row} bytes, and the file has {size} bytes; write or copy the complete file again"
        )));
    }
    Ok(file)
}

/// An array as rows.
pub(crate) struct Array {
    pub(crate) rows: u64,
    /// The dtype of a row.
    pub(crate) dtype: DType,
    /// In Fortran order, the numbers of the columns in the file, in the order in which a row has them.
    pub(crate) columns: Option<Arc<[u64]>>,
}

/// Returns the rows of an array, or the reason why it has none.
pub(crate) fn array(header: &Header) -> Result<Array, String> {
    let dtype = header.dtype();
    if dtype.has_object() {
        return Err("an array of Python objects is one pickle, and no table; save its values as numbers or text, as `npy convert --dtype` does".into());
    }
    let (rows, inner) =
        header.shape().split_first().map_or((1, &[][..]), |(rows, inner)| (*rows, inner));
    let columns = match header.order() {
        Order::Fortran if !inner.is_empty() => Some(columns_of(inner)?),
        _ => None,
    };
    // The dtype of a row: of an array of more dimensions than one, a sub-array of the other dimensions.
    let dtype = dtype.array(inner).map_err(|error| error.to_string())?;
    let rows = rows as u64;
    // A file of 128 bytes may state any number of them, and a query would count them one by one.
    let limit = Limits::default().empty_items;
    if dtype.itemsize() == 0 && rows > limit {
        return Err(format!(
            "{rows} rows of zero bytes exceed the limit of {limit}; remove the file, or write it with fewer rows"
        ));
    }
    Ok(Array { rows, dtype, columns })
}

/// The error of an array in Fortran order whose rows are not read.
pub(crate) const STRIDED: &str =
    "so its rows are not contiguous; save it with np.ascontiguousarray";

/// Returns the numbers that the columns of an array in Fortran order have in the file, in the order in which a row has them.
fn columns_of(inner: &[usize]) -> Result<Arc<[u64]>, String> {
    /// A block of rows reads each column by a request of its own.
    const MOST: usize = 4096;
    let count = inner.iter().try_fold(1usize, |count, size| count.checked_mul(*size));
    let Some(count) = count.filter(|&count| count <= MOST) else {
        return Err(format!(
            "the array is in Fortran order, and a row has more than {MOST} values, {STRIDED}"
        ));
    };
    let number = |mut index: usize| {
        // The last dimension is the fastest in a row, and the slowest in the file.
        let mut stride = count;
        inner.iter().rev().fold(0, |number, &size| {
            stride /= size;
            let at = index % size;
            index /= size;
            number + (at * stride) as u64
        })
    };
    Ok((0..count).map(number).collect())
}

/// Converts an error of the library.
pub(crate) fn external(error: impl std::error::Error + Send + Sync + 'static) -> DataFusionError {
    let message = error.to_string();
    let shown = in_sql(&message);
    match shown == message {
        true => DataFusionError::External(Box::new(error)),
        false => DataFusionError::Execution(shown),
    }
}

#[cfg(test)]
mod tests {
    use datafusion::arrow::temporal_conversions::timestamp_ns_to_datetime;

    use super::*;

    /// Guards versions of files: the times of stores that round some of them, and only with the same tag.
    #[test]
    fn versions_differ_by_size_tag_and_time() {
        let meta = |nanoseconds: i64, tag: Option<&str>| ObjectMeta {
            location: Path::from("x.npy"),
            last_modified: timestamp_ns_to_datetime(nanoseconds).unwrap().and_utc(),
            size: 5,
            e_tag: tag.map(str::to_owned),
            version: None,
        };
        const SECOND: i64 = 1_000_000_000;
        let (whole, part) = (7 * SECOND, 7 * SECOND + 123_000_000);
        for (a, b, is_same) in [
            (meta(part, Some("a")), meta(part, Some("a")), true),
            (meta(part, Some("a")), meta(whole, Some("a")), true),
            (meta(part, Some("a")), meta(whole + SECOND, Some("a")), true),
            (meta(part, Some("a")), meta(whole + 2 * SECOND, Some("a")), false),
            (meta(part, Some("a")), meta(part, Some("\"a\"")), true),
            (meta(part, Some("a")), meta(whole, Some("b")), false),
            (meta(part, Some("a")), meta(part + 1, Some("a")), false),
            (meta(whole, Some("a")), meta(whole + SECOND, Some("a")), false),
            (meta(part, None), meta(whole, None), false),
            (meta(part, None), meta(part, Some("a")), true),
        ] {
            assert_eq!(is_unchanged(&a, &b), is_same, "{a:?} {b:?}");
            assert_eq!(is_unchanged(&b, &a), is_same, "{b:?} {a:?}");
        }
    }

    /// Guards the order of columns: that of NumPy's `a.reshape(n, -1)`, in a file of `a.T`.
    #[test]
    fn columns_are_in_the_order_of_a_row() {
        assert_eq!(columns_of(&[3]).unwrap()[..], [0, 1, 2]);
        assert_eq!(columns_of(&[2, 3]).unwrap()[..], [0, 2, 4, 1, 3, 5]);
        assert_eq!(columns_of(&[2, 2, 2]).unwrap()[..], [0, 4, 2, 6, 1, 5, 3, 7]);
        assert!(columns_of(&[0, 5]).unwrap().is_empty());
        assert!(columns_of(&[usize::MAX, 2]).is_err());
    }
}
