//! Options of SQL: `OPTIONS (text_from_bytes true)`.

use std::collections::HashMap;

use datafusion::common::plan_datafusion_err;
use datafusion::error::Result;
use npy_arrow::Options;

use crate::index::IndexMode;

/// The names of the options, which are those of [`Options`].
const NAMES: [&str; 5] =
    ["text_from_bytes", "complex_as_struct", "long_double_as_f64", "bfloat16", "fill_nulls"];

/// Returns the options with those changed that a statement names. DataFusion puts `format.` before each name.
pub(crate) fn parse(
    defaults: &Options,
    index: IndexMode,
    statement: &HashMap<String, String>,
) -> Result<(Options, IndexMode)> {
    let (mut options, mut index) = (defaults.clone(), index);
    for (key, value) in statement {
        let Some(name) = key.strip_prefix("format.") else { continue };
        if name == "index" {
            index = value.parse()?;
            continue;
        }
        let on = value.to_ascii_lowercase().parse().map_err(|_| {
            plan_datafusion_err!("the option {name} is {value:?}; it is true or false")
        })?;
        if !NAMES.contains(&name) || !options.set(name, on) {
            let names = NAMES.join(", ");
            return Err(plan_datafusion_err!(
                "there is no option {name} for .npy files; there are index, {names}"
            ));
        }
    }
    Ok((options, index))
}
