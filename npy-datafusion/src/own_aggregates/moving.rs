//! Sums, means, variances and regressions of floats in frames whose start moves, as `avg(x) OVER (ORDER BY t ROWS 9 PRECEDING)`.
//!
//! DataFusion 55.2 subtracts each row that leaves the frame from the result so far. So a NaN or an infinity makes all later results NaN, a large value takes
//! the digits of those after it, and rounding errors add up. Here nothing is subtracted: a frame is a queue, made of two stacks of rows. New rows are
//! added to the back. The front has the state of DataFusion's accumulator from each of its rows to its end; when it is empty, the rows of the back
//! become the front. A result is the merged states of both, so each row costs a constant number of steps. All else is DataFusion's, but for `corr` of groups.

use std::sync::Arc;

use datafusion::arrow::array::{Array, ArrayRef, AsArray, Float64Array};
use datafusion::arrow::datatypes::{DataType, FieldRef, Float64Type, Schema};
use datafusion::common::internal_err;
use datafusion::error::Result;
use datafusion::functions_aggregate::average::avg_udaf;
use datafusion::functions_aggregate::correlation::corr_udaf;
use datafusion::functions_aggregate::covariance::{covar_pop_udaf, covar_samp_udaf};
use datafusion::functions_aggregate::regr::{
    regr_avgx_udaf, regr_avgy_udaf, regr_intercept_udaf, regr_r2_udaf, regr_slope_udaf,
    regr_sxx_udaf, regr_sxy_udaf, regr_syy_udaf,
};
use datafusion::functions_aggregate::stddev::{stddev_pop_udaf, stddev_udaf};
use datafusion::functions_aggregate::variance::{var_pop_udaf, var_samp_udaf};
use datafusion::logical_expr::function::{AccumulatorArgs, StateFieldsArgs};
use datafusion::logical_expr::{Accumulator, AggregateUDF, AggregateUDFImpl, GroupsAccumulator};
use datafusion::physical_expr::{PhysicalExpr, PhysicalSortExpr};
use datafusion::scalar::ScalarValue;

use super::spans::{self, Average};

/// Returns the functions, each after the one whose place it takes. `sum` has its own file, and `regr_count` is exact.
pub(super) fn functions() -> [(Arc<AggregateUDF>, Arc<AggregateUDF>); 16] {
    let theirs = [
        avg_udaf(),
        stddev_udaf(),
        stddev_pop_udaf(),
        var_samp_udaf(),
        var_pop_udaf(),
        covar_samp_udaf(),
        covar_pop_udaf(),
        corr_udaf(),
        regr_slope_udaf(),
        regr_intercept_udaf(),
        regr_r2_udaf(),
        regr_avgx_udaf(),
        regr_avgy_udaf(),
        regr_sxx_udaf(),
        regr_syy_udaf(),
        regr_sxy_udaf(),
    ];
    theirs.map(|inner| {
        let ours = Statistic { inner: Arc::clone(&inner) };
        (inner, Arc::new(AggregateUDF::new_from_impl(ours)))
    })
}

/// One of the functions.
#[derive(Debug, PartialEq, Eq, Hash)]
struct Statistic {
    inner: Arc<AggregateUDF>,
}

impl AggregateUDFImpl for Statistic {
    as_theirs!();

    /// Returns false for `corr`: DataFusion 55.2 adds up the squares of a group, whose digits are lost for numbers that are large and near each other.
    fn groups_accumulator_supported(&self, args: AccumulatorArgs) -> bool {
        self.name() != "corr"
            && of_spans(&args).is_none()
            && self.inner.groups_accumulator_supported(args)
    }

    fn create_groups_accumulator(
        &self,
        args: AccumulatorArgs,
    ) -> Result<Box<dyn GroupsAccumulator>> {
        self.inner.create_groups_accumulator(args)
    }

    fn accumulator(&self, args: AccumulatorArgs) -> Result<Box<dyn Accumulator>> {
        of_spans(&args).map_or_else(|| self.inner.accumulator(args), Ok)
    }

    fn create_sliding_accumulator(&self, args: AccumulatorArgs) -> Result<Box<dyn Accumulator>> {
        of_spans(&args).map_or_else(|| moving(&self.inner, args), Ok)
    }

    fn state_fields(&self, args: StateFieldsArgs) -> Result<Vec<FieldRef>> {
        match args.return_type() {
            DataType::Duration(_) if !args.is_distinct => Ok(spans::state_fields(args.name)),
            _ => self.inner.state_fields(args),
        }
    }
}

/// Returns the accumulator of `avg` of spans, the only function here whose result is a span.
fn of_spans(args: &AccumulatorArgs) -> Option<Box<dyn Accumulator>> {
    let data_type = args.return_field.data_type();
    let is_span = matches!(data_type, DataType::Duration(_)) && !args.is_distinct;
    is_span.then(|| Box::new(Average::new(data_type.clone())) as _)
}

/// Returns the accumulator of a frame whose start moves. Sums of decimals and spans of time are exact, and values that differ are counted.
pub(super) fn moving(
    function: &Arc<AggregateUDF>,
    args: AccumulatorArgs,
) -> Result<Box<dyn Accumulator>> {
    let is_float = |field: &FieldRef| *field.data_type() == DataType::Float64;
    if args.is_distinct || !args.expr_fields.iter().all(is_float) {
        return function.create_sliding_accumulator(args);
    }
    let call = Call::new(function, &args);
    let back = Back::new(&call)?;
    Ok(Box::new(Frame { call, front: Front::default(), back }))
}

/// The arguments by which DataFusion makes an accumulator.
#[derive(Debug)]
struct Call {
    function: Arc<AggregateUDF>,
    return_field: FieldRef,
    schema: Schema,
    ignore_nulls: bool,
    order_bys: Vec<PhysicalSortExpr>,
    is_reversed: bool,
    name: String,
    exprs: Vec<Arc<dyn PhysicalExpr>>,
    expr_fields: Vec<FieldRef>,
}

impl Call {
    fn new(function: &Arc<AggregateUDF>, args: &AccumulatorArgs) -> Self {
        Call {
            function: Arc::clone(function),
            return_field: Arc::clone(&args.return_field),
            schema: args.schema.clone(),
            ignore_nulls: args.ignore_nulls,
            order_bys: args.order_bys.to_vec(),
            is_reversed: args.is_reversed,
            name: args.name.to_owned(),
            exprs: args.exprs.to_vec(),
            expr_fields: args.expr_fields.to_vec(),
        }
    }

    /// Returns an accumulator without rows.
    fn accumulator(&self) -> Result<Box<dyn Accumulator>> {
        self.function.accumulator(AccumulatorArgs {
            return_field: Arc::clone(&self.return_field),
            schema: &self.schema,
            ignore_nulls: self.ignore_nulls,
            order_bys: &self.order_bys,
            is_reversed: self.is_reversed,
            name: &self.name,
            is_distinct: false,
            exprs: &self.exprs,
            expr_fields: &self.expr_fields,
        })
    }
}

/// The first rows of a frame, as the states from each row to the last one of the front.
#[derive(Debug, Default)]
struct Front {
    /// A column for each value of a state.
    states: Vec<ArrayRef>,
    /// The number of rows that have left.
    gone: usize,
}

impl Front {
    fn len(&self) -> usize {
        self.states.first().map_or(0, |column| column.len() - self.gone)
    }

    /// Returns the state of all rows, if there are some.
    fn state(&self) -> Option<Vec<ArrayRef>> {
        (self.len() > 0).then(|| self.states.iter().map(|it| it.slice(self.gone, 1)).collect())
    }
}

/// The last rows of a frame.
#[derive(Debug)]
struct Back {
    /// A column for each argument. They are copies, since a slice of the engine's arrays would keep all of their rows.
    columns: Vec<Vec<Option<f64>>>,
    /// The accumulator of these rows.
    total: Box<dyn Accumulator>,
}

impl Back {
    fn new(call: &Call) -> Result<Self> {
        Ok(Back { columns: vec![Vec::new(); call.expr_fields.len()], total: call.accumulator()? })
    }

    fn len(&self) -> usize {
        self.columns.first().map_or(0, Vec::len)
    }

    fn add(&mut self, values: &[ArrayRef]) -> Result<()> {
        for (column, values) in self.columns.iter_mut().zip(values) {
            column.extend(values.as_primitive::<Float64Type>());
        }
        self.total.update_batch(values)
    }

    /// Makes a front of the rows from `gone` on.
    fn into_front(self, gone: usize, call: &Call) -> Result<Front> {
        let columns: Vec<Float64Array> = self.columns.into_iter().map(Float64Array::from).collect();
        let count = columns.first().map_or(0, |column| column.len());
        let mut total = call.accumulator()?;
        let mut states = Vec::with_capacity(count - gone);
        for row in (gone..count).rev() {
            let values: Vec<ArrayRef> =
                columns.iter().map(|column| Arc::new(column.slice(row, 1)) as ArrayRef).collect();
            total.update_batch(&values)?;
            states.push(total.state()?);
        }
        let mut columns: Vec<Vec<ScalarValue>> = Vec::new();
        for state in states.into_iter().rev() {
            columns.resize_with(state.len(), Vec::new);
            for (column, value) in columns.iter_mut().zip(state) {
                column.push(value);
            }
        }
        let states = columns.into_iter().map(ScalarValue::iter_to_array).collect::<Result<_>>()?;
        Ok(Front { states, gone: 0 })
    }
}

/// The rows of a frame.
#[derive(Debug)]
struct Frame {
    call: Call,
    front: Front,
    back: Back,
}

impl Frame {
    /// Returns an accumulator of all rows.
    fn merged(&mut self) -> Result<Box<dyn Accumulator>> {
        let mut total = self.call.accumulator()?;
        if let Some(front) = self.front.state() {
            total.merge_batch(&front)?;
        }
        if self.back.len() > 0 {
            let back = self.back.total.state()?;
            let back = back.iter().map(|value| value.to_array()).collect::<Result<Vec<_>>>()?;
            total.merge_batch(&back)?;
        }
        Ok(total)
    }
}

impl Accumulator for Frame {
    fn update_batch(&mut self, values: &[ArrayRef]) -> Result<()> {
        self.back.add(values)
    }

    fn retract_batch(&mut self, values: &[ArrayRef]) -> Result<()> {
        let gone = values.first().map_or(0, |values| values.len());
        let of_front = self.front.len();
        if gone <= of_front {
            self.front.gone += gone;
            return Ok(());
        }
        let back = std::mem::replace(&mut self.back, Back::new(&self.call)?);
        self.front = back.into_front(gone - of_front, &self.call)?;
        Ok(())
    }

    fn supports_retract_batch(&self) -> bool {
        true
    }

    fn evaluate(&mut self) -> Result<ScalarValue> {
        match self.front.len() {
            0 => self.back.total.evaluate(),
            _ => self.merged()?.evaluate(),
        }
    }

    fn state(&mut self) -> Result<Vec<ScalarValue>> {
        self.merged()?.state()
    }

    fn merge_batch(&mut self, _: &[ArrayRef]) -> Result<()> {
        internal_err!("the rows of a frame come one after another, and not as states")
    }

    fn size(&self) -> usize {
        let of_states = self.front.states.iter().map(|it| it.get_array_memory_size());
        let of_rows = self.back.columns.iter().map(|it| it.capacity() * size_of::<Option<f64>>());
        size_of::<Self>() + of_states.chain(of_rows).sum::<usize>() + self.back.total.size()
    }
}
