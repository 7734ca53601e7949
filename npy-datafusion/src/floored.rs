//! Times in a coarser unit: the last one that is not later, as NumPy's `astype` and `date_trunc` have it.
//!
//! Arrow divides counts toward zero, so that a time before 1970 would become a later one.

use datafusion::arrow::array::{ArrayData, ArrayRef, make_array};
use datafusion::arrow::datatypes::{DataType, FieldRef, TimeUnit};
use datafusion::common::exec_datafusion_err;
use datafusion::error::Result;

use crate::exact_times::per_second;

/// Returns true if a conversion makes times coarser, also within lists and records.
pub(crate) fn is_coarser(from: &DataType, to: &DataType) -> bool {
    divisor(from, to).is_some()
        || inner(from, to).into_iter().any(|(from, to)| is_coarser(from, to))
}

/// Returns the values with each time that a conversion makes coarser cut to the new unit, in its own one. Then Arrow divides without a rest.
pub(crate) fn floored(values: ArrayRef, to: &DataType) -> Result<ArrayRef> {
    match is_coarser(values.data_type(), to) {
        true => Ok(make_array(floored_data(&values.to_data(), to)?)),
        false => Ok(values),
    }
}

fn floored_data(values: &ArrayData, to: &DataType) -> Result<ArrayData> {
    let from = values.data_type();
    let Some(divisor) = divisor(from, to) else {
        let inner = inner(from, to);
        let children = match inner.is_empty() {
            true => values.child_data().to_vec(),
            false => {
                let children = values.child_data().iter().zip(inner);
                let children = children.map(|(child, (_, to))| floored_data(child, to));
                children.collect::<Result<_>>()?
            }
        };
        return Ok(values.clone().into_builder().child_data(children).build()?);
    };
    let counts = values.buffer::<i64>(0).iter().take(values.len()).enumerate();
    let counts = counts.map(|(row, &count)| match values.is_null(row) {
        true => Ok(0),
        false => count.checked_sub(count.rem_euclid(divisor)).ok_or_else(|| {
            exec_datafusion_err!(
                "a time is the first of its unit, and {to} has no earlier one; leave it out by t > '…'"
            )
        }),
    });
    let counts = counts.collect::<Result<Vec<i64>>>()?;
    let floored = ArrayData::builder(from.clone()).len(values.len()).nulls(values.nulls().cloned());
    Ok(floored.add_buffer(counts.into()).build()?)
}

/// Returns how many of the times of a type are one of a coarser type.
fn divisor(from: &DataType, to: &DataType) -> Option<i64> {
    let (from, to) = match (from, to) {
        (DataType::Timestamp(from, _), DataType::Timestamp(to, _))
        | (DataType::Duration(from), DataType::Duration(to)) => (*from, *to),
        (DataType::Timestamp(from, _), DataType::Date64) => (*from, TimeUnit::Millisecond),
        _ => return None,
    };
    let divisor = per_second(from) / per_second(to);
    (divisor > 1).then_some(divisor)
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
