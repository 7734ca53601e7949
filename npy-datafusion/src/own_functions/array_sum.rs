//! `array_sum` of integers: an integer, or an error.
//!
//! DataFusion 55.2 adds floats, which do not have all integers beyond 2⁵³. Sums of other numbers are DataFusion's.

use std::fmt::Display;
use std::sync::Arc;

use datafusion::arrow::array::{
    Array, ArrayRef, ArrowPrimitiveType, AsArray, GenericListArray, OffsetSizeTrait, PrimitiveArray,
};
use datafusion::arrow::datatypes::{DataType, FieldRef, Int64Type, UInt64Type};
use datafusion::common::utils::take_function_args;
use datafusion::common::{exec_datafusion_err, exec_err};
use datafusion::error::Result;
use datafusion::functions_nested::array_sum::array_sum_udf;
use datafusion::logical_expr::{ColumnarValue, ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl};
use datafusion::scalar::ScalarValue;

/// Returns the function `array_sum`.
pub(super) fn function() -> Arc<ScalarUDF> {
    Arc::new(ScalarUDF::new_from_impl(ArraySum { inner: array_sum_udf() }))
}

#[derive(Debug, PartialEq, Eq, Hash)]
struct ArraySum {
    inner: Arc<ScalarUDF>,
}

impl ScalarUDFImpl for ArraySum {
    as_theirs!();

    fn return_type(&self, types: &[DataType]) -> Result<DataType> {
        match types {
            [list] => match of_integers(list) {
                Some((_, sum)) => Ok(sum),
                None => self.inner.return_type(types),
            },
            _ => self.inner.return_type(types),
        }
    }

    /// Returns lists of integers of 64 bits for all integers.
    fn coerce_types(&self, types: &[DataType]) -> Result<Vec<DataType>> {
        let integers = types.first().filter(|_| types.len() == 1).and_then(of_integers);
        let Some((values, sum)) = integers else { return self.inner.coerce_types(types) };
        let values = Arc::new(values.as_ref().clone().with_data_type(sum));
        Ok(vec![match types {
            [DataType::LargeList(_)] => DataType::LargeList(values),
            _ => DataType::List(values),
        }])
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let [lists] = take_function_args(self.name(), &args.args)?;
        let sum = match of_integers(&lists.data_type()) {
            Some((_, sum)) => sum,
            None => return self.inner.invoke_with_args(args),
        };
        let is_one = matches!(lists, ColumnarValue::Scalar(_));
        let lists = lists.to_array(1)?;
        let sums = match (lists.data_type(), sum) {
            (DataType::List(_), DataType::Int64) => sums::<i32, Int64Type>(lists.as_list())?,
            (DataType::List(_), _) => sums::<i32, UInt64Type>(lists.as_list())?,
            (DataType::LargeList(_), DataType::Int64) => sums::<i64, Int64Type>(lists.as_list())?,
            (DataType::LargeList(_), _) => sums::<i64, UInt64Type>(lists.as_list())?,
            (other, _) => return exec_err!("array_sum of {other}, which is not a list"),
        };
        Ok(match is_one {
            true => ColumnarValue::Scalar(ScalarValue::try_from_array(&sums, 0)?),
            false => ColumnarValue::Array(sums),
        })
    }
}

/// Returns the values of lists of integers, and the type of their sum.
fn of_integers(lists: &DataType) -> Option<(&FieldRef, DataType)> {
    let (DataType::List(values) | DataType::LargeList(values) | DataType::FixedSizeList(values, _)) =
        lists
    else {
        return None;
    };
    match values.data_type() {
        it if it.is_signed_integer() => Some((values, DataType::Int64)),
        it if it.is_unsigned_integer() => Some((values, DataType::UInt64)),
        _ => None,
    }
}

/// Returns the sum of each list, without its nulls; null for a list that has no other values.
fn sums<O, T>(lists: &GenericListArray<O>) -> Result<ArrayRef>
where
    O: OffsetSizeTrait,
    T: ArrowPrimitiveType<Native: Into<i128> + TryFrom<i128> + Display>,
{
    let values = lists.values().as_primitive::<T>();
    let sum = |row: usize| {
        let (start, end) = (lists.value_offsets()[row], lists.value_offsets()[row + 1]);
        let values = values.slice(start.as_usize(), (end - start).as_usize());
        if lists.is_null(row) || values.null_count() == values.len() {
            return Ok(None);
        }
        let total: i128 = values.iter().flatten().map(Into::into).sum();
        let sum = T::Native::try_from(total).map_err(|_| {
            exec_datafusion_err!(
                "array_sum is {total}, and {} does not hold it; sum floats, array_sum(CAST(x AS DOUBLE[]))",
                T::DATA_TYPE
            )
        });
        sum.map(Some)
    };
    let sums: PrimitiveArray<T> = (0..lists.len()).map(sum).collect::<Result<_>>()?;
    Ok(Arc::new(sums))
}
