//! `cargo xtask tidy`: checks conventions. Each rule is a named function.

mod circles;
mod dependencies;
mod examples;
mod files;
mod imports;
mod kinds;
mod layers;
mod lexer;
mod panics;
mod programs;
mod unsafety;

use std::fs;
use std::process::Command;

use crate::{Result, command, root};

/// A rule that checks one file at a time.
type Rule = fn(&File) -> Vec<Problem>;

const RULES: [(&str, Rule); 12] = [
    ("known-room", layers::known_room),
    ("imports-point-down", layers::imports_point_down),
    ("no-user-type-below", layers::no_user_type_below),
    ("no-io-below", layers::no_io_below),
    ("unsafe-rooms", unsafety::rooms),
    ("no-panic", panics::no_panic),
    ("one-idea", files::one_idea),
    ("file-docs", files::docs),
    ("no-machine-paths", files::no_machine_paths),
    ("example", examples::public),
    ("example-as-pasted", examples::pasted),
    ("dependency-comment", dependencies::explained),
];

/// A violation of a rule, with its position.
#[derive(Debug, PartialEq)]
struct Problem {
    path: String,
    line: usize,
    /// The remedy.
    message: String,
}

/// A text file of the repository.
struct File {
    /// The path from the root, with `/`.
    path: String,
    text: String,
    /// The Rust code, without comments and strings; empty for other files.
    code: String,
    /// The part of the code that is compiled without tests.
    shipped: String,
    /// The part of the code that is only for tests.
    tests: String,
}

impl File {
    fn new(path: &str, text: &str) -> Self {
        let code = if path.ends_with(".rs") { lexer::code(text) } else { String::new() };
        let all_tests =
            path.starts_with("tests/") || path.ends_with("/tests.rs") || path.contains("/tests/");
        let (shipped, tests) = if all_tests {
            (String::new(), code.clone())
        } else {
            (lexer::without_tests(&code), lexer::only_tests(&code))
        };
        File { path: path.to_owned(), text: text.to_owned(), code, shipped, tests }
    }

    fn is_rust(&self) -> bool {
        self.path.ends_with(".rs")
    }

    /// Returns a problem at an offset of the text.
    fn problem(&self, at: usize, message: impl Into<String>) -> Problem {
        self.problem_in_line(lexer::line(&self.text, at), message)
    }

    fn problem_in_line(&self, line: usize, message: impl Into<String>) -> Problem {
        Problem { path: self.path.clone(), line, message: message.into() }
    }
}

pub(crate) fn run() -> Result {
    let files = files()?;
    let named = |rule, problems: Vec<Problem>| problems.into_iter().map(move |it| (rule, it));
    let mut problems: Vec<_> = RULES
        .iter()
        .flat_map(|(rule, check)| files.iter().flat_map(|file| named(*rule, check(file))))
        .chain(named("kinds-tested", kinds::tested(&files)))
        .chain(named("no-circle", circles::none(&files)))
        .chain(named("test-programs", programs::named(&files)))
        .chain(named("live-tests", programs::live(&files)))
        .collect();
    problems.sort_by(|(_, a), (_, b)| (&a.path, a.line).cmp(&(&b.path, b.line)));
    for (rule, Problem { path, line, message }) in &problems {
        eprintln!("{path}:{line}: {message} [{rule}]");
    }
    if !problems.is_empty() {
        return Err(format!("tidy: {} found in {} files", problems.len(), files.len()).into());
    }
    println!("tidy: {} files", files.len());
    Ok(())
}

/// Returns the text files that are in the repository, or that the next `git add` would add.
fn files() -> Result<Vec<File>> {
    let list = ["ls-files", "-z", "--cached", "--others", "--exclude-standard"];
    let list = command::output(Command::new("git").args(list).current_dir(root()))?;
    let mut files = Vec::new();
    for path in list.split_terminator('\0').filter(|path| !path.starts_with("tests/corpus/")) {
        // Skips files that were deleted but not yet committed, and binary files.
        let Ok(bytes) = fs::read(root().join(path)) else { continue };
        let Ok(text) = String::from_utf8(bytes) else { continue };
        if !text.contains('\0') {
            files.push(File::new(path, &text));
        }
    }
    Ok(files)
}

/// Returns the line and the message of each problem that a rule finds in a sample.
#[cfg(test)]
fn said(rule: Rule, path: &str, text: &str) -> Vec<(usize, String)> {
    rule(&File::new(path, text)).into_iter().map(|it| (it.line, it.message)).collect()
}

/// Returns the lines in which a rule finds problems in a sample.
#[cfg(test)]
fn lines(rule: Rule, path: &str, text: &str) -> Vec<usize> {
    let mut lines: Vec<_> = said(rule, path, text).into_iter().map(|(line, _)| line).collect();
    lines.sort_unstable();
    lines
}
