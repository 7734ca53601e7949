//! Dtypes as users write them: `f4`, `int`, `U`, or as in headers.

use npy_core::DType;
use npy_core::dtype::{Field, ScalarKind};

use crate::text::json_string;

/// Parses a dtype as headers have it, or without the byte order: `f4`.
pub(crate) fn parse(text: &str) -> npy_core::Result<DType> {
    let text = if text == "int" { "i8" } else { text };
    text.parse().or_else(|error| format!("<{text}").parse().map_err(|_| error))
}

/// Gives texts without a width (`U`, `S`, `V`) the width that they have in the array, as NumPy's `astype` does.
pub(crate) fn with_widths(wanted: DType, found: &DType) -> DType {
    match has_open_width(&wanted) {
        true => literal(&wanted, Some(found)).parse().unwrap_or(wanted),
        false => wanted,
    }
}

fn has_open_width(dtype: &DType) -> bool {
    match (dtype.scalar(), dtype.sub_array()) {
        (Some(scalar), _) => scalar.itemsize() == 0,
        (None, Some((base, _))) => has_open_width(base),
        (None, None) => dtype.fields().iter().any(|field| has_open_width(field.dtype())),
    }
}

/// Returns the literal of a dtype that is no sub-array.
fn literal(wanted: &DType, found: Option<&DType>) -> String {
    let Some(scalar) = wanted.scalar() else {
        let fields = wanted.fields().iter().map(|field| {
            let name = match field.title() {
                Some(title) => format!("({}, {})", quoted(title), quoted(field.name())),
                None => quoted(field.name()),
            };
            let found = found.and_then(|found| found.field(field.name())).map(Field::dtype);
            let Some((base, shape)) = field.dtype().sub_array() else {
                return format!("({name}, {})", literal(field.dtype(), found));
            };
            let found = found.and_then(DType::sub_array).map(|(base, _)| base);
            let shape: String = shape.iter().map(|length| format!("{length}, ")).collect();
            format!("({name}, {}, ({shape}))", literal(base, found))
        });
        return format!("[{}]", fields.collect::<Vec<_>>().join(", "));
    };
    let is_text = |kind| matches!(kind, ScalarKind::Str | ScalarKind::Bytes | ScalarKind::Void);
    let width =
        found.and_then(DType::scalar).filter(|found| is_text(found.kind())).map(
            |found| match found.kind() {
                ScalarKind::Str => found.itemsize() / 4,
                _ => found.itemsize(),
            },
        );
    match (scalar.itemsize(), scalar.kind(), width) {
        (0, ScalarKind::Str, Some(width)) => format!("'<U{width}'"),
        (0, ScalarKind::Bytes, Some(width)) => format!("'|S{width}'"),
        (0, ScalarKind::Void, Some(width)) => format!("'|V{width}'"),
        _ => format!("'{wanted}'"),
    }
}

/// Returns a text as a literal of Python.
pub(crate) fn quoted(text: &str) -> String {
    let mut out = Vec::new();
    json_string(text, &mut out);
    String::from_utf8(out).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::{parse, with_widths};

    #[test]
    fn dtypes_are_those_of_numpy() {
        for (text, dtype) in [
            ("f4", "<f4"),
            (">i2", ">i2"),
            ("int", "<i8"),
            ("str", "<U0"),
            ("datetime64[s]", "<M8[s]"),
            ("[('a', 'f4')]", "[('a', '<f4')]"),
        ] {
            assert_eq!(parse(text).unwrap().to_string(), dtype, "{text}");
        }
        assert!(parse("x9").is_err());
    }

    #[test]
    fn texts_get_the_width_that_they_have() {
        for (wanted, found, dtype) in [
            ("U", "<U5", "<U5"),
            ("S", "<U5", "|S5"),
            ("U2", "<U5", "<U2"),
            ("U", "<i4", "<U0"),
            (
                "[(('t', 'a'), 'U'), ('b', 'S', (2,)), ('c', [('d', 'V')]), ('e', 'f4')]",
                "[('c', [('d', '|V3')]), ('a', '<U2'), ('b', '|S7', (2,)), ('e', '<f8')]",
                "[(('t', 'a'), '<U2'), ('b', '|S7', (2,)), ('c', [('d', '|V3')]), ('e', '<f4')]",
            ),
        ] {
            let wanted = with_widths(parse(wanted).unwrap(), &found.parse().unwrap());
            assert_eq!(wanted.to_string(), dtype);
        }
    }
}
