//! Each dependency says what it is for.

use super::{File, Problem};

/// A dependency has a comment on its line or above its group. A workspace dependency has it in the workspace's manifest.
pub(super) fn explained(file: &File) -> Vec<Problem> {
    if file.path.rsplit('/').next() != Some("Cargo.toml") {
        return Vec::new();
    }
    let mut problems = Vec::new();
    let mut in_dependencies = false;
    // True if there is a comment above, with no blank line between.
    let mut commented = false;
    // The number of brackets still open from earlier lines: the value continues.
    let mut open = 0_usize;
    for (number, line) in (1..).zip(file.text.lines()) {
        let line = line.trim();
        if open > 0 {
            open = still_open(open, line);
        } else if line.is_empty() {
            commented = false;
        } else if line.starts_with('#') {
            commented = true;
        } else if let Some(section) = line.strip_prefix('[') {
            let name = section.split(']').next().unwrap_or_default();
            let table = name.split_once("dependencies.").map(|(_, crate_name)| crate_name);
            in_dependencies = name.ends_with("dependencies");
            if let Some(crate_name) = table.filter(|_| !commented && !line.contains('#')) {
                problems.push(file.problem_in_line(number, message(crate_name)));
            }
            commented = false;
        } else {
            open = still_open(0, line);
            let shared = line.replace(' ', "").contains("workspace=true");
            if in_dependencies && !commented && !shared && !line.contains('#') {
                let name = line.split(['=', '.', ' ']).next().unwrap_or_default();
                problems.push(file.problem_in_line(number, message(name)));
            }
        }
    }
    problems
}

fn message(name: &str) -> String {
    format!("`{name}` has no comment; say what it is for, on its line or above its group")
}

fn still_open(before: usize, line: &str) -> usize {
    let line = line.split('#').next().unwrap_or_default();
    let opened = line.matches(['[', '{']).count();
    (before + opened).saturating_sub(line.matches([']', '}']).count())
}

#[cfg(test)]
mod tests {
    use super::super::{lines, said};
    use super::explained;

    #[test]
    fn a_dependency_without_a_reason_is_found() {
        let text = "[package]\nname = \"x\"\n\n[dependencies]\n# For a.\na = \"1\"\nb = \"1\"\n\nc = \"1\"\nd = \"1\" # For d.\n[dev-dependencies]\ne = { version = \"1\", features = [\n  \"f\",\n] }\ng.workspace = true\nh = { workspace = true, optional = true }\n";
        assert_eq!(lines(explained, "x/Cargo.toml", text), [9, 12]);
        assert_eq!(lines(explained, "x/other.toml", text), [0_usize; 0]);
        let said = said(explained, "Cargo.toml", "[workspace.dependencies]\nsyn = \"2\"");
        assert!(said[0].1.starts_with("`syn` has no comment;"), "{said:?}");
    }

    #[test]
    fn tables_are_dependencies_too() {
        let text = "# For a.\n[dependencies.a]\nversion = \"1\"\n\n[target.'cfg(unix)'.dependencies.b]\nversion = \"1\"\n[target.'cfg(unix)'.dependencies]\nc = \"1\"\n";
        assert_eq!(lines(explained, "Cargo.toml", text), [5, 8]);
    }
}
