//! Writes the index of a directory.

use std::collections::{BTreeMap, HashMap};
use std::io::Write;
use std::ops::Range;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use datafusion::arrow::array::{Array, ArrayRef, Int64Array, RecordBatch};
use datafusion::arrow::datatypes::{Schema, SchemaRef};
use datafusion::catalog::Session;
use datafusion::common::runtime::SpawnedTask;
use datafusion::common::{exec_datafusion_err, plan_datafusion_err, plan_err};
use datafusion::datasource::listing::{ListingOptions, PartitionedFile};
use datafusion::datasource::physical_plan::FileOpener;
use datafusion::error::{DataFusionError, Result};
use datafusion::physical_plan::metrics::Count;
use datafusion::scalar::ScalarValue;
use futures::{StreamExt, TryStreamExt};
use npy_arrow::Options;
use npy_core::dtype::DType;
use object_store::{ObjectMeta, ObjectStore, ObjectStoreExt};
use whole_file::NewFile;

use super::bounds::{extremes, is_indexed, unsorted_at};
use super::{Bounds, Entry, Index, IndexMode, blocks_of, file, load};
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
    /// The number of their rows.
    pub rows: u64,
    /// The columns that have bounds.
    pub columns: Vec<String>,
    /// The size of the index in bytes.
    pub bytes: usize,
}

/// Writes the index of all `.npy` files in a directory and in those below it: its file is `_npy.index`, an archive that NumPy opens.
///
/// The location is a path or a URL. `columns` are those that get bounds; `None`: all numbers, times and short text. `block` is the number of rows that have
/// bounds in common ([`INDEX_BLOCK`](crate::INDEX_BLOCK)). All bytes of the files are read. The old index is there until the new one is complete.
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
    let url = directory.clone().with_glob("**/*.npy")?;
    let store = location::store(state, &url)?;
    let format = NpyFormat::default().with_index(IndexMode::Off);
    let options = ListingOptions::new(Arc::new(format)).with_file_extension(".npy");
    let mut metas = files::list(state, &url, &options).await?.files;
    metas.retain(|meta| meta.size > 0);
    if metas.is_empty() {
        return plan_err!("{location}: there are no .npy files; name a directory that has some");
    }
    let schema = schema(state, &store, &metas, columns).await?;
    let (store_url, at_once) = (url.object_store(), state.config().target_partitions().max(1));
    let read = metas.into_iter().map(|meta| {
        let scan = Scan {
            store: Arc::clone(&store),
            url: store_url.as_str().to_owned(),
            schema: Arc::clone(&schema),
            block,
        };
        SpawnedTask::spawn(async move { scan.read_unchanged(meta).await }).join_unwind()
    });
    let joined = |result: Result<Result<Read>, _>| match result {
        Ok(read) => read,
        Err(error) => Err(DataFusionError::ExecutionJoin(Box::new(error))),
    };
    let read = futures::stream::iter(read).buffered(at_once).map(joined);
    let read: Vec<Read> = read.try_collect().await?;
    let prefix = directory.prefix().clone();
    let index = index(&schema, block, read)?;
    let bytes = file::encode(&index, &prefix)?;
    let report = IndexReport {
        files: index.files.len(),
        rows: index.files.values().map(|entry| entry.rows).sum(),
        columns: schema.fields().iter().map(|field| field.name().clone()).collect(),
        bytes: bytes.len(),
    };
    let to = load::path(&prefix);
    match (directory.scheme() == "file").then(|| directory.get_url().to_file_path().ok()).flatten()
    {
        Some(directory) => {
            let path = directory.join(super::NAME);
            let failed =
                |error: std::io::Error| exec_datafusion_err!("{}: {error}", path.display());
            let target = NewFile::create(&path).map_err(failed)?;
            target.file().write_all(&bytes).map_err(failed)?;
            target.finish().map_err(failed)?;
        }
        None => {
            store.put(&to, bytes.into()).await?;
        }
    }
    Ok(report)
}

/// Finds the columns that get bounds, with the types that hold the values of all files.
async fn schema(
    state: &dyn Session,
    store: &Arc<dyn ObjectStore>,
    metas: &[ObjectMeta],
    columns: Option<&[String]>,
) -> Result<SchemaRef> {
    let at_once = state.config_options().execution.meta_fetch_concurrency.into();
    let headers = futures::stream::iter(metas).map(|meta| header::cached(None, store, meta));
    let headers: Vec<File> = headers.boxed().buffered(at_once).try_collect().await?;
    // A name is null if no type holds the values of all files.
    let mut dtypes: BTreeMap<String, Option<DType>> = BTreeMap::new();
    for file in &headers {
        for (name, dtype) in file.columns() {
            match dtypes.get_mut(name) {
                None => {
                    dtypes.insert(name.to_owned(), Some(dtype.clone()));
                }
                Some(so_far) => {
                    *so_far = so_far.take().and_then(|so_far| wider(&so_far, dtype));
                }
            }
        }
    }
    let is_asked = |name: &String| columns.is_none_or(|columns| columns.contains(name));
    let mut fields = Vec::new();
    for (name, dtype) in dtypes.iter().filter(|(name, _)| is_asked(name)) {
        let field = dtype.as_ref().map(|dtype| field_of(name, dtype, &Options::new()));
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
}

/// A file, with the bounds of its blocks.
struct Read {
    meta: ObjectMeta,
    file: File,
    columns: Vec<Vec<BlockBounds>>,
}

/// The bounds of a block; `None` where they are not known.
#[derive(Clone)]
struct BlockBounds {
    min: Option<ScalarValue>,
    max: Option<ScalarValue>,
    nulls: Option<i64>,
    /// False where a value is null, or less than the one before it, and before the first value.
    is_sorted: bool,
}

impl Scan {
    /// Reads a file, and again if it has changed meanwhile.
    async fn read_unchanged(&self, listed: ObjectMeta) -> Result<Read> {
        for _ in 0..ATTEMPTS {
            let meta = self.store.head(&listed.location).await?;
            wait_for_clock(&meta).await?;
            let read = self.read(&meta).await?;
            let after = self.store.head(&listed.location).await?;
            if header::check_unchanged(&meta, &after).is_ok() {
                return Ok(read);
            }
        }
        Err(located(
            &listed,
            &"it changes while it is read; write the index when the file is complete",
        ))
    }

    async fn read(&self, meta: &ObjectMeta) -> Result<Read> {
        let file = header::cached(None, &*self.store, meta).await?;
        let own: Vec<&str> = file.columns().into_iter().map(|(name, _)| name).collect();
        let fields = self.schema.fields().iter().enumerate();
        let wanted: Vec<usize> = fields
            .filter(|(_, field)| own.contains(&field.name().as_str()))
            .map(|(n, _)| n)
            .collect();
        let count = blocks_of(file.rows, self.block);
        let count =
            count.ok_or_else(|| located(meta, &"it has too many blocks; make them larger"))?;
        let unknown = BlockBounds { min: None, max: None, nulls: None, is_sorted: false };
        let mut columns = vec![vec![unknown; count]; self.schema.fields().len()];
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
                headers: None,
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
                return Err(located(meta, &"it has changed while it was read"));
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
async fn wait_for_clock(meta: &ObjectMeta) -> Result<()> {
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
fn index(schema: &Schema, block: u64, read: Vec<Read>) -> Result<Index> {
    let (mut files, mut blocks) = (HashMap::new(), 0);
    let mut columns = vec![Vec::new(); schema.fields().len()];
    for Read { meta, file, columns: own } in read {
        let count = own.first().map_or_else(|| blocks_of(file.rows, block).unwrap_or(0), Vec::len);
        let range = blocks..blocks + count;
        blocks = range.end;
        for (all, own) in columns.iter_mut().zip(own) {
            all.extend(own);
        }
        let (rows, header) = (file.rows, Some(file));
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
    Ok(Index { block, files, columns })
}
