//! Integers of more than 64 bits that are compared with columns of integers.
//!
//! DataFusion 55.2 makes a float of such a literal, and then of the column: for `u < 18446744073709551616` the row with 2^64 - 1 is lost, which is 2^64 as a
//! float. So before it converts the column, a rule of the analyzer makes a decimal of the literal. All literals from 2^64 on that are rounded to it are greater than each
//! integer. Those that are rounded to -2^63 may be less than the least integer of 64 bits, and are an error.

use datafusion::arrow::datatypes::DataType;
use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::{Transformed, TransformedResult, TreeNode};
use datafusion::common::{DFSchema, ScalarValue, plan_err};
use datafusion::error::Result;
use datafusion::logical_expr::{Expr, ExprSchemable, LogicalPlan, lit};
use datafusion::optimizer::AnalyzerRule;

use crate::exact_times::rewritten;
use crate::time_literals::compared;

/// Keeps the values of these literals.
#[derive(Debug)]
pub(crate) struct KeepLargeLiterals;

impl AnalyzerRule for KeepLargeLiterals {
    fn analyze(&self, plan: LogicalPlan, _: &ConfigOptions) -> Result<LogicalPlan> {
        plan.transform_up_with_subqueries(|plan| rewritten(plan, &with_decimals)).data()
    }

    fn name(&self) -> &str {
        "keep_large_literals"
    }
}

/// 2^64 as a float, and as a decimal of 20 digits.
const OVER_64_BITS: (f64, i128) = (18_446_744_073_709_551_616.0, 1 << 64);

/// The least integer of 64 bits as a float.
const LEAST: f64 = -9_223_372_036_854_775_808.0;

/// Puts decimals in the place of floats in a comparison with integers.
fn with_decimals(expression: Expr, schema: &DFSchema) -> Result<Transformed<Expr>> {
    let operands = compared(&expression).into_iter();
    let integers = operands.filter_map(|operand| operand.get_type(schema).ok());
    let integers: Vec<_> = integers.filter(DataType::is_integer).collect();
    if integers.is_empty() {
        return Ok(Transformed::no(expression));
    }
    expression.map_children(|operand| match operand.as_literal() {
        Some(value) if *value == ScalarValue::Float64(Some(OVER_64_BITS.0)) => {
            Ok(Transformed::yes(lit(ScalarValue::Decimal128(Some(OVER_64_BITS.1), 20, 0))))
        }
        Some(value)
            if *value == ScalarValue::Float64(Some(LEAST))
                && integers.contains(&DataType::Int64) =>
        {
            plan_err!(
                "a literal is -2^63, or is rounded to it, and it is compared with integers of 64 bits; write -9223372036854775808 for this integer, the least one; a smaller one is less than each of them: > is true, and < and = are not"
            )
        }
        _ => Ok(Transformed::no(operand)),
    })
}
