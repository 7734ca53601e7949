//! Days of intervals among spans of time.
//!
//! DataFusion 55.2 compares first the months, then the days, and then the nanoseconds of two intervals, and a span has nanoseconds alone. So
//! `s > INTERVAL '1 day'` has no row. Here a day among spans has 24 hours, as in NumPy.

use datafusion::arrow::datatypes::{DataType, IntervalMonthDayNano, IntervalUnit, TimeUnit};
use datafusion::common::tree_node::{Transformed, TreeNode, TreeNodeRecursion};
use datafusion::common::{DFSchema, plan_err};
use datafusion::error::Result;
use datafusion::logical_expr::{Cast, Expr, ExprSchemable, lit};
use datafusion::scalar::ScalarValue;

use super::per_second;
use crate::time_literals::compared;

/// The nanoseconds of a day.
const DAY: i128 = 86_400_000_000_000;

/// Puts hours in the place of the days of intervals that are compared with spans, or added to them.
pub(crate) fn with_hours(expression: Expr, schema: &DFSchema) -> Result<Transformed<Expr>> {
    let mut has_literal = false;
    expression.apply_children(|part| {
        has_literal |= interval(part).is_some();
        Ok(TreeNodeRecursion::Continue)
    })?;
    // The types of a deep tree are not looked at in each part of it.
    if !has_literal {
        return Ok(Transformed::no(expression));
    }
    let (mut types, mut has_span) = (Vec::new(), false);
    expression.apply_children(|part| {
        let data_type = part.get_type(schema)?;
        has_span |= is_span(part, &data_type, schema);
        types.push(data_type);
        Ok(TreeNodeRecursion::Continue)
    })?;
    if !has_span {
        return Ok(Transformed::no(expression));
    }
    // A comparison of spans of seconds reaches further than nanoseconds.
    let unit = types.iter().find_map(|it| match it {
        DataType::Duration(unit) => Some(*unit),
        _ => None,
    });
    let unit = unit.filter(|_| !compared(&expression).is_empty());
    expression.map_children(|part| match interval(&part) {
        Some(span) if span.months != 0 => {
            plan_err!(
                "an interval of months has no number of days, and is next to a span of time; write days, as INTERVAL '30 days'"
            )
        }
        Some(span) => {
            let nanoseconds = i128::from(span.days) * DAY + i128::from(span.nanoseconds);
            // One that is longer than all spans of nanoseconds is compared right.
            Ok(match in_unit(nanoseconds, unit) {
                Some(span) => Transformed::yes(lit(span)),
                None => Transformed::no(part),
            })
        }
        None => Ok(Transformed::no(part)),
    })
}

/// Returns true for a span of time, and for an interval that is computed of one.
pub(crate) fn is_span(part: &Expr, data_type: &DataType, schema: &DFSchema) -> bool {
    match data_type {
        DataType::Duration(_) => true,
        DataType::Interval(_) => {
            let is_duration = |part: &Expr| {
                Ok(part.get_type(schema).is_ok_and(|it| matches!(it, DataType::Duration(_))))
            };
            part.exists(is_duration).unwrap_or(false)
        }
        _ => false,
    }
}

/// Returns a span of a unit, or without one that counts it an interval of nanoseconds.
fn in_unit(nanoseconds: i128, unit: Option<TimeUnit>) -> Option<ScalarValue> {
    if let Some(unit) = unit
        && let size = i128::from(per_second(TimeUnit::Nanosecond) / per_second(unit))
        && nanoseconds % size == 0
        && let Ok(count) = i64::try_from(nanoseconds / size)
    {
        return ScalarValue::Int64(Some(count)).cast_to(&DataType::Duration(unit)).ok();
    }
    let nanoseconds = i64::try_from(nanoseconds).ok()?;
    let hours = IntervalMonthDayNano { months: 0, days: 0, nanoseconds };
    Some(ScalarValue::IntervalMonthDayNano(Some(hours)))
}

/// Returns the interval that a literal is; `None` for other expressions.
pub(crate) fn interval(part: &Expr) -> Option<IntervalMonthDayNano> {
    let (value, is_negative) = match part {
        Expr::Literal(value, _) if matches!(value.data_type(), DataType::Interval(_)) => {
            (value, false)
        }
        Expr::Cast(Cast { expr, field }) if matches!(field.data_type(), DataType::Interval(_)) => {
            (expr.as_literal()?, false)
        }
        Expr::Negative(value) => (value.as_literal()?, true),
        _ => return None,
    };
    let value = value.cast_to(&DataType::Interval(IntervalUnit::MonthDayNano)).ok()?;
    let ScalarValue::IntervalMonthDayNano(Some(span)) = value else { return None };
    if !is_negative {
        return Some(span);
    }
    let IntervalMonthDayNano { months, days, nanoseconds } = span;
    let nanoseconds = nanoseconds.checked_neg()?;
    Some(IntervalMonthDayNano { months: -months, days: -days, nanoseconds })
}
