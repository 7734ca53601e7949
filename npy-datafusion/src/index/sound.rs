//! The conditions that bounds can exclude.
//!
//! DataFusion 55.2 takes each conversion of numbers and times for one that keeps the order of values. `CAST(i AS BOOLEAN) = false` would exclude a block from -1 to 1, which
//! has a 0, and `CAST(t AS TIME)` days that begin late and end early. So only conditions of known parts are asked about.

use std::sync::Arc;

use datafusion::arrow::datatypes::{DataType, Schema, TimeUnit};
use datafusion::common::tree_node::{TreeNode, TreeNodeRecursion};
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_expr::expressions::{
    BinaryExpr, CastExpr, Column, InListExpr, IsNotNullExpr, IsNullExpr, LikeExpr, Literal,
    NotExpr, TryCastExpr,
};

/// Returns true if a block whose bounds do not meet the condition has no row that does.
pub(super) fn is_sound(condition: &Arc<dyn PhysicalExpr>, schema: &Schema) -> bool {
    let mut is_sound = true;
    let visited = condition.apply(|part| {
        is_sound &= is_known(part, schema);
        Ok(if is_sound { TreeNodeRecursion::Continue } else { TreeNodeRecursion::Stop })
    });
    visited.is_ok() && is_sound
}

fn is_known(part: &Arc<dyn PhysicalExpr>, schema: &Schema) -> bool {
    let converts = |from: &Arc<dyn PhysicalExpr>, to: &DataType| {
        from.data_type(schema).is_ok_and(|from| keeps_order(&from, to))
    };
    if let Some(cast) = part.downcast_ref::<CastExpr>() {
        return converts(cast.expr(), cast.cast_type());
    }
    if let Some(cast) = part.downcast_ref::<TryCastExpr>() {
        return converts(cast.expr(), cast.cast_type());
    }
    if let Some(list) = part.downcast_ref::<InListExpr>() {
        // The bounds of a block of -0.0 are those of 0.0, and `NOT IN` tells them apart.
        let is_float = list.expr().data_type(schema).is_ok_and(|it| it.is_floating());
        return !(list.negated() && is_float);
    }
    part.is::<Column>()
        || part.is::<Literal>()
        || part.is::<BinaryExpr>()
        || part.is::<IsNullExpr>()
        || part.is::<IsNotNullExpr>()
        || part.is::<NotExpr>()
        || part.is::<LikeExpr>()
}

/// Returns true if a value that is not less than another one is not less either after both were converted, or is an error.
fn keeps_order(from: &DataType, to: &DataType) -> bool {
    use DataType::{Boolean, Date32, Int64, Timestamp, Utf8, Utf8View};
    let is_number = |it: &DataType| it.is_integer() || it.is_floating() || it.is_decimal();
    match (from, to) {
        // Local times go back once a year.
        (Timestamp(_, None), Timestamp(_, None) | Int64 | Date32) => true,
        // The nanoseconds of far days are more than 64 bits.
        (Date32, Timestamp(TimeUnit::Second | TimeUnit::Millisecond, None)) => true,
        (Boolean, to) => is_number(to),
        (Utf8 | Utf8View, Utf8 | Utf8View) => true,
        (from, to) => from == to || (is_number(from) && is_number(to)),
    }
}
