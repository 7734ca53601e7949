//! `date_trunc` of times beyond the years 1677 to 2262, and of days.
//!
//! DataFusion 55.2 counts nanoseconds in 64 bits, and such a time is an error. Here a time is cut in its own unit, and a day becomes seconds. Times of a zone are
//! DataFusion's.

use std::sync::Arc;

use datafusion::arrow::array::{Array, ArrayRef, AsArray, PrimitiveArray};
use datafusion::arrow::datatypes::{
    ArrowTimestampType, DataType, FieldRef, TimeUnit, TimestampMicrosecondType,
    TimestampMillisecondType, TimestampNanosecondType, TimestampSecondType,
};
use datafusion::common::exec_datafusion_err;
use datafusion::common::types::{NativeType, logical_date, logical_string};
use datafusion::error::Result;
use datafusion::functions::datetime::date_trunc;
use datafusion::logical_expr::{
    Coercion, ColumnarValue, ReturnFieldArgs, ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl,
    Signature, TypeSignature, TypeSignatureClass,
};
use datafusion::scalar::ScalarValue;
use npy_core::DateTime64;
use npy_core::time::{Day, Month};

use crate::exact_times::per_second;

/// Returns the function `date_trunc`.
pub(super) fn function() -> Arc<ScalarUDF> {
    let inner = date_trunc();
    let days = TypeSignature::Coercible(vec![
        Coercion::new_exact(TypeSignatureClass::Native(logical_string())),
        Coercion::new_implicit(
            TypeSignatureClass::Timestamp,
            vec![TypeSignatureClass::Native(logical_date())],
            NativeType::Timestamp(TimeUnit::Second, None),
        ),
    ]);
    let signature = inner.signature();
    let types = TypeSignature::OneOf(vec![days, signature.type_signature.clone()]);
    let signature = Signature::new(types, signature.volatility);
    Arc::new(ScalarUDF::new_from_impl(DateTrunc { inner, signature }))
}

#[derive(Debug, PartialEq, Eq, Hash)]
struct DateTrunc {
    inner: Arc<ScalarUDF>,
    signature: Signature,
}

impl ScalarUDFImpl for DateTrunc {
    as_theirs_of_other_types!();

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, types: &[DataType]) -> Result<DataType> {
        self.inner.return_type(types)
    }

    fn return_field_from_args(&self, args: ReturnFieldArgs) -> Result<FieldRef> {
        self.inner.return_field_from_args(args)
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let [ColumnarValue::Scalar(part), time] = &args.args[..] else {
            return self.inner.invoke_with_args(args);
        };
        let Some(part) = part.try_as_str().flatten().and_then(Part::new) else {
            return self.inner.invoke_with_args(args);
        };
        let is_one = matches!(time, ColumnarValue::Scalar(_));
        let Some(begins) = part.of(&time.to_array(if is_one { 1 } else { args.number_rows })?)?
        else {
            return self.inner.invoke_with_args(args);
        };
        Ok(match is_one {
            true => ColumnarValue::Scalar(ScalarValue::try_from_array(&begins, 0)?),
            false => ColumnarValue::Array(begins),
        })
    }
}

/// The part that a time is cut to.
enum Part {
    /// A unit of this many nanoseconds.
    Length(i128),
    Week,
    /// This many months.
    Months(i64),
}

impl Part {
    /// Returns the part of a name; `None` for one that DataFusion refuses.
    fn new(name: &str) -> Option<Self> {
        const SECOND: i128 = 1_000_000_000;
        Some(match &*name.to_lowercase() {
            "microsecond" => Part::Length(1_000),
            "millisecond" => Part::Length(1_000_000),
            "second" => Part::Length(SECOND),
            "minute" => Part::Length(60 * SECOND),
            "hour" => Part::Length(3_600 * SECOND),
            "day" => Part::Length(86_400 * SECOND),
            "week" => Part::Week,
            "month" => Part::Months(1),
            "quarter" => Part::Months(3),
            "year" => Part::Months(12),
            _ => return None,
        })
    }

    /// Returns the begin of the part that each time is in; `None` for times of a zone, and of day.
    fn of(&self, times: &ArrayRef) -> Result<Option<ArrayRef>> {
        let DataType::Timestamp(unit, None) = times.data_type() else { return Ok(None) };
        Ok(Some(match unit {
            TimeUnit::Second => self.begins::<TimestampSecondType>(times)?,
            TimeUnit::Millisecond => self.begins::<TimestampMillisecondType>(times)?,
            TimeUnit::Microsecond => self.begins::<TimestampMicrosecondType>(times)?,
            TimeUnit::Nanosecond => self.begins::<TimestampNanosecondType>(times)?,
        }))
    }

    fn begins<T: ArrowTimestampType>(&self, times: &ArrayRef) -> Result<ArrayRef> {
        let begins: PrimitiveArray<T> =
            times.as_primitive::<T>().try_unary(|time| {
                self.begin(time, per_second(T::UNIT)).ok_or_else(|| {
                    exec_datafusion_err!(
                        "the begin of a part of a time is before the first time of its unit; use date_trunc(…, CAST(t AS TIMESTAMP(0)))"
                    )
                })
            })?;
        Ok(Arc::new(begins))
    }

    /// Returns the begin of the part that a time is in; `None` if it has no count.
    fn begin(&self, time: i64, per_second: i64) -> Option<i64> {
        // 1970-01-01 was a Thursday.
        const MONDAY: i64 = 3;
        let of_day = 86_400 * per_second;
        let day = time.div_euclid(of_day);
        match self {
            Part::Length(length) => {
                let length = i64::try_from(length * i128::from(per_second) / 1_000_000_000).ok()?;
                // The unit of the time may be coarser.
                time.div_euclid(length.max(1)).checked_mul(length.max(1))
            }
            Part::Week => (day - (day + MONDAY).rem_euclid(7)).checked_mul(of_day),
            Part::Months(count) => {
                let month = month(day)?.div_euclid(*count) * count;
                first_day(month)?.checked_mul(of_day)
            }
        }
    }
}

/// Returns the months from 1970-01 to the one that a day is in.
fn month(day: i64) -> Option<i64> {
    // Of 400 years. This is at most a few months from the right one, since months repeat after them.
    const DAYS: i128 = 146_097;
    const MONTHS: i128 = 4_800;
    let mut month = i64::try_from((i128::from(day) * MONTHS).div_euclid(DAYS)).ok()?;
    while first_day(month)? > day {
        month -= 1;
    }
    while first_day(month + 1)? <= day {
        month += 1;
    }
    Some(month)
}

/// Returns the days from 1970-01-01 to the first day of a month.
fn first_day(month: i64) -> Option<i64> {
    DateTime64::<Month>::new(month).cast::<Day>().ok().map(DateTime64::count)
}
