//! The order of two times whose units differ: -1, 0 or 1, and null if one of them is.

use std::sync::Arc;

use datafusion::arrow::array::{Array, ArrayRef, AsArray, Int8Array};
use datafusion::arrow::compute::cast;
use datafusion::arrow::datatypes::{DataType, Int64Type};
use datafusion::common::{internal_datafusion_err, internal_err};
use datafusion::error::Result;
use datafusion::logical_expr::{
    ColumnarValue, ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl, Signature, Volatility,
};

use super::nanoseconds;

/// Returns the function.
pub(super) fn function() -> Arc<ScalarUDF> {
    let signature = Signature::any(2, Volatility::Immutable);
    Arc::new(ScalarUDF::new_from_impl(Order { signature }))
}

#[derive(Debug, PartialEq, Eq, Hash)]
struct Order {
    signature: Signature,
}

impl ScalarUDFImpl for Order {
    fn name(&self) -> &str {
        "npy_order_of_times"
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, _: &[DataType]) -> Result<DataType> {
        Ok(DataType::Int8)
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let [first, second] = &args.args[..] else {
            return internal_err!("{} without two arguments", self.name());
        };
        let [first, second] = [first, second].map(|it| it.to_array(args.number_rows));
        let (first, second) = (counts(&first?)?, counts(&second?)?);
        let orders = first.into_iter().zip(second).map(|pair| {
            let (first, second) = (pair.0?, pair.1?);
            Some(first.cmp(&second) as i8)
        });
        Ok(ColumnarValue::Array(Arc::new(orders.collect::<Int8Array>())))
    }
}

/// Returns the nanoseconds since 1970 of each time.
fn counts(times: &ArrayRef) -> Result<Vec<Option<i128>>> {
    let of = times.data_type();
    let size = nanoseconds(of).ok_or_else(|| internal_datafusion_err!("{of} is not a time"))?;
    // Arrow has integers of 32 bits for days.
    let days = match of {
        DataType::Date32 => cast(times, &DataType::Int32)?,
        _ => Arc::clone(times),
    };
    let counts = cast(&days, &DataType::Int64)?;
    Ok(counts.as_primitive::<Int64Type>().iter().map(|it| Some(i128::from(it?) * size)).collect())
}
