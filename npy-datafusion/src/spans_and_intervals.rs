//! Intervals of days as values among spans of time.
//!
//! DataFusion 55.2 makes intervals of the spans, and counts the days of an interval apart from its hours: a day is not equal to 24 hours, and comes
//! after all hours. [`crate::exact_times`] converts the sides of a comparison, but a column would keep both.

use datafusion::arrow::datatypes::DataType;
use datafusion::common::plan_err;
use datafusion::error::Result;
use datafusion::logical_expr::{Distinct, Expr, LogicalPlan, Union};

use crate::exact_times::interval;

/// Refuses such a literal in a column of UNION.
pub(crate) fn check_columns(union: &Union) -> Result<()> {
    (0..union.schema.fields().len()).try_for_each(|index| {
        let types = union.inputs.iter().map(|it| it.schema().field(index).data_type());
        let is_span = |it: &&DataType| matches!(it, DataType::Duration(_));
        types.filter(is_span).try_for_each(|span| {
            union.inputs.iter().try_for_each(|other| check_column(span, other, index))
        })
    })
}

/// Refuses such a literal as a column of a query whose values are compared with those of a type.
pub(crate) fn check_column(of: &DataType, query: &LogicalPlan, index: usize) -> Result<()> {
    let parts = source(query, index).and_then(interval);
    match (of, parts) {
        (DataType::Duration(_), Some(parts)) if parts.days != 0 => plan_err!(
            "an interval of days would be a value among spans of time, which have hours; write its hours, as INTERVAL '24 hours'"
        ),
        _ => Ok(()),
    }
}

/// Returns the expression that a column of a query is, if the query computes it.
fn source(query: &LogicalPlan, index: usize) -> Option<&Expr> {
    match query {
        LogicalPlan::Projection(columns) => match columns.expr.get(index)? {
            Expr::Alias(alias) => Some(&alias.expr),
            Expr::Column(column) => {
                source(&columns.input, columns.input.schema().maybe_index_of_column(column)?)
            }
            other => Some(other),
        },
        LogicalPlan::SubqueryAlias(query) => source(&query.input, index),
        LogicalPlan::Distinct(Distinct::All(query)) => source(query, index),
        _ => None,
    }
}
