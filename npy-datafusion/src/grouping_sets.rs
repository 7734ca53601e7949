//! `GROUP BY ROLLUP (x, y)`, `CUBE` and `GROUPING SETS`.
//!
//! A group of all `y` has a null as its `y`. If each row has the same `y`, as by `WHERE y = 1`, or one that equals `x`, DataFusion 55.2 takes that for true of the groups, too. So it
//! returns groups before they are complete: they are in the result twice, each with a part of the rows. A rule of the analyzer puts a function around each
//! key, and DataFusion does not know that it returns the key.

use std::sync::Arc;

use datafusion::arrow::datatypes::{DataType, Field, FieldRef};
use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::{Transformed, TransformedResult, TreeNode};
use datafusion::error::Result;
use datafusion::logical_expr::{
    Aggregate, ColumnarValue, Expr, LogicalPlan, ReturnFieldArgs, ScalarFunctionArgs, ScalarUDF,
    ScalarUDFImpl, Signature, TypeSignature, Volatility, lit,
};
use datafusion::optimizer::AnalyzerRule;
use datafusion::scalar::ScalarValue;

/// Returns the function around a key.
pub(crate) fn function() -> Arc<ScalarUDF> {
    let forms = vec![TypeSignature::Nullary, TypeSignature::Any(3)];
    let signature = Signature::one_of(forms, Volatility::Volatile);
    Arc::new(ScalarUDF::new_from_impl(Key { signature }))
}

/// Puts the function around the keys.
#[derive(Debug)]
pub(crate) struct HideKeys;

impl AnalyzerRule for HideKeys {
    fn analyze(&self, plan: LogicalPlan, _: &ConfigOptions) -> Result<LogicalPlan> {
        let function = function();
        let hidden = |key: Expr| {
            let (table, name) = key.qualified_name();
            // A function of constants is a constant, unless one without arguments is among them; and functions of equal keys are equal.
            let arguments = vec![key, lit(name.clone()), function.call(Vec::new())];
            Ok(Transformed::yes(function.call(arguments).alias_qualified(table, name)))
        };
        plan.transform_up_with_subqueries(|plan| {
            let LogicalPlan::Aggregate(aggregate) = plan else { return Ok(Transformed::no(plan)) };
            if !aggregate.group_expr.iter().any(|key| matches!(key, Expr::GroupingSet(_))) {
                return Ok(Transformed::no(LogicalPlan::Aggregate(aggregate)));
            }
            let Aggregate { input, group_expr, aggr_expr, .. } = aggregate;
            let keys = group_expr.into_iter().map(|key| match key {
                Expr::GroupingSet(_) => key.map_children(hidden).data(),
                _ => Ok(key),
            });
            let aggregate = Aggregate::try_new(input, keys.collect::<Result<_>>()?, aggr_expr)?;
            Ok(Transformed::yes(LogicalPlan::Aggregate(aggregate)))
        })
        .data()
    }

    fn name(&self) -> &str {
        "hide_keys"
    }
}

/// Returns its first argument.
#[derive(Debug, PartialEq, Eq, Hash)]
struct Key {
    signature: Signature,
}

impl ScalarUDFImpl for Key {
    fn name(&self) -> &str {
        "npy_key"
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, types: &[DataType]) -> Result<DataType> {
        Ok(types.first().cloned().unwrap_or(DataType::Null))
    }

    /// Returns the field of the key, with its metadata.
    fn return_field_from_args(&self, args: ReturnFieldArgs) -> Result<FieldRef> {
        let nothing = || Arc::new(Field::new(self.name(), DataType::Null, true));
        Ok(args.arg_fields.first().cloned().unwrap_or_else(nothing))
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let key = args.args.into_iter().next();
        Ok(key.unwrap_or(ColumnarValue::Scalar(ScalarValue::Null)))
    }
}
