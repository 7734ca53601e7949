//! Opens a file, and finds the rows of a range of it.

use std::ops::Range;
use std::sync::Arc;

use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::datatypes::SchemaRef;
use datafusion::common::exec_datafusion_err;
use datafusion::datasource::listing::PartitionedFile;
use datafusion::datasource::physical_plan::{FileOpenFuture, FileOpener};
use datafusion::error::{DataFusionError, Result};
use datafusion::execution::cache::cache_manager::FileMetadataCache;
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_expr::utils::collect_columns;
use datafusion::physical_plan::metrics::Count;
use futures::stream::BoxStream;
use futures::{FutureExt, StreamExt, TryStreamExt};
use npy_arrow::Options;
use object_store::local::LocalFileSystem;
use object_store::path::Path;
use object_store::{ObjectMeta, ObjectStore};

use crate::columns::{Bytes, Columns};
use crate::groups::{self, Group};
use crate::header::{self, Contents, File, Member};
use crate::index::{FileBlocks, Pruner, Runs};
use crate::location::word;
use crate::members::Members;
use crate::packed::{Origin, WHOLE};
use crate::records::{REQUEST, REQUESTS, Records, largest_batch};
use crate::small;
use crate::virtual_columns::Numbered;

type Batches = BoxStream<'static, Result<RecordBatch>>;

pub(crate) struct NpyOpener {
    pub(crate) store: Arc<dyn ObjectStore>,
    /// The URL of the store.
    pub(crate) url: String,
    /// The columns of the table that are in the files.
    pub(crate) schema: SchemaRef,
    pub(crate) options: Options,
    /// The columns that are wanted.
    pub(crate) wanted: Vec<usize>,
    pub(crate) predicate: Option<Arc<dyn PhysicalExpr>>,
    /// The blocks of rows that cannot meet the condition.
    pub(crate) pruner: Option<Arc<Pruner>>,
    /// The number of rows of a batch.
    pub(crate) rows: usize,
    pub(crate) limit: Option<usize>,
    pub(crate) headers: Option<Arc<FileMetadataCache>>,
    pub(crate) bytes_read: Count,
    /// The files and the blocks of rows that were left out by an index.
    pub(crate) files_pruned: Count,
    pub(crate) blocks_pruned: Count,
}

impl NpyOpener {
    /// Returns the most bytes that a file takes when it is opened; `None` if they are not known before its header is read.
    pub(crate) fn bytes_of(&self, file: &PartitionedFile) -> Option<u64> {
        let meta = &file.object_meta;
        let group = file.extensions.get::<Group>().map(|Group(columns)| columns.clone());
        let of_index = || file.extensions.get::<FileBlocks>()?.header.as_deref().cloned();
        let found = group.or_else(of_index);
        let Some(found) = found.or_else(|| header::known(self.headers.as_deref(), meta)) else {
            let is_archive = meta.location.extension() == Some("npz");
            return (!is_archive).then(|| meta.size.min(REQUEST));
        };
        let Contents::Members { members, .. } = &found.contents else {
            return Some(meta.size.min(REQUEST.max(found.row_size())));
        };
        let tested = self.predicate.iter().flat_map(collect_columns);
        let mut used: Vec<usize> = tested.map(|column| column.index()).collect();
        used.extend(&self.wanted);
        let names: Vec<&String> = used
            .iter()
            .filter_map(|&index| self.schema.fields().get(index))
            .map(|f| f.name())
            .collect();
        let used = || members.iter().filter(|member| names.contains(&&member.name));
        let size = |member: &Member| member.dtype.itemsize() as u64;
        let row: u64 = used().map(size).sum();
        // Of compressed members, a small one is inflated as a whole, and of a large one, the first chunk.
        let packed = used().filter(|member| member.packed().is_some());
        let packed: u64 =
            packed.map(|member| size(member).saturating_mul(found.rows).min(WHOLE)).sum();
        let stored = row.saturating_mul(found.rows).min(REQUEST.max(row));
        Some(packed.saturating_add(stored))
    }
}

impl FileOpener for NpyOpener {
    fn open(&self, file: PartitionedFile) -> Result<FileOpenFuture> {
        let (store, headers) = (Arc::clone(&self.store), self.headers.clone());
        let (schema, options) = (Arc::clone(&self.schema), self.options.clone());
        let (wanted, predicate) = (self.wanted.clone(), self.predicate.clone());
        let (batch, limit, bytes_read) = (self.rows as u64, self.limit, self.bytes_read.clone());
        let pruner = self.pruner.clone();
        let (files_pruned, blocks_pruned) = (self.files_pruned.clone(), self.blocks_pruned.clone());
        let numbered = Numbered::new(&schema, &wanted, predicate.as_ref())?.map(Arc::new);
        let is_local = self.url == LOCAL;
        let group = file.extensions.get::<Group>().map(|Group(columns)| columns.clone());
        let path = match &group {
            Some(File { contents: Contents::Members { .. }, .. }) => {
                path_of(&self.url, &groups::folder(&file.object_meta.location))?
            }
            _ => path_of(&self.url, &file.object_meta.location)?,
        };
        let frozen = file.extensions.get::<FileBlocks>().and_then(|it| it.index.frozen.clone());
        let (origin, location) = (Arc::clone(&store), file.object_meta.location.clone());
        let opened = async move {
            let meta = file.object_meta;
            let blocks = file.extensions.get::<FileBlocks>().cloned();
            if let (Some(pruner), Some(blocks)) = (&pruner, &blocks)
                && pruner.excludes(blocks)
            {
                let is_first = file.range.as_ref().is_none_or(|range| range.start == 0);
                files_pruned.add(usize::from(is_first));
                return Ok(futures::stream::empty().boxed());
            }
            // Conditions on virtual columns are evaluated when the rows are there.
            let is_tested = predicate.is_some();
            let (wanted, predicate) = match &numbered {
                Some(numbered) => (numbered.read.clone(), None),
                None => (wanted, predicate),
            };
            let of_index = || blocks.as_ref()?.header.as_deref().cloned();
            let found = match group.or_else(of_index) {
                Some(found) => found,
                None => header::opened(headers.as_deref(), &store, &meta).await?,
            };
            found.check_columns(&schema, &*store, &meta)?;
            let mut rows = match &file.range {
                Some(range) => found.row_at(range.start, &meta)..found.row_at(range.end, &meta),
                None => 0..found.rows,
            };
            let columns = Columns::new(&found, &schema, &wanted, predicate, &options)
                .map_err(|error| error.context(header::named(&*store, &meta.location)))?;
            // Every row counts if there is no condition.
            let needed = limit.filter(|_| !is_tested).map(|limit| limit as u64);
            // Those of compressed members may yet be others, as these are divided at their chunks.
            let is_exact = match &found.contents {
                Contents::Rows { .. } => true,
                Contents::Members { members, .. } => {
                    members.iter().all(|member| member.packed().is_none())
                }
            };
            if let (Some(needed), true) = (needed, is_exact || columns.is_empty()) {
                rows.end = rows.end.min(rows.start.saturating_add(needed));
            }
            let (columns, row_size) = (Arc::new(columns), found.row_size());
            let longest = REQUEST.checked_div(row_size).unwrap_or(REQUEST).max(1);
            let largest = match found.contents {
                Contents::Rows { .. } if !columns.is_empty() => largest_batch(row_size),
                Contents::Rows { .. } | Contents::Members { .. } => longest,
            };
            let batch = batch.min(largest).max(1);
            // Fewer than an eighth of a batch, unless the query needs fewer still.
            let few =
                usize::try_from(batch / 8).unwrap_or(usize::MAX).min(limit.unwrap_or(usize::MAX));
            let few = if is_tested { few } else { 0 };
            let mut runs = match pruner.filter(|_| is_exact) {
                Some(pruner) => pruner.runs(blocks, found.rows, rows, longest, blocks_pruned),
                None => Runs::all(rows),
            };
            let Some(first) = runs.next() else { return Ok(futures::stream::empty().boxed()) };
            let run = Run {
                store,
                meta,
                found,
                columns,
                batch,
                needed,
                bytes_read,
                numbered,
                path,
                is_local,
            };
            let run = Arc::new(run);
            let begun = Arc::clone(&run).stream(first).await?;
            let next = futures::stream::iter(runs).map(move |rows| Arc::clone(&run).stream(rows));
            let batches = begun.chain(next.buffered(REQUESTS).try_flatten()).boxed();
            Ok(if few > 1 { small::joined(batches, few) } else { batches })
        };
        let Some(directory) = frozen else { return Ok(opened.boxed()) };
        let stale = move |error| stale(error, &*origin, &location, &directory);
        Ok(async move { Ok(opened.await.map_err(&stale)?.map_err(stale).boxed()) }.boxed())
    }
}

/// How ranges of rows of a file are read.
struct Run {
    store: Arc<dyn ObjectStore>,
    meta: ObjectMeta,
    found: File,
    columns: Arc<Columns>,
    /// The number of rows of a batch.
    batch: u64,
    /// The number of rows that are needed; `None` for all.
    needed: Option<u64>,
    bytes_read: Count,
    numbered: Option<Arc<Numbered>>,
    /// The path of the file, as a column has it.
    path: String,
    /// True if it is a file of this machine.
    is_local: bool,
}

impl Run {
    /// Returns these rows as batches.
    async fn stream(self: Arc<Self>, rows: Range<u64>) -> Result<Batches> {
        if rows.is_empty() {
            return Ok(futures::stream::empty().boxed());
        }
        let mut first = rows.start;
        let (found, columns) = (&self.found, Arc::clone(&self.columns));
        let (store, meta, batch) = (Arc::clone(&self.store), self.meta.clone(), self.batch);
        let (bytes_read, fetched) = (self.bytes_read.clone(), found.fetched.clone());
        let batches = if columns.is_empty() || found.row_size() == 0 {
            futures::stream::iter(counted(columns, rows, batch)).boxed()
        } else {
            match &found.contents {
                Contents::Rows { start, .. } => {
                    let (start, row_size) = (*start, found.row_size());
                    Records { store, meta, start, row_size, columns, batch, bytes_read, fetched }
                        .stream(rows)
                        .await?
                }
                Contents::Members { members, directory } => {
                    let is_local = self.is_local;
                    let origin = Origin { store, meta, fetched, bytes_read, is_local };
                    let scan = Members { origin, columns, batch, limit: self.needed };
                    let (start, batches) =
                        scan.stream(members, directory, found.rows, rows).await?;
                    first = start;
                    batches
                }
            }
        };
        Ok(match &self.numbered {
            Some(numbered) => Arc::clone(numbered).apply(batches, first, &self.path),
            None => batches,
        })
    }
}

/// Returns the error of a file that is not as in an index which is trusted, with its reason and the command that reads the file again; other errors as
/// they are.
fn stale(
    error: DataFusionError,
    store: &dyn ObjectStore,
    location: &Path,
    directory: &Path,
) -> DataFusionError {
    let text = error.strip_backtrace();
    let of_change = [
        "the file has changed since",
        "truncated: it ends before",
        "not found",
        "there is no such file",
    ];
    let Some(start) = of_change.iter().filter_map(|part| text.find(part)).min() else {
        return error;
    };
    let reason = text.get(start..).unwrap_or_default();
    let reason = reason.split("; ").next().unwrap_or(reason);
    exec_datafusion_err!(
        "{}: it is not as in the index, which the table takes as it is ('frozen'): {reason}; write the index again by npy index {}",
        header::named(store, location),
        word(&header::named(store, directory))
    )
}

/// The URL of the store of this machine.
const LOCAL: &str = "file:///";

/// Returns the path of a file of this machine, or its URL.
fn path_of(url: &str, file: &Path) -> Result<String> {
    Ok(match url {
        LOCAL => LocalFileSystem::new().path_to_filesystem(file)?.display().to_string(),
        _ => format!("{url}{file}"),
    })
}

/// Returns batches of rows without columns; nothing is read.
fn counted(
    columns: Arc<Columns>,
    rows: Range<u64>,
    batch: u64,
) -> impl Iterator<Item = Result<RecordBatch, DataFusionError>> {
    let batches = rows.clone().step_by(usize::try_from(batch).unwrap_or(usize::MAX));
    batches.filter_map(move |first| {
        columns.read(Bytes::Lent(&[]), batch.min(rows.end - first)).transpose()
    })
}
