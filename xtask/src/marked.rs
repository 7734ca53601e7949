//! Parts of documents that a program writes, between two lines.

use std::fs;
use std::path::Path;

use crate::Result;

/// Replaces what is between two lines of a file.
pub(crate) fn replace(path: &Path, marks: [&str; 2], new: &str) -> Result {
    let page = fs::read_to_string(path)?;
    let page = with(&page, marks, new);
    fs::write(
        path,
        page.ok_or_else(|| format!("{} lacks the lines {}{}", path.display(), marks[0], marks[1]))?,
    )?;
    Ok(())
}

/// Returns the text with this part between the marks.
fn with(page: &str, [from, to]: [&str; 2], new: &str) -> Option<String> {
    let (before, rest) = page.split_once(from)?;
    let (_, after) = rest.split_once(to)?;
    Some(format!("{before}{from}{new}{to}{after}"))
}

#[cfg(test)]
mod tests {
    use super::with;

    /// Guards that a new table replaces the old one, and is replaced in turn.
    #[test]
    fn the_part_takes_the_place_of_the_old_one() {
        let marks = ["<!-- from -->\n", "<!-- to -->\n"];
        let page = "a\n<!-- from -->\nold\n<!-- to -->\nb\n";
        let new = with(page, marks, "new\n").unwrap();
        assert_eq!(new, page.replace("old", "new"));
        assert_eq!(with(&new, marks, "new\n").unwrap(), new);
        assert_eq!(with("a\n", marks, "new\n"), None);
    }
}
