//! Queries that lost a worker run again on those that are left.

use std::fmt::{self, Debug, Formatter};
use std::sync::Arc;

use async_trait::async_trait;
use datafusion_distributed::DistributedExec;
use futures::StreamExt;
use npy_datafusion::datafusion::catalog::Session;
use npy_datafusion::datafusion::common::tree_node::TreeNodeRecursion;
use npy_datafusion::datafusion::common::{exec_err, internal_err};
use npy_datafusion::datafusion::error::{DataFusionError, Result};
use npy_datafusion::datafusion::execution::context::QueryPlanner;
use npy_datafusion::datafusion::execution::{SendableRecordBatchStream, SessionState, TaskContext};
use npy_datafusion::datafusion::logical_expr::LogicalPlan;
use npy_datafusion::datafusion::physical_expr::PhysicalExpr;
use npy_datafusion::datafusion::physical_plan::metrics::MetricsSet;
use npy_datafusion::datafusion::physical_plan::stream::RecordBatchReceiverStreamBuilder;
use npy_datafusion::datafusion::physical_plan::{
    DisplayAs, DisplayFormatType, ExecutionPlan, PlanProperties,
};

use crate::workers::{Living, Workers};

/// A query is begun at most this many times.
const ATTEMPTS: usize = 4;

/// Plans queries for the workers that are there.
pub(crate) struct RetryPlanner {
    inner: Arc<dyn QueryPlanner + Send + Sync>,
    workers: Workers,
}

impl RetryPlanner {
    pub(crate) fn new(inner: Arc<dyn QueryPlanner + Send + Sync>, workers: Workers) -> Self {
        RetryPlanner { inner, workers }
    }
}

impl Debug for RetryPlanner {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.debug_struct("RetryPlanner").finish_non_exhaustive()
    }
}

#[async_trait]
impl QueryPlanner for RetryPlanner {
    async fn create_physical_plan(
        &self,
        plan: &LogicalPlan,
        session: &dyn Session,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let living = self.workers.refresh().await;
        let first = self.inner.create_physical_plan(plan, session).await?;
        let state = session.as_any().downcast_ref::<SessionState>();
        // Other formats than ours may have written a part already.
        let is_written = matches!(plan, LogicalPlan::Copy(_) | LogicalPlan::Dml(_));
        match state {
            Some(state) if first.is::<DistributedExec>() && !is_written => {
                let query = Query {
                    plan: plan.clone(),
                    state: state.clone(),
                    planner: Arc::clone(&self.inner),
                    workers: self.workers.clone(),
                };
                Ok(Arc::new(RetryExec { first, living, query: Arc::new(query) }))
            }
            _ => Ok(first),
        }
    }
}

/// All that a query needs to be planned again. Its first plan cannot run twice: workers know it by its number.
struct Query {
    plan: LogicalPlan,
    state: SessionState,
    planner: Arc<dyn QueryPlanner + Send + Sync>,
    workers: Workers,
}

/// A query that is planned and run again if a worker is lost before its first row was returned.
struct RetryExec {
    first: Arc<dyn ExecutionPlan>,
    /// The workers for which it was planned.
    living: Vec<Living>,
    query: Arc<Query>,
}

impl Query {
    /// Returns the workers that were lost, and those that are left. A worker that was started again is lost, too.
    async fn lost(&self, before: &[Living]) -> (Vec<String>, Vec<Living>) {
        let now = self.workers.refresh().await;
        let lost = before.iter().filter(|worker| !now.contains(worker));
        (lost.map(|worker| worker.url.to_string()).collect(), now)
    }

    /// Decides what follows an error: the workers for the next attempt, or the error that is returned.
    async fn after(
        &self,
        error: DataFusionError,
        before: &[Living],
        can_retry: bool,
    ) -> Result<Vec<Living>> {
        let (lost, now) = self.lost(before).await;
        if lost.is_empty() {
            return Err(error);
        }
        if can_retry {
            self.workers.check()?;
            return Ok(now);
        }
        exec_err!(
            "the query has lost the worker {}; run it again: {}",
            lost.join(", "),
            error.strip_backtrace()
        )
    }
}

impl Debug for RetryExec {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.debug_struct("RetryExec").field("first", &self.first).finish_non_exhaustive()
    }
}

impl DisplayAs for RetryExec {
    fn fmt_as(&self, _: DisplayFormatType, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "RetryExec: workers={}", self.living.len())
    }
}

impl ExecutionPlan for RetryExec {
    fn name(&self) -> &str {
        "RetryExec"
    }

    fn properties(&self) -> &Arc<PlanProperties> {
        self.first.properties()
    }

    fn children(&self) -> Vec<&Arc<dyn ExecutionPlan>> {
        vec![&self.first]
    }

    fn apply_expressions(
        &self,
        _: &mut dyn FnMut(&Arc<dyn PhysicalExpr>) -> Result<TreeNodeRecursion>,
    ) -> Result<TreeNodeRecursion> {
        Ok(TreeNodeRecursion::Continue)
    }

    fn with_new_children(
        self: Arc<Self>,
        mut children: Vec<Arc<dyn ExecutionPlan>>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let (Some(first), true) = (children.pop(), children.is_empty()) else {
            return internal_err!("RetryExec has one child");
        };
        let (living, query) = (self.living.clone(), Arc::clone(&self.query));
        Ok(Arc::new(RetryExec { first, living, query }))
    }

    fn execute(
        &self,
        partition: usize,
        context: Arc<TaskContext>,
    ) -> Result<SendableRecordBatchStream> {
        let mut plan = Arc::clone(&self.first);
        let mut living = self.living.clone();
        let query = Arc::clone(&self.query);
        let mut builder = RecordBatchReceiverStreamBuilder::new(self.schema(), 1);
        let returned = builder.tx();
        builder.spawn(async move {
            for attempt in 1.. {
                let mut is_begun = false;
                let mut rows = plan.execute(partition, Arc::clone(&context))?;
                let error = loop {
                    match rows.next().await {
                        None => return Ok(()),
                        Some(Err(error)) => break error,
                        // Nobody has seen a row yet.
                        Some(Ok(batch)) if batch.num_rows() == 0 => {}
                        Some(Ok(batch)) => {
                            is_begun = true;
                            if returned.send(Ok(batch)).await.is_err() {
                                return Ok(());
                            }
                        }
                    }
                };
                drop(rows);
                living = query.after(error, &living, !is_begun && attempt < ATTEMPTS).await?;
                plan = query.planner.create_physical_plan(&query.plan, &query.state).await?;
            }
            Ok(())
        });
        Ok(builder.build())
    }

    fn metrics(&self) -> Option<MetricsSet> {
        self.first.metrics()
    }
}
