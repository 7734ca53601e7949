//! Statements whose answer would be wrong in silence.
//!
//! For `b1 LEFT JOIN a1 USING (id)`, DataFusion 55.2 takes the `id` of the table whose name is first in the alphabet, which is null in the rows of `b1` alone. When it has made
//! the plan, nothing tells this `id` from an `a1.id` that the query names. So the join is an error, and so is `value[0]`: lists of SQL begin at 1.
//! It compares a day with a number by the days since 1970, so `d > 20260102` has no row, and `d = 2026-1-2` compares with 2023; it compares no other times with numbers,
//! and its error does not name the columns. Long doubles are bytes, and `GROUP BY` and `DISTINCT` have two groups of one number whose padding differs.

use datafusion::arrow::datatypes::{DataType, TimeUnit};
use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::{Transformed, TreeNode, TreeNodeRecursion};
use datafusion::common::{
    Column, DFSchema, ExprSchema, JoinConstraint, JoinType, ScalarValue, plan_err,
};
use datafusion::error::Result;
use datafusion::logical_expr::expr::{ScalarFunction, Sort, WindowFunction};
use datafusion::logical_expr::utils::{grouping_set_to_exprlist, merge_schema};
use datafusion::logical_expr::{
    BinaryExpr, Cast, Distinct, Expr, ExprSchemable, Join, LogicalPlan, Operator, Union,
    WindowFrameBound, WindowFrameUnits,
};
use datafusion::optimizer::AnalyzerRule;
use datafusion::optimizer::analyzer::type_coercion::TypeCoercionRewriter;
use npy_arrow::DESCR;

use crate::days_and_text::{check_days, check_keys};
use crate::exact_times::per_second;
use crate::floored::is_coarser;
use crate::spans_and_intervals::{Values, check_values};
use crate::time_literals::{compared, time_of_day};
use crate::unordered_windows::check_window;

/// Refuses these statements.
#[derive(Debug)]
pub(crate) struct RefuseWrong;

impl AnalyzerRule for RefuseWrong {
    fn analyze(&self, plan: LogicalPlan, _: &ConfigOptions) -> Result<LogicalPlan> {
        check(&plan)?;
        Ok(plan)
    }

    fn name(&self) -> &str {
        "refuse_wrong"
    }
}

/// Checks a plan before DataFusion converts its types: those of a view are converted before the rules of the analyzer run.
pub(crate) fn check(plan: &LogicalPlan) -> Result<()> {
    let mut has_union = false;
    plan.apply_with_subqueries(|part| {
        if let LogicalPlan::Join(join) = part {
            check_join(join)?;
            check_keys(join)?;
        }
        has_union |= matches!(part, LogicalPlan::Union(_));
        if let LogicalPlan::RecursiveQuery(query) = part
            && let LogicalPlan::Projection(rows) = &*query.recursive_term
        {
            rows.expr.iter().try_for_each(|it| check_recursion(it, rows.input.schema()))?;
        }
        let inputs = part.inputs();
        let schema = merge_schema(&inputs);
        for key in keys(part) {
            check_key(&key, &schema)?;
        }
        part.apply_expressions(|expression| {
            expression.apply(|expression| {
                check_comparison(expression, &schema)?;
                check_days(expression, &schema)?;
                check_months(expression, &schema)?;
                check_any(expression)?;
                check_results(expression, &schema)?;
                if let Expr::WindowFunction(call) = expression {
                    check_window(call, &inputs)?;
                    check_range(call, &schema)?;
                }
                if let Expr::AggregateFunction(call) = expression
                    && call.params.distinct
                {
                    call.params.args.iter().try_for_each(|key| check_key(key, &schema))?;
                }
                check_format(expression, &schema)?;
                check_index(expression)
            })
        })
    })?;
    if has_union { check_unions(plan) } else { Ok(()) }
}

fn check_join(join: &Join) -> Result<TreeNodeRecursion> {
    let is_outer = matches!(join.join_type, JoinType::Left | JoinType::Right | JoinType::Full);
    let keys: Vec<_> = join
        .on
        .iter()
        .filter_map(|(left, right)| Some((left.try_as_col()?, right.try_as_col()?)))
        .collect();
    let [(left, right), ..] = &keys[..] else { return Ok(TreeNodeRecursion::Continue) };
    if !is_outer || join.join_constraint != JoinConstraint::Using {
        return Ok(TreeNodeRecursion::Continue);
    }
    let equal = |(left, right): &(&Column, &Column)| {
        format!("{} = {}", left.quoted_flat_name(), right.quoted_flat_name())
    };
    let name = Column::new_unqualified(&left.name).quoted_flat_name();
    plan_err!(
        "an outer join with USING, or NATURAL, has the {name} of one table, which is null where only the other has the row; write ON {} for the keys, and coalesce({}, {}) AS {name} in the place of {name}",
        keys.iter().map(equal).collect::<Vec<_>>().join(" AND "),
        left.quoted_flat_name(),
        right.quoted_flat_name()
    )
}

/// Refuses text among bytes, numbers or days in one column of a UNION, which would be bytes, text, or days without times. A query that begins
/// with NULL, and those of UNION BY NAME, have their types when the unions within them are converted.
fn check_unions(plan: &LogicalPlan) -> Result<()> {
    let typed = |part| match part {
        LogicalPlan::Union(union) => {
            check_union(&union)?;
            Ok(Transformed::yes(TypeCoercionRewriter::coerce_union(union)?))
        }
        other => Ok(Transformed::yes(other.recompute_schema()?)),
    };
    plan.clone().transform_up_with_subqueries(typed).map(|_| ())
}

fn check_union(union: &Union) -> Result<()> {
    for (index, field) in union.schema.fields().iter().enumerate() {
        let values = union.inputs.iter().map(|input| Values::of_column(input, index));
        check_values(&values.collect::<Vec<_>>())?;
        let types = || union.inputs.iter().map(|input| input.schema().field(index).data_type());
        let kind = |of: &DataType| match of {
            DataType::Binary => Some("bytes"),
            DataType::Date32 => Some("days"),
            _ => of.is_numeric().then_some("numbers"),
        };
        if let Some(kind) = types().find_map(kind).filter(|_| types().any(is_text)) {
            let of_text = match kind {
                "days" => format!("{OF_DAYS} for the text, or "),
                _ => String::new(),
            };
            return plan_err!(
                "the column {:?} of UNION is {kind} in one query, and text in another; write {of_text}CAST(x AS TEXT) for the {kind}",
                field.name()
            );
        }
    }
    Ok(())
}

/// Refuses a time or span in a recursive query that has a finer unit than in its first part, and would be cut to that one. A sum of a day and hours
/// would be the day again, without an end.
fn check_recursion(column: &Expr, schema: &DFSchema) -> Result<()> {
    let Expr::Cast(Cast { expr: time, field }) = column.clone().unalias() else { return Ok(()) };
    let instead = match (time.get_type(schema)?, field.data_type()) {
        (of @ DataType::Timestamp(unit, _), to)
            if *to == DataType::Date32 || is_coarser(&of, to) =>
        {
            format!("CAST(… AS TIMESTAMP({}))", per_second(unit).ilog10())
        }
        (of @ DataType::Duration(unit), DataType::Duration(to)) if unit > *to => {
            format!("arrow_cast(…, '{of}')")
        }
        (DataType::Interval(_), DataType::Duration(_)) => "arrow_cast(…, 'Duration(ns)')".into(),
        _ => return Ok(()),
    };
    plan_err!(
        "{time} would be cut to the type of the first part of the recursive query; write {instead} there"
    )
}

/// Refuses a frame of times without a unit: DataFusion 55.2 takes `7 PRECEDING` for seven months.
fn check_range(call: &WindowFunction, schema: &DFSchema) -> Result<()> {
    let frame = &call.params.window_frame;
    let is_time = |order: &Sort| {
        let data_type = order.expr.get_type(schema);
        // Spans have no such frames.
        data_type.is_ok_and(|it| it.is_temporal() && !matches!(it, DataType::Duration(_)))
    };
    if frame.units != WindowFrameUnits::Range || !call.params.order_by.iter().any(is_time) {
        return Ok(());
    }
    for bound in [&frame.start_bound, &frame.end_bound] {
        if let WindowFrameBound::Preceding(span) | WindowFrameBound::Following(span) = bound
            && let Some(number) = span.try_as_str().flatten()
            && number.trim().parse::<f64>().is_ok()
        {
            return plan_err!(
                "RANGE {number} has no unit; write INTERVAL '{number} days', or of another unit of time"
            );
        }
    }
    Ok(())
}

/// Refuses `x >= ALL (SELECT y …)`: DataFusion 55.2 takes a name of the inner query for that of the outer one.
fn check_any(expression: &Expr) -> Result<()> {
    match expression {
        Expr::SetComparison(_) => plan_err!(
            "ANY and ALL of a subquery are not supported; write IN for = ANY, and NOT IN for <> ALL"
        ),
        _ => Ok(()),
    }
}

/// Returns true for text, also that of `_file`.
pub(crate) fn is_text(of_type: &DataType) -> bool {
    of_type.is_string() || matches!(of_type, DataType::Dictionary(_, values) if values.is_string())
}

/// The types of text among days.
const OF_DAYS: &str = "CAST(x AS DATE), or CAST(x AS TIMESTAMP(6)) if it has times,";

/// Refuses text next to numbers as the results of one expression, which would be text, and next to days, whose times would be lost.
fn check_results(expression: &Expr, schema: &DFSchema) -> Result<()> {
    let (name, results): (_, Vec<&Expr>) = match expression {
        Expr::Case(case) => {
            let results = case.when_then_expr.iter().map(|(_, then)| then);
            ("a CASE", results.chain(&case.else_expr).map(AsRef::as_ref).collect())
        }
        Expr::ScalarFunction(call) if call.name() == "coalesce" => {
            (call.name(), call.args.iter().collect())
        }
        Expr::ScalarFunction(call) if call.name() == "nvl2" => {
            (call.name(), call.args.iter().skip(1).collect())
        }
        _ => return Ok(()),
    };
    let typed: Vec<_> =
        results.iter().filter_map(|it| Some((*it, it.get_type(schema).ok()?))).collect();
    let has = |test: fn(&DataType) -> bool| typed.iter().any(|(_, of)| test(of));
    let (others, of_text) = if has(DataType::is_numeric) {
        ("numbers", "CAST(x AS DOUBLE)")
    } else if has(|it| *it == DataType::Date32) {
        ("days", OF_DAYS)
    } else {
        return Ok(());
    };
    // Text that is a day loses nothing, and coalesce makes numbers of text, or an error.
    let is_kept = |it: &Expr| match it.as_literal() {
        Some(text) if others == "days" => time_of_day(text).is_none(),
        Some(text) => name == "coalesce" && text.cast_to(&DataType::Float64).is_ok(),
        None => name == "coalesce",
    };
    let is_lost = |(it, of): &&(&Expr, DataType)| is_text(of) && !is_kept(it);
    let Some((text, _)) = typed.iter().find(is_lost) else { return Ok(()) };
    let quote = if text.as_literal().is_some() { "'" } else { "" };
    plan_err!(
        "the results of {name} are {quote}{}{quote}, which is text, and {others}; write {of_text} for the text, or CAST(x AS TEXT) for the {others}",
        shown(text)
    )
}

/// Refuses to add spans of months or years, which are counts here, to a day: they would be days.
fn check_months(expression: &Expr, schema: &DFSchema) -> Result<()> {
    let Expr::BinaryExpr(BinaryExpr { left, op, right }) = expression else { return Ok(()) };
    if !matches!(op, Operator::Plus | Operator::Minus) {
        return Ok(());
    }
    let unit = |it: &Expr| {
        let field = schema.field_from_column(it.try_as_col()?).ok()?;
        let descr = field.metadata().get(DESCR)?;
        [("m8[M]", "months"), ("m8[Y]", "years")].into_iter().find(|(it, _)| descr.contains(it))
    };
    for (day, span) in [(left, right), (right, left)] {
        // The types of many terms are not looked at in each sum.
        if let Some((_, unit)) = unit(span)
            && day.get_type(schema).is_ok_and(|it| it == DataType::Date32)
        {
            let (day, span) = (shown(day), shown(span));
            let sign = if *op == Operator::Plus { "+" } else { "-" };
            return plan_err!(
                "{span} counts {unit}, and would be days in a sum with {day}; write {day} {sign} TRY_CAST(concat({span}, ' {unit}') AS INTERVAL)"
            );
        }
    }
    Ok(())
}

/// Returns the keys of the groups of a step.
fn keys(part: &LogicalPlan) -> Vec<Expr> {
    match part {
        LogicalPlan::Aggregate(aggregate) => {
            let keys = grouping_set_to_exprlist(&aggregate.group_expr);
            keys.map_or(Vec::new(), |keys| keys.into_iter().cloned().collect())
        }
        LogicalPlan::Distinct(Distinct::On(distinct)) => distinct.on_expr.clone(),
        LogicalPlan::Distinct(Distinct::All(input)) => {
            input.schema().columns().into_iter().map(Expr::Column).collect()
        }
        _ => Vec::new(),
    }
}

/// Refuses long doubles as a key: the bytes of equal numbers may differ, since some are padding.
fn check_key(key: &Expr, schema: &DFSchema) -> Result<()> {
    let Ok((_, field)) = key.to_field(schema) else { return Ok(()) };
    let descr = field.metadata().get(DESCR).map_or("", |descr| descr.trim_matches('\''));
    let is_one_of = |kinds: [&str; 2]| kinds.iter().any(|kind| descr.ends_with(kind));
    if !matches!(field.data_type(), DataType::FixedSizeBinary(_)) {
        return Ok(());
    }
    let instead = if is_one_of(["f12", "f16"]) {
        "npy('x.npy', 'long_double_as_f64', 'true') has numbers of 64 bits"
    } else if is_one_of(["c24", "c32"]) {
        "convert the file first, in NumPy: np.save('c16.npy', x.astype('c16'))"
    } else {
        return Ok(());
    };
    plan_err!(
        "{} is a long double, and its bytes, which GROUP BY and DISTINCT compare, may differ for equal numbers; {instead}",
        shown(key)
    )
}

/// Refuses to compare a day, a time or a span of time with a number, and a day or text with a day without quotes, which is a number.
fn check_comparison(expression: &Expr, schema: &DFSchema) -> Result<()> {
    let operands = compared(expression);
    let is = |test: &dyn Fn(&DataType) -> bool, operand: &&Expr| {
        operand.get_type(schema).is_ok_and(|it| test(&it))
    };
    let find = |test: &dyn Fn(&DataType) -> bool| operands.iter().find(|it| is(test, it));
    let other = find(&|it| !it.is_numeric());
    if let (Some(other), Some(day)) = (other, operands.iter().find_map(|it| day(it))) {
        return plan_err!(
            "{day} is a subtraction of numbers, which {other} is compared with; write '{day}' for the day"
        );
    }
    if let (Some(day), Some(number)) =
        (find(&|it| *it == DataType::Date32), find(&DataType::is_integer))
    {
        let (day, number) = (shown(day), shown(number));
        return plan_err!(
            "{day} is a day, and {number} a number; write a day as '2026-01-02', or CAST({day} AS INT) for the days since 1970"
        );
    }
    let Some(number) = find(&DataType::is_numeric).map(|it| shown(it)) else { return Ok(()) };
    for operand in &operands {
        let time = shown(operand);
        match operand.get_type(schema) {
            Ok(DataType::Timestamp(unit, _)) => {
                return plan_err!(
                    "{time} is a time, and {number} a number; write a time as '2026-01-02 10:30:00', or CAST({time} AS BIGINT) for the {} since 1970",
                    plural(unit)
                );
            }
            Ok(DataType::Duration(unit)) => {
                return plan_err!(
                    "{time} is a span of time, and {number} a number; write INTERVAL '5 seconds', or CAST({time} AS BIGINT) for its {}",
                    plural(unit)
                );
            }
            _ => {}
        }
    }
    Ok(())
}

/// Returns an expression as a statement has it.
pub(crate) fn shown(expression: &Expr) -> String {
    match expression {
        Expr::Column(column) | Expr::OuterReferenceColumn(_, column) => column.quoted_flat_name(),
        Expr::Literal(value, _) => value.to_string(),
        other => other.to_string(),
    }
}

/// Returns the name of a unit in messages.
pub(crate) fn plural(unit: TimeUnit) -> &'static str {
    match unit {
        TimeUnit::Second => "seconds",
        TimeUnit::Millisecond => "milliseconds",
        TimeUnit::Microsecond => "microseconds",
        TimeUnit::Nanosecond => "nanoseconds",
    }
}

/// Returns the day that a subtraction of three numbers is written as.
fn day(expression: &Expr) -> Option<String> {
    let difference = |expression: &Expr| match expression {
        Expr::BinaryExpr(BinaryExpr { left, op: Operator::Minus, right }) => {
            Some((left.as_ref().clone(), number(right)?))
        }
        _ => None,
    };
    let (rest, day) = difference(expression)?;
    let (year, month) = difference(&rest)?;
    let year = number(&year)?;
    let is_day =
        (1000..=9999).contains(&year) && (1..=12).contains(&month) && (1..=31).contains(&day);
    is_day.then(|| format!("{year}-{month:02}-{day:02}"))
}

fn number(expression: &Expr) -> Option<i64> {
    match expression {
        Expr::Literal(ScalarValue::Int64(number), _) => *number,
        _ => None,
    }
}

/// Refuses a format of `to_char` that DataFusion 55.2 takes for text, and one of a span, which it passes over.
fn check_format(expression: &Expr, schema: &DFSchema) -> Result<()> {
    if let Expr::ScalarFunction(ScalarFunction { func, args }) = expression
        && func.name() == "to_char"
        && let [time, format] = &args[..]
        && let Some(Some(Some(format))) = format.as_literal().map(ScalarValue::try_as_str)
    {
        let is_span = matches!(time.get_type(schema), Ok(DataType::Duration(_)));
        if is_span && !["pretty", "iso8601"].contains(&&*format.to_lowercase()) {
            return plan_err!(
                "to_char has the formats 'pretty' and 'iso8601' for a span of time, and {format:?} is not one of them; write extract(hour FROM s) for its hours, and extract(minute FROM s) % 60 for the minutes of an hour"
            );
        }
        if !is_span && !format.contains('%') {
            return plan_err!(
                "the format {format:?} of to_char has no part of a time; write it as in '%Y-%m-%d %H:%M:%S'"
            );
        }
    }
    Ok(())
}

fn check_index(expression: &Expr) -> Result<TreeNodeRecursion> {
    if let Expr::ScalarFunction(ScalarFunction { func, args }) = expression
        && func.name() == "array_element"
        && let [list, Expr::Literal(ScalarValue::Int64(Some(0)), _)] = &args[..]
    {
        return plan_err!(
            "{list}[0] is always null: lists of SQL begin at 1; write {list}[1] for the first value"
        );
    }
    Ok(TreeNodeRecursion::Continue)
}
