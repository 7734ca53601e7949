//! Statements that DataFusion answers with nulls in the place of values.
//!
//! For `b1 LEFT JOIN a1 USING (id)`, DataFusion 55.2 takes the `id` of the table whose name is first in the alphabet, which is null in the rows of `b1` alone. When it has made
//! the plan, nothing tells this `id` from an `a1.id` that the query names. So the join is an error, and so is `value[0]`: lists of SQL begin at 1.

use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::{TreeNode, TreeNodeRecursion};
use datafusion::common::{Column, JoinConstraint, JoinType, ScalarValue, plan_err};
use datafusion::error::Result;
use datafusion::logical_expr::expr::ScalarFunction;
use datafusion::logical_expr::{Expr, Join, LogicalPlan};
use datafusion::optimizer::AnalyzerRule;

/// Refuses these statements.
#[derive(Debug)]
pub(crate) struct RefuseNulls;

impl AnalyzerRule for RefuseNulls {
    fn analyze(&self, plan: LogicalPlan, _: &ConfigOptions) -> Result<LogicalPlan> {
        plan.apply_with_subqueries(|part| {
            if let LogicalPlan::Join(join) = part {
                check_join(join)?;
            }
            part.apply_expressions(|expression| expression.apply(check_index))
        })?;
        Ok(plan)
    }

    fn name(&self) -> &str {
        "refuse_nulls"
    }
}

fn check_join(join: &Join) -> Result<TreeNodeRecursion> {
    let is_outer = matches!(join.join_type, JoinType::Left | JoinType::Right | JoinType::Full);
    let keys: Vec<_> = join
        .on
        .iter()
        .filter_map(|(left, right)| Some((left.try_as_col()?, right.try_as_col()?)))
        .collect();
    let [(left, right), ..] = &keys[..] else { return Ok(TreeNodeRecursion::Continue) };
    if !is_outer || join.join_constraint != JoinConstraint::Using {
        return Ok(TreeNodeRecursion::Continue);
    }
    let equal = |(left, right): &(&Column, &Column)| {
        format!("{} = {}", left.quoted_flat_name(), right.quoted_flat_name())
    };
    let name = Column::new_unqualified(&left.name).quoted_flat_name();
    plan_err!(
        "an outer join with USING, or NATURAL, has the {name} of one table, which is null where only the other has the row; write ON {} for the keys, and coalesce({}, {}) AS {name} in the place of {name}",
        keys.iter().map(equal).collect::<Vec<_>>().join(" AND "),
        left.quoted_flat_name(),
        right.quoted_flat_name()
    )
}

fn check_index(expression: &Expr) -> Result<TreeNodeRecursion> {
    if let Expr::ScalarFunction(ScalarFunction { func, args }) = expression
        && func.name() == "array_element"
        && let [list, Expr::Literal(ScalarValue::Int64(Some(0)), _)] = &args[..]
    {
        return plan_err!(
            "{list}[0] is always null: lists of SQL begin at 1; write {list}[1] for the first value"
        );
    }
    Ok(TreeNodeRecursion::Continue)
}
