//! Spans of time and intervals as values of one column.
//!
//! DataFusion 55.2 makes intervals of the spans. It counts the days of an interval apart from its hours, so a day is not equal to 24 hours, and
//! comes after all hours. [`crate::exact_times`] converts the sides of a comparison, but a column would keep both.

use datafusion::arrow::datatypes::DataType;
use datafusion::common::plan_err;
use datafusion::error::Result;

/// Refuses spans and intervals in a column of UNION, and as the keys of IN, USING, INTERSECT and tuples.
pub(crate) fn check_spans<'t>(types: impl Iterator<Item = &'t DataType> + Clone) -> Result<()> {
    let has = |test: fn(&DataType) -> bool| types.clone().any(test);
    if has(|it| matches!(it, DataType::Duration(_)))
        && has(|it| matches!(it, DataType::Interval(_)))
    {
        return plan_err!(
            "a column of UNION, IN, USING or a tuple has spans of time on one side, and intervals on the other; write arrow_cast(INTERVAL '24 hours', 'Duration(s)') for the interval, with hours in the place of days"
        );
    }
    Ok(())
}
