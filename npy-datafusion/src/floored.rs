//! Times in a coarser unit: the last one that is not later, as NumPy's `astype` and `date_trunc` have it.
//!
//! Arrow divides counts toward zero, so that a time before 1970 would become a later one.

use std::sync::Arc;

use datafusion::arrow::array::{ArrayData, ArrayRef, make_array};
use datafusion::arrow::compute::CastOptions;
use datafusion::arrow::datatypes::{DataType, FieldRef, TimeUnit};
use datafusion::common::ScalarValue;
use datafusion::error::Result;
use datafusion::logical_expr::ColumnarValue;

use crate::exact_times::per_second;

/// Returns true if a conversion makes times coarser, also within lists and records.
pub(crate) fn is_coarser(from: &DataType, to: &DataType) -> bool {
    coarser(from, to).is_some()
        || inner(from, to).into_iter().any(|(from, to)| is_coarser(from, to))
}

/// Converts values, and times to the last one that is not later. A value that has no such other is an error, or null.
pub(crate) fn cast_floored(
    value: &ColumnarValue,
    to: &DataType,
    is_try: bool,
) -> Result<ColumnarValue> {
    let floored = match value {
        ColumnarValue::Array(values) => ColumnarValue::Array(floored(Arc::clone(values), to)?),
        ColumnarValue::Scalar(value) => {
            let floored = floored(value.to_array()?, to)?;
            ColumnarValue::Scalar(ScalarValue::try_from_array(&floored, 0)?)
        }
    };
    floored.cast_to(to, Some(&CastOptions { safe: is_try, ..CastOptions::default() }))
}

/// Returns the values with each time that a conversion makes coarser in the unit of `to`. Arrow converts the rest, such as the zone.
pub(crate) fn floored(values: ArrayRef, to: &DataType) -> Result<ArrayRef> {
    match is_coarser(values.data_type(), to) {
        true => Ok(make_array(floored_data(&values.to_data(), to)?)),
        false => Ok(values),
    }
}

fn floored_data(values: &ArrayData, to: &DataType) -> Result<ArrayData> {
    let from = values.data_type();
    let Some((coarser, divisor)) = coarser(from, to) else {
        let inner = inner(from, to);
        if inner.is_empty() {
            return Ok(values.clone());
        }
        let children = values.child_data().iter().zip(inner);
        let children: Vec<_> =
            children.map(|(child, (_, to))| floored_data(child, to)).collect::<Result<_>>()?;
        let builder = values.clone().into_builder().data_type(with_inner(from, &children));
        return Ok(builder.child_data(children).build()?);
    };
    let counts = values.buffer::<i64>(0).iter().take(values.len());
    let counts: Vec<i64> = counts.map(|count| count.div_euclid(divisor)).collect();
    let floored = ArrayData::builder(coarser).len(values.len()).nulls(values.nulls().cloned());
    Ok(floored.add_buffer(counts.into()).build()?)
}

/// Returns a type with the unit of a coarser one, and how many times of its own unit are one of that.
fn coarser(from: &DataType, to: &DataType) -> Option<(DataType, i64)> {
    let divisor = |from, to| Some(per_second(from) / per_second(to)).filter(|it| *it > 1);
    match (from, to) {
        (DataType::Timestamp(from, zone), to @ (DataType::Timestamp(..) | DataType::Date64)) => {
            let to = match to {
                DataType::Timestamp(to, _) => *to,
                _ => TimeUnit::Millisecond,
            };
            Some((DataType::Timestamp(to, zone.clone()), divisor(*from, to)?))
        }
        (DataType::Duration(from), DataType::Duration(to)) => {
            Some((DataType::Duration(*to), divisor(*from, *to)?))
        }
        _ => None,
    }
}

/// Returns a type whose inner types are those of the children.
fn with_inner(of: &DataType, children: &[ArrayData]) -> DataType {
    let mut types = children.iter().map(ArrayData::data_type);
    let mut next = |field: &FieldRef| match types.next() {
        Some(inner) => Arc::new(field.as_ref().clone().with_data_type(inner.clone())),
        None => Arc::clone(field),
    };
    match of {
        DataType::FixedSizeList(field, length) => DataType::FixedSizeList(next(field), *length),
        DataType::List(field) => DataType::List(next(field)),
        DataType::LargeList(field) => DataType::LargeList(next(field)),
        DataType::Struct(fields) => DataType::Struct(fields.iter().map(next).collect()),
        other => other.clone(),
    }
}

/// Returns the types within a list, or of the fields of a record, and those that they are converted to.
fn inner<'t>(from: &'t DataType, to: &'t DataType) -> Vec<(&'t DataType, &'t DataType)> {
    use DataType::{FixedSizeList, LargeList, List, Struct};
    match (from, to) {
        (
            FixedSizeList(from, _) | List(from) | LargeList(from),
            FixedSizeList(to, _) | List(to) | LargeList(to),
        ) => vec![(from.data_type(), to.data_type())],
        (Struct(from), Struct(to)) => {
            let pair = |(index, field): (usize, &'t FieldRef)| {
                let same = to.find(field.name()).map(|(_, to)| to).or_else(|| to.get(index));
                (field.data_type(), same.unwrap_or(field).data_type())
            };
            from.iter().enumerate().map(pair).collect()
        }
        _ => Vec::new(),
    }
}
