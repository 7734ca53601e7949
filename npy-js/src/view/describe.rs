//! Headers and dtypes as JSON.

use crate::json::{Json, object};
use crate::text;
use npy_core::{DType, Header, Order};

/// The most fields that are listed.
const MAX_FIELDS: usize = 1000;
/// The most characters of a name or a dtype.
const MAX_TEXT: usize = 200;

/// Returns what a header says.
pub(crate) fn header(header: &Header) -> Json {
    let dtype = header.dtype();
    let mut fields = Vec::new();
    add_fields(dtype, 0, 0, &mut fields);
    object([
        ("shape", Json::from(shape_text(header.shape()))),
        ("order", Json::from(if header.order() == Order::C { "C" } else { "Fortran" })),
        ("version", Json::from(header.version().to_string())),
        ("dtype", Json::from(dtype_name(dtype))),
        ("itemsize", Json::from(dtype.itemsize())),
        ("bytes", Json::from((!dtype.has_object()).then(|| header.data_bytes()))),
        ("fields", Json::from(fields)),
        ("more_fields", Json::from(count_fields(dtype).saturating_sub(MAX_FIELDS))),
    ])
}

/// Returns the name of a dtype; of a record, only its size.
pub(crate) fn dtype_name(dtype: &DType) -> String {
    if let Some((base, shape)) = dtype.sub_array() {
        return format!("{} × {}", dtype_name(base), shape_text(shape));
    }
    match dtype.is_record() {
        true => format!("record of {} bytes", dtype.itemsize()),
        false => text::start_of(dtype, MAX_TEXT),
    }
}

/// Adds a line for each field. The recursion is as deep as the dtype, whose nesting is limited.
fn add_fields(dtype: &DType, base: usize, depth: usize, lines: &mut Vec<Json>) {
    for field in dtype.fields() {
        if lines.len() >= MAX_FIELDS {
            return;
        }
        let offset = base.saturating_add(field.offset());
        lines.push(object([
            ("depth", Json::from(depth)),
            ("offset", Json::from(offset)),
            ("name", Json::from(text::start_of(&field.name(), MAX_TEXT))),
            ("title", Json::from(field.title().map(|title| text::start_of(&title, MAX_TEXT)))),
            ("dtype", Json::from(dtype_name(field.dtype()))),
            ("bytes", Json::from(field.dtype().itemsize())),
        ]));
        add_fields(item(field.dtype()), offset, depth.saturating_add(1), lines);
    }
}

fn count_fields(dtype: &DType) -> usize {
    let inner = dtype.fields().iter().map(|field| count_fields(item(field.dtype())));
    inner.fold(dtype.fields().len(), usize::saturating_add)
}

/// Returns the dtype of the elements of a sub-array, or the dtype itself.
fn item(dtype: &DType) -> &DType {
    dtype.sub_array().map_or(dtype, |(base, _)| base)
}

/// Returns a shape as Python prints it.
fn shape_text(shape: &[usize]) -> String {
    match shape {
        [single] => format!("({single},)"),
        _ => format!("({})", joined(shape)),
    }
}

/// Returns numbers with commas between them.
fn joined(numbers: &[usize]) -> String {
    let numbers: Vec<String> = numbers.iter().map(usize::to_string).collect();
    numbers.join(", ")
}

#[cfg(test)]
mod tests {
    use super::shape_text;

    #[test]
    fn shapes_are_tuples_of_python() {
        let shapes: [&[usize]; 3] = [&[], &[3], &[3, 4]];
        assert_eq!(shapes.map(shape_text), ["()", "(3,)", "(3, 4)"]);
    }
}
