//! `avg` of spans of time: DataFusion 55.2 adds them without a check. Here the total has 128 bits, as that of `sum`.

use datafusion::arrow::array::{Array, ArrayRef, AsArray};
use datafusion::arrow::compute::cast;
use datafusion::arrow::datatypes::{
    DECIMAL128_MAX_PRECISION, DataType, Decimal128Type, Field, FieldRef, Int64Type,
};
use datafusion::common::internal_err;
use datafusion::error::Result;
use datafusion::logical_expr::Accumulator;
use datafusion::logical_expr::utils::format_state_name;
use datafusion::scalar::ScalarValue;

use super::sums::{TOTAL, total_of};

/// The average of all spans that are not null.
#[derive(Debug)]
pub(super) struct Average {
    data_type: DataType,
    total: i128,
    rows: i64,
}

/// Returns the fields of the state.
pub(super) fn state_fields(name: &str) -> Vec<FieldRef> {
    let field = |of: &str, data_type| Field::new(format_state_name(name, of), data_type, true);
    vec![field("sum", TOTAL).into(), field("count", DataType::Int64).into()]
}

impl Average {
    pub(super) fn new(data_type: DataType) -> Self {
        Average { data_type, total: 0, rows: 0 }
    }

    /// Adds the spans of a batch, or subtracts them.
    fn add(&mut self, values: &[ArrayRef], sign: i8) -> Result<()> {
        let [spans] = values else { return internal_err!("avg has one argument") };
        let counts = cast(spans, &DataType::Int64)?;
        self.total += i128::from(sign) * total_of(counts.as_primitive::<Int64Type>());
        let rows = counts.len() - counts.null_count();
        self.rows += i64::from(sign) * i64::try_from(rows).unwrap_or(i64::MAX);
        Ok(())
    }
}

impl Accumulator for Average {
    fn update_batch(&mut self, values: &[ArrayRef]) -> Result<()> {
        self.add(values, 1)
    }

    fn retract_batch(&mut self, values: &[ArrayRef]) -> Result<()> {
        self.add(values, -1)
    }

    fn supports_retract_batch(&self) -> bool {
        true
    }

    fn merge_batch(&mut self, states: &[ArrayRef]) -> Result<()> {
        let [totals, rows] = states else { return internal_err!("the state of avg has two parts") };
        self.total += totals.as_primitive::<Decimal128Type>().iter().flatten().sum::<i128>();
        self.rows += rows.as_primitive::<Int64Type>().iter().flatten().sum::<i64>();
        Ok(())
    }

    fn state(&mut self) -> Result<Vec<ScalarValue>> {
        let total = ScalarValue::Decimal128(Some(self.total), DECIMAL128_MAX_PRECISION, 0);
        Ok(vec![total, ScalarValue::Int64(Some(self.rows))])
    }

    fn evaluate(&mut self) -> Result<ScalarValue> {
        // Between two spans, so it fits; none is null.
        let average = self.total.checked_div(i128::from(self.rows));
        let average = average.map(i64::try_from).transpose().ok().flatten();
        ScalarValue::Int64(average).cast_to(&self.data_type)
    }

    fn size(&self) -> usize {
        size_of::<Self>()
    }
}
