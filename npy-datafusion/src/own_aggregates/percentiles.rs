//! `median` and approximate percentiles of floats, which are NaN if a value is, as in NumPy.
//!
//! DataFusion 55.2 counts a NaN as the greatest number, or as the least one if its sign is set. So the median of rows is a number, although some are NaN
//! that looks right. These functions count the NaN, too; all else is DataFusion's.

use std::sync::Arc;

use datafusion::arrow::array::{Array, ArrayRef, ArrowPrimitiveType, AsArray};
use datafusion::arrow::datatypes::{
    DataType, Field, FieldRef, Float16Type, Float32Type, Float64Type, UInt64Type,
};
use datafusion::common::exec_datafusion_err;
use datafusion::error::Result;
use datafusion::functions_aggregate::approx_median::approx_median_udaf;
use datafusion::functions_aggregate::approx_percentile_cont::approx_percentile_cont_udaf;
use datafusion::functions_aggregate::approx_percentile_cont_with_weight::approx_percentile_cont_with_weight_udaf;
use datafusion::functions_aggregate::median::median_udaf;
use datafusion::logical_expr::function::{AccumulatorArgs, StateFieldsArgs};
use datafusion::logical_expr::utils::format_state_name;
use datafusion::logical_expr::{Accumulator, AggregateUDF, AggregateUDFImpl, GroupsAccumulator};
use datafusion::scalar::ScalarValue;

/// Returns the functions, each after the one whose place it takes.
pub(super) fn functions() -> [(Arc<AggregateUDF>, Arc<AggregateUDF>); 4] {
    let theirs = [
        median_udaf(),
        approx_median_udaf(),
        approx_percentile_cont_udaf(),
        approx_percentile_cont_with_weight_udaf(),
    ];
    theirs.map(|inner| {
        let ours = Percentile { inner: Arc::clone(&inner) };
        (inner, Arc::new(AggregateUDF::new_from_impl(ours)))
    })
}

/// `median` or an approximate percentile.
#[derive(Debug, PartialEq, Eq, Hash)]
struct Percentile {
    inner: Arc<AggregateUDF>,
}

impl AggregateUDFImpl for Percentile {
    as_theirs!();

    /// Returns false for floats: DataFusion then has an accumulator for each group.
    fn groups_accumulator_supported(&self, args: AccumulatorArgs) -> bool {
        !args.return_field.data_type().is_floating()
            && self.inner.groups_accumulator_supported(args)
    }

    fn create_groups_accumulator(
        &self,
        args: AccumulatorArgs,
    ) -> Result<Box<dyn GroupsAccumulator>> {
        self.inner.create_groups_accumulator(args)
    }

    fn accumulator(&self, args: AccumulatorArgs) -> Result<Box<dyn Accumulator>> {
        let data_type = args.return_field.data_type().clone();
        Ok(with_nans(data_type, self.inner.accumulator(args)?))
    }

    fn create_sliding_accumulator(&self, args: AccumulatorArgs) -> Result<Box<dyn Accumulator>> {
        let data_type = args.return_field.data_type().clone();
        Ok(with_nans(data_type, self.inner.create_sliding_accumulator(args)?))
    }

    fn state_fields(&self, args: StateFieldsArgs) -> Result<Vec<FieldRef>> {
        let is_float = args.return_type().is_floating();
        let name = format_state_name(args.name, "nans");
        let mut fields = self.inner.state_fields(args)?;
        fields.extend(is_float.then(|| Arc::new(Field::new(name, DataType::UInt64, false))));
        Ok(fields)
    }
}

/// Adds the count of NaN to an accumulator of floats.
fn with_nans(data_type: DataType, inner: Box<dyn Accumulator>) -> Box<dyn Accumulator> {
    match data_type.is_floating() {
        true => Box::new(WithNans { inner, nans: 0, data_type }),
        false => inner,
    }
}

/// A percentile of the rows so far.
#[derive(Debug)]
struct WithNans {
    inner: Box<dyn Accumulator>,
    /// The number of NaN, which leave the rows of a window again.
    nans: u64,
    data_type: DataType,
}

impl Accumulator for WithNans {
    fn update_batch(&mut self, values: &[ArrayRef]) -> Result<()> {
        self.nans += nans(values);
        self.inner.update_batch(values)
    }

    fn retract_batch(&mut self, values: &[ArrayRef]) -> Result<()> {
        self.nans -= nans(values);
        self.inner.retract_batch(values)
    }

    fn supports_retract_batch(&self) -> bool {
        self.inner.supports_retract_batch()
    }

    fn merge_batch(&mut self, states: &[ArrayRef]) -> Result<()> {
        let (nans, states) = states
            .split_last()
            .ok_or_else(|| exec_datafusion_err!("a percentile without its count of NaN"))?;
        self.nans += nans.as_primitive::<UInt64Type>().iter().flatten().sum::<u64>();
        self.inner.merge_batch(states)
    }

    fn state(&mut self) -> Result<Vec<ScalarValue>> {
        let mut state = self.inner.state()?;
        state.push(ScalarValue::UInt64(Some(self.nans)));
        Ok(state)
    }

    fn evaluate(&mut self) -> Result<ScalarValue> {
        match self.nans {
            0 => self.inner.evaluate(),
            _ => ScalarValue::Float64(Some(f64::NAN)).cast_to(&self.data_type),
        }
    }

    fn size(&self) -> usize {
        size_of::<Self>() + self.inner.size()
    }
}

/// Returns the number of NaN in the arguments: the values, and weights if there are some.
fn nans(values: &[ArrayRef]) -> u64 {
    let of = |values: &ArrayRef| match values.data_type() {
        DataType::Float16 => nans_of::<Float16Type>(values),
        DataType::Float32 => nans_of::<Float32Type>(values),
        DataType::Float64 => nans_of::<Float64Type>(values),
        _ => 0,
    };
    values.iter().map(of).sum()
}

fn nans_of<T: ArrowPrimitiveType>(values: &dyn Array) -> u64 {
    // A NaN has no order, also to itself.
    let values = values.as_primitive::<T>().iter().flatten();
    values.filter(|value| value.partial_cmp(value).is_none()).count() as u64
}
