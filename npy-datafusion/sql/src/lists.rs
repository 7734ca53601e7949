//! Remarks on lists, which SQL compares by their first values that differ, and on long doubles, whose bytes it compares.

use npy_datafusion::DESCR;
use npy_datafusion::datafusion::arrow::datatypes::{DataType, Field};
use npy_datafusion::datafusion::common::tree_node::{TreeNode, TreeNodeRecursion};
use npy_datafusion::datafusion::error::Result;
use npy_datafusion::datafusion::logical_expr::{Expr, ExprSchemable, LogicalPlan};

use crate::output::{AS_NUMBERS, is_long_double, printable};
use crate::statements::written;

/// Tells that the rows of an array of more dimensions are in order as lists, and not by their greatest or least numbers, and long doubles by their bytes.
pub(crate) fn remark_on_order(plan: &LogicalPlan) -> Result<()> {
    let mut found = None;
    plan.apply(|node| {
        found = found_in(node)?;
        Ok(if found.is_some() { TreeNodeRecursion::Stop } else { TreeNodeRecursion::Continue })
    })?;
    if let Some(remark) = found {
        eprintln!("npy sql: {}", printable(&remark));
    }
    Ok(())
}

/// Returns an expression as a statement has it, or `x` for one that has no short form.
fn name_of(expression: &Expr, input: &LogicalPlan) -> String {
    match expression {
        Expr::Column(column) => match computed(expression, input) {
            Some(other) => name_of(other, input),
            None => written(&column.name),
        },
        Expr::ScalarFunction(call) if call.name() == "get_field" => {
            let text = |argument: &Expr| match argument {
                Expr::Literal(value, _) => value.try_as_str().flatten().map(written),
                other => Some(name_of(other, input)),
            };
            let parts: Option<Vec<_>> = call.args.iter().map(text).collect();
            parts.map_or_else(|| "x".to_owned(), |parts| parts.join("."))
        }
        _ => "x".to_owned(),
    }
}

/// Returns the expression that a projection computes, unless it has a name, which a statement can use.
fn computed<'p>(expression: &Expr, input: &'p LogicalPlan) -> Option<&'p Expr> {
    let (Expr::Column(column), LogicalPlan::Projection(projection)) = (expression, input) else {
        return None;
    };
    let index = projection.schema.maybe_index_of_column(column)?;
    let computed = projection.expr.get(index)?;
    (!matches!(computed, Expr::Column(_) | Expr::Alias(_))).then_some(computed)
}

/// The values that SQL does not compare by their numbers.
enum Compared {
    Lists,
    LongDoubles,
}

impl Compared {
    /// Complex numbers, which are lists of two, are compared as in NumPy.
    fn of(field: &Field) -> Option<Self> {
        let descr = field.metadata().get(DESCR).map_or("", String::as_str);
        let is_complex = ["<c", ">c"].iter().any(|kind| descr.contains(kind));
        match field.data_type() {
            DataType::List(_) | DataType::FixedSizeList(..) if !is_complex => Some(Self::Lists),
            _ if is_long_double(field) => Some(Self::LongDoubles),
            _ => None,
        }
    }

    /// Returns the remark. `instead`: what to write for the numbers of lists.
    fn remark(&self, what: &str, instead: &str) -> String {
        match self {
            Self::Lists => {
                format!("{what} compares lists by their first values that differ; {instead}")
            }
            Self::LongDoubles => {
                format!("{what} compares the bytes of long doubles; {AS_NUMBERS} has their numbers")
            }
        }
    }
}

/// Returns the remark on a step that compares lists or long doubles.
fn found_in(node: &LogicalPlan) -> Result<Option<String>> {
    let inputs = node.inputs();
    let [input] = inputs[..] else { return Ok(None) };
    let compared = |expression: &Expr| {
        let (_, field) = expression.to_field(input.schema()).ok()?;
        Compared::of(&field)
    };
    if let LogicalPlan::Sort(sort) = node {
        return Ok(sort.expr.iter().find_map(|order| {
            let compared = compared(&order.expr)?;
            let name = name_of(&order.expr, input);
            let instead = format!("array_max({name}) is the greatest value of each list");
            Some(compared.remark("ORDER BY", &instead))
        }));
    }
    let mut found = None;
    for expression in node.expressions() {
        expression.apply(|part| {
            if let Expr::AggregateFunction(call) = part
                && let name @ ("min" | "max") = call.func.name()
                && let [value] = &call.params.args[..]
                && let Some(compared) = compared(value)
            {
                let list = name_of(value, input);
                let instead = format!("{name}(array_{name}({list})) is that of all values");
                found = Some(compared.remark(name, &instead));
                return Ok(TreeNodeRecursion::Stop);
            }
            Ok(TreeNodeRecursion::Continue)
        })?;
    }
    Ok(found)
}
