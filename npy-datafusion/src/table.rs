//! Tables of files. They are `ListingTable`s under a type of their own, so that codecs know them.

use std::borrow::Cow;
use std::sync::Arc;

use async_trait::async_trait;
use datafusion::arrow::datatypes::SchemaRef;
use datafusion::catalog::{ScanArgs, ScanResult, Session, TableProvider, TableProviderFactory};
use datafusion::common::{Constraints, Statistics, internal_datafusion_err};
use datafusion::datasource::TableType;
use datafusion::datasource::listing::{ListingOptions, ListingTable, ListingTableConfig};
use datafusion::datasource::provider::DefaultTableFactory;
use datafusion::error::Result;
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
        let extension = if is_archive { ".npz" } else { ".npy" };
        let listing = ListingOptions::new(Arc::new(format)).with_file_extension(extension);
        let config =
            ListingTableConfig::new(location::parse(location)?).with_listing_options(listing);
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
        let table = self.inner.create(state, statement).await?;
        let listing = table.downcast_ref::<ListingTable>().cloned();
        let listing =
            listing.ok_or_else(|| internal_datafusion_err!("the table is no table of files"))?;
        Ok(Arc::new(NpyTable::from(listing)))
    }
}
