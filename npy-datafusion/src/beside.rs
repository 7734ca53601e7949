//! Files of another format whose rows belong to those of the arrays: `OPTIONS ('beside' 'metadata/*.parquet')`.
//!
//! The rows of both are joined by their positions, so both are read from the first row to the last: files in the order of their names, and no file is
//! divided. Conditions are evaluated on the joined rows. By an index of the arrays, files of both are left out, where files of both end at the same row.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use datafusion::arrow::array::{RecordBatch, RecordBatchOptions};
use datafusion::arrow::datatypes::{Schema, SchemaRef};
use datafusion::catalog::{Session, TableProvider};
use datafusion::common::stats::Precision;
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::common::{DFSchema, exec_err, internal_err, plan_datafusion_err, plan_err};
use datafusion::datasource::TableType;
use datafusion::datasource::listing::{
    ListingOptions, ListingTable, ListingTableConfig, ListingTableUrl, PartitionedFile,
};
use datafusion::datasource::physical_plan::{
    FileGroup, FileScanConfig, FileScanConfigBuilder, FileSource,
};
use datafusion::datasource::source::DataSourceExec;
use datafusion::error::Result;
use datafusion::execution::{SendableRecordBatchStream, SessionState, TaskContext};
use datafusion::logical_expr::{Expr, TableProviderFilterPushDown};
use datafusion::physical_expr::{EquivalenceProperties, PhysicalExpr, conjunction};
use datafusion::physical_plan::empty::EmptyExec;
use datafusion::physical_plan::execution_plan::{
    Boundedness, ChildrenPropertiesMode, EmissionType,
};
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::{
    DisplayAs, DisplayFormatType, ExecutionPlan, Partitioning, PlanProperties,
    ReplaceChildrenOptions,
};
use futures::future::BoxFuture;
use futures::{FutureExt, StreamExt, stream};

use crate::source::NpySource;
use crate::table::NpyTable;
use crate::{index, location};

/// The format of the other files.
const FORMAT: &str = "parquet";

/// A table of arrays, whose rows have more columns in other files.
#[derive(Clone, Debug)]
pub(crate) struct BesideTable {
    pub(crate) arrays: NpyTable,
    pub(crate) others: ListingTable,
    /// The columns of the arrays, and then the others.
    schema: SchemaRef,
}

impl BesideTable {
    /// Opens the files of a location.
    pub(crate) async fn open(
        state: &dyn Session,
        arrays: NpyTable,
        location: &str,
    ) -> Result<Self> {
        let url = location::with_files(location::parse(location)?, FORMAT)?;
        let url = match url.is_collection() && url.get_glob().is_none() {
            true => url.with_glob(&format!("*.{FORMAT}"))?,
            false => url,
        };
        let arrays_at = arrays.listing().table_paths().first();
        if arrays_at.is_some_and(|arrays| arrays.object_store() != url.object_store()) {
            return plan_err!(
                "{location}: it is in another store than the arrays; copy one of both"
            );
        }
        let Some(session) = state.as_any().downcast_ref::<SessionState>() else {
            return internal_err!("a table is created by a session of this process");
        };
        let schema = options()?.infer_schema(session, &url).await?;
        if schema.fields().is_empty() {
            return plan_err!(
                "No files found at {location}; the option beside is a file, a directory or a pattern, as 'metadata/*.parquet'"
            );
        }
        Self::new(arrays, table(vec![url], schema)?)
    }

    /// Returns the table with the columns `_file` and `_row` of the arrays, except those that one of both has.
    pub(crate) fn with_virtual_columns(&self) -> Result<Self> {
        let arrays = self.arrays.with_virtual_columns(&self.schema)?;
        Self::new(arrays, self.others.clone())
    }

    /// Joins tables whose rows belong together.
    pub(crate) fn new(arrays: NpyTable, others: ListingTable) -> Result<Self> {
        let (own, more) = (arrays.schema(), others.schema());
        if let Some(twice) = more.fields().iter().find(|it| own.field_with_name(it.name()).is_ok())
        {
            return plan_err!(
                "the arrays and the files beside them have a column {:?}; rename it in one of both",
                twice.name()
            );
        }
        let fields: Vec<_> = own.fields().iter().chain(more.fields()).cloned().collect();
        Ok(BesideTable { arrays, others, schema: Arc::new(Schema::new(fields)) })
    }
}

impl BesideTable {
    /// Returns true for a condition on columns of the arrays alone.
    fn is_of_arrays(&self, condition: &Expr) -> bool {
        let own = self.arrays.schema();
        let columns = condition.column_refs();
        let is_own = columns.iter().all(|column| own.field_with_name(&column.name).is_ok());
        is_own && self.arrays.is_for_rows(condition)
    }

    /// Returns false for each file of the arrays in which no row meets the conditions, by their index. `None`: all may have some.
    fn passing(
        &self,
        state: &dyn Session,
        arrays: &Arc<dyn ExecutionPlan>,
        filters: &[Expr],
    ) -> Result<Option<Vec<bool>>> {
        let scan = scan_of(&**arrays);
        let source = scan.and_then(|scan| scan.file_source().downcast_ref::<NpySource>());
        let (Some(scan), Some(source)) = (scan, source) else { return Ok(None) };
        let schema = DFSchema::try_from(self.arrays.schema())?;
        let conditions = filters.iter().filter(|filter| self.is_of_arrays(filter));
        let conditions =
            conditions.map(|filter| state.create_physical_expr(filter.clone(), &schema));
        let conditions = conditions.collect::<Result<Vec<_>>>()?;
        if conditions.is_empty() {
            return Ok(None);
        }
        let schema = source.table_schema().file_schema();
        index::passing(&files_of(scan), conjunction(conditions), schema)
    }
}

fn files_of(scan: &FileScanConfig) -> Vec<&PartitionedFile> {
    scan.file_groups.iter().flat_map(FileGroup::iter).collect()
}

/// Leaves out files of both, from a row at which files of both end to the next such row, if none of the arrays there has a row of the query.
fn without_pruned(
    arrays: Arc<dyn ExecutionPlan>,
    others: Arc<dyn ExecutionPlan>,
    passing: &[bool],
) -> (Arc<dyn ExecutionPlan>, Arc<dyn ExecutionPlan>) {
    let (Some(own), Some(more)) = (scan_of(&*arrays), scan_of(&*others)) else {
        return (arrays, others);
    };
    let (Some(own_rows), Some(more_rows)) = (rows_of(own), rows_of(more)) else {
        return (arrays, others);
    };
    let (mut own_left, mut more_left) = (Vec::new(), Vec::new());
    let parts = common_parts(&own_rows, &more_rows);
    for (of_own, of_more, is_complete) in &parts {
        let has_rows = passing.get(of_own.clone()).is_none_or(|passing| passing.contains(&true));
        if has_rows || !is_complete {
            own_left.extend(of_own.clone());
            more_left.extend(of_more.clone());
        }
    }
    // A scan has at least one file.
    if (own_left.is_empty() || more_left.is_empty())
        && let Some((of_own, of_more, _)) =
            parts.iter().find(|(own, more, _)| !own.is_empty() && !more.is_empty())
    {
        own_left = of_own.clone().collect();
        more_left = of_more.clone().collect();
    }
    (with_files(own, &own_left), with_files(more, &more_left))
}

/// Divides the files of two tables into parts with the same rows: the files of both, and true if the part has the same number of rows in both.
fn common_parts(own: &[u64], more: &[u64]) -> Vec<(Range<usize>, Range<usize>, bool)> {
    let (mut parts, mut own_end, mut more_end) = (Vec::new(), 0, 0);
    while own_end < own.len() || more_end < more.len() {
        let (own_start, more_start) = (own_end, more_end);
        let (mut own_sum, mut more_sum) = (0u64, 0u64);
        loop {
            match (own.get(own_end), more.get(more_end)) {
                (Some(rows), other) if own_sum <= more_sum || other.is_none() => {
                    own_sum = own_sum.saturating_add(*rows);
                    own_end += 1;
                }
                (_, Some(rows)) => {
                    more_sum = more_sum.saturating_add(*rows);
                    more_end += 1;
                }
                _ => break,
            }
            if own_sum == more_sum {
                break;
            }
        }
        parts.push((own_start..own_end, more_start..more_end, own_sum == more_sum));
    }
    parts
}

/// Returns the number of rows of each file, if all are known.
fn rows_of(scan: &FileScanConfig) -> Option<Vec<u64>> {
    let rows = |file: &PartitionedFile| match file.statistics.as_ref()?.num_rows {
        Precision::Exact(rows) => u64::try_from(rows).ok(),
        _ => None,
    };
    files_of(scan).into_iter().map(rows).collect()
}

/// Returns the scan of some of its files.
fn with_files(scan: &FileScanConfig, left: &[usize]) -> Arc<dyn ExecutionPlan> {
    let files = files_of(scan);
    let files = left.iter().filter_map(|&index| files.get(index).map(|file| (*file).clone()));
    let groups = vec![FileGroup::new(files.collect())];
    let scan = FileScanConfigBuilder::from(scan.clone()).with_file_groups(groups).build();
    DataSourceExec::from_data_source(scan)
}

/// Returns the table of the other files.
pub(crate) fn table(locations: Vec<ListingTableUrl>, schema: SchemaRef) -> Result<ListingTable> {
    let config = ListingTableConfig::new_with_multi_paths(locations)
        .with_listing_options(options()?)
        .with_schema(schema);
    ListingTable::try_new(config)
}

#[cfg(feature = "parquet")]
fn options() -> Result<ListingOptions> {
    use datafusion::datasource::file_format::parquet::ParquetFormat;

    let format = Arc::new(ParquetFormat::default());
    Ok(ListingOptions::new(format).with_file_extension(format!(".{FORMAT}")))
}

#[cfg(not(feature = "parquet"))]
fn options() -> Result<ListingOptions> {
    plan_err!(
        "the option beside needs Parquet, and this program was built without; build npy-datafusion or npy-sql with the feature `parquet`"
    )
}

impl TableProvider for BesideTable {
    fn schema(&self) -> SchemaRef {
        Arc::clone(&self.schema)
    }

    fn table_type(&self) -> TableType {
        TableType::Base
    }

    fn scan<'table, 'session, 'columns, 'filters, 'all>(
        &'table self,
        state: &'session dyn Session,
        projection: Option<&'columns Vec<usize>>,
        filters: &'filters [Expr],
        _: Option<usize>,
    ) -> BoxFuture<'all, Result<Arc<dyn ExecutionPlan>>>
    where
        'table: 'all,
        'session: 'all,
        'columns: 'all,
        'filters: 'all,
    {
        self.plan(state, projection, filters)
    }

    /// The conditions are evaluated on the joined rows. Those on the arrays alone tell which files are left out.
    fn supports_filters_pushdown(
        &self,
        filters: &[&Expr],
    ) -> Result<Vec<TableProviderFilterPushDown>> {
        let answer = |filter: &&Expr| match self.is_of_arrays(filter) {
            true => TableProviderFilterPushDown::Inexact,
            false => TableProviderFilterPushDown::Unsupported,
        };
        Ok(filters.iter().map(answer).collect())
    }
}

impl BesideTable {
    /// `scan`, without bounds: see `table.rs`.
    fn plan<'all>(
        &'all self,
        state: &'all dyn Session,
        projection: Option<&'all Vec<usize>>,
        filters: &'all [Expr],
    ) -> BoxFuture<'all, Result<Arc<dyn ExecutionPlan>>> {
        self.joined(state, projection, filters).boxed()
    }

    async fn joined(
        &self,
        state: &dyn Session,
        projection: Option<&Vec<usize>>,
        filters: &[Expr],
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let all: Vec<usize> = (0..self.schema.fields().len()).collect();
        let wanted = projection.unwrap_or(&all);
        let count = self.arrays.schema().fields().len();
        let own: Vec<usize> = wanted.iter().copied().filter(|&index| index < count).collect();
        let more: Vec<usize> = wanted.iter().filter_map(|index| index.checked_sub(count)).collect();
        // The position of each column that is wanted, among those that are read.
        let (mut next_own, mut next_more) = (0..own.len(), own.len()..wanted.len());
        let position = |index: &usize| match *index < count {
            true => next_own.next(),
            false => next_more.next(),
        };
        let positions: Vec<usize> = wanted.iter().filter_map(position).collect();
        let arrays = in_one_part(self.arrays.scan(state, Some(&own), &[], None).await?)?;
        let others = in_one_part(self.others.scan(state, Some(&more), &[], None).await?)?;
        check_rows(&arrays, &others)?;
        let (arrays, others) = match self.passing(state, &arrays, filters)? {
            Some(passing) => without_pruned(arrays, others, &passing),
            None => (arrays, others),
        };
        Ok(Arc::new(BesideExec::new(arrays, others, positions)?))
    }
}

/// Returns the scan as one partition that reads its files in the order of their names.
fn in_one_part(plan: Arc<dyn ExecutionPlan>) -> Result<Arc<dyn ExecutionPlan>> {
    if plan.is::<EmptyExec>() {
        return Ok(plan);
    }
    let Some(scan) = scan_of(&*plan) else { return internal_err!("a table that is no scan") };
    let mut files: Vec<_> = scan.file_groups.iter().flat_map(FileGroup::iter).cloned().collect();
    files.sort_by(|a, b| a.object_meta.location.cmp(&b.object_meta.location));
    let scan = FileScanConfigBuilder::from(scan.clone())
        .with_file_groups(vec![FileGroup::new(files)])
        .with_output_ordering(Vec::new())
        .with_output_partitioning(None)
        .with_preserve_order(true)
        .build();
    Ok(DataSourceExec::from_data_source(scan))
}

fn scan_of(plan: &dyn ExecutionPlan) -> Option<&FileScanConfig> {
    plan.downcast_ref::<DataSourceExec>()?.data_source().downcast_ref::<FileScanConfig>()
}

/// Refuses tables whose lengths are known to differ.
fn check_rows(arrays: &Arc<dyn ExecutionPlan>, others: &Arc<dyn ExecutionPlan>) -> Result<()> {
    let rows = |plan: &Arc<dyn ExecutionPlan>| match scan_of(&**plan) {
        None => Some(0),
        Some(scan) => match scan.statistics().num_rows {
            Precision::Exact(rows) => Some(rows),
            _ => None,
        },
    };
    match (rows(arrays), rows(others)) {
        (Some(arrays), Some(others)) if arrays != others => Err(plan_datafusion_err!(
            "the arrays have {arrays} rows, and the files beside them {others}; {ADVICE}"
        )),
        _ => Ok(()),
    }
}

const ADVICE: &str =
    "a pattern selects the files that belong together, in the order of their names";

/// Joins two scans by the positions of their rows.
#[derive(Debug)]
pub(crate) struct BesideExec {
    pub(crate) arrays: Arc<dyn ExecutionPlan>,
    pub(crate) others: Arc<dyn ExecutionPlan>,
    /// The columns of the result, among those of both.
    pub(crate) positions: Vec<usize>,
    properties: Arc<PlanProperties>,
}

impl BesideExec {
    pub(crate) fn new(
        arrays: Arc<dyn ExecutionPlan>,
        others: Arc<dyn ExecutionPlan>,
        positions: Vec<usize>,
    ) -> Result<Self> {
        let (own, more) = (arrays.schema(), others.schema());
        let fields: Vec<_> = own.fields().iter().chain(more.fields()).cloned().collect();
        let schema = Arc::new(Schema::new(fields).project(&positions)?);
        let properties = Arc::new(PlanProperties::new(
            EquivalenceProperties::new(schema),
            Partitioning::UnknownPartitioning(1),
            EmissionType::Incremental,
            Boundedness::Bounded,
        ));
        Ok(BesideExec { arrays, others, positions, properties })
    }
}

impl DisplayAs for BesideExec {
    fn fmt_as(&self, form: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("BesideExec: ")?;
        self.arrays.fmt_as(form, f)?;
        f.write_str("; ")?;
        self.others.fmt_as(form, f)
    }
}

impl ExecutionPlan for BesideExec {
    fn name(&self) -> &str {
        "BesideExec"
    }

    fn properties(&self) -> &Arc<PlanProperties> {
        &self.properties
    }

    /// Returns none: the planner would divide the scans between threads.
    fn children(&self) -> Vec<&Arc<dyn ExecutionPlan>> {
        Vec::new()
    }

    fn apply_expressions(
        &self,
        _: &mut dyn FnMut(&Arc<dyn PhysicalExpr>) -> Result<TreeNodeRecursion>,
    ) -> Result<TreeNodeRecursion> {
        Ok(TreeNodeRecursion::Continue)
    }

    fn replace_children(
        self: Arc<Self>,
        children: Vec<Arc<dyn ExecutionPlan>>,
        _: ReplaceChildrenOptions,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        match children.is_empty() {
            true => Ok(self),
            false => internal_err!("a join by position has no children"),
        }
    }

    fn with_new_children(
        self: Arc<Self>,
        children: Vec<Arc<dyn ExecutionPlan>>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let options = ReplaceChildrenOptions::new(ChildrenPropertiesMode::Recompute);
        self.replace_children(children, options)
    }

    fn execute(&self, _: usize, context: Arc<TaskContext>) -> Result<SendableRecordBatchStream> {
        // Rows of several partitions would come in any order.
        for child in [&self.arrays, &self.others] {
            let is_in_order = child.is::<EmptyExec>()
                || scan_of(&**child).is_some_and(|scan| scan.file_groups.len() == 1);
            if !is_in_order {
                return internal_err!("the rows of {} have no order", child.name());
            }
        }
        let schema = self.schema();
        let joined = Joined {
            arrays: Rows::new(self.arrays.execute(0, Arc::clone(&context))?),
            others: Rows::new(self.others.execute(0, context)?),
            positions: self.positions.clone(),
            schema: Arc::clone(&schema),
        };
        let batches = stream::try_unfold(joined, |mut joined| async move {
            Ok(joined.next().await?.map(|batch| (batch, joined)))
        });
        Ok(Box::pin(RecordBatchStreamAdapter::new(schema, batches)))
    }
}

/// The rows of a scan, and those of the last batch that were not taken yet.
struct Rows {
    batches: SendableRecordBatchStream,
    rest: Option<RecordBatch>,
}

impl Rows {
    fn new(batches: SendableRecordBatchStream) -> Self {
        Rows { batches, rest: None }
    }

    /// Returns the number of rows that can be taken at once; 0 at the end.
    async fn available(&mut self) -> Result<usize> {
        loop {
            if let Some(rest) = self.rest.as_ref().filter(|rest| rest.num_rows() > 0) {
                return Ok(rest.num_rows());
            }
            self.rest = self.batches.next().await.transpose()?;
            if self.rest.is_none() {
                return Ok(0);
            }
        }
    }

    /// Takes rows, of those that are available.
    fn take(&mut self, count: usize) -> Option<RecordBatch> {
        let rest = self.rest.take()?;
        let taken = rest.slice(0, count);
        self.rest = Some(rest.slice(count, rest.num_rows() - count));
        Some(taken)
    }
}

struct Joined {
    arrays: Rows,
    others: Rows,
    positions: Vec<usize>,
    schema: SchemaRef,
}

impl Joined {
    /// Returns the next rows. It is an error if one of both has more than the other.
    async fn next(&mut self) -> Result<Option<RecordBatch>> {
        let count = match (self.arrays.available().await?, self.others.available().await?) {
            (0, 0) => return Ok(None),
            (0, _) => {
                return exec_err!(
                    "the arrays have fewer rows than the files beside them; {ADVICE}"
                );
            }
            (_, 0) => {
                return exec_err!("the arrays have more rows than the files beside them; {ADVICE}");
            }
            (own, more) => own.min(more),
        };
        let (Some(own), Some(more)) = (self.arrays.take(count), self.others.take(count)) else {
            return internal_err!("rows that are available are taken");
        };
        let all = [own.columns(), more.columns()].concat();
        let columns = self.positions.iter().filter_map(|&position| all.get(position).cloned());
        let options = RecordBatchOptions::new().with_row_count(Some(count));
        let schema = Arc::clone(&self.schema);
        Ok(Some(RecordBatch::try_new_with_options(schema, columns.collect(), &options)?))
    }
}

#[cfg(test)]
mod tests {
    use super::common_parts;

    /// Guards the rows at which files of both end.
    #[test]
    fn parts_have_the_same_rows() {
        for (own, more, expected) in [
            (&[5, 5][..], &[5, 5][..], vec![(0..1, 0..1, true), (1..2, 1..2, true)]),
            (&[5, 5, 3], &[10, 3], vec![(0..2, 0..1, true), (2..3, 1..2, true)]),
            (&[10, 3], &[1, 9, 3], vec![(0..1, 0..2, true), (1..2, 2..3, true)]),
            (&[4, 6], &[5, 5], vec![(0..2, 0..2, true)]),
            (&[0, 2], &[2, 0], vec![(0..1, 0..0, true), (1..2, 0..1, true), (2..2, 1..2, true)]),
            (&[4], &[5], vec![(0..1, 0..1, false)]),
            (&[4, 2], &[4], vec![(0..1, 0..1, true), (1..2, 1..1, false)]),
        ] {
            assert_eq!(common_parts(own, more), expected, "{own:?} {more:?}");
        }
    }
}
