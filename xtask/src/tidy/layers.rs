//! The floors of `npy-core/src`: imports point down, and lower floors must not use certain items.

use super::lexer::{paths, words};
use super::{File, Problem};

/// ARCHITECTURE.md draws the same table. A file in `foo/` is on the floor of `foo.rs`.
const LAYERS: &[(&str, u8)] = &[
    ("lib", FRONT),
    ("private", FRONT),
    ("types", FRONT),
    ("_guide", FRONT),
    ("mmap", 7),
    ("npz", 7),
    ("serde", 7),
    ("interop", 7),
    ("read", IO),
    ("write", IO),
    ("array", 5),
    ("dynamic", 5),
    ("any", 5),
    ("value", 5),
    ("objects", 5),
    ("view", ELEMENT),
    ("element", ELEMENT),
    ("header", 3),
    ("schema", 3),
    ("plan", 3),
    ("kernel", 3),
    ("calendar", 2),
    ("dtype", 2),
    ("literal", 1),
    ("shape", 1),
    ("reserve", 1),
    ("checked", 0),
    ("error", 0),
    ("limits", 0),
];

/// The lowest floor that knows a user's type.
const ELEMENT: u8 = 4;
/// The lowest floor that reads and writes.
const IO: u8 = 6;
/// The floor of the public names.
const FRONT: u8 = 8;

pub(super) const SRC: &str = "npy-core/src/";

/// Each file of the library is on a floor.
pub(super) fn known_room(file: &File) -> Vec<Problem> {
    match room(file) {
        Some(room) if layer(room).is_none() => {
            let message = format!(
                "`{room}` is on no floor: put it below a file that is, or into LAYERS in xtask/src/tidy/layers.rs and the table in ARCHITECTURE.md"
            );
            vec![file.problem(0, message)]
        }
        _ => Vec::new(),
    }
}

/// A file imports only from its own floor or below.
pub(super) fn imports_point_down(file: &File) -> Vec<Problem> {
    let Some((room, own)) = room(file).and_then(|room| Some((room, layer(room)?))) else {
        return Vec::new();
    };
    // One `super` for each level of the file leads to the root of the crate.
    let depth = file.path[SRC.len()..].split('/').count();
    let supers = vec!["super"; depth].join("::");
    let roots = ["crate", "npy_core", supers.as_str()];
    let named = roots.into_iter().flat_map(|root| paths(&file.shipped, root));
    let mut problems = Vec::new();
    for (at, name) in named {
        let rest = file.shipped[at + name.len()..].trim_start();
        let is_call = rest.starts_with('!') && !rest.starts_with("!=");
        if is_call || name == "super" {
            continue;
        }
        // A name that is not a file is a public name of lib.rs.
        let (of, theirs) = layer(name).map_or(("lib", FRONT), |layer| (name, layer));
        if theirs > own {
            let message = format!(
                "`{room}` is on floor {own} and names `{name}`, by `{of}` on floor {theirs}; name the file it is defined in, or move what is shared down"
            );
            problems.push(file.problem(at, message));
        }
    }
    problems
}

/// Floors 0 to 3 are compiled once, and know no user's type.
pub(super) fn no_user_type_below(file: &File) -> Vec<Problem> {
    if !is_below(file, ELEMENT) {
        return Vec::new();
    }
    let message = format!(
        "floors below {ELEMENT} do not know `Element`: take a dtype or bytes, or move this up"
    );
    words(&file.shipped, "Element").map(|at| file.problem(at, message.as_str())).collect()
}

/// Nothing below floor 6 reads, writes or opens a file.
pub(super) fn no_io_below(file: &File) -> Vec<Problem> {
    if !is_below(file, IO) {
        return Vec::new();
    }
    let code = &file.shipped;
    // The error type of the crate wraps `io::Error`.
    let wrapped = |at: usize| room(file) == Some("error") && code[at..].starts_with("io::Error");
    let modules = paths(code, "std").into_iter();
    let modules = modules.filter(|&(at, name)| matches!(name, "io" | "fs") && !wrapped(at));
    let types = ["File", "OpenOptions"];
    let types = types.into_iter().flat_map(|word| words(code, word).map(move |at| (at, word)));
    modules
        .chain(types)
        .map(|(at, name)| {
            let message = format!(
                "floors below {IO} know no files and no streams, so no `{name}`: work on bytes, or move this to read.rs or write.rs"
            );
            file.problem(at, message)
        })
        .collect()
}

/// Returns the top-level file of the library that this file is, or belongs to.
fn room(file: &File) -> Option<&str> {
    let inside = file.path.strip_prefix(SRC)?.strip_suffix(".rs")?;
    Some(inside.split_once('/').map_or(inside, |(folder, _)| folder))
}

fn layer(room: &str) -> Option<u8> {
    LAYERS.iter().find(|(name, _)| *name == room).map(|&(_, layer)| layer)
}

fn is_below(file: &File, limit: u8) -> bool {
    room(file).and_then(layer).is_some_and(|layer| layer < limit)
}

#[cfg(test)]
mod tests {
    use super::super::{lines, said};
    use super::{imports_point_down, known_room, no_io_below, no_user_type_below};

    #[test]
    fn a_file_has_a_place() {
        assert_eq!(lines(known_room, "npy-core/src/dtype/new.rs", ""), [0_usize; 0]);
        let said = said(known_room, "npy-core/src/util.rs", "");
        assert!(said[0].1.contains("`util` is on no floor"), "{said:?}");
    }

    #[test]
    fn imports_point_down_only() {
        let file = "use crate::shape;\nuse crate::read::X;\nuse crate::{dtype, write::{a, b}};\n";
        assert_eq!(lines(imports_point_down, "npy-core/src/plan.rs", file), [2, 3]);
        let nested =
            "use super::block;\nuse super::super::read;\nfn f() { super::super::dtype::x() }";
        assert_eq!(lines(imports_point_down, "npy-core/src/element/text.rs", nested), [2]);
        assert_eq!(lines(imports_point_down, "npy-core/src/shape.rs", "use super::dtype;"), [1]);
    }

    #[test]
    fn names_of_the_front_door_are_above() {
        let file = "fn f() -> crate::Error { crate::bail!() }";
        let said = said(imports_point_down, "npy-core/src/dtype.rs", file);
        assert_eq!(said.len(), 1);
        assert!(said[0].1.contains("`Error`, by `lib` on floor 8"), "{said:?}");
        assert_eq!(lines(imports_point_down, "npy-core/src/private.rs", file), [0_usize; 0]);
    }

    #[test]
    fn bodies_of_macros_are_judged_where_they_are_written() {
        let file = "macro_rules! all {\n () => { $crate::Error } }\nfn f() { all!() }";
        assert_eq!(lines(imports_point_down, "npy-core/src/dtype.rs", file), [2]);
    }

    #[test]
    fn tests_and_docs_may_name_all() {
        let file =
            "/// [`x`](crate::read)\nfn f() {}\n#[cfg(test)]\nmod tests {\n use crate::read;\n}";
        assert_eq!(lines(imports_point_down, "npy-core/src/plan.rs", file), [0_usize; 0]);
    }

    #[test]
    fn lower_floors_know_no_user_type() {
        let file = "fn f(x: ElementKind) {}\nfn g<T: Element>() {}\n// Element\n";
        assert_eq!(lines(no_user_type_below, "npy-core/src/plan.rs", file), [2]);
        assert_eq!(lines(no_user_type_below, "npy-core/src/array.rs", file), [0_usize; 0]);
    }

    #[test]
    fn lower_floors_know_no_io() {
        let file = "use std::io;\nuse std::{fmt, fs::File};\nlet x = std::fs::read(y);\n";
        assert_eq!(lines(no_io_below, "npy-core/src/header.rs", file), [1, 2, 2, 3]);
        assert_eq!(lines(no_io_below, "npy-core/src/read/source.rs", file), [0_usize; 0]);
        let error = "Io(std::io::Error),\nfn f(x: std::io::Read)";
        assert_eq!(lines(no_io_below, "npy-core/src/error.rs", error), [2]);
    }
}
