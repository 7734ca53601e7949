//! Writes the index of a directory.

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use datafusion::arrow::array::{Array, ArrayRef, Int64Array, RecordBatch};
use datafusion::arrow::datatypes::{Schema, SchemaRef};
use datafusion::catalog::Session;
use datafusion::common::runtime::SpawnedTask;
use datafusion::common::{exec_datafusion_err, exec_err, plan_datafusion_err, plan_err};
use datafusion::datasource::file_format::FileFormat;
use datafusion::datasource::listing::{ListingOptions, ListingTableUrl, PartitionedFile};
use datafusion::datasource::physical_plan::FileOpener;
use datafusion::error::{DataFusionError, Result};
use datafusion::execution::cache::cache_manager::FileMetadataCache;
use datafusion::physical_plan::metrics::Count;
use datafusion::scalar::ScalarValue;
use futures::{StreamExt, TryStreamExt};
use npy_arrow::Options;
use npy_core::dtype::DType;
use object_store::{ObjectMeta, ObjectStore, ObjectStoreExt};

use super::bounds::{extremes, is_indexed, unsorted_at};
use super::replace::{Old, Target, has_same_columns, kept};
use super::{Bounds, Entry, Index, IndexMode, blocks_of, file};
use crate::format::NpyFormat;
use crate::header::{self, File, located};
use crate::merge::{field_of, wider};
use crate::opener::NpyOpener;
use crate::{files, location};

/// The times that a file is read again if it has changed meanwhile.
const ATTEMPTS: usize = 3;

/// An index that was written.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct IndexReport {
    /// The number of files.
    pub files: usize,
    /// The number of those that were read. The others are as they were in the old index.
    pub read: usize,
    /// The number of rows of all files.
    pub rows: u64,
    /// The columns that have bounds.
    pub columns: Vec<String>,
    /// The size of the index in bytes.
    pub bytes: u64,
}

/// The columns that get bounds, `None` for all that can have some, and the rows of a block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Wanted {
    pub(super) columns: Option<Vec<String>>,
    pub(super) block: u64,
}

/// Writes the index of all `.npy` files in a directory and in those below it, or of all archives if there are no such files: its file is `_npy.index`, an archive that NumPy opens.
///
/// The location is a path or a URL. `columns` are those that get bounds; `None`: all numbers, times and short text. `block` is the number of rows that have
/// bounds in common ([`INDEX_BLOCK`](crate::INDEX_BLOCK)). If there is an index with the same columns and blocks, only the files that have changed since are read; otherwise all
/// bytes of all files. The old index is there until the new one is complete.
///
/// ```
/// # #[tokio::main]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let directory = tempfile::tempdir()?;
/// # let path = directory.path().to_str().unwrap();
/// npy_core::save(directory.path().join("x.npy"), &[1.5f64, 2.5])?;
/// let ctx = npy_datafusion::session();
/// let report = npy_datafusion::write_index(&ctx.state(), path, None, npy_datafusion::INDEX_BLOCK).await?;
/// assert_eq!((report.files, report.rows), (1, 2));
/// # Ok(())
/// # }
/// ```
///
/// # Errors
///
/// If a file is damaged or changes all the time, and if no file has one of the columns.
pub async fn write_index(
    state: &dyn Session,
    location: &str,
    columns: Option<&[String]>,
    block: u64,
) -> Result<IndexReport> {
    if block == 0 {
        return plan_err!("a block has no rows; give it one at least, for example 65536");
    }
    let slash = if location.ends_with('/') { "" } else { "/" };
    let directory = location::parse(&format!("{location}{slash}"))?;
    let columns = columns.map(<[String]>::to_vec);
    write(state, &directory, Some(Wanted { columns, block })).await
}

/// Writes the index of a directory again, with the columns and the blocks of the old one, or else with all columns.
pub(crate) async fn update_index(
    state: &dyn Session,
    directory: &ListingTableUrl,
) -> Result<IndexReport> {
    write(state, directory, None).await
}

/// The times that an index is made again because another program has replaced it meanwhile.
const TRIES: usize = 20;

async fn write(
    state: &dyn Session,
    directory: &ListingTableUrl,
    wanted: Option<Wanted>,
) -> Result<IndexReport> {
    let store = location::store(state, directory)?;
    let local = (directory.scheme() == "file").then(|| directory.get_url().to_file_path().ok());
    let target = Target {
        store: Arc::clone(&store),
        directory: directory.prefix().clone(),
        local: local.flatten(),
    };
    for _ in 0..TRIES {
        let old = target.old().await?;
        let asked = match (&wanted, &old) {
            (Some(wanted), _) => wanted.clone(),
            (None, Some(Old { index: Some(index), .. })) => index.wanted.clone(),
            (None, _) => Wanted { columns: None, block: super::INDEX_BLOCK },
        };
        let made = make(state, directory, &store, &asked, old.as_ref()).await?;
        let Made { index, read } = made;
        let mut report = IndexReport {
            files: index.files.len(),
            read,
            rows: index.files.values().map(|entry| entry.rows).sum(),
            columns: index.columns.iter().map(|it| it.field.name().clone()).collect(),
            bytes: 0,
        };
        if let Some(Old { meta, index: Some(old) }) = &old
            && read == 0
            && old.files.len() == index.files.len()
            && old.columns.len() == index.columns.len()
        {
            report.bytes = meta.size;
            return Ok(report);
        }
        let bytes = file::encode(&index, &target.directory)?;
        report.bytes = bytes.len() as u64;
        if target.replace(old.map(|old| old.meta), bytes).await? {
            return Ok(report);
        }
    }
    exec_err!(
        "{directory}: other programs replace the index all the time; run it again when they have finished"
    )
}

/// A new index, and the number of the files that were read for it.
struct Made {
    index: Index,
    read: usize,
}

/// Makes the index of the files as they are now. Files that are as in the old index are not read.
async fn make(
    state: &dyn Session,
    directory: &ListingTableUrl,
    store: &Arc<dyn ObjectStore>,
    wanted: &Wanted,
    old: Option<&Old>,
) -> Result<Made> {
    let metas = listed(state, directory).await?;
    let is_local = directory.scheme() == "file";
    // A file of this machine can change with the same size and time, if it is written in place within a step of the clock.
    let cache = state.runtime_env().cache_manager.get_file_metadata_cache();
    let scan = Scan {
        store: Arc::clone(store),
        url: directory.object_store().as_str().to_owned(),
        schema: Arc::new(Schema::empty()),
        block: wanted.block,
        headers: (!is_local).then_some(cache),
    };
    let old = old.and_then(|old| old.index.as_ref());
    let at_once = state.config_options().execution.meta_fetch_concurrency.into();
    let headers = futures::stream::iter(&metas).map(|meta| scan.header(meta, old));
    let headers: Vec<File> = headers.boxed().buffered(at_once).try_collect().await?;
    let schema = schema(&headers, wanted.columns.as_deref())?;
    let old = old.filter(|old| old.wanted == *wanted && has_same_columns(old, &schema));
    let scan = Arc::new(Scan { schema: Arc::clone(&schema), ..scan });
    let (same, others): (Vec<_>, Vec<_>) = metas
        .into_iter()
        .zip(headers)
        .map(|(meta, file)| (kept(old, &schema, &meta, &file), meta))
        .partition(|(read, _)| read.is_some());
    let count = others.len();
    let read = others.into_iter().map(|(_, meta)| {
        let scan = Arc::clone(&scan);
        SpawnedTask::spawn(async move { scan.read_unchanged(meta).await }).join_unwind()
    });
    let joined = |result: Result<Result<Read>, _>| match result {
        Ok(read) => read,
        Err(error) => Err(DataFusionError::ExecutionJoin(Box::new(error))),
    };
    let at_once = match is_local {
        true => state.config().target_partitions().max(1),
        false => FILES,
    };
    let read = futures::stream::iter(read).buffered(at_once).map(joined);
    let mut all: Vec<Read> = read.try_collect().await?;
    all.extend(same.into_iter().filter_map(|(read, _)| read));
    all.sort_by(|a, b| a.meta.location.cmp(&b.meta.location));
    Ok(Made { index: index(&schema, wanted, all)?, read: count })
}

/// Lists the arrays in a directory and in those below it, or the archives if there are no arrays: a table has files of one of both kinds.
async fn listed(state: &dyn Session, directory: &ListingTableUrl) -> Result<Vec<ObjectMeta>> {
    for format in [NpyFormat::default(), NpyFormat::archives(Options::new())] {
        let extension = format.get_ext();
        let url = directory.clone().with_glob(&format!("**/*.{extension}"))?;
        let format = Arc::new(format.with_index(IndexMode::Off));
        let options = ListingOptions::new(format).with_file_extension(format!(".{extension}"));
        let mut metas = files::list(state, &url, &options).await?.files;
        metas.retain(|meta| meta.size > 0);
        if !metas.is_empty() {
            return Ok(metas);
        }
    }
    let shown = match files::local(directory) {
        Some(path) => path.display().to_string(),
        None => directory.to_string(),
    };
    plan_err!("{shown}: there are no .npy and no .npz files; name a directory that has some")
}

/// The files of a store that are read at a time. Each has up to two blocks of 8 MiB in memory.
const FILES: usize = 8;

/// Finds the columns that get bounds, with the types that hold the values of all files.
fn schema(headers: &[File], columns: Option<&[String]>) -> Result<SchemaRef> {
    // A name is null if no type holds the values of all files.
    let mut dtypes: BTreeMap<String, Option<DType>> = BTreeMap::new();
    let options = Options::new();
    for file in headers {
        for (name, dtype) in file.columns() {
            match dtypes.get_mut(name) {
                None => {
                    dtypes.insert(name.to_owned(), Some(dtype.clone()));
                }
                Some(so_far) => {
                    *so_far = so_far.take().and_then(|so_far| wider(&so_far, dtype, &options));
                }
            }
        }
    }
    let is_asked = |name: &String| columns.is_none_or(|columns| columns.contains(name));
    let mut fields = Vec::new();
    for (name, dtype) in dtypes.iter().filter(|(name, _)| is_asked(name)) {
        let field = dtype.as_ref().map(|dtype| field_of(name, dtype, &options));
        let field = field.and_then(Result::ok).filter(is_indexed);
        match (field, columns) {
            (Some(field), _) => fields.push(field.with_nullable(true)),
            (None, None) => {}
            (None, Some(_)) => {
                return plan_err!(
                    "the column {name:?} gets no bounds, since it is no number, no time and no short text of one type in all files; leave it out"
                );
            }
        }
    }
    if let Some(missing) = columns.into_iter().flatten().find(|name| !dtypes.contains_key(*name)) {
        let names = header::listed(dtypes.keys().map(String::as_str));
        return Err(plan_datafusion_err!("there is no column {missing:?}; the files have {names}"));
    }
    Ok(Arc::new(Schema::new(fields)))
}

/// How a file is read.
struct Scan {
    store: Arc<dyn ObjectStore>,
    /// The URL of the store.
    url: String,
    /// The columns that get bounds.
    schema: SchemaRef,
    block: u64,
    /// The headers that the session has read, of a store.
    headers: Option<Arc<FileMetadataCache>>,
}

/// A file, with the bounds of its blocks.
pub(super) struct Read {
    pub(super) meta: ObjectMeta,
    pub(super) file: File,
    pub(super) columns: Vec<Vec<BlockBounds>>,
}

/// The bounds of a block; `None` where they are not known.
#[derive(Clone)]
pub(super) struct BlockBounds {
    pub(super) min: Option<ScalarValue>,
    pub(super) max: Option<ScalarValue>,
    pub(super) nulls: Option<i64>,
    /// False where a value is null, or less than the one before it, and before the first value.
    pub(super) is_sorted: bool,
}

impl BlockBounds {
    pub(super) const UNKNOWN: Self =
        BlockBounds { min: None, max: None, nulls: None, is_sorted: false };
}

impl Scan {
    /// Returns the header of a file, from the old index if it is as there.
    async fn header(&self, meta: &ObjectMeta, old: Option<&Index>) -> Result<File> {
        match old.and_then(|old| old.entry(meta)?.header.clone()) {
            Some(header) => Ok(File::clone(&header)),
            None => header::cached(self.headers.as_deref(), &*self.store, meta).await,
        }
    }

    /// Reads a file, and again if it has changed meanwhile.
    async fn read_unchanged(&self, listed: ObjectMeta) -> Result<Read> {
        // Each answer of a store has the tag of the file, and is compared with that of the list.
        let is_tagged = self.headers.is_some() && listed.e_tag.is_some();
        if is_tagged && let Ok(read) = self.read(&listed).await {
            return Ok(read);
        }
        for _ in 0..ATTEMPTS {
            let meta = self.head(&listed).await?;
            if !is_tagged {
                wait_for_clock(&*self.store, &meta).await?;
            }
            let read = self.read(&meta).await;
            let after = self.head(&listed).await?;
            if header::is_unchanged(&meta, &after) {
                return read;
            }
        }
        Err(located(
            &*self.store,
            &listed,
            &"it changes while it is read; write the index when the file is complete",
        ))
    }

    async fn head(&self, listed: &ObjectMeta) -> Result<ObjectMeta> {
        let found = self.store.head(&listed.location).await;
        found.map_err(|error| header::failed(&*self.store, listed, &error))
    }

    async fn read(&self, meta: &ObjectMeta) -> Result<Read> {
        let file = header::cached(self.headers.as_deref(), &*self.store, meta).await?;
        let own: Vec<&str> = file.columns().into_iter().map(|(name, _)| name).collect();
        let fields = self.schema.fields().iter().enumerate();
        let wanted: Vec<usize> = fields
            .filter(|(_, field)| own.contains(&field.name().as_str()))
            .map(|(n, _)| n)
            .collect();
        let count = blocks_of(file.rows, self.block);
        let count = count.ok_or_else(|| {
            located(&*self.store, meta, &"it has too many blocks; make them larger")
        })?;
        let unknown = vec![BlockBounds::UNKNOWN; count];
        let mut columns = vec![unknown; self.schema.fields().len()];
        if !wanted.is_empty() {
            let opener = NpyOpener {
                store: Arc::clone(&self.store),
                url: self.url.clone(),
                schema: Arc::clone(&self.schema),
                options: Options::new(),
                wanted: wanted.clone(),
                predicate: None,
                pruner: None,
                rows: usize::try_from(self.block).unwrap_or(usize::MAX),
                limit: None,
                headers: self.headers.clone(),
                bytes_read: Count::new(),
                files_pruned: Count::new(),
                blocks_pruned: Count::new(),
            };
            let mut batches = opener.open(PartitionedFile::from(meta.clone()))?.await?;
            let mut first = 0;
            while let Some(batch) = batches.next().await {
                let batch = batch?;
                self.add(&mut columns, &wanted, &batch, first)?;
                first += batch.num_rows() as u64;
            }
            if first != file.rows {
                return Err(located(&*self.store, meta, &"it has changed while it was read"));
            }
        }
        Ok(Read { meta: meta.clone(), file, columns })
    }

    /// Adds rows from `first` on to the bounds of their blocks.
    fn add(
        &self,
        columns: &mut [Vec<BlockBounds>],
        wanted: &[usize],
        batch: &RecordBatch,
        first: u64,
    ) -> Result<()> {
        for Range { start, end } in parts(first, batch.num_rows() as u64, self.block) {
            let number = |value: u64| usize::try_from(value).unwrap_or(usize::MAX);
            let block = number((first + start) / self.block);
            for (&index, values) in wanted.iter().zip(batch.columns()) {
                let values = values.slice(number(start), number(end - start));
                let bounds = columns.get_mut(index).and_then(|column| column.get_mut(block));
                let bounds = bounds.ok_or_else(|| exec_datafusion_err!("more rows than stated"))?;
                bounds.add(&values)?;
            }
        }
        Ok(())
    }
}

/// Divides rows from `first` on where a block ends. The ranges are from the first of them on.
fn parts(first: u64, count: u64, block: u64) -> Vec<Range<u64>> {
    let (mut parts, mut start) = (Vec::new(), 0);
    while start < count {
        let end = count.min(start + block - (first + start) % block);
        parts.push(start..end);
        start = end;
    }
    parts
}

impl BlockBounds {
    fn add(&mut self, values: &ArrayRef) -> Result<()> {
        let (min, max) = extremes(values)?;
        let nulls = i64::try_from(values.null_count()).unwrap_or(i64::MAX);
        self.nulls = Some(self.nulls.unwrap_or(0).saturating_add(nulls));
        let is_less =
            |a: &ScalarValue, b: &ScalarValue| a.partial_cmp(b).is_some_and(|it| it.is_lt());
        // The rows of a block can come in several batches.
        let is_first = self.min.is_none() && self.nulls == Some(nulls);
        let comes_after = match &self.max {
            Some(last) => self.is_sorted && min.partial_cmp(last).is_some_and(|it| it.is_ge()),
            None => is_first,
        };
        self.is_sorted = comes_after && unsorted_at(values)?.is_none();
        if !min.is_null() && self.min.as_ref().is_none_or(|so_far| is_less(&min, so_far)) {
            self.min = Some(min);
        }
        if !max.is_null() && self.max.as_ref().is_none_or(|so_far| is_less(so_far, &max)) {
            self.max = Some(max);
        }
        Ok(())
    }
}

/// Waits until a change of the file would have another time: clocks of file systems go by steps.
async fn wait_for_clock(store: &dyn ObjectStore, meta: &ObjectMeta) -> Result<()> {
    const MOST: Duration = Duration::from_secs(10);
    let nanoseconds =
        meta.last_modified.timestamp_nanos_opt().and_then(|it| u64::try_from(it).ok());
    let Some(nanoseconds) = nanoseconds else { return Ok(()) };
    // Times in whole seconds are probably those of a system that has no others.
    let step = match nanoseconds % 1_000_000_000 {
        0 => Duration::from_secs(2),
        _ => Duration::from_millis(20),
    };
    let until = UNIX_EPOCH + Duration::from_nanos(nanoseconds) + step;
    match until.duration_since(SystemTime::now()) {
        Ok(wait) if wait > MOST => Err(located(
            store,
            meta,
            &"its time is in the future, so that a change would not be seen; set it with touch",
        )),
        Ok(wait) => {
            tokio::time::sleep(wait).await;
            Ok(())
        }
        Err(_) => Ok(()),
    }
}

/// Puts the bounds of all files together.
fn index(schema: &Schema, wanted: &Wanted, read: Vec<Read>) -> Result<Index> {
    let (mut files, mut blocks) = (HashMap::new(), 0);
    let mut columns = vec![Vec::new(); schema.fields().len()];
    for Read { meta, file, columns: own } in read {
        let count = own.first().map(Vec::len);
        let count = count.or_else(|| blocks_of(file.rows, wanted.block)).unwrap_or(0);
        let range = blocks..blocks + count;
        blocks = range.end;
        for (all, own) in columns.iter_mut().zip(own) {
            all.extend(own);
        }
        let (rows, header) = (file.rows, Some(Arc::new(file)));
        files.insert(meta.location.clone(), Entry { meta, rows, header, blocks: range });
    }
    let bounds = |(field, of_blocks): (&Arc<_>, Vec<BlockBounds>)| -> Result<Bounds> {
        let field = datafusion::arrow::datatypes::Field::clone(field);
        let null = ScalarValue::try_from(field.data_type())?;
        let array = |value: fn(&BlockBounds) -> Option<ScalarValue>| {
            let values = of_blocks.iter().map(|it| value(it).unwrap_or_else(|| null.clone()));
            ScalarValue::iter_to_array(values.chain([null.clone()]))
                .map(|it| it.slice(0, of_blocks.len()))
        };
        let nulls: Int64Array = of_blocks.iter().map(|it| it.nulls).collect();
        let sorted = of_blocks.iter().map(|it| Some(it.is_sorted)).collect();
        Ok(Bounds {
            min: array(|it| it.min.clone())?,
            max: array(|it| it.max.clone())?,
            nulls,
            sorted,
            field,
        })
    };
    let columns = schema.fields().iter().zip(columns).map(bounds).collect::<Result<Vec<_>>>()?;
    Ok(Index { wanted: wanted.clone(), files, columns })
}
