//! An interval with hours in the place of its days, so that DataFusion compares the length of it.

use std::sync::Arc;

use datafusion::arrow::array::AsArray;
use datafusion::arrow::datatypes::{DataType, IntervalMonthDayNanoType, IntervalUnit};
use datafusion::common::internal_err;
use datafusion::common::tree_node::Transformed;
use datafusion::error::Result;
use datafusion::logical_expr::expr::ScalarFunction;
use datafusion::logical_expr::interval_arithmetic::Interval;
use datafusion::logical_expr::{
    ColumnarValue, Expr, ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl, Signature, Volatility,
};

use super::days_of_spans::in_hours;

const INTERVAL: DataType = DataType::Interval(IntervalUnit::MonthDayNano);

/// Returns the function.
pub(super) fn function() -> Arc<ScalarUDF> {
    let signature = Signature::any(1, Volatility::Immutable);
    Arc::new(ScalarUDF::new_from_impl(Hours { signature }))
}

/// Calls the function, unless an expression is its result.
pub(super) fn of(interval: Expr) -> Transformed<Expr> {
    match &interval {
        Expr::ScalarFunction(ScalarFunction { func, .. })
            if func.inner().downcast_ref::<Hours>().is_some() =>
        {
            Transformed::no(interval)
        }
        _ => Transformed::yes(function().call(vec![interval])),
    }
}

#[derive(Debug, PartialEq, Eq, Hash)]
struct Hours {
    signature: Signature,
}

impl ScalarUDFImpl for Hours {
    fn name(&self) -> &str {
        "npy_hours"
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, _: &[DataType]) -> Result<DataType> {
        Ok(INTERVAL)
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let [interval] = &args.args[..] else {
            return internal_err!("{} without an argument", self.name());
        };
        in_hours_of(interval, args.number_rows)
    }

    /// Returns the bounds of the type: DataFusion compares them with those of the other side.
    fn evaluate_bounds(&self, _: &[&Interval]) -> Result<Interval> {
        Interval::make_unbounded(&INTERVAL)
    }
}

/// Puts hours in the place of the days of all intervals.
pub(crate) fn in_hours_of(intervals: &ColumnarValue, rows: usize) -> Result<ColumnarValue> {
    let intervals = intervals.cast_to(&INTERVAL, None)?.to_array(rows)?;
    let intervals = intervals.as_primitive::<IntervalMonthDayNanoType>();
    let hours = intervals.unary::<_, IntervalMonthDayNanoType>(in_hours);
    Ok(ColumnarValue::Array(Arc::new(hours)))
}
