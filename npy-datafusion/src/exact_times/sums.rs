//! Sums of times and of spans that have a finer unit.
//!
//! DataFusion 55.2 keeps the type of the time, so `d + INTERVAL '12 hours'` is the day, and `s - INTERVAL '500 milliseconds'` a second
//! less. Here the time is first converted to the unit of the span, as in NumPy; days become seconds. So is the time in `ORDER BY` of a
//! frame `RANGE BETWEEN INTERVAL '500 milliseconds' PRECEDING …`. Two spans, where one may be an interval, are added in the finer unit of both:
//! DataFusion makes an interval of them, whose days are apart from its hours.

use datafusion::arrow::datatypes::{DataType, IntervalMonthDayNano, TimeUnit};
use datafusion::common::DFSchema;
use datafusion::common::tree_node::{Transformed, TreeNode, TreeNodeRecursion};
use datafusion::error::Result;
use datafusion::logical_expr::{
    BinaryExpr, Expr, ExprSchemable, LogicalPlan, Operator, WindowFrameBound, WindowFrameUnits,
    cast, lit,
};
use datafusion::scalar::ScalarValue;

use super::days_of_spans::{interval, nanoseconds_of, parts_of, span_of};
use super::nanoseconds;

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
        }) => match exact_sum(&left, op, &right, schema) {
            Some(sum) => Transformed::yes(sum),
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

/// Converts the sides of a sum or difference of times and spans, and adds literals; `None` if the planner does so.
pub(crate) fn exact_sum(
    left: &Expr,
    operator: Operator,
    right: &Expr,
    schema: &DFSchema,
) -> Option<Expr> {
    if let (Some(left), Some(right)) = (interval(left), interval(right)) {
        let sum = match operator {
            Operator::Plus => left.checked_add(right),
            _ => left.checked_sub(right),
        };
        return Some(lit(ScalarValue::IntervalMonthDayNano(Some(sum?))));
    }
    let sides = of_spans(left, right, schema).or_else(|| of_time(left, right, schema));
    sides.map(|(left, right)| super::binary(left, operator, right))
}

/// Converts two spans to the finer unit of both, which DataFusion 55.2 makes an interval of. It looks at the right side first: the left one of many
/// terms is deep.
fn of_spans(left: &Expr, right: &Expr, schema: &DFSchema) -> Option<(Expr, Expr)> {
    let unit_of = |side: &Expr| match (interval(side), side.get_type(schema).ok()?) {
        (Some(parts), _) => (parts.months == 0).then(|| coarsest(nanoseconds_of(parts))),
        (None, DataType::Duration(unit)) => Some(unit),
        _ => None,
    };
    let (of_right, of_left) = (unit_of(right)?, unit_of(left)?);
    let unit = of_right.max(of_left);
    let side = |side: &Expr, of| match interval(side) {
        Some(parts) => Some(lit(span_of(nanoseconds_of(parts), unit)?)),
        None if of == unit => Some(side.clone()),
        None => Some(cast(side.clone(), DataType::Duration(unit))),
    };
    Some((side(left, of_left)?, side(right, of_right)?))
}

/// Converts the time, if the other side is a span with a finer unit.
fn of_time(left: &Expr, right: &Expr, schema: &DFSchema) -> Option<(Expr, Expr)> {
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
            parts_of(&span).and_then(unit_of_rest)
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
    match (interval(span), span.get_type(schema).ok()?) {
        (Some(parts), _) => return unit_of_rest(parts),
        (None, DataType::Duration(unit)) => return Some(unit),
        (None, DataType::Interval(_)) => {}
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

/// Returns the unit of the time beside days and months.
fn unit_of_rest(parts: IntervalMonthDayNano) -> Option<TimeUnit> {
    (parts.nanoseconds != 0).then(|| coarsest(parts.nanoseconds.into()))
}

/// Returns the coarsest unit that counts a number of nanoseconds.
fn coarsest(nanoseconds: i128) -> TimeUnit {
    let units = [TimeUnit::Second, TimeUnit::Millisecond, TimeUnit::Microsecond];
    let is_whole = |unit: &TimeUnit| span_of(nanoseconds, *unit).is_some();
    units.into_iter().find(is_whole).unwrap_or(TimeUnit::Nanosecond)
}
