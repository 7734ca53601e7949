//! `PREPARE` and `EXECUTE`: the values take the places of the parameters in the statement, so that it has the types of one with literals.
//!
//! DataFusion 55.2 gives a parameter without a type that of the column beside it: for integers, `x < $1` with 1.5 would be `x < 1`, and `x * $1` would
//! wrap where `x * 2` does not.

use std::collections::{HashMap, HashSet};
use std::ops::ControlFlow;

use npy_datafusion::datafusion::arrow::array::{RecordBatch, RecordBatchOptions};
use npy_datafusion::datafusion::arrow::datatypes::{DataType, Schema};
use npy_datafusion::datafusion::common::tree_node::TreeNode;
use npy_datafusion::datafusion::common::{DFSchema, ScalarValue, plan_datafusion_err, plan_err};
use npy_datafusion::datafusion::error::Result;
use npy_datafusion::datafusion::execution::FunctionRegistry;
use npy_datafusion::datafusion::logical_expr::expr::Cast;
use npy_datafusion::datafusion::logical_expr::{Expr, lit};
use npy_datafusion::datafusion::prelude::SessionContext;
use npy_datafusion::datafusion::sql::parser::Statement;
use npy_datafusion::datafusion::sql::sqlparser::ast::{
    self, Value, ValueWithSpan, VisitMut, VisitorMut,
};

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
                let name = name_of(&name);
                self.unused.remove(&name);
                return match self.statements.remove(&name) {
                    Some(_) => Ok(None),
                    None => plan_err!("{name} is not prepared"),
                };
            }
            ast::Statement::Execute {
                name: Some(name),
                parameters,
                using,
                immediate: false,
                ..
            } => {
                let using = using.into_iter().map(|it| it.expr);
                self.execute(&name, parameters.into_iter().chain(using))?
            }
            other => Box::new(other),
        };
        Ok(Some(Statement::Statement(run)))
    }

    /// Returns a statement with values in the places of its parameters.
    fn execute(
        &mut self,
        name: &ast::ObjectName,
        values: impl Iterator<Item = ast::Expr>,
    ) -> Result<Box<ast::Statement>> {
        let name = match &name.0[..] {
            [ast::ObjectNamePart::Identifier(name)] => name_of(name),
            _ => name.to_string(),
        };
        let Some((mut statement, types)) = self.statements.get(&name).cloned() else {
            return plan_err!("{name} is not prepared; write PREPARE {name} AS SELECT … before it");
        };
        self.unused.remove(&name);
        let mut places = Places::default();
        for (index, value) in values.enumerate() {
            let parameter = format!("${}", index + 1);
            let value = self.value(&name, &parameter, value, types.get(index))?;
            places.values.insert(parameter, value);
        }
        if let ControlFlow::Break(parameter) = statement.visit(&mut places) {
            if places.values.contains_key(&parameter) {
                return plan_err!(
                    "{parameter} of {name} is the text of a literal, as in DATE $1, and its value is not one; write the value in quotes, or $1 without the type before it"
                );
            }
            return plan_err!(
                "EXECUTE {name} has no value for {parameter}; write the values of $1, $2 and so on in this order"
            );
        }
        let Places { values, used } = places;
        match values.keys().filter(|it| !used.contains(*it)).max() {
            Some(parameter) if types.len() < values.len() => plan_err!(
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
        let value = match data_type {
            Some(data_type) => cast(value, data_type.clone()),
            None => value,
        };
        let of_sql = ast::ExprWithAlias { expr: value.clone(), alias: None };
        let planned =
            self.ctx.state().create_logical_expr_from_sql_expr(of_sql, &DFSchema::empty());
        let planned = planned.map_err(|error| {
            plan_datafusion_err!("the value of {parameter} of {name}: {}", error.strip_backtrace())
        })?;
        let is_parameter = |part: &Expr| Ok(matches!(part, Expr::Placeholder(_)));
        if planned.is_volatile() || planned.exists(is_parameter)? {
            return plan_err!(
                "the value of {parameter} of {name} is not known before; write it in PREPARE {name}"
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

/// Returns the parameter that an expression is.
fn parameter(expr: &ast::Expr) -> Option<&ast::Expr> {
    match expr {
        ast::Expr::Value(ValueWithSpan { value: Value::Placeholder(_), .. }) => Some(expr),
        ast::Expr::Nested(expr) => parameter(expr),
        _ => None,
    }
}

/// Returns the literal that a value is, for the place of the text of another one.
fn literal(value: &ast::Expr) -> Option<ValueWithSpan> {
    match value {
        ast::Expr::Value(value) => Some(value.clone()),
        ast::Expr::UnaryOp { op: ast::UnaryOperator::Minus, expr } => match literal(expr)? {
            ValueWithSpan { value: number @ Value::Number(..), span } => {
                Some(ValueWithSpan { value: Value::SingleQuotedString(format!("-{number}")), span })
            }
            _ => None,
        },
        // The type of a parameter, unless it changes the text.
        ast::Expr::Cast { expr, data_type, .. } => {
            let value = literal(expr)?;
            let is_kept = match &value.value {
                Value::Number(number, _) => number.bytes().all(|it| it.is_ascii_digit()),
                _ => matches!(data_type, ast::DataType::Text | ast::DataType::Varchar(None)),
            };
            is_kept.then_some(value)
        }
        ast::Expr::Nested(expr) => literal(expr),
        _ => None,
    }
}

fn cast(value: ast::Expr, data_type: ast::DataType) -> ast::Expr {
    let (kind, expr) = (ast::CastKind::Cast, Box::new(value));
    ast::Expr::Cast { kind, expr, data_type, array: false, format: None }
}

fn coalesce(value: ast::Expr) -> ast::Expr {
    let value = ast::FunctionArg::Unnamed(ast::FunctionArgExpr::Expr(value));
    let args =
        ast::FunctionArgumentList { duplicate_treatment: None, args: vec![value], clauses: vec![] };
    ast::Expr::Function(ast::Function {
        name: ast::Ident::new("coalesce").into(),
        uses_odbc_syntax: false,
        parameters: ast::FunctionArguments::None,
        args: ast::FunctionArguments::List(args),
        filter: None,
        null_treatment: None,
        over: None,
        within_group: vec![],
    })
}

/// Puts values in the places of parameters.
#[derive(Default)]
struct Places {
    values: HashMap<String, ast::Expr>,
    used: HashSet<String>,
}

impl VisitorMut for Places {
    /// A parameter without a value.
    type Break = String;

    /// Gives a column the name that it has without the values, since two columns may have the same ones. A number as a key of GROUP BY, or the value of a
    /// name that is one, would be the position of a column, and `coalesce` of it is a value.
    fn pre_visit_select(&mut self, select: &mut ast::Select) -> ControlFlow<String> {
        let ast::Select { projection, group_by, .. } = select;
        if let ast::GroupByExpr::Expressions(keys, _) = group_by
            && !keys.is_empty()
        {
            let named = projection.iter_mut().filter_map(|item| match item {
                ast::SelectItem::ExprWithAlias { expr, .. } => Some(expr),
                _ => None,
            });
            for value in keys.iter_mut().chain(named).filter(|it| parameter(it).is_some()) {
                *value = coalesce(value.clone());
            }
        }
        for item in projection {
            if let ast::SelectItem::UnnamedExpr(expr) = item
                && ast::visit_expressions(expr, |part| match parameter(part) {
                    Some(_) => ControlFlow::Break(()),
                    None => ControlFlow::Continue(()),
                })
                .is_break()
            {
                let alias = ast::Ident::with_quote('"', expr.to_string());
                *item = ast::SelectItem::ExprWithAlias { expr: expr.clone(), alias };
            }
        }
        ControlFlow::Continue(())
    }

    fn pre_visit_expr(&mut self, expr: &mut ast::Expr) -> ControlFlow<String> {
        // The number of `INTERVAL $1 DAY` is not in parentheses.
        if let ast::Expr::Interval(interval) = expr
            && let ast::Expr::Value(place) = &mut *interval.value
        {
            self.pre_visit_value(place)?;
        }
        if let ast::Expr::Value(ValueWithSpan { value: Value::Placeholder(parameter), .. }) = expr {
            let Some(value) = self.values.get(parameter) else {
                return ControlFlow::Break(parameter.clone());
            };
            self.used.insert(parameter.clone());
            // A number in ORDER BY would be that of a column.
            let is_text =
                matches!(value, ast::Expr::Value(it) if it.value.clone().into_string().is_some());
            *expr = if is_text { value.clone() } else { ast::Expr::Nested(value.clone().into()) };
        }
        ControlFlow::Continue(())
    }

    /// Visits the text of `DATE $1`, too, which is no expression.
    fn pre_visit_value(&mut self, place: &mut ValueWithSpan) -> ControlFlow<String> {
        if let Value::Placeholder(parameter) = &place.value {
            let Some(value) = self.values.get(parameter).and_then(literal) else {
                return ControlFlow::Break(parameter.clone());
            };
            self.used.insert(parameter.clone());
            *place = value;
        }
        ControlFlow::Continue(())
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
