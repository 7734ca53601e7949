//! What a file contains never makes published code panic: the result is at worst an error. Mistakes of ours panic, in one file.

use super::lexer::words;
use super::unsafety::emitted;
use super::{File, Problem};

/// The code that is published.
const PUBLISHED: [&str; 15] = [
    "npy-core/src/",
    "whole-file/src/",
    "npy-derive/src/",
    "npy-pickle/src/",
    "npy-zip/src/",
    "npy-arrow/src/",
    "npy-codegen/src/",
    "npy-repair/src/",
    "npy-clouds/src/",
    "npy-cli/src/",
    "npy-datafusion/src/",
    "npy-datafusion/sql/src/",
    "npy-datafusion/ballista/src/",
    "npy-datafusion/distributed/src/",
    "npy-js/src/",
];

/// These never occur in it.
const PANICS: [&str; 6] =
    [".unwrap()", ".expect(", "panic!", "unreachable!", "todo!", "unimplemented!"];

/// These may occur in code that runs at compile time.
const ASSERTIONS: [&str; 3] = ["assert!", "assert_eq!", "assert_ne!"];

/// The places where a word may be, because no file can cause the panic.
const ALLOWED: [(&str, &str); 7] = [
    // A user's function that gives two answers to the same question.
    ("npy-core/src/private/with.rs", "panic!"),
    // A mistake of ours: what earlier checks have excluded.
    ("npy-core/src/checked.rs", "panic!"),
    ("npy-pickle/src/checked.rs", "panic!"),
    ("npy-zip/src/checked.rs", "panic!"),
    // `assert_reads!`, for the tests of programs.
    ("npy-core/src/private/reads.rs", "panic!"),
    // `array[[i, j]]`: indexing panics everywhere in Rust, and `at` does not.
    ("npy-core/src/array/traits.rs", "panic!"),
    // The writer is there until `finish` consumes its owner.
    ("npy-core/src/write/stream/sink.rs", ".expect("),
];

/// Published code returns errors; only constants may assert.
pub(super) fn no_panic(file: &File) -> Vec<Problem> {
    let derive = file.path.starts_with("npy-derive/src/");
    if !PUBLISHED.iter().any(|directory| file.path.starts_with(directory)) {
        return Vec::new();
    }
    let code = &file.shipped;
    let emitted = if derive { emitted(code) } else { Vec::new() };
    let may_assert = |at: usize| {
        emitted.iter().any(|&(from, to)| (from..to).contains(&at)) || in_constant(code, at)
    };
    let found = |word: &'static str| words(code, word).map(move |at| (at, word));
    let is_allowed = |word: &&str| ALLOWED.contains(&(file.path.as_str(), *word));
    let panics = PANICS.into_iter().filter(|word| !is_allowed(word)).flat_map(found);
    let assertions = ASSERTIONS.into_iter().flat_map(found).filter(|&(at, _)| !may_assert(at));
    let message = |word| {
        format!(
            "`{word}` may panic, and a file may bring it about: return an error that says what to do"
        )
    };
    panics.chain(assertions).map(|(at, word)| file.problem(at, message(word))).collect()
}

/// Returns true if this offset is in `const X: T = …`, `const { … }` or a `const fn`.
fn in_constant(code: &str, mut at: usize) -> bool {
    loop {
        if is_constant(head(code, at)) {
            return true;
        }
        match block_around(code, at) {
            Some(open) => at = open,
            None => return false,
        }
    }
}

/// Returns true if this is the start of a constant or of a `const fn`; not a `<const N: usize>`, nor a `*const T`.
fn is_constant(head: &str) -> bool {
    words(head, "const").any(|at| {
        let before = head[..at].trim_end().chars().next_back();
        let is_block = head[at + "const".len()..].trim().is_empty();
        is_block || before.is_none_or(|c| c.is_alphanumeric() || matches!(c, ')' | ']'))
    })
}

/// Returns the statement or item up to this offset.
fn head(code: &str, at: usize) -> &str {
    let mut depth = 0_usize;
    let start = code[..at].rfind(|c| {
        match c {
            ')' | ']' => depth += 1,
            '(' | '[' => depth = depth.saturating_sub(1),
            // The `;` in `[u8; 3]` does not end a statement.
            ';' | '{' | '}' => return depth == 0,
            _ => {}
        }
        false
    });
    &code[start.map_or(0, |before| before + 1)..at]
}

/// Returns the offset of the `{` of the block around this offset.
fn block_around(code: &str, at: usize) -> Option<usize> {
    let mut depth = 0_usize;
    code[..at].rfind(|c| {
        match c {
            '}' => depth += 1,
            '{' if depth == 0 => return true,
            '{' => depth -= 1,
            _ => {}
        }
        false
    })
}

#[cfg(test)]
mod tests {
    use super::super::lines;
    use super::no_panic;

    const SRC: &str = "npy-core/src/read.rs";

    #[test]
    fn what_panics_is_found() {
        let file = "a.unwrap();\nb.expect(\"c\");\npanic!();\nunreachable!();\ntodo!();\nunimplemented!();\nassert!(d);\n";
        assert_eq!(lines(no_panic, SRC, file), [1, 2, 3, 4, 5, 6, 7]);
        assert_eq!(lines(no_panic, "npy-derive/src/lib.rs", file).len(), 7);
        assert_eq!(lines(no_panic, "examples/a.rs", file), [0_usize; 0]);
    }

    #[test]
    fn what_looks_alike_is_not() {
        let file = "a.unwrap_or(b); debug_assert!(c); // .unwrap()\nlet d = \"panic!\";\n/// e.unwrap()\n#[cfg(test)]\nmod tests { f.unwrap() }";
        assert_eq!(lines(no_panic, SRC, file), [0_usize; 0]);
    }

    #[test]
    fn constants_may_assert() {
        let constant = "const _: () = assert!(A == B);\nlet x = const { assert!(C) };\nimpl<T> X for Y<T> { const Z: [u8; 2] = { let a = b; assert!(a); c }; }\n#[inline] pub(crate) const fn f(x: [u8; 2]) { if y { assert!(z) } }";
        assert_eq!(lines(no_panic, SRC, constant), [0_usize; 0]);
        let others = "const A: u8 = 1;\nfn f<const N: usize>(p: *const u8) { assert_eq!(a, b) }\nimpl<const N: usize> X<N> { fn g() { assert!(c) } }";
        assert_eq!(lines(no_panic, SRC, others), [2, 3]);
        let emitted = "quote! { const _: () = { let x = 1; assert!(x); }; }";
        assert_eq!(lines(no_panic, "npy-derive/src/lib.rs", emitted), [0_usize; 0]);
    }
}
