//! `sum` of integers and of spans of time: it is right, or an error.
//!
//! DataFusion 55.2 adds them without a check, so the sum of 2⁶³ − 1 and 1 is −2⁶³. Here a total has 128 bits until all rows are added, in whichever order
//! and in whichever parts they come. All else is DataFusion's.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::fmt::{self, Debug, Display};
use std::hash::Hash;
use std::marker::PhantomData;
use std::mem::size_of;
use std::sync::Arc;

use datafusion::arrow::array::{
    Array, ArrayRef, ArrowNumericType, ArrowPrimitiveType, AsArray, BooleanArray, Decimal128Array,
    PrimitiveArray,
};
use datafusion::arrow::buffer::NullBuffer;
use datafusion::arrow::datatypes::{
    DECIMAL128_MAX_PRECISION, DataType, Decimal128Type, DurationMicrosecondType,
    DurationMillisecondType, DurationNanosecondType, DurationSecondType, Field, FieldRef,
    Int64Type, TimeUnit, UInt64Type,
};
use datafusion::common::exec_datafusion_err;
use datafusion::common::utils::SingleRowListArrayBuilder;
use datafusion::error::{DataFusionError, Result};
use datafusion::functions_aggregate::sum::sum_udaf;
use datafusion::logical_expr::function::{AccumulatorArgs, StateFieldsArgs};
use datafusion::logical_expr::utils::format_state_name;
use datafusion::logical_expr::{
    Accumulator, AggregateUDF, AggregateUDFImpl, EmitTo, GroupsAccumulator,
};
use datafusion::scalar::ScalarValue;
use datafusion_functions_aggregate_common::aggregate::groups_accumulator::accumulate::NullState;

use super::moving::moving;

/// Returns the function `sum`, and the one whose place it takes.
pub(super) fn function() -> (Arc<AggregateUDF>, Arc<AggregateUDF>) {
    let theirs = sum_udaf();
    (Arc::clone(&theirs), Arc::new(AggregateUDF::new_from_impl(Sum { inner: theirs })))
}

/// The type of a total that is not complete.
pub(super) const TOTAL: DataType = DataType::Decimal128(DECIMAL128_MAX_PRECISION, 0);

/// An integer of 64 bits.
pub(super) trait Integer: Copy + Eq + Hash + Into<i128> + TryFrom<i128> {
    /// Adds a number. If the sum does not fit, it is that of the lower 64 bits, and the second result is the rest.
    fn add(self, other: Self) -> (Self, i128);

    /// Returns the lower 64 bits.
    fn low(total: i128) -> Self;

    /// Returns bits whose upper 21 are zero if the number is small: below 2⁴², and for i64 from −2⁴² on; for u64 below 2⁴³.
    fn size(self) -> u64;
}

impl Integer for i64 {
    fn add(self, other: Self) -> (Self, i128) {
        match self.overflowing_add(other) {
            (sum, false) => (sum, 0),
            (sum, true) if other > 0 => (sum, 1 << 64),
            (sum, true) => (sum, -1 << 64),
        }
    }

    #[allow(clippy::cast_possible_truncation)]
    fn low(total: i128) -> Self {
        total as i64
    }

    fn size(self) -> u64 {
        self.wrapping_add(1 << 42).cast_unsigned()
    }
}

impl Integer for u64 {
    fn add(self, other: Self) -> (Self, i128) {
        let (sum, is_more) = self.overflowing_add(other);
        (sum, if is_more { 1 << 64 } else { 0 })
    }

    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    fn low(total: i128) -> Self {
        total as u64
    }

    fn size(self) -> u64 {
        self
    }
}

/// Calls a function for the type of a sum; other types are DataFusion's.
macro_rules! for_integers {
    ($data_type:expr, $function:ident($($argument:expr),*), $else:expr) => {
        match $data_type {
            DataType::Int64 => $function::<Int64Type>($($argument),*),
            DataType::UInt64 => $function::<UInt64Type>($($argument),*),
            DataType::Duration(TimeUnit::Second) => $function::<DurationSecondType>($($argument),*),
            DataType::Duration(TimeUnit::Millisecond) => $function::<DurationMillisecondType>($($argument),*),
            DataType::Duration(TimeUnit::Microsecond) => $function::<DurationMicrosecondType>($($argument),*),
            DataType::Duration(TimeUnit::Nanosecond) => $function::<DurationNanosecondType>($($argument),*),
            _ => $else,
        }
    };
}

/// Returns true for the types whose totals are made here.
pub(super) fn is_integer(data_type: &DataType) -> bool {
    matches!(data_type, DataType::Int64 | DataType::UInt64 | DataType::Duration(_))
}

/// `sum`.
#[derive(Debug, PartialEq, Eq, Hash)]
struct Sum {
    inner: Arc<AggregateUDF>,
}

impl AggregateUDFImpl for Sum {
    as_theirs!();

    fn groups_accumulator_supported(&self, args: AccumulatorArgs) -> bool {
        self.inner.groups_accumulator_supported(args)
    }

    fn accumulator(&self, args: AccumulatorArgs) -> Result<Box<dyn Accumulator>> {
        let (sum, is_distinct) = (Name::of(&args), args.is_distinct);
        for_integers!(sum.data_type, single(sum, is_distinct), self.inner.accumulator(args))
    }

    fn create_sliding_accumulator(&self, args: AccumulatorArgs) -> Result<Box<dyn Accumulator>> {
        let (sum, is_distinct) = (Name::of(&args), args.is_distinct);
        for_integers!(sum.data_type, single(sum, is_distinct), moving(&self.inner, args))
    }

    fn state_fields(&self, args: StateFieldsArgs) -> Result<Vec<FieldRef>> {
        if args.is_distinct || !is_integer(args.return_type()) {
            return self.inner.state_fields(args);
        }
        Ok(vec![Arc::new(Field::new(format_state_name(args.name, "sum"), TOTAL, true))])
    }

    fn create_groups_accumulator(
        &self,
        args: AccumulatorArgs,
    ) -> Result<Box<dyn GroupsAccumulator>> {
        let sum = Name::of(&args);
        for_integers!(sum.data_type, groups(sum), self.inner.create_groups_accumulator(args))
    }
}

/// The sum as the statement names it, for messages, and its type.
#[derive(Clone, Debug)]
struct Name {
    text: String,
    data_type: DataType,
}

impl Name {
    fn of(args: &AccumulatorArgs) -> Self {
        Name { text: args.name.to_owned(), data_type: args.return_field.data_type().clone() }
    }

    /// Returns the error of a sum that does not fit.
    fn too_large(&self, total: i128) -> DataFusionError {
        let (text, as_type) = (&self.text, &self.data_type);
        let advice = match as_type {
            DataType::Duration(_) => {
                "sum their counts as decimals: sum(CAST(CAST(x AS BIGINT) AS DECIMAL(38, 0)))"
            }
            _ => "sum decimals, sum(CAST(x AS DECIMAL(38, 0))), or floats, sum(CAST(x AS DOUBLE))",
        };
        exec_datafusion_err!("{text} is {total}, and {as_type} does not hold it; {advice}")
    }

    /// Returns a sum that is complete.
    fn exact<N: Integer + Display>(&self, total: i128) -> Result<N> {
        N::try_from(total).map_err(|_| self.too_large(total))
    }
}

fn single<T>(name: Name, is_distinct: bool) -> Result<Box<dyn Accumulator>>
where
    T: ArrowNumericType<Native: Integer + Display> + Debug + Send,
{
    Ok(match is_distinct {
        true => Box::new(Distinct::<T> { name, counts: HashMap::new(), total: 0 }),
        false => Box::new(Total::<T> { name, total: 0, rows: 0, of: PhantomData }),
    })
}

fn groups<T>(name: Name) -> Result<Box<dyn GroupsAccumulator>>
where
    T: ArrowNumericType<Native: Integer + Display> + Debug + Send,
{
    let (totals, rests, nulls) = (Vec::new(), HashMap::new(), NullState::new());
    Ok(Box::new(Groups::<T> { name, totals, rests, nulls }))
}

/// Returns the total of the values that are not null.
pub(super) fn total_of<T: ArrowNumericType<Native: Integer>>(values: &PrimitiveArray<T>) -> i128 {
    match values.nulls().filter(|nulls| nulls.null_count() > 0) {
        None => total_of_all(values.values()),
        Some(nulls) => {
            let part = |(start, end)| values.values().get(start..end).map_or(0, total_of_all);
            nulls.valid_slices().map(part).sum()
        }
    }
}

fn total_of_all<N: Integer>(values: &[N]) -> i128 {
    /// The sum of this many numbers below 2⁴³ fits into 64 bits.
    const BLOCK: usize = 1 << 20;
    let block = |values: &[N]| -> i128 {
        // A loop without a branch is compiled for several numbers at a time.
        let (mut sum, mut sizes) = (N::low(0), 0);
        for &value in values {
            sum = sum.add(value).0;
            sizes |= value.size();
        }
        match sizes >> 43 {
            0 => sum.into(),
            _ => values.iter().map(|&value| -> i128 { value.into() }).sum(),
        }
    };
    values.chunks(BLOCK).map(block).sum()
}

/// The sum of all rows, or of those of a window.
struct Total<T> {
    name: Name,
    total: i128,
    /// The number of rows that are not null. Without any, the sum is null.
    rows: u64,
    of: PhantomData<fn() -> T>,
}

impl<T> Debug for Total<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Total({:?}, {})", self.name, self.total)
    }
}

/// Returns the number of values that are not null.
fn count(values: &dyn Array) -> u64 {
    (values.len() - values.null_count()) as u64
}

/// Returns the only argument.
fn only(values: &[ArrayRef]) -> Result<&ArrayRef> {
    values.first().ok_or_else(|| exec_datafusion_err!("a sum has one argument"))
}

impl<T: ArrowNumericType<Native: Integer + Display>> Accumulator for Total<T> {
    fn update_batch(&mut self, values: &[ArrayRef]) -> Result<()> {
        let values = only(values)?.as_primitive::<T>();
        self.total += total_of(values);
        self.rows += count(values);
        Ok(())
    }

    fn retract_batch(&mut self, values: &[ArrayRef]) -> Result<()> {
        let values = only(values)?.as_primitive::<T>();
        self.total -= total_of(values);
        self.rows -= count(values);
        Ok(())
    }

    fn supports_retract_batch(&self) -> bool {
        true
    }

    fn merge_batch(&mut self, states: &[ArrayRef]) -> Result<()> {
        let totals = only(states)?.as_primitive::<Decimal128Type>();
        self.total += totals.iter().flatten().sum::<i128>();
        self.rows += count(totals);
        Ok(())
    }

    fn state(&mut self) -> Result<Vec<ScalarValue>> {
        let total = (self.rows > 0).then_some(self.total);
        Ok(vec![ScalarValue::Decimal128(total, DECIMAL128_MAX_PRECISION, 0)])
    }

    fn evaluate(&mut self) -> Result<ScalarValue> {
        let sum = match self.rows {
            0 => None,
            _ => Some(self.name.exact(self.total)?),
        };
        ScalarValue::new_primitive::<T>(sum, &self.name.data_type)
    }

    fn size(&self) -> usize {
        size_of::<Self>() + self.name.text.capacity()
    }
}

/// The sum of the values that differ.
struct Distinct<T: ArrowPrimitiveType> {
    name: Name,
    /// The number of rows that have a value.
    counts: HashMap<T::Native, u64>,
    total: i128,
}

impl<T: ArrowPrimitiveType> Debug for Distinct<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Distinct({:?}, {})", self.name, self.total)
    }
}

impl<T: ArrowPrimitiveType<Native: Integer>> Distinct<T> {
    fn add(&mut self, values: &ArrayRef) {
        for value in values.as_primitive::<T>().iter().flatten() {
            let count = self.counts.entry(value).or_insert(0);
            if *count == 0 {
                self.total += value.into();
            }
            *count += 1;
        }
    }
}

impl<T: ArrowPrimitiveType<Native: Integer + Display>> Accumulator for Distinct<T> {
    fn update_batch(&mut self, values: &[ArrayRef]) -> Result<()> {
        self.add(only(values)?);
        Ok(())
    }

    fn retract_batch(&mut self, values: &[ArrayRef]) -> Result<()> {
        for value in only(values)?.as_primitive::<T>().iter().flatten() {
            if let Entry::Occupied(mut entry) = self.counts.entry(value) {
                *entry.get_mut() -= 1;
                if *entry.get() == 0 {
                    entry.remove();
                    self.total -= value.into();
                }
            }
        }
        Ok(())
    }

    fn supports_retract_batch(&self) -> bool {
        true
    }

    fn merge_batch(&mut self, states: &[ArrayRef]) -> Result<()> {
        for values in only(states)?.as_list::<i32>().iter().flatten() {
            self.add(&values);
        }
        Ok(())
    }

    fn state(&mut self) -> Result<Vec<ScalarValue>> {
        let values = PrimitiveArray::<T>::from_iter_values(self.counts.keys().copied());
        let values = values.with_data_type(self.name.data_type.clone());
        Ok(vec![SingleRowListArrayBuilder::new(Arc::new(values)).build_list_scalar()])
    }

    fn evaluate(&mut self) -> Result<ScalarValue> {
        let sum = match self.counts.is_empty() {
            true => None,
            false => Some(self.name.exact(self.total)?),
        };
        ScalarValue::new_primitive::<T>(sum, &self.name.data_type)
    }

    fn size(&self) -> usize {
        size_of::<Self>() + self.counts.capacity() * size_of::<(T::Native, u64)>()
    }
}

/// The sums of groups.
struct Groups<T: ArrowPrimitiveType> {
    name: Name,
    /// The lower 64 bits of each total.
    totals: Vec<T::Native>,
    /// The rest of those that have one.
    rests: HashMap<usize, i128>,
    nulls: NullState,
}

impl<T: ArrowPrimitiveType<Native: Integer + Display>> Groups<T> {
    /// Takes the totals of the first groups, or of all, and their rests.
    fn take(&mut self, emit_to: EmitTo) -> (Vec<T::Native>, HashMap<usize, i128>) {
        let totals = emit_to.take_needed(&mut self.totals);
        let (taken, kept): (HashMap<_, _>, HashMap<_, _>) =
            self.rests.drain().partition(|(group, _)| *group < totals.len());
        self.rests = kept.into_iter().map(|(group, rest)| (group - totals.len(), rest)).collect();
        (totals, taken)
    }
}

fn decimals(totals: impl Iterator<Item = i128>, nulls: Option<NullBuffer>) -> Result<ArrayRef> {
    let totals = Decimal128Array::new(totals.collect::<Vec<_>>().into(), nulls);
    Ok(Arc::new(totals.with_precision_and_scale(DECIMAL128_MAX_PRECISION, 0)?))
}

impl<T: ArrowPrimitiveType<Native: Integer + Display> + Send> GroupsAccumulator for Groups<T> {
    fn update_batch(
        &mut self,
        values: &[ArrayRef],
        groups: &[usize],
        filter: Option<&BooleanArray>,
        count: usize,
    ) -> Result<()> {
        let values = only(values)?.as_primitive::<T>();
        let (totals, rests) = (&mut self.totals, &mut self.rests);
        totals.resize(count, T::Native::low(0));
        self.nulls.accumulate(groups, values, filter, count, |group, value| {
            if let Some(total) = totals.get_mut(group) {
                let (sum, rest) = total.add(value);
                *total = sum;
                if rest != 0 {
                    *rests.entry(group).or_insert(0) += rest;
                }
            }
        });
        Ok(())
    }

    fn merge_batch(&mut self, states: &[ArrayRef], groups: &[usize], count: usize) -> Result<()> {
        let states = only(states)?.as_primitive::<Decimal128Type>();
        let (totals, rests) = (&mut self.totals, &mut self.rests);
        totals.resize(count, T::Native::low(0));
        self.nulls.accumulate(groups, states, None, count, |group, value| {
            if let Some(total) = totals.get_mut(group) {
                let low = T::Native::low(value);
                let (sum, rest) = total.add(low);
                *total = sum;
                let rest = rest + value - low.into();
                if rest != 0 {
                    *rests.entry(group).or_insert(0) += rest;
                }
            }
        });
        Ok(())
    }

    fn evaluate(&mut self, emit_to: EmitTo) -> Result<ArrayRef> {
        let (totals, rests) = self.take(emit_to);
        if let Some((group, rest)) = rests.iter().find(|(_, rest)| **rest != 0) {
            let low = totals.get(*group).map_or(0, |&low| low.into());
            return Err(self.name.too_large(low + rest));
        }
        let sums = PrimitiveArray::<T>::new(totals.into(), self.nulls.build(emit_to));
        Ok(Arc::new(sums.with_data_type(self.name.data_type.clone())))
    }

    fn state(&mut self, emit_to: EmitTo) -> Result<Vec<ArrayRef>> {
        let (totals, rests) = self.take(emit_to);
        let rest = |group: usize| match rests.is_empty() {
            true => 0,
            false => rests.get(&group).copied().unwrap_or(0),
        };
        let totals = totals.into_iter().enumerate();
        let totals = totals.map(|(group, low)| -> i128 { low.into() + rest(group) });
        Ok(vec![decimals(totals, self.nulls.build(emit_to))?])
    }

    fn convert_to_state(
        &self,
        values: &[ArrayRef],
        filter: Option<&BooleanArray>,
    ) -> Result<Vec<ArrayRef>> {
        let values = only(values)?.as_primitive::<T>();
        let passing = filter.map(|filter| match filter.nulls() {
            Some(nulls) => NullBuffer::from(filter.values() & nulls.inner()),
            None => NullBuffer::from(filter.values().clone()),
        });
        let nulls = NullBuffer::union(values.nulls(), passing.as_ref());
        let totals = values.values().iter().map(|&value| -> i128 { value.into() });
        Ok(vec![decimals(totals, nulls)?])
    }

    fn size(&self) -> usize {
        self.totals.capacity() * size_of::<T::Native>()
            + self.rests.capacity() * size_of::<(usize, i128)>()
            + self.nulls.size()
    }
}

#[cfg(test)]
mod tests {
    use super::total_of_all;

    /// Guards the loop for small numbers: its limits, and the blocks that it adds.
    #[test]
    fn totals_are_those_of_wide_integers() {
        let small = 1 << 42;
        let signed = [0, 1, -1, small - 1, small, -small, -small - 1, i64::MIN, i64::MAX];
        let unsigned = [0, 1, 1 << 42, 1 << 43, (1 << 43) - 1, u64::MAX];
        for count in [1, 2, 1000, (1 << 20) - 1, (1 << 20) + 1] {
            for number in signed {
                assert_eq!(total_of_all(&vec![number; count]), i128::from(number) * count as i128);
            }
            for number in unsigned {
                assert_eq!(total_of_all(&vec![number; count]), i128::from(number) * count as i128);
            }
        }
        let mixed: Vec<i64> = signed.into_iter().cycle().take(3 << 20).collect();
        assert_eq!(total_of_all(&mixed), mixed.iter().map(|&number| i128::from(number)).sum());
    }
}
