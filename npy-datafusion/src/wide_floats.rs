//! Integers beside floats that do not have all of them.
//!
//! DataFusion 55.2 computes and compares an integer of 64 bits and a float of 32 bits as floats of 32 bits: 16777217 is 16777216 there. Here both are
//! floats of 64 bits, and integers of 16 bits and half floats are floats of 32 bits, as in NumPy. A literal is of the type of the column, as there.

use datafusion::arrow::datatypes::DataType;
use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::{Transformed, TransformedResult, TreeNode};
use datafusion::common::{DFSchema, plan_err};
use datafusion::error::Result;
use datafusion::logical_expr::{Expr, ExprSchemable, LogicalPlan, cast};
use datafusion::optimizer::AnalyzerRule;

use crate::exact_times::rewritten;
use crate::time_literals::compared;

/// Converts the operands of comparisons that the planner of SQL does not see, and the results of CASE and of functions.
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

/// Functions whose arguments have one type.
const FUNCTIONS: [&str; 4] = ["coalesce", "greatest", "least", "nullif"];

fn widened(expression: Expr, schema: &DFSchema) -> Result<Transformed<Expr>> {
    if let Expr::Case(mut case) = expression {
        let results = case.when_then_expr.iter().map(|(_, then)| then).chain(&case.else_expr);
        let wide = wide_float(results.map(AsRef::as_ref), schema);
        if let Some(wide) = &wide {
            let results = case.when_then_expr.iter_mut().map(|(_, then)| then);
            results
                .chain(&mut case.else_expr)
                .for_each(|it| **it = cast(it.as_ref().clone(), wide.clone()));
        }
        return Ok(Transformed::new_transformed(Expr::Case(case), wide.is_some()));
    }
    let operands = match &expression {
        Expr::ScalarFunction(call) if FUNCTIONS.contains(&call.name()) => {
            call.args.iter().collect()
        }
        other => compared(other),
    };
    match wide_float(operands.into_iter(), schema) {
        Some(wide) => expression.map_children(|it| Ok(Transformed::yes(cast(it, wide.clone())))),
        None => Ok(Transformed::no(expression)),
    }
}

/// Returns the type of two numbers, if the float of them has not all integers.
pub(crate) fn wide_float<'e>(
    numbers: impl Iterator<Item = &'e Expr>,
    schema: &DFSchema,
) -> Option<DataType> {
    let types = numbers.filter(|it| !is_literal(it)).filter_map(|it| it.get_type(schema).ok());
    wider(types.collect::<Vec<_>>().iter())
}

fn is_literal(expression: &Expr) -> bool {
    match expression {
        Expr::Negative(value) => is_literal(value),
        other => other.as_literal().is_some(),
    }
}

/// Returns the float that has the integers and floats; `None` if a float of these types does, or if there are other types.
fn wider<'t>(types: impl Iterator<Item = &'t DataType>) -> Option<DataType> {
    let (mut integer, mut float) = (0, 0);
    for of in types {
        match of {
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

/// Refuses integers and floats as the keys of USING, INTERSECT and `IN (SELECT …)`, which nothing converts.
pub(crate) fn check_floats<'t>(types: impl Iterator<Item = &'t DataType>) -> Result<()> {
    match wider(types) {
        Some(_) => plan_err!(
            "the two sides are integers and floats that do not have all of them, so that 16777217 would be equal to 16777216; write CAST(x AS DOUBLE) for the float"
        ),
        None => Ok(()),
    }
}
