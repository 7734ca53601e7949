//! Functions that take the place of DataFusion's, whose results are wrong in silence.

use std::sync::Arc;

use datafusion::arrow::datatypes::DataType;
use datafusion::common::tree_node::{TreeNode, TreeNodeRecursion};
use datafusion::common::{DFSchema, plan_err};
use datafusion::error::Result;
use datafusion::functions::core::coalesce;
use datafusion::logical_expr::expr::{
    AggregateFunction, ScalarFunction, WindowFunction, WindowFunctionParams,
};
use datafusion::logical_expr::planner::{
    ExprPlanner, PlannerResult, RawAggregateExpr, RawBinaryExpr, RawWindowExpr,
};
use datafusion::logical_expr::{Expr, ExprSchemable, Operator, ScalarUDF, cast};
use datafusion::sql::sqlparser::ast::BinaryOperator;

use crate::exact_times::exact_sum;
use crate::wide_floats::wide_float;

/// The methods of a function that are those of `inner`, the one whose place it takes. The macros come before the modules that use them.
macro_rules! as_theirs {
    () => {
        as_theirs_of_other_types!();

        fn signature(&self) -> &datafusion::logical_expr::Signature {
            self.inner.signature()
        }

        fn with_updated_config(
            &self,
            config: &datafusion::common::config::ConfigOptions,
        ) -> Option<ScalarUDF> {
            let inner = self.inner.inner().with_updated_config(config)?;
            Some(ScalarUDF::new_from_impl(Self { inner: Arc::new(inner) }))
        }
    };
}

/// Those of a function that takes more types.
macro_rules! as_theirs_of_other_types {
    () => {
        fn name(&self) -> &str {
            self.inner.name()
        }

        fn aliases(&self) -> &[String] {
            self.inner.aliases()
        }

        fn preimage(
            &self,
            args: &[datafusion::logical_expr::Expr],
            literal: &datafusion::logical_expr::Expr,
            info: &datafusion::logical_expr::simplify::SimplifyContext,
        ) -> Result<datafusion::logical_expr::preimage::PreimageResult> {
            self.inner.inner().preimage(args, literal, info)
        }

        fn output_ordering(
            &self,
            inputs: &[datafusion::logical_expr::sort_properties::ExprProperties],
        ) -> Result<datafusion::logical_expr::sort_properties::SortProperties> {
            self.inner.output_ordering(inputs)
        }

        fn documentation(&self) -> Option<&datafusion::logical_expr::Documentation> {
            self.inner.documentation()
        }
    };
}

mod array_sum;
mod date_bin;
mod date_part;
mod date_trunc;
mod list_counts;
mod to_coarse_timestamp;
mod to_timestamp;

/// Returns the functions, under the names of DataFusion's.
pub(crate) fn functions() -> impl Iterator<Item = Arc<ScalarUDF>> {
    let own = [
        array_sum::function(),
        // The types of its own `nvl` are text and floats of 32 bits.
        Arc::new(coalesce().as_ref().clone().with_aliases(["nvl", "ifnull"])),
        date_bin::function(),
        date_part::function(),
        date_trunc::function(),
        to_timestamp::function(),
    ];
    own.into_iter().chain(to_coarse_timestamp::functions()).chain(list_counts::functions())
}

/// Functions whose results DataFusion counts without a sign, so that a difference of two of them would wrap.
const COUNTS: [&str; 6] =
    ["row_number", "rank", "dense_rank", "ntile", "approx_distinct", "regr_count"];

/// Plans the parts of a statement that DataFusion plans otherwise, whatever functions the session has.
#[derive(Debug)]
pub(crate) struct OwnPlans;

impl ExprPlanner for OwnPlans {
    fn plan_extract(&self, args: Vec<Expr>) -> Result<PlannerResult<Vec<Expr>>> {
        let call = ScalarFunction::new_udf(date_part::function(), args);
        Ok(PlannerResult::Planned(Expr::ScalarFunction(call)))
    }

    /// Refuses `x ^ 2`, makes the sums of times exact before DataFusion states the types of columns, divides as floats where it would make
    /// decimals of four digits, and takes floats that have all integers.
    fn plan_binary_op(
        &self,
        expr: RawBinaryExpr,
        schema: &DFSchema,
    ) -> Result<PlannerResult<RawBinaryExpr>> {
        let sum = |operator| exact_sum(&expr.left, operator, &expr.right, schema);
        let planned = match expr.op {
            BinaryOperator::BitwiseXor => {
                return plan_err!(
                    "x ^ y is XOR of integers; write power(x, y) for the power, and (x | y) - (x & y) for XOR"
                );
            }
            BinaryOperator::Plus => sum(Operator::Plus),
            BinaryOperator::Minus => sum(Operator::Minus),
            BinaryOperator::Divide => {
                as_floats(&expr.left, &expr.right, schema).map(|(left, right)| left / right)
            }
            _ => None,
        };
        Ok(match (planned, wide_float(&[&expr.left, &expr.right], schema)) {
            (Some(planned), _) => PlannerResult::Planned(planned),
            (None, Some(wide)) => PlannerResult::Original(RawBinaryExpr {
                left: cast(expr.left, wide.clone()),
                right: cast(expr.right, wide),
                ..expr
            }),
            (None, None) => PlannerResult::Original(expr),
        })
    }

    fn plan_window(&self, expr: RawWindowExpr) -> Result<PlannerResult<RawWindowExpr>> {
        if !COUNTS.contains(&expr.func_def.name()) {
            return Ok(PlannerResult::Original(expr));
        }
        let params = WindowFunctionParams {
            args: expr.args,
            partition_by: expr.partition_by,
            order_by: expr.order_by,
            window_frame: expr.window_frame,
            filter: expr.filter,
            null_treatment: expr.null_treatment,
            distinct: expr.distinct,
        };
        let call = WindowFunction { fun: expr.func_def, params };
        Ok(PlannerResult::Planned(cast(call.into(), DataType::Int64)))
    }

    fn plan_aggregate(&self, expr: RawAggregateExpr) -> Result<PlannerResult<RawAggregateExpr>> {
        if !COUNTS.contains(&expr.func.name()) {
            return Ok(PlannerResult::Original(expr));
        }
        let RawAggregateExpr { func, args, distinct, filter, order_by, null_treatment } = expr;
        let call =
            AggregateFunction::new_udf(func, args, distinct, filter, order_by, null_treatment);
        Ok(PlannerResult::Planned(cast(Expr::AggregateFunction(call), DataType::Int64)))
    }
}

/// Converts an unsigned integer of 64 bits and a signed one: DataFusion 55.2 has no integer for both, and cuts `u / i` to four digits, and
/// `(u + i) / 3`, too.
fn as_floats(left: &Expr, right: &Expr, schema: &DFSchema) -> Option<(Expr, Expr)> {
    let types = [left.get_type(schema).ok()?, right.get_type(schema).ok()?];
    let has_unsigned = types.contains(&DataType::UInt64);
    let is_mixed = has_unsigned && types.iter().any(DataType::is_signed_integer);
    let is_decimal = |it: &DataType| matches!(it, DataType::Decimal128(_, 0));
    let is_cut = types.iter().all(DataType::is_numeric)
        && types.iter().any(is_decimal)
        && is_of_integers(left, schema)
        && is_of_integers(right, schema);
    let as_float = |side: &Expr| cast(side.clone(), DataType::Float64);
    (is_mixed || is_cut).then(|| (as_float(left), as_float(right)))
}

/// Returns true for an integer, and for a decimal that DataFusion makes of integers: no part of it states a decimal.
fn is_of_integers(value: &Expr, schema: &DFSchema) -> bool {
    let is_computed = match value {
        _ if value.get_type(schema).is_ok_and(|it| it.is_integer()) => return true,
        Expr::ScalarFunction(call) => !["arrow_cast", "arrow_try_cast"].contains(&call.name()),
        Expr::AggregateFunction(_) | Expr::BinaryExpr(_) | Expr::Case(_) => true,
        Expr::Negative(_) | Expr::WindowFunction(_) => true,
        _ => return false,
    };
    let mut is_each = is_computed;
    let visited = value.apply_children(|part| {
        let is_number = part.get_type(schema).is_ok_and(|it| it.is_numeric());
        is_each &= !is_number || is_of_integers(part, schema);
        Ok(TreeNodeRecursion::Continue)
    });
    visited.is_ok() && is_each
}
