//! Comparisons of times whose units differ.
//!
//! DataFusion 55.2 compares `CAST(t AS TIMESTAMP) < literal` as `t < CAST(literal …)`, though the unit of `t` may be coarser: the literal is cut, and for
//! `t < '00:00:55.5'` the row at 55 seconds is lost. So a rule of the analyzer puts a function in the place of each conversion to a finer unit, which
//! nothing moves, and when all literals are known, a rule of the optimizer finds the bound in the unit of the column: `t <= '00:00:55'`. Indices know
//! such bounds, and years that a finer unit cannot count are no error. A column that has no such years is compared by `true` and `false`. Two columns are compared
//! by a function that counts nanoseconds in 128 bits.
//!
//! The sum of a time and a span has the finer unit of both ([`sums`]). The function is in the place of each conversion to a coarser unit,
//! too, also of `arrow_cast` and `to_timestamp_seconds`: times before 1970 are cut to earlier ones ([`floored`](crate::floored)).

mod days_of_spans;
mod hours;
mod order;
mod sums;

use std::sync::Arc;

use datafusion::arrow::datatypes::{DataType, Field, FieldRef, TimeUnit};
use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::{Transformed, TransformedResult, TreeNode, TreeNodeRecursion};
use datafusion::common::{Column, DFSchema, NullEquality, exec_datafusion_err, internal_err};
use datafusion::error::{DataFusionError, Result};
use datafusion::logical_expr::expr::{Between, InList, InSubquery, ScalarFunction};
use datafusion::logical_expr::expr_rewriter::NamePreserver;
use datafusion::logical_expr::interval_arithmetic::Interval;
use datafusion::logical_expr::sort_properties::{ExprProperties, SortProperties};
use datafusion::logical_expr::utils::merge_schema;
use datafusion::logical_expr::{
    BinaryExpr, Cast, ColumnarValue, Expr, ExprSchemable, LogicalPlan, Operator, ReturnFieldArgs,
    ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl, Signature, TryCast, TypeSignature, Volatility,
    lit,
};
use datafusion::optimizer::optimizer::ApplyOrder;
use datafusion::optimizer::{AnalyzerRule, Optimizer, OptimizerConfig, OptimizerRule};
use datafusion::scalar::ScalarValue;

use crate::floored::{cast_floored, is_coarser};
use crate::refused::plural;

pub(crate) use days_of_spans::{interval, is_span, with_hours};
pub(crate) use hours::in_hours_of;
pub(crate) use sums::{exact_sum, unit_of_frames, with_exact_sums};

/// Returns the functions that convert and compare times.
pub(crate) fn functions() -> impl Iterator<Item = Arc<ScalarUDF>> {
    conversions().into_iter().chain([hours::function(), order::function()])
}

fn conversions() -> [Arc<ScalarUDF>; 2] {
    [false, true].map(|is_try| {
        let counts = [2, 3].map(TypeSignature::Any).to_vec();
        let signature = Signature::one_of(counts, Volatility::Immutable);
        Arc::new(ScalarUDF::new_from_impl(AsTime { is_try, signature }))
    })
}

/// Puts the function in the place of conversions to other units.
#[derive(Debug)]
pub(crate) struct KeepTimes;

impl AnalyzerRule for KeepTimes {
    fn analyze(&self, plan: LogicalPlan, _: &ConfigOptions) -> Result<LogicalPlan> {
        let [cast, try_cast] = conversions();
        let hide = |expression: Expr, schema: &DFSchema| {
            let (function, inner, to) = match &expression {
                Expr::Cast(Cast { expr, field }) if is_type_only(field) => {
                    (&cast, &**expr, field.data_type().clone())
                }
                Expr::TryCast(TryCast { expr, field }) if is_type_only(field) => {
                    (&try_cast, &**expr, field.data_type().clone())
                }
                Expr::ScalarFunction(ScalarFunction { func, args }) => {
                    match (CONVERSIONS.iter().find(|(name, _)| *name == func.name()), &args[..]) {
                        (Some((_, count)), [time, ..]) if args.len() == *count => {
                            let is_try = func.name().contains("try");
                            let function = if is_try { &try_cast } else { &cast };
                            (function, time, expression.get_type(schema)?)
                        }
                        _ => return Ok(Transformed::no(expression)),
                    }
                }
                Expr::BinaryExpr(BinaryExpr { left, op, right }) if op.supports_propagation() => {
                    let (left, right) = (left.as_ref().clone(), right.as_ref().clone());
                    let sides = in_finer_unit(left, right, schema)?;
                    return Ok(match sides.transformed {
                        true => Transformed::yes(binary(sides.data.0, *op, sides.data.1)),
                        false => Transformed::no(expression),
                    });
                }
                _ => return Ok(Transformed::no(expression)),
            };
            let is_other = |from| is_finer(&from, &to) || is_coarser(&from, &to);
            if !inner.get_type(schema).is_ok_and(is_other) {
                return Ok(Transformed::no(expression));
            }
            let mut args = vec![inner.clone(), example(&to)?];
            // DataFusion 55.2 takes literals of two zones for equal, and would compute one of both conversions.
            if let DataType::Timestamp(_, Some(zone)) = &to {
                args.push(lit(zone.as_ref()));
            }
            Ok(Transformed::yes(function.call(args)))
        };
        plan.transform_up_with_subqueries(|plan| {
            rewritten(plan, &hide)?.transform_data(with_far_times)
        })
        .data()
    }

    fn name(&self) -> &str {
        "keep_times"
    }
}

/// Returns a literal of a type, for functions whose result has the type of their second argument.
pub(crate) fn example(of: &DataType) -> Result<Expr> {
    let value = ScalarValue::new_default(of)?;
    // DataFusion 55.2 makes an empty list in the place of one of this length.
    Ok(lit(match value.data_type() == *of {
        true => value,
        false => ScalarValue::try_from(of)?,
    }))
}

/// Returns the type of the second argument.
pub(crate) fn type_of_example(types: &[DataType]) -> Result<DataType> {
    match types {
        [_, to, ..] => Ok(to.clone()),
        _ => internal_err!("a conversion without an example of its type"),
    }
}

/// Returns the field that a conversion of the first argument to the type of the second one has.
pub(crate) fn converted_field(args: &ReturnFieldArgs) -> Result<Field> {
    match args.arg_fields {
        [from, to, ..] => Ok(from.as_ref().clone().with_data_type(to.data_type().clone())),
        _ => internal_err!("a conversion without an example of its type"),
    }
}

/// The functions that convert their first argument, and the number of their arguments.
const CONVERSIONS: [(&str, usize); 6] = [
    ("arrow_cast", 2),
    ("arrow_try_cast", 2),
    ("to_timestamp_seconds", 1),
    ("to_timestamp_millis", 1),
    ("to_timestamp_micros", 1),
    ("to_timestamp_nanos", 1),
];

/// Returns true for the field of a conversion that states a type alone.
fn is_type_only(field: &FieldRef) -> bool {
    field.name().is_empty() && field.metadata().is_empty()
}

/// Adds the rule that compares times with literals, after DataFusion's that finds the values of literals.
pub(crate) fn with_exact_times(optimizer: &mut Optimizer) {
    let position = optimizer.rules.iter().position(|rule| rule.name() == "simplify_expressions");
    let position = position.map_or(optimizer.rules.len(), |position| position + 1);
    optimizer.rules.insert(position, Arc::new(ExactTimes));
}

/// Compares times with literals in the unit of the times.
#[derive(Debug)]
struct ExactTimes;

impl OptimizerRule for ExactTimes {
    fn name(&self) -> &str {
        "exact_times"
    }

    fn apply_order(&self) -> Option<ApplyOrder> {
        Some(ApplyOrder::BottomUp)
    }

    fn rewrite(
        &self,
        plan: LogicalPlan,
        _: &dyn OptimizerConfig,
    ) -> Result<Transformed<LogicalPlan>> {
        rewritten(plan, &|expression, schema| {
            Ok(match in_unit_of_column(&expression, schema) {
                Some(exact) => Transformed::yes(exact),
                None => Transformed::no(expression),
            })
        })
    }
}

/// Rewrites the expressions of a plan; its columns keep their names.
pub(crate) fn rewritten(
    plan: LogicalPlan,
    rewrite: &dyn Fn(Expr, &DFSchema) -> Result<Transformed<Expr>>,
) -> Result<Transformed<LogicalPlan>> {
    let mut schema = merge_schema(&plan.inputs());
    if let LogicalPlan::TableScan(scan) = &plan {
        let (table, columns) = (scan.table_name.clone(), scan.source.schema());
        schema.merge(&DFSchema::try_from_qualified_schema(table, &columns)?);
    }
    let names = NamePreserver::new(&plan);
    let with_its_name = |expression: Expr| {
        let name = names.save(&expression);
        let rewritten = expression.transform_up(|part| rewrite(part, &schema))?;
        Ok(match rewritten.transformed {
            true => rewritten.update_data(|expression| name.restore(expression)),
            false => rewritten,
        })
    };
    let rewritten = plan.map_expressions(|expression| match expression {
        // The columns of `ROLLUP (x, y)` are its parts.
        Expr::GroupingSet(_) => expression.map_children(with_its_name),
        _ => with_its_name(expression),
    })?;
    match rewritten.transformed {
        true => rewritten.map_data(LogicalPlan::recompute_schema),
        false => Ok(rewritten),
    }
}

/// Returns true for a conversion whose result has more values than its argument.
fn is_finer(from: &DataType, to: &DataType) -> bool {
    match (from, to) {
        (DataType::Timestamp(from, of), DataType::Timestamp(to, zone)) => {
            per_second(*from) < per_second(*to) || (from == to && of != zone)
        }
        (DataType::Date32, DataType::Timestamp(..)) => true,
        _ => false,
    }
}

pub(crate) fn per_second(unit: TimeUnit) -> i64 {
    match unit {
        TimeUnit::Second => 1,
        TimeUnit::Millisecond => 1_000,
        TimeUnit::Microsecond => 1_000_000,
        TimeUnit::Nanosecond => 1_000_000_000,
    }
}

/// A time that is compared.
struct Compared<'e> {
    time: &'e Expr,
    /// Its own type.
    of: DataType,
}

/// A literal among the times of a type.
enum Bound {
    /// It is one of them.
    Exact(Expr),
    /// The last one before it.
    Floor(Expr),
    /// It is before all of them, and after all.
    Before,
    After,
}

impl<'e> Compared<'e> {
    /// Returns the time that is compared with these literals: one that is converted, if the result can tell apart all of its values, or else one whose type
    /// does not have some of the literals.
    fn new<'l>(
        expression: &'e Expr,
        literals: impl IntoIterator<Item = &'l Expr>,
        schema: &DFSchema,
    ) -> Option<Self> {
        let (time, of) = match conversion(expression, schema) {
            Some((time, of, is_try)) => (!is_try).then_some((time, of))?,
            None => {
                let is_far = |literal| conversion(literal, schema).is_some();
                literals.into_iter().any(is_far).then_some(())?;
                (expression, expression.get_type(schema).ok()?)
            }
        };
        (!time.is_volatile()).then_some(Compared { time, of })
    }

    /// Returns where a literal is among the times; `None` if it is not a literal.
    fn bound(&self, literal: &Expr, schema: &DFSchema) -> Option<Bound> {
        let literal = conversion(literal, schema).map_or(literal, |(inner, ..)| inner);
        let Expr::Literal(value, _) = literal else { return None };
        let (ScalarValue::TimestampSecond(Some(count), _)
        | ScalarValue::TimestampMillisecond(Some(count), _)
        | ScalarValue::TimestampMicrosecond(Some(count), _)
        | ScalarValue::TimestampNanosecond(Some(count), _)) = *value
        else {
            let ScalarValue::Date32(Some(day)) = *value else { return None };
            return self.bound_of(i128::from(day) * nanoseconds(&DataType::Date32)?);
        };
        self.bound_of(i128::from(count) * nanoseconds(&value.data_type())?)
    }

    /// Returns where a number of nanoseconds since 1970 is among the times.
    fn bound_of(&self, literal: i128) -> Option<Bound> {
        let size = nanoseconds(&self.of)?;
        let floor = literal.div_euclid(size);
        let time = match &self.of {
            DataType::Date32 => i32::try_from(floor).ok().map(|it| ScalarValue::Date32(Some(it))),
            of => match i64::try_from(floor) {
                Ok(floor) => Some(ScalarValue::Int64(Some(floor)).cast_to(of).ok()?),
                Err(_) => None,
            },
        };
        Some(match time {
            Some(time) if literal.rem_euclid(size) == 0 => Bound::Exact(lit(time)),
            Some(time) => Bound::Floor(lit(time)),
            None if literal < 0 => Bound::Before,
            None => Bound::After,
        })
    }

    /// Returns the comparison with a literal.
    fn with(&self, operator: Operator, literal: &Expr, schema: &DFSchema) -> Option<Expr> {
        use Operator::{Eq, Gt, GtEq, IsDistinctFrom, IsNotDistinctFrom, Lt, LtEq, NotEq};
        if !matches!(
            operator,
            Eq | Gt | GtEq | IsDistinctFrom | IsNotDistinctFrom | Lt | LtEq | NotEq
        ) {
            return None;
        }
        let (operator, floor) = match (operator, self.bound(literal, schema)?) {
            (_, Bound::Exact(time)) => (operator, time),
            (Lt | LtEq, Bound::Floor(time)) => (LtEq, time),
            (Gt | GtEq, Bound::Floor(time)) => (Gt, time),
            (IsDistinctFrom, _) => return Some(lit(true)),
            (IsNotDistinctFrom, _) => return Some(lit(false)),
            (NotEq, _) | (Lt | LtEq, Bound::After) | (Gt | GtEq, Bound::Before) => {
                return Some(self.always());
            }
            _ => return Some(self.never()),
        };
        Some(binary(self.time.clone(), operator, floor))
    }

    /// Returns a condition that no time meets. That of a null is null.
    fn never(&self) -> Expr {
        self.time.clone().is_null().and(lit(ScalarValue::Boolean(None)))
    }

    /// Returns a condition that all times meet. That of a null is null.
    fn always(&self) -> Expr {
        self.time.clone().is_not_null().or(lit(ScalarValue::Boolean(None)))
    }
}

/// Returns the time that an expression converts to a finer unit by the function, its own type, and true if a time without such a value is null. None for
/// other zones.
fn conversion<'e>(expression: &'e Expr, schema: &DFSchema) -> Option<(&'e Expr, DataType, bool)> {
    let Expr::ScalarFunction(ScalarFunction { func, args }) = expression else { return None };
    let function = func.inner().downcast_ref::<AsTime>()?;
    let [time, Expr::Literal(example, _), ..] = &args[..] else { return None };
    let of = time.get_type(schema).ok()?;
    let is_of_zone = match (&of, &example.data_type()) {
        (DataType::Timestamp(_, zone), to @ DataType::Timestamp(_, other)) => {
            zone == other && !is_coarser(&of, to)
        }
        (DataType::Date32, DataType::Timestamp(_, None)) => true,
        _ => false,
    };
    is_of_zone.then_some((time, of, function.is_try))
}

/// Returns the nanoseconds from one time of a type to the next.
fn nanoseconds(of: &DataType) -> Option<i128> {
    let of_second = i128::from(per_second(TimeUnit::Nanosecond));
    match of {
        DataType::Timestamp(unit, _) => Some(of_second / i128::from(per_second(*unit))),
        DataType::Date32 => Some(86_400 * of_second),
        _ => None,
    }
}

fn binary(left: Expr, operator: Operator, right: Expr) -> Expr {
    Expr::BinaryExpr(BinaryExpr::new(Box::new(left), operator, Box::new(right)))
}

/// Returns the same comparison in the unit of the column; `None` if it does not compare a time with literals of another unit.
fn in_unit_of_column(expression: &Expr, schema: &DFSchema) -> Option<Expr> {
    match expression {
        Expr::BinaryExpr(BinaryExpr { left, op, right }) => {
            let compared = |time, operator, literal: &Expr| {
                Compared::new(time, [literal], schema)?.with(operator, literal, schema)
            };
            compared(left, *op, right)
                .or_else(|| compared(right, op.swap()?, left))
                .or_else(|| in_their_units(left, *op, right, schema))
        }
        Expr::Between(Between { expr, negated, low, high }) => {
            let (from, to) = match negated {
                false => (Operator::GtEq, Operator::LtEq),
                true => (Operator::Lt, Operator::Gt),
            };
            let of_literals = || {
                let time = Compared::new(expr, [&**low, &**high], schema)?;
                Some((time.with(from, low, schema)?, time.with(to, high, schema)?))
            };
            let of_columns = || {
                (!expr.is_volatile()).then_some(())?;
                let side = |operator, bound: &Expr| {
                    let own = binary((**expr).clone(), operator, bound.clone());
                    in_unit_of_column(&own, schema).unwrap_or(own)
                };
                let has_conversion =
                    [expr, low, high].iter().any(|it| conversion(it, schema).is_some());
                has_conversion.then(|| (side(from, low), side(to, high)))
            };
            let (low, high) = of_literals().or_else(of_columns)?;
            Some(if *negated { low.or(high) } else { low.and(high) })
        }
        Expr::InList(InList { expr, list, negated }) => {
            let time = Compared::new(expr, list, schema)?;
            let mut kept = Vec::new();
            for literal in list {
                match literal {
                    Expr::Literal(value, _) if value.is_null() => {
                        kept.push(lit(ScalarValue::try_from(&time.of).ok()?));
                    }
                    _ => match time.bound(literal, schema)? {
                        Bound::Exact(time) => kept.push(time),
                        Bound::Floor(_) | Bound::Before | Bound::After => {}
                    },
                }
            }
            Some(match (kept.is_empty(), negated) {
                (false, _) => time.time.clone().in_list(kept, *negated),
                (true, false) => time.never(),
                (true, true) => time.always(),
            })
        }
        _ => None,
    }
}

/// Returns the comparison of two times that are not literals; `None` if none of them is converted to a finer unit.
fn in_their_units(
    left: &Expr,
    operator: Operator,
    right: &Expr,
    schema: &DFSchema,
) -> Option<Expr> {
    use Operator::{Eq, Gt, GtEq, IsDistinctFrom, IsNotDistinctFrom, Lt, LtEq, NotEq};
    let own = |time| match conversion(time, schema) {
        Some((_, _, true)) => None,
        Some((inner, ..)) => Some((inner, true)),
        None => Some((time, false)),
    };
    let ((first, is_first), (second, is_second)) = (own(left)?, own(right)?);
    if !(is_first || is_second) || [first, second].iter().any(|it| it.as_literal().is_some()) {
        return None;
    }
    let order = order::function().call(vec![first.clone(), second.clone()]);
    let zero = lit(0_i8);
    match operator {
        Eq | NotEq | Lt | LtEq | Gt | GtEq => Some(binary(order, operator, zero)),
        IsDistinctFrom | IsNotDistinctFrom if !order.is_volatile() => {
            let nulls = binary(first.clone().is_null(), Eq, second.clone().is_null());
            let equal = nulls.and(binary(order, IsNotDistinctFrom, zero.clone()));
            let both = first.clone().is_null().and(second.clone().is_null());
            let equal = both.or(equal);
            Some(if operator == IsDistinctFrom { !equal } else { equal })
        }
        _ => None,
    }
}

/// Compares two times that are both converted in the finer unit of them: one that the comparison does not need might not count them.
fn in_finer_unit(left: Expr, right: Expr, schema: &DFSchema) -> Result<Transformed<(Expr, Expr)>> {
    let both = (conversion(&left, schema), conversion(&right, schema));
    let (Some((first, of_first, false)), Some((second, of_second, false))) = both else {
        return Ok(Transformed::no((left, right)));
    };
    let is_literal = |time: &Expr| time.as_literal().is_some();
    let of = match nanoseconds(&of_first) > nanoseconds(&of_second) {
        true => of_second.clone(),
        false => of_first.clone(),
    };
    if is_literal(first) || is_literal(second) || of == DataType::Date32 {
        return Ok(Transformed::no((left, right)));
    }
    let [cast, _] = conversions();
    let converted = |time: &Expr, own: &DataType| {
        Ok::<_, DataFusionError>(match *own == of {
            true => time.clone(),
            false => cast.call(vec![time.clone(), example(&of)?]),
        })
    };
    Ok(Transformed::yes((converted(first, &of_first)?, converted(second, &of_second)?)))
}

/// Makes times null that a finer unit cannot count, where two columns are compared by `=` and null is as good as false: they are equal to no time of that unit.
fn with_far_times(plan: LogicalPlan) -> Result<Transformed<LogicalPlan>> {
    Ok(match plan {
        LogicalPlan::Filter(mut filter) => {
            let predicate = in_condition(filter.predicate)?;
            filter.predicate = predicate.data;
            Transformed::new_transformed(LogicalPlan::Filter(filter), predicate.transformed)
        }
        LogicalPlan::Join(mut join) => {
            let mut is_changed = false;
            let schema = join.left.schema().join(join.right.schema());
            if let Ok(schema) = schema {
                for key in &mut join.on {
                    let sides = in_finer_unit(key.0.clone(), key.1.clone(), &schema)?;
                    is_changed |= sides.transformed;
                    *key = sides.data;
                }
            }
            if join.null_equality == NullEquality::NullEqualsNothing {
                for (left, right) in &mut join.on {
                    for side in [left, right] {
                        let tried = tried(side.clone());
                        is_changed |= tried.transformed;
                        *side = tried.data;
                    }
                }
            }
            if let Some(filter) = join.filter.take() {
                let filter = in_condition(filter)?;
                is_changed |= filter.transformed;
                join.filter = Some(filter.data);
            }
            Transformed::new_transformed(LogicalPlan::Join(join), is_changed)
        }
        _ => Transformed::no(plan),
    })
}

/// Goes down the terms of a condition by DataFusion's recursion, which does not overflow the stack.
fn in_condition(condition: Expr) -> Result<Transformed<Expr>> {
    condition.transform_down(|part| {
        let of_term = match &part {
            Expr::BinaryExpr(BinaryExpr { op: Operator::And | Operator::Or, .. }) => {
                return Ok(Transformed::no(part));
            }
            Expr::BinaryExpr(BinaryExpr { left, op: Operator::Eq, right })
                if has_column(left) && has_column(right) =>
            {
                part.map_children(|side| Ok(tried(side)))?
            }
            Expr::InSubquery(InSubquery { negated: false, .. }) => {
                part.map_children(|time| Ok(tried(time)))?
            }
            _ => Transformed::no(part),
        };
        Ok(Transformed { tnr: TreeNodeRecursion::Jump, ..of_term })
    })
}

/// Returns true if an expression is not one value for all rows.
fn has_column(expression: &Expr) -> bool {
    let is_column =
        |part: &Expr| Ok(matches!(part, Expr::Column(_) | Expr::OuterReferenceColumn(..)));
    expression.exists(is_column).unwrap_or(false)
}

/// Puts the function whose result may be null in the place of the other one.
fn tried(expression: Expr) -> Transformed<Expr> {
    match expression {
        Expr::ScalarFunction(call)
            if call.func.inner().downcast_ref::<AsTime>().is_some_and(|it| !it.is_try) =>
        {
            let [_, try_cast] = conversions();
            Transformed::yes(try_cast.call(call.args))
        }
        _ => Transformed::no(expression),
    }
}

/// Converts its first argument to the type of the second one, whose zone is the third: in a coarser unit, to the last time that is not later. A time that has no such value is an
/// error, or null.
#[derive(Debug, PartialEq, Eq, Hash)]
struct AsTime {
    is_try: bool,
    signature: Signature,
}

impl ScalarUDFImpl for AsTime {
    fn name(&self) -> &str {
        if self.is_try { "npy_try_as_time" } else { "npy_as_time" }
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, types: &[DataType]) -> Result<DataType> {
        type_of_example(types)
    }

    fn return_field_from_args(&self, args: ReturnFieldArgs) -> Result<FieldRef> {
        let field = converted_field(&args)?;
        let is_nullable = self.is_try || field.is_nullable();
        Ok(Arc::new(field.with_nullable(is_nullable)))
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let Some(time) = args.args.first() else {
            return internal_err!("{} without two arguments", self.name());
        };
        let to = args.return_field.data_type();
        cast_floored(time, to, self.is_try).map_err(|error| match (time.data_type(), to) {
            (of @ (DataType::Timestamp(..) | DataType::Date32), DataType::Timestamp(unit, _))
                if !error.strip_backtrace().contains("Invalid timezone") =>
            {
                far_time(&error, &args, &of, *unit)
            }
            _ => error,
        })
    }

    /// Returns the bounds of the type: DataFusion compares them with those of the other side, and has no order for a window if the types differ.
    fn evaluate_bounds(&self, inputs: &[&Interval]) -> Result<Interval> {
        match inputs {
            [_, to, ..] => Interval::make_unbounded(&to.data_type()),
            _ => internal_err!("{} without two arguments", self.name()),
        }
    }

    /// Returns that the result is in the order of the argument.
    fn output_ordering(&self, inputs: &[ExprProperties]) -> Result<SortProperties> {
        Ok(inputs.first().map_or(SortProperties::Unordered, |time| time.sort_properties))
    }
}

/// Returns the error for a time that a finer unit does not count, or that a zone does not have.
fn far_time(
    error: &DataFusionError,
    args: &ScalarFunctionArgs,
    of: &DataType,
    unit: TimeUnit,
) -> DataFusionError {
    let name = args.arg_fields.first().map(|field| Column::new_unqualified(field.name()));
    let is_column = matches!(args.args.first(), Some(ColumnarValue::Array(_)));
    let name = name.filter(|_| is_column).map_or("t".to_owned(), |it| it.quoted_flat_name());
    let own = match of {
        DataType::Timestamp(unit, _) => *unit,
        _ => TimeUnit::Second,
    };
    let digits = per_second(own).ilog10();
    let text = error.strip_backtrace();
    if text.contains("Cannot cast timezone") {
        return exec_datafusion_err!(
            "{name} has a local time that the zone leaves out or repeats, where its clocks change; write arrow_try_cast({name}, '{}'), which is null for it",
            args.return_field.data_type()
        );
    }
    let text = text.lines().next().unwrap_or_default().trim_start_matches("Execution error: ");
    let of_days = match of {
        DataType::Date32 => format!("CAST({name} AS TIMESTAMP(0)) in the place of {name}"),
        _ => format!(
            "CAST(d AS TIMESTAMP({digits})), which cuts the rest of d, in the place of each other time d, as in coalesce({name}, CAST(d AS TIMESTAMP({digits}))), and arrow_cast(d, '{}') of a span d",
            DataType::Duration(own)
        ),
    };
    exec_datafusion_err!(
        "{name} has a time that {} do not count, the unit of its expression; write {of_days} ({text})",
        plural(unit)
    )
}
