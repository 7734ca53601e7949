//! Functions that take the place of DataFusion's, whose results are wrong: `min` and `max` of floats, and `sum` of integers.

use std::sync::Arc;

use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::{Transformed, TransformedResult, TreeNode};
use datafusion::error::Result;
use datafusion::logical_expr::expr::WindowFunctionDefinition;
use datafusion::logical_expr::{AggregateUDF, Expr, LogicalPlan};
use datafusion::optimizer::AnalyzerRule;

use crate::{min_max, sums};

/// Returns each function of DataFusion, and ours.
fn pairs() -> impl Iterator<Item = (Arc<AggregateUDF>, Arc<AggregateUDF>)> {
    min_max::functions().into_iter().chain([sums::function()])
}

/// Returns our functions.
pub(crate) fn functions() -> impl Iterator<Item = Arc<AggregateUDF>> {
    pairs().map(|(_, ours)| ours)
}

/// Puts these functions in the place of DataFusion's, which the functions of `expr_fn` call whatever the session has.
#[derive(Debug)]
pub(crate) struct ReplaceAggregates;

impl AnalyzerRule for ReplaceAggregates {
    fn analyze(&self, plan: LogicalPlan, _: &ConfigOptions) -> Result<LogicalPlan> {
        let pairs: Vec<_> = pairs().collect();
        let replace = |function: &mut Arc<AggregateUDF>| {
            let found = pairs.iter().find(|(theirs, _)| theirs == function);
            found.is_some_and(|(_, ours)| {
                *function = Arc::clone(ours);
                true
            })
        };
        let in_expression = |expression: Expr| {
            expression.transform_up(|mut expression| {
                let is_replaced = match &mut expression {
                    Expr::AggregateFunction(call) => replace(&mut call.func),
                    Expr::WindowFunction(call) => match &mut call.fun {
                        WindowFunctionDefinition::AggregateUDF(function) => replace(function),
                        WindowFunctionDefinition::WindowUDF(_) => false,
                    },
                    _ => false,
                };
                Ok(if is_replaced {
                    Transformed::yes(expression)
                } else {
                    Transformed::no(expression)
                })
            })
        };
        plan.transform_up_with_subqueries(|plan| plan.map_expressions(in_expression)).data()
    }

    fn name(&self) -> &str {
        "replace_aggregates"
    }
}
