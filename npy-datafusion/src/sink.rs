//! Writes the results of queries as `.npy` files or archives: `COPY … TO`, `INSERT INTO`.
//!
//! The header of a file comes first and states the number of rows, which is known last; and a store takes the parts of a file in order. So the
//! records of each file are kept ([`spool`]) until all of them have arrived. Then the file is sent ([`upload`]), and it appears only when the whole
//! query has succeeded.

mod archive;
mod lists;
mod spool;
mod upload;

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use async_trait::async_trait;
use datafusion::arrow::array::{RecordBatch, RecordBatchOptions};
use datafusion::arrow::datatypes::{DataType, FieldRef, Schema, SchemaRef};
use datafusion::common::runtime::{JoinSet, SpawnedTask};
use datafusion::common::{Column, exec_datafusion_err, exec_err};
use datafusion::datasource::listing::ListingTableUrl;
use datafusion::datasource::physical_plan::{FileSink, FileSinkConfig};
use datafusion::datasource::sink::DataSink;
use datafusion::error::{DataFusionError, Result};
use datafusion::execution::{SendableRecordBatchStream, SessionStateBuilder, TaskContext};
use datafusion::physical_plan::{DisplayAs, DisplayFormatType};
use futures::future::{BoxFuture, FutureExt};
use npy_arrow::{DESCR, Options, VALUE, column, dyn_array};
use npy_core::DynArray;
use npy_core::dtype::DType;
use object_store::ObjectStore;
use object_store::local::LocalFileSystem;
use object_store::path::Path;
use tokio::sync::mpsc::{Receiver, UnboundedReceiver};

use self::spool::Spool;
use self::upload::Upload;
use crate::header::{external, in_sql, plain};
use crate::index::update_index;
use crate::merge::{dtype_of, has_time};
use crate::settings::NpySettings;

/// Writes `.npy` files, or archives.
#[derive(Debug)]
pub(crate) struct NpySink {
    config: FileSinkConfig,
    options: Options,
    /// True for archives, whose arrays are the columns.
    is_archive: bool,
    /// The directory whose index is written again when the files are there.
    indexed: Option<ListingTableUrl>,
}

impl NpySink {
    pub(crate) fn new(config: FileSinkConfig, options: Options, is_archive: bool) -> Self {
        NpySink { config, options, is_archive, indexed: None }
    }

    /// Sets the directory whose index is written again when the files are there.
    pub(crate) fn with_index(self, directory: ListingTableUrl) -> Self {
        NpySink { indexed: Some(directory), ..self }
    }

    /// Writes the index of the directory again.
    async fn update_index(&self, context: &Arc<TaskContext>) -> Result<()> {
        let Some(directory) = &self.indexed else { return Ok(()) };
        let state = SessionStateBuilder::new()
            .with_config(context.session_config().clone())
            .with_runtime_env(context.runtime_env())
            .build();
        let updated = update_index(&state, directory).await;
        let failed = |error: DataFusionError| {
            exec_datafusion_err!(
                "the files are written, and the index of {directory} is as before: {}; run npy index",
                error.strip_backtrace()
            )
        };
        updated.map(|_| ()).map_err(failed)
    }
}

impl FileSink for NpySink {
    fn config(&self) -> &FileSinkConfig {
        &self.config
    }

    fn spawn_writer_tasks_and_join<'sink, 'context, 'all>(
        &'sink self,
        context: &'context Arc<TaskContext>,
        demux: SpawnedTask<Result<()>>,
        files: UnboundedReceiver<(Path, Receiver<RecordBatch>)>,
        store: Arc<dyn ObjectStore>,
    ) -> BoxFuture<'all, Result<u64>>
    where
        'sink: 'all,
        'context: 'all,
    {
        self.write_files(context, demux, files, store)
    }
}

impl NpySink {
    /// `spawn_writer_tasks_and_join`, without bounds: see `table.rs`.
    fn write_files<'all>(
        &'all self,
        context: &'all Arc<TaskContext>,
        demux: SpawnedTask<Result<()>>,
        files: UnboundedReceiver<(Path, Receiver<RecordBatch>)>,
        store: Arc<dyn ObjectStore>,
    ) -> BoxFuture<'all, Result<u64>> {
        self.write_each(context, demux, files, store).boxed()
    }

    async fn write_each(
        &self,
        context: &Arc<TaskContext>,
        demux: SpawnedTask<Result<()>>,
        mut files: UnboundedReceiver<(Path, Receiver<RecordBatch>)>,
        store: Arc<dyn ObjectStore>,
    ) -> Result<u64> {
        // A table says which dtypes its new files have.
        let dtypes = descrs(self.config.output_schema());
        let no_clobber = NpySettings::of(context.session_config().options()).no_clobber;
        let is_local = self.config.object_store_url.as_str() == "file:///";
        let (mut tasks, mut failure) = (JoinSet::new(), None);
        while let Some((path, mut batches)) = files.recv().await {
            let (store, context) = (Arc::clone(&store), Arc::clone(context));
            let (options, dtypes) = (self.options.clone(), dtypes.clone());
            // DataFusion writes both to this directory, where nobody can tell them from each other.
            let mut columns = self.config.table_partition_cols.iter();
            if let Some((name, _)) = columns.find(|(name, _)| {
                let directory = format!("{name}=");
                path.parts().any(|part| part.as_ref() == directory)
            }) {
                failure = failure.or(Some(exec_datafusion_err!(
                    "the column {name:?} of PARTITIONED BY has a null or an empty text, and no directory is named so: write coalesce(nullif({0}, ''), 'none') AS {0} for text, and coalesce({0}, 0) AS {0} for numbers",
                    Column::new_unqualified(name).quoted_flat_name()
                )));
                continue;
            }
            let shown = if is_local { format!("/{path}") } else { path.to_string() };
            let local = is_local.then(|| LocalFileSystem::new().path_to_filesystem(&path));
            let local = local.transpose()?;
            let is_archive = self.is_archive;
            tasks.spawn(async move {
                let mut parts = Vec::new();
                let mut count = 0;
                while let Some(batch) = batches.recv().await {
                    if parts.is_empty() {
                        parts = match is_archive {
                            true => Part::of_columns(&batch, &shown, &options, &dtypes, &context)?,
                            false => vec![Part::new(shown.clone(), &options, &dtypes, &context)],
                        };
                    }
                    count += batch.num_rows() as u64;
                    for (index, part) in parts.iter_mut().enumerate() {
                        let array = match is_archive {
                            true => part.rows.convert(&only(&batch, index)?)?,
                            false => part.rows.convert(&batch)?,
                        };
                        part.spool.push(&array)?;
                    }
                }
                let file = match is_archive {
                    true => {
                        let columns = parts.into_iter().map(|part| (part.name, part.spool));
                        let runtime = context.runtime_env();
                        archive::complete(columns.collect(), &runtime.disk_manager).await?
                    }
                    false => match parts.pop() {
                        Some(part) => part.spool.complete()?,
                        None => None,
                    },
                };
                // There is none without a batch: then the query has failed.
                let Some(file) = file else { return Ok((count, None)) };
                let upload = Upload::start(file, store, path, local, no_clobber).await?;
                Ok::<_, DataFusionError>((count, Some(upload)))
            });
        }
        let (mut count, mut uploads) = (0, Vec::new());
        while let Some(task) = tasks.join_next().await {
            match task.map_err(|error| DataFusionError::ExecutionJoin(Box::new(error))) {
                Ok(Ok((rows, upload))) => {
                    count += rows;
                    uploads.extend(upload);
                }
                Ok(Err(error)) | Err(error) => failure = failure.or(Some(error)),
            }
        }
        // If a file fails, the query is stopped, too, and its error is only that nobody takes its rows.
        let query = demux.join_unwind().await;
        let query = query.map_err(|error| DataFusionError::ExecutionJoin(Box::new(error)));
        let result = failure.map_or_else(|| query.flatten(), Err);
        upload::finish(uploads, result).await.map_err(plain)?;
        self.update_index(context).await?;
        Ok(count)
    }
}

#[async_trait]
impl DataSink for NpySink {
    fn schema(&self) -> &SchemaRef {
        self.config.output_schema()
    }

    async fn write_all(
        &self,
        data: SendableRecordBatchStream,
        context: &Arc<TaskContext>,
    ) -> Result<u64> {
        FileSink::write_all(self, data, context).await
    }
}

impl DisplayAs for NpySink {
    fn fmt_as(&self, _: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "NpySink({})", self.config.original_url)
    }
}

/// One array of a file: all records, or a column of an archive.
struct Part {
    name: String,
    rows: Rows,
    spool: Spool,
}

impl Part {
    /// The place of the array, for messages, and the dtypes of its columns.
    fn new(
        path: String,
        options: &Options,
        dtypes: &HashMap<String, String>,
        context: &TaskContext,
    ) -> Self {
        let rows = Rows { path, options: options.clone(), dtypes: dtypes.clone(), count: 0 };
        Part { name: String::new(), rows, spool: Spool::new(context.runtime_env()) }
    }

    /// Returns an array for each column.
    fn of_columns(
        batch: &RecordBatch,
        path: &str,
        options: &Options,
        dtypes: &HashMap<String, String>,
        context: &TaskContext,
    ) -> Result<Vec<Self>> {
        let schema = batch.schema();
        archive::check_names(schema.fields().iter().map(|field| field.name()))?;
        let column = |field: &FieldRef| {
            let name = field.name().clone();
            let dtype = dtypes.get(&name).map(|descr| (VALUE.to_owned(), descr.clone()));
            let dtypes = dtype.into_iter().collect();
            let part = Part::new(format!("{path}: {name}"), options, &dtypes, context);
            Part { name, ..part }
        };
        Ok(schema.fields().iter().map(column).collect())
    }
}

/// Returns one column of a batch, as the values of an array.
fn only(batch: &RecordBatch, index: usize) -> Result<RecordBatch> {
    let column = batch.project(&[index])?;
    let field = column.schema().field(0).clone().with_name(VALUE);
    Ok(RecordBatch::try_new(Arc::new(Schema::new(vec![field])), column.columns().to_vec())?)
}

/// Converts the batches of a file. Text becomes as wide as the longest value so far, so the dtype of a later batch may be wider.
struct Rows {
    /// The path of the file, for messages.
    path: String,
    options: Options,
    /// The dtype of each column so far, by its name.
    dtypes: HashMap<String, String>,
    /// The number of rows so far.
    count: u64,
}

impl Rows {
    fn convert(&mut self, batch: &RecordBatch) -> Result<DynArray> {
        let options = RecordBatchOptions::new().with_row_count(Some(batch.num_rows()));
        let schema = Arc::new(typed(&batch.schema(), &self.dtypes)?);
        let batch = RecordBatch::try_new_with_options(schema, batch.columns().to_vec(), &options)?;
        let array = self.array(&batch).map_err(|error| self.located(&error, &batch))?;
        if array.dtype().is_record() && !is_plain(&batch) {
            let fields = array.dtype().fields().iter();
            self.dtypes = fields.map(|f| (f.name().to_owned(), f.dtype().descr())).collect();
        } else {
            let inner = array.shape().get(1..).unwrap_or_default();
            let dtype = array.dtype().array(inner).map_err(external)?;
            self.dtypes = HashMap::from([(VALUE.to_owned(), dtype.descr())]);
        }
        self.count += batch.num_rows() as u64;
        Ok(array)
    }

    fn array(&self, batch: &RecordBatch) -> npy_arrow::Result<DynArray> {
        match (batch.columns(), &batch.schema().fields()[..]) {
            ([values], [field]) if is_plain(batch) => column(values, field, &self.options),
            _ => dyn_array(batch, &self.options),
        }
    }

    fn located(&self, error: &npy_arrow::Error, batch: &RecordBatch) -> DataFusionError {
        let from = match self.count {
            0 => String::new(),
            count => format!("in the rows from {count} on: "),
        };
        let reason = error.to_string();
        let reason = lists::in_sql(&reason, batch).unwrap_or_else(|| in_sql(&reason));
        exec_datafusion_err!("{}: {from}{reason}", self.path)
    }
}

/// Returns true if the only column is `value`, which is an array without fields, as it is read.
fn is_plain(batch: &RecordBatch) -> bool {
    matches!(&batch.schema().fields()[..], [field] if field.name() == VALUE)
}

/// Returns the dtypes that the metadata of the columns state.
fn descrs(schema: &Schema) -> HashMap<String, String> {
    let descr =
        |field: &FieldRef| Some((field.name().clone(), field.metadata().get(DESCR)?.clone()));
    schema.fields().iter().filter_map(descr).collect()
}

/// Returns the schema with these dtypes in the metadata of its columns. Refuses times whose unit Arrow lacks, if the table has another unit: the
/// column has their counts.
fn typed(schema: &Schema, dtypes: &HashMap<String, String>) -> Result<Schema> {
    let field = |field: &FieldRef| {
        let mut metadata = field.metadata().clone();
        if let Some(descr) = dtypes.get(field.name()) {
            let to: Option<DType> = descr.parse().ok();
            let kind = |dtype: &DType| dtype.scalar().map(|scalar| scalar.kind());
            if let (Some(from), Some(to), DataType::Int64) =
                (dtype_of(field), to, field.data_type())
                && kind(&from) != kind(&to)
                && has_time(&from)
                && has_time(&to)
            {
                return exec_err!(
                    "the column {:?} is {from}, and {to} in the table: convert its counts, as in x * 1000 AS x",
                    field.name()
                );
            }
            metadata.insert(DESCR.to_owned(), descr.clone());
        }
        Ok(field.as_ref().clone().with_metadata(metadata))
    };
    let fields = schema.fields().iter().map(field).collect::<Result<Vec<_>>>()?;
    Ok(Schema::new_with_metadata(fields, schema.metadata().clone()))
}
