//! Opens a file, and reads the rows of a range as batches.

use std::io::{Read, Seek, SeekFrom};
use std::ops::Range;
use std::sync::Arc;

use datafusion::arrow::array::{
    Array, ArrayRef, BooleanArray, RecordBatch, RecordBatchOptions, new_null_array,
};
use datafusion::arrow::compute::prep_null_mask_filter;
use datafusion::arrow::datatypes::{FieldRef, SchemaRef};
use datafusion::common::exec_datafusion_err;
use datafusion::datasource::listing::PartitionedFile;
use datafusion::datasource::physical_plan::{FileOpenFuture, FileOpener};
use datafusion::error::{DataFusionError, Result};
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_expr::utils::{collect_columns, reassign_expr_columns};
use datafusion::physical_plan::metrics::Count;
use futures::{StreamExt, TryStreamExt};
use npy_arrow::{Options, VALUE, into_array};
use npy_core::dtype::DType;
use npy_core::{DynArray, Gather, Order};
use object_store::{GetOptions, GetRange, GetResultPayload, ObjectStore, ObjectStoreExt};

use crate::header::{self, external};
use crate::merge::dtype_of;

/// The bytes of one request to a store that is not this machine.
const REQUEST: u64 = 8 << 20;

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
    pub(crate) bytes_read: Count,
}

impl FileOpener for NpyOpener {
    fn open(&self, file: PartitionedFile) -> Result<FileOpenFuture> {
        let (store, schema, options) =
            (Arc::clone(&self.store), Arc::clone(&self.schema), self.options.clone());
        let (wanted, predicate) = (self.wanted.clone(), self.predicate.clone());
        let (batch, limit, bytes_read) = (self.rows as u64, self.limit, self.bytes_read.clone());
        Ok(Box::pin(async move {
            let meta = file.object_meta.clone();
            let located = move |error: DataFusionError| error.context(meta.location.to_string());
            let meta = file.object_meta.clone();
            let found = header::read(&store, &meta).await?;
            let (start, size) = (found.start, found.row_size());
            let rows = match &file.range {
                Some(range) => row_at(range.start, &found)..row_at(range.end, &found),
                None => 0..found.rows,
            };
            let columns = Columns::new(&found.dtype, &schema, &wanted, predicate, &options)
                .map_err(&located)?;
            // Nothing of a row is looked at.
            if columns.is_empty() || size == 0 {
                let total = rows.end.saturating_sub(rows.start);
                let batches = (0..total).step_by(usize::try_from(batch).unwrap_or(usize::MAX));
                let batches = batches
                    .map(move |first| columns.read(&[], batch.min(total - first)).transpose());
                return Ok(futures::stream::iter(batches.flatten().collect::<Vec<_>>()).boxed());
            }
            let columns = Arc::new(columns);
            let bytes_of =
                move |rows: &Range<u64>| start + rows.start * size..start + rows.end * size;
            let rows = rows.start..rows.end.max(rows.start);
            if rows.is_empty() {
                return Ok(futures::stream::empty().boxed());
            }
            // A file of this machine is read a batch at a time into one buffer, which stays in the cache.
            let get = GetOptions {
                range: Some(GetRange::Bounded(bytes_of(&rows))),
                ..GetOptions::default()
            };
            let result = store.get_opts(&meta.location, get).await?;
            if let GetResultPayload::File(mut open, _) = result.payload {
                open.seek(SeekFrom::Start(bytes_of(&rows).start))?;
                let state = (open, rows, Vec::new());
                let stream =
                    futures::stream::unfold(state, move |(mut open, mut rows, mut buffer)| {
                        let (columns, bytes_read, located) =
                            (Arc::clone(&columns), bytes_read.clone(), located.clone());
                        async move {
                            while !rows.is_empty() {
                                let part = rows.start..rows.end.min(rows.start + batch);
                                rows.start = part.end;
                                let count = part.end - part.start;
                                buffer
                                    .resize(usize::try_from(count * size).unwrap_or(usize::MAX), 0);
                                let read = open.read_exact(&mut buffer).map_err(shorter);
                                bytes_read.add(buffer.len());
                                let read = read.and_then(|()| columns.read(&buffer, count));
                                match read.map_err(&located).transpose() {
                                    None => {}
                                    Some(Ok(batch)) => {
                                        return Some((Ok(batch), (open, rows, buffer)));
                                    }
                                    Some(Err(error)) => {
                                        return Some((Err(error), (open, 0..0, buffer)));
                                    }
                                }
                            }
                            None
                        }
                    });
                return Ok(stream.boxed());
            }
            // Other stores: some batches by one request, of which two are under way. A limit needs no more rows than it states.
            let mut block = (REQUEST / size / batch).max(1) * batch;
            if let (Some(limit), false) = (limit, columns.has_test()) {
                block = block.min((limit as u64).div_ceil(batch).max(1) * batch);
            }
            let blocks =
                (rows.start..rows.end).step_by(usize::try_from(block).unwrap_or(usize::MAX));
            let end = rows.end;
            let parts = futures::stream::iter(
                blocks.map(move |first| first..end.min(first + block)).collect::<Vec<_>>(),
            );
            let fetched = parts.map(move |rows| {
                let (store, path, bytes_read) =
                    (Arc::clone(&store), meta.location.clone(), bytes_read.clone());
                async move {
                    let bytes = store.get_range(&path, bytes_of(&rows)).await?;
                    bytes_read.add(bytes.len());
                    Ok::<_, DataFusionError>(bytes)
                }
            });
            let batches = fetched.buffered(2).map_ok(move |bytes| {
                let (columns, located) = (Arc::clone(&columns), located.clone());
                let part = usize::try_from(batch * size).unwrap_or(usize::MAX);
                let batches = (0..bytes.len()).step_by(part).filter_map(move |first| {
                    let bytes = bytes.get(first..bytes.len().min(first + part)).unwrap_or_default();
                    columns.read(bytes, bytes.len() as u64 / size).map_err(&located).transpose()
                });
                futures::stream::iter(batches.collect::<Vec<_>>())
            });
            Ok(batches.try_flatten().boxed())
        }))
    }
}

/// Returns the first row that begins at this byte of the file or later. So the ranges of a file divide its rows.
fn row_at(byte: i64, file: &header::File) -> u64 {
    let byte = u64::try_from(byte).unwrap_or(0);
    let row = byte.saturating_sub(file.start).checked_add(file.row_size().saturating_sub(1));
    // Rows without bytes all begin where the first does.
    match row.and_then(|byte| byte.checked_div(file.row_size())) {
        Some(row) => row.min(file.rows),
        None if byte > file.start => file.rows,
        None => 0,
    }
}

/// Turns rows into columns.
struct Columns {
    wanted: Vec<Column>,
    /// The columns that are returned.
    schema: SchemaRef,
    /// The condition, and the columns that it needs.
    test: Option<(Arc<dyn PhysicalExpr>, SchemaRef, Vec<Column>)>,
}

/// A column of the table, in this file.
struct Column {
    field: FieldRef,
    from: From,
    options: Options,
}

/// Where the values of a column are.
enum From {
    /// A field of the records. It is converted to the dtype of the table, if that is another.
    Field(Gather, Option<DType>),
    /// The rows themselves.
    Rows(DType, Option<DType>),
    /// The file does not have it.
    Nowhere,
}

impl Columns {
    fn new(
        dtype: &DType,
        schema: &SchemaRef,
        wanted: &[usize],
        predicate: Option<Arc<dyn PhysicalExpr>>,
        options: &Options,
    ) -> Result<Self> {
        let column = |index: usize| Column::new(dtype, &schema.fields()[index], options);
        let columns = |indices: &[usize]| {
            indices.iter().map(|&index| column(index)).collect::<Result<Vec<_>>>()
        };
        let test = predicate.map(|predicate| {
            let mut used: Vec<usize> =
                collect_columns(&predicate).iter().map(|column| column.index()).collect();
            used.sort_unstable();
            used.dedup();
            let own = Arc::new(schema.project(&used)?);
            Ok::<_, DataFusionError>((
                reassign_expr_columns(predicate, &own)?,
                own,
                columns(&used)?,
            ))
        });
        Ok(Columns {
            wanted: columns(wanted)?,
            schema: Arc::new(schema.project(wanted)?),
            test: test.transpose()?,
        })
    }

    fn is_empty(&self) -> bool {
        self.wanted.is_empty() && self.test.is_none()
    }

    fn has_test(&self) -> bool {
        self.test.is_some()
    }

    /// Returns the rows that meet the condition; `None` if there are none.
    fn read(&self, records: &[u8], count: u64) -> Result<Option<RecordBatch>> {
        let count = usize::try_from(count).map_err(external)?;
        let batch = |schema: &SchemaRef, columns: &[Column], rows: Option<&[u32]>| {
            let count = rows.map_or(count, <[u32]>::len);
            let arrays = columns
                .iter()
                .map(|column| column.read(records, rows, count))
                .collect::<Result<Vec<_>>>()?;
            let options = RecordBatchOptions::new().with_row_count(Some(count));
            Ok::<_, DataFusionError>(RecordBatch::try_new_with_options(
                Arc::clone(schema),
                arrays,
                &options,
            )?)
        };
        let Some((test, schema, columns)) = &self.test else {
            return batch(&self.schema, &self.wanted, None).map(Some);
        };
        let passed = test.evaluate(&batch(schema, columns, None)?)?.into_array(count)?;
        let passed = passed.as_any().downcast_ref::<BooleanArray>();
        let passed = passed
            .ok_or_else(|| exec_datafusion_err!("a condition that is neither true nor false"))?;
        // A row whose condition is null does not pass.
        let passed =
            if passed.null_count() > 0 { prep_null_mask_filter(passed) } else { passed.clone() };
        match passed.true_count() {
            0 => Ok(None),
            all if all == count => batch(&self.schema, &self.wanted, None).map(Some),
            _ => {
                let rows =
                    passed.values().set_indices().map(u32::try_from).collect::<Result<Vec<_>, _>>();
                batch(&self.schema, &self.wanted, Some(&rows.map_err(external)?)).map(Some)
            }
        }
    }
}

impl Column {
    fn new(dtype: &DType, field: &FieldRef, options: &Options) -> Result<Self> {
        let wanted = dtype_of(field);
        let other = |own: &DType| wanted.clone().filter(|wanted| wanted != own);
        let from = if dtype.field(field.name()).is_some() {
            let gather = Gather::new(dtype, field.name()).map_err(external)?;
            let to = other(gather.dtype());
            From::Field(gather, to)
        } else if !dtype.is_record() && field.name() == VALUE {
            From::Rows(dtype.clone(), other(dtype))
        } else {
            From::Nowhere
        };
        Ok(Column { field: Arc::clone(field), from, options: options.clone() })
    }

    /// Returns the values of these rows, or of all.
    fn read(&self, records: &[u8], rows: Option<&[u32]>, count: usize) -> Result<ArrayRef> {
        let (dtype, to, bytes) = match &self.from {
            From::Nowhere => return Ok(new_null_array(self.field.data_type(), count)),
            From::Field(gather, to) => {
                let bytes = match rows {
                    Some(rows) => gather.rows(records, rows),
                    None => gather.all(records),
                };
                (gather.dtype(), to, bytes.map_err(external)?)
            }
            From::Rows(dtype, to) => {
                let size = dtype.itemsize();
                let bytes = match rows {
                    Some(rows) => {
                        rows.iter().flat_map(|&row| row_of(records, row, size)).copied().collect()
                    }
                    None => records.to_vec(),
                };
                (dtype, to, bytes)
            }
        };
        let (base, shape) = flat(dtype, count);
        let mut array = DynArray::new(base, shape, Order::C, bytes).map_err(external)?;
        if let Some(to) = to {
            let (base, shape) = flat(to, count);
            if shape != array.shape() {
                return Err(exec_datafusion_err!(
                    "the column {:?} has other dimensions than in other files",
                    self.field.name()
                ));
            }
            array = array.cast(&base).map_err(external)?;
        }
        into_array(array, &self.field, &self.options).map_err(external)
    }
}

/// The error of a file that ends before the rows that its header states.
fn shorter(error: std::io::Error) -> DataFusionError {
    match error.kind() {
        std::io::ErrorKind::UnexpectedEof => {
            exec_datafusion_err!("truncated: it ends before the rows that its header states")
        }
        _ => error.into(),
    }
}

fn row_of(records: &[u8], row: u32, size: usize) -> &[u8] {
    let start = row as usize * size;
    records.get(start..start + size).unwrap_or_default()
}

/// Returns the dtype without its sub-arrays, whose dimensions come after that of the rows.
fn flat(dtype: &DType, rows: usize) -> (DType, Vec<usize>) {
    let (mut base, mut shape) = (dtype, vec![rows]);
    while let Some((inner, dims)) = base.sub_array() {
        shape.extend_from_slice(dims);
        base = inner;
    }
    (base.clone(), shape)
}
