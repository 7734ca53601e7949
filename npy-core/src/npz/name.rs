//! Layer 7: what a member is called, in a program and in the archive.

use crate::error::{ErrorKind, Result};

/// What the name of an array ends with in the archive.
const SUFFIX: &str = ".npy";

/// The name in the archive.
pub(super) fn in_archive(name: &str) -> Result<String> {
    // A local header with name and extra fields is at most 64 KiB for many readers.
    const MOST: usize = 60_000;
    let refused = |reason| ErrorKind::MemberName { name: excerpt(name), reason }.into();
    if name.contains('\0') {
        return Err(refused("Python ends a name at a NUL; leave it out"));
    }
    if name.len() > MOST {
        return Err(refused("it is longer than 60,000 bytes, which a zip file has no room for"));
    }
    Ok(format!("{}{SUFFIX}", plain(name)))
}

/// The name without what it ends with in the archive: what NumPy calls the array.
pub(super) fn plain(name: &str) -> &str {
    name.strip_suffix(SUFFIX).unwrap_or(name)
}

/// The start of a name that may be long.
pub(super) fn excerpt(name: &str) -> String {
    const MOST: usize = 80;
    match name.char_indices().nth(MOST) {
        Some((end, _)) => format!("{}…", name.get(..end).unwrap_or_default()),
        None => name.to_owned(),
    }
}

/// The names that are there, for people.
pub(super) fn list<'n>(names: impl ExactSizeIterator<Item = &'n str>) -> String {
    match names.len() {
        0 => "it has none".into(),
        _ => format!("its members are {}", quoted(names)),
    }
}

/// Names in quotes, the first of many.
pub(super) fn quoted<'n>(names: impl ExactSizeIterator<Item = &'n str>) -> String {
    const MOST: usize = 20;
    let count = names.len();
    let mut quoted: Vec<_> = names.take(MOST).map(|name| format!("{:?}", excerpt(name))).collect();
    if count > MOST {
        quoted.push(format!("… ({count} in all)"));
    }
    quoted.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_with_and_without_npy_are_the_same() {
        assert_eq!(in_archive("a/b").unwrap(), "a/b.npy");
        assert_eq!(in_archive("a/b.npy").unwrap(), "a/b.npy");
        assert_eq!(plain("x.npy.npy"), "x.npy");
        assert!(in_archive("a\0b").unwrap_err().to_string().contains("NUL"));
        assert!(in_archive(&"x".repeat(60_001)).is_err());
    }

    #[test]
    fn lists_of_names_are_cut() {
        let names: Vec<_> = (0..1000).map(|n| format!("{n}")).collect();
        let list = list(names.iter().map(String::as_str));
        assert!(list.ends_with("\"19\", … (1000 in all)"), "{list}");
        assert_eq!(excerpt(&"é".repeat(100)).chars().count(), 81);
    }
}
