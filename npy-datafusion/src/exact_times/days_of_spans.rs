//! Days of intervals among spans of time.
//!
//! DataFusion 55.2 compares first the months, then the days, and then the nanoseconds of two intervals, and a span has nanoseconds alone. So
//! `s > INTERVAL '1 day'` has no row. Here a day has 24 hours in a comparison, and among spans, as in NumPy.

use datafusion::arrow::datatypes::{DataType, IntervalMonthDayNano, IntervalUnit, TimeUnit};
use datafusion::common::tree_node::{Transformed, TreeNode, TreeNodeRecursion};
use datafusion::common::{DFSchema, plan_err};
use datafusion::error::Result;
use datafusion::logical_expr::{Cast, Expr, ExprSchemable, lit};
use datafusion::scalar::ScalarValue;

use super::{hours, per_second};
use crate::time_literals::compared;

/// The nanoseconds of a day.
const DAY: i128 = 86_400_000_000_000;

/// Puts hours in the place of the days of intervals that are compared, or are next to spans.
pub(crate) fn with_hours(expression: Expr, schema: &DFSchema) -> Result<Transformed<Expr>> {
    let is_comparison = !compared(&expression).is_empty();
    let mut has_literal = false;
    expression.apply_children(|part| {
        has_literal |= interval(part).is_some();
        Ok(TreeNodeRecursion::Continue)
    })?;
    // The types of a deep tree are not looked at in each part of it.
    if !(is_comparison || has_literal) {
        return Ok(Transformed::no(expression));
    }
    let (mut types, mut has_span) = (Vec::new(), false);
    expression.apply_children(|part| {
        let data_type = part.get_type(schema)?;
        has_span |= is_span(part, &data_type, schema);
        types.push(data_type);
        Ok(TreeNodeRecursion::Continue)
    })?;
    if !(is_comparison || has_span) {
        return Ok(Transformed::no(expression));
    }
    // A comparison of spans of seconds reaches further than nanoseconds.
    let unit = types.iter().find_map(|it| match it {
        DataType::Duration(unit) => Some(*unit),
        _ => None,
    });
    let unit = unit.filter(|_| is_comparison);
    let mut types = types.into_iter();
    expression.map_children(|part| {
        let data_type = types.next();
        Ok(match interval(&part) {
            Some(parts) if has_span && parts.months != 0 => {
                return plan_err!(
                    "an interval of months has no number of days, and is next to a span of time; write days, as INTERVAL '30 days'"
                );
            }
            Some(parts) => {
                let span = unit.and_then(|unit| span_of(nanoseconds_of(parts), unit));
                Transformed::yes(lit(
                    span.unwrap_or(ScalarValue::IntervalMonthDayNano(Some(in_hours(parts))))
                ))
            }
            None if is_comparison && matches!(data_type, Some(DataType::Interval(_))) => {
                hours::of(part)
            }
            None => Transformed::no(part),
        })
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

/// Returns the nanoseconds of the days and hours of an interval.
pub(super) fn nanoseconds_of(parts: IntervalMonthDayNano) -> i128 {
    i128::from(parts.days) * DAY + i128::from(parts.nanoseconds)
}

/// Returns a span of a unit; `None` for one that the unit does not count.
pub(super) fn span_of(nanoseconds: i128, unit: TimeUnit) -> Option<ScalarValue> {
    let size = i128::from(per_second(TimeUnit::Nanosecond) / per_second(unit));
    if nanoseconds % size != 0 {
        return None;
    }
    let count = i64::try_from(nanoseconds / size).ok()?;
    ScalarValue::Int64(Some(count)).cast_to(&DataType::Duration(unit)).ok()
}

/// Returns the interval with hours in the place of its days. One that is longer than all of nanoseconds keeps whole days, so that its order is right.
pub(super) fn in_hours(parts: IntervalMonthDayNano) -> IntervalMonthDayNano {
    let whole = nanoseconds_of(parts);
    let (days, rest) = match i64::try_from(whole) {
        Ok(nanoseconds) => (Ok(0), Ok(nanoseconds)),
        Err(_) => (i32::try_from(whole / DAY), i64::try_from(whole % DAY)),
    };
    match (days, rest) {
        (Ok(days), Ok(nanoseconds)) => IntervalMonthDayNano { days, nanoseconds, ..parts },
        _ => parts,
    }
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
    let parts = parts_of(value)?;
    if is_negative { parts.checked_neg() } else { Some(parts) }
}

/// Returns the parts of an interval, or of a text that is one; `None` for null.
pub(super) fn parts_of(value: &ScalarValue) -> Option<IntervalMonthDayNano> {
    match value.cast_to(&DataType::Interval(IntervalUnit::MonthDayNano)).ok()? {
        ScalarValue::IntervalMonthDayNano(parts) => parts,
        _ => None,
    }
}
