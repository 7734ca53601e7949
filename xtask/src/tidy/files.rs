//! Files: their names, sizes and first lines, and text that no file may contain.

use super::{File, Problem};

/// The size in bytes above which a file hardly holds only one idea.
const MAX_BYTES: usize = 40 << 10;

/// A Rust file is small enough to hold one idea.
pub(super) fn one_idea(file: &File) -> Vec<Problem> {
    if !file.is_rust() || file.text.len() < MAX_BYTES {
        return Vec::new();
    }
    let size = file.text.len();
    vec![file.problem(
        0,
        format!("{size} bytes, {MAX_BYTES} are the limit: which two ideas are in here?"),
    )]
}

/// A Rust file says what it is.
pub(super) fn docs(file: &File) -> Vec<Problem> {
    // Compiler samples and expected output are not modules: their folders say what they are.
    let is_sample = file.path.contains("/ui/") || file.path.contains("/snapshots/");
    if !file.is_rust() || is_sample || file.text.starts_with("//!") {
        return Vec::new();
    }
    vec![file.problem(0, "no `//!` line at the start; add one that says what this file is for")]
}

/// No file contains the path of somebody's working copy.
pub(super) fn no_machine_paths(file: &File) -> Vec<Problem> {
    // Assembled here, so that this file does not contain them.
    let folders = ["home", "root", "work", "farm"].map(|name| format!("/{name}/"));
    let mut problems = Vec::new();
    for (line, text) in (1..).zip(file.text.lines()) {
        if let Some(folder) = folders.iter().find(|&folder| text.contains(folder)) {
            let message = format!(
                "`{folder}` is on one machine only: write a path from the root of the repository"
            );
            problems.push(file.problem_in_line(line, message));
        }
    }
    problems
}

#[cfg(test)]
mod tests {
    use super::super::lines;
    use super::{docs, no_machine_paths, one_idea};

    #[test]
    fn files_are_small() {
        let text = "a".repeat(40 << 10);
        assert_eq!(lines(one_idea, "a.rs", &text), [1]);
        assert_eq!(lines(one_idea, "a.rs", &text[1..]), [0_usize; 0]);
        assert_eq!(lines(one_idea, "a.md", &text), [0_usize; 0]);
    }

    #[test]
    fn files_say_what_they_are() {
        assert_eq!(lines(docs, "a.rs", "fn main() {}\n//! Late."), [1]);
        assert_eq!(lines(docs, "a.rs", "//! A.\n"), [0_usize; 0]);
        assert_eq!(lines(docs, "tests/ui/tests/ui/field/vec.rs", "struct A;"), [0_usize; 0]);
    }

    #[test]
    fn machine_paths_are_found() {
        let text = format!("a\nsee /{}/me/x\n", "home");
        assert_eq!(lines(no_machine_paths, "README.md", &text), [2]);
        assert_eq!(lines(no_machine_paths, "README.md", "homework /homes/"), [0_usize; 0]);
    }
}
