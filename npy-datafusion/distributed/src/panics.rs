//! Panics in a worker are errors of the query. `datafusion-distributed` 4.0 polls each part of a result in a task of its own and does not look at how the task ended,
//! so a panic would look like the end of the rows.

use std::any::Any;
use std::fmt::Formatter;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use datafusion_distributed::{WorkerPlanRewriteEvent, WorkerPlanRewriteEventResponse};
use futures::StreamExt;
use npy_datafusion::datafusion::common::tree_node::TreeNodeRecursion;
use npy_datafusion::datafusion::common::{Statistics, exec_err};
use npy_datafusion::datafusion::error::Result;
use npy_datafusion::datafusion::execution::{SendableRecordBatchStream, TaskContext};
use npy_datafusion::datafusion::physical_expr::PhysicalExpr;
use npy_datafusion::datafusion::physical_plan::execution_plan::ChildrenPropertiesMode;
use npy_datafusion::datafusion::physical_plan::metrics::MetricsSet;
use npy_datafusion::datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use npy_datafusion::datafusion::physical_plan::{
    DisplayAs, DisplayFormatType, ExecutionPlan, PlanProperties, ReplaceChildrenOptions,
    StatisticsArgs,
};

/// Puts the plan of a worker into a [`PanicsExec`].
pub(crate) fn catch(event: WorkerPlanRewriteEvent<'_>) -> Result<WorkerPlanRewriteEventResponse> {
    Ok(WorkerPlanRewriteEventResponse::new(Arc::new(PanicsExec(event.plan))))
}

/// A plan whose panics are errors. It shows itself as the plan inside, because the client counts the nodes.
#[derive(Debug)]
struct PanicsExec(Arc<dyn ExecutionPlan>);

impl DisplayAs for PanicsExec {
    fn fmt_as(&self, form: DisplayFormatType, f: &mut Formatter<'_>) -> std::fmt::Result {
        self.0.fmt_as(form, f)
    }
}

impl ExecutionPlan for PanicsExec {
    fn name(&self) -> &str {
        self.0.name()
    }

    fn downcast_delegate(&self) -> Option<&dyn ExecutionPlan> {
        Some(&*self.0)
    }

    fn properties(&self) -> &Arc<PlanProperties> {
        self.0.properties()
    }

    fn children(&self) -> Vec<&Arc<dyn ExecutionPlan>> {
        self.0.children()
    }

    fn apply_expressions(
        &self,
        f: &mut dyn FnMut(&Arc<dyn PhysicalExpr>) -> Result<TreeNodeRecursion>,
    ) -> Result<TreeNodeRecursion> {
        self.0.apply_expressions(f)
    }

    fn with_new_children(
        self: Arc<Self>,
        children: Vec<Arc<dyn ExecutionPlan>>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let options = ReplaceChildrenOptions::new(ChildrenPropertiesMode::Recompute);
        Ok(Arc::new(PanicsExec(Arc::clone(&self.0).replace_children(children, options)?)))
    }

    fn execute(
        &self,
        partition: usize,
        context: Arc<TaskContext>,
    ) -> Result<SendableRecordBatchStream> {
        let begun = catch_unwind(AssertUnwindSafe(|| self.0.execute(partition, context)));
        let rows = begun.unwrap_or_else(|panic| failed(&*panic))?;
        let schema = rows.schema();
        let rows = AssertUnwindSafe(rows).catch_unwind();
        let rows = rows.map(|result| result.unwrap_or_else(|panic| failed(&*panic)));
        Ok(Box::pin(RecordBatchStreamAdapter::new(schema, rows)))
    }

    fn metrics(&self) -> Option<MetricsSet> {
        self.0.metrics()
    }

    fn statistics_from_inputs(
        &self,
        inputs: &[Arc<Statistics>],
        args: &StatisticsArgs,
    ) -> Result<Arc<Statistics>> {
        self.0.statistics_from_inputs(inputs, args)
    }
}

/// Returns the error of a panic.
fn failed<A>(panic: &(dyn Any + Send)) -> Result<A> {
    exec_err!("a worker has failed by a mistake in the engine: {}", text(panic))
}

/// Returns the text of a panic.
fn text(panic: &(dyn Any + Send)) -> &str {
    match (panic.downcast_ref::<&str>(), panic.downcast_ref::<String>()) {
        (Some(text), _) => text,
        (None, Some(text)) => text,
        (None, None) => "a panic without a text",
    }
}
