//! Evaluates the condition of a scan for a batch of rows.
//!
//! The plan above a scan sends parts of its condition while the query runs: `ORDER BY f(x) LIMIT 10` sends `f(x) > t`, and a join the range of its keys.
//! Only rows that meet the conditions of the query may be asked for `f(x)`, which may fail for others (`WHERE x <> 0 ORDER BY 1 / x LIMIT 10`). And `f(x)`
//! is several times in what is sent, but computed once.

use std::sync::Arc;

use datafusion::arrow::array::{Array, AsArray, BooleanArray, RecordBatch};
use datafusion::arrow::compute::{filter_record_batch, prep_null_mask_filter};
use datafusion::arrow::datatypes::{Field, Schema, SchemaRef};
use datafusion::common::exec_datafusion_err;
use datafusion::common::tree_node::{Transformed, TransformedResult, TreeNode, TreeNodeRecursion};
use datafusion::error::Result;
use datafusion::physical_expr::expressions::{Column, DynamicFilterPhysicalExpr};
use datafusion::physical_expr::{PhysicalExpr, conjunction, split_conjunction};

pub(crate) struct Condition {
    /// The parts of the query, and those that are sent for columns.
    first: Option<Arc<dyn PhysicalExpr>>,
    /// The parts that are sent for other expressions.
    sent: Option<Sent>,
}

/// A condition that loses no row of the result, whether it is evaluated or not.
struct Sent {
    /// The expressions that it is sent for.
    keys: Vec<Arc<dyn PhysicalExpr>>,
    /// The columns of the rows, and one for each key.
    schema: SchemaRef,
    /// The condition, of these columns.
    condition: Arc<dyn PhysicalExpr>,
}

impl Condition {
    /// Divides a condition on rows of this schema.
    pub(crate) fn new(condition: &Arc<dyn PhysicalExpr>, schema: &Schema) -> Result<Self> {
        let (mut first, mut sent, mut keys) = (Vec::new(), Vec::new(), Vec::new());
        for part in split_conjunction(condition) {
            let own = keys_of(part)?;
            let parts = if own.is_empty() { &mut first } else { &mut sent };
            parts.push(Arc::clone(part));
            for key in own {
                if !keys.contains(&key) {
                    keys.push(key);
                }
            }
        }
        let first = (!first.is_empty()).then(|| conjunction(first));
        let sent = (!sent.is_empty()).then(|| Sent::new(conjunction(sent), keys, schema));
        Ok(Condition { first, sent: sent.transpose()? })
    }

    /// Returns the rows that meet the condition, none of them as null; `None` if all do.
    pub(crate) fn passing(&self, rows: &RecordBatch) -> Result<Option<BooleanArray>> {
        let Some(first) = &self.first else {
            return self.sent.as_ref().map_or(Ok(None), |sent| sent.passing(rows));
        };
        let passed = mask(first, rows)?;
        let Some(sent) = self.sent.as_ref().filter(|_| passed.true_count() > 0) else {
            return Ok(Some(passed));
        };
        if passed.true_count() == passed.len() {
            return sent.passing(rows);
        }
        let Some(later) = sent.passing(&filter_record_batch(rows, &passed)?)? else {
            return Ok(Some(passed));
        };
        let mut later = later.values().iter();
        let both = passed.values().iter().map(|is_first| is_first && later.next() == Some(true));
        Ok(Some(both.collect::<Vec<bool>>().into()))
    }
}

impl Sent {
    fn new(
        condition: Arc<dyn PhysicalExpr>,
        keys: Vec<Arc<dyn PhysicalExpr>>,
        rows: &Schema,
    ) -> Result<Self> {
        let mut fields = rows.fields().to_vec();
        for key in &keys {
            fields.push(Arc::new(Field::new("", key.data_type(rows)?, true)));
        }
        let replace = |part: Arc<dyn PhysicalExpr>| {
            Ok(match keys.iter().position(|key| key.as_ref() == part.as_ref()) {
                Some(at) => {
                    Transformed::yes(Arc::new(Column::new("", rows.fields().len() + at)) as _)
                }
                None => Transformed::no(part),
            })
        };
        let condition = condition.transform_down(replace).data()?;
        Ok(Sent { keys, schema: Arc::new(Schema::new(fields)), condition })
    }

    /// Returns the rows that meet the condition, as it is now; `None` if all do, or if a key fails: the plan above computes it again, if it matters.
    fn passing(&self, rows: &RecordBatch) -> Result<Option<BooleanArray>> {
        let value = |key: &Arc<dyn PhysicalExpr>| key.evaluate(rows)?.into_array(rows.num_rows());
        let Ok(keys) = self.keys.iter().map(value).collect::<Result<Vec<_>>>() else {
            return Ok(None);
        };
        let columns = [rows.columns(), &keys].concat();
        let rows = RecordBatch::try_new(Arc::clone(&self.schema), columns)?;
        mask(&self.condition, &rows).map(Some)
    }
}

/// Returns the expressions, other than columns, for which the plan sends a part of a condition.
fn keys_of(part: &Arc<dyn PhysicalExpr>) -> Result<Vec<Arc<dyn PhysicalExpr>>> {
    let mut keys = Vec::new();
    part.apply(|part| {
        if part.is::<DynamicFilterPhysicalExpr>() {
            let computed = part.children().into_iter().filter(|key| !key.is::<Column>());
            keys.extend(computed.map(Arc::clone));
        }
        Ok(TreeNodeRecursion::Continue)
    })?;
    Ok(keys)
}

/// Evaluates a condition. A row whose condition is null does not meet it.
fn mask(condition: &Arc<dyn PhysicalExpr>, rows: &RecordBatch) -> Result<BooleanArray> {
    let passed = condition.evaluate(rows)?.into_array(rows.num_rows())?;
    let passed = passed
        .as_boolean_opt()
        .ok_or_else(|| exec_datafusion_err!("a condition that is neither true nor false"))?;
    Ok(if passed.null_count() > 0 { prep_null_mask_filter(passed) } else { passed.clone() })
}
