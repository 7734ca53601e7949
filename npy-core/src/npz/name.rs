//! The name of a member, in a program and in the archive.

use crate::error::{ErrorKind, Result};

/// The suffix of an array's name in the archive.
const SUFFIX: &str = ".npy";

/// Returns the name in the archive: `name` with `.npy`.
pub(super) fn in_archive(name: &str) -> Result<String> {
    if !name.is_empty() {
        check(name)?;
    }
    Ok(format!("{}{SUFFIX}", plain(name)))
}

/// Refuses a name that no member can have.
pub(super) fn check(name: &str) -> Result<()> {
    npy_zip::check_name(name)
        .map_err(|reason| ErrorKind::MemberName { name: excerpt(name), reason }.into())
}

/// Returns the start of a name, which may be long, for a message.
pub(super) fn excerpt(name: &str) -> String {
    const MAX_CHARS: usize = 80;
    match name.char_indices().nth(MAX_CHARS) {
        Some((end, _)) => format!("{}…", name.get(..end).unwrap_or_default()),
        None => name.to_owned(),
    }
}

/// Returns the name without `.npy`, as NumPy shows it.
pub(super) fn plain(name: &str) -> &str {
    name.strip_suffix(SUFFIX).unwrap_or(name)
}

/// Returns a list of the names, for an error message.
pub(super) fn list<'n>(names: impl ExactSizeIterator<Item = &'n str>) -> String {
    match names.len() {
        0 => "it has none".into(),
        _ => format!("its members are {}", quoted(names)),
    }
}

/// Returns a list of the names in quotes. After the first 20, states only how many there are in all.
pub(super) fn quoted<'n>(names: impl ExactSizeIterator<Item = &'n str>) -> String {
    const MAX_NAMES: usize = 20;
    let count = names.len();
    let mut quoted: Vec<_> =
        names.take(MAX_NAMES).map(|name| format!("{:?}", excerpt(name))).collect();
    if count > MAX_NAMES {
        quoted.push(format!("… ({count} in all)"));
    }
    quoted.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_names_are_cut() {
        assert_eq!(excerpt(&"é".repeat(100)).chars().count(), 81);
    }

    #[test]
    fn names_with_and_without_npy_are_the_same() {
        assert_eq!(in_archive("a/b").unwrap(), "a/b.npy");
        assert_eq!(in_archive("a/b.npy").unwrap(), "a/b.npy");
        assert_eq!(plain("x.npy.npy"), "x.npy");
        assert_eq!(in_archive("").unwrap(), ".npy");
        assert!(in_archive("a\0b").unwrap_err().to_string().contains("NUL"));
    }

    #[test]
    fn lists_of_names_are_cut() {
        let names: Vec<_> = (0..1000).map(|n| format!("{n}")).collect();
        let list = list(names.iter().map(String::as_str));
        assert!(list.ends_with("\"19\", … (1000 in all)"), "{list}");
    }
}
