//! The names and titles of a record's fields, which must differ.

use std::collections::HashSet;

use super::Field;
use super::excerpt::excerpt;
use crate::literal::text::Text;

/// Returns the index of a field whose name or title another field before it, or the field itself, has too, and this text.
pub(super) fn repeated(fields: &[Field]) -> Option<(usize, &Text)> {
    let mut seen = HashSet::with_capacity(fields.len());
    fields.iter().enumerate().find_map(|(i, field)| {
        let mut keys = [Some(&field.name), title_key(field)].into_iter().flatten();
        Some((i, keys.find(|key| !seen.insert(*key))?))
    })
}

/// Returns the message for a name that is used twice.
pub(super) fn used_twice(name: &Text) -> String {
    format!(
        "the name or title \"{}\" is used twice; rename one of the fields",
        excerpt(name.as_str())
    )
}

/// Returns the title of a field, if it is a string. Such a title must differ from all names and other titles.
fn title_key(field: &Field) -> Option<&Text> {
    field.title.as_deref().filter(|title| title.is_string())
}
