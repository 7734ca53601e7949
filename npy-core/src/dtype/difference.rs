//! The first difference of two dtypes that are too long to compare by eye.

use super::DType;
use super::descr::excerpt;

/// Returns the first place where the bytes of two dtypes differ, as text for a message. `name` is the type that `wanted` belongs to.
pub(crate) fn first_difference(found: &DType, wanted: &DType, name: &str) -> Option<String> {
    difference(found, wanted, "", name)
}

/// `path` is that of the field that has these dtypes; empty outside. The recursion is as deep as the dtypes, whose nesting is limited.
fn difference(found: &DType, wanted: &DType, path: &str, name: &str) -> Option<String> {
    let quoted = |path: &str| format!("field \"{}\"", excerpt(path));
    if !(found.is_record() && wanted.is_record()) {
        if let (Some((found, shape)), Some((wanted, wanted_shape))) =
            (found.sub_array(), wanted.sub_array())
            && shape == wanted_shape
        {
            return difference(found, wanted, path, name);
        }
        let dtypes = || (excerpt(&found.descr()), excerpt(&wanted.descr()));
        return (found != wanted).then(|| {
            let (found, wanted) = dtypes();
            format!("{} is {found}, and {wanted} in {name}", quoted(path))
        });
    }
    let inner = |field: &str| match path {
        "" => field.to_owned(),
        path => format!("{path}.{field}"),
    };
    let mut wanted_fields = wanted.fields().iter();
    for field in found.fields() {
        let path = inner(field.name());
        let Some(other) = wanted.field(field.name()) else {
            return Some(format!("{} is only in the file", quoted(&path)));
        };
        if wanted_fields.next().is_some_and(|next| next.name() != field.name()) {
            return Some(format!("{} has another position among the fields", quoted(&path)));
        }
        let (at, other_at) = (field.offset(), other.offset());
        if at != other_at {
            return Some(format!("{} is at byte {at}, and at {other_at} in {name}", quoted(&path)));
        }
        if let Some(difference) = difference(field.dtype(), other.dtype(), &path, name) {
            return Some(difference);
        }
    }
    if let Some(field) = wanted_fields.next() {
        return Some(format!("{} is only in {name}", quoted(&inner(field.name()))));
    }
    let (size, other_size) = (found.itemsize(), wanted.itemsize());
    let what = if path.is_empty() { "a record".to_owned() } else { quoted(path) };
    (size != other_size).then(|| format!("{what} has {size} bytes, and {other_size} in {name}"))
}

#[cfg(test)]
mod tests {
    use super::first_difference;

    #[test]
    fn the_first_difference_is_named() {
        let wanted = "[('a', '|u1'), ('p', [('x', '<f8'), ('y', '<f8')]), ('s', '<u2', (3,))]";
        let cases = [
            (wanted, None),
            (
                "[('a', '|u1'), ('p', [('x', '<f8'), ('y', '>f8')]), ('s', '<u2', (3,))]",
                Some("field \"p.y\" is '>f8', and '<f8' in T"),
            ),
            (
                "[('a', '|u1'), ('p', [('y', '<f8'), ('x', '<f8')]), ('s', '<u2', (3,))]",
                Some("field \"p.y\" has another position among the fields"),
            ),
            (
                "[('a', '|u1'), ('', '|V7'), ('p', [('x', '<f8'), ('y', '<f8')]), ('s', '<u2', (3,))]",
                Some("field \"p\" is at byte 8, and at 1 in T"),
            ),
            (
                "[('a', '|u1'), ('p', [('x', '<f8'), ('y', '<f8')]), ('s', '<u2', (3,)), ('u', '<U4')]",
                Some("field \"u\" is only in the file"),
            ),
            (
                "[('a', '|u1'), ('p', [('x', '<f8'), ('y', '<f8')])]",
                Some("field \"s\" is only in T"),
            ),
            (
                "[('a', '|u1'), ('p', [('x', '<f8'), ('y', '<f8')]), ('s', '<u2', (3,)), ('', '|V13')]",
                Some("a record has 36 bytes, and 23 in T"),
            ),
            (
                "[('a', '|u1'), ('p', [('x', '<f8'), ('y', '<f8')]), ('s', '<u2', (4,))]",
                Some("field \"s\" is ('<u2', (4,)), and ('<u2', (3,)) in T"),
            ),
        ];
        let wanted = wanted.parse().unwrap();
        for (found, expected) in cases {
            let difference = first_difference(&found.parse().unwrap(), &wanted, "T");
            assert_eq!(difference.as_deref(), expected, "{found}");
        }
    }
}
