//! Python in messages, for what the command does not do itself.

use npy_core::{DType, Reader, npz};

use crate::output::is_unsafe;
use crate::target::Target;

/// Returns the expression that loads an array, by the name that messages have for it: `np.load('x.npz')['m'][:5]`. What NumPy does not load has a
/// placeholder.
pub(crate) fn load(name: &str) -> String {
    let loaded = Target::parse(name.as_ref()).ok().and_then(|target| load_target(&target));
    loaded.unwrap_or_else(|| "np.load('IN.npy')".to_owned())
}

/// Returns the expression that loads an array; `None` if NumPy does not load it.
fn load_target(target: &Target) -> Option<String> {
    if target.raw.is_some() {
        return None;
    }
    let path = literal(&target.path_text());
    let member = match npz::Reader::open(&target.path) {
        Ok(archive) => match &target.member {
            Some(member) => Some(member.clone()),
            // Of more members, none is meant.
            None => {
                let only = archive.names().next().filter(|_| archive.len() == 1)?;
                Some(only.to_owned())
            }
        },
        Err(_) if Reader::open(&target.path).is_err() => return None,
        Err(_) => None,
    };
    let slice = Target { member: None, ..target.clone() }.to_string();
    let slice = slice.strip_prefix(&target.path_text()).unwrap_or_default();
    Some(format!("np.load({path}){}{slice}", member.as_deref().map_or(String::new(), index)))
}

/// Returns the index of a field, or of a member: `['a']`.
pub(crate) fn index(name: &str) -> String {
    format!("[{}]", literal(name))
}

/// Returns the indices of a field in others: `['hdr']['t0']`.
pub(crate) fn all_indices(names: &[&str]) -> String {
    names.iter().map(|name| index(name)).collect()
}

/// Returns the indices of the field that a column is, or is a part of: `['hdr']['t0']` for `hdr.t0`.
pub(crate) fn indices(dtype: &DType, column: &str) -> String {
    let fields = dtype.flat().0.fields().iter();
    let mut found = fields.filter_map(|field| {
        let rest = column.strip_prefix(field.name())?;
        let is_complete = rest.is_empty() || rest.starts_with(['.', '[']);
        // An index in a sub-array has a point or brackets.
        let is_index = |c: char| c.is_ascii_digit() || matches!(c, '.' | '[' | ']');
        let rest = match field.dtype().sub_array() {
            Some(_) => rest.trim_start_matches(is_index),
            None => rest.strip_prefix('.').unwrap_or(rest),
        };
        is_complete.then(|| index(field.name()) + &indices(field.dtype(), rest))
    });
    found.next().unwrap_or_default()
}

/// Returns a string of Python.
fn literal(text: &str) -> String {
    let mut literal = String::from("'");
    for c in text.chars() {
        match c {
            '\'' | '\\' => literal.extend(['\\', c]),
            c if is_unsafe(c) => literal += &format!("\\U{:08x}", u32::from(c)),
            c => literal.push(c),
        }
    }
    literal + "'"
}
