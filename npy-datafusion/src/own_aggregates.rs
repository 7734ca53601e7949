//! Functions that take the place of DataFusion's, whose results are wrong: `min` and `max` of floats, `sum` of integers, percentiles of floats, and statistics of moving frames.

use std::sync::Arc;

use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::{Transformed, TransformedResult, TreeNode};
use datafusion::error::Result;
use datafusion::logical_expr::expr::WindowFunctionDefinition;
use datafusion::logical_expr::{AggregateUDF, Expr, LogicalPlan};
use datafusion::optimizer::AnalyzerRule;

/// The methods of a function that are those of `inner`, the one whose place it takes. The macro comes before the modules that use it.
macro_rules! as_theirs {
    () => {
        fn name(&self) -> &str {
            self.inner.name()
        }

        fn aliases(&self) -> &[String] {
            self.inner.aliases()
        }

        fn supports_within_group_clause(&self) -> bool {
            self.inner.supports_within_group_clause()
        }

        fn signature(&self) -> &datafusion::logical_expr::Signature {
            self.inner.signature()
        }

        fn return_type(&self, arguments: &[DataType]) -> Result<DataType> {
            self.inner.return_type(arguments)
        }

        fn coerce_types(&self, types: &[DataType]) -> Result<Vec<DataType>> {
            self.inner.coerce_types(types)
        }

        fn order_sensitivity(&self) -> datafusion::logical_expr::utils::AggregateOrderSensitivity {
            self.inner.order_sensitivity()
        }

        fn reverse_expr(&self) -> datafusion::logical_expr::ReversedUDAF {
            self.inner.reverse_udf()
        }

        fn set_monotonicity(
            &self,
            data_type: &DataType,
        ) -> datafusion::logical_expr::SetMonotonicity {
            self.inner.inner().set_monotonicity(data_type)
        }

        fn documentation(&self) -> Option<&datafusion::logical_expr::Documentation> {
            self.inner.documentation()
        }
    };
}

mod min_max;
mod moving;
mod percentile_cont;
mod percentiles;
mod spans;
mod sums;
mod whole_sums;

pub(crate) use whole_sums::with_whole_sums;

/// Returns each function of DataFusion, and ours.
fn pairs() -> impl Iterator<Item = (Arc<AggregateUDF>, Arc<AggregateUDF>)> {
    let one_each = [sums::function(), percentile_cont::function()];
    let several = min_max::functions().into_iter().chain(moving::functions());
    several.chain(one_each).chain(percentiles::functions())
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
