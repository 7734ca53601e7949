//! `date_part` and `EXTRACT` of spans of time: a part is the whole span in this unit, without the rest, and `epoch` its seconds with their fraction.
//!
//! DataFusion 55.2 adds the counts of seconds and nanoseconds in 32 bits, and takes those that do not fit for zero: the `epoch` of 9.5 seconds is 9. Parts of
//! times and of intervals are DataFusion's.

use std::str::FromStr;
use std::sync::Arc;

use datafusion::arrow::array::{ArrayRef, AsArray, Float64Array, Int64Array};
use datafusion::arrow::compute::cast;
use datafusion::arrow::compute::kernels::cast_utils::IntervalUnit;
use datafusion::arrow::datatypes::{DataType, FieldRef, Int64Type, TimeUnit};
use datafusion::common::{exec_datafusion_err, internal_datafusion_err};
use datafusion::error::Result;
use datafusion::functions::datetime::date_part;
use datafusion::logical_expr::{
    ColumnarValue, ReturnFieldArgs, ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl,
};
use datafusion::scalar::ScalarValue;

use crate::exact_times::per_second;

/// Returns the function `date_part`.
pub(super) fn function() -> Arc<ScalarUDF> {
    Arc::new(ScalarUDF::new_from_impl(DatePart { inner: date_part() }))
}

#[derive(Debug, PartialEq, Eq, Hash)]
struct DatePart {
    inner: Arc<ScalarUDF>,
}

impl ScalarUDFImpl for DatePart {
    as_theirs!();

    fn return_type(&self, types: &[DataType]) -> Result<DataType> {
        self.inner.return_type(types)
    }

    /// Returns integers of 64 bits for spans: the milliseconds of a month do not fit into 32.
    fn return_field_from_args(&self, args: ReturnFieldArgs) -> Result<FieldRef> {
        let is_span = args.arg_fields.get(1).is_some_and(|it| unit_of(it.data_type()).is_some());
        let field = self.inner.return_field_from_args(args)?;
        Ok(match field.data_type() {
            DataType::Int32 if is_span => {
                Arc::new(field.as_ref().clone().with_data_type(DataType::Int64))
            }
            _ => field,
        })
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let [ColumnarValue::Scalar(part), span] = &args.args[..] else {
            return self.inner.invoke_with_args(args);
        };
        let part = part.try_as_str().flatten().and_then(Part::new);
        let (Some(part), Some(unit)) = (part, unit_of(&span.data_type())) else {
            return self.inner.invoke_with_args(args);
        };
        Ok(match span {
            ColumnarValue::Array(spans) => ColumnarValue::Array(part.of(spans, unit)?),
            ColumnarValue::Scalar(span) => {
                let part = part.of(&span.to_array()?, unit)?;
                ColumnarValue::Scalar(ScalarValue::try_from_array(&part, 0)?)
            }
        })
    }
}

/// Returns the unit of a span; `None` for a time, and for an interval of SQL.
fn unit_of(data_type: &DataType) -> Option<TimeUnit> {
    match data_type {
        DataType::Duration(unit) => Some(*unit),
        _ => None,
    }
}

/// A part of a span.
enum Part {
    Epoch,
    /// A unit of this many nanoseconds.
    Count(i128),
}

impl Part {
    /// Returns the part of a name; `None` for those that no span has, like years.
    fn new(name: &str) -> Option<Self> {
        let name = name.trim_matches(['\'', '"']);
        if name.eq_ignore_ascii_case("epoch") {
            return Some(Part::Epoch);
        }
        const SECOND: i128 = 1_000_000_000;
        Some(Part::Count(match IntervalUnit::from_str(name).ok()? {
            IntervalUnit::Week => 7 * 86_400 * SECOND,
            IntervalUnit::Day => 86_400 * SECOND,
            IntervalUnit::Hour => 3_600 * SECOND,
            IntervalUnit::Minute => 60 * SECOND,
            IntervalUnit::Second => SECOND,
            IntervalUnit::Millisecond => 1_000_000,
            IntervalUnit::Microsecond => 1_000,
            IntervalUnit::Nanosecond => 1,
            _ => return None,
        }))
    }

    fn of(&self, spans: &ArrayRef, unit: TimeUnit) -> Result<ArrayRef> {
        let counts = cast(spans, &DataType::Int64)?;
        let counts = counts.as_primitive::<Int64Type>();
        let size = match self {
            Part::Epoch => {
                let seconds: Float64Array = counts.try_unary(|count| seconds(count, unit))?;
                return Ok(Arc::new(seconds));
            }
            Part::Count(size) => *size,
        };
        let nanoseconds = i128::from(per_second(TimeUnit::Nanosecond) / per_second(unit));
        let parts: Int64Array = counts.try_unary(|count| {
            let part = i128::from(count) * nanoseconds / size;
            i64::try_from(part).map_err(|_| {
                exec_datafusion_err!(
                    "a part of a span of time is {part}, which 64 bits do not hold; take a coarser one, such as extract(second FROM x), or extract(epoch FROM x)"
                )
            })
        })?;
        Ok(Arc::new(parts))
    }
}

/// Returns the seconds of a count, rounded once.
#[allow(clippy::cast_precision_loss)]
fn seconds(count: i64, unit: TimeUnit) -> Result<f64> {
    let of_one = per_second(unit);
    if of_one == 1 || count.unsigned_abs() <= 1 << f64::MANTISSA_DIGITS {
        return Ok(count as f64 / of_one as f64);
    }
    // The count has more digits than a float, which division would round again.
    let text = format!("{count}e-{}", of_one.ilog10());
    text.parse().map_err(|_| internal_datafusion_err!("{text} is not a number"))
}
