//! `percentile_cont`, whose result lies between two values as exactly as a float can have it, and is NaN if a value is, as in NumPy.
//!
//! DataFusion 55.2 cuts the weight of the greater value to six digits: 0.95 of 2, 4, 2, 3 is 3.849999.

use std::sync::Arc;

use datafusion::arrow::array::{ArrayRef, AsArray, Float64Array, RecordBatch};
use datafusion::arrow::compute::cast;
use datafusion::arrow::datatypes::{DataType, Field, FieldRef, Float64Type, Schema};
use datafusion::common::utils::SingleRowListArrayBuilder;
use datafusion::common::{exec_datafusion_err, exec_err};
use datafusion::error::Result;
use datafusion::functions_aggregate::percentile_cont::percentile_cont_udaf;
use datafusion::logical_expr::function::{AccumulatorArgs, StateFieldsArgs};
use datafusion::logical_expr::utils::format_state_name;
use datafusion::logical_expr::{Accumulator, AggregateUDF, AggregateUDFImpl, ColumnarValue};
use datafusion::scalar::ScalarValue;

/// Returns DataFusion's function, and ours.
pub(super) fn function() -> (Arc<AggregateUDF>, Arc<AggregateUDF>) {
    let inner = percentile_cont_udaf();
    let ours = PercentileCont { inner: Arc::clone(&inner) };
    (inner, Arc::new(AggregateUDF::new_from_impl(ours)))
}

#[derive(Debug, PartialEq, Eq, Hash)]
struct PercentileCont {
    inner: Arc<AggregateUDF>,
}

impl AggregateUDFImpl for PercentileCont {
    as_theirs!();

    fn accumulator(&self, args: AccumulatorArgs) -> Result<Box<dyn Accumulator>> {
        let ours = Values {
            quantile: quantile(&args)?,
            is_distinct: args.is_distinct,
            data_type: args.return_field.data_type().clone(),
            values: Vec::new(),
        };
        // DataFusion checks the arguments.
        self.inner.accumulator(args)?;
        Ok(Box::new(ours))
    }

    fn state_fields(&self, args: StateFieldsArgs) -> Result<Vec<FieldRef>> {
        let list = DataType::new_list(DataType::Float64, true);
        Ok(vec![Arc::new(Field::new(format_state_name(args.name, "values"), list, true))])
    }
}

/// Returns the second argument, a number from 0 to 1; in descending order, the one that is as far from the other end.
fn quantile(args: &AccumulatorArgs) -> Result<f64> {
    let is_descending = args.order_bys.first().is_some_and(|order| order.options.descending);
    let no_rows = RecordBatch::new_empty(Arc::new(Schema::empty()));
    // A column has no value without rows.
    let value = args.exprs.get(1).and_then(|argument| argument.evaluate(&no_rows).ok());
    let Some(ColumnarValue::Scalar(value)) = value else {
        return exec_err!(
            "the percentile is one number for all rows; write a number from 0 to 1, as in percentile_cont(x, 0.95)"
        );
    };
    match value.cast_to(&DataType::Float64)? {
        ScalarValue::Float64(Some(value)) if is_descending => Ok(1.0 - value),
        ScalarValue::Float64(Some(value)) => Ok(value),
        _ => exec_err!("the percentile is null; write a number from 0 to 1"),
    }
}

/// The values so far, in any order.
#[derive(Debug)]
struct Values {
    quantile: f64,
    is_distinct: bool,
    data_type: DataType,
    values: Vec<f64>,
}

impl Values {
    /// Returns the least value, and the one after it, of those from this index on in ascending order.
    fn at(values: &mut [f64], index: usize) -> (f64, f64) {
        let (_, &mut lower, greater) = values.select_nth_unstable_by(index, f64::total_cmp);
        (lower, greater.iter().copied().min_by(f64::total_cmp).unwrap_or(lower))
    }

    #[allow(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "the position is an index"
    )]
    fn percentile(&mut self) -> Option<f64> {
        if self.values.iter().any(|value| value.is_nan()) {
            return Some(f64::NAN);
        }
        let mut distinct = Vec::new();
        let values = match self.is_distinct {
            // The other values may leave a window later.
            true => {
                distinct.clone_from(&self.values);
                distinct.sort_unstable_by(f64::total_cmp);
                distinct.dedup_by(|a, b| a.to_bits() == b.to_bits());
                &mut distinct
            }
            false => &mut self.values,
        };
        let last = values.len().checked_sub(1)?;
        let position = self.quantile * last as f64;
        let (lower, upper) = Values::at(values, (position as usize).min(last));
        Some(between(lower, upper, position.fract()))
    }
}

/// Returns the number between two others, from the nearer one, as NumPy finds it.
fn between(lower: f64, upper: f64, weight: f64) -> f64 {
    let difference = upper - lower;
    match weight {
        // The difference of two infinities is NaN.
        _ if weight == 0.0 || lower == upper => lower,
        0.5.. => upper - difference * (1.0 - weight),
        _ => lower + difference * weight,
    }
}

impl Accumulator for Values {
    fn update_batch(&mut self, values: &[ArrayRef]) -> Result<()> {
        self.values.extend(floats(values)?.iter().flatten());
        Ok(())
    }

    fn retract_batch(&mut self, values: &[ArrayRef]) -> Result<()> {
        for value in floats(values)?.iter().flatten() {
            let found = self.values.iter().position(|it| it.to_bits() == value.to_bits());
            let found =
                found.ok_or_else(|| exec_datafusion_err!("{value} is not in the window"))?;
            self.values.swap_remove(found);
        }
        Ok(())
    }

    fn supports_retract_batch(&self) -> bool {
        true
    }

    fn merge_batch(&mut self, states: &[ArrayRef]) -> Result<()> {
        let [lists] = states else { return exec_err!("a percentile without its values") };
        for list in lists.as_list::<i32>().iter().flatten() {
            self.update_batch(&[list])?;
        }
        Ok(())
    }

    fn state(&mut self) -> Result<Vec<ScalarValue>> {
        let values = Float64Array::from(std::mem::take(&mut self.values));
        Ok(vec![SingleRowListArrayBuilder::new(Arc::new(values)).build_list_scalar()])
    }

    fn evaluate(&mut self) -> Result<ScalarValue> {
        ScalarValue::Float64(self.percentile()).cast_to(&self.data_type)
    }

    fn size(&self) -> usize {
        size_of::<Self>() + self.values.capacity() * size_of::<f64>()
    }
}

/// Returns the first argument as floats, which have all values of smaller floats.
fn floats(values: &[ArrayRef]) -> Result<Float64Array> {
    let values = values.first().ok_or_else(|| exec_datafusion_err!("a percentile of nothing"))?;
    Ok(cast(values, &DataType::Float64)?.as_primitive::<Float64Type>().clone())
}
