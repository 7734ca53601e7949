//! Sums that DataFusion would divide into sums of their own.
//!
//! It computes `count(DISTINCT x), sum(y)` by the sums of all `y` of each `x`. Of integers, one of these may not fit although the sum of all does. So the
//! rule leaves out such a query, which is then computed as one with `avg(y)` in the place of the sum.

use std::sync::Arc;

use datafusion::common::tree_node::Transformed;
use datafusion::error::Result;
use datafusion::logical_expr::{Expr, ExprSchemable, LogicalPlan};
use datafusion::optimizer::optimizer::ApplyOrder;
use datafusion::optimizer::{Optimizer, OptimizerConfig, OptimizerRule};

use super::sums::is_integer;

/// Keeps the rule of DataFusion from sums of integers.
pub(crate) fn with_whole_sums(optimizer: &mut Optimizer) {
    for rule in &mut optimizer.rules {
        if rule.name() == "single_distinct_aggregation_to_group_by" {
            *rule = Arc::new(WholeSums(Arc::clone(rule)));
        }
    }
}

/// The rule of DataFusion.
#[derive(Debug)]
struct WholeSums(Arc<dyn OptimizerRule + Send + Sync>);

impl OptimizerRule for WholeSums {
    fn name(&self) -> &str {
        self.0.name()
    }

    fn apply_order(&self) -> Option<ApplyOrder> {
        self.0.apply_order()
    }

    fn rewrite(
        &self,
        plan: LogicalPlan,
        config: &dyn OptimizerConfig,
    ) -> Result<Transformed<LogicalPlan>> {
        match has_sum_of_integers(&plan) {
            true => Ok(Transformed::no(plan)),
            false => self.0.rewrite(plan, config),
        }
    }
}

/// Returns true if a step adds all integers of a column. Those that differ are added once in either way.
fn has_sum_of_integers(plan: &LogicalPlan) -> bool {
    let LogicalPlan::Aggregate(aggregate) = plan else { return false };
    aggregate.aggr_expr.iter().any(|expression| {
        let Expr::AggregateFunction(call) = expression else { return false };
        let data_type = expression.get_type(aggregate.input.schema());
        call.func.name() == "sum"
            && !call.params.distinct
            && data_type.is_ok_and(|it| is_integer(&it))
    })
}
