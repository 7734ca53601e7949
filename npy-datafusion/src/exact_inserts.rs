//! Values that `INSERT INTO` adds to a table: each is the same one there, or an error.
//!
//! DataFusion converts them to the types of the table as `CAST` does: a fraction is cut, a large float becomes infinite, a time loses its rest, and a number becomes
//! a day. So a rule of the analyzer puts a function in the place of these conversions. The digits of floats are rounded all the same. In `VALUES`, nothing tells
//! a `CAST` of the statement to the type of the column from a conversion, so its value may not change, either.

mod function;

use std::collections::HashMap;
use std::sync::Arc;

use datafusion::arrow::datatypes::FieldRef;
use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::{Transformed, TransformedResult, TreeNode};
use datafusion::common::{Column, DFSchema};
use datafusion::error::Result;
use datafusion::logical_expr::dml::{DmlStatement, WriteOp};
use datafusion::logical_expr::{Cast, Expr, ExprSchemable, LogicalPlan, Projection, Values, lit};
use datafusion::optimizer::AnalyzerRule;

pub(crate) use self::function::function;
use crate::exact_times::example;

/// Puts the function in the place of the conversions of `INSERT INTO`.
#[derive(Debug)]
pub(crate) struct InsertExactly;

impl AnalyzerRule for InsertExactly {
    fn analyze(&self, plan: LogicalPlan, _: &ConfigOptions) -> Result<LogicalPlan> {
        // EXPLAIN ANALYZE and PREPARE have the insertion in them.
        plan.transform_down(|plan| match plan {
            LogicalPlan::Dml(insert) => Ok(Transformed::yes(exact_insert(insert)?)),
            plan => Ok(Transformed::no(plan)),
        })
        .data()
    }

    fn name(&self) -> &str {
        "insert_exactly"
    }
}

fn exact_insert(insert: DmlStatement) -> Result<LogicalPlan> {
    // The planner converts the columns of a query in the first projection, and those of `VALUES` there, also within a subquery.
    let input = match (&insert.op, &*insert.input) {
        (WriteOp::Insert(_), LogicalPlan::Projection(columns)) => {
            // The names of the columns whose values are in `VALUES`.
            let names: HashMap<&str, &str> = match &*columns.input {
                LogicalPlan::Values(_) => columns.expr.iter().filter_map(source).collect(),
                _ => HashMap::new(),
            };
            let input = columns.input.as_ref().clone();
            let input = input.transform_up_with_subqueries(|plan| match plan {
                LogicalPlan::Values(values) => {
                    Ok(Transformed::yes(LogicalPlan::Values(exact_values(values, &names)?)))
                }
                plan => Ok(Transformed::no(plan)),
            });
            let input = Arc::new(input.data()?);
            let table = insert.target.schema();
            let exprs = columns.expr.iter().cloned().zip(table.fields());
            let exprs = exprs.map(|(value, field)| {
                exact(value, field.name(), field.is_nullable(), Some(&columns.input))
            });
            let exprs = exprs.collect::<Result<_>>()?;
            let schema = Arc::clone(&columns.schema);
            LogicalPlan::Projection(Projection::try_new_with_schema(exprs, input, schema)?)
        }
        _ => return Ok(LogicalPlan::Dml(insert)),
    };
    Ok(LogicalPlan::Dml(DmlStatement { input: Arc::new(input), ..insert }))
}

/// Returns the column of the input that a column of the table has the values of, and the name of that.
fn source(column: &Expr) -> Option<(&str, &str)> {
    let Expr::Alias(alias) = column else { return None };
    let value = match &*alias.expr {
        Expr::Cast(cast) => cast.expr.try_as_col()?,
        value => value.try_as_col()?,
    };
    Some((&value.name, &alias.name))
}

fn exact_values(Values { schema, values }: Values, names: &HashMap<&str, &str>) -> Result<Values> {
    let value = |(value, field): (Expr, &FieldRef)| {
        let name = names.get(&**field.name()).copied().unwrap_or_default();
        exact(value, name, field.is_nullable(), None)
    };
    let row = |row: Vec<Expr>| row.into_iter().zip(schema.fields()).map(value).collect();
    let values = values.into_iter().map(row).collect::<Result<_>>()?;
    Ok(Values { schema, values })
}

/// Puts the function in the place of a conversion for a column, and of a null that the column does not have. `VALUES` have no query.
fn exact(value: Expr, name: &str, is_nullable: bool, query: Option<&LogicalPlan>) -> Result<Expr> {
    let schema = query.map_or_else(DFSchema::empty, |query| query.schema().as_ref().clone());
    let (value, to) = match value {
        Expr::Alias(mut alias) => {
            *alias.expr = exact(*alias.expr, name, is_nullable, query)?;
            return Ok(Expr::Alias(alias));
        }
        Expr::Cast(Cast { expr, field }) => (*expr, field.data_type().clone()),
        other if !is_nullable && other.nullable(&schema)? => {
            let of = other.get_type(&schema)?;
            (other, of)
        }
        other => return Ok(other),
    };
    let written = query.map_or(String::new(), |query| written(&value, query));
    let place = if name.is_empty() { "a column".into() } else { format!("the column {name:?}") };
    Ok(function().call(vec![value, example(&to)?, lit(place), lit(is_nullable), lit(written)]))
}

/// Returns the column that a query has in the place of a value, as a statement has it, and `…` for other expressions.
fn written(value: &Expr, query: &LogicalPlan) -> String {
    let column = value.try_as_col().and_then(|column| match query {
        LogicalPlan::Projection(columns) => {
            let at = columns.schema.maybe_index_of_column(column)?;
            let own = columns.expr.get(at)?.clone().unalias();
            // One without a table is a name that SELECT gives, or that of a function.
            let column = own.try_as_col().filter(|it| it.relation.is_some());
            column.map(Column::quoted_flat_name)
        }
        LogicalPlan::TableScan(_) => Some(column.quoted_flat_name()),
        _ => None,
    });
    column.unwrap_or_else(|| "…".to_owned())
}
