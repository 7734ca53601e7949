//! The columns and conditions that the planner asks of a scan.

use std::fmt;
use std::sync::Arc;

use datafusion::arrow::datatypes::{Field, Schema};
use datafusion::common::ScalarValue;
use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::{TreeNode, TreeNodeRecursion};
use datafusion::datasource::listing::PartitionedFile;
use datafusion::datasource::physical_plan::{FileOpener, FileScanConfig, FileSource};
use datafusion::datasource::projection::{ProjectionOpener, SplitProjection};
use datafusion::datasource::table_schema::TableSchema;
use datafusion::error::Result;
use datafusion::execution::cache::cache_manager::FileMetadataCache;
use datafusion::logical_expr::Operator;
use datafusion::physical_expr::expressions::{BinaryExpr, Column, DynamicFilterPhysicalExpr, lit};
use datafusion::physical_expr::utils::collect_columns;
use datafusion::physical_expr::{
    EquivalenceProperties, PhysicalExpr, PhysicalSortExpr, conjunction,
};
use datafusion::physical_expr_common::physical_expr::is_volatile;
use datafusion::physical_plan::DisplayFormatType;
use datafusion::physical_plan::SortOrderPushdownResult;
use datafusion::physical_plan::filter_pushdown::{FilterPushdownPropagation, PushedDown};
use datafusion::physical_plan::metrics::{ExecutionPlanMetricsSet, MetricBuilder};
use datafusion::physical_plan::projection::ProjectionExprs;
use npy_arrow::Options;
#[cfg(feature = "proto")]
use object_store::ObjectMeta;
use object_store::ObjectStore;

use crate::ahead::{AheadOpener, SharedAhead};
use crate::barriers;
#[cfg(feature = "proto")]
use crate::header::{self, File};
use crate::index::{self, Pruner};
use crate::opener::NpyOpener;
use crate::read_ahead::ReadAhead;

/// The number of rows of a batch, unless the session says another.
const ROWS: usize = 8192;

/// A scan of `.npy` files.
#[derive(Clone)]
pub struct NpySource {
    schema: TableSchema,
    options: Options,
    projection: SplitProjection,
    /// The conditions that the rows must meet. They are exact: no one checks them again.
    predicate: Option<Arc<dyn PhysicalExpr>>,
    rows: usize,
    metrics: ExecutionPlanMetricsSet,
    /// The headers that the session has read.
    headers: Option<Arc<FileMetadataCache>>,
    /// The files that are opened before a partition asks for them.
    ahead: Arc<SharedAhead>,
    /// The number of parts of a file that are read at a time, if it is not divided between partitions.
    threads: usize,
    /// The number of files that the planner has left out.
    pruned: usize,
    /// The order in which the files of an index are read.
    order: ReadOrder,
}

/// The order in which files are read: with the best first, a query for the best rows needs few others.
#[derive(Clone)]
enum ReadOrder {
    /// Any: the files have no index.
    Any,
    /// As they are listed.
    Listed,
    /// By the bounds of a column, the greatest first if it is true.
    By(String, bool),
}

impl NpySource {
    /// Creates a scan of all columns.
    pub fn new(schema: TableSchema, options: Options) -> Self {
        let projection = SplitProjection::unprojected(&schema);
        NpySource {
            schema,
            options,
            projection,
            predicate: None,
            rows: ROWS,
            metrics: ExecutionPlanMetricsSet::new(),
            headers: None,
            ahead: Arc::default(),
            threads: 1,
            pruned: 0,
            order: ReadOrder::Any,
        }
    }

    /// Takes headers from this cache, and puts those that it reads into it. Without a cache, each scan reads the header of each file.
    ///
    /// A session has one: `state.runtime_env().cache_manager.get_file_metadata_cache()`.
    pub fn with_header_cache(mut self, cache: Arc<FileMetadataCache>) -> Self {
        self.headers = Some(cache);
        self
    }

    /// Sets the number of parts of a file that are read at a time. Their rows are in the order of the file.
    pub(crate) fn with_threads(mut self, threads: usize) -> Self {
        self.threads = threads;
        self
    }

    /// Returns the header of a file, if the session has it.
    #[cfg(feature = "proto")]
    pub(crate) fn header(&self, meta: &ObjectMeta) -> Option<File> {
        header::known(self.headers.as_deref(), meta)
    }

    /// States that files have an index.
    pub(crate) fn with_index(self) -> Self {
        NpySource { order: ReadOrder::Listed, ..self }
    }

    /// Sets the number of files that the planner has left out.
    pub(crate) fn with_pruned(self, pruned: usize) -> Self {
        NpySource { pruned, ..self }
    }

    /// Returns the number of files that the planner has left out.
    #[cfg(feature = "proto")]
    pub(crate) fn pruned(&self) -> usize {
        self.pruned
    }

    /// Returns the number of parts of a file that are read at a time.
    #[cfg(feature = "proto")]
    pub(crate) fn threads(&self) -> usize {
        self.threads
    }

    /// Sets the conditions that the rows must meet.
    #[cfg(feature = "proto")]
    pub(crate) fn with_predicate(mut self, predicate: Option<Arc<dyn PhysicalExpr>>) -> Self {
        self.predicate = predicate;
        self
    }

    /// Returns the scan with more conditions, and which of them it takes.
    pub(crate) fn with_conditions(
        &self,
        conditions: Vec<Arc<dyn PhysicalExpr>>,
    ) -> Result<(Self, Vec<bool>)> {
        // Conditions on the columns of directories (`day=…`) are not about the files.
        let schema = self.schema.file_schema();
        let columns = schema.fields().len();
        let is_ours = |condition: &Arc<dyn PhysicalExpr>| {
            let used = collect_columns(condition);
            // A random number would be another one in the columns that are returned.
            !is_volatile(condition)
                && !has_key_in_key(condition)
                && !used.is_empty()
                && used.iter().all(|column| column.index() < columns)
        };
        let (mut taken, mut ours) = (Vec::new(), Vec::new());
        for condition in conditions {
            let own = if is_ours(&condition) { by_value(condition, schema)? } else { None };
            taken.push(own.is_some());
            ours.extend(own);
        }
        ours.extend(self.predicate.clone());
        let predicate = (!ours.is_empty()).then(|| conjunction(ours));
        Ok((NpySource { predicate, ahead: Arc::default(), ..self.clone() }, taken))
    }

    /// Returns the cache of headers of the session.
    pub(crate) fn headers(&self) -> Option<&Arc<FileMetadataCache>> {
        self.headers.as_ref()
    }

    /// Returns the types for what has more than one in Arrow.
    pub(crate) fn options(&self) -> &Options {
        &self.options
    }
}

impl FileSource for NpySource {
    fn create_file_opener(
        &self,
        store: Arc<dyn ObjectStore>,
        base: &FileScanConfig,
        partition: usize,
    ) -> Result<Arc<dyn FileOpener>> {
        let counter =
            |name: &'static str| MetricBuilder::new(&self.metrics).counter(name, partition);
        let files_pruned = counter("files_pruned");
        if partition == 0 {
            files_pruned.add(self.pruned);
        }
        let opener = Arc::new(NpyOpener {
            store,
            url: base.object_store_url.as_str().to_owned(),
            schema: Arc::clone(self.schema.file_schema()),
            options: self.options.clone(),
            wanted: self.projection.file_indices.clone(),
            predicate: self.predicate.clone(),
            pruner: self.predicate.clone().map(|predicate| {
                Arc::new(Pruner::new(predicate, Arc::clone(self.schema.file_schema())))
            }),
            rows: base.batch_size.unwrap_or(self.rows).max(1),
            limit: base.limit,
            headers: self.headers.clone(),
            bytes_read: counter("bytes_read"),
            files_pruned,
            blocks_pruned: counter("blocks_pruned"),
        });
        let opener = AheadOpener::of(opener, base, &self.ahead);
        let schema = self.schema.file_schema();
        let inner = ProjectionOpener::try_new(self.projection.clone(), opener, schema)?;
        // Without a condition, a limit is the first rows of the first part.
        let is_short = base.limit.is_some() && self.predicate.is_none();
        let threads = if is_short { 1 } else { self.threads };
        Ok(Arc::new(ReadAhead { inner, threads }))
    }

    fn table_schema(&self) -> &TableSchema {
        &self.schema
    }

    fn with_batch_size(&self, rows: usize) -> Arc<dyn FileSource> {
        Arc::new(NpySource { rows, ..self.clone() })
    }

    fn filter(&self) -> Option<Arc<dyn PhysicalExpr>> {
        self.predicate.clone()
    }

    fn projection(&self) -> Option<&ProjectionExprs> {
        Some(&self.projection.source)
    }

    fn metrics(&self) -> &ExecutionPlanMetricsSet {
        &self.metrics
    }

    fn file_type(&self) -> &str {
        "npy"
    }

    fn fmt_extra(&self, _: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.predicate.iter().try_for_each(|predicate| write!(f, ", predicate={predicate}"))
    }

    fn try_pushdown_projection(
        &self,
        projection: &ProjectionExprs,
    ) -> Result<Option<Arc<dyn FileSource>>> {
        let merged = self.projection.source.try_merge(projection)?;
        let projection = SplitProjection::new(self.schema.file_schema(), &merged);
        Ok(Some(Arc::new(NpySource { projection, ahead: Arc::default(), ..self.clone() })))
    }

    fn try_pushdown_sort(
        &self,
        order: &[PhysicalSortExpr],
        properties: &EquivalenceProperties,
    ) -> Result<SortOrderPushdownResult<Arc<dyn FileSource>>> {
        // Rows that are in the order have it already, unless the last of them are wanted: then the files are reversed, and their rows are sorted.
        let declared = properties.oeq_class();
        let is_reversed = order.first().is_some_and(|wanted| {
            declared.iter().any(|declared| {
                let first = declared.first();
                first.expr.eq(&wanted.expr) && first.options.descending != wanted.options.descending
            })
        });
        if matches!(self.order, ReadOrder::Any) || (!declared.is_empty() && !is_reversed) {
            return Ok(SortOrderPushdownResult::Unsupported);
        }
        let column = |sort: &PhysicalSortExpr| {
            let returned = sort.expr.downcast_ref::<Column>()?;
            let projected = self.projection.source.iter().nth(returned.index())?;
            let name = projected.expr.downcast_ref::<Column>()?.name().to_owned();
            Some(ReadOrder::By(name, sort.options.descending))
        };
        Ok(match order.first().and_then(column) {
            None => SortOrderPushdownResult::Unsupported,
            Some(order) => SortOrderPushdownResult::Inexact {
                inner: Arc::new(NpySource { order, ahead: Arc::default(), ..self.clone() }),
            },
        })
    }

    fn reorder_files(&self, files: Vec<PartitionedFile>) -> Vec<PartitionedFile> {
        match &self.order {
            ReadOrder::By(column, is_greatest_first) => {
                index::best_first(files, column, *is_greatest_first)
            }
            ReadOrder::Any | ReadOrder::Listed => files,
        }
    }

    fn try_pushdown_filters(
        &self,
        filters: Vec<Arc<dyn PhysicalExpr>>,
        config: &ConfigOptions,
    ) -> Result<FilterPushdownPropagation<Arc<dyn FileSource>>> {
        if !barriers::are_up(config) {
            return Ok(FilterPushdownPropagation::with_parent_pushdown_result(vec![
                PushedDown::No;
                filters.len()
            ]));
        }
        let (source, taken) = self.with_conditions(filters)?;
        let answers = taken.iter().map(|&is_taken| match is_taken {
            true => PushedDown::Yes,
            false => PushedDown::No,
        });
        let answer = FilterPushdownPropagation::with_parent_pushdown_result(answers.collect());
        Ok(match taken.contains(&true) {
            true => answer.with_updated_node(Arc::new(source)),
            false => answer,
        })
    }

    fn apply_expressions(
        &self,
        visit: &mut dyn FnMut(&Arc<dyn PhysicalExpr>) -> Result<TreeNodeRecursion>,
    ) -> Result<TreeNodeRecursion> {
        let projected = self.projection.source.iter().map(|projected| &projected.expr);
        datafusion::physical_plan::apply_expression_roots(
            self.predicate.iter().chain(projected),
            visit,
        )
    }
}

/// Returns true for a condition that the plan sends for an expression and for a part of it, as for `ORDER BY x + y, x LIMIT 10`. When DataFusion 55.2 looks
/// for the expression, it has put the column of the scan in the place of `x`; so it does not find it, and `y` would be another column.
fn has_key_in_key(condition: &Arc<dyn PhysicalExpr>) -> bool {
    let is_part = |key: &Arc<dyn PhysicalExpr>, of: &Arc<dyn PhysicalExpr>| {
        key != of && of.exists(|part| Ok(part == key)).is_ok_and(|is_part| is_part)
    };
    let has_part = |part: &Arc<dyn PhysicalExpr>| {
        let keys = part.children();
        part.is::<DynamicFilterPhysicalExpr>()
            && keys.iter().any(|key| keys.iter().any(|of| is_part(key, of)))
    };
    condition.exists(|part| Ok(has_part(part))).is_ok_and(|has_part| has_part)
}

/// Returns a condition that loses no equal floats; `None` if there is none. A join knows that -0.0 is 0.0 and one NaN another, but the condition that it
/// sends while the query runs compares their bits. So zeros and NaN pass, and the join looks at them.
fn by_value(
    filter: Arc<dyn PhysicalExpr>,
    schema: &Schema,
) -> Result<Option<Arc<dyn PhysicalExpr>>> {
    let (mut keys, mut is_within) = (Vec::new(), false);
    filter.apply(|part| {
        let is_sent = part.is::<DynamicFilterPhysicalExpr>();
        for key in part.children().into_iter().filter(|_| is_sent) {
            let field = Field::new("", key.data_type(schema)?, true);
            if field.data_type().is_floating() {
                keys.push((Arc::clone(key), field.data_type().clone()));
            } else {
                let parts = Schema::new(vec![field]);
                let mut parts = parts.flattened_fields().into_iter();
                is_within |= parts.any(|part| part.data_type().is_floating());
            }
        }
        Ok(TreeNodeRecursion::Continue)
    })?;
    if is_within || (!keys.is_empty() && !filter.is::<DynamicFilterPhysicalExpr>()) {
        return Ok(None);
    }
    let mut all = filter;
    for (key, data_type) in keys {
        // In Arrow's order, a NaN is beyond the infinities.
        for (operator, bound) in
            [(Operator::Eq, 0.0), (Operator::Gt, f64::INFINITY), (Operator::Lt, f64::NEG_INFINITY)]
        {
            let bound = lit(ScalarValue::Float64(Some(bound)).cast_to(&data_type)?);
            let passes = Arc::new(BinaryExpr::new(Arc::clone(&key), operator, bound));
            all = Arc::new(BinaryExpr::new(all, Operator::Or, passes));
        }
    }
    Ok(Some(all))
}
