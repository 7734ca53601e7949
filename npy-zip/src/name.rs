//! The names of members.

use std::io;

/// Refuses a name that no member can have, and returns the reason.
///
/// ```
/// assert!(npy_zip::check_name("../x").is_ok() && npy_zip::check_name("").is_err());
/// ```
///
/// # Errors
///
/// The problem with the name, and the remedy.
pub fn check_name(name: &str) -> Result<(), &'static str> {
    // Many readers accept at most 64 KiB for a local header with its name and extra fields.
    const MAX_BYTES: usize = 60_000;
    if name.is_empty() {
        return Err("Python's zipfile cannot extract it; use a name that is not empty");
    }
    if name.contains('\0') {
        return Err("Python ends a name at a NUL; leave it out");
    }
    if name.len() > MAX_BYTES {
        return Err("it is longer than 60,000 bytes, too long for a zip file; shorten it");
    }
    Ok(())
}

/// Returns an error for a name that no member can have.
pub(crate) fn refuse_wrong(name: &str) -> io::Result<()> {
    check_name(name).map_err(|reason| {
        let text = format!("no member can have this name: {reason}");
        io::Error::new(io::ErrorKind::InvalidInput, text)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_no_member_can_have_are_refused() {
        assert_eq!(check_name("../a/b"), Ok(()));
        assert!(check_name("").unwrap_err().contains("not empty"));
        assert!(check_name("a\0b").unwrap_err().contains("NUL"));
        assert!(check_name(&"x".repeat(60_001)).is_err());
    }
}
