//! The conversion of `INSERT INTO`: to a value that is the same one in the widest type for both.

use std::sync::Arc;

use datafusion::arrow::array::{Array, ArrayRef, AsArray};
use datafusion::arrow::compute::kernels::cmp::distinct;
use datafusion::arrow::compute::{CastOptions, can_cast_types, cast};
use datafusion::arrow::datatypes::{DataType, FieldRef, Float64Type, TimeUnit};
use datafusion::arrow::util::display::array_value_to_string;
use datafusion::common::{ScalarValue, exec_err, internal_err};
use datafusion::error::Result;
use datafusion::logical_expr::{
    ColumnarValue, ReturnFieldArgs, ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl, Signature,
    Volatility,
};

use crate::exact_times::{converted_field, in_hours_of, type_of_example};

/// Returns the function.
pub(crate) fn function() -> Arc<ScalarUDF> {
    let signature = Signature::any(5, Volatility::Immutable);
    Arc::new(ScalarUDF::new_from_impl(Exact { signature }))
}

/// Converts its first argument to the type of the second one. A value that would change is an error; the third argument says in which column or parameter.
/// So is a null, if the fourth one is false. The last one is the column of the query that has the values, `…` for another expression, or empty for `VALUES`.
#[derive(Debug, PartialEq, Eq, Hash)]
struct Exact {
    signature: Signature,
}

impl ScalarUDFImpl for Exact {
    fn name(&self) -> &str {
        "npy_insert_as"
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, types: &[DataType]) -> Result<DataType> {
        type_of_example(types)
    }

    fn return_field_from_args(&self, args: ReturnFieldArgs) -> Result<FieldRef> {
        Ok(Arc::new(converted_field(&args)?))
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let [values, _, ColumnarValue::Scalar(place), ColumnarValue::Scalar(is_nullable), source] =
            &args.args[..]
        else {
            return internal_err!("{} without five arguments", self.name());
        };
        let source = match source {
            ColumnarValue::Scalar(source) => source.try_as_str().flatten().unwrap_or_default(),
            ColumnarValue::Array(_) => "",
        };
        let column = place.try_as_str().flatten().unwrap_or_default();
        let values = match (values.data_type(), args.return_field.data_type()) {
            (DataType::Interval(_), DataType::Duration(_)) => {
                &in_hours_of(values, args.number_rows)?
            }
            _ => values,
        };
        let options = CastOptions { safe: false, ..CastOptions::default() };
        let converted = values.cast_to(args.return_field.data_type(), Some(&options));
        let converted = converted.map_err(|error| error.context(column))?;
        let [from, to] = [values, &converted].map(|it| it.to_array(args.number_rows));
        let (from, to) = (from?, to?);
        let x = if source.is_empty() { "…" } else { source };
        if *is_nullable == ScalarValue::from(false) && to.logical_null_count() > 0 {
            let value = match to.data_type() {
                of if of.is_floating() => "CAST('NaN' AS DOUBLE)",
                of if of.is_string() => "''",
                DataType::Binary => "X''",
                DataType::Boolean => "false",
                DataType::Date32 => "DATE '1970-01-01'",
                DataType::Timestamp(..) => "to_timestamp_seconds(0)",
                _ => "0",
            };
            return exec_err!("{column} has no nulls; write {value}, or coalesce({x}, {value})");
        }
        check(&from, &to, Place { column, source })?;
        Ok(converted)
    }
}

/// The column that gets the values, and the expression that has them, or an empty text for `VALUES`.
#[derive(Clone, Copy)]
struct Place<'p> {
    column: &'p str,
    source: &'p str,
}

/// Refuses values that a conversion has changed: in the widest type for both they differ.
fn check(from: &ArrayRef, to: &ArrayRef, place: Place<'_>) -> Result<()> {
    use DataType::{
        Binary, Date32, Decimal256, Dictionary, FixedSizeList, Float64, List, Struct, Timestamp,
    };
    let values = |list: &ArrayRef| match list.data_type() {
        FixedSizeList(..) => Some(Arc::clone(list.as_fixed_size_list().values())),
        List(_) => Some(Arc::clone(list.as_list::<i32>().values())),
        _ => None,
    };
    let widest = match (from.data_type(), to.data_type()) {
        _ if from.len() == from.logical_null_count() => return Ok(()),
        (of, to) if of == to || to.is_string() => return Ok(()),
        (Dictionary(_, values), _) => return check(&cast(from, values)?, to, place),
        (FixedSizeList(..) | List(_), FixedSizeList(..) | List(_)) => {
            return match (values(from), values(to)) {
                // Those of a null are nothing in one of the lists.
                (Some(from), Some(to)) if from.len() == to.len() => {
                    check(&from, &to, Place { source: "", ..place })
                }
                _ => Ok(()),
            };
        }
        (Struct(fields), Struct(_)) if from.null_count() == 0 => {
            let (from, to) = (from.as_struct(), to.as_struct());
            return fields.iter().enumerate().try_for_each(|(at, field)| {
                let same = to.column_by_name(field.name()).or_else(|| to.columns().get(at));
                same.map_or(Ok(()), |to| check(from.column(at), to, place))
            });
        }
        // A number does not say the unit and the day from which a time counts.
        (of, other)
            if (of.is_numeric() && (other.is_temporal() || *other == Binary))
                || (of.is_temporal() && other.is_numeric()) =>
        {
            let row = (0..from.len()).find(|&row| from.is_valid(row)).unwrap_or_default();
            return changed(from, to, row, place);
        }
        (_, floats) if floats.is_floating() => {
            let floats = cast(to, &Float64)?;
            let infinite = floats.as_primitive::<Float64Type>().iter().enumerate();
            for (row, _) in infinite.filter(|(_, it)| it.is_some_and(f64::is_infinite)) {
                // Also the text of a number has digits, and that of infinity has none.
                if array_value_to_string(from, row)?.contains(|it: char| it.is_ascii_digit()) {
                    return changed(from, to, row, place);
                }
            }
            return Ok(());
        }
        (text, Timestamp(..) | Date32) if text.is_string() => {
            let texts = cast(from, &DataType::Utf8)?;
            let is_cut = |text: Option<&str>| text.is_some_and(has_more_than_nanoseconds);
            if let Some(row) = texts.as_string::<i32>().iter().position(is_cut) {
                return changed(from, to, row, place);
            }
            // They are null for a time that they do not have.
            vec![Timestamp(TimeUnit::Nanosecond, None), Timestamp(TimeUnit::Microsecond, None)]
        }
        (text, decimal) if text.is_string() && decimal.is_decimal() => vec![Decimal256(76, 38)],
        (text, _) if text.is_string() => return Ok(()),
        (Timestamp(unit, _), Timestamp(_, zone)) => vec![Timestamp(*unit, zone.clone())],
        (floats, _) if floats.is_floating() => vec![Float64],
        (of, _) => vec![of.clone()],
    };
    for wide in widest.iter().filter(|wide| can_cast_types(to.data_type(), wide)) {
        let (own, converted) = (in_type(from, wide)?, in_type(to, wide)?);
        let differ = distinct(&own, &converted)?;
        if let Some(row) = (0..own.len()).find(|&row| own.is_valid(row) && differ.value(row)) {
            return changed(from, to, row, place);
        }
    }
    Ok(())
}

fn in_type(values: &ArrayRef, of: &DataType) -> Result<ArrayRef> {
    let values = cast(values, of)?;
    Ok(match values.as_primitive_opt::<Float64Type>() {
        // By the order of Arrow, -0.0 is not equal to 0.0.
        Some(floats) => Arc::new(floats.unary::<_, Float64Type>(|it| it + 0.0)),
        None => values,
    })
}

/// Returns true for the text of a time with more digits than Arrow reads.
fn has_more_than_nanoseconds(time: &str) -> bool {
    let after = time.split_once('.').map_or("", |(_, after)| after);
    let digits = after.split(|it: char| !it.is_ascii_digit()).next().unwrap_or_default();
    digits.trim_end_matches('0').len() > 9
}

/// Returns the error for a value that would be another one.
fn changed(from: &ArrayRef, to: &ArrayRef, row: usize, place: Place<'_>) -> Result<()> {
    let Place { column, source } = place;
    let [value, other] = [from, to].map(|values| array_value_to_string(values, row));
    let (value, other) = (value?, other?);
    let (unit, of_count) = match to.data_type() {
        DataType::Timestamp(TimeUnit::Second, _) => ("second", "to_timestamp_seconds"),
        DataType::Timestamp(TimeUnit::Millisecond, _) => ("millisecond", "to_timestamp_millis"),
        DataType::Timestamp(TimeUnit::Microsecond, _) => ("microsecond", "to_timestamp_micros"),
        DataType::Timestamp(..) => ("microsecond", "to_timestamp_nanos"),
        _ => ("day", "to_date"),
    };
    let is_number = from.data_type().is_numeric();
    let x = match source {
        "" if is_number => &value,
        "" => "…",
        _ => source,
    };
    let instead = match to.data_type() {
        to if to.is_numeric() && from.data_type().is_temporal() => {
            format!("arrow_cast({x}, '{to}')")
        }
        to if to.is_integer() => {
            format!("round({x}) or trunc({x}), in VALUES also in the place of CAST({x} AS …)")
        }
        to if to.is_floating() => "CAST('inf' AS DOUBLE), or leave it out".to_owned(),
        DataType::Boolean => format!("{x} <> 0"),
        DataType::Timestamp(..) if is_number => match source {
            "" => format!(
                "a time, '2026-01-02 10:30:00', or {of_count}({})",
                value.split('.').next().unwrap_or("0")
            ),
            _ if from.data_type().is_integer() => format!("{of_count}({source})"),
            _ => format!("{of_count}(floor({source}))"),
        },
        DataType::Date32 if is_number => {
            format!("a day, '2026-01-02', or arrow_cast({x}, 'Date32')")
        }
        DataType::Binary => format!("CAST({x} AS TEXT)"),
        DataType::Timestamp(..) | DataType::Date32
            if source.is_empty() || from.data_type().is_string() =>
        {
            let time = if source.is_empty() { &format!("'{value}'") } else { x };
            format!("date_trunc('{unit}', CAST({time} AS TIMESTAMP(6)))")
        }
        DataType::Timestamp(..) | DataType::Date32 => format!("date_trunc('{unit}', {source})"),
        DataType::Decimal128(_, scale) => format!("round({x}, {scale})"),
        to => format!("arrow_cast({x}, '{to}')"),
    };
    exec_err!(
        "{value} would become {other} in {column}, which is {}; write {instead}",
        to.data_type()
    )
}
