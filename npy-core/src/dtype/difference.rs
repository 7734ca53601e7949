//! The differences of two dtypes, for messages: they may be too long to compare by eye.

use super::DType;
use super::descr::excerpt;

/// A comparison of two dtypes, that of a file and that of a Rust type.
struct Differences<'n> {
    name: &'n str,
    in_place: bool,
    found: Vec<String>,
}

/// Returns the differences of two dtypes, as texts for a message. `name` is the type that `wanted` belongs to. If `in_place`, fields must also
/// have the same positions.
pub(crate) fn differences(
    found: &DType,
    wanted: &DType,
    name: &str,
    in_place: bool,
) -> Vec<String> {
    let mut differences = Differences { name, in_place, found: Vec::new() };
    differences.compare(found, wanted, "");
    differences.found
}

impl Differences<'_> {
    /// `path` is that of the field that has these dtypes; empty outside. The recursion is as deep as the dtypes, whose nesting is limited.
    fn compare(&mut self, found: &DType, wanted: &DType, path: &str) {
        let name = self.name;
        let what = if path.is_empty() { "an item".to_owned() } else { quoted(path) };
        if !(found.is_record() && wanted.is_record()) {
            if let (Some((found, shape)), Some((wanted, wanted_shape))) =
                (found.sub_array(), wanted.sub_array())
                && shape == wanted_shape
            {
                return self.compare(found, wanted, path);
            }
            if found != wanted {
                let (found, wanted) = (found.excerpt(), wanted.excerpt());
                self.found.push(format!("{what} is {found}, and {wanted} in {name}"));
            }
            return;
        }
        let inner = |field: &str| match path {
            "" => field.to_owned(),
            path => format!("{path}.{field}"),
        };
        for (i, field) in found.fields().iter().enumerate() {
            let path = inner(field.name());
            let Some(other) = wanted.field(field.name()) else {
                self.found.push(format!("{} is only in the file", quoted(&path)));
                continue;
            };
            let (at, other_at) = (field.offset(), other.offset());
            if self.in_place && wanted.fields().get(i) != Some(other) {
                let what = quoted(&path);
                self.found.push(format!("{what} has another position among the fields"));
            } else if self.in_place && at != other_at {
                let what = quoted(&path);
                self.found.push(format!("{what} is at byte {at}, and at {other_at} in {name}"));
            }
            self.compare(field.dtype(), other.dtype(), &path);
        }
        for field in wanted.fields().iter().filter(|field| found.field(field.name()).is_none()) {
            self.found.push(format!("{} is only in {name}", quoted(&inner(field.name()))));
        }
        let (size, other_size) = (found.itemsize(), wanted.itemsize());
        if self.in_place && size != other_size {
            self.found.push(format!("{what} has {size} bytes, and {other_size} in {name}"));
        }
    }
}

fn quoted(path: &str) -> String {
    format!("field \"{}\"", excerpt(path))
}

#[cfg(test)]
mod tests {
    use super::*;

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
                Some("an item has 36 bytes, and 23 in T"),
            ),
            (
                "[('a', '|u1'), ('p', [('x', '<f8'), ('y', '<f8')]), ('s', '<u2', (4,))]",
                Some("field \"s\" is ('<u2', (4,)), and ('<u2', (3,)) in T"),
            ),
        ];
        let wanted = wanted.parse().unwrap();
        for (found, expected) in cases {
            let all = differences(&found.parse().unwrap(), &wanted, "T", true);
            assert_eq!(all.first().map(String::as_str), expected, "{found}");
        }
    }

    #[test]
    fn differences_are_listed_by_path() {
        let dtype = |text: &str| text.parse::<DType>().unwrap();
        let found =
            dtype("[('a', '<f8'), ('h', [('x', '<i4', (2,)), ('y', '<i4')], (3,)), ('z', '|u1')]");
        let wanted = dtype("[('h', [('x', '<i4', (3,)), ('w', '<i4')], (3,)), ('a', '<f4')]");
        let expected = [
            "field \"a\" is '<f8', and '<f4' in Trace",
            "field \"h.x\" is ('<i4', (2,)), and ('<i4', (3,)) in Trace",
            "field \"h.y\" is only in the file",
            "field \"h.w\" is only in Trace",
            "field \"z\" is only in the file",
        ];
        assert_eq!(differences(&found, &wanted, "Trace", false), expected);
    }
}
