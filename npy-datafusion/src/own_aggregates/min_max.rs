//! `min` and `max` of floats for each group.
//!
//! DataFusion 55.2 compares the values of groups so that NaN and the infinities come out wrong (apache/datafusion#24432): a NaN replaces the values
//! before it, and a group of infinities alone has the largest finite number. Without `GROUP BY` it uses the order in which a NaN is greater than all
//! other numbers. These functions use that order, too; all else is DataFusion's. Remove this file when the test `datafusion_is_mended` fails.

use std::sync::Arc;

use datafusion::arrow::array::{ArrowNativeTypeOp, ArrowPrimitiveType};
use datafusion::arrow::datatypes::{DataType, FieldRef, Float16Type, Float32Type, Float64Type};
use datafusion::error::Result;
use datafusion::functions_aggregate::min_max::{max_udaf, min_udaf};
use datafusion::logical_expr::function::{AccumulatorArgs, StateFieldsArgs};
use datafusion::logical_expr::{
    Accumulator, AggregateUDF, AggregateUDFImpl, GroupsAccumulator, StatisticsArgs,
};
use datafusion::scalar::ScalarValue;
use datafusion_functions_aggregate_common::aggregate::groups_accumulator::prim_op::PrimitiveGroupsAccumulator;

/// Returns the functions `min` and `max`, each after the one whose place it takes.
pub(super) fn functions() -> [(Arc<AggregateUDF>, Arc<AggregateUDF>); 2] {
    [(min_udaf(), false), (max_udaf(), true)].map(|(theirs, is_max)| {
        let inner = Arc::clone(&theirs);
        (theirs, Arc::new(AggregateUDF::new_from_impl(Extreme { inner, is_max })))
    })
}

/// `min` or `max`.
#[derive(Debug, PartialEq, Eq, Hash)]
struct Extreme {
    inner: Arc<AggregateUDF>,
    is_max: bool,
}

impl Extreme {
    /// Returns what computes the result of each group, by the order of all floats.
    fn groups<T: ArrowPrimitiveType + Send>(
        &self,
        data_type: &DataType,
    ) -> Box<dyn GroupsAccumulator>
    where
        T::Native: ArrowNativeTypeOp,
    {
        if self.is_max {
            let greater = |greatest: &mut T::Native, value: T::Native| {
                if value.is_gt(*greatest) {
                    *greatest = value;
                }
            };
            let groups = PrimitiveGroupsAccumulator::<T, _>::new(data_type, greater);
            return Box::new(groups.with_starting_value(T::Native::MIN_TOTAL_ORDER));
        }
        let less = |least: &mut T::Native, value: T::Native| {
            if value.is_lt(*least) {
                *least = value;
            }
        };
        let groups = PrimitiveGroupsAccumulator::<T, _>::new(data_type, less);
        Box::new(groups.with_starting_value(T::Native::MAX_TOTAL_ORDER))
    }
}

impl AggregateUDFImpl for Extreme {
    as_theirs!();

    fn groups_accumulator_supported(&self, args: AccumulatorArgs) -> bool {
        self.inner.groups_accumulator_supported(args)
    }

    fn create_groups_accumulator(
        &self,
        args: AccumulatorArgs,
    ) -> Result<Box<dyn GroupsAccumulator>> {
        let data_type = args.return_field.data_type();
        Ok(match data_type {
            DataType::Float16 => self.groups::<Float16Type>(data_type),
            DataType::Float32 => self.groups::<Float32Type>(data_type),
            DataType::Float64 => self.groups::<Float64Type>(data_type),
            _ => return self.inner.create_groups_accumulator(args),
        })
    }

    fn accumulator(&self, args: AccumulatorArgs) -> Result<Box<dyn Accumulator>> {
        self.inner.accumulator(args)
    }

    fn state_fields(&self, args: StateFieldsArgs) -> Result<Vec<FieldRef>> {
        self.inner.state_fields(args)
    }

    fn create_sliding_accumulator(&self, args: AccumulatorArgs) -> Result<Box<dyn Accumulator>> {
        self.inner.create_sliding_accumulator(args)
    }

    fn is_descending(&self) -> Option<bool> {
        self.inner.is_descending()
    }

    fn value_from_stats(&self, args: &StatisticsArgs) -> Option<ScalarValue> {
        self.inner.value_from_stats(args)
    }
}
