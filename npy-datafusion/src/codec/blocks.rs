//! The blocks of the files of a scan, so that executors neither read the index nor the headers of its files.

use std::io::Cursor;
use std::sync::Arc;

use datafusion::arrow::array::{Array, ArrayRef, AsArray, RecordBatch, RecordBatchOptions};
use datafusion::arrow::compute::concat;
use datafusion::arrow::datatypes::{Field, Int64Type, Schema};
use datafusion::arrow::ipc::reader::StreamReader;
use datafusion::arrow::ipc::writer::StreamWriter;
use datafusion::common::exec_datafusion_err;
use datafusion::datasource::listing::PartitionedFile;
use datafusion::datasource::physical_plan::{FileGroup, FileScanConfig, FileSource};
use datafusion::error::{DataFusionError, Result};
use datafusion::physical_expr::utils::collect_columns;
use prost::Message;

use crate::header::{Contents, File};
use crate::index::{Bounds, FileBlocks, TableIndex};
use crate::source::NpySource;

/// The blocks of all files of a scan.
#[derive(Clone, PartialEq, Message)]
pub(super) struct BlocksMessage {
    #[prost(message, repeated, tag = "1")]
    indices: Vec<IndexMessage>,
    /// One for each file, in the order of the scan.
    #[prost(message, repeated, tag = "2")]
    files: Vec<FileMessage>,
}

/// The bounds of an index, of the columns of the conditions.
#[derive(Clone, PartialEq, Message)]
struct IndexMessage {
    /// The rows of a block.
    #[prost(uint64, tag = "1")]
    block: u64,
    /// For each column the least values, the greatest and the number of nulls, in Arrow's format for streams.
    #[prost(bytes = "vec", tag = "2")]
    bounds: Vec<u8>,
}

#[derive(Clone, PartialEq, Message)]
struct FileMessage {
    /// The number of its index, from 1. 0: it has none.
    #[prost(uint64, tag = "1")]
    index: u64,
    /// Its first block among those of the index.
    #[prost(uint64, tag = "2")]
    first: u64,
    #[prost(uint64, tag = "3")]
    rows: u64,
    /// The dtype of a row, and the position of the first one. Without them, the header is read.
    #[prost(string, optional, tag = "4")]
    dtype: Option<String>,
    #[prost(uint64, tag = "5")]
    start: u64,
}

impl BlocksMessage {
    /// Returns the blocks of a scan; `None` if no file has any.
    pub(super) fn of(scan: &FileScanConfig, source: &NpySource) -> Result<Option<Self>> {
        let tested: Vec<String> = source
            .filter()
            .iter()
            .flat_map(collect_columns)
            .map(|it| it.name().to_owned())
            .collect();
        let mut message = BlocksMessage::default();
        // Each index, and the blocks of its files so far.
        let mut indices: Vec<(Arc<TableIndex>, Vec<std::ops::Range<usize>>, usize)> = Vec::new();
        for file in scan.file_groups.iter().flat_map(FileGroup::iter) {
            let Some(blocks) = file.extensions.get::<FileBlocks>() else {
                message.files.push(FileMessage::default());
                continue;
            };
            let known = indices.iter().position(|(index, ..)| Arc::ptr_eq(index, &blocks.index));
            let number = known.unwrap_or(indices.len());
            if known.is_none() {
                indices.push((Arc::clone(&blocks.index), Vec::new(), 0));
            }
            let Some((_, ranges, count)) = indices.get_mut(number) else { continue };
            let of_index = blocks.header.as_deref().cloned();
            let header = of_index.or_else(|| source.header(&file.object_meta));
            let header = header.and_then(|header| match header.contents {
                Contents::Rows { dtype, start } => Some((dtype.descr(), start)),
                Contents::Members { .. } => None,
            });
            let (dtype, start) = header.map_or((None, 0), |(dtype, start)| (Some(dtype), start));
            let (index, first) = (number as u64 + 1, *count as u64);
            message.files.push(FileMessage { index, first, rows: blocks.rows, dtype, start });
            ranges.push(blocks.blocks.clone());
            *count += blocks.blocks.len();
        }
        for (index, ranges, _) in &indices {
            let columns = index.columns.iter().filter(|it| tested.contains(it.field.name()));
            let bounds = encode(columns, ranges)?;
            message.indices.push(IndexMessage { block: index.block, bounds });
        }
        Ok((!indices.is_empty()).then_some(message))
    }

    /// Gives the files of a scan their blocks and headers.
    pub(super) fn give(self, groups: &[FileGroup]) -> Result<Vec<FileGroup>> {
        let indices = self.indices.into_iter().map(|message| {
            let columns = decode(message.bounds)?;
            Ok(Arc::new(TableIndex { block: message.block.max(1), columns, frozen: None }))
        });
        let indices: Vec<Arc<TableIndex>> = indices.collect::<Result<_>>()?;
        let mut messages = self.files.into_iter();
        let with_blocks = |file: &PartitionedFile| -> Result<PartitionedFile> {
            let mut file = file.clone();
            let Some(message) = messages.next() else { return Err(malformed()) };
            let Some(number) = message.index.checked_sub(1) else { return Ok(file) };
            let index = usize::try_from(number).ok().and_then(|number| indices.get(number));
            let index = Arc::clone(index.ok_or_else(malformed)?);
            let first = usize::try_from(message.first).map_err(|_| malformed())?;
            let mut blocks = FileBlocks::new(index, first, message.rows).ok_or_else(malformed)?;
            if let Some(dtype) = message.dtype {
                let dtype = dtype.parse().map_err(|_| malformed())?;
                let contents = Contents::Rows { dtype, start: message.start };
                let rows = message.rows;
                let header = File { rows, contents, fetched: None, is_single: false };
                blocks.header = Some(Arc::new(header));
            }
            file.extensions.insert(blocks);
            Ok(file)
        };
        let files = groups.iter().map(|group| group.len()).collect::<Vec<_>>();
        let all = groups.iter().flat_map(FileGroup::iter).map(with_blocks);
        let mut all = all.collect::<Result<Vec<_>>>()?.into_iter();
        let with_statistics = |(group, count): (&FileGroup, usize)| {
            let files = FileGroup::new(all.by_ref().take(count).collect());
            match group.file_statistics(None) {
                Some(statistics) => files.with_statistics(Arc::new(statistics.clone())),
                None => files,
            }
        };
        Ok(groups.iter().zip(files).map(with_statistics).collect())
    }
}

fn malformed() -> DataFusionError {
    exec_datafusion_err!(
        "the blocks of a scan do not fit its files; run the same version in all processes"
    )
}

/// Returns the bounds of these blocks.
fn encode<'c>(
    columns: impl Iterator<Item = &'c Bounds>,
    ranges: &[std::ops::Range<usize>],
) -> Result<Vec<u8>> {
    let (mut fields, mut arrays) = (Vec::new(), Vec::new());
    for Bounds { field, min, max, nulls, .. } in columns {
        for values in [min as &dyn Array, max, nulls] {
            let parts: Vec<ArrayRef> =
                ranges.iter().map(|range| values.slice(range.start, range.len())).collect();
            let parts: Vec<&dyn Array> = parts.iter().map(|part| &**part).collect();
            let data_type = values.data_type().clone();
            fields.push(Field::new(field.name(), data_type, true));
            arrays.push(concat(&parts)?);
        }
    }
    let count = ranges.iter().map(ExactSizeIterator::len).sum();
    let options = RecordBatchOptions::new().with_row_count(Some(count));
    let schema = Arc::new(Schema::new(fields));
    let batch = RecordBatch::try_new_with_options(schema, arrays, &options)?;
    let mut writer = StreamWriter::try_new(Vec::new(), &batch.schema())?;
    writer.write(&batch)?;
    Ok(writer.into_inner()?)
}

fn decode(bytes: Vec<u8>) -> Result<Vec<Bounds>> {
    let mut batches = StreamReader::try_new(Cursor::new(bytes), None)?;
    let Some(batch) = batches.next().transpose()? else { return Ok(Vec::new()) };
    let fields = batch.schema();
    let mut columns = Vec::new();
    for (fields, values) in fields.fields().chunks(3).zip(batch.columns().chunks(3)) {
        let ([field, ..], [min, max, nulls]) = (fields, values) else { return Err(malformed()) };
        let nulls = nulls.as_primitive_opt::<Int64Type>().ok_or_else(malformed)?;
        columns.push(Bounds {
            field: field.as_ref().clone(),
            min: Arc::clone(min),
            max: Arc::clone(max),
            nulls: nulls.clone(),
            // The order of the scan goes with it.
            sorted: std::iter::repeat_n(Some(false), nulls.len()).collect(),
        });
    }
    Ok(columns)
}
