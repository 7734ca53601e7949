//! Windows whose values depend on the order of rows that have none.
//!
//! `OVER (PARTITION BY s)` divides the rows between the threads, and sorts each part by `s`, so that the rows of one file lose its order. `lag(x)`, `first_value(x)` and
//! a frame of `ROWS` would then have other values in each query. `row_number()` and `ntile(n)` still number the rows of each part.

use datafusion::common::plan_err;
use datafusion::datasource::source_as_provider;
use datafusion::error::Result;
use datafusion::logical_expr::expr::WindowFunction;
use datafusion::logical_expr::{LogicalPlan, WindowFrameUnits};

use crate::table::NpyTable;
use crate::virtual_columns::is_virtual;

/// Functions of other rows than the one that they are computed for, by their order.
const OF_OTHER_ROWS: [&str; 7] =
    ["lag", "lead", "first_value", "last_value", "nth_value", "array_agg", "string_agg"];

/// Refuses such a window. `inputs`: those of the step of the plan that has it.
pub(crate) fn check_window(call: &WindowFunction, inputs: &[&LogicalPlan]) -> Result<()> {
    let (parts, frame) = (&call.params.partition_by, &call.params.window_frame);
    if parts.is_empty() || !call.params.order_by.is_empty() {
        return Ok(());
    }
    let name = call.fun.name();
    let is_whole = frame.start_bound.is_unbounded() && frame.end_bound.is_unbounded();
    let what = if OF_OTHER_ROWS.contains(&name) {
        name
    } else if frame.units == WindowFrameUnits::Rows && !is_whole {
        "a frame of ROWS"
    } else {
        return Ok(());
    };
    let (order, of_file) = match inputs.iter().all(|input| has_row_numbers(input)) {
        true => ("_row", "the order of the file; _file, _row is that of several files"),
        false => ("x", "if x is the column of their order"),
    };
    // With ORDER BY, a frame that is not written would end at its row.
    plan_err!(
        "{what} depends on the order of rows, and PARTITION BY without ORDER BY has none; write ORDER BY {order} {frame} after it, {of_file}"
    )
}

/// Returns true for the rows of files, whose columns `_file` and `_row` a statement can name.
fn has_row_numbers(plan: &LogicalPlan) -> bool {
    if plan.schema().fields().iter().any(|field| is_virtual(field)) {
        return true;
    }
    match plan {
        LogicalPlan::TableScan(scan) => source_as_provider(&scan.source)
            .is_ok_and(|table| table.downcast_ref::<NpyTable>().is_some()),
        LogicalPlan::SubqueryAlias(alias) => has_row_numbers(&alias.input),
        LogicalPlan::Filter(filter) => has_row_numbers(&filter.input),
        LogicalPlan::Window(window) => has_row_numbers(&window.input),
        _ => false,
    }
}
