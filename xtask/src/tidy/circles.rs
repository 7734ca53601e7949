//! Circles between the files of `npy-core/src`: none may import a file that imports it.
//!
//! A private child (`mod descr;`) is a part of its parent: what the two import from each other does not count.

use std::collections::{BTreeMap, VecDeque};

use super::imports::{Import, imports};
use super::layers::SRC;
use super::lexer::{closing, word_at, words};
use super::{File, Problem};

/// A file as a module of the library.
struct Module<'f> {
    file: &'f File,
    /// For example `element::cast`; empty for the crate's root.
    name: String,
    imports: Vec<Import<'f>>,
}

/// No file imports a file that imports it, directly or through others, even on the same floor.
pub(super) fn none(files: &[File]) -> Vec<Problem> {
    let modules: Vec<_> = files.iter().filter_map(module).collect();
    let edges: Vec<_> = modules.iter().map(|module| edges(&modules, module)).collect();
    let mut problems = Vec::new();
    for (from, targets) in edges.iter().enumerate() {
        for (&to, &at) in targets {
            let Some(path) = way(&edges, to, from) else { continue };
            let path: Vec<_> = path.into_iter().map(|i| modules[i].name.as_str()).collect();
            let message = format!(
                "a circle: `{}` imports {}; move what both need into a file below them",
                modules[from].name,
                path.iter()
                    .map(|name| format!("`{name}`"))
                    .collect::<Vec<_>>()
                    .join(", which imports ")
            );
            problems.push(modules[from].file.problem(at, message));
        }
    }
    problems
}

fn module(file: &File) -> Option<Module<'_>> {
    let name = file.path.strip_prefix(SRC)?.strip_suffix(".rs")?.replace('/', "::");
    let name = if name == "lib" { String::new() } else { name };
    Some(Module { file, name, imports: imports(&file.shipped) })
}

/// Returns the files that a file imports, each with the offset in the text. A re-export does not count as an import.
fn edges(modules: &[Module<'_>], from: &Module<'_>) -> BTreeMap<usize, usize> {
    let code = &from.file.shipped;
    let is_used = |import: &&Import<'_>| {
        import
            .name
            .is_none_or(|name| matches!(name, "_" | "*") || words(code, name).nth(1).is_some())
    };
    let mut edges = BTreeMap::new();
    // The root only re-exports names, and no other file may import it.
    for import in from.imports.iter().filter(is_used).filter(|_| !from.name.is_empty()) {
        let inside = inline_module(from, import.at);
        let target = resolve(modules, &inside, &import.path, 0);
        let target = target.filter(|&to| !is_part(modules, from, &modules[to]));
        if let Some(to) = target {
            edges.entry(to).or_insert(import.at);
        }
    }
    edges
}

/// Returns true if one module is the other, or a private child in it.
fn is_part(modules: &[Module<'_>], a: &Module<'_>, b: &Module<'_>) -> bool {
    let (outer, inner) = if a.name.len() < b.name.len() { (a, b) } else { (b, a) };
    let Some(path) = inner.name.strip_prefix(&outer.name) else { return false };
    let mut parent = outer.name.clone();
    path.split("::").skip(1).all(|child| {
        let module = modules.iter().find(|module| module.name == parent);
        parent = format!("{parent}::{child}");
        module.is_some_and(|module| is_private(&module.file.shipped, child))
    })
}

/// Returns true if a file declares a child as `mod child;`, without `pub`.
fn is_private(code: &str, child: &str) -> bool {
    let declared = words(code, "mod").find(|&at| word_at(code, at + 4) == child);
    declared.is_some_and(|at| !code[..at].trim_end().ends_with([')', 'b']))
}

/// Returns the module that contains an offset of a file: that of the file, or one in braces.
fn inline_module(module: &Module<'_>, at: usize) -> String {
    let code = &module.file.shipped;
    let mut name = module.name.clone();
    for start in words(code, "mod").take_while(|&start| start < at) {
        let inline = word_at(code, start + 4);
        let open = start + 4 + inline.len() + 1;
        if code[open..].starts_with('{') && at < closing(code, open) {
            name = format!("{name}::{inline}");
        }
    }
    name
}

/// Returns the file with the item that a path in a module names; `None` for other crates.
fn resolve(modules: &[Module<'_>], inside: &str, path: &[&str], depth: usize) -> Option<usize> {
    let index = |name: &str| modules.iter().position(|module| module.name == name);
    let join = |name: &str, part: &str| {
        if name.is_empty() { part.to_owned() } else { format!("{name}::{part}") }
    };
    let parent = |name: &str| name.rsplit_once("::").map_or("", |(parent, _)| parent).to_owned();
    let (first, mut rest) = path.split_first()?;
    let mut name = match *first {
        "crate" => String::new(),
        "self" => inside.to_owned(),
        "super" => parent(inside),
        child => index(&join(inside, child)).map(|_| join(inside, child))?,
    };
    while let Some((part, after)) = rest.split_first() {
        let next = if *part == "super" { parent(&name) } else { join(&name, part) };
        if *part != "super" && index(&next).is_none() {
            break;
        }
        (name, rest) = (next, after);
    }
    // A module in braces is in the file of its parent.
    while index(&name).is_none() && !name.is_empty() {
        name = parent(&name);
    }
    let file = index(&name)?;
    // A name that the file itself imports is defined in another file.
    let passed_on = rest.first().and_then(|wanted| {
        let import = modules[file].imports.iter().find(|it| it.name == Some(*wanted))?;
        resolve(modules, &name, &import.path, depth + 1)
    });
    passed_on.filter(|_| depth < 8).or(Some(file))
}

/// Returns the shortest path along the edges, including both ends.
fn way(edges: &[BTreeMap<usize, usize>], from: usize, to: usize) -> Option<Vec<usize>> {
    let mut queue = VecDeque::from([vec![from]]);
    let mut seen = vec![false; edges.len()];
    while let Some(path) = queue.pop_front() {
        let last = *path.last()?;
        if last == to {
            return Some(path);
        }
        for &next in edges[last].keys() {
            if !std::mem::replace(&mut seen[next], true) {
                queue.push_back([path.as_slice(), &[next]].concat());
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::super::File;
    use super::none;

    fn circles(files: &[(&str, &str)]) -> Vec<String> {
        let file = |(path, text): &(&str, &str)| File::new(&format!("npy-core/src/{path}"), text);
        let files: Vec<_> = files.iter().map(file).collect();
        none(&files)
            .into_iter()
            .map(|it| format!("{}:{}: {}", it.path, it.line, it.message))
            .collect()
    }

    #[test]
    fn a_circle_on_one_floor_is_found() {
        let found = circles(&[
            ("a.rs", "pub mod one;\npub(crate) mod two;\n"),
            ("a/one.rs", "fn f() {\n super::two::g() }"),
            ("a/two.rs", "use crate::b::H;\nfn f(h: H) {}"),
            ("b.rs", "macro_rules! m { () => { $crate::a::one::f() } }\nstruct H;"),
        ]);
        assert_eq!(found.len(), 3, "{found:?}");
        let expected = "npy-core/src/a/one.rs:2: a circle: `a::one` imports `a::two`, which imports `b`, which imports `a::one`";
        assert!(found[0].starts_with(expected), "{found:?}");
    }

    #[test]
    fn names_are_followed_to_their_file() {
        let parent = "pub mod one;\npub mod two;\npub use one::X;\nuse two::Y;\nfn f(y: Y) {}";
        let one = ("a/one.rs", "struct X;");
        let no = circles(&[("a.rs", parent), one, ("a/two.rs", "use super::X;\nstruct Y;")]);
        assert_eq!(no, [""; 0]);
        let two = "mod inner { use super::super::f; const F: X = f; }\nstruct Y;";
        assert_eq!(circles(&[("a.rs", parent), one, ("a/two.rs", two)]).len(), 2);
    }

    #[test]
    fn a_private_child_is_a_part_of_its_parent() {
        let files = |mods| [("a.rs", mods), ("a/b.rs", "use super::f;\nfn g() { f() }")];
        assert_eq!(circles(&files("mod b;\nfn f() { b::g() }")), [""; 0]);
        assert_eq!(circles(&files("pub(crate) mod b;\nfn f() { b::g() }")).len(), 2);
    }

    #[test]
    fn tests_may_import_all() {
        let test = "#[cfg(test)]\nmod tests { use crate::b; }";
        assert_eq!(circles(&[("a.rs", test), ("b.rs", "use crate::a;\na::x()")]), [""; 0]);
    }
}
