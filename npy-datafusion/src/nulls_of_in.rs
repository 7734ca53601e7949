//! `x NOT IN (SELECT …)` as a part of a condition, as in `a OR x NOT IN (SELECT …)`.
//!
//! DataFusion 55.2 marks the rows whose `x` is in the subquery, and a null counts as a value that is not in it. So the rows of nulls are in the result, and
//! with a null in the subquery all others, too. As the whole condition, `NOT IN` knows the nulls of columns, and not those of `nullif(x, 1)`; and if its subquery names columns of
//! the outer query, it is an error. So a rule of the analyzer says when the answer is null, by `EXISTS`.

use std::sync::Arc;

use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::{Transformed, TransformedResult, TreeNode};
use datafusion::common::{Column, DFSchema, ScalarValue};
use datafusion::error::Result;
use datafusion::logical_expr::expr::{Exists, InSubquery};
use datafusion::logical_expr::utils::disjunction;
use datafusion::logical_expr::{
    BinaryExpr, Expr, ExprSchemable, Filter, LogicalPlan, Operator, lit, when,
};
use datafusion::optimizer::AnalyzerRule;

/// Keeps the nulls of `IN`.
#[derive(Debug)]
pub(crate) struct KeepNullsOfIn;

impl AnalyzerRule for KeepNullsOfIn {
    fn analyze(&self, plan: LogicalPlan, _: &ConfigOptions) -> Result<LogicalPlan> {
        plan.transform_up_with_subqueries(|plan| {
            let has_in = |part: &Expr| {
                part.exists(|part| Ok(matches!(part, Expr::InSubquery(_)))).unwrap_or(false)
            };
            match plan {
                LogicalPlan::Filter(Filter { predicate, input, .. }) if has_in(&predicate) => {
                    of_condition(predicate, input.schema(), true)?
                        .map_data(|it| Filter::try_new(it, input).map(LogicalPlan::Filter))
                }
                LogicalPlan::Join(mut join) if join.filter.as_ref().is_some_and(has_in) => {
                    let condition = join.filter.take().unwrap_or(lit(true));
                    let condition = of_condition(condition, &join.schema, true)?;
                    condition.map_data(|it| {
                        join.filter = Some(it);
                        Ok(LogicalPlan::Join(join))
                    })
                }
                other => Ok(Transformed::no(other)),
            }
        })
        .data()
    }

    fn name(&self) -> &str {
        "keep_nulls_of_in"
    }
}

/// Rewrites a condition or a part of it. For these parts null is as good as false, so an `IN` is right. `is_conjunct`: all rows of the result meet it, and
/// DataFusion makes a join of it that knows the nulls of a column.
fn of_condition(part: Expr, schema: &DFSchema, is_conjunct: bool) -> Result<Transformed<Expr>> {
    match part {
        Expr::BinaryExpr(BinaryExpr { op: Operator::And, .. }) => {
            part.map_children(|part| of_condition(part, schema, is_conjunct))
        }
        Expr::BinaryExpr(BinaryExpr { op: Operator::Or, .. }) => {
            part.map_children(|part| of_condition(part, schema, false))
        }
        Expr::InSubquery(ref of_part) if !of_part.negated || is_conjunct && is_simple(of_part) => {
            Ok(Transformed::no(part))
        }
        _ => part.transform_up(|part| with_nulls(part, schema)),
    }
}

/// Returns true if a column is compared, and the subquery does not name columns of the outer query.
fn is_simple(part: &InSubquery) -> bool {
    part.expr.try_as_col().is_some() && part.subquery.outer_ref_columns.is_empty()
}

/// Puts `CASE WHEN x IN (…) THEN true WHEN … THEN NULL ELSE false END` in the place of an `IN` whose answer may be null.
fn with_nulls(part: Expr, schema: &DFSchema) -> Result<Transformed<Expr>> {
    let Expr::InSubquery(InSubquery { expr, subquery, negated }) = &part else {
        return Ok(Transformed::no(part));
    };
    let exists = |subquery| Expr::Exists(Exists { subquery, negated: false });
    let (table, field) = subquery.subquery.schema().qualified_field(0);
    let mut unknown = Vec::new();
    if expr.nullable(schema)? {
        unknown.push(expr.as_ref().clone().is_null().and(exists(subquery.clone())));
    }
    if field.is_nullable() {
        let is_null = Expr::Column(Column::from((table, field))).is_null();
        let nulls = Filter::try_new(is_null, Arc::clone(&subquery.subquery))?;
        unknown.push(exists(subquery.with_plan(Arc::new(LogicalPlan::Filter(nulls)))));
    }
    let Some(unknown) = disjunction(unknown) else { return Ok(Transformed::no(part)) };
    let is_in = InSubquery { expr: expr.clone(), subquery: subquery.clone(), negated: false };
    let answer = when(Expr::InSubquery(is_in), lit(!negated))
        .when(unknown, lit(ScalarValue::Boolean(None)))
        .otherwise(lit(*negated))?;
    Ok(Transformed::yes(answer))
}
