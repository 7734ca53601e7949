//! The advice for an array whose dtype is not that of other rows: the command that converts it, or the reason why there is none.

use std::path::Path;

use npy_core::dtype::Field;
use npy_core::{Cast, DType};

use crate::dtypes;
use crate::shell;
use crate::target::Target;

/// Returns the advice for an array that should have another dtype.
pub(super) fn advice(input: &Target, found: &DType, wanted: &DType) -> String {
    let names = || wanted.fields().iter().map(Field::name);
    if found.is_record()
        && let Some(name) = names().find(|name| found.field(name).is_none())
    {
        let all: Vec<&str> = names().collect();
        return format!(
            "it has no field {name:?}, and no conversion makes one: write the fields {} with the program that made it",
            all.join(", ")
        );
    }
    match (found.is_record(), wanted.is_record()) {
        (true, false) => {
            let is_such = |field: &&Field| {
                field.dtype().sub_array().is_none() && can_become(field.dtype(), wanted)
            };
            match found.fields().iter().find(is_such) {
                Some(field) => {
                    let column = format!(" -c {}", shell::word(field.name().as_bytes()));
                    format!(
                        "{} makes one of its field {:?}",
                        command(input, field.dtype(), wanted, &column),
                        field.name()
                    )
                }
                None => NONE.to_owned(),
            }
        }
        _ if can_become(found, wanted) => {
            format!("{} makes one that fits, if its values do", command(input, found, wanted, ""))
        }
        _ => NONE.to_owned(),
    }
}

const NONE: &str = "no conversion makes one of the other";

/// Returns true if `npy convert --dtype` makes an array of this dtype.
fn can_become(found: &DType, wanted: &DType) -> bool {
    let is_option = dtypes::parse(&wanted.to_string()).is_ok_and(|dtype| dtype == *wanted);
    is_option && found.converts_to(wanted, Cast::Checked).is_ok()
}

/// Returns the command that converts an array, and refuses to change its values. Its output is a new file.
fn command(input: &Target, found: &DType, wanted: &DType, options: &str) -> String {
    let stem = input.path.file_stem().filter(|_| !input.is_stdin() && !input.is_url());
    let stem = stem.map_or("array".into(), |stem| stem.to_string_lossy());
    let out = shell::new_output(Path::new(&format!("{stem}-converted.npy")));
    let dtype = shell::word(wanted.to_string().as_bytes());
    let cast =
        if found.converts_to(wanted, Cast::Lossless).is_ok() { "" } else { " --cast lossless" };
    format!("npy convert {} {out}{options} --dtype {dtype}{cast}", shell::target(input))
}
