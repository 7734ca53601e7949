//! `date_bin` of times beyond the years 1677 to 2262.
//!
//! DataFusion 55.2 counts nanoseconds in 64 bits, and a time whose bin does not fit is null. Here bins of days and shorter units have 128 bits; for bins
//! of months, such a time is an error. A day becomes seconds.

use std::sync::Arc;

use datafusion::arrow::array::{Array, ArrayRef, AsArray, PrimitiveArray};
use datafusion::arrow::datatypes::{
    ArrowTimestampType, DataType, IntervalUnit, TimeUnit, TimestampMicrosecondType,
    TimestampMillisecondType, TimestampNanosecondType, TimestampSecondType,
};
use datafusion::common::{exec_datafusion_err, exec_err};
use datafusion::error::Result;
use datafusion::functions::datetime::date_bin;
use datafusion::logical_expr::{
    ColumnarValue, ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl, Signature, TypeSignature,
};
use datafusion::scalar::ScalarValue;

use crate::exact_times::per_second;

/// Returns the function `date_bin`.
pub(super) fn function() -> Arc<ScalarUDF> {
    let inner = date_bin();
    let stride = DataType::Interval(IntervalUnit::MonthDayNano);
    let origin = DataType::Timestamp(TimeUnit::Nanosecond, None);
    let signature = inner.signature();
    let types = vec![
        signature.type_signature.clone(),
        TypeSignature::Exact(vec![stride.clone(), DataType::Date32]),
        TypeSignature::Exact(vec![stride, DataType::Date32, origin]),
    ];
    let signature = Signature::one_of(types, signature.volatility);
    Arc::new(ScalarUDF::new_from_impl(DateBin { inner, signature }))
}

#[derive(Debug, PartialEq, Eq, Hash)]
struct DateBin {
    inner: Arc<ScalarUDF>,
    signature: Signature,
}

/// The type of the bins of days.
const OF_DAYS: DataType = DataType::Timestamp(TimeUnit::Second, None);

impl ScalarUDFImpl for DateBin {
    as_theirs_of_other_types!();

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, types: &[DataType]) -> Result<DataType> {
        match types {
            [_, DataType::Date32, ..] => Ok(OF_DAYS),
            _ => self.inner.return_type(types),
        }
    }

    fn invoke_with_args(&self, mut args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        if let Some(days) = args.args.get_mut(1).filter(|it| it.data_type() == DataType::Date32) {
            *days = days.cast_to(&OF_DAYS, None)?;
        }
        let [ColumnarValue::Scalar(stride), time, ..] = &args.args[..] else {
            return self.inner.invoke_with_args(args);
        };
        if stride.is_null() {
            return self.inner.invoke_with_args(args);
        }
        let is_one = matches!(time, ColumnarValue::Scalar(_));
        let times = time.to_array(if is_one { 1 } else { args.number_rows })?;
        if let Some(bins) = Bins::new(stride, args.args.get(2))
            && let Some(found) = bins.of(&times)?
        {
            return Ok(match is_one {
                true => ColumnarValue::Scalar(ScalarValue::try_from_array(&found, 0)?),
                false => ColumnarValue::Array(found),
            });
        }
        let found = self.inner.invoke_with_args(args)?;
        let nulls = found.to_array(times.len())?.null_count();
        match nulls == times.null_count() {
            true => Ok(found),
            false => exec_err!(
                "a time has no bin, since date_bin by months, and of times of day, counts nanoseconds, from 1677 to 2262; date_trunc('month', t), or 'quarter' or 'year', has all times"
            ),
        }
    }
}

/// Bins of one length.
struct Bins {
    /// In nanoseconds.
    length: i128,
    /// Where one of them begins, in nanoseconds since 1970.
    origin: i128,
}

impl Bins {
    /// Returns `None` for bins of months, and for arguments that DataFusion refuses.
    fn new(stride: &ScalarValue, origin: Option<&ColumnarValue>) -> Option<Self> {
        const DAY: i128 = 86_400 * 1_000_000_000;
        let length = match stride {
            ScalarValue::IntervalMonthDayNano(Some(it)) if it.months == 0 => {
                i128::from(it.days) * DAY + i128::from(it.nanoseconds)
            }
            ScalarValue::IntervalDayTime(Some(it)) => {
                i128::from(it.days) * DAY + i128::from(it.milliseconds) * 1_000_000
            }
            _ => return None,
        };
        let origin = match origin {
            None => 0,
            Some(ColumnarValue::Scalar(ScalarValue::TimestampNanosecond(Some(origin), _))) => {
                i128::from(*origin)
            }
            Some(_) => return None,
        };
        (length > 0).then_some(Bins { length, origin })
    }

    /// Returns the begin of the bin of each time; `None` for times of day.
    fn of(&self, times: &ArrayRef) -> Result<Option<ArrayRef>> {
        Ok(Some(match times.data_type() {
            DataType::Timestamp(TimeUnit::Second, _) => {
                self.begins::<TimestampSecondType>(times)?
            }
            DataType::Timestamp(TimeUnit::Millisecond, _) => {
                self.begins::<TimestampMillisecondType>(times)?
            }
            DataType::Timestamp(TimeUnit::Microsecond, _) => {
                self.begins::<TimestampMicrosecondType>(times)?
            }
            DataType::Timestamp(TimeUnit::Nanosecond, _) => {
                self.begins::<TimestampNanosecondType>(times)?
            }
            _ => return Ok(None),
        }))
    }

    fn begins<T: ArrowTimestampType>(&self, times: &ArrayRef) -> Result<ArrayRef> {
        let nanoseconds = i128::from(per_second(TimeUnit::Nanosecond) / per_second(T::UNIT));
        let times = times.as_primitive::<T>();
        let begin = |time: i64| {
            let since = i128::from(time) * nanoseconds - self.origin;
            let begin = since.div_euclid(self.length) * self.length + self.origin;
            i64::try_from(begin.div_euclid(nanoseconds)).map_err(|_| {
                exec_datafusion_err!(
                    "the bin of a time begins before the first time of its unit; use date_bin(…, CAST(t AS TIMESTAMP(0)))"
                )
            })
        };
        let begins: PrimitiveArray<T> = times.try_unary(begin)?;
        Ok(Arc::new(begins.with_data_type(times.data_type().clone())))
    }
}
