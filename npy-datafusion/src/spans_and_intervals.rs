//! Intervals of days as values among spans of time.
//!
//! DataFusion 55.2 makes intervals of the spans, and counts the days of an interval apart from its hours: a day is not equal to 24 hours, and comes
//! after all hours. [`crate::exact_times`] converts the sides of a comparison, but a column would keep both.

use datafusion::arrow::datatypes::DataType;
use datafusion::common::{DFSchema, plan_err};
use datafusion::error::Result;
use datafusion::logical_expr::{Distinct, Expr, ExprSchemable, LogicalPlan};

use crate::exact_times::{interval, is_span};

/// Values that become one column, or are compared as columns.
#[derive(PartialEq)]
pub(crate) enum Values {
    /// Spans, and intervals that are computed of them.
    Spans,
    /// Intervals that may have days.
    Days,
    /// Intervals without days, and values of other types.
    Others,
}

impl Values {
    /// Returns the values of an expression.
    pub(crate) fn of(value: &Expr, schema: &DFSchema) -> Values {
        match value.get_type(schema) {
            Ok(DataType::Duration(_)) => Values::Spans,
            Ok(of @ DataType::Interval(_)) => match interval(value) {
                Some(parts) if parts.days == 0 => Values::Others,
                None if is_span(value, &of, schema) => Values::Spans,
                _ => Values::Days,
            },
            _ => Values::Others,
        }
    }

    /// Returns the values of a column of a query.
    pub(crate) fn of_column(query: &LogicalPlan, index: usize) -> Values {
        match query {
            LogicalPlan::Projection(columns) => match columns.expr.get(index).map(unaliased) {
                Some(Expr::Column(column)) => {
                    let index = columns.input.schema().maybe_index_of_column(column);
                    index.map_or(Values::Others, |index| Values::of_column(&columns.input, index))
                }
                Some(other) => Values::of(other, columns.input.schema()),
                None => Values::Others,
            },
            LogicalPlan::SubqueryAlias(query) => Values::of_column(&query.input, index),
            LogicalPlan::Distinct(Distinct::All(query)) => Values::of_column(query, index),
            LogicalPlan::Limit(limit) => Values::of_column(&limit.input, index),
            LogicalPlan::Sort(sort) => Values::of_column(&sort.input, index),
            LogicalPlan::Filter(filter) => Values::of_column(&filter.input, index),
            other => match other.schema().field(index).data_type() {
                DataType::Duration(_) => Values::Spans,
                DataType::Interval(_) => Values::Days,
                _ => Values::Others,
            },
        }
    }
}

fn unaliased(expression: &Expr) -> &Expr {
    match expression {
        Expr::Alias(alias) => &alias.expr,
        other => other,
    }
}

/// Refuses intervals of days among spans.
pub(crate) fn check_values(sides: &[Values]) -> Result<()> {
    match sides.contains(&Values::Spans) && sides.contains(&Values::Days) {
        true => plan_err!(
            "intervals of days would be values among spans of time, which have hours; write the hours, as INTERVAL '24 hours', or arrow_cast(x, 'Duration(ns)') for intervals of hours"
        ),
        false => Ok(()),
    }
}
