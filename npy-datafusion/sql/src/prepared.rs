//! Checks the values of `EXECUTE`: a literal that the type of its parameter would change is an error.
//!
//! DataFusion 55.2 converts all as `CAST` does: for integers, `x < $1` with 1.5 would be `x < 1`. The type of a parameter that states none is
//! that of the column beside it, so that `x * $1` would wrap where `x * 2` does not. Here it is that of a literal.

use std::collections::HashMap;
use std::sync::Arc;

use npy_datafusion::datafusion::arrow::array::{RecordBatch, RecordBatchOptions};
use npy_datafusion::datafusion::arrow::datatypes::{DataType, FieldRef, Schema};
use npy_datafusion::datafusion::common::tree_node::{Transformed, TreeNode};
use npy_datafusion::datafusion::common::{DFSchema, ScalarValue, plan_datafusion_err};
use npy_datafusion::datafusion::error::Result;
use npy_datafusion::datafusion::execution::FunctionRegistry;
use npy_datafusion::datafusion::logical_expr::expr::Placeholder;
use npy_datafusion::datafusion::logical_expr::{Expr, LogicalPlan, Prepare, Statement, lit};
use npy_datafusion::datafusion::prelude::SessionContext;
use npy_datafusion::datafusion::sql::parser;
use npy_datafusion::datafusion::sql::sqlparser::ast;

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
        let values = (1..).zip(execute.parameters.iter().zip(fields));
        for (number, (value, field)) in values.filter(|(_, (value, _))| is_written(value)) {
            let example = lit(ScalarValue::try_from(field.data_type())?);
            let place = lit(format!("the parameter ${number} of {}", execute.name));
            let value = exact.call(vec![value.clone(), example, place, lit(true), lit("")]);
            let value = ctx.create_physical_expr(value, &DFSchema::empty())?;
            value.evaluate(&one_row).map_err(|error| {
                let text = error.strip_backtrace();
                // The rest is about `INSERT INTO`.
                let reason = text.split("; write ").next().unwrap_or(&text);
                plan_datafusion_err!(
                    "{reason}; state types that hold the values: PREPARE {}(…) AS …, for example DOUBLE, TIMESTAMP or INTERVAL",
                    execute.name
                )
            })?;
        }
        Ok(())
    }
}

/// Gives the numbers among the parameters of a statement that states no types those of literals.
pub(crate) fn with_types_of_literals(
    statement: &parser::Statement,
    plan: LogicalPlan,
) -> Result<LogicalPlan> {
    let LogicalPlan::Statement(Statement::Prepare(prepare)) = plan else { return Ok(plan) };
    if !states_no_types(statement) {
        return Ok(LogicalPlan::Statement(Statement::Prepare(prepare)));
    }
    let of_literal = |field: FieldRef| match field.data_type() {
        it if it.is_integer() => Arc::new(field.as_ref().clone().with_data_type(DataType::Int64)),
        it if it.is_floating() => {
            Arc::new(field.as_ref().clone().with_data_type(DataType::Float64))
        }
        _ => field,
    };
    let with_type = |part: Expr| {
        Ok(match part {
            Expr::Placeholder(Placeholder { id, field: Some(field) }) => {
                Transformed::yes(Expr::Placeholder(Placeholder {
                    id,
                    field: Some(of_literal(field)),
                }))
            }
            other => Transformed::no(other),
        })
    };
    let input = Arc::unwrap_or_clone(prepare.input).transform_up_with_subqueries(|step| {
        step.map_expressions(|it| it.transform_up(with_type))?
            .map_data(LogicalPlan::recompute_schema)
    })?;
    let fields = prepare.fields.into_iter().map(of_literal).collect();
    let prepare = Prepare { fields, input: Arc::new(input.data), ..prepare };
    Ok(LogicalPlan::Statement(Statement::Prepare(prepare)))
}

fn states_no_types(statement: &parser::Statement) -> bool {
    let parser::Statement::Statement(statement) = statement else { return false };
    matches!(&**statement, ast::Statement::Prepare { data_types, .. } if data_types.is_empty())
}

/// Returns true for a literal, as in `-5`, `[1, 2]`, `INTERVAL '1 day'` and `TIMESTAMP '2026-01-02'`.
fn is_written(value: &Expr) -> bool {
    match value {
        Expr::Literal(..) => true,
        Expr::Negative(value) => is_written(value),
        Expr::Cast(cast) => is_written(&cast.expr),
        Expr::ScalarFunction(list) if list.name() == "make_array" => {
            list.args.iter().all(is_written)
        }
        _ => false,
    }
}
