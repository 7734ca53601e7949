//! Advice for functions and conditions of numbers that get other values: true and false, times, text and lists.

use std::convert::Infallible;
use std::ops::ControlFlow;

use npy_datafusion::datafusion::arrow::datatypes::{DataType, TimeUnit};
use npy_datafusion::datafusion::common::tree_node::{TreeNode, TreeNodeRecursion};
use npy_datafusion::datafusion::common::{DFSchema, plan_err};
use npy_datafusion::datafusion::error::Result;
use npy_datafusion::datafusion::logical_expr::expr::{Between, Cast, InList};
use npy_datafusion::datafusion::logical_expr::utils::merge_schema;
use npy_datafusion::datafusion::logical_expr::{
    BinaryExpr, Expr, ExprSchemable, LogicalPlan, Operator, TryCast,
};
use npy_datafusion::datafusion::sql::parser::Statement;
use npy_datafusion::datafusion::sql::sqlparser::ast::{self, Visitor};

use crate::tables;

/// Functions whose result is one of the values, or between two of them: that of times is a time.
const BETWEEN_VALUES: [&str; 6] =
    ["avg", "mean", "median", "percentile_cont", "approx_median", "approx_percentile_cont"];

/// Words of errors about functions of numbers. Those of text have errors with other words.
const OF_NUMBERS: [&str; 6] = [
    "requires Decimal",
    "requires Float",
    "requires UInt64",
    "requires Duration",
    "expects Numeric",
    "Float64",
];

/// The words of these errors after the name of the function.
pub(crate) const IS_OF_NUMBERS: &str = " is a function of numbers, and ";

/// An argument that is not known: the function has several, or the statement calls it several times.
const UNKNOWN: &str = "…";

/// Returns the error for a function of numbers that gets other values; `None` if the text is about something else. `arguments` returns the arguments of a
/// function of the statement, if they are known.
pub(crate) fn of_function(
    text: &str,
    arguments: impl FnOnce(&str) -> Option<Vec<String>>,
) -> Option<String> {
    let received = ["but received ", "coercion from "]
        .iter()
        .find_map(|before| Some(text.split_once(before)?.1))?;
    let (name, _) = ["Function '", "satisfy a call to '"]
        .iter()
        .find_map(|before| text.split_once(before)?.1.split_once('\''))?;
    if name == "isnan"
        && ["Timestamp(", "Duration(", "Date"].iter().any(|it| received.starts_with(it))
    {
        let x = arguments(name).and_then(|it| it.into_iter().next());
        let x = x.unwrap_or_else(|| UNKNOWN.to_owned());
        return Some(format!("isnan{IS_OF_NUMBERS}{x} is a time; write {x} IS NULL for NaT"));
    }
    let is_list = ["List(", "FixedSizeList("].iter().any(|it| received.starts_with(it));
    if is_list && name.starts_with("array_") {
        return of_element(name, &arguments(name)?);
    }
    if !OF_NUMBERS.iter().any(|part| text.contains(part)) {
        return None;
    }
    let types = types_of(received);
    let call = Call::new(name, arguments(name), &types);
    let (x, received) = (call.wrong(), types.get(call.index).copied().unwrap_or(received));
    let of = |argument: &str| call.with(argument);
    let is = |types: &[&str]| types.iter().any(|it| received.starts_with(it));
    let (kind, instead) = if is(&["Boolean"]) {
        let of_count =
            if name == "sum" { format!(", or count(*) FILTER (WHERE {x})") } else { String::new() };
        ("true or false", format!("{}{of_count}", of(&format!("CAST({x} AS INT)"))))
    } else if is(&["Timestamp("]) {
        let unit = received.split_once('(')?.1;
        let (function, units) = match unit.get(..2)? {
            "ms" => ("to_timestamp_millis", "milliseconds"),
            "ns" => ("to_timestamp_nanos", "nanoseconds"),
            unit if unit.starts_with('s') => ("to_timestamp_seconds", "seconds"),
            _ => ("to_timestamp_micros", "microseconds"),
        };
        let of_count = format!("CAST({x} AS BIGINT)");
        // A float has not all digits of nanoseconds.
        let is_mean = matches!(name, "avg" | "mean");
        let exact = if is_mean { format!("CAST({of_count} AS DECIMAL(38, 0))") } else { of_count };
        let instead = format!("{} for the {units} since 1970", of(&exact));
        // The function is no part of the call, which may have FILTER and OVER.
        let instead = match BETWEEN_VALUES.contains(&name) {
            true => {
                format!("{instead}, and {function}(CAST(x AS BIGINT)) for the time of a result x")
            }
            false => instead,
        };
        ("a time", instead)
    } else if is(&["Date"]) {
        let instead = format!("{} for the days since 1970", of(&format!("CAST({x} AS INT)")));
        let instead = match BETWEEN_VALUES.contains(&name) {
            true => {
                format!("{instead}, and CAST(CAST(x AS INT) AS DATE) for the day of a result x")
            }
            false => instead,
        };
        ("a day", instead)
    } else if is(&["FixedSizeBinary(16)"]) {
        return Some(format!(
            "{name}{IS_OF_NUMBERS}{x} is bytes; if they are long doubles, read numbers by npy('x.npy', 'long_double_as_f64', 'true')"
        ));
    } else if is(&["Duration("]) {
        ("a span of time", of(&format!("CAST({x} AS BIGINT)")))
    } else if is(&["String", "Utf8"]) {
        let cast = of(&format!("CAST({x} AS DOUBLE)"));
        (
            "text",
            format!(
                "{cast}, or {} if some texts are not numbers",
                of(&format!("TRY_CAST({x} AS DOUBLE)"))
            ),
        )
    } else if is(&["List(", "FixedSizeList("]) {
        let others = if call.has_columns() { "*, " } else { "" };
        let of_all = format!("SELECT {} FROM (SELECT {others}unnest({x}) AS v FROM t)", of("v"));
        let of_each = match name {
            "avg" | "mean" => format!("array_avg({x}) for that of each list, "),
            "sum" => format!("array_sum({x}) for that of each list, "),
            _ => String::new(),
        };
        let first = of(&format!("{x}[1]"));
        (
            "a list",
            format!("{of_each}{first} for the first value of each, or {of_all} for all values"),
        )
    } else {
        return None;
    };
    let argument = if x == UNKNOWN { "one of its arguments" } else { &x };
    Some(format!("{name}{IS_OF_NUMBERS}{argument} is {kind}; write {instead}"))
}

/// Returns the types at the beginning of a text, which separates them by commas.
fn types_of(text: &str) -> Vec<&str> {
    let text = text.split(" to the signature").next().unwrap_or(text);
    let (mut types, mut start, mut depth) = (Vec::new(), 0, 0_usize);
    for (at, char) in text.char_indices() {
        match char {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                types.extend(text.get(start..at));
                start = at + 1;
            }
            _ => {}
        }
    }
    types.extend(text.get(start..));
    types.into_iter().map(str::trim).collect()
}

/// A call of a function of numbers.
struct Call<'n> {
    name: &'n str,
    arguments: Vec<String>,
    /// The argument that is not a number.
    index: usize,
    /// False if it may be another one of several arguments: then only its own replacement is written.
    is_known: bool,
}

impl<'n> Call<'n> {
    /// Finds the argument by the types of all of them. An error that has one type is about the only argument that is not a number in the statement.
    fn new(name: &'n str, arguments: Option<Vec<String>>, types: &[&str]) -> Self {
        let unknown = || {
            // Of a percentile, the second argument is its share.
            let share = name.contains("percentile").then(|| "0.5".to_owned());
            std::iter::once(UNKNOWN.to_owned()).chain(share).collect::<Vec<_>>()
        };
        let arguments = arguments.unwrap_or_else(unknown);
        let is_of_numbers = |of_type: &&str| {
            ["Int", "UInt", "Float", "Decimal", "Null"].iter().any(|it| of_type.starts_with(it))
        };
        if types.len() == arguments.len() {
            let index = types.iter().position(|it| !is_of_numbers(it)).unwrap_or(0);
            return Call { name, arguments, index, is_known: true };
        }
        let mut others = arguments.iter().enumerate().filter(|(_, it)| !is_number(it));
        match (others.next(), others.next()) {
            (Some((index, _)), None) => Call { name, arguments, index, is_known: true },
            _ => Call { name, arguments: unknown(), index: 0, is_known: false },
        }
    }

    /// Returns the argument that is not a number.
    fn wrong(&self) -> String {
        self.arguments.get(self.index).cloned().unwrap_or_default()
    }

    /// Returns the call with another argument in its place.
    fn with(&self, other: &str) -> String {
        if !self.is_known {
            return other.to_owned();
        }
        let arguments = self.arguments.iter().enumerate();
        let arguments: Vec<&str> =
            arguments.map(|(index, it)| if index == self.index { other } else { it }).collect();
        format!("{}({})", self.name, arguments.join(", "))
    }

    /// Returns true if another argument is not a number of the statement.
    fn has_columns(&self) -> bool {
        let mut arguments = self.arguments.iter().enumerate();
        arguments.any(|(index, it)| index != self.index && !is_number(it))
    }
}

fn is_number(text: &str) -> bool {
    text.parse::<f64>().is_ok()
}

/// Returns the error for a text that is looked for in a list of numbers.
fn of_element(name: &str, arguments: &[String]) -> Option<String> {
    let text = arguments.iter().position(|it| it.starts_with('\''))?;
    let (list, value) = (arguments.first()?, arguments.get(text)?);
    let call = Call { name, arguments: arguments.to_vec(), index: text, is_known: true };
    let instead = call.with(&format!("CAST({value} AS DOUBLE)"));
    Some(format!("{list} is a list of numbers, and {value} is text; write {instead}"))
}

/// Returns the arguments of the calls of a function in a statement, if they are the same in all of them.
pub(crate) fn arguments(statement: &Statement, name: &str) -> Option<Vec<String>> {
    let mut arguments = Arguments { name, found: Vec::new() };
    // The visitor never stops early.
    _ = tables::visit(statement, &mut arguments);
    arguments.found.dedup();
    match arguments.found.as_slice() {
        [arguments] => Some(arguments.clone()),
        _ => None,
    }
}

struct Arguments<'n> {
    name: &'n str,
    found: Vec<Vec<String>>,
}

impl Visitor for Arguments<'_> {
    type Break = Infallible;

    fn pre_visit_expr(&mut self, expression: &ast::Expr) -> ControlFlow<Infallible> {
        if let ast::Expr::Function(call) = expression
            && call.name.to_string().eq_ignore_ascii_case(self.name)
            && let ast::FunctionArguments::List(list) = &call.args
            && list.duplicate_treatment.is_none()
        {
            // `percentile_cont(0.5) WITHIN GROUP (ORDER BY x)` is `percentile_cont(x, 0.5)`.
            let ordered = call.within_group.iter().map(|it| it.expr.to_string());
            let arguments = list.args.iter().map(ToString::to_string);
            self.found.push(ordered.chain(arguments).collect());
        }
        ControlFlow::Continue(())
    }
}

/// Refuses `CAST(x AS TIMESTAMP)` of a number that is not an integer of 64 bits: DataFusion 55.2 takes that for seconds, and others for nanoseconds.
pub(crate) fn check_casts(plan: &LogicalPlan) -> Result<()> {
    let visited = plan.apply_with_subqueries(|part| {
        let schema = merge_schema(&part.inputs());
        part.apply_expressions(|expression| {
            expression.apply(|expression| {
                if let Expr::Cast(Cast { expr, field }) | Expr::TryCast(TryCast { expr, field }) =
                    expression
                    && *field.data_type() == DataType::Timestamp(TimeUnit::Nanosecond, None)
                    && let Ok(of) = expr.get_type(&schema)
                    && of.is_numeric()
                    && of != DataType::Int64
                {
                    let x = match expr.as_literal() {
                        Some(number) => number.to_string(),
                        None => shown(expr).1,
                    };
                    return plan_err!(
                        "{x} is a number, and CAST as a TIMESTAMP does not say of what; write to_timestamp({x}) for seconds, and to_timestamp_millis({x}), to_timestamp_micros({x}) or to_timestamp_nanos({x}) for others"
                    );
                }
                Ok(TreeNodeRecursion::Continue)
            })
        })
    });
    visited.map(|_| ())
}

/// Returns the column that is meant by an error about a text which is not a number, and what to write; `None` if the text is about something else.
pub(crate) fn of_text(text: &str, plan: &LogicalPlan) -> Option<String> {
    let (_, cast) = text.split_once("Cannot cast string '")?;
    let (value, after) = cast.rsplit_once("' to value of ")?;
    let of_type = match after.split_once(' ')?.0 {
        _ if value.contains('.') && is_number(value) => "DOUBLE",
        // It has integers of 64 bits, and fractions of other texts.
        it if it.starts_with("Int") || it.starts_with("UInt") => "DECIMAL(38, 10)",
        it if it.starts_with("Float") => "DOUBLE",
        _ => return None,
    };
    let mut found = None;
    let visited = plan.apply_with_subqueries(|part| {
        let schema = merge_schema(&part.inputs());
        part.apply_expressions(|expression| {
            expression.apply(|expression| {
                found = of_expression(expression, &schema, of_type);
                Ok(match found {
                    Some(_) => TreeNodeRecursion::Stop,
                    None => TreeNodeRecursion::Continue,
                })
            })
        })
    });
    visited.ok().and(found)
}

/// Returns what to write for a comparison of text with a number, and for a CAST of text.
fn of_expression(expression: &Expr, schema: &DFSchema, of_type: &str) -> Option<String> {
    let find = |operands: &[&Expr], test: &dyn Fn(&DataType) -> bool| {
        let is = |operand: &&&Expr| operand.get_type(schema).is_ok_and(|it| test(&it));
        operands.iter().find(is).map(|it| (*it).clone())
    };
    // As text, '9' is greater than '17'.
    let mut is_order = false;
    let operands: Vec<&Expr> = match expression {
        Expr::Cast(Cast { expr, field, .. }) if field.data_type().is_numeric() => {
            let text = find(&[expr], &DataType::is_string)?;
            if matches!(text, Expr::Literal(..)) {
                return None;
            }
            let (name, x) = shown(&text);
            return Some(format!(
                "{name} is text, and not all of it are numbers; write TRY_CAST({x} AS {of_type}), which is null for other texts"
            ));
        }
        Expr::BinaryExpr(BinaryExpr { left, op, right }) if op.supports_propagation() => {
            is_order = matches!(op, Operator::Lt | Operator::LtEq | Operator::Gt | Operator::GtEq);
            vec![left, right]
        }
        Expr::Between(Between { expr, low, high, .. }) => {
            is_order = true;
            vec![expr, low, high]
        }
        Expr::InList(InList { expr, list, .. }) => std::iter::once(&**expr).chain(list).collect(),
        _ => return None,
    };
    let (text, number) =
        (find(&operands, &DataType::is_string)?, find(&operands, &DataType::is_numeric)?);
    let ((name, x), (name_of_number, y)) = (shown(&text), shown(&number));
    if matches!(text, Expr::Literal(..)) {
        return Some(format!(
            "{name_of_number} is a number, and is compared with {x}; write a number there, without quotes"
        ));
    }
    let as_text = match number {
        _ if is_order => String::new(),
        Expr::Literal(..) => format!(", or {y} in quotes"),
        _ => format!(", or CAST({y} AS TEXT) in the place of the number"),
    };
    Some(format!("{name} is text; write TRY_CAST({x} AS {of_type}) in its place{as_text}"))
}

/// Returns a name for an expression, and the expression as a statement has it.
fn shown(expression: &Expr) -> (String, String) {
    let x = match expression {
        // Another one is a name that SELECT gives, or a function as plans have it.
        Expr::Column(column) if column.relation.is_some() => column.quoted_flat_name(),
        Expr::Literal(value, _) => format!("'{value}'"),
        _ => return ("a value".to_owned(), UNKNOWN.to_owned()),
    };
    (x.clone(), x)
}
