//! Examples: every public function has one, which compiles as pasted.

use super::lexer::{closing, words};
use super::{File, Problem};

/// The folders whose functions users call.
const LIBRARIES: [&str; 8] = [
    "npy-core/src/",
    "npy-pickle/src/",
    "npy-zip/src/",
    "npy-arrow/src/",
    "npy-codegen/src/",
    "npy-repair/src/",
    "npy-clouds/src/",
    "whole-file/src/",
];

/// The path of items that derived code and macros call: they are public, but not for users.
const PRIVATE: [&str; 5] = [
    "npy-core/src/private",
    "npy-core/src/element/cast/proof.rs",
    "npy-core/src/element/layout.rs",
    "npy-core/src/element/width.rs",
    "npy-core/src/schema.rs",
];

/// Types of other files that are not for users.
const PRIVATE_TYPES: [&str; 2] = ["Internals<", "Memory<"];

/// How hidden lines begin that define a name, which the lines that are seen may use.
const DEFINITIONS: [&str; 6] = ["let ", "use ", "struct ", "enum ", "#[derive", "fn "];

/// Hidden lines that make a function of the example and a directory for its files, or use what it defines.
const HARMLESS: [&str; 3] = ["fn main()", "let dir = tempfile::tempdir()", "let _ = "];

/// What follows the fence of Rust code, beside nothing.
const CODE: [&str; 2] = ["no_run", "compile_fail"];

/// A public function has an example in its docs.
pub(super) fn public(file: &File) -> Vec<Problem> {
    if !is_of_library(file) {
        return Vec::new();
    }
    let code = &file.shipped;
    let traits: Vec<(usize, usize)> = words(code, "pub trait")
        .filter_map(|at| Some((at, closing(code, at + code[at..].find('{')?))))
        .collect();
    let lacks_example = |&at: &usize| {
        let start = code[..at].rfind([';', '{', '}']).map_or(0, |at| at + 1);
        let is_public = words(&code[start..at], "pub").next().is_some()
            || traits.iter().any(|(from, to)| (from..to).contains(&&at));
        let is_restricted = code[start..at].contains("pub(");
        let docs = &file.text[start..at];
        let block = code[..at].rfind("\nimpl").map_or("", |from| &code[from..at]);
        let header = block.split('{').next().unwrap_or_default();
        let is_of_user = !PRIVATE_TYPES.iter().any(|name| header.contains(name));
        // `fn(T)` is a type.
        let is_function = code[at..].starts_with("fn ");
        is_public
            && is_function
            && is_of_user
            && !is_restricted
            && docs.contains("///")
            && !docs.contains("doc(hidden)")
            && !docs.contains("```")
    };
    let message = "a public function without an example: show in its docs how it is called";
    words(code, "fn").filter(lacks_example).map(|at| file.problem(at, message)).collect()
}

/// An example hides nothing that a user who pastes it needs.
pub(super) fn pasted(file: &File) -> Vec<Problem> {
    if !is_of_library(file) {
        return Vec::new();
    }
    let mut problems = Vec::new();
    let (mut is_fenced, mut is_code) = (false, false);
    for (line, text) in (1..).zip(file.text.lines()) {
        let Some(text) = doc(file, text) else {
            (is_fenced, is_code) = (false, false);
            continue;
        };
        if let Some(language) = text.strip_prefix("```") {
            is_fenced = !is_fenced;
            let is_rust = language.is_empty() || CODE.iter().any(|word| language.contains(word));
            is_code = is_fenced && is_rust;
        } else if let Some(hidden) = text.strip_prefix("# ").filter(|_| is_code)
            && DEFINITIONS.iter().any(|start| hidden.starts_with(start))
            && !HARMLESS.iter().any(|start| hidden.starts_with(start))
        {
            let message = "a hidden name: show the line, put it in a hidden block, or use files by their plain names after `# std::env::set_current_dir(&dir)?;`";
            problems.push(file.problem_in_line(line, message));
        }
    }
    problems
}

fn is_of_library(file: &File) -> bool {
    let is_private = PRIVATE.iter().any(|path| file.path.starts_with(path));
    LIBRARIES.iter().any(|folder| file.path.starts_with(folder)) && !is_private
}

/// Returns the documentation in a line.
fn doc<'a>(file: &File, line: &'a str) -> Option<&'a str> {
    if file.path.ends_with(".md") {
        return Some(line);
    }
    let line = line.trim_start();
    let text = line.strip_prefix("///").or_else(|| line.strip_prefix("//!"))?;
    Some(text.strip_prefix(' ').unwrap_or(text))
}

#[cfg(test)]
mod tests {
    use super::super::lines;
    use super::{pasted, public};

    const PATH: &str = "npy-core/src/a.rs";
    const NONE: [usize; 0] = [];

    #[test]
    fn functions_without_an_example_are_found() {
        assert_eq!(lines(public, PATH, "/// Opens.\n#[inline]\npub fn open() {}"), [3]);
        assert_eq!(lines(public, PATH, "/// Opens.\npub const unsafe fn open() {}"), [2]);
        let example = "/// Opens.\n///\n/// ```\n/// open();\n/// ```\n#[inline]\npub fn open() {}";
        assert_eq!(lines(public, PATH, example), NONE);
        assert_eq!(lines(public, PATH, &format!("{example}\n/// Shuts.\npub fn shut() {{}}")), [9]);
        assert_eq!(lines(public, PATH, "/// Opens.\npub(crate) fn open() {}"), NONE);
        assert_eq!(lines(public, PATH, "/// Opens.\nfn open() {}"), NONE);
        assert_eq!(lines(public, PATH, "/// Opens.\n#[doc(hidden)]\npub fn open() {}"), NONE);
        assert_eq!(lines(public, PATH, "/// A.\npub struct A(fn() -> u8);"), NONE);
        let private = "\nimpl<T> Internals<T> {\n    /// Opens.\n    pub fn open() {}\n}";
        assert_eq!(lines(public, PATH, private), NONE);
        assert_eq!(lines(public, "npy-core/src/schema.rs", "/// Opens.\npub fn open() {}"), NONE);
        assert_eq!(lines(public, "xtask/src/a.rs", "/// Opens.\npub fn open() {}"), NONE);
        let methods = "/// A.\npub trait A {\n    /// Opens.\n    fn open();\n}\n/// B.\nfn b() {}";
        assert_eq!(lines(public, PATH, methods), [4]);
    }

    #[test]
    fn hidden_lines_that_an_example_needs_are_found() {
        let example = |hidden: &str| format!("/// ```\n/// # {hidden}\n/// open();\n/// ```\n");
        assert_eq!(lines(pasted, PATH, &example("let path = \"a\";")), [2]);
        assert_eq!(lines(pasted, PATH, &example("use a::b;")), [2]);
        assert_eq!(lines(pasted, PATH, &example("Ok::<(), Error>(())")), NONE);
        assert_eq!(lines(pasted, PATH, &example("    let block = 1;")), NONE);
        assert_eq!(lines(pasted, PATH, &example("std::env::set_current_dir(&dir)?;")), NONE);
        let failing = "/// ```compile_fail,E0277\n/// # use a::b;\n/// open();\n/// ```\n";
        assert_eq!(lines(pasted, PATH, failing), [2]);
        let after_text = "/// ```text\n/// a\n/// ```\n///\n/// # let a\n";
        assert_eq!(lines(pasted, PATH, after_text), NONE);
        assert_eq!(lines(pasted, PATH, "/// # Errors\n///\n/// None.\n"), NONE);
        assert_eq!(lines(pasted, PATH, "/// ```text\n/// # a comment\n/// ```\n"), NONE);
        assert_eq!(lines(pasted, "npy-core/src/a.md", "```\n# use a;\n```\n# Heading\n"), [2]);
    }
}
