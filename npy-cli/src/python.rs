//! Python in messages, for what the command does not do itself.

use npy_core::{DType, Reader, npz};

use crate::output::is_unsafe;
use crate::target::Target;

/// Returns the expression that loads an array, by the name that messages have for it: `np.load('x.npz')['m'][:5]`. What NumPy does not load has a
/// placeholder.
pub(crate) fn load(name: &str) -> String {
    const PLACEHOLDER: &str = "np.load('IN.npy')";
    let Ok(target) = Target::parse(name.as_ref()) else { return PLACEHOLDER.to_owned() };
    let path = literal(&target.path_text());
    let member = match npz::Reader::open(&target.path) {
        Ok(archive) => target.member.clone().or_else(|| Some(archive.names().next()?.to_owned())),
        Err(_) if Reader::open(&target.path).is_err() => return PLACEHOLDER.to_owned(),
        Err(_) => None,
    };
    let slice = Target { member: None, ..target.clone() }.to_string();
    let slice = slice.strip_prefix(&target.path_text()).unwrap_or_default();
    format!("np.load({path}){}{slice}", member.as_deref().map_or(String::new(), index))
}

/// Returns the index of a field, or of a member: `['a']`.
pub(crate) fn index(name: &str) -> String {
    format!("[{}]", literal(name))
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
