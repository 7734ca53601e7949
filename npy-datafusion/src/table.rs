//! Tables of files. They are `ListingTable`s under a type of their own, so that codecs know them.

use std::borrow::Cow;
use std::sync::Arc;

use async_trait::async_trait;
use datafusion::arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use datafusion::catalog::{ScanArgs, ScanResult, Session, TableProvider, TableProviderFactory};
use datafusion::common::{Constraints, DFSchema, Statistics, internal_datafusion_err};
use datafusion::datasource::TableType;
use datafusion::datasource::listing::{
    ListingOptions, ListingTable, ListingTableConfig, ListingTableUrl,
};
use datafusion::datasource::provider::DefaultTableFactory;
use datafusion::error::Result;
use datafusion::execution::SessionState;
use datafusion::logical_expr::dml::InsertOp;
use datafusion::logical_expr::{
    CreateExternalTable, Expr, LogicalPlan, TableProviderFilterPushDown,
};
use datafusion::physical_plan::ExecutionPlan;
use npy_arrow::Options;

use crate::format::NpyFormat;
use crate::location;

/// A table of `.npy` files, or of archives: a [`ListingTable`] that can be sent to other processes.
///
/// `datafusion-proto` sends a `ListingTable` itself, and refuses one of a format that it does not know; it asks its codec only about types of tables that
/// it does not know.
///
/// ```no_run
/// # #[tokio::main]
/// # async fn main() -> datafusion::error::Result<()> {
/// use std::sync::Arc;
///
/// use npy_datafusion::{NpyOptions, NpyTable};
///
/// let ctx = npy_datafusion::session();
/// let ticks = NpyTable::open(&ctx.state(), "ticks/", NpyOptions::new()).await?;
/// ctx.register_table("ticks", Arc::new(ticks))?;
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct NpyTable {
    inner: ListingTable,
}

impl NpyTable {
    /// Opens a file, or a directory of files: a path or a URL. That of a directory ends in `/`; it may have wildcards. Archives end in `.npz`, as in `dir/*.npz`.
    ///
    /// # Errors
    ///
    /// If there is no file, if a header is damaged, or if a field has different types in different files and none holds both.
    pub async fn open(state: &dyn Session, location: &str, options: Options) -> Result<Self> {
        let is_archive = location::is_of_archives(location);
        let format =
            if is_archive { NpyFormat::archives(options) } else { NpyFormat::new(options) };
        let location = location::parse(location)?;
        // A file may have any name.
        let extension = match (location.is_collection(), is_archive) {
            (false, _) => "",
            (true, true) => ".npz",
            (true, false) => ".npy",
        };
        let listing = ListingOptions::new(Arc::new(format)).with_file_extension(extension);
        let config = ListingTableConfig::new(location).with_listing_options(listing);
        Ok(ListingTable::try_new(config.infer_schema(state).await?)?.into())
    }

    /// Returns the table of DataFusion, which has the files and the options.
    pub fn listing(&self) -> &ListingTable {
        &self.inner
    }
}

impl From<ListingTable> for NpyTable {
    fn from(inner: ListingTable) -> Self {
        NpyTable { inner }
    }
}

#[async_trait]
impl TableProvider for NpyTable {
    fn schema(&self) -> SchemaRef {
        self.inner.schema()
    }

    fn constraints(&self) -> Option<&Constraints> {
        self.inner.constraints()
    }

    fn table_type(&self) -> TableType {
        self.inner.table_type()
    }

    fn get_table_definition(&self) -> Option<&str> {
        self.inner.get_table_definition()
    }

    fn get_logical_plan(&self) -> Option<Cow<'_, LogicalPlan>> {
        self.inner.get_logical_plan()
    }

    fn get_column_default(&self, column: &str) -> Option<&Expr> {
        self.inner.get_column_default(column)
    }

    async fn scan(
        &self,
        state: &dyn Session,
        projection: Option<&Vec<usize>>,
        filters: &[Expr],
        limit: Option<usize>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        self.inner.scan(state, projection, filters, limit).await
    }

    async fn scan_with_args<'a>(
        &self,
        state: &dyn Session,
        args: ScanArgs<'a>,
    ) -> Result<ScanResult> {
        self.inner.scan_with_args(state, args).await
    }

    fn supports_filters_pushdown(
        &self,
        filters: &[&Expr],
    ) -> Result<Vec<TableProviderFilterPushDown>> {
        self.inner.supports_filters_pushdown(filters)
    }

    fn statistics(&self) -> Option<Statistics> {
        self.inner.statistics()
    }

    async fn insert_into(
        &self,
        state: &dyn Session,
        input: Arc<dyn ExecutionPlan>,
        insert_op: InsertOp,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        self.inner.insert_into(state, input, insert_op).await
    }
}

/// Makes an [`NpyTable`] of `CREATE EXTERNAL TABLE … STORED AS NPY` (or `NPZ`): DataFusion's own factory makes the table inside.
///
/// ```
/// use std::sync::Arc;
///
/// use datafusion::execution::SessionStateBuilder;
/// use npy_datafusion::{NpyFormatFactory, NpyTableFactory};
///
/// let state = SessionStateBuilder::new()
///     .with_default_features()
///     .with_table_factory("NPY".into(), Arc::new(NpyTableFactory::default()))
///     .with_file_formats(vec![Arc::new(NpyFormatFactory::default())])
///     .build();
/// # let _ = state;
/// ```
#[derive(Debug, Default)]
pub struct NpyTableFactory {
    inner: DefaultTableFactory,
}

#[async_trait]
impl TableProviderFactory for NpyTableFactory {
    async fn create(
        &self,
        state: &dyn Session,
        statement: &CreateExternalTable,
    ) -> Result<Arc<dyn TableProvider>> {
        let glob = format!("*.{}", statement.file_type.to_lowercase());
        let mut statement = statement.clone();
        if statement.schema.fields().is_empty() {
            infer_schema(state, &mut statement, &glob).await?;
        }
        let table = self.inner.create(state, &statement).await?;
        let listing = table.downcast_ref::<ListingTable>();
        let listing =
            listing.ok_or_else(|| internal_datafusion_err!("the table is no table of files"))?;
        Ok(Arc::new(NpyTable::from(only(listing, &statement, &glob)?)))
    }
}

/// Sets the schema of a directory in a store from its files of this format. DataFusion would take all files there.
async fn infer_schema(
    state: &dyn Session,
    statement: &mut CreateExternalTable,
    glob: &str,
) -> Result<()> {
    let (Some(session), [location]) =
        (state.as_any().downcast_ref::<SessionState>(), &statement.locations[..])
    else {
        return Ok(());
    };
    let url = ListingTableUrl::parse(location)?;
    let factory = session.get_file_format_factory(&statement.file_type);
    let (Some(factory), false) = (factory, url.is_folder() || !is_directory(&url)) else {
        return Ok(());
    };
    let format = factory.create(session, &statement.options)?;
    let options = ListingOptions::new(format).with_file_extension("");
    let mut fields =
        options.infer_schema(session, &url.clone().with_glob(glob)?).await?.fields().to_vec();
    let execution = &session.config_options().execution;
    if statement.table_partition_cols.is_empty() && execution.listing_table_factory_infer_partitions
    {
        statement.table_partition_cols = options.infer_partitions(session, &url).await?;
    }
    let text = DataType::Dictionary(Box::new(DataType::UInt16), Box::new(DataType::Utf8));
    let columns = statement.table_partition_cols.iter();
    fields.extend(columns.map(|name| Arc::new(Field::new(name, text.clone(), false))));
    statement.schema = Arc::new(DFSchema::try_from(Schema::new(fields))?);
    Ok(())
}

/// Returns the table with the files of this format alone, if it is one of a directory.
fn only(
    listing: &ListingTable,
    statement: &CreateExternalTable,
    glob: &str,
) -> Result<ListingTable> {
    if !listing.table_paths().iter().any(is_directory) {
        return Ok(listing.clone());
    }
    let with_glob = |path: &ListingTableUrl| match is_directory(path) {
        true => path.clone().with_glob(glob),
        false => Ok(path.clone()),
    };
    let paths = listing.table_paths().iter().map(with_glob).collect::<Result<Vec<_>>>()?;
    let options = listing.options().clone();
    let is_in_files = |field: &&Arc<Field>| {
        !options.table_partition_cols.iter().any(|(name, _)| name == field.name())
    };
    let schema = listing.schema();
    let fields: Vec<_> = schema.fields().iter().filter(is_in_files).cloned().collect();
    let config = ListingTableConfig::new_with_multi_paths(paths)
        .with_listing_options(options)
        .with_schema(Arc::new(Schema::new_with_metadata(fields, schema.metadata().clone())));
    Ok(ListingTable::try_new(config)?
        .with_definition(statement.definition.clone())
        .with_constraints(statement.constraints.clone())
        .with_column_defaults(statement.column_defaults.clone()))
}

/// Returns true for a directory without a pattern.
fn is_directory(url: &ListingTableUrl) -> bool {
    url.is_collection() && url.get_glob().is_none()
}
