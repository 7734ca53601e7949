//! Days that are compared with a column of text.
//!
//! DataFusion 55.2 makes days of the texts, and cuts their times: `d = s` has the row of `2026-01-02` for the text `2026-01-02 13:00:00`. A
//! text may be one that only a day can have ('20260102'), or a time, so the statement has to say which.

use datafusion::arrow::datatypes::DataType;
use datafusion::common::{DFSchema, JoinConstraint, plan_err};
use datafusion::error::Result;
use datafusion::logical_expr::{Expr, ExprSchemable, Join};

use crate::refused::{is_text, shown};
use crate::spans_and_intervals::{Values, check_values};
use crate::time_literals::{compared, time_of_day};

/// Refuses a comparison of days with text. Literals are texts whose time [`crate::time_literals`] keeps, but not in a tuple, a CASE or a
/// function.
pub(crate) fn check_days(expression: &Expr, schema: &DFSchema) -> Result<()> {
    let of_schema = |operand| (operand, schema);
    let operands: Vec<_> = match expression {
        Expr::Case(case) => {
            let whens = case.when_then_expr.iter().map(|(when, _)| &**when);
            case.expr.iter().flat_map(|it| [&**it].into_iter().chain(whens.clone())).collect()
        }
        Expr::ScalarFunction(call) if matches!(call.name(), "nullif" | "greatest" | "least") => {
            call.args.iter().collect()
        }
        Expr::InSubquery(of) => {
            let query = of.subquery.subquery.schema();
            let column = query.columns().first().cloned().map(Expr::Column);
            let column = column.iter().map(|it| (it, &**query));
            let operands: Vec<_> = column.chain([of_schema(&*of.expr)]).collect();
            let values = Values::of_column(&of.subquery.subquery, 0);
            check_values(&[Values::of(&of.expr, schema), values])?;
            return check_text(&operands, "");
        }
        other => {
            let operands = compared(other).into_iter();
            operands.filter(|it| it.as_literal().and_then(time_of_day).is_none()).collect()
        }
    };
    check_text(&operands.into_iter().map(of_schema).collect::<Vec<_>>(), "")
}

/// Refuses days and text as the keys of a join, also of INTERSECT and EXCEPT.
pub(crate) fn check_keys(join: &Join) -> Result<()> {
    let place = match join.join_constraint {
        JoinConstraint::Using => ", with ON in the place of USING or NATURAL",
        JoinConstraint::On => "",
    };
    join.on.iter().try_for_each(|(left, right)| {
        let sides = [(left, &join.left), (right, &join.right)];
        let values = sides.map(|(key, query)| {
            let index = key.try_as_col().and_then(|it| query.schema().maybe_index_of_column(it));
            index.map_or(Values::Others, |index| Values::of_column(query, index))
        });
        check_values(&values)?;
        check_text(&sides.map(|(key, query)| (key, &**query.schema())), place)
    })
}

fn check_text(operands: &[(&Expr, &DFSchema)], place: &str) -> Result<()> {
    let tuples = operands.iter().map(|(operand, schema)| match operand {
        Expr::ScalarFunction(call) if call.name() == "struct" => Some((&call.args, *schema)),
        _ => None,
    });
    if let Some(tuples) = tuples.collect::<Option<Vec<_>>>() {
        let count = tuples.first().map_or(0, |(values, _)| values.len());
        return (0..count).try_for_each(|index| {
            let values = tuples.iter().filter_map(|(it, schema)| Some((it.get(index)?, *schema)));
            let values: Vec<_> = values.collect();
            let kinds: Vec<_> = values.iter().map(|(it, schema)| Values::of(it, schema)).collect();
            check_values(&kinds)?;
            check_text(&values, ", with struct(…) in the place of a tuple")
        });
    }
    let find = |test: &dyn Fn(&Expr, DataType) -> bool| {
        let found =
            operands.iter().find(|(it, schema)| it.get_type(*schema).is_ok_and(|of| test(it, of)));
        found.map(|(operand, _)| *operand)
    };
    let is_time_or_text = |operand: &Expr, of: DataType| match operand.as_literal() {
        Some(text) => time_of_day(text).is_some(),
        None => is_text(&of),
    };
    let (Some(day), Some(text)) = (find(&|_, of| of == DataType::Date32), find(&is_time_or_text))
    else {
        return Ok(());
    };
    let name = match text {
        Expr::Column(column) if column.relation.is_some() => shown(text),
        Expr::OuterReferenceColumn(..) => shown(text),
        _ => "x".to_owned(),
    };
    plan_err!(
        "{} is a day, and {} is text; write CAST({name} AS DATE) for the text, or CAST({name} AS TIMESTAMP(6)) if it has times{place}",
        shown(day),
        shown(text)
    )
}
