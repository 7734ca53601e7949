//! `PREPARE` and `EXECUTE`: the values take the places of the parameters in the statement, so that it has the types of one with literals.
//!
//! DataFusion 55.2 gives a parameter without a type that of the column beside it: for integers, `x < $1` with 1.5 would be `x < 1`, and `x * $1` would
//! wrap where `x * 2` does not.

use std::collections::{HashMap, HashSet};
use std::ops::ControlFlow;

use npy_datafusion::datafusion::arrow::array::{RecordBatch, RecordBatchOptions};
use npy_datafusion::datafusion::arrow::datatypes::{DataType, Schema};
use npy_datafusion::datafusion::common::{DFSchema, ScalarValue, plan_datafusion_err, plan_err};
use npy_datafusion::datafusion::error::Result;
use npy_datafusion::datafusion::execution::FunctionRegistry;
use npy_datafusion::datafusion::logical_expr::expr::Cast;
use npy_datafusion::datafusion::logical_expr::{Expr, lit};
use npy_datafusion::datafusion::prelude::SessionContext;
use npy_datafusion::datafusion::sql::parser::Statement;
use npy_datafusion::datafusion::sql::sqlparser::ast::{self, Value, ValueWithSpan};

/// Returns the statements that are run: `EXECUTE p(…)` is the statement of `PREPARE p` with its values.
pub(crate) fn executed(ctx: &SessionContext, statements: Vec<Statement>) -> Result<Vec<Statement>> {
    let mut prepared = Prepared { ctx, statements: HashMap::new(), unused: HashSet::new() };
    let resolved = statements.into_iter().filter_map(|it| prepared.resolve(it).transpose());
    let executed = resolved.collect::<Result<Vec<_>>>()?;
    match prepared.unused.iter().min() {
        Some(name) => {
            plan_err!("{name} is prepared, and not executed; write EXECUTE {name}(…) after PREPARE")
        }
        None => Ok(executed),
    }
}

/// The statements that are prepared.
struct Prepared<'c> {
    ctx: &'c SessionContext,
    /// Each with the types of its parameters, if it states them.
    statements: HashMap<String, (Box<ast::Statement>, Vec<ast::DataType>)>,
    /// The names of those that are not executed yet.
    unused: HashSet<String>,
}

impl Prepared<'_> {
    /// Returns the statement that is run; `None` for `PREPARE` and `DEALLOCATE`.
    fn resolve(&mut self, statement: Statement) -> Result<Option<Statement>> {
        let inner = match statement {
            Statement::Statement(inner) => *inner,
            Statement::Explain(mut explain) => {
                let Some(inner) = self.resolve(*explain.statement)? else {
                    return plan_err!("EXPLAIN shows the plan of a query, or of EXECUTE");
                };
                explain.statement = Box::new(inner);
                return Ok(Some(Statement::Explain(explain)));
            }
            other => return Ok(Some(other)),
        };
        let run = match inner {
            ast::Statement::Prepare { name, data_types, statement } => {
                let name = name_of(&name);
                if self.statements.contains_key(&name) {
                    return plan_err!(
                        "{name} is prepared already; write DEALLOCATE {name} before, or another name"
                    );
                }
                self.unused.insert(name.clone());
                self.statements.insert(name, (statement, data_types));
                return Ok(None);
            }
            ast::Statement::Deallocate { name, .. } => {
                match self.statements.remove(&name_of(&name)) {
                    Some(_) => return Ok(None),
                    None => return plan_err!("{name} is not prepared"),
                }
            }
            ast::Statement::Execute {
                name: Some(name),
                parameters,
                using,
                into,
                immediate,
                ..
            } if using.is_empty() && into.is_empty() && !immediate => {
                self.execute(&name, parameters)?
            }
            other => Box::new(other),
        };
        Ok(Some(Statement::Statement(run)))
    }

    /// Returns a statement with values in the places of its parameters.
    fn execute(
        &mut self,
        name: &ast::ObjectName,
        values: Vec<ast::Expr>,
    ) -> Result<Box<ast::Statement>> {
        let name = match &name.0[..] {
            [ast::ObjectNamePart::Identifier(name)] => name_of(name),
            _ => name.to_string(),
        };
        let Some((mut statement, types)) = self.statements.get(&name).cloned() else {
            return plan_err!("{name} is not prepared; write PREPARE {name} AS SELECT … before it");
        };
        self.unused.remove(&name);
        let mut of_parameters = HashMap::new();
        for (index, value) in values.into_iter().enumerate() {
            let parameter = format!("${}", index + 1);
            let value = self.value(&name, &parameter, value, types.get(index))?;
            of_parameters.insert(parameter, value);
        }
        let mut used = HashSet::new();
        let missing = ast::visit_expressions_mut(&mut statement, |part| {
            let ast::Expr::Value(ValueWithSpan { value: Value::Placeholder(parameter), .. }) = part
            else {
                return ControlFlow::Continue(());
            };
            let Some(value) = of_parameters.get(parameter) else {
                return ControlFlow::Break(parameter.clone());
            };
            used.insert(parameter.clone());
            *part = value.clone();
            ControlFlow::Continue(())
        });
        if let ControlFlow::Break(parameter) = missing {
            return plan_err!(
                "EXECUTE {name} has no value for {parameter}; write the values of $1, $2 and so on in this order"
            );
        }
        match of_parameters.keys().filter(|it| !used.contains(*it)).max() {
            Some(parameter) if types.len() < of_parameters.len() => plan_err!(
                "EXECUTE {name} has a value for {parameter}, which PREPARE {name} does not have"
            ),
            _ => Ok(statement),
        }
    }

    /// Returns a value as it is in the statement, and checks it.
    fn value(
        &self,
        name: &str,
        parameter: &str,
        value: ast::Expr,
        data_type: Option<&ast::DataType>,
    ) -> Result<ast::Expr> {
        let value = match (value, data_type) {
            (value, Some(data_type)) => ast::Expr::Cast {
                kind: ast::CastKind::Cast,
                expr: Box::new(value),
                data_type: data_type.clone(),
                array: false,
                format: None,
            },
            // A literal is one in INTERVAL $1, too.
            (value @ ast::Expr::Value(_), None) => value,
            (value, None) => ast::Expr::Nested(Box::new(value)),
        };
        let of_sql = ast::ExprWithAlias { expr: value.clone(), alias: None };
        let planned =
            self.ctx.state().create_logical_expr_from_sql_expr(of_sql, &DFSchema::empty())?;
        if planned.is_volatile() {
            return plan_err!(
                "the value of {parameter} would differ each time; write it in PREPARE {name}"
            );
        }
        match (data_type, planned) {
            (Some(_), Expr::Cast(Cast { expr, field })) if is_written(&expr) => {
                self.check(name, parameter, *expr, field.data_type())?;
            }
            _ => {}
        }
        Ok(value)
    }

    /// Refuses a literal that the type of its parameter would change.
    fn check(&self, name: &str, parameter: &str, value: Expr, data_type: &DataType) -> Result<()> {
        // The function that converts the values of `INSERT INTO`.
        let exact = self.ctx.udf("npy_insert_as")?;
        let one_row = RecordBatchOptions::new().with_row_count(Some(1));
        let one_row = RecordBatch::try_new_with_options(Schema::empty().into(), vec![], &one_row)?;
        let example = lit(ScalarValue::try_from(data_type)?);
        let place = lit(format!("the parameter {parameter} of {name}"));
        let value = exact.call(vec![value, example, place, lit(true), lit("")]);
        let value = self.ctx.create_physical_expr(value, &DFSchema::empty())?;
        let evaluated = value.evaluate(&one_row).map_err(|error| {
            let text = error.strip_backtrace();
            // The rest is about `INSERT INTO`.
            let reason = text.split("; write ").next().unwrap_or(&text);
            plan_datafusion_err!(
                "{reason}; state types that hold the values, for example DOUBLE, TIMESTAMP or INTERVAL, or none: PREPARE {name} AS …"
            )
        });
        evaluated.map(|_| ())
    }
}

/// Returns the name of a statement, whose case matters in double quotes alone.
fn name_of(name: &ast::Ident) -> String {
    if name.quote_style.is_some() { name.value.clone() } else { name.value.to_lowercase() }
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
