//! The least and the greatest value of an array, in the order of the engine: a NaN is greater than all other numbers, and one whose sign is set is less.

use std::sync::Arc;

use datafusion::arrow::array::{Array, ArrayRef, AsArray, PrimitiveArray};
use datafusion::arrow::compute::kernels::cmp::gt;
use datafusion::arrow::compute::{
    cast, max, max_binary, max_boolean, max_string, min, min_binary, min_boolean, min_string,
};
use datafusion::arrow::datatypes::{
    ArrowNumericType, DataType, Date32Type, DurationMicrosecondType, DurationMillisecondType,
    DurationNanosecondType, DurationSecondType, Field, Float16Type, Float32Type, Float64Type,
    Int8Type, Int16Type, Int32Type, Int64Type, TimeUnit, TimestampMicrosecondType,
    TimestampMillisecondType, TimestampNanosecondType, TimestampSecondType, UInt8Type, UInt16Type,
    UInt32Type, UInt64Type,
};
use datafusion::common::internal_err;
use datafusion::error::Result;
use datafusion::scalar::ScalarValue;

use super::Bounds;
use crate::merge::{dtype_of, has_time};

/// The longest text of an index in bytes of its dtype.
const TEXT: usize = 64;

/// Returns true for a column that an index has bounds of: numbers, times and short text. Where Arrow lacks the unit of a time, its counts are another
/// thing in each unit.
pub(crate) fn is_indexed(field: &Field) -> bool {
    let dtype = dtype_of(field);
    match field.data_type() {
        DataType::Utf8 | DataType::Binary => {
            dtype.is_some_and(|dtype| (1..=TEXT).contains(&dtype.itemsize()))
        }
        DataType::Int64 => !dtype.is_some_and(|dtype| has_time(&dtype)),
        DataType::Boolean
        | DataType::Date32
        | DataType::Timestamp(_, None)
        | DataType::Duration(_) => true,
        other => other.is_integer() || other.is_floating(),
    }
}

/// Returns the least and the greatest value of an array; null if it has none.
pub(super) fn extremes(values: &ArrayRef) -> Result<(ScalarValue, ScalarValue)> {
    macro_rules! of {
        ($type:ty) => {
            of_numbers::<$type>(values.as_primitive())
        };
    }
    Ok(match values.data_type() {
        DataType::Int8 => of!(Int8Type),
        DataType::Int16 => of!(Int16Type),
        DataType::Int32 => of!(Int32Type),
        DataType::Int64 => of!(Int64Type),
        DataType::UInt8 => of!(UInt8Type),
        DataType::UInt16 => of!(UInt16Type),
        DataType::UInt32 => of!(UInt32Type),
        DataType::UInt64 => of!(UInt64Type),
        DataType::Float16 => of!(Float16Type),
        DataType::Float32 => of!(Float32Type),
        DataType::Float64 => of!(Float64Type),
        DataType::Date32 => of!(Date32Type),
        DataType::Timestamp(TimeUnit::Second, None) => of!(TimestampSecondType),
        DataType::Timestamp(TimeUnit::Millisecond, None) => of!(TimestampMillisecondType),
        DataType::Timestamp(TimeUnit::Microsecond, None) => of!(TimestampMicrosecondType),
        DataType::Timestamp(TimeUnit::Nanosecond, None) => of!(TimestampNanosecondType),
        DataType::Duration(TimeUnit::Second) => of!(DurationSecondType),
        DataType::Duration(TimeUnit::Millisecond) => of!(DurationMillisecondType),
        DataType::Duration(TimeUnit::Microsecond) => of!(DurationMicrosecondType),
        DataType::Duration(TimeUnit::Nanosecond) => of!(DurationNanosecondType),
        DataType::Boolean => {
            let values = values.as_boolean();
            (ScalarValue::Boolean(min_boolean(values)), ScalarValue::Boolean(max_boolean(values)))
        }
        DataType::Utf8 => {
            let values = values.as_string::<i32>();
            let text = |text: Option<&str>| ScalarValue::Utf8(text.map(str::to_owned));
            (text(min_string(values)), text(max_string(values)))
        }
        DataType::Binary => {
            let values = values.as_binary::<i32>();
            let bytes = |bytes: Option<&[u8]>| ScalarValue::Binary(bytes.map(<[u8]>::to_vec));
            (bytes(min_binary(values)), bytes(max_binary(values)))
        }
        other => return internal_err!("bounds of {other}"),
    })
}

/// Returns the index of the first value that is null, or less than the one before it, in the order of the engine.
pub(crate) fn unsorted_at(values: &ArrayRef) -> Result<Option<usize>> {
    if let Some(nulls) = values.logical_nulls().filter(|nulls| nulls.null_count() > 0) {
        return Ok(nulls.iter().position(|is_valid| !is_valid));
    }
    let pairs = values.len().saturating_sub(1);
    let is_less = gt(&values.slice(0, pairs), &values.slice(values.len() - pairs, pairs))?;
    Ok(is_less.values().set_indices().next().map(|index| index + 1))
}

fn of_numbers<T: ArrowNumericType>(values: &PrimitiveArray<T>) -> (ScalarValue, ScalarValue) {
    let value = |value: Option<T::Native>| {
        let array =
            PrimitiveArray::<T>::from_iter([value]).with_data_type(values.data_type().clone());
        ScalarValue::try_from_array(&array, 0)
    };
    let null = || ScalarValue::try_from(values.data_type()).unwrap_or(ScalarValue::Null);
    let of = |extreme| value(extreme).unwrap_or_else(|_| null());
    (of(min(values)), of(max(values)))
}

impl Bounds {
    /// Returns the bounds in the type that a table has for the column; `None` if the values have another order in it.
    pub(super) fn converted(&self, to: &Field) -> Result<Option<Bounds>> {
        if !keeps_order(self.field.data_type(), to.data_type()) {
            return Ok(None);
        }
        // Counts of a unit that Arrow lacks are not the integers that they look like.
        if dtype_of(to).is_some_and(|dtype| has_time(&dtype)) && !to.data_type().is_temporal() {
            return Ok(None);
        }
        let same = self.field.data_type() == to.data_type();
        let convert = |values: &ArrayRef| match same {
            true => Ok(Arc::clone(values)),
            false => cast(values, to.data_type()),
        };
        // A value that does not fit is null, as one that is not known.
        Ok(Some(Bounds {
            field: to.clone(),
            min: convert(&self.min)?,
            max: convert(&self.max)?,
            nulls: self.nulls.clone(),
            sorted: self.sorted.clone(),
        }))
    }
}

/// Returns true if a value that is not less than another one is not less either after both were converted.
fn keeps_order(from: &DataType, to: &DataType) -> bool {
    use DataType::{Binary, BinaryView, LargeBinary, LargeUtf8, Timestamp, Utf8, Utf8View};
    match (from, to) {
        (Timestamp(_, None), Timestamp(_, None)) => true,
        (Utf8 | Binary, Utf8 | LargeUtf8 | Utf8View) => true,
        (Binary, LargeBinary | BinaryView) => true,
        (from, to) if from == to => true,
        (from, to) if from.is_integer() => to.is_integer() || to.is_floating(),
        (from, to) => from.is_floating() && to.is_floating(),
    }
}

#[cfg(test)]
mod tests {
    use datafusion::arrow::array::{Float64Array, Int32Array, StringArray};

    use super::*;

    fn of(values: impl Array + 'static) -> (String, String) {
        let (min, max) = extremes(&(Arc::new(values) as ArrayRef)).unwrap();
        (min.to_string(), max.to_string())
    }

    /// Guards the order of the engine: with a NaN, the maximum is NaN, or `x > 5` would lose its row.
    #[test]
    fn nan_is_an_extreme() {
        let texts = |min: &str, max: &str| (min.to_owned(), max.to_owned());
        assert_eq!(of(Float64Array::from(vec![1.0, f64::NAN, -2.0])), texts("-2", "NaN"));
        assert_eq!(of(Float64Array::from(vec![-f64::NAN, 1.0])), texts("NaN", "1"));
        assert_eq!(of(Float64Array::from(vec![f64::INFINITY, 1.0])), texts("1", "inf"));
        assert_eq!(of(Int32Array::from(vec![None, Some(3), Some(-1)])), texts("-1", "3"));
        assert_eq!(of(Int32Array::from(vec![None::<i32>])), texts("NULL", "NULL"));
        assert_eq!(of(StringArray::from(vec!["b", "", "é"])), texts("", "é"));
    }
}
