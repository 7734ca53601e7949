//! Comparisons of times whose units differ.
//!
//! DataFusion 55.2 compares `CAST(t AS TIMESTAMP) < literal` as `t < CAST(literal …)`, though the unit of `t` may be coarser: the literal is cut, and for
//! `t < '00:00:55.5'` the row at 55 seconds is lost. So a rule of the analyzer puts a function in the place of each conversion to a finer unit, which
//! nothing moves, and when all literals are known, a rule of the optimizer finds the bound in the unit of the column: `t <= '00:00:55'`. Indices know
//! such bounds, and years that a finer unit cannot count are no error.

use std::sync::Arc;

use datafusion::arrow::compute::CastOptions;
use datafusion::arrow::datatypes::{DataType, FieldRef, TimeUnit};
use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::{Transformed, TransformedResult, TreeNode};
use datafusion::common::{DFSchema, internal_err};
use datafusion::error::Result;
use datafusion::logical_expr::expr::{Between, InList, ScalarFunction};
use datafusion::logical_expr::expr_rewriter::NamePreserver;
use datafusion::logical_expr::interval_arithmetic::Interval;
use datafusion::logical_expr::sort_properties::{ExprProperties, SortProperties};
use datafusion::logical_expr::utils::merge_schema;
use datafusion::logical_expr::{
    BinaryExpr, Cast, ColumnarValue, Expr, ExprSchemable, LogicalPlan, Operator, ReturnFieldArgs,
    ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl, Signature, TryCast, Volatility, lit,
};
use datafusion::optimizer::optimizer::ApplyOrder;
use datafusion::optimizer::{AnalyzerRule, Optimizer, OptimizerConfig, OptimizerRule};
use datafusion::scalar::ScalarValue;

/// Returns the functions that convert times.
pub(crate) fn functions() -> [Arc<ScalarUDF>; 2] {
    [false, true].map(|is_try| {
        let signature = Signature::any(2, Volatility::Immutable);
        Arc::new(ScalarUDF::new_from_impl(AsTime { is_try, signature }))
    })
}

/// Puts the function in the place of conversions to finer units.
#[derive(Debug)]
pub(crate) struct KeepTimes;

impl AnalyzerRule for KeepTimes {
    fn analyze(&self, plan: LogicalPlan, _: &ConfigOptions) -> Result<LogicalPlan> {
        let [cast, try_cast] = functions();
        let hide = |expression: Expr, schema: &DFSchema| {
            let (function, inner, field) = match &expression {
                Expr::Cast(Cast { expr, field }) => (&cast, expr, field),
                Expr::TryCast(TryCast { expr, field }) => (&try_cast, expr, field),
                _ => return Ok(Transformed::no(expression)),
            };
            let is_type_only = field.name().is_empty() && field.metadata().is_empty();
            let to = field.data_type();
            let from = inner.get_type(schema);
            if !is_type_only || !from.is_ok_and(|from| is_finer(&from, to)) {
                return Ok(Transformed::no(expression));
            }
            // The second argument has the type of the result.
            let example = ScalarValue::Int64(Some(0)).cast_to(to)?;
            Ok(Transformed::yes(function.call(vec![inner.as_ref().clone(), lit(example)])))
        };
        plan.transform_up_with_subqueries(|plan| rewritten(plan, &hide)).data()
    }

    fn name(&self) -> &str {
        "keep_times"
    }
}

/// Adds the rule that compares times with literals, after DataFusion's that finds the values of literals.
pub(crate) fn with_exact_times(optimizer: &mut Optimizer) {
    let position = optimizer.rules.iter().position(|rule| rule.name() == "simplify_expressions");
    let position = position.map_or(optimizer.rules.len(), |position| position + 1);
    optimizer.rules.insert(position, Arc::new(ExactTimes));
}

/// Compares times with literals in the unit of the times.
#[derive(Debug)]
struct ExactTimes;

impl OptimizerRule for ExactTimes {
    fn name(&self) -> &str {
        "exact_times"
    }

    fn apply_order(&self) -> Option<ApplyOrder> {
        Some(ApplyOrder::BottomUp)
    }

    fn rewrite(
        &self,
        plan: LogicalPlan,
        _: &dyn OptimizerConfig,
    ) -> Result<Transformed<LogicalPlan>> {
        rewritten(plan, &|expression, schema| {
            Ok(match in_unit_of_column(&expression, schema) {
                Some(exact) => Transformed::yes(exact),
                None => Transformed::no(expression),
            })
        })
    }
}

/// Rewrites the expressions of a plan; its columns keep their names.
pub(crate) fn rewritten(
    plan: LogicalPlan,
    rewrite: &dyn Fn(Expr, &DFSchema) -> Result<Transformed<Expr>>,
) -> Result<Transformed<LogicalPlan>> {
    let mut schema = merge_schema(&plan.inputs());
    if let LogicalPlan::TableScan(scan) = &plan {
        let (table, columns) = (scan.table_name.clone(), scan.source.schema());
        schema.merge(&DFSchema::try_from_qualified_schema(table, &columns)?);
    }
    let names = NamePreserver::new(&plan);
    let with_its_name = |expression: Expr| {
        let name = names.save(&expression);
        let rewritten = expression.transform_up(|part| rewrite(part, &schema))?;
        Ok(match rewritten.transformed {
            true => rewritten.update_data(|expression| name.restore(expression)),
            false => rewritten,
        })
    };
    let rewritten = plan.map_expressions(|expression| match expression {
        // The columns of `ROLLUP (x, y)` are its parts.
        Expr::GroupingSet(_) => expression.map_children(with_its_name),
        _ => with_its_name(expression),
    })?;
    match rewritten.transformed {
        true => rewritten.map_data(LogicalPlan::recompute_schema),
        false => Ok(rewritten),
    }
}

/// Returns true for a conversion whose result has more values than its argument.
fn is_finer(from: &DataType, to: &DataType) -> bool {
    match (from, to) {
        (DataType::Timestamp(from, of), DataType::Timestamp(to, zone)) => {
            per_second(*from) < per_second(*to) || (from == to && of != zone)
        }
        (DataType::Date32, DataType::Timestamp(..)) => true,
        _ => false,
    }
}

fn per_second(unit: TimeUnit) -> i64 {
    match unit {
        TimeUnit::Second => 1,
        TimeUnit::Millisecond => 1_000,
        TimeUnit::Microsecond => 1_000_000,
        TimeUnit::Nanosecond => 1_000_000_000,
    }
}

/// A time, converted to a finer unit.
struct Converted<'e> {
    time: &'e Expr,
    /// Its own type.
    of: DataType,
    /// The number of fine units in one of the coarse ones.
    ratio: i64,
}

impl<'e> Converted<'e> {
    /// Returns the time that an expression converts, if it has as many values as the result can tell apart.
    fn new(expression: &'e Expr, schema: &DFSchema) -> Option<Self> {
        let Expr::ScalarFunction(ScalarFunction { func, args }) = expression else { return None };
        let function = func.inner().downcast_ref::<AsTime>()?;
        let [time, Expr::Literal(example, _)] = &args[..] else { return None };
        let (of, to) = (time.get_type(schema).ok()?, example.data_type());
        let ratio = match (&of, &to) {
            (DataType::Timestamp(from, zone), DataType::Timestamp(to, other)) if zone == other => {
                per_second(*to) / per_second(*from)
            }
            (DataType::Date32, DataType::Timestamp(to, None)) => 86_400 * per_second(*to),
            _ => return None,
        };
        (!function.is_try && !time.is_volatile()).then_some(Converted { time, of, ratio })
    }

    /// Returns the last time that is not after a literal, and true if it is the same time; `None` if it is not a literal, or there is no such time.
    fn bound(&self, literal: &Expr) -> Option<(Expr, bool)> {
        let Expr::Literal(value, _) = literal else { return None };
        let (ScalarValue::TimestampSecond(Some(count), _)
        | ScalarValue::TimestampMillisecond(Some(count), _)
        | ScalarValue::TimestampMicrosecond(Some(count), _)
        | ScalarValue::TimestampNanosecond(Some(count), _)) = value
        else {
            return None;
        };
        let (floor, rest) = (count.div_euclid(self.ratio), count.rem_euclid(self.ratio));
        let floor = match &self.of {
            DataType::Date32 => ScalarValue::Date32(Some(i32::try_from(floor).ok()?)),
            of => ScalarValue::Int64(Some(floor)).cast_to(of).ok()?,
        };
        Some((lit(floor), rest == 0))
    }

    /// Returns the comparison with a literal.
    fn compared(&self, operator: Operator, literal: &Expr) -> Option<Expr> {
        let (floor, is_exact) = self.bound(literal)?;
        let operator = match (operator, is_exact) {
            (_, true) => operator,
            (Operator::Lt | Operator::LtEq, false) => Operator::LtEq,
            (Operator::Gt | Operator::GtEq, false) => Operator::Gt,
            (Operator::Eq, false) => return Some(self.never()),
            (Operator::NotEq, false) => return Some(self.always()),
            (Operator::IsDistinctFrom, false) => return Some(lit(true)),
            (Operator::IsNotDistinctFrom, false) => return Some(lit(false)),
            (_, false) => return None,
        };
        let is_comparison = operator.supports_propagation()
            || matches!(operator, Operator::NotEq)
            || matches!(operator, Operator::IsDistinctFrom | Operator::IsNotDistinctFrom);
        is_comparison.then(|| binary(self.time.clone(), operator, floor))
    }

    /// Returns a condition that no time meets. That of a null is null.
    fn never(&self) -> Expr {
        self.time.clone().is_null().and(lit(ScalarValue::Boolean(None)))
    }

    /// Returns a condition that all times meet. That of a null is null.
    fn always(&self) -> Expr {
        self.time.clone().is_not_null().or(lit(ScalarValue::Boolean(None)))
    }
}

fn binary(left: Expr, operator: Operator, right: Expr) -> Expr {
    Expr::BinaryExpr(BinaryExpr::new(Box::new(left), operator, Box::new(right)))
}

/// Returns the same comparison in the unit of the column; `None` if it does not compare a converted time with literals.
fn in_unit_of_column(expression: &Expr, schema: &DFSchema) -> Option<Expr> {
    match expression {
        Expr::BinaryExpr(BinaryExpr { left, op, right }) => match Converted::new(left, schema) {
            Some(time) => time.compared(*op, right),
            None => Converted::new(right, schema)?.compared(op.swap()?, left),
        },
        Expr::Between(Between { expr, negated, low, high }) => {
            let time = Converted::new(expr, schema)?;
            Some(match negated {
                false => {
                    let low = time.compared(Operator::GtEq, low)?;
                    low.and(time.compared(Operator::LtEq, high)?)
                }
                true => {
                    let low = time.compared(Operator::Lt, low)?;
                    low.or(time.compared(Operator::Gt, high)?)
                }
            })
        }
        Expr::InList(InList { expr, list, negated }) => {
            let time = Converted::new(expr, schema)?;
            let mut kept = Vec::new();
            for literal in list {
                match literal {
                    Expr::Literal(value, _) if value.is_null() => {
                        kept.push(lit(ScalarValue::try_from(&time.of).ok()?));
                    }
                    _ => {
                        let (floor, is_exact) = time.bound(literal)?;
                        kept.extend(is_exact.then_some(floor));
                    }
                }
            }
            Some(match (kept.is_empty(), negated) {
                (false, _) => time.time.clone().in_list(kept, *negated),
                (true, false) => time.never(),
                (true, true) => time.always(),
            })
        }
        _ => None,
    }
}

/// Converts its first argument to the type of the second one. A time that has no such value is an error, or null.
#[derive(Debug, PartialEq, Eq, Hash)]
struct AsTime {
    is_try: bool,
    signature: Signature,
}

impl ScalarUDFImpl for AsTime {
    fn name(&self) -> &str {
        if self.is_try { "npy_try_as_time" } else { "npy_as_time" }
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, types: &[DataType]) -> Result<DataType> {
        match types {
            [_, to] => Ok(to.clone()),
            _ => internal_err!("{} without two arguments", self.name()),
        }
    }

    /// Returns the field that a conversion has.
    fn return_field_from_args(&self, args: ReturnFieldArgs) -> Result<FieldRef> {
        let [from, to] = args.arg_fields else {
            return internal_err!("{} without two arguments", self.name());
        };
        let field = from.as_ref().clone().with_data_type(to.data_type().clone());
        let is_nullable = self.is_try || from.is_nullable();
        Ok(Arc::new(field.with_nullable(is_nullable)))
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let Some(time) = args.args.first() else {
            return internal_err!("{} without two arguments", self.name());
        };
        let options = CastOptions { safe: self.is_try, ..CastOptions::default() };
        time.cast_to(args.return_field.data_type(), Some(&options))
    }

    /// Returns the bounds of the type: DataFusion compares them with those of the other side, and has no order for a window if the types differ.
    fn evaluate_bounds(&self, inputs: &[&Interval]) -> Result<Interval> {
        match inputs {
            [_, to] => Interval::make_unbounded(&to.data_type()),
            _ => internal_err!("{} without two arguments", self.name()),
        }
    }

    /// Returns that the result is in the order of the argument.
    fn output_ordering(&self, inputs: &[ExprProperties]) -> Result<SortProperties> {
        Ok(inputs.first().map_or(SortProperties::Unordered, |time| time.sort_properties))
    }
}
