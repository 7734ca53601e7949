//! Values of `EXECUTE`: each is the same one in the type of its parameter, or an error.
//!
//! DataFusion 55.2 converts them as `CAST` does: for integers, `x < $1` with 1.5 would be `x < 1`.

use std::collections::HashMap;

use npy_datafusion::datafusion::arrow::array::{RecordBatch, RecordBatchOptions};
use npy_datafusion::datafusion::arrow::datatypes::{FieldRef, Schema};
use npy_datafusion::datafusion::common::{DFSchema, ScalarValue};
use npy_datafusion::datafusion::error::Result;
use npy_datafusion::datafusion::execution::FunctionRegistry;
use npy_datafusion::datafusion::logical_expr::{LogicalPlan, Statement, lit};
use npy_datafusion::datafusion::prelude::SessionContext;

/// The parameters of the statements that are prepared.
#[derive(Default)]
pub(crate) struct Prepared(HashMap<String, Vec<FieldRef>>);

impl Prepared {
    /// Keeps the parameters of `PREPARE`, and checks the values of `EXECUTE`.
    pub(crate) fn check(&mut self, ctx: &SessionContext, plan: &LogicalPlan) -> Result<()> {
        let execute = match plan {
            LogicalPlan::Statement(Statement::Prepare(prepare)) => {
                self.0.insert(prepare.name.clone(), prepare.fields.clone());
                return Ok(());
            }
            LogicalPlan::Statement(Statement::Execute(execute)) => execute,
            _ => return Ok(()),
        };
        // The function that converts the values of `INSERT INTO`.
        let exact = ctx.udf("npy_insert_as")?;
        let one_row = RecordBatchOptions::new().with_row_count(Some(1));
        let one_row = RecordBatch::try_new_with_options(Schema::empty().into(), vec![], &one_row)?;
        let fields = self.0.get(&execute.name).into_iter().flatten();
        for (number, (value, field)) in (1..).zip(execute.parameters.iter().zip(fields)) {
            let example = lit(ScalarValue::try_from(field.data_type())?);
            let place = lit(format!("the parameter ${number} of {}", execute.name));
            let value = exact.call(vec![value.clone(), example, place, lit(true), lit("")]);
            ctx.create_physical_expr(value, &DFSchema::empty())?.evaluate(&one_row)?;
        }
        Ok(())
    }
}
