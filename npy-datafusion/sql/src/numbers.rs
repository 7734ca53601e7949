//! Advice for functions and conditions of numbers that get other values: true and false, times, text and lists.

use std::convert::Infallible;
use std::ops::ControlFlow;

use npy_datafusion::datafusion::arrow::datatypes::DataType;
use npy_datafusion::datafusion::common::DFSchema;
use npy_datafusion::datafusion::common::tree_node::{TreeNode, TreeNodeRecursion};
use npy_datafusion::datafusion::logical_expr::expr::{Between, Cast, InList};
use npy_datafusion::datafusion::logical_expr::utils::merge_schema;
use npy_datafusion::datafusion::logical_expr::{BinaryExpr, Expr, ExprSchemable, LogicalPlan};
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

/// Returns the error for a function of numbers that gets other values; `None` if the text is about something else. `argument` returns the argument of a
/// function of the statement, if that is known.
pub(crate) fn of_function(
    text: &str,
    argument: impl FnOnce(&str) -> Option<String>,
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
        let x = argument(name).unwrap_or_else(|| "x".to_owned());
        return Some(format!("isnan{IS_OF_NUMBERS}{x} is a time; write {x} IS NULL for NaT"));
    }
    if !OF_NUMBERS.iter().any(|part| text.contains(part)) {
        return None;
    }
    let x = argument(name).unwrap_or_else(|| "x".to_owned());
    // Of a percentile, the second argument is its share.
    let rest = if name.contains("percentile") { ", 0.5" } else { "" };
    let of = |argument: &str| format!("{name}({argument}{rest})");
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
        let of_count = of(&format!("CAST({x} AS BIGINT)"));
        let instead = match BETWEEN_VALUES.contains(&name) {
            true => format!("{function}({of_count})"),
            false => format!("{of_count} for the {units} since 1970"),
        };
        ("a time", instead)
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
        let of_all = format!("SELECT {} FROM (SELECT unnest({x}) AS v FROM t)", of("v"));
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
    Some(format!("{name}{IS_OF_NUMBERS}{x} is {kind}; write {instead}"))
}

/// Returns the first argument of the calls of a function in a statement, if it is the same one in all of them.
pub(crate) fn argument(statement: &Statement, name: &str) -> Option<String> {
    let mut arguments = Arguments { name, found: Vec::new() };
    // The visitor never stops early.
    _ = tables::visit(statement, &mut arguments);
    arguments.found.dedup();
    match arguments.found.as_slice() {
        [argument] => Some(argument.clone()),
        _ => None,
    }
}

struct Arguments<'n> {
    name: &'n str,
    found: Vec<String>,
}

impl Visitor for Arguments<'_> {
    type Break = Infallible;

    fn pre_visit_expr(&mut self, expression: &ast::Expr) -> ControlFlow<Infallible> {
        if let ast::Expr::Function(call) = expression
            && call.name.to_string().eq_ignore_ascii_case(self.name)
            && let ast::FunctionArguments::List(list) = &call.args
            && let [argument, ..] = &list.args[..]
        {
            self.found.push(argument.to_string());
        }
        ControlFlow::Continue(())
    }
}

/// Returns the column that is meant by an error about a text which is not a number, and what to write; `None` if the text is about something else.
pub(crate) fn of_text(text: &str, plan: &LogicalPlan) -> Option<String> {
    let (_, cast) = text.split_once("Cannot cast string '")?;
    let (_, after) = cast.rsplit_once("' to value of ")?;
    let of_type = match after.split_once(' ')?.0 {
        "Int8" | "Int16" | "Int32" | "Int64" => "BIGINT",
        "UInt8" | "UInt16" | "UInt32" | "UInt64" => "BIGINT UNSIGNED",
        "Float16" | "Float32" | "Float64" => "DOUBLE",
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
    let operands: Vec<&Expr> = match expression {
        Expr::Cast(Cast { expr, field, .. }) if field.data_type().is_numeric() => {
            let text = find(&[expr], &DataType::is_string)?;
            return Some(format!(
                "{0} is text, and not all of it are numbers; write TRY_CAST({0} AS {of_type}), which is null for other texts",
                shown(&text)
            ));
        }
        Expr::BinaryExpr(BinaryExpr { left, op, right }) if op.supports_propagation() => {
            vec![left, right]
        }
        Expr::Between(Between { expr, low, high, .. }) => vec![expr, low, high],
        Expr::InList(InList { expr, list, .. }) => std::iter::once(&**expr).chain(list).collect(),
        _ => return None,
    };
    let (text, number) =
        (find(&operands, &DataType::is_string)?, find(&operands, &DataType::is_numeric)?);
    Some(match (&text, &number) {
        (Expr::Literal(..), _) => format!(
            "{} is a number, and is compared with {}; write a number there, without quotes",
            shown(&number),
            shown(&text)
        ),
        (_, Expr::Literal(value, _)) => format!(
            "{0} is text; write '{value}' in quotes, or TRY_CAST({0} AS {of_type}) in the place of {0}",
            shown(&text)
        ),
        _ => format!(
            "{0} is text, and {1} a number; write TRY_CAST({0} AS {of_type}) in the place of {0}, or CAST({1} AS TEXT) in the place of {1}",
            shown(&text),
            shown(&number)
        ),
    })
}

/// Returns an expression as a statement has it.
fn shown(expression: &Expr) -> String {
    match expression {
        Expr::Column(column) => column.quoted_flat_name(),
        Expr::Literal(value, _) => format!("'{value}'"),
        other => other.to_string(),
    }
}
