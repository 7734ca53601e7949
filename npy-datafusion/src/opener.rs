//! Opens a file, and finds the rows of a range of it.

use std::ops::Range;
use std::sync::Arc;

use datafusion::arrow::datatypes::SchemaRef;
use datafusion::datasource::listing::PartitionedFile;
use datafusion::datasource::physical_plan::{FileOpenFuture, FileOpener};
use datafusion::error::{DataFusionError, Result};
use datafusion::execution::cache::cache_manager::FileMetadataCache;
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_expr::utils::collect_columns;
use datafusion::physical_plan::metrics::Count;
use futures::StreamExt;
use npy_arrow::Options;
use object_store::ObjectStore;

use crate::columns::Columns;
use crate::header::{self, Contents, Member};
use crate::members::Members;
use crate::packed::{Origin, WHOLE};
use crate::records::{REQUEST, Records};
use crate::small;

pub(crate) struct NpyOpener {
    pub(crate) store: Arc<dyn ObjectStore>,
    /// The columns of the table that are in the files.
    pub(crate) schema: SchemaRef,
    pub(crate) options: Options,
    /// The columns that are wanted.
    pub(crate) wanted: Vec<usize>,
    pub(crate) predicate: Option<Arc<dyn PhysicalExpr>>,
    /// The number of rows of a batch.
    pub(crate) rows: usize,
    pub(crate) limit: Option<usize>,
    pub(crate) headers: Option<Arc<FileMetadataCache>>,
    pub(crate) bytes_read: Count,
}

impl NpyOpener {
    /// Returns the most bytes that a file takes when it is opened; `None` if they are not known before its header is read.
    pub(crate) fn bytes_of(&self, file: &PartitionedFile) -> Option<u64> {
        let meta = &file.object_meta;
        let Some(found) = header::known(self.headers.as_deref(), meta) else {
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
        Ok(Box::pin(async move {
            let meta = file.object_meta;
            let found = header::opened(headers.as_deref(), &store, &meta).await?;
            found.check_columns(&schema, &meta)?;
            let mut rows = match &file.range {
                Some(range) => found.row_at(range.start, &meta)..found.row_at(range.end, &meta),
                None => 0..found.rows,
            };
            let columns = Columns::new(&found, &schema, &wanted, predicate, &options)
                .map_err(|error| error.context(header::shown(&meta.location)))?;
            // Every row counts if there is no condition.
            let first = limit.filter(|_| !columns.has_test()).map(|limit| limit as u64);
            // The rows of an archive may yet be others.
            let is_archive = matches!(found.contents, Contents::Members { .. });
            if let (Some(first), false) = (first, is_archive && !columns.is_empty()) {
                rows.end = rows.end.min(rows.start.saturating_add(first));
            }
            if rows.is_empty() {
                return Ok(futures::stream::empty().boxed());
            }
            if columns.is_empty() || found.row_size() == 0 {
                return Ok(futures::stream::iter(counted(columns, rows, batch)).boxed());
            }
            // Fewer than an eighth of a batch, unless the query needs fewer still.
            let few =
                usize::try_from(batch / 8).unwrap_or(usize::MAX).min(limit.unwrap_or(usize::MAX));
            let few = if columns.has_test() { few } else { 0 };
            let (columns, row_size) = (Arc::new(columns), found.row_size());
            let batch = batch.min(REQUEST / row_size).max(1);
            let fetched = found.fetched;
            let batches = match &found.contents {
                Contents::Rows { start, .. } => {
                    let start = *start;
                    Records { store, meta, start, row_size, columns, batch, bytes_read, fetched }
                        .stream(rows)
                        .await?
                }
                Contents::Members { members, directory } => {
                    let origin = Origin { store, meta, fetched, bytes_read };
                    let scan = Members { origin, columns, batch, limit: first };
                    scan.stream(members, directory, found.rows, rows).await?
                }
            };
            Ok(if few > 1 { small::joined(batches, few) } else { batches })
        }))
    }
}

/// Returns batches of rows without columns; nothing is read.
fn counted(
    columns: Columns,
    rows: Range<u64>,
    batch: u64,
) -> impl Iterator<Item = Result<datafusion::arrow::array::RecordBatch, DataFusionError>> {
    let batches = rows.clone().step_by(usize::try_from(batch).unwrap_or(usize::MAX));
    batches.filter_map(move |first| columns.read(&[], batch.min(rows.end - first)).transpose())
}
