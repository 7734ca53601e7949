//! Sums of times and of spans that have a finer unit.
//!
//! DataFusion 55.2 keeps the type of the time, so `d + INTERVAL '12 hours'` is the day, and `s - INTERVAL '500 milliseconds'` a second
//! less. Here the time is first converted to the unit of the span, as in NumPy; days become seconds. So is the time in `ORDER BY` of a
//! frame `RANGE BETWEEN INTERVAL '500 milliseconds' PRECEDING …`.

use datafusion::arrow::datatypes::{DataType, IntervalUnit, TimeUnit};
use datafusion::common::DFSchema;
use datafusion::common::tree_node::{Transformed, TreeNode, TreeNodeRecursion};
use datafusion::error::Result;
use datafusion::logical_expr::{
    BinaryExpr, Cast, Expr, ExprSchemable, LogicalPlan, Operator, WindowFrameBound,
    WindowFrameUnits, cast,
};
use datafusion::scalar::ScalarValue;

use super::{nanoseconds, per_second};

/// Makes a sum exact, unless the planner has, and the frame of a window, whose order is converted to the unit of frames.
pub(crate) fn with_exact_sums(
    expression: Expr,
    schema: &DFSchema,
    of_frames: Option<TimeUnit>,
) -> Result<Transformed<Expr>> {
    Ok(match expression {
        Expr::BinaryExpr(BinaryExpr {
            left,
            op: op @ (Operator::Plus | Operator::Minus),
            right,
        }) => match exact_sum(&left, &right, schema) {
            Some((left, right)) => Transformed::yes(super::binary(left, op, right)),
            None => Transformed::no(super::binary(*left, op, *right)),
        },
        Expr::WindowFunction(mut call) => {
            let finer = match (&mut call.params.order_by[..], of_frames) {
                ([order], Some(unit)) => {
                    in_unit(&order.expr, unit, schema).map(|finer| order.expr = finer)
                }
                _ => None,
            };
            Transformed::new_transformed(Expr::WindowFunction(call), finer.is_some())
        }
        other => Transformed::no(other),
    })
}

/// Converts the time, if the other side is a span with a finer unit. It looks at the right side first: the left one of many terms is deep.
pub(crate) fn exact_sum(left: &Expr, right: &Expr, schema: &DFSchema) -> Option<(Expr, Expr)> {
    match unit_of(right, schema) {
        Some(unit) => Some((in_unit(left, unit, schema)?, right.clone())),
        None => {
            nanoseconds(&right.get_type(schema).ok()?)?;
            Some((left.clone(), in_unit(right, unit_of(left, schema)?, schema)?))
        }
    }
}

/// Returns the finest unit of the frames of a step. All windows of a step have one order.
pub(crate) fn unit_of_frames(plan: &LogicalPlan) -> Option<TimeUnit> {
    let LogicalPlan::Window(windows) = plan else { return None };
    let frames = windows.window_expr.iter().filter_map(|it| match it.clone().unalias() {
        Expr::WindowFunction(call) => Some(call.params.window_frame),
        _ => None,
    });
    let of_range = frames.filter(|frame| frame.units == WindowFrameUnits::Range);
    let bounds = of_range.flat_map(|frame| [frame.start_bound, frame.end_bound]);
    let of_bound = |bound| match bound {
        WindowFrameBound::Preceding(span) | WindowFrameBound::Following(span) => {
            unit_of_interval(&span)
        }
        WindowFrameBound::CurrentRow => None,
    };
    bounds.filter_map(of_bound).max()
}

/// Converts a time to a finer unit; `None` for a time that has it, and for other values.
fn in_unit(time: &Expr, unit: TimeUnit, schema: &DFSchema) -> Option<Expr> {
    let of = time.get_type(schema).ok()?;
    let zone = match &of {
        DataType::Timestamp(_, zone) => zone.clone(),
        _ => None,
    };
    let finer = DataType::Timestamp(unit, zone);
    (nanoseconds(&of)? > nanoseconds(&finer)?).then(|| cast(time.clone(), finer))
}

/// Returns the unit of a span; `None` for days and months, and for other values.
fn unit_of(span: &Expr, schema: &DFSchema) -> Option<TimeUnit> {
    match (span, span.get_type(schema).ok()?) {
        (_, DataType::Duration(unit)) => return Some(unit),
        (Expr::Literal(interval, _), DataType::Interval(_)) => return unit_of_interval(interval),
        (Expr::Cast(Cast { expr, .. }), DataType::Interval(_)) if expr.as_literal().is_some() => {
            return unit_of_interval(expr.as_literal()?);
        }
        (_, DataType::Interval(_)) => {}
        _ => return None,
    }
    let mut units = Vec::new();
    let part_of_span = |part: &Expr| {
        let is_span = |it| matches!(it, DataType::Interval(_) | DataType::Duration(_));
        if part.get_type(schema).is_ok_and(is_span) {
            units.push(unit_of(part, schema));
        }
        Ok(TreeNodeRecursion::Continue)
    };
    span.apply_children(part_of_span).ok()?;
    // Those of a column are not known.
    units.into_iter().max().unwrap_or(Some(TimeUnit::Nanosecond))
}

fn unit_of_interval(interval: &ScalarValue) -> Option<TimeUnit> {
    const UNITS: [TimeUnit; 4] =
        [TimeUnit::Second, TimeUnit::Millisecond, TimeUnit::Microsecond, TimeUnit::Nanosecond];
    let interval = interval.cast_to(&DataType::Interval(IntervalUnit::MonthDayNano)).ok()?;
    let ScalarValue::IntervalMonthDayNano(Some(parts)) = interval else { return None };
    let size = |unit: &TimeUnit| per_second(TimeUnit::Nanosecond) / per_second(*unit);
    UNITS.into_iter().find(|unit| parts.nanoseconds != 0 && parts.nanoseconds % size(unit) == 0)
}
