//! Remarks on lists, which SQL compares by their first values that differ.

use npy_datafusion::datafusion::arrow::datatypes::DataType;
use npy_datafusion::datafusion::common::tree_node::{TreeNode, TreeNodeRecursion};
use npy_datafusion::datafusion::error::Result;
use npy_datafusion::datafusion::logical_expr::{Expr, ExprSchemable, LogicalPlan};

use crate::output::printable;
use crate::statements::written;

/// Tells that the rows of an array of more dimensions are in order as lists, and not by their greatest or least numbers.
pub(crate) fn remark_on_order(plan: &LogicalPlan) -> Result<()> {
    let mut found = None;
    plan.apply(|node| {
        found = found_in(node)?;
        Ok(if found.is_some() { TreeNodeRecursion::Stop } else { TreeNodeRecursion::Continue })
    })?;
    if let Some((what, instead)) = found {
        let remark = format!("{what} compares lists by their first values that differ; {instead}");
        eprintln!("npy sql: {}", printable(&remark));
    }
    Ok(())
}

/// Returns an expression as a statement has it.
fn name_of(expression: &Expr) -> String {
    match expression {
        Expr::Column(column) => written(&column.name),
        other => other.schema_name().to_string(),
    }
}

/// Returns the part of a step that compares lists, and what to write for their numbers.
fn found_in(node: &LogicalPlan) -> Result<Option<(String, String)>> {
    let inputs = node.inputs();
    let [input] = inputs[..] else { return Ok(None) };
    let is_list = |expression: &Expr| {
        let list = expression.get_type(input.schema());
        list.is_ok_and(|it| matches!(it, DataType::List(_) | DataType::FixedSizeList(..)))
    };
    if let LogicalPlan::Sort(sort) = node {
        let by_list = sort.expr.iter().find(|order| is_list(&order.expr));
        return Ok(by_list.map(|order| {
            let name = name_of(&order.expr);
            let instead = format!("array_max({name}) is the greatest value of each list");
            ("ORDER BY".to_owned(), instead)
        }));
    }
    let mut found = None;
    for expression in node.expressions() {
        expression.apply(|part| {
            if let Expr::AggregateFunction(call) = part
                && let name @ ("min" | "max") = call.func.name()
                && let [list] = &call.params.args[..]
                && is_list(list)
            {
                let list = name_of(list);
                let instead = format!("{name}(array_{name}({list})) is that of all values");
                found = Some((name.to_owned(), instead));
                return Ok(TreeNodeRecursion::Stop);
            }
            Ok(TreeNodeRecursion::Continue)
        })?;
    }
    Ok(found)
}
