//! `to_timestamp_seconds` and the like: the last time of the unit that is not later, as NumPy's `astype` has it.
//!
//! DataFusion 55.2 cuts text and fractions toward zero, so that a time before 1970 would become a later one, and has no text beyond the years 1677 to 2262.

use std::sync::Arc;

use datafusion::arrow::datatypes::{DataType, TimeUnit};
use datafusion::common::config::ConfigOptions;
use datafusion::error::Result;
use datafusion::functions::datetime::{
    to_timestamp_micros, to_timestamp_millis, to_timestamp_nanos, to_timestamp_seconds, to_unixtime,
};
use datafusion::functions::math::floor;
use datafusion::logical_expr::{ColumnarValue, ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl};

use crate::floored::cast_floored;

/// Returns the functions.
pub(super) fn functions() -> [Arc<ScalarUDF>; 5] {
    let config = ConfigOptions::default();
    let of_units =
        [to_timestamp_seconds, to_timestamp_millis, to_timestamp_micros, to_timestamp_nanos];
    let [seconds, millis, micros, nanos] = of_units.map(|of_unit| of_unit(&config));
    [seconds, millis, micros, nanos, to_unixtime()]
        .map(|inner| Arc::new(ScalarUDF::new_from_impl(ToCoarseTimestamp { inner })))
}

#[derive(Debug, PartialEq, Eq, Hash)]
struct ToCoarseTimestamp {
    inner: Arc<ScalarUDF>,
}

impl ScalarUDFImpl for ToCoarseTimestamp {
    as_theirs!();

    fn return_type(&self, types: &[DataType]) -> Result<DataType> {
        self.inner.return_type(types)
    }

    fn invoke_with_args(&self, mut args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let Some(value) = args.args.first() else { return self.inner.invoke_with_args(args) };
        let of = value.data_type();
        if of.is_string() || matches!(of, DataType::Timestamp(..)) {
            args.args = vec![time(&args)?];
        } else if of.is_floating() || of.is_decimal() {
            let value = match of {
                DataType::Float16 => value.cast_to(&DataType::Float64, None)?,
                _ => value.clone(),
            };
            let value = ScalarFunctionArgs { args: vec![value], ..args.clone() };
            args.args = vec![floor().inner().invoke_with_args(value)?];
        }
        self.inner.invoke_with_args(args)
    }
}

/// Returns the time that text, or another time, is in the unit of the function.
fn time(args: &ScalarFunctionArgs) -> Result<ColumnarValue> {
    let value = match &args.args[..] {
        [value] => value.clone(),
        _ => to_timestamp_nanos(&args.config_options).inner().invoke_with_args(args.clone())?,
    };
    let zone = match value.data_type() {
        DataType::Timestamp(_, zone) => zone,
        _ => args.config_options.execution.time_zone.as_deref().map(Arc::from),
    };
    match args.return_field.data_type() {
        to @ DataType::Timestamp(..) => cast_floored(&value, to, false),
        _ => cast_floored(&value, &DataType::Timestamp(TimeUnit::Second, zone), false),
    }
}
