//! Tables whose files are sorted: `OPTIONS ('sorted_by' 't')`.
//!
//! A file that is not in order would have rows where nobody looks for them. So the order of each file is proved before it is used: by the index of its
//! directory, or else by reading the column once. The session keeps the bounds of the blocks, as an index has them, until the file changes.

use std::any::Any;
use std::cmp::Ordering;
use std::sync::Arc;

use datafusion::arrow::array::{Array, ArrayRef, BooleanArray, Int64Array, new_empty_array};
use datafusion::arrow::compute::{SortOptions, concat};
use datafusion::arrow::datatypes::{Field, FieldRef, Schema};
use datafusion::catalog::Session;
use datafusion::common::stats::Precision;
use datafusion::common::{HashMap, Statistics, internal_datafusion_err, plan_datafusion_err};
use datafusion::datasource::listing::PartitionedFile;
use datafusion::datasource::physical_plan::{
    FileGroup, FileOpener, FileScanConfig, FileScanConfigBuilder, FileSource,
};
use datafusion::error::{DataFusionError, Result};
use datafusion::execution::cache::cache_manager::{CachedFileMetadataEntry, FileMetadata};
use datafusion::physical_expr::expressions::Column;
use datafusion::physical_expr::utils::collect_columns;
use datafusion::physical_expr::{LexOrdering, PhysicalSortExpr};
use datafusion::physical_plan::metrics::Count;
use datafusion::scalar::ScalarValue;
use futures::{FutureExt, StreamExt, TryStreamExt};
use object_store::path::Path;
use object_store::{ObjectMeta, ObjectStore};

use crate::groups::Group;
use crate::header::{Contents, listed, located};
use crate::index::{
    self, Bounds, FileBlocks, INDEX_BLOCK, TableIndex, extremes_of_file, is_indexed, unsorted_at,
};
use crate::opener::NpyOpener;
use crate::source::NpySource;

/// The rows of a batch of a column that is read to prove its order.
const ROWS: usize = 8192;

/// Refuses a column that cannot be the order of a table.
pub(crate) fn check(schema: &Schema, column: &str) -> Result<()> {
    let Ok(field) = schema.field_with_name(column) else {
        return Err(plan_datafusion_err!(
            "the table is sorted_by {column:?}, and has no such column; it has {}",
            listed(schema.fields().iter().map(|field| field.name().as_str()))
        ));
    };
    match is_indexed(field) {
        true => Ok(()),
        false => Err(plan_datafusion_err!(
            "the table is sorted_by {column:?}, which is {}; name a column of numbers, times or short text",
            field.data_type()
        )),
    }
}

/// Returns true if a scan returns a column.
pub(crate) fn is_returned(source: &NpySource, column: &str) -> bool {
    let projected = source.projection().into_iter().flat_map(|columns| columns.iter());
    projected.flat_map(|it| collect_columns(&it.expr)).any(|it| it.name() == column)
}

/// The proof that a column is in ascending order in a file.
struct Proof {
    /// The first and the last values of its blocks.
    min: ArrayRef,
    max: ArrayRef,
    rows: u64,
}

impl FileMetadata for Proof {
    fn as_any(&self) -> &dyn Any {
        self
    }

    fn memory_size(&self) -> usize {
        size_of::<Self>() + self.min.get_array_memory_size() + self.max.get_array_memory_size()
    }

    fn extra_info(&self) -> HashMap<String, String> {
        HashMap::from([("rows".into(), self.rows.to_string())])
    }
}

/// Returns the scan, whose files have the bounds of the column. A file that is not in order is an error.
pub(crate) async fn proved(
    state: &dyn Session,
    scan: &FileScanConfig,
    source: NpySource,
    column: &str,
) -> Result<(FileScanConfig, NpySource)> {
    let schema = source.table_schema().file_schema();
    let (index, field) = schema
        .column_with_name(column)
        .ok_or_else(|| internal_datafusion_err!("a table without its column {column}"))?;
    let reader = Reader {
        store: state.runtime_env().object_store(&scan.object_store_url)?,
        scan,
        source: &source,
        index,
        field: Arc::new(field.clone()),
    };
    let files: Vec<PartitionedFile> =
        scan.file_groups.iter().flat_map(FileGroup::iter).cloned().collect();
    let at_once = state.config().target_partitions().max(1);
    let mut reads = Vec::new();
    for file in &files {
        reads.push(reader.proof(file).boxed());
    }
    let proofs = futures::stream::iter(reads).buffered(at_once);
    let proofs: Vec<Option<Arc<Proof>>> = proofs.try_collect().await?;
    let mut files = with_blocks(files, &proofs, field)?.into_iter();
    let group = |group: &FileGroup| {
        let own = FileGroup::new(files.by_ref().take(group.len()).collect());
        match group.file_statistics(None) {
            Some(statistics) => own.with_statistics(Arc::new(statistics.clone())),
            None => own,
        }
    };
    let groups = scan.file_groups.iter().map(group).collect();
    let scan = FileScanConfigBuilder::from(scan.clone()).with_file_groups(groups).build();
    Ok((scan, source.clone().with_index()))
}

/// How the column is read.
struct Reader<'s> {
    store: Arc<dyn ObjectStore>,
    scan: &'s FileScanConfig,
    source: &'s NpySource,
    index: usize,
    field: FieldRef,
}

impl Reader<'_> {
    /// Returns the proof for a file; `None` if its index has it.
    async fn proof(&self, file: &PartitionedFile) -> Result<Option<Arc<Proof>>> {
        let name = self.field.name();
        if let Some(blocks) = file.extensions.get::<FileBlocks>()
            && index::is_sorted(blocks, name)?
        {
            return Ok(None);
        }
        let meta = stored(file, name);
        let parts = meta.location.parts().chain(["sorted_by".into(), name.as_str().into()]);
        let key = Path::from_iter(parts);
        let cache = self.source.headers();
        if let Some(entry) = cache.and_then(|cache| cache.get(&key))
            && entry.is_valid_for(meta)
            && entry.meta.e_tag == meta.e_tag
            && let Some(proof) = entry.file_metadata.as_any().downcast_ref::<Proof>()
            && proof.min.data_type() == self.field.data_type()
        {
            let Proof { min, max, rows } = proof;
            let (min, max, rows) = (Arc::clone(min), Arc::clone(max), *rows);
            return Ok(Some(Arc::new(Proof { min, max, rows })));
        }
        let proof = Arc::new(self.read(file, meta).await?);
        if let Some(cache) = cache {
            let kept = Arc::clone(&proof) as Arc<dyn FileMetadata>;
            cache.put(&key, CachedFileMetadataEntry::new(meta.clone(), kept));
        }
        Ok(Some(proof))
    }

    /// Reads the column of a file.
    async fn read(&self, file: &PartitionedFile, meta: &ObjectMeta) -> Result<Proof> {
        let opener = NpyOpener {
            store: Arc::clone(&self.store),
            url: self.scan.object_store_url.as_str().to_owned(),
            schema: Arc::clone(self.source.table_schema().file_schema()),
            options: self.source.options().clone(),
            wanted: vec![self.index],
            predicate: None,
            pruner: None,
            rows: ROWS,
            limit: None,
            headers: self.source.headers().cloned(),
            bytes_read: Count::new(),
            files_pruned: Count::new(),
            blocks_pruned: Count::new(),
        };
        let mut batches = opener.open(PartitionedFile { range: None, ..file.clone() })?.await?;
        let (mut min, mut max, mut rows) = (Vec::new(), Vec::new(), 0u64);
        let mut last: Option<ScalarValue> = None;
        while let Some(batch) = batches.next().await {
            let batch = batch?;
            let values = batch.column(0);
            if values.is_empty() {
                continue;
            }
            let joined = match &last {
                Some(last) => concat(&[&last.to_array()?, values])?,
                None => Arc::clone(values),
            };
            if let Some(at) = unsorted_at(&joined)? {
                let row = rows + at as u64 - u64::from(last.is_some());
                return Err(self.unsorted(meta, row, &ScalarValue::try_from_array(&joined, at)?));
            }
            for row in 0..values.len() {
                let is_first = (rows + row as u64).is_multiple_of(INDEX_BLOCK);
                let is_last = (rows + row as u64 + 1).is_multiple_of(INDEX_BLOCK);
                if is_first {
                    min.push(ScalarValue::try_from_array(values, row)?);
                }
                if is_last {
                    max.push(ScalarValue::try_from_array(values, row)?);
                }
            }
            last = Some(ScalarValue::try_from_array(values, values.len() - 1)?);
            rows += values.len() as u64;
        }
        if max.len() < min.len() {
            max.extend(last);
        }
        let array = |values: Vec<ScalarValue>| match values.is_empty() {
            true => Ok(new_empty_array(self.field.data_type())),
            false => ScalarValue::iter_to_array(values),
        };
        Ok(Proof { min: array(min)?, max: array(max)?, rows })
    }

    fn unsorted(&self, meta: &ObjectMeta, row: u64, value: &ScalarValue) -> DataFusionError {
        let name = self.field.name();
        let reason = match value.is_null() {
            true => format!("the row {row} of {name:?} is null"),
            false => format!("the row {row} of {name:?} is {value}, less than the row before it"),
        };
        located(
            &*self.store,
            meta,
            &format!(
                "{reason}, and the table is sorted_by {name:?}; sort the file, or create the table without sorted_by"
            ),
        )
    }
}

/// Returns the file that has a column.
fn stored<'f>(file: &'f PartitionedFile, name: &str) -> &'f ObjectMeta {
    let group = file.extensions.get::<Group>().map(|Group(group)| &group.contents);
    let member = match group {
        Some(Contents::Members { members, .. }) => members.iter().find(|it| it.name == name),
        _ => None,
    };
    member.and_then(|member| member.file.as_deref()).unwrap_or(&file.object_meta)
}

/// Returns the files with the blocks of their proofs.
fn with_blocks(
    mut files: Vec<PartitionedFile>,
    proofs: &[Option<Arc<Proof>>],
    field: &Field,
) -> Result<Vec<PartitionedFile>> {
    let proved: Vec<&Arc<Proof>> = proofs.iter().flatten().collect();
    let (Some(_), count) = (proved.first(), proved.iter().map(|it| it.min.len()).sum::<usize>())
    else {
        return Ok(files);
    };
    let all = |values: fn(&Proof) -> &ArrayRef| {
        let parts: Vec<_> = proved.iter().map(|proof| values(proof).as_ref()).collect();
        concat(&parts)
    };
    let bounds = Bounds {
        field: field.clone(),
        min: all(|proof| &proof.min)?,
        max: all(|proof| &proof.max)?,
        nulls: Int64Array::from_value(0, count),
        sorted: BooleanArray::from(vec![true; count]),
    };
    let index = Arc::new(TableIndex { block: INDEX_BLOCK, columns: vec![bounds], frozen: None });
    let mut next = 0;
    for (file, proof) in files.iter_mut().zip(proofs) {
        let Some(proof) = proof else { continue };
        let blocks = next..next + proof.min.len();
        next = blocks.end;
        let (index, rows) = (Arc::clone(&index), proof.rows);
        file.extensions.insert(FileBlocks { index, blocks, rows, header: None });
    }
    Ok(files)
}

/// Returns the scan with its order, and its files in it: then `ORDER BY` needs no sort.
pub(crate) fn in_order(
    scan: &FileScanConfig,
    source: &NpySource,
    column: &str,
) -> Result<FileScanConfig> {
    let schema = source.table_schema().table_schema();
    let Some((number, _)) = schema.column_with_name(column) else { return Ok(scan.clone()) };
    // Groups with values of their own are what the planner has been told.
    if scan.output_partitioning.is_some() {
        return Ok(scan.clone());
    }
    let mut files = Vec::new();
    for file in scan.file_groups.iter().flat_map(FileGroup::iter) {
        // A file without rows has no place in the order, and needs none.
        if file.extensions.get::<FileBlocks>().is_some_and(|blocks| blocks.rows == 0) {
            continue;
        }
        match extremes_of_file(file, column)? {
            Some((min, max)) if !min.is_null() && !max.is_null() => {
                files.push((with_bounds(file, number, schema, &min, &max), min, max));
            }
            _ => return Ok(scan.clone()),
        }
    }
    if files.is_empty() {
        return Ok(scan.clone());
    }
    files.sort_by(|(_, a, _), (_, b, _)| a.partial_cmp(b).unwrap_or(Ordering::Equal));
    let follows = |a: &ScalarValue, b: &ScalarValue| a.partial_cmp(b).is_some_and(Ordering::is_le);
    let has_order = files.iter().zip(files.iter().skip(1)).all(|(a, b)| follows(&a.2, &b.1));
    if !has_order && files.len() > scan.file_groups.len() {
        return Ok(scan.clone());
    }
    let size = files.len().div_ceil(scan.file_groups.len().max(1));
    let files: Vec<PartitionedFile> = files.into_iter().map(|(file, ..)| file).collect();
    let groups = files.chunks(size).map(|files| FileGroup::new(files.to_vec())).collect();
    let options = SortOptions { descending: false, nulls_first: false };
    let order = PhysicalSortExpr::new(Arc::new(Column::new(column, number)), options);
    Ok(FileScanConfigBuilder::from(scan.clone())
        .with_file_groups(groups)
        .with_output_ordering(LexOrdering::new([order]).into_iter().collect())
        .build())
}

/// Returns a file whose statistics have the bounds of a column: the planner compares those of all files of a partition.
fn with_bounds(
    file: &PartitionedFile,
    number: usize,
    schema: &Schema,
    min: &ScalarValue,
    max: &ScalarValue,
) -> PartitionedFile {
    let mut statistics = match &file.statistics {
        Some(statistics) => statistics.as_ref().clone(),
        None => Statistics::new_unknown(schema),
    };
    if let Some(column) = statistics.column_statistics.get_mut(number) {
        column.min_value = Precision::Exact(min.clone());
        column.max_value = Precision::Exact(max.clone());
        column.null_count = Precision::Exact(0);
    }
    let mut file = file.clone();
    file.statistics = Some(Arc::new(statistics));
    file
}
