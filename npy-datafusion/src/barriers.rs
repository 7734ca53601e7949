//! Keeps conditions of the running query from the wrong columns.
//!
//! DataFusion 55.2 hands conditions down a physical plan, and each operator looks for their columns by name. Above a join of two tables with a column
//! `id`, it may find the other one, and rows would be lost. So the rule of DataFusion runs here on a plan that has barriers above all operators
//! through which a name does not stand for one column. A scan takes conditions from this rule only.
//!
//! For `min` and `max` without `GROUP BY`, the rule sends a condition that leaves out rows which can change neither.
//! It forgets arguments that are not columns, and extremes that are null so far, so there are barriers below those, too.

use std::collections::HashSet;
use std::fmt;
use std::sync::Arc;

use datafusion::arrow::datatypes::Schema;
use datafusion::common::config::ConfigOptions;
use datafusion::common::internal_err;
use datafusion::common::tree_node::{Transformed, TreeNode, TreeNodeRecursion};
use datafusion::error::Result;
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_expr::aggregate::AggregateFunctionExpr;
use datafusion::physical_expr::expressions::Column;
use datafusion::physical_optimizer::PhysicalOptimizerRule;
use datafusion::physical_optimizer::optimizer::PhysicalOptimizer;
use datafusion::physical_plan::aggregates::AggregateExec;
use datafusion::physical_plan::execution_plan::ChildrenPropertiesMode;
use datafusion::physical_plan::filter::FilterExec;
use datafusion::physical_plan::projection::ProjectionExec;
use datafusion::physical_plan::union::UnionExec;
use datafusion::physical_plan::{
    DisplayAs, DisplayFormatType, ExecutionPlan, PlanProperties, ReplaceChildrenOptions,
    replace_children_if_necessary,
};

use crate::settings::NpySettings;

/// Puts a rule with barriers in the place of each rule of DataFusion that hands conditions down.
pub(crate) fn with_barriers(optimizer: &mut PhysicalOptimizer) {
    for rule in &mut optimizer.rules {
        if ["FilterPushdown", "FilterPushdown(Post)"].contains(&rule.name()) {
            *rule = Arc::new(WithBarriers(Arc::clone(rule)));
        }
    }
}

/// Returns true if the rule that asks has put up barriers.
pub(crate) fn are_up(config: &ConfigOptions) -> bool {
    NpySettings::of(config).are_barriers_up
}

/// A rule of DataFusion, with barriers.
#[derive(Debug)]
struct WithBarriers(Arc<dyn PhysicalOptimizerRule + Send + Sync>);

impl PhysicalOptimizerRule for WithBarriers {
    fn optimize(
        &self,
        plan: Arc<dyn ExecutionPlan>,
        config: &ConfigOptions,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let mut config = config.clone();
        let settings = NpySettings::of(&config);
        config.extensions.insert(NpySettings { are_barriers_up: true, ..settings });
        let plan = plan.transform_up(|plan| {
            let plan = if forgets_some(&*plan) { above_barriers(plan)? } else { plan };
            Ok(match is_by_name(&*plan) {
                true => Transformed::no(plan),
                false => Transformed::yes(Arc::new(Barrier(plan)) as _),
            })
        })?;
        let plan = self.0.optimize(plan.data, &config)?;
        let plan = plan.transform_up(|plan| {
            Ok(match plan.downcast_ref::<Barrier>() {
                Some(Barrier(inner)) => Transformed::yes(Arc::clone(inner)),
                None => Transformed::no(plan),
            })
        })?;
        Ok(plan.data)
    }

    fn name(&self) -> &str {
        self.0.name()
    }

    fn schema_check(&self) -> bool {
        self.0.schema_check()
    }
}

/// Returns true if an operator computes more than one `min` or `max`, of some rows, or of an expression. DataFusion 55.2 makes a condition of the columns
/// whose extremes it knows: for `min(a), max(b + 1)`, and for a `b` that is null so far, `a < …` alone, which leaves out rows with the greatest `b`.
fn forgets_some(plan: &dyn ExecutionPlan) -> bool {
    let Some(aggregate) = plan.downcast_ref::<AggregateExec>() else { return false };
    let is_column = |function: &Arc<AggregateFunctionExpr>| matches!(&function.expressions()[..], [argument] if argument.is::<Column>());
    let is_safe = match (aggregate.aggr_expr(), aggregate.filter_expr()) {
        ([function], [None]) => is_column(function),
        _ => false,
    };
    aggregate.group_expr().is_empty() && !is_safe
}

/// Returns the operator with barriers below it.
fn above_barriers(plan: Arc<dyn ExecutionPlan>) -> Result<Arc<dyn ExecutionPlan>> {
    let below = |child: &Arc<dyn ExecutionPlan>| Arc::new(Barrier(Arc::clone(child))) as _;
    let children: Vec<_> = plan.children().into_iter().map(below).collect();
    replace_children_if_necessary(plan, children)
}

/// Returns true if a condition on the rows of an operator may go through it by the names of its columns.
fn is_by_name(plan: &dyn ExecutionPlan) -> bool {
    let (own, children) = (plan.schema(), plan.children());
    // The first rows are others if rows before them are left out.
    if plan.fetch().is_some() || !has_single_names(&own) {
        return false;
    }
    if plan.is::<ProjectionExec>() || plan.is::<FilterExec>() {
        return children.iter().all(|child| has_single_names(&child.schema()));
    }
    (children.len() < 2 || plan.is::<UnionExec>())
        && children.iter().all(|child| names(&own).eq(names(&child.schema())))
}

fn names(schema: &Schema) -> impl Iterator<Item = &String> {
    schema.fields().iter().map(|field| field.name())
}

/// Returns true if no two columns have the same name.
fn has_single_names(schema: &Schema) -> bool {
    let mut seen = HashSet::new();
    names(schema).all(|name| seen.insert(name))
}

/// Lets no condition through.
#[derive(Debug)]
struct Barrier(Arc<dyn ExecutionPlan>);

impl DisplayAs for Barrier {
    fn fmt_as(&self, _: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Barrier")
    }
}

impl ExecutionPlan for Barrier {
    fn name(&self) -> &str {
        "Barrier"
    }

    fn properties(&self) -> &Arc<PlanProperties> {
        self.0.properties()
    }

    fn children(&self) -> Vec<&Arc<dyn ExecutionPlan>> {
        vec![&self.0]
    }

    fn apply_expressions(
        &self,
        _: &mut dyn FnMut(&Arc<dyn PhysicalExpr>) -> Result<TreeNodeRecursion>,
    ) -> Result<TreeNodeRecursion> {
        Ok(TreeNodeRecursion::Continue)
    }

    fn replace_children(
        self: Arc<Self>,
        mut children: Vec<Arc<dyn ExecutionPlan>>,
        _: ReplaceChildrenOptions,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        match (children.pop(), children.is_empty()) {
            (Some(child), true) => Ok(Arc::new(Barrier(child))),
            _ => internal_err!("a barrier is above one operator"),
        }
    }

    fn with_new_children(
        self: Arc<Self>,
        children: Vec<Arc<dyn ExecutionPlan>>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let options = ReplaceChildrenOptions::new(ChildrenPropertiesMode::Recompute);
        self.replace_children(children, options)
    }

    fn execute(&self, _: usize, _: Arc<TaskContext>) -> Result<SendableRecordBatchStream> {
        internal_err!("a barrier is there while a rule runs")
    }
}
