//! Integers beside floats that do not have all of them.
//!
//! DataFusion 55.2 computes and compares an integer of 64 bits and a float of 32 bits as floats of 32 bits: 16777217 is 16777216 there. Here both are
//! floats of 64 bits, and integers of 16 bits and half floats are floats of 32 bits, as in NumPy. A literal is of the type of the column, as there.

use datafusion::arrow::datatypes::DataType;
use datafusion::common::DFSchema;
use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::{Transformed, TransformedResult, TreeNode};
use datafusion::error::Result;
use datafusion::logical_expr::{BinaryExpr, Expr, ExprSchemable, LogicalPlan, cast};
use datafusion::optimizer::AnalyzerRule;

use crate::exact_times::rewritten;
use crate::time_literals::compared;

/// Converts the operands of comparisons that the planner of SQL does not show to [`OwnPlans`](crate::own_functions::OwnPlans), as BETWEEN.
#[derive(Debug)]
pub(crate) struct WidenFloats;

impl AnalyzerRule for WidenFloats {
    fn analyze(&self, plan: LogicalPlan, _: &ConfigOptions) -> Result<LogicalPlan> {
        plan.transform_up_with_subqueries(|plan| rewritten(plan, &widened)).data()
    }

    fn name(&self) -> &str {
        "widen_floats"
    }
}

fn widened(expression: Expr, schema: &DFSchema) -> Result<Transformed<Expr>> {
    match wide_float(&compared(&expression), schema) {
        Some(wide) => expression.map_children(|it| Ok(Transformed::yes(cast(it, wide.clone())))),
        None => Ok(Transformed::no(expression)),
    }
}

/// Returns the float that has the numbers; `None` if a float of these types does, or if there are other types.
pub(crate) fn wide_float(numbers: &[&Expr], schema: &DFSchema) -> Option<DataType> {
    let others: Vec<_> = numbers.iter().filter(|it| !is_literal(it)).collect();
    // The types of the left side of many terms are not looked at in each sum with a literal.
    if others.len() < 2 {
        return None;
    }
    let (mut integer, mut float) = (0, 0);
    for number in others.into_iter().rev() {
        match number.get_type(schema).ok()? {
            DataType::Int8 | DataType::UInt8 => integer = integer.max(8),
            DataType::Int16 | DataType::UInt16 => integer = integer.max(16),
            DataType::Int32 | DataType::UInt32 | DataType::Int64 | DataType::UInt64 => integer = 64,
            DataType::Float16 => float = float.max(16),
            DataType::Float32 => float = float.max(32),
            _ => return None,
        }
    }
    match (integer, float) {
        (64, 16 | 32) => Some(DataType::Float64),
        (16, 16) => Some(DataType::Float32),
        _ => None,
    }
}

fn is_literal(expression: &Expr) -> bool {
    match expression {
        Expr::Negative(value) => is_literal(value),
        Expr::BinaryExpr(BinaryExpr { left, right, .. }) => is_literal(right) && is_literal(left),
        other => other.as_literal().is_some(),
    }
}
