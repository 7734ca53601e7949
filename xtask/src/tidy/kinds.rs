//! Each kind of error occurs in a test.

use super::lexer::{closing, word_at, words};
use super::{File, Problem};

const ERROR: &str = "npy-core/src/error.rs";

/// Each variant of `ErrorKind` occurs in some test.
pub(super) fn tested(files: &[File]) -> Vec<Problem> {
    let Some(error) = files.iter().find(|file| file.path == ERROR) else { return Vec::new() };
    let in_tests = |name: &str| {
        let path = format!("ErrorKind::{name}");
        files.iter().any(|file| words(&file.tests, &path).next().is_some())
    };
    let untested = variants(&error.shipped).into_iter().filter(|(_, name)| !in_tests(name));
    untested
        .map(|(at, name)| {
            let message = format!(
                "no test covers `ErrorKind::{name}`; add one to tests/tests/errors.rs that causes it and checks its text"
            );
            error.problem(at, message)
        })
        .collect()
}

/// Returns the names in `enum ErrorKind { … }`, with their offsets.
fn variants(code: &str) -> Vec<(usize, &str)> {
    let mut names = Vec::new();
    let Some(start) = words(code, "enum ErrorKind").next() else { return names };
    let Some(open) = code[start..].find('{').map(|at| start + at) else { return names };
    let end = closing(code, open) - 1;
    let mut at = open + 1;
    // A name is at the start and after each comma; attributes may come before it.
    let mut expected = true;
    while at < end {
        let word = word_at(code, at);
        match code.as_bytes()[at] {
            _ if !word.is_empty() => {
                if expected {
                    names.push((at, word));
                }
                expected = false;
                at += word.len();
            }
            b'(' | b'[' | b'{' => at = closing(code, at),
            byte => {
                expected |= byte == b',';
                at += code[at..].chars().next().map_or(1, char::len_utf8);
            }
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use super::super::File;
    use super::{ERROR, tested, variants};

    const ENUM: &str = "#[derive(Debug)]\npub enum ErrorKind {\n/// One.\n#[error(\"{0}, {1}\")]\nOne(A, B),\n#[x] Two { a: u8, b: Vec<u8> },\nThree = 3,\nFour\n}\nenum Other { Five }";

    #[test]
    fn variants_are_read() {
        let code = crate::tidy::lexer::code(ENUM);
        let names: Vec<_> = variants(&code).into_iter().map(|(_, name)| name).collect();
        assert_eq!(names, ["One", "Two", "Three", "Four"]);
    }

    #[test]
    fn a_kind_without_a_test_is_found() {
        let unit = "fn f() { ErrorKind::Three }\n#[cfg(test)] mod tests { fn g() { ErrorKind::Two { .. } } }";
        let files = [
            File::new(ERROR, ENUM),
            File::new("npy-core/src/read.rs", unit),
            File::new("tests/tests/errors.rs", "// ErrorKind::Four\nErrorKind::One(a)"),
        ];
        let found = tested(&files);
        assert_eq!(found.iter().map(|it| it.line).collect::<Vec<_>>(), [7, 8]);
        assert!(found[0].message.contains("`ErrorKind::Three`"), "{found:?}");
    }
}
