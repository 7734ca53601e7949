//! The names and titles of a record's fields, which must differ.

use super::Field;
use super::excerpt::excerpt;
use crate::checked;
use crate::literal::text::Text;

/// Returns the index of a field whose name or title another field before it, or the field itself, has too, and this text.
pub(super) fn repeated(fields: &[Field]) -> Option<(usize, &Text)> {
    // Names and titles have numbers: for a name, twice the index of its field; for a title, one more.
    let name = |number: usize| {
        let field = fields.get(number / 2)?;
        if number.is_multiple_of(2) { Some(&field.name) } else { title_key(field) }
    };
    let mut order = Vec::with_capacity(fields.len());
    for (i, field) in fields.iter().enumerate() {
        let number = checked::mul(i, 2);
        order.push((hash(&field.name), number));
        order.extend(title_key(field).map(|title| (hash(title), checked::add(number, 1))));
    }
    // Hashes are faster to compare than names, and the hashes of different names nearly always differ.
    order.sort_unstable_by(|(hash, a), (other, b)| {
        hash.cmp(other).then_with(|| name(*a).cmp(&name(*b))).then(a.cmp(b))
    });
    order.windows(2).find_map(|pair| match pair {
        [(hash, first), (other, second)] if hash == other && name(*first) == name(*second) => {
            Some((second / 2, name(*second)?))
        }
        _ => None,
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

/// Returns the FNV-1a hash of a name.
fn hash(key: &Text) -> u64 {
    key.as_str()
        .bytes()
        .fold(0, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3))
}
