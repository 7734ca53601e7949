//! The paths that a file imports: in `use`, in expressions and types, in the bodies of macros.

use super::lexer::{word_at, words};

/// A path that starts at the crate, at the module, above the module, or at a child of the module.
#[derive(Debug)]
pub(super) struct Import<'c> {
    pub(super) at: usize,
    pub(super) path: Vec<&'c str>,
    /// The name that a `use` gives it in the file; `None` for the path of an expression.
    pub(super) name: Option<&'c str>,
}

/// Returns the imports in [code](super::lexer::code).
pub(super) fn imports(code: &str) -> Vec<Import<'_>> {
    let mut imports = Vec::new();
    let mut uses = Vec::new();
    for at in words(code, "use").filter(|at| code[at + 3..].starts_with(char::is_whitespace)) {
        let end = tree(code, at + 3, &[], &mut imports);
        uses.push(at..end);
    }
    let children = words(code, "mod").map(|at| word_at(code, at + 4));
    for root in ["crate", "self", "super"].into_iter().chain(children) {
        let outside = words(code, root).filter(|at| !uses.iter().any(|it| it.contains(at)));
        // Not in the middle of a path.
        for at in outside.filter(|&at| !code[..at].trim_end().ends_with("::")) {
            if code[at + root.len()..].starts_with("::") {
                let first = imports.len();
                tree(code, at, &[], &mut imports);
                imports[first..].iter_mut().for_each(|import| import.name = None);
            }
        }
    }
    imports
}

/// Adds the paths of `a::{b, c::d as e}`, each with `prefix` before it; returns where it ends.
fn tree<'c>(
    code: &'c str,
    mut at: usize,
    prefix: &[&'c str],
    imports: &mut Vec<Import<'c>>,
) -> usize {
    let skip = |at: usize| code.len() - code[at..].trim_start_matches(blank).len();
    let mut path = prefix.to_vec();
    loop {
        at = skip(at);
        if code[at..].starts_with('{') {
            at += 1;
            while !code[skip(at)..].starts_with('}') && at < code.len() {
                at = tree(code, at, &path, imports);
                at = (at..).find(|&at| !code[at..].starts_with([',', ' ', '\n'])).unwrap_or(at);
            }
            return skip(at) + 1;
        }
        let word = word_at(code, at);
        if word.is_empty() {
            // `*`, or the `<` of generics.
            imports.push(Import { at, path, name: Some("*") });
            return at + 1;
        }
        if word != "self" || path.is_empty() {
            path.push(word);
        }
        let end = at + word.len();
        if code[end..].trim_start().starts_with("::") {
            at = end;
            continue;
        }
        let next = skip(end);
        let alias = (word_at(code, next) == "as").then(|| word_at(code, skip(next + 2)));
        let name = alias.or(path.last().copied());
        imports.push(Import { at, path, name });
        return alias.map_or(end, |alias| skip(next + 2) + alias.len());
    }
}

/// Matches the characters that may separate the words of a path.
fn blank(c: char) -> bool {
    c.is_whitespace() || matches!(c, ':' | '$')
}

#[cfg(test)]
mod tests {
    use super::imports;

    fn found(code: &str) -> Vec<String> {
        let imports = imports(code);
        let text = |name: Option<&str>| name.map(|name| format!(" {name}")).unwrap_or_default();
        imports.iter().map(|it| it.path.join("::") + &text(it.name)).collect()
    }

    #[test]
    fn groups_and_aliases_are_taken_apart() {
        let code = "use crate::{a, b::{self, c::D as E, *},\n};\npub(crate) use super::f;";
        let expected = ["crate::a a", "crate::b b", "crate::b::c::D E", "crate::b *", "super::f f"];
        assert_eq!(found(code), expected);
    }

    #[test]
    fn paths_of_expressions_are_imports_too() {
        let code = "mod child;\nfn f(x: super::super::T) -> impl A + use<'a> {\n crate::g::<u8>(child::h()) }";
        assert_eq!(found(code), ["crate::g", "super::super::T", "child::h"]);
    }

    #[test]
    fn bodies_of_macros_are_read() {
        let code = "macro_rules! m { ($t:ty) => { $crate::a::B::<$t>::new(crate::c) } }";
        assert_eq!(found(code), ["crate::a::B", "crate::c"]);
    }
}
