//! Dtypes as users write them: `f4`, `int`, `U`, or as in headers.

use npy_core::DType;
use npy_core::dtype::{Field, Scalar, ScalarKind};

/// Parses a dtype as headers have it, or without the byte order: `f4`.
pub(crate) fn parse(text: &str) -> npy_core::Result<DType> {
    let text = if text == "int" { "i8" } else { text };
    text.parse().or_else(|error| format!("<{text}").parse().map_err(|_| error))
}

/// Gives texts without a width (`U`, `S`, `V`) the width that they have in the array, as NumPy's `astype` does.
pub(crate) fn with_widths(wanted: DType, found: &DType) -> npy_core::Result<DType> {
    match has_open_width(&wanted) {
        true => widened(&wanted, Some(found)),
        false => Ok(wanted),
    }
}

fn has_open_width(dtype: &DType) -> bool {
    match (dtype.scalar(), dtype.sub_array()) {
        (Some(scalar), _) => scalar.itemsize() == 0,
        (None, Some((base, _))) => has_open_width(base),
        (None, None) => dtype.fields().iter().any(|field| has_open_width(field.dtype())),
    }
}

fn widened(wanted: &DType, found: Option<&DType>) -> npy_core::Result<DType> {
    if let Some((base, shape)) = wanted.sub_array() {
        let found = found.and_then(DType::sub_array).map(|(base, _)| base);
        return widened(base, found)?.array(shape);
    }
    let Some(scalar) = wanted.scalar() else {
        let (mut fields, mut size) = (Vec::new(), 0);
        for field in wanted.fields() {
            let found = found.and_then(|found| found.field(field.name())).map(Field::dtype);
            let dtype = widened(field.dtype(), found)?;
            size += dtype.itemsize();
            let new = Field::new(field.name(), dtype);
            fields.push(match field.title() {
                Some(title) => new.title(title),
                None => new,
            });
        }
        return DType::from_fields(fields, size);
    };
    // The characters that are there.
    let width = found.and_then(DType::scalar).and_then(|found| match found.kind() {
        ScalarKind::Str => Some(found.itemsize() / 4),
        ScalarKind::Bytes | ScalarKind::Void => Some(found.itemsize()),
        _ => None,
    });
    let size = match (scalar.kind(), width) {
        (ScalarKind::Str, Some(width)) => 4 * width,
        (ScalarKind::Bytes | ScalarKind::Void, Some(width)) => width,
        // Numbers become no text: with a width, the conversion is refused, and without one, all values would be empty.
        (ScalarKind::Str, None) => 4,
        (ScalarKind::Bytes | ScalarKind::Void, None) => 1,
        _ => 0,
    };
    match scalar.itemsize() {
        0 => Scalar::new(scalar.kind(), size).map(DType::from),
        _ => Ok(wanted.clone()),
    }
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
            ("U", "<i4", "<U1"),
            (
                "[(('t', 'a'), 'U'), ('b', 'S', (2,)), ('c', [('d', 'V')]), ('e', 'f4')]",
                "[('c', [('d', '|V3')]), ('a', '<U2'), ('b', '|S7', (2,)), ('e', '<f8')]",
                "[(('t', 'a'), '<U2'), ('b', '|S7', (2,)), ('c', [('d', '|V3')]), ('e', '<f4')]",
            ),
        ] {
            let wanted = with_widths(parse(wanted).unwrap(), &found.parse().unwrap()).unwrap();
            assert_eq!(wanted.to_string(), dtype);
        }
    }
}
