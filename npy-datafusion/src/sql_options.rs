//! Options of SQL: `OPTIONS (text_from_bytes true)`.

use datafusion::common::{plan_datafusion_err, plan_err};
use datafusion::datasource::file_format::FileFormat;
use datafusion::error::Result;
use npy_arrow::Options;

use crate::format::NpyFormat;
use crate::groups::Layout;
use crate::index::IndexMode;
use crate::raw;

/// The names of the options of [`Options`](npy_arrow::Options).
const NAMES: [&str; 5] =
    ["text_from_bytes", "complex_as_struct", "long_double_as_f64", "bfloat16", "fill_nulls"];

/// Returns the format with the options that a statement names.
pub(crate) fn parse<'o>(
    defaults: &NpyFormat,
    statement: impl IntoIterator<Item = (&'o str, &'o str)>,
) -> Result<NpyFormat> {
    let mut format = defaults.clone();
    for (name, value) in statement {
        match name {
            "index" => format = format.with_index(value.parse()?),
            "layout" => format = format.with_layout(value.parse()?),
            "beside" => format = format.with_beside(value),
            "raw" => format = format.with_raw(raw::parse(value)?),
            "void" => set_void(&mut format, value)?,
            "sorted_by" => format = format.with_sorted_by(value),
            "compression" => {
                return plan_err!(
                    "the option compression is {value:?}, and what COPY writes is not compressed; {}",
                    match format.is_archive() {
                        true => "leave it out, and run npy convert x.npz y.npz --compress",
                        false =>
                            "leave it out, or write an archive, and run npy convert x.npz y.npz --compress",
                    }
                );
            }
            _ if !NAMES.contains(&name) => {
                let (kind, names) = (format.get_ext(), NAMES.join(", "));
                return plan_err!(
                    "there is no option {name} for .{kind} files; there are index, layout, sorted_by, beside, raw, void, {names}"
                );
            }
            _ => {
                let on = value.to_ascii_lowercase().parse().map_err(|_| {
                    plan_datafusion_err!("the option {name} is {value:?}; it is true or false")
                })?;
                let is_set = format.options_mut().set(name, on);
                debug_assert!(is_set, "{name} is in NAMES, whose options Arrow's have");
            }
        }
    }
    if format.raw().is_some()
        && (format.is_archive()
            || format.layout() == Layout::Columns
            || format.sorted_by().is_some()
            || matches!(format.index(), IndexMode::Frozen | IndexMode::Update))
    {
        return plan_err!(
            "files without a header are neither archives nor columns, and have no index and no known order; create the table without the option 'raw', or without the others"
        );
    }
    if format.layout() == Layout::Columns {
        if format.is_archive() {
            return plan_err!(
                "the columns of an archive are its members; create the table without the layout 'columns', or STORED AS NPY"
            );
        }
        if format.index() == IndexMode::Frozen {
            return plan_err!(
                "an index has no folders of columns; create the table without ('index' 'frozen')"
            );
        }
    }
    Ok(format)
}

/// Says which numbers of ml_dtypes raw bytes (`V2`, `V1`) are: names with commas between them.
fn set_void(format: &mut NpyFormat, names: &str) -> Result<()> {
    let names_of_bytes = || names.split(',').map(str::trim).filter(|name| *name != "bfloat16");
    if let (Some(one), Some(other)) = (names_of_bytes().next(), names_of_bytes().nth(1)) {
        return plan_err!(
            "the option void is {names:?}, and {one} and {other} both have one byte; create a table for each"
        );
    }
    for name in names.split(',').map(str::trim) {
        let is_known = Options::of_raw_bytes().any(|other| other == name);
        if !is_known || !format.options_mut().set(name, true) {
            let all: Vec<&str> = Options::of_raw_bytes().collect();
            return plan_err!(
                "the option void is {names:?}, and ml_dtypes has no numbers {name:?}; choose from {}",
                all.join(", ")
            );
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Guards the names here: an option that is unknown where it is set would be ignored.
    #[test]
    fn each_name_sets_an_option() {
        for name in NAMES {
            let format = parse(&NpyFormat::default(), [(name, "TRUE")]).unwrap();
            assert!(format.options().names().eq([name]), "{name}");
        }
    }
}
