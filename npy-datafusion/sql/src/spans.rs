//! Advice for arithmetic of spans of time and numbers, which the engine lacks.

use std::convert::Infallible;
use std::ops::ControlFlow;

use npy_datafusion::datafusion::sql::parser::Statement;
use npy_datafusion::datafusion::sql::sqlparser::ast::{BinaryOperator, Expr, Visitor};

use crate::tables;

/// Returns the error for a span that is multiplied by a number, or divided; `None` if the text is about something else.
pub(crate) fn of_arithmetic(text: &str, statement: &Statement) -> Option<String> {
    let (_, operation) = text.split_once("Cannot coerce arithmetic expression ")?;
    let (operation, _) = operation.split_once(" to valid types")?;
    // The name of a type has no blanks around its operators.
    let (operator, (left, right)) = [" * ", " / ", " % ", " + ", " - "]
        .iter()
        .find_map(|it| Some((it.trim(), operation.split_once(it)?)))?;
    let unit_of =
        |of_type: &str| of_type.strip_prefix("Duration(")?.strip_suffix(')').map(str::to_owned);
    let (unit, is_left) = match (unit_of(left), unit_of(right)) {
        (Some(unit), _) => (unit, true),
        (None, Some(unit)) => (unit, false),
        (None, None) => return None,
    };
    let mut operations = Operations { operator, found: Vec::new() };
    // The visitor never stops early.
    _ = tables::visit(statement, &mut operations);
    let (left_text, right_text) = match operations.found.as_slice() {
        [(left, right)] => (left.as_str(), right.as_str()),
        _ if is_left => ("x", "2"),
        _ => ("2", "x"),
    };
    let (span, other_type) = if is_left { (left_text, right) } else { (right_text, left) };
    let count = |text: &str| format!("CAST({text} AS BIGINT)");
    let is_number = other_type.starts_with("Float") || other_type.contains("Int");
    if !is_number || (!is_left && operator == "/") {
        return Some(format!(
            "{span} is a span of time, and {operator} takes numbers; write {} for its count, in units of {unit}",
            count(span)
        ));
    }
    let counted = match is_left {
        true => format!("{} {operator} {right_text}", count(left_text)),
        false => format!("{left_text} {operator} {}", count(right_text)),
    };
    // No float is cast to a span.
    let whole = if other_type.starts_with("Float") { count(&counted) } else { counted };
    Some(format!(
        "{span} is a span of time, and {operator} takes numbers; compute with its count: arrow_cast({whole}, 'Duration({unit})')"
    ))
}

/// The operands of an operator, each pair once.
struct Operations<'o> {
    operator: &'o str,
    found: Vec<(String, String)>,
}

impl Visitor for Operations<'_> {
    type Break = Infallible;

    fn pre_visit_expr(&mut self, expression: &Expr) -> ControlFlow<Infallible> {
        if let Expr::BinaryOp { left, op, right } = expression
            && symbol(op) == Some(self.operator)
        {
            let pair = (left.to_string(), right.to_string());
            if !self.found.contains(&pair) {
                self.found.push(pair);
            }
        }
        ControlFlow::Continue(())
    }
}

fn symbol(operator: &BinaryOperator) -> Option<&'static str> {
    match operator {
        BinaryOperator::Multiply => Some("*"),
        BinaryOperator::Divide => Some("/"),
        BinaryOperator::Modulo => Some("%"),
        BinaryOperator::Plus => Some("+"),
        BinaryOperator::Minus => Some("-"),
        _ => None,
    }
}
