//! `to_timestamp` of floats: one that is not a time of nanoseconds is an error.
//!
//! DataFusion 55.2 makes the last nanosecond of 2262 of each later time, and 1970 of NaN.

use std::sync::Arc;

use datafusion::arrow::array::AsArray;
use datafusion::arrow::compute::cast;
use datafusion::arrow::datatypes::{DataType, Float64Type};
use datafusion::common::exec_err;
use datafusion::error::Result;
use datafusion::functions::datetime::to_timestamp;
use datafusion::logical_expr::{ColumnarValue, ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl};

/// Returns the function `to_timestamp`.
pub(super) fn function() -> Arc<ScalarUDF> {
    let inner = to_timestamp(&datafusion::common::config::ConfigOptions::default());
    Arc::new(ScalarUDF::new_from_impl(ToTimestamp { inner }))
}

#[derive(Debug, PartialEq, Eq, Hash)]
struct ToTimestamp {
    inner: Arc<ScalarUDF>,
}

impl ScalarUDFImpl for ToTimestamp {
    as_theirs!();

    fn return_type(&self, types: &[DataType]) -> Result<DataType> {
        self.inner.return_type(types)
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        if let Some(seconds) = args.args.first().filter(|it| it.data_type().is_floating()) {
            let seconds = cast(&seconds.to_array(1)?, &DataType::Float64)?;
            for seconds in seconds.as_primitive::<Float64Type>().iter().flatten() {
                check(seconds)?;
            }
        }
        self.inner.invoke_with_args(args)
    }
}

/// 2⁶³ as a float, the first count of nanoseconds that does not fit.
const END: f64 = 9_223_372_036_854_775_808.0;

fn check(seconds: f64) -> Result<()> {
    if seconds.is_nan() {
        return exec_err!(
            "to_timestamp of NaN; CASE WHEN isnan(x) THEN NULL ELSE x END makes a null of it"
        );
    }
    if !(-END..END).contains(&(seconds * 1e9)) {
        return exec_err!(
            "to_timestamp({seconds}) is a time before 1677 or after 2262, which nanoseconds do not count; to_timestamp_micros(x * 1000000) has such times"
        );
    }
    Ok(())
}
