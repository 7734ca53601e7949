//! The error for a field that the file lacks: it lists the fields that are there, and names the one that was probably meant.

use crate::checked;
use crate::dtype::{DType, Field, Part};
use crate::error::{Error, ErrorKind};
use crate::limits::to_u64;

/// Returns the error for a field of a Rust struct that the file lacks. `is_free` is true for fields of the file that no other field of the
/// struct matches.
pub(crate) fn missing(name: &str, fields: &[Field], is_free: impl Fn(&Field) -> bool) -> Error {
    let owned = |field: &Field| field.name().to_owned();
    let names: Vec<String> = fields.iter().map(owned).collect();
    let free: Vec<String> = fields.iter().filter(|field| is_free(field)).map(owned).collect();
    let meant = titled(name, fields).or_else(|| nearest(name, &free));
    let meant = meant.map_or("…".to_owned(), |name| name.escape_debug().to_string());
    error(name, &names, "the program", rename_or_default(&meant))
}

/// Returns the name of the field with this title.
fn titled<'f>(title: &str, fields: &'f [Field]) -> Option<&'f str> {
    fields.iter().find(|field| field.title() == Some(title)).map(Field::name)
}

/// Returns the advice for a field of a Rust struct that the file lacks; `meant` is the name of the field in the file.
pub(crate) fn rename_or_default(meant: &str) -> String {
    format!(
        "give the Rust field the name from the file with #[npy(rename = \"{meant}\")], or make it optional with #[npy(default)]"
    )
}

/// Returns the part of a record at a path.
///
/// # Errors
///
/// [`ErrorKind::MissingField`] if there is none.
pub(crate) fn part_at<'d>(record: &'d DType, path: &str) -> Result<Part<'d>, Error> {
    record.part(path).ok_or_else(|| missing_part(path, record))
}

/// Returns the error for a path that leads to no part of a record.
fn missing_part(path: &str, record: &DType) -> Error {
    let mut paths = Vec::new();
    collect(record.fields(), "", &mut paths);
    let remedy = match titled(path, record.fields()).or_else(|| nearest(path, &paths)) {
        _ if let Some(elements) = elements_before(path, record) => elements,
        Some(meant) => format!("did you mean {meant:?}?"),
        None if paths.is_empty() => {
            format!("its elements are {}: read them without a path", record.excerpt())
        }
        None => "use one of these paths".into(),
    };
    error(path, &paths, "the call", remedy)
}

/// Returns the elements of the sub-array that the beginning of a path leads to, if an index follows that it does not have.
fn elements_before(path: &str, record: &DType) -> Option<String> {
    let ends = path.char_indices().filter(|(_, char)| matches!(char, '.' | '['));
    // The number of parts that are looked up is limited, as a path of a program may be long.
    ends.rev().take(MAX_PATHS).find_map(|(end, _)| {
        let (name, index) = path.split_at_checked(end)?;
        let digits = index.get(1..)?.split(['.', '[', ']']).next()?;
        let is_bracketed = index.starts_with('[');
        let index: Option<u64> = digits.parse().ok();
        let part = record.part(name)?;
        let (name, shape) = (part.path(), part.shape());
        let is_there = index.is_some_and(|index| index < shape.first().map_or(0, |&n| to_u64(n)));
        if is_there || shape.is_empty() || (index.is_none() && !is_bracketed) {
            return None;
        }
        let last: Option<String> =
            shape.iter().map(|n| Some(format!("[{}]", n.checked_sub(1)?))).collect();
        Some(match last {
            None => format!("{name:?} has no elements"),
            Some(last) => {
                format!("the elements of {name:?} are {} to {last}", "[0]".repeat(shape.len()))
            }
        })
    })
}

fn error(name: &str, found: &[String], wanted_by: &str, remedy: String) -> Error {
    const SHOWN: usize = 12;
    let mut list: Vec<String> = found.iter().take(SHOWN).map(|name| format!("{name:?}")).collect();
    if let Some(more @ 1..) = found.len().checked_sub(SHOWN) {
        list.push(format!("and {more} more"));
    }
    let (name, wanted_by, fields) = (name.into(), wanted_by.into(), list.join(", "));
    ErrorKind::MissingField { name, wanted_by, fields, remedy }.into()
}

/// The largest number of paths that are collected, and the length in bytes from which a path is not followed into nested records. A small
/// header may have many long paths.
const MAX_PATHS: usize = 1000;
const MAX_PATH_BYTES: usize = 200;

/// Collects the paths to all fields. A nested record is replaced by the paths to its fields: `"head.gain"`, `"axes[0].gain"`.
fn collect(fields: &[Field], outer: &str, paths: &mut Vec<String>) {
    for field in fields {
        if paths.len() == MAX_PATHS {
            return;
        }
        let path = format!("{outer}{}", field.name());
        let (inner, index) = match field.dtype().sub_array() {
            Some((base, shape)) => (base.fields(), "[0]".repeat(shape.len())),
            None => (field.dtype().fields(), String::new()),
        };
        if inner.is_empty() || path.len() > MAX_PATH_BYTES {
            paths.push(path);
        } else {
            collect(inner, &format!("{path}{index}."), paths);
        }
    }
}

/// Returns the name that was probably meant: a path that ends with this name, the same name in another case, or one with few different
/// letters.
fn nearest<'n>(name: &str, names: &'n [String]) -> Option<&'n str> {
    let ends_so = |other: &&String| {
        let before = other.strip_suffix(name);
        before.is_some_and(|before| before.ends_with('.'))
    };
    // The time for a distance grows with the product of both lengths.
    const MAX_NAME_BYTES: usize = 64;
    let names = names.iter().take(MAX_PATHS).filter(|other| other.len() <= MAX_NAME_BYTES);
    if name.is_empty() || name.len() > MAX_NAME_BYTES {
        return None;
    }
    if let Some(path) = names.clone().find(ends_so) {
        return Some(path);
    }
    let lower = name.to_ascii_lowercase();
    let distances = names.map(|other| (edits(&lower, &other.to_ascii_lowercase()), other));
    let (edits, nearest) = distances.min_by_key(|(edits, _)| *edits)?;
    // A third of the letters may differ: two in "station".
    (edits.saturating_mul(3) <= name.chars().count()).then_some(nearest)
}

/// Returns the edit distance of two words: the number of letters to change, add or remove.
fn edits(a: &str, b: &str) -> usize {
    let mut row: Vec<usize> = (0..=b.chars().count()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut diagonal = i;
        let mut left = checked::add(i, 1);
        let mut next = vec![left];
        for (y, &up) in b.chars().zip(row.iter().skip(1)) {
            let changed = checked::add(diagonal, usize::from(x != y));
            left = changed.min(checked::add(left, 1)).min(checked::add(up, 1));
            next.push(left);
            diagonal = up;
        }
        row = next;
    }
    row.last().copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_part_names_the_nearest_path_and_lists_nested_fields() {
        let descr = "[(('The time', 'id'), '<u4'), ('head', [('t0', '<i8'), ('gain', '<f4')]), ('axes', [('x', '<f4')], (2,))]";
        let dtype: DType = descr.parse().unwrap();
        let paths = "its fields are \"id\", \"head.t0\", \"head.gain\", \"axes[0].x\"";
        for (path, remedy) in [
            ("gain", "did you mean \"head.gain\"?"),
            ("head.gian", "did you mean \"head.gain\"?"),
            ("ID", "did you mean \"id\"?"),
            ("axes.2.x", "the elements of \"axes\" are [0] to [1]"),
            ("axes[2]", "the elements of \"axes\" are [0] to [1]"),
            ("axes[1].y", "did you mean \"axes[0].x\"?"),
            ("station", "use one of these paths"),
            ("The time", "did you mean \"id\"?"),
        ] {
            let message = missing_part(path, &dtype).to_string();
            assert!(message.ends_with(&format!("{paths}; {remedy}")), "{message}");
        }
        let message = missing_part("gain", &"<i8".parse().unwrap()).to_string();
        assert_eq!(
            message,
            "the file has no field \"gain\", which the call expects; it has no fields; its elements are '<i8': read them without a path"
        );
    }

    #[test]
    fn a_missing_field_of_a_struct_names_the_attribute_that_renames() {
        let dtype: DType = "[(('Code', 'Station'), '<u4'), ('gain', '<f4')]".parse().unwrap();
        let error = missing("Code", dtype.fields(), |_| true).to_string();
        assert!(error.contains("#[npy(rename = \"Station\")]"), "{error}");
        let error = missing("station", dtype.fields(), |_| true).to_string();
        assert!(error.contains("#[npy(rename = \"Station\")]"), "{error}");
        let error = missing("time", dtype.fields(), |_| true).to_string();
        assert!(error.contains("#[npy(rename = \"…\")]"), "{error}");
        // Another field of the struct has it.
        let error = missing("station", dtype.fields(), |field| field.name() != "Station");
        assert!(error.to_string().contains("#[npy(rename = \"…\")]"), "{error}");
    }

    #[test]
    fn the_paths_of_a_hostile_dtype_are_bounded() {
        let deep = (0..60).fold("'|u1'".to_owned(), |inner, i| {
            let name = "n".repeat(1000);
            format!("[('{name}{i}', {inner}), ('m{i}', '|u1')]")
        });
        let dtype: DType = deep.parse().unwrap();
        let message = missing_part("z", &dtype).to_string();
        assert!(message.len() < 20_000, "{}", message.len());
    }
}
