//! Text that is compared with days and times.
//!
//! DataFusion 55.2 makes a day of the text in `d < '2026-01-01T12:00:00'`, and the row of that day is lost. So before it converts the text, a rule of the analyzer makes a
//! `TIMESTAMP` of one that has a time of day.
//!
//! It makes nanoseconds of the text in `t < '9999-12-31'`, and of `TIMESTAMP '9999-12-31'`, which end in the year 2262. The rule makes microseconds of it.

use datafusion::arrow::datatypes::{DataType, TimeUnit};
use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::{Transformed, TransformedResult, TreeNode};
use datafusion::common::{DFSchema, ScalarValue};
use datafusion::error::Result;
use datafusion::logical_expr::expr::{Between, InList};
use datafusion::logical_expr::{BinaryExpr, Cast, Expr, ExprSchemable, LogicalPlan, cast, lit};
use datafusion::optimizer::AnalyzerRule;

use crate::exact_times::{rewritten, unit_of_frames, with_exact_sums, with_hours};

/// Keeps the times of text, and makes sums of times and spans exact.
#[derive(Debug)]
pub(crate) struct KeepTimesOfText;

impl AnalyzerRule for KeepTimesOfText {
    fn analyze(&self, plan: LogicalPlan, _: &ConfigOptions) -> Result<LogicalPlan> {
        plan.transform_up_with_subqueries(|plan| {
            let of_frames = unit_of_frames(&plan);
            rewritten(plan, &|expression, schema| {
                with_exact_sums(expression, schema, of_frames)?
                    .transform_data(|it| with_hours(it, schema))?
                    .transform_data(|it| with_far_times(it, schema))?
                    .transform_data(|it| with_times(it, schema))
            })
        })
        .data()
    }

    fn name(&self) -> &str {
        "keep_times_of_text"
    }
}

/// Puts times in the place of text in a comparison with days.
fn with_times(expression: Expr, schema: &DFSchema) -> Result<Transformed<Expr>> {
    let operands = compared(&expression);
    let is_day = |operand: &Expr| operand.get_type(schema).is_ok_and(|it| it == DataType::Date32);
    let time_of = |operand: &Expr| operand.as_literal().and_then(time_of_day);
    let has_day = operands.iter().any(|operand| is_day(operand));
    let of_days = operands.into_iter().filter(|_| has_day);
    let Some(time) = of_days.filter_map(time_of).next_back() else {
        return Ok(Transformed::no(expression));
    };
    expression.map_children(|operand| {
        Ok(match time_of(&operand) {
            Some(time) => Transformed::yes(lit(time)),
            // In the unit of the time: DataFusion would convert both to nanoseconds.
            None if is_day(&operand) => Transformed::yes(cast(operand, time.data_type())),
            None => Transformed::no(operand),
        })
    })
}

/// Puts microseconds in the place of text that nanoseconds do not count, in a comparison with times.
fn with_far_times(expression: Expr, schema: &DFSchema) -> Result<Transformed<Expr>> {
    let is_time = |operand: &&Expr| {
        operand.get_type(schema).is_ok_and(|it| matches!(it, DataType::Timestamp(_, None)))
    };
    if !compared(&expression).iter().any(is_time) {
        return Ok(Transformed::no(expression));
    }
    expression.map_children(|operand| {
        Ok(match far_time(&operand) {
            Some(time) => Transformed::yes(lit(time)),
            None => Transformed::no(operand),
        })
    })
}

/// Returns the time that a text is, or a literal `TIMESTAMP '…'`, if nanoseconds do not count it.
fn far_time(operand: &Expr) -> Option<ScalarValue> {
    let nanoseconds = DataType::Timestamp(TimeUnit::Nanosecond, None);
    let text = match operand {
        Expr::Cast(Cast { expr, field }) if *field.data_type() == nanoseconds => {
            expr.as_literal()?
        }
        _ => operand.as_literal()?,
    };
    text.try_as_str()??;
    match text.cast_to(&nanoseconds) {
        Ok(_) => None,
        Err(_) => text.cast_to(&DataType::Timestamp(TimeUnit::Microsecond, None)).ok(),
    }
}

/// Returns the operands of a comparison, which are all of its children; none of another expression.
pub(crate) fn compared(expression: &Expr) -> Vec<&Expr> {
    match expression {
        Expr::BinaryExpr(BinaryExpr { left, op, right }) if op.supports_propagation() => {
            vec![left, right]
        }
        Expr::Between(Between { expr, low, high, .. }) => vec![expr, low, high],
        Expr::InList(InList { expr, list, .. }) => std::iter::once(&**expr).chain(list).collect(),
        _ => Vec::new(),
    }
}

/// Returns the time that a text is; `None` if it is a day, or no time at all, whose error is DataFusion's.
pub(crate) fn time_of_day(text: &ScalarValue) -> Option<ScalarValue> {
    text.try_as_str()??;
    let day = text.cast_to(&DataType::Date32).ok()?;
    // Nanoseconds end in the year 2262.
    let time = [TimeUnit::Nanosecond, TimeUnit::Microsecond]
        .into_iter()
        .find_map(|unit| text.cast_to(&DataType::Timestamp(unit, None)).ok())?;
    (day.cast_to(&time.data_type()).ok()? != time).then_some(time)
}
