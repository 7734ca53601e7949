//! The format, as tables over many files ask for it.

use std::collections::HashMap;
use std::sync::Arc;

use async_trait::async_trait;
use datafusion::arrow::datatypes::SchemaRef;
use datafusion::catalog::Session;
use datafusion::common::stats::Precision;
use datafusion::common::{GetExt, Statistics, internal_datafusion_err, not_impl_err};
use datafusion::datasource::file_format::file_compression_type::FileCompressionType;
use datafusion::datasource::file_format::{FileFormat, FileFormatFactory};
use datafusion::datasource::physical_plan::{
    FileScanConfig, FileScanConfigBuilder, FileSinkConfig, FileSource,
};
use datafusion::datasource::sink::DataSinkExec;
use datafusion::datasource::source::DataSourceExec;
use datafusion::datasource::table_schema::TableSchema;
use datafusion::error::{DataFusionError, Result};
use datafusion::logical_expr::dml::InsertOp;
use datafusion::physical_expr::LexRequirement;
use datafusion::physical_plan::ExecutionPlan;
use futures::{StreamExt, TryStreamExt};
use npy_arrow::Options;
use npy_core::DType;
use object_store::{ObjectMeta, ObjectStore};

use crate::groups::{Groups, Layout};
use crate::header::{self, File};
use crate::index::IndexMode;
use crate::location;
use crate::merge::{Merged, field_of};
use crate::sink::NpySink;
use crate::source::NpySource;
use crate::sql_options;

/// The format `.npy`, or `.npz`: archives, whose members are columns.
///
/// ```
/// use datafusion::datasource::file_format::FileFormat;
/// use npy_datafusion::{NpyFormat, NpyOptions};
///
/// assert_eq!(NpyFormat::new(NpyOptions::default()).get_ext(), "npy");
/// assert_eq!(NpyFormat::archives(NpyOptions::default()).get_ext(), "npz");
/// ```
#[derive(Clone, Debug, Default)]
pub struct NpyFormat {
    options: Options,
    /// Files are recognized by themselves: this is the extension of those that a table lists.
    is_archive: bool,
    /// The use of the index of a directory.
    index: IndexMode,
    layout: Layout,
    /// The column that is in ascending order in each file.
    sorted_by: Option<String>,
    /// The location of files whose rows belong to those of the arrays.
    beside: Option<String>,
    /// The dtype of a row, if files have no header.
    raw: Option<DType>,
    /// The folders of a table whose columns are files, or the headers that files lack. Only the planner of a query has them.
    groups: Arc<Groups>,
}

impl NpyFormat {
    /// Creates the format, with these types for what has more than one in Arrow.
    pub fn new(options: Options) -> Self {
        NpyFormat { options, ..NpyFormat::default() }
    }

    /// Creates the format of archives, with these types for what has more than one in Arrow.
    pub fn archives(options: Options) -> Self {
        NpyFormat { options, is_archive: true, ..NpyFormat::default() }
    }

    /// Sets the use of the index of a directory, which is [`IndexMode::Auto`] otherwise.
    pub fn with_index(self, index: IndexMode) -> Self {
        NpyFormat { index, ..self }
    }

    /// Returns the use of the index of a directory.
    pub(crate) fn index(&self) -> IndexMode {
        self.index
    }

    /// Sets how the columns of a table are stored, which is [`Layout::Rows`] otherwise.
    pub fn with_layout(self, layout: Layout) -> Self {
        NpyFormat { layout, ..self }
    }

    /// Returns how the columns of a table are stored.
    pub(crate) fn layout(&self) -> Layout {
        self.layout
    }

    /// States that a column is in ascending order in each file. The order is proved before it is used: by the index, or by reading the column once a session.
    pub fn with_sorted_by(self, column: impl Into<String>) -> Self {
        NpyFormat { sorted_by: Some(column.into()), ..self }
    }

    /// Returns the column that is in ascending order in each file.
    pub(crate) fn sorted_by(&self) -> Option<&str> {
        self.sorted_by.as_deref()
    }

    /// Names Parquet files whose rows belong to those of the arrays, by their positions. Statements and the function `npy` make such tables.
    pub fn with_beside(self, location: impl Into<String>) -> Self {
        NpyFormat { beside: Some(location.into()), ..self }
    }

    /// Returns the location of files whose rows belong to those of the arrays.
    pub(crate) fn beside(&self) -> Option<&str> {
        self.beside.as_deref()
    }

    /// Reads files without a header, which are data alone: rows of this dtype, in C order. The size of a file states their number.
    pub fn with_raw(self, row: DType) -> Self {
        NpyFormat { raw: Some(row), ..self }
    }

    /// Returns the dtype of a row, if files have no header.
    pub(crate) fn raw(&self) -> Option<&DType> {
        self.raw.as_ref()
    }

    /// Sets the folders of the table.
    pub(crate) fn with_groups(self, groups: Arc<Groups>) -> Self {
        NpyFormat { groups, ..self }
    }

    /// Returns the types for what has more than one in Arrow.
    pub(crate) fn options(&self) -> &Options {
        &self.options
    }

    pub(crate) fn options_mut(&mut self) -> &mut Options {
        &mut self.options
    }

    /// Returns true for the format of archives.
    pub(crate) fn is_archive(&self) -> bool {
        self.is_archive
    }

    /// Returns the header of a file, or the columns of a folder.
    async fn file(
        &self,
        state: &dyn Session,
        store: &dyn ObjectStore,
        meta: &ObjectMeta,
    ) -> Result<File> {
        if let Some(group) = self.groups.get(&meta.location) {
            return Ok(group.clone());
        }
        let cache = state.runtime_env().cache_manager.get_file_metadata_cache();
        header::cached(Some(&*cache), store, meta).await
    }
}

#[async_trait]
impl FileFormat for NpyFormat {
    fn get_ext(&self) -> String {
        extension(self.is_archive)
    }

    fn get_ext_with_compression(&self, compression: &FileCompressionType) -> Result<String> {
        if compression.is_compressed() {
            return not_impl_err!(
                "files compressed as a whole have no rows at known places; decompress them first"
            );
        }
        Ok(self.get_ext())
    }

    fn compression_type(&self) -> Option<FileCompressionType> {
        None
    }

    async fn infer_schema(
        &self,
        state: &dyn Session,
        store: &Arc<dyn ObjectStore>,
        objects: &[ObjectMeta],
    ) -> Result<SchemaRef> {
        let at_once = state.config_options().execution.meta_fetch_concurrency.into();
        let files = futures::stream::iter(objects).map(|meta| async move {
            Ok::<_, DataFusionError>((meta, self.file(state, store, meta).await?))
        });
        let mut files: Vec<_> = files.boxed().buffer_unordered(at_once).try_collect().await?;
        files.sort_by(|(a, _), (b, _)| a.location.cmp(&b.location));
        let mut merged = Merged::new(&self.options);
        for (meta, file) in files {
            merged.add(&file, &header::named(&**store, &meta.location))?;
        }
        Ok(Arc::new(merged.schema()?))
    }

    async fn infer_stats(
        &self,
        state: &dyn Session,
        store: &Arc<dyn ObjectStore>,
        table: SchemaRef,
        meta: &ObjectMeta,
    ) -> Result<Statistics> {
        let file = self.file(state, store, meta).await?;
        file.check_columns(&table, &**store, meta)?;
        let count = |number: u64| {
            usize::try_from(number)
                .map_err(|_| header::located(&**store, meta, &"too many rows for this machine"))
        };
        let mut statistics = Statistics::new_unknown(&table);
        statistics.num_rows = Precision::Exact(count(file.rows)?);
        statistics.total_byte_size =
            Precision::Exact(count(file.rows.saturating_mul(file.row_size()))?);
        // A table may declare a column as not null although the file has nulls, or lacks the column: that is an error of the scan.
        let columns = file.columns();
        for (field, column) in table.fields().iter().zip(&mut statistics.column_statistics) {
            if let Some((name, dtype)) = columns.iter().find(|(name, _)| name == field.name())
                && !field_of(name, dtype, &self.options)?.is_nullable()
            {
                column.null_count = Precision::Exact(0);
            }
        }
        Ok(statistics)
    }

    async fn create_physical_plan(
        &self,
        state: &dyn Session,
        config: FileScanConfig,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let source = config.file_source().downcast_ref::<NpySource>().cloned();
        let source = source.ok_or_else(|| internal_datafusion_err!("not a scan of .npy files"))?;
        let cache = state.runtime_env().cache_manager.get_file_metadata_cache();
        let source = Arc::new(source.with_header_cache(cache));
        let config = FileScanConfigBuilder::from(config).with_source(source).build();
        Ok(DataSourceExec::from_data_source(config))
    }

    async fn create_writer_physical_plan(
        &self,
        input: Arc<dyn ExecutionPlan>,
        _: &dyn Session,
        config: FileSinkConfig,
        order: Option<LexRequirement>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        if config.insert_op != InsertOp::Append {
            return not_impl_err!("files are added to a table, and not replaced");
        }
        if self.raw.is_some() {
            return not_impl_err!(
                "files without a header are read, and not written; write them with one: COPY … TO 'x.npy'"
            );
        }
        if self.layout == Layout::Columns {
            return not_impl_err!(
                "columns that are files are read, and not written; write an archive: COPY … TO 'x.npz'"
            );
        }
        let config = location::exact(config)?;
        let directory = location::written_to(&config)?;
        let sink = NpySink::new(config, self.options.clone(), self.is_archive);
        let sink = match self.index {
            IndexMode::Update => sink.with_index(directory),
            IndexMode::Auto | IndexMode::Frozen | IndexMode::Off => sink,
        };
        Ok(Arc::new(DataSinkExec::new(input, Arc::new(sink), order)))
    }

    fn file_source(&self, schema: TableSchema) -> Arc<dyn FileSource> {
        Arc::new(NpySource::new(schema, self.options.clone()))
    }
}

fn extension(is_archive: bool) -> String {
    if is_archive { "npz".into() } else { "npy".into() }
}

/// Makes the format for `STORED AS NPY`, or for `STORED AS NPZ`.
///
/// ```
/// use std::sync::Arc;
///
/// use datafusion::execution::SessionStateBuilder;
/// use datafusion::prelude::SessionContext;
/// use npy_datafusion::NpyFormatFactory;
///
/// let mut state = SessionStateBuilder::new().with_default_features().build();
/// state.register_file_format(Arc::new(NpyFormatFactory::default()), true)?;
/// let ctx = SessionContext::new_with_state(state);
/// # let _ = ctx;
/// # Ok::<(), datafusion::error::DataFusionError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct NpyFormatFactory {
    format: NpyFormat,
}

impl NpyFormatFactory {
    /// Creates a factory of formats with the options of this one, unless a statement has others.
    pub fn new(format: NpyFormat) -> Self {
        NpyFormatFactory { format }
    }

    /// Returns the format.
    #[cfg(feature = "proto")]
    pub(crate) fn format(&self) -> &NpyFormat {
        &self.format
    }
}

impl GetExt for NpyFormatFactory {
    fn get_ext(&self) -> String {
        self.format.get_ext()
    }
}

impl FileFormatFactory for NpyFormatFactory {
    fn create(
        &self,
        _: &dyn Session,
        options: &HashMap<String, String>,
    ) -> Result<Arc<dyn FileFormat>> {
        // DataFusion puts `format.` before each name without a dot. Others may be those of stores, or of the engine.
        let own = |key: &str| ["npy.", "npz."].iter().any(|start| key.starts_with(start));
        let named = options.iter().filter_map(|(key, value)| {
            let name = key.strip_prefix("format.").or(own(key).then_some(key.as_str()))?;
            Some((name, value.as_str()))
        });
        Ok(Arc::new(sql_options::parse(&self.format, named)?))
    }

    fn default(&self) -> Arc<dyn FileFormat> {
        Arc::new(self.format.clone())
    }
}
