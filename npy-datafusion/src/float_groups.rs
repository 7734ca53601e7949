//! Groups of floats, if a query needs only a few of them.
//!
//! For `SELECT x, max(y) … GROUP BY x ORDER BY max(y) DESC LIMIT 3` and `SELECT DISTINCT x … ORDER BY x LIMIT 3`, DataFusion 55.2 keeps three groups at a time, and compares
//! their keys as numbers. A NaN is not equal to itself then: each is a group of its own, or the query ends by a panic. So these queries keep all groups.

use std::sync::Arc;

use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::{Transformed, TransformedResult, TreeNode};
use datafusion::error::Result;
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_optimizer::PhysicalOptimizerRule;
use datafusion::physical_optimizer::optimizer::PhysicalOptimizer;
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::aggregates::AggregateExec;

/// Keeps the rule of DataFusion from groups of floats.
pub(crate) fn with_all_float_groups(optimizer: &mut PhysicalOptimizer) {
    for rule in &mut optimizer.rules {
        if rule.name() == "LimitAggregation" {
            *rule = Arc::new(AllFloatGroups(Arc::clone(rule)));
        }
    }
}

/// The rule of DataFusion.
#[derive(Debug)]
struct AllFloatGroups(Arc<dyn PhysicalOptimizerRule + Send + Sync>);

impl PhysicalOptimizerRule for AllFloatGroups {
    fn optimize(
        &self,
        plan: Arc<dyn ExecutionPlan>,
        config: &ConfigOptions,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let plan = self.0.optimize(plan, config)?;
        let with_all = |plan: Arc<dyn ExecutionPlan>| {
            Ok(match plan.downcast_ref::<AggregateExec>().filter(|it| has_few_floats(it)) {
                Some(few) => Transformed::yes(Arc::new(few.with_new_limit_options(None)) as _),
                None => Transformed::no(plan),
            })
        };
        plan.transform_up(with_all).data()
    }

    fn name(&self) -> &str {
        self.0.name()
    }

    fn schema_check(&self) -> bool {
        self.0.schema_check()
    }
}

/// Returns true if a step keeps the groups that are first in an order, and the key is a float.
fn has_few_floats(aggregate: &AggregateExec) -> bool {
    let schema = aggregate.input().schema();
    let is_float = |(key, _): &(Arc<dyn PhysicalExpr>, String)| {
        key.data_type(&schema).is_ok_and(|it| it.is_floating())
    };
    let is_ordered = aggregate.limit_options().is_some_and(|it| it.descending().is_some());
    is_ordered && aggregate.group_expr().expr().iter().any(is_float)
}
