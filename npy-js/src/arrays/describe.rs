//! Headers and dtypes as JSON.

use crate::json::{Json, object};
use npy_core::{DType, Header, Order};

/// Returns what a header says. The data begin at `offset`.
pub(crate) fn header(header: &Header, offset: u64) -> Json {
    let version = header.version().to_string();
    object([
        ("dtype", dtype(header.dtype())),
        ("shape", Json::from(header.shape().to_vec())),
        ("fortran", Json::from(header.order() == Order::Fortran)),
        ("version", Json::from(version)),
        ("offset", Json::from(offset)),
        ("objects", Json::from(header.dtype().has_object())),
    ])
}

/// Returns a dtype as a tree. The recursion is as deep as the dtype, whose nesting is limited.
pub(crate) fn dtype(of: &DType) -> Json {
    let mut json = object([
        ("str", Json::from(of.to_string())),
        ("descr", Json::from(of.descr())),
        ("size", Json::from(of.itemsize())),
    ]);
    if let Some((base, shape)) = of.sub_array() {
        json.insert("base", dtype(base));
        json.insert("shape", shape.to_vec());
    }
    if of.is_record() {
        let field = |field: &npy_core::Field| {
            object([
                ("name", Json::from(field.name())),
                ("title", Json::from(field.title())),
                ("offset", Json::from(field.offset())),
                ("dtype", dtype(field.dtype())),
            ])
        };
        json.insert("fields", of.fields().iter().map(field).collect::<Vec<Json>>());
    }
    json
}
