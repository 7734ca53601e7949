//! Keeps the rows of one file in the order of the file, and those of `ORDER BY` in theirs, where the result depends on it.
//!
//! The planner divides a file between the threads, and takes their rows as they come: that is right for sums and for `GROUP BY`, but `COPY`, `LIMIT` and
//! `row_number()` would see the rows in another order each time. Where nothing above a scan makes an order of its own, its file is not divided: one
//! stream returns the rows, and [`ReadAhead`](crate::read_ahead::ReadAhead) reads its next parts meanwhile.
//!
//! The planner also divides sorted rows between the threads, if an expression is computed of them, and the key of the sort is not one of the columns: in a `COPY` or
//! an `INSERT INTO`, nothing says that the rows must stay in order. They are not divided here.

use std::sync::Arc;

use datafusion::common::config::ConfigOptions;
use datafusion::datasource::listing::PartitionedFile;
use datafusion::datasource::physical_plan::{FileGroup, FileScanConfig, FileScanConfigBuilder};
use datafusion::datasource::source::DataSourceExec;
use datafusion::error::Result;
use datafusion::physical_optimizer::PhysicalOptimizerRule;
use datafusion::physical_plan::aggregates::AggregateExec;
use datafusion::physical_plan::coalesce_partitions::CoalescePartitionsExec;
use datafusion::physical_plan::repartition::RepartitionExec;
use datafusion::physical_plan::unnest::UnnestExec;
use datafusion::physical_plan::{
    ExecutionPlan, ExecutionPlanProperties, Partitioning, replace_children_if_necessary,
};

use crate::source::NpySource;

/// The aggregate functions whose result depends on the order of the rows, unless the call has an `ORDER BY`.
const ORDERED: [&str; 5] = ["array_agg", "first_value", "last_value", "nth_value", "string_agg"];

/// The rule of the optimizer.
#[derive(Debug)]
pub(crate) struct FileOrder;

impl PhysicalOptimizerRule for FileOrder {
    fn optimize(
        &self,
        plan: Arc<dyn ExecutionPlan>,
        config: &ConfigOptions,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let threads = match config.optimizer.repartition_file_scans {
            true => config.execution.target_partitions,
            false => 1,
        };
        // A result of several partitions is taken as it comes, too.
        match ordered(&plan, threads)? {
            Some(plan) => Ok(plan),
            None => rewrite(&plan, threads),
        }
    }

    fn name(&self) -> &str {
        "file_order"
    }

    fn schema_check(&self) -> bool {
        true
    }
}

/// Finds the parts of a plan whose rows are taken as they come, and orders those that can be.
fn rewrite(plan: &Arc<dyn ExecutionPlan>, threads: usize) -> Result<Arc<dyn ExecutionPlan>> {
    if plan.is::<CoalescePartitionsExec>()
        && let Some(plan) = ordered(plan, threads)?
    {
        return Ok(plan);
    }
    rewrite_inputs(plan, threads)
}

fn rewrite_inputs(plan: &Arc<dyn ExecutionPlan>, threads: usize) -> Result<Arc<dyn ExecutionPlan>> {
    let depends = plan.downcast_ref::<AggregateExec>().is_some_and(depends_on_order);
    let mut children = Vec::new();
    for child in plan.children() {
        let in_order = if depends { ordered(child, threads)? } else { None };
        children.push(match in_order {
            Some(child) => child,
            None => rewrite(child, threads)?,
        });
    }
    replace_children_if_necessary(Arc::clone(plan), children)
}

/// Returns true if an aggregate is another one if the rows come in another order.
fn depends_on_order(aggregate: &AggregateExec) -> bool {
    aggregate.aggr_expr().iter().any(|call| ORDERED.contains(&call.fun().name()))
}

/// Returns the plan as one partition whose rows are in the order of a file, or in that of a sort; `None` if there is neither.
fn ordered(
    plan: &Arc<dyn ExecutionPlan>,
    threads: usize,
) -> Result<Option<Arc<dyn ExecutionPlan>>> {
    if let Some(plan) = in_order_of_input(plan, threads)? {
        return Ok(Some(plan));
    }
    let is_sorted =
        plan.output_ordering().is_some() && plan.output_partitioning().partition_count() == 1;
    is_sorted.then(|| rewrite_inputs(plan, threads)).transpose()
}

/// Returns the plan as one partition, if its rows have the order of its input.
fn in_order_of_input(
    plan: &Arc<dyn ExecutionPlan>,
    threads: usize,
) -> Result<Option<Arc<dyn ExecutionPlan>>> {
    if let Some(source) = plan.downcast_ref::<DataSourceExec>() {
        return Ok(undivided(source, threads));
    }
    let children = plan.children();
    let [child] = &children[..] else { return Ok(None) };
    let is_round_robin = plan
        .downcast_ref::<RepartitionExec>()
        .is_some_and(|it| matches!(it.partitioning(), Partitioning::RoundRobinBatch(_)));
    if is_round_robin {
        return ordered(child, threads);
    }
    let merge = plan.downcast_ref::<CoalescePartitionsExec>();
    // The rows of a list come in the place of its row. They need not have the order of a sorted column, and so DataFusion takes them for unordered.
    let keeps_order = plan.is::<UnnestExec>() || plan.maintains_input_order() == [true];
    if merge.is_none() && (plan.is::<RepartitionExec>() || !keeps_order) {
        return Ok(None);
    }
    let Some(child) = ordered(child, threads)? else { return Ok(None) };
    if merge.is_some_and(|merge| merge.fetch().is_none()) {
        return Ok(Some(child));
    }
    let plan = replace_children_if_necessary(Arc::clone(plan), vec![child])?;
    Ok((plan.output_partitioning().partition_count() == 1).then_some(plan))
}

/// Returns a scan of one file as one partition.
fn undivided(source: &DataSourceExec, threads: usize) -> Option<Arc<dyn ExecutionPlan>> {
    let scan = source.data_source().downcast_ref::<FileScanConfig>()?;
    let npy = scan.file_source().downcast_ref::<NpySource>()?;
    let parts = scan.file_groups.iter().flat_map(FileGroup::iter);
    let file = undivided_file(&parts.collect::<Vec<_>>())?;
    let scan = FileScanConfigBuilder::from(scan.clone())
        .with_file_groups(vec![FileGroup::new(vec![file])])
        .with_source(Arc::new(npy.clone().with_threads(threads)))
        .build();
    Some(DataSourceExec::from_data_source(scan))
}

/// Returns the file that these are all parts of.
fn undivided_file(parts: &[&PartitionedFile]) -> Option<PartitionedFile> {
    let (first, others) = parts.split_first()?;
    let Some(range) = &first.range else {
        return others.is_empty().then(|| (*first).clone());
    };
    let (mut start, mut end) = (range.start, range.end);
    let mut rest: Vec<_> = others.iter().filter_map(|part| part.range.as_ref()).collect();
    rest.sort_by_key(|range| range.start);
    let is_one_file = rest.len() == others.len()
        && others.iter().all(|part| part.object_meta == first.object_meta);
    if !is_one_file {
        return None;
    }
    for range in rest {
        // The first part need not be the first one of the list.
        if range.end == start {
            start = range.start;
        } else if range.start == end {
            end = range.end;
        } else {
            return None;
        }
    }
    let is_complete =
        start == 0 && u64::try_from(end).is_ok_and(|end| end >= first.object_meta.size);
    is_complete.then(|| PartitionedFile { range: None, ..(*first).clone() })
}
