//! Tables of files. They are `ListingTable`s under a type of their own, so that codecs know them.
//!
//! Methods of DataFusion's traits that take expressions or plans have the signatures that `async_trait` would write, and pass their work on to
//! functions without bounds of lifetimes. Where there are bounds, the compiler does not remember that all types of expressions and plans can be
//! sent to other threads, and finds it out for each method anew: with `async_trait`, this package took three times as long to compile
//! (<https://github.com/apache/datafusion/issues/13814>).

use std::borrow::Cow;
use std::sync::Arc;

use datafusion::arrow::datatypes::{DataType, Field, FieldRef, Schema, SchemaRef};
use datafusion::catalog::{ScanArgs, ScanResult, Session, TableProvider, TableProviderFactory};
use datafusion::common::tree_node::TreeNode;
use datafusion::common::{
    Column, Constraints, DFSchema, Statistics, internal_datafusion_err, internal_err, plan_err,
};
use datafusion::datasource::TableType;
use datafusion::datasource::file_format::FileFormat;
use datafusion::datasource::listing::{
    ListingOptions, ListingTable, ListingTableConfig, ListingTableUrl,
};
use datafusion::datasource::physical_plan::{FileScanConfig, FileScanConfigBuilder};
use datafusion::datasource::provider::DefaultTableFactory;
use datafusion::datasource::source::DataSourceExec;
use datafusion::error::Result;
use datafusion::execution::SessionState;
use datafusion::logical_expr::dml::InsertOp;
use datafusion::logical_expr::{
    CreateExternalTable, Expr, LogicalPlan, TableProviderFilterPushDown,
};
use datafusion::physical_expr::conjunction;
use datafusion::physical_expr::utils::collect_columns;
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::filter::FilterExec;
use futures::future::{BoxFuture, FutureExt, TryFutureExt};
use npy_arrow::Options;

use crate::beside::BesideTable;
use crate::format::NpyFormat;
use crate::groups::Layout;
use crate::index::{self, Loaded};
use crate::source::NpySource;
use crate::virtual_columns::with_virtual;
use crate::{copy_target, files, groups, location, sorted};

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
    /// Opens a file, or a directory of files: a path or a URL. That of a directory ends in `/`. Archives end in `.npz`, as in `dir/*.npz`.
    ///
    /// Each part of a pattern matches a part of the path, as in `runs/*/x.npy`, and `**` any number of directories. Directories `name=value` that
    /// every file is in are columns of text.
    ///
    /// # Errors
    ///
    /// If there is no file, if some files of a directory are in other directories `name=value` than others, if a header is damaged, or if a field has different types in different files and none holds both.
    pub async fn open(state: &dyn Session, location: &str, options: Options) -> Result<Self> {
        let format = match location::is_of_archives(location) {
            true => NpyFormat::archives(options),
            false => NpyFormat::new(options),
        };
        Self::open_with(state, location, format).await
    }

    /// As [`open`](NpyTable::open), with a format: the use of an index, and files that are columns.
    ///
    /// ```no_run
    /// # #[tokio::main]
    /// # async fn main() -> datafusion::error::Result<()> {
    /// use std::sync::Arc;
    ///
    /// use npy_datafusion::{Layout, NpyFormat, NpyOptions, NpyTable};
    ///
    /// let ctx = npy_datafusion::session();
    /// let format = NpyFormat::new(NpyOptions::new()).with_layout(Layout::Columns);
    /// let spikes = NpyTable::open_with(&ctx.state(), "alf/spikes.*.npy", format).await?;
    /// ctx.register_table("spikes", Arc::new(spikes))?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// Those of [`open`](NpyTable::open); if the files of a folder that are its columns differ in length.
    pub async fn open_with(state: &dyn Session, location: &str, format: NpyFormat) -> Result<Self> {
        let is_archive = format.is_archive();
        let url = location::with_files(location::parse(location)?, &format.get_ext())?;
        // A file may have any name.
        let extension = match (url.is_collection() && format.raw().is_none(), is_archive) {
            (false, _) => "",
            (true, true) => ".npz",
            (true, false) => ".npy",
        };
        let listing = ListingOptions::new(Arc::new(format)).with_file_extension(extension);
        let columns = files::infer(state, &listing, std::slice::from_ref(&url), &[]).await?;
        let listing = listing.with_table_partition_cols(columns.typed_directories());
        let config = ListingTableConfig::new(url)
            .with_listing_options(listing)
            .with_schema(columns.of_files);
        NpyTable::from(ListingTable::try_new(config)?).check_order()
    }

    /// Returns the table with the columns `_file` and `_row`, except those that are names of other columns.
    pub(crate) fn with_virtual_columns(&self, names: &Schema) -> Result<Self> {
        let schema = self.inner.schema();
        let files = files::without_columns(&schema, &self.inner.options().table_partition_cols);
        let config = ListingTableConfig::new_with_multi_paths(self.inner.table_paths().clone())
            .with_listing_options(self.inner.options().clone())
            .with_schema(Arc::new(with_virtual(&files, names)));
        Ok(ListingTable::try_new(config)?.into())
    }

    /// Returns the column that is in ascending order in each file, as the table was declared.
    fn sorted_by(&self) -> Option<&str> {
        let format = self.inner.options().format.downcast_ref::<NpyFormat>();
        format.and_then(NpyFormat::sorted_by)
    }

    /// Refuses a table that is sorted by a column that it does not have, or whose values no index has.
    fn check_order(self) -> Result<Self> {
        if let Some(column) = self.sorted_by() {
            let options = self.inner.options();
            let schema =
                files::without_columns(&self.inner.schema(), &options.table_partition_cols);
            sorted::check(&schema, column)?;
        }
        Ok(self)
    }

    /// Returns the table with the columns of files beside its own.
    pub(crate) async fn provider(self, state: &dyn Session) -> Result<Arc<dyn TableProvider>> {
        let format = self.inner.options().format.downcast_ref::<NpyFormat>();
        match format.and_then(NpyFormat::beside).map(str::to_owned) {
            Some(location) => Ok(Arc::new(BesideTable::open(state, self, &location).await?)),
            None => Ok(Arc::new(self)),
        }
    }

    /// Returns true for a condition that is checked for each row: it has no column of directories, and is the same each time.
    pub(crate) fn is_for_rows(&self, condition: &Expr) -> bool {
        let directories = &self.inner.options().table_partition_cols;
        let columns = condition.column_refs();
        let is_in_file =
            |column: &&Column| directories.iter().all(|(name, _)| *name != column.name);
        let has_query = condition.exists(|part| {
            Ok(matches!(
                part,
                Expr::ScalarSubquery(_)
                    | Expr::InSubquery(_)
                    | Expr::Exists(_)
                    | Expr::SetComparison(_)
                    | Expr::OuterReferenceColumn(..)
            ))
        });
        columns.iter().all(is_in_file) && !condition.is_volatile() && !has_query.unwrap_or(true)
    }

    /// Returns the scan with the conditions of a query. The planner knows which columns they are about; later, conditions have names alone
    /// ([`barriers`](crate::barriers)).
    async fn with_conditions(
        &self,
        state: &dyn Session,
        plan: Arc<dyn ExecutionPlan>,
        conditions: Vec<Expr>,
        loaded: &Loaded,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let scan = plan.downcast_ref::<DataSourceExec>();
        let scan = scan.and_then(|it| it.data_source().downcast_ref::<FileScanConfig>());
        let source = scan.and_then(|it| it.file_source().downcast_ref::<NpySource>());
        // Without files there is no scan.
        let (Some(scan), Some(source)) = (scan, source) else { return Ok(plan) };
        let (scan, source) = match loaded.indices.is_empty() {
            true => (scan.clone(), source.clone()),
            false => (index::attach(scan, source, loaded)?, source.clone().with_index()),
        };
        let scan = match loaded.groups.is_empty() {
            true => scan,
            false => groups::attach(&scan, &loaded.groups)?,
        };
        let sorted_by = self.sorted_by().filter(|name| {
            let is_tested = |it: &Expr| it.column_refs().iter().any(|column| column.name == *name);
            conditions.iter().any(is_tested) || sorted::is_returned(&source, name)
        });
        let (scan, source) = match sorted_by {
            Some(column) => sorted::proved(state, &scan, source, column).await?,
            None => (scan, source),
        };
        let schema = DFSchema::try_from(self.schema())?;
        let conditions = conditions.into_iter().filter(|condition| self.is_for_rows(condition));
        let conditions = conditions.map(|condition| state.create_physical_expr(condition, &schema));
        let conditions = conditions.collect::<Result<Vec<_>>>()?;
        // The planner makes `false` of some conditions after it has given them to the table.
        let (of_all, of_rows) =
            conditions.into_iter().partition::<Vec<_>, _>(|it| collect_columns(it).is_empty());
        let (source, taken) = source.with_conditions(of_rows)?;
        if taken.contains(&false) {
            return internal_err!("a scan does not take a condition on its columns");
        }
        let (scan, source) = match index::without_pruned(&scan, &source)? {
            Some((scan, pruned)) => (scan, source.with_pruned(pruned)),
            None => (scan, source),
        };
        let scan = match sorted_by {
            Some(column) => sorted::in_order(&scan, &source, column)?,
            None => scan,
        };
        let scan = FileScanConfigBuilder::from(scan).with_source(Arc::new(source));
        let scan = DataSourceExec::from_data_source(scan.build());
        if of_all.is_empty() {
            return Ok(scan);
        }
        Ok(Arc::new(FilterExec::try_new(conjunction(of_all), scan)?))
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

    fn scan<'table, 'session, 'columns, 'filters, 'all>(
        &'table self,
        state: &'session dyn Session,
        projection: Option<&'columns Vec<usize>>,
        filters: &'filters [Expr],
        limit: Option<usize>,
    ) -> BoxFuture<'all, Result<Arc<dyn ExecutionPlan>>>
    where
        'table: 'all,
        'session: 'all,
        'columns: 'all,
        'filters: 'all,
    {
        let args = ScanArgs::default()
            .with_projection(projection.map(Vec::as_slice))
            .with_filters(Some(filters))
            .with_limit(limit);
        self.plan(state, args)
    }

    fn scan_with_args<'args, 'table, 'session, 'all>(
        &'table self,
        state: &'session dyn Session,
        args: ScanArgs<'args>,
    ) -> BoxFuture<'all, Result<ScanResult>>
    where
        'args: 'all,
        'table: 'all,
        'session: 'all,
    {
        self.plan(state, args).map_ok(ScanResult::new).boxed()
    }

    fn supports_filters_pushdown(
        &self,
        filters: &[&Expr],
    ) -> Result<Vec<TableProviderFilterPushDown>> {
        let mut answers = self.inner.supports_filters_pushdown(filters)?;
        for (filter, answer) in filters.iter().zip(&mut answers) {
            if self.is_for_rows(filter) {
                *answer = TableProviderFilterPushDown::Exact;
            }
        }
        Ok(answers)
    }

    fn statistics(&self) -> Option<Statistics> {
        self.inner.statistics()
    }

    fn insert_into<'table, 'session, 'all>(
        &'table self,
        state: &'session dyn Session,
        input: Arc<dyn ExecutionPlan>,
        insert_op: InsertOp,
    ) -> BoxFuture<'all, Result<Arc<dyn ExecutionPlan>>>
    where
        'table: 'all,
        'session: 'all,
    {
        self.insert(state, input, insert_op)
    }
}

impl NpyTable {
    /// `scan`, without bounds.
    fn plan<'all>(
        &'all self,
        state: &'all dyn Session,
        args: ScanArgs<'all>,
    ) -> BoxFuture<'all, Result<Arc<dyn ExecutionPlan>>> {
        async move {
            let filters = args.filters().unwrap_or_default().to_vec();
            let (scan, loaded) = match files::resolved(&self.inner, state).await? {
                Some((table, state, loaded)) => (table.scan_with_args(&state, args).await, loaded),
                None => (self.inner.scan_with_args(state, args).await, Loaded::default()),
            };
            let scan = scan?.into_inner();
            self.with_conditions(state, scan, filters, &loaded).await
        }
        .boxed()
    }

    /// `insert_into`, without bounds.
    fn insert<'all>(
        &'all self,
        state: &'all dyn Session,
        input: Arc<dyn ExecutionPlan>,
        insert_op: InsertOp,
    ) -> BoxFuture<'all, Result<Arc<dyn ExecutionPlan>>> {
        async move {
            self.check_insert()?;
            let session = state.as_any().downcast_ref::<SessionState>();
            if let (Some(session), [url, ..]) = (session, &self.inner.table_paths()[..]) {
                let options = self.inner.options();
                let columns = files::without_columns(&self.schema(), &options.table_partition_cols);
                copy_target::check_insert(session, url, options, columns.fields()).await?;
            }
            self.inner.insert_into(state, input, insert_op).await
        }
        .boxed()
    }

    /// Refuses rows for tables that are only read.
    fn check_insert(&self) -> Result<()> {
        let format = self.inner.options().format.downcast_ref::<NpyFormat>();
        if format.is_some_and(|format| format.raw().is_some()) {
            return plan_err!(
                "files without a header are read, and not written; insert into a table of another directory"
            );
        }
        if let Some(name) =
            format.and_then(|format| format.options().names().find(|it| is_float8(it)))
        {
            return plan_err!(
                "numbers of {name} are read, and not written; insert into a table without the option 'void'"
            );
        }
        if format.is_some_and(|format| format.layout() == Layout::Columns) {
            return plan_err!(
                "columns that are files are read, and not written; insert into a table of another directory, or write an archive: COPY … TO 'x.npz'"
            );
        }
        if let [url, ..] = &self.inner.table_paths()[..]
            && !url.is_collection()
        {
            let path = files::local(url).map(|path| path.display().to_string());
            if let Some(refused) = location::insert_refused(path.as_deref().unwrap_or(url.as_str()))
            {
                return plan_err!("{refused}");
            }
            let location = path.unwrap_or_else(|| url.to_string());
            return plan_err!(
                "{location}: INSERT INTO adds files to a directory, whose name ends in a slash; write LOCATION '{}/'",
                location.replace('\'', "''")
            );
        }
        let all = format!("*.{}", self.inner.options().format.get_ext());
        let globs = self.inner.table_paths().iter().filter_map(|url| url.get_glob().as_ref());
        if let Some(glob) = globs.map(|glob| glob.as_str()).find(|glob| *glob != all) {
            return plan_err!(
                "new files of a table of the pattern {glob:?} might not match it; insert into a table of the directory"
            );
        }
        Ok(())
    }
}

/// Returns true for an option that makes numbers of single bytes.
fn is_float8(name: &str) -> bool {
    name != "bfloat16" && Options::of_raw_bytes().any(|other| other == name)
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

impl TableProviderFactory for NpyTableFactory {
    fn create<'factory, 'session, 'statement, 'all>(
        &'factory self,
        state: &'session dyn Session,
        statement: &'statement CreateExternalTable,
    ) -> BoxFuture<'all, Result<Arc<dyn TableProvider>>>
    where
        'factory: 'all,
        'session: 'all,
        'statement: 'all,
    {
        self.table(state, statement)
    }
}

impl NpyTableFactory {
    /// `create`, without bounds.
    fn table<'all>(
        &'all self,
        state: &'all dyn Session,
        statement: &'all CreateExternalTable,
    ) -> BoxFuture<'all, Result<Arc<dyn TableProvider>>> {
        self.create_table(state, statement).boxed()
    }

    async fn create_table(
        &self,
        state: &dyn Session,
        statement: &CreateExternalTable,
    ) -> Result<Arc<dyn TableProvider>> {
        let extension = statement.file_type.to_lowercase();
        let paths = statement.locations.iter().map(|location| {
            let url = location::with_files(location::parse(location)?, &extension)?;
            Ok(url.with_table_ref(statement.name.clone()))
        });
        let paths = paths.collect::<Result<Vec<_>>>()?;
        let [first, others @ ..] = &paths[..] else {
            return plan_err!("CREATE EXTERNAL TABLE needs a LOCATION");
        };
        if let Some(other) = others.iter().find(|url| url.object_store() != first.object_store()) {
            return plan_err!(
                "the locations of a table are in one store, and {other} is not in that of {first}; create a table for each, and select from both with UNION ALL"
            );
        }
        let is_of_day = |field: &&FieldRef| {
            matches!(field.data_type(), DataType::Time32(_) | DataType::Time64(_))
        };
        if let Some(field) = statement.schema.fields().iter().find(is_of_day) {
            return plan_err!(
                "the column {:?} is a time of day, for which NumPy has no dtype; declare it as INTERVAL, a span of time since midnight",
                field.name()
            );
        }
        let mut statement = statement.clone();
        if statement.schema.fields().is_empty() {
            infer_schema(state, &mut statement, &paths).await?;
        }
        // DataFusion knows one directory of files. Patterns and columns of directories are added here.
        let columns = std::mem::take(&mut statement.table_partition_cols);
        statement.locations = vec![first.as_str().to_owned()];
        // It would read the headers of all files of all directories below.
        let session = state.as_any().downcast_ref::<SessionState>().cloned();
        let mut session =
            session.ok_or_else(|| internal_datafusion_err!("a session of another process"))?;
        session.config_mut().options_mut().execution.collect_statistics = false;
        let table = self.inner.create(&session, &statement).await?;
        let listing = table.downcast_ref::<ListingTable>();
        let listing =
            listing.ok_or_else(|| internal_datafusion_err!("the table is no table of files"))?;
        let table = NpyTable::from(with_files(listing, &statement, paths, columns)?);
        table.check_order()?.provider(state).await
    }
}

/// Sets the schema of a statement without columns, from the headers of the files.
async fn infer_schema(
    state: &dyn Session,
    statement: &mut CreateExternalTable,
    paths: &[ListingTableUrl],
) -> Result<()> {
    let session = state.as_any().downcast_ref::<SessionState>();
    let factory = session.and_then(|it| it.get_file_format_factory(&statement.file_type));
    let factory =
        factory.ok_or_else(|| internal_datafusion_err!("the session has no format of files"))?;
    let format = factory.create(state, &statement.options)?;
    let options = ListingOptions::new(format).with_file_extension("");
    let columns = files::infer(state, &options, paths, &statement.table_partition_cols).await?;
    let mut fields = columns.of_files.fields().to_vec();
    let directories = columns.typed_directories();
    fields.extend(
        directories.into_iter().map(|(name, text)| Arc::new(Field::new(name, text, false))),
    );
    statement.table_partition_cols = columns.of_directories;
    statement.schema = Arc::new(DFSchema::try_from(Schema::new(fields))?);
    Ok(())
}

/// Returns the table with these files, and with columns for directories.
fn with_files(
    listing: &ListingTable,
    statement: &CreateExternalTable,
    paths: Vec<ListingTableUrl>,
    columns: Vec<String>,
) -> Result<ListingTable> {
    let schema = listing.schema();
    let columns = columns.into_iter().map(|name| {
        let of_type = schema.field_with_name(&name)?.data_type().clone();
        Ok((name, of_type))
    });
    let columns = columns.collect::<Result<Vec<_>>>()?;
    let of_files = files::without_columns(&schema, &columns);
    let mut options = listing.options().clone().with_table_partition_cols(columns);
    // A file without a header may have any name.
    if options.format.downcast_ref::<NpyFormat>().is_some_and(|format| format.raw().is_some()) {
        options = options.with_file_extension("");
    }
    let config = ListingTableConfig::new_with_multi_paths(paths)
        .with_listing_options(options)
        .with_schema(of_files);
    Ok(ListingTable::try_new(config)?
        .with_definition(statement.definition.clone())
        .with_constraints(statement.constraints.clone())
        .with_column_defaults(statement.column_defaults.clone()))
}
