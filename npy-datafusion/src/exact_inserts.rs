//! Values that `INSERT INTO` adds to a table: each is the same one there, or an error.
//!
//! DataFusion converts them to the types of the table as `CAST` does: a fraction is cut, a large float becomes infinite, and a time loses its rest. So a rule of the
//! analyzer puts a function in the place of these conversions. The digits of floats are rounded all the same.

use std::sync::Arc;

use datafusion::arrow::array::{Array, ArrayRef, AsArray};
use datafusion::arrow::compute::{CastOptions, cast};
use datafusion::arrow::datatypes::{DataType, FieldRef, Float64Type, Int64Type, TimeUnit};
use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::{Transformed, TransformedResult, TreeNode};
use datafusion::common::{ScalarValue, exec_err, internal_err};
use datafusion::error::Result;
use datafusion::logical_expr::dml::{DmlStatement, WriteOp};
use datafusion::logical_expr::{
    Cast, ColumnarValue, Expr, LogicalPlan, Projection, ReturnFieldArgs, ScalarFunctionArgs,
    ScalarUDF, ScalarUDFImpl, Signature, Values, Volatility,
};
use datafusion::optimizer::AnalyzerRule;

use crate::columns::fraction;
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
            let input = columns.input.as_ref().clone();
            let input = input.transform_up_with_subqueries(|plan| match plan {
                LogicalPlan::Values(values) => {
                    Ok(Transformed::yes(LogicalPlan::Values(exact_values(values)?)))
                }
                plan => Ok(Transformed::no(plan)),
            });
            let input = Arc::new(input.data()?);
            let exprs = columns.expr.iter().cloned().map(exact).collect::<Result<_>>()?;
            let schema = Arc::clone(&columns.schema);
            LogicalPlan::Projection(Projection::try_new_with_schema(exprs, input, schema)?)
        }
        _ => return Ok(LogicalPlan::Dml(insert)),
    };
    Ok(LogicalPlan::Dml(DmlStatement { input: Arc::new(input), ..insert }))
}

fn exact_values(Values { schema, values }: Values) -> Result<Values> {
    let row = |row: Vec<Expr>| row.into_iter().map(exact).collect::<Result<Vec<_>>>();
    let values = values.into_iter().map(row).collect::<Result<_>>()?;
    Ok(Values { schema, values })
}

/// Puts the function in the place of a conversion.
fn exact(expression: Expr) -> Result<Expr> {
    Ok(match expression {
        Expr::Alias(mut alias) => {
            *alias.expr = exact(*alias.expr)?;
            Expr::Alias(alias)
        }
        Expr::Cast(Cast { expr, field }) => {
            function().call(vec![*expr, example(field.data_type())?])
        }
        other => other,
    })
}

/// Returns the function.
pub(crate) fn function() -> Arc<ScalarUDF> {
    let signature = Signature::any(2, Volatility::Immutable);
    Arc::new(ScalarUDF::new_from_impl(Exact { signature }))
}

/// Converts its first argument to the type of the second one. A value that would be another one is an error.
#[derive(Debug, PartialEq, Eq, Hash)]
struct Exact {
    signature: Signature,
}

impl ScalarUDFImpl for Exact {
    fn name(&self) -> &str {
        "npy_insert_as"
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, types: &[DataType]) -> Result<DataType> {
        match types {
            [_, to] => Ok(to.clone()),
            _ => internal_err!("{} without two arguments", self.name()),
        }
    }

    /// Returns the field that a conversion has.
    fn return_field_from_args(&self, args: ReturnFieldArgs) -> Result<FieldRef> {
        let [from, to] = args.arg_fields else {
            return internal_err!("{} without two arguments", self.name());
        };
        Ok(Arc::new(from.as_ref().clone().with_data_type(to.data_type().clone())))
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let Some(values) = args.args.first() else {
            return internal_err!("{} without two arguments", self.name());
        };
        let options = CastOptions { safe: false, ..CastOptions::default() };
        let converted = values.cast_to(args.return_field.data_type(), Some(&options))?;
        let (from, to) = match (values, &converted) {
            (ColumnarValue::Array(from), ColumnarValue::Array(to)) => {
                (Arc::clone(from), Arc::clone(to))
            }
            _ => (values.to_array(1)?, converted.to_array(1)?),
        };
        check(&from, &to)?;
        Ok(converted)
    }
}

/// Returns the word of SQL for the unit of times.
fn unit(times: &DataType) -> &'static str {
    match times {
        DataType::Timestamp(TimeUnit::Second, _) => "second",
        DataType::Timestamp(TimeUnit::Millisecond, _) => "millisecond",
        DataType::Timestamp(..) => "microsecond",
        _ => "day",
    }
}

/// Refuses values that a conversion has changed.
fn check(from: &ArrayRef, to: &ArrayRef) -> Result<()> {
    use DataType::{Boolean, Date32, Duration, FixedSizeList, List, Struct, Timestamp};
    if from.len() == from.null_count() {
        return Ok(());
    }
    let values = |list: &ArrayRef| match list.data_type() {
        FixedSizeList(..) => Some(Arc::clone(list.as_fixed_size_list().values())),
        List(_) => Some(Arc::clone(list.as_list::<i32>().values())),
        _ => None,
    };
    match (from.data_type(), to.data_type()) {
        (from, to) if from == to => return Ok(()),
        (FixedSizeList(..) | List(_), FixedSizeList(..) | List(_)) => {
            return match (values(from), values(to)) {
                // Those of a null are nothing in one of the lists.
                (Some(from), Some(to)) if from.len() == to.len() => check(&from, &to),
                _ => Ok(()),
            };
        }
        (Struct(fields), Struct(_)) if from.null_count() == 0 => {
            let (from, to) = (from.as_struct(), to.as_struct());
            return fields.iter().enumerate().try_for_each(|(at, field)| {
                let same = to.column_by_name(field.name()).or_else(|| to.columns().get(at));
                same.map_or(Ok(()), |to| check(from.column(at), to))
            });
        }
        (number, Boolean) if number.is_numeric() => {
            let [wide, back] = [from, to].map(|values| cast(values, &DataType::Float64));
            let (wide, back) = (wide?, back?);
            let (wide, back) =
                (wide.as_primitive::<Float64Type>(), back.as_primitive::<Float64Type>());
            if let Some(row) = wide.iter().zip(back).position(|(wide, back)| wide != back) {
                let value = ScalarValue::try_from_array(from, row)?;
                return exec_err!("{value} is neither true nor false; write x <> 0");
            }
        }
        (of, _) if of.is_string() => {
            // The widest types tell what the text is; they are null for a time that they do not have.
            let widest: &[DataType] = match to.data_type() {
                to if to.is_floating() => &[DataType::Float64],
                Timestamp(..) | Date32 => {
                    &[Timestamp(TimeUnit::Nanosecond, None), Timestamp(TimeUnit::Microsecond, None)]
                }
                _ => return Ok(()),
            };
            return widest.iter().try_for_each(|wide| check(&cast(from, wide)?, to));
        }
        (Timestamp(..), Timestamp(..) | Date32) | (Duration(_), Duration(_)) => {
            let back = cast(to, from.data_type())?;
            let [counts, back] = [from, &back].map(|times| cast(times, &DataType::Int64));
            let (counts, back) = (counts?, back?);
            let (counts, back) =
                (counts.as_primitive::<Int64Type>(), back.as_primitive::<Int64Type>());
            let has_rest = |(count, back): (Option<i64>, Option<i64>)| {
                back.is_some_and(|back| count != Some(back))
            };
            if let Some(row) = counts.iter().zip(back).position(has_rest) {
                let time = ScalarValue::try_from_array(from, row)?;
                let remedy = match from.data_type() {
                    Duration(_) => format!("arrow_cast(t, '{}')", to.data_type()),
                    _ => format!("date_trunc('{}', t)", unit(to.data_type())),
                };
                return exec_err!(
                    "{time} is no time of {}, the type of the column; write {remedy} for one without its rest",
                    to.data_type()
                );
            }
        }
        (_, narrow) if narrow.is_floating() => {
            let [wide, narrow] = [from, to].map(|floats| cast(floats, &DataType::Float64));
            let (wide, narrow) = (wide?, narrow?);
            let (wide, narrow) =
                (wide.as_primitive::<Float64Type>(), narrow.as_primitive::<Float64Type>());
            let is_lost = |(wide, narrow): (Option<f64>, Option<f64>)| {
                narrow.is_some_and(f64::is_infinite) && wide.is_some_and(f64::is_finite)
            };
            if let Some(row) = wide.iter().zip(narrow).position(is_lost) {
                let value = ScalarValue::try_from_array(from, row)?;
                return exec_err!(
                    "{value} is too large for {}, the type of the column, and would be infinite; leave it out, or write CAST('inf' AS DOUBLE)",
                    to.data_type()
                );
            }
        }
        _ => {}
    }
    match fraction(from, to)? {
        Some(value) => exec_err!(
            "{value} is no integer, and the column is {}; round it: round(x)",
            to.data_type()
        ),
        None => Ok(()),
    }
}
