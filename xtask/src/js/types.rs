//! The types of the package: those that its entries reach.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use crate::Result;
use crate::npm::files;

/// The types of what programs import.
const ENTRIES: [&str; 2] = ["index", "file"];

/// Removes the types that no entry reaches.
pub(super) fn keep_public(folder: &Path) -> Result {
    let mut reached = BTreeSet::new();
    let mut next: Vec<String> = ENTRIES.map(str::to_owned).to_vec();
    while let Some(name) = next.pop() {
        let path = folder.join(format!("{name}.d.ts"));
        if reached.insert(path.clone()) {
            next.extend(imports(&fs::read_to_string(path)?));
        }
    }
    for path in files(folder, ".d.ts")? {
        if !reached.contains(&path) {
            fs::remove_file(path)?;
        }
    }
    Ok(())
}

/// Returns the names of the scripts that a file imports.
fn imports(text: &str) -> Vec<String> {
    let all = text.split("\"./").skip(1);
    all.filter_map(|rest| Some(rest.split_once(".js\"")?.0.to_owned())).collect()
}

#[cfg(test)]
mod tests {
    use super::imports;

    #[test]
    fn imports_are_found_in_every_form() {
        let text = "import { A } from \"./a.js\";\nexport * from \"./b-c.js\";\ntype D = import(\"./d.js\").D;";
        assert_eq!(imports(text), ["a", "b-c", "d"]);
    }
}
