//! `unsafe` is in a few files. Clippy checks that each use has its proof.

use super::lexer::{closing, words};
use super::{File, Problem};

/// Files of casts: they may allow `unsafe` throughout.
const CASTS: [&str; 2] = ["npy-core/src/element/cast.rs", "npy-core/src/element/cast/zero_copy.rs"];

/// Files with functions that may be `unsafe`: those that map a file, and that advise the system.
const FUNCTIONS: [&str; 3] =
    ["npy-core/src/mmap.rs", "npy-core/src/npz/map.rs", "npy-core/src/reserve.rs"];

/// The packages that have no other `unsafe`.
const CHECKED: [&str; 10] = [
    "npy-core/",
    "npy-derive/",
    "npy-pickle/",
    "npy-zip/",
    "whole-file/",
    "npy-arrow/src/",
    "npy-codegen/",
    "npy-repair/",
    "npy-clouds/",
    "npy-js/src/",
];

/// The file with the functions of the module for browsers.
const EXPORTS: &str = "npy-js/src/exports.rs";

/// `unsafe` is only in these files of the library, and in the code that a derive generates.
pub(super) fn rooms(file: &File) -> Vec<Problem> {
    let derive = file.path.starts_with("npy-derive/");
    let path = file.path.as_str();
    let is_checked = CHECKED.iter().any(|folder| path.starts_with(folder));
    if !is_checked || path == EXPORTS || CASTS.contains(&path) {
        return Vec::new();
    }
    if FUNCTIONS.contains(&path) {
        let message =
            "the file allows `unsafe` throughout: allow it for each function that needs it";
        return file
            .code
            .match_indices("#![")
            .filter_map(|(at, _)| {
                let attribute = &file.code[at..closing(&file.code, at + 2)];
                attribute.contains("unsafe_code").then(|| file.problem(at, message))
            })
            .collect();
    }
    let emitted = if derive { emitted(&file.code) } else { Vec::new() };
    let message = "`unsafe` is only in element/cast, in the functions of mmap.rs, npz/map.rs and reserve.rs, in what npy-derive emits, and in the exports.rs of npy-js: write this safely, or move it there";
    let found = words(&file.code, "unsafe");
    let outside = found.filter(|at| !emitted.iter().any(|(from, to)| (from..to).contains(&at)));
    outside.map(|at| file.problem(at, message)).collect()
}

/// Returns the ranges of the tokens in `quote!` and similar macros.
pub(super) fn emitted(code: &str) -> Vec<(usize, usize)> {
    let macros = ["quote!", "quote_spanned!", "parse_quote!", "parse_quote_spanned!"];
    let starts =
        macros.into_iter().flat_map(|name| words(code, name).map(move |at| at + name.len()));
    starts.map(|at| (at, closing(code, at))).collect()
}

#[cfg(test)]
mod tests {
    use super::super::lines;
    use super::rooms;

    #[test]
    fn unsafe_is_in_its_files() {
        let file = "#![allow(unsafe_code)]\n// unsafe\nunsafe { f() }";
        for package in ["npy-core", "npy-pickle", "npy-zip", "whole-file", "npy-codegen"] {
            assert_eq!(lines(rooms, &format!("{package}/src/view.rs"), file), [3]);
        }
        assert_eq!(lines(rooms, "npy-core/src/element/cast.rs", file), [0_usize; 0]);
        assert_eq!(lines(rooms, "npy-core/src/mmap.rs", file), [1]);
        let function = "#[expect(unsafe_code)]\nunsafe fn f() {}";
        assert_eq!(lines(rooms, "npy-core/src/mmap.rs", function), [0_usize; 0]);
        assert_eq!(lines(rooms, "npy-js/src/view/table.rs", file), [3]);
        assert_eq!(lines(rooms, "npy-js/src/exports.rs", file), [0_usize; 0]);
        assert_eq!(lines(rooms, "tests/tests/map.rs", file), [0_usize; 0]);
    }

    #[test]
    fn a_derive_may_emit_it() {
        let file = "quote! { unsafe impl X for #y { fn f() {} } }\nunsafe fn g() {}";
        assert_eq!(lines(rooms, "npy-derive/src/record/generate.rs", file), [2]);
    }
}
