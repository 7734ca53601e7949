//! Arrays of Python objects: what Python would import, and the objects. Nothing is imported or called here.

use npy_core::Objects;

use crate::json::{Json, object};
use crate::text;

/// Larger pickles are not read.
pub(crate) const MAX_PICKLE: u64 = 64 << 20;
/// The most names that are listed.
const MAX_NAMES: usize = 200;
/// The most objects that are shown at once, and the characters of each.
const MAX_ROWS: usize = 1000;
const MAX_TEXT: usize = 500;

/// Returns the names that Python would import, and the number of objects.
pub(crate) fn describe(objects: &Objects) -> Json {
    let names: Vec<String> =
        objects.globals().take(MAX_NAMES).map(|name| text::start_of(&name, MAX_TEXT)).collect();
    object([
        ("imports", Json::from(names)),
        ("rows", Json::from(objects.iter().len())),
        ("more_columns", Json::from(false)),
        ("columns", Json::from(vec![column("kind"), column("object")])),
    ])
}

fn column(name: &str) -> Json {
    object([("name", name.into()), ("is_number", false.into()), ("is_drawn", false.into())])
}

/// Returns some objects as text.
pub(crate) fn rows(objects: &Objects, from: usize, count: usize) -> Json {
    let from = from.min(objects.iter().len());
    let row = |object: npy_core::ObjectRef<'_>| {
        let (kind, value) = (object.kind().to_string(), text::start_of(&object, MAX_TEXT));
        Json::from(vec![kind, value])
    };
    let rows: Vec<Json> = objects.iter().skip(from).take(count.min(MAX_ROWS)).map(row).collect();
    object([("from", Json::from(from)), ("rows", Json::from(rows))])
}
