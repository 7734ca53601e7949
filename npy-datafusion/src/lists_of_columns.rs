//! Lists of values that are not all literals, as in `x IN (y, 8)`.
//!
//! DataFusion 55.2 joins two such lists as if different expressions had different values: `x IN (y, 8) AND x IN (z, 7)` has no row, and
//! `1 IN (i) AND i = 1` neither. So a rule of the analyzer compares with each of these expressions by itself.

use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::{Transformed, TransformedResult, TreeNode};
use datafusion::error::Result;
use datafusion::logical_expr::expr::InList;
use datafusion::logical_expr::{Expr, LogicalPlan, Operator, binary_expr};
use datafusion::optimizer::AnalyzerRule;

use crate::exact_times::rewritten;

/// Makes comparisons of lists of columns.
#[derive(Debug)]
pub(crate) struct SplitLists;

impl AnalyzerRule for SplitLists {
    fn analyze(&self, plan: LogicalPlan, _: &ConfigOptions) -> Result<LogicalPlan> {
        plan.transform_up_with_subqueries(|plan| {
            rewritten(plan, &|part, _| {
                Ok(match comparisons(&part) {
                    Some(comparisons) => Transformed::yes(comparisons),
                    None => Transformed::no(part),
                })
            })
        })
        .data()
    }

    fn name(&self) -> &str {
        "split_lists"
    }
}

/// Returns `x IN (8) OR x = y` for `x IN (y, 8)`, and `x NOT IN (8) AND x <> y` for `NOT IN`; `None` for other expressions, and for a value that
/// differs each time, as that of `random()`.
fn comparisons(part: &Expr) -> Option<Expr> {
    let Expr::InList(InList { expr, list, negated }) = part else { return None };
    let (constants, others): (Vec<_>, Vec<_>) = list.iter().cloned().partition(is_constant);
    if others.is_empty() || expr.is_volatile() {
        return None;
    }
    let value = || expr.as_ref().clone();
    let compared = others.into_iter().map(|other| match negated {
        true => value().not_eq(other),
        false => value().eq(other),
    });
    let of_constants = (!constants.is_empty()).then(|| value().in_list(constants, *negated));
    let all: Vec<_> = of_constants.into_iter().chain(compared).collect();
    joined(&all, if *negated { Operator::And } else { Operator::Or })
}

/// Joins conditions as a tree of few levels, since DataFusion goes through all parts of each level.
fn joined(all: &[Expr], operator: Operator) -> Option<Expr> {
    match all {
        [] => None,
        [one] => Some(one.clone()),
        several => {
            let (left, right) = several.split_at(several.len() / 2);
            Some(binary_expr(joined(left, operator)?, operator, joined(right, operator)?))
        }
    }
}

/// Returns true if DataFusion makes a literal of the expression before it joins lists.
fn is_constant(value: &Expr) -> bool {
    let is_other = |part: &Expr| {
        matches!(part, Expr::Column(_) | Expr::OuterReferenceColumn(..) | Expr::ScalarSubquery(_))
    };
    !value.is_volatile() && !value.exists(|part| Ok(is_other(part))).unwrap_or(true)
}
