//! The limits on the memory and time that an archive may take.

use crate::error::{Error, Result};

/// Limits on the memory and time that reading an archive may take. An archive over a limit is refused.
///
/// ```
/// use npy_zip::Limits;
///
/// let mut limits = Limits::default();
/// limits.inflated_bytes = 1 << 30;
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// The largest number of members. Default 1,048,576; a directory of that size takes a few hundred MiB.
    pub members: u64,
    /// The largest member after inflating, in bytes. Default 64 GiB. Stored members have no limit, because each of their bytes is in the
    /// file.
    pub inflated_bytes: u64,
    /// The largest compression ratio that a member may declare. Default 1,100: deflate reaches at most 1,032. Other methods reach
    /// 30,000 (Zstandard) or 200,000 (bzip2) with zeros, so they may have any ratio up to 256 MiB; what this package writes by Zstandard
    /// keeps to 1,000 above.
    pub inflation: u64,
}

/// The bytes that a member of another method than deflate may always inflate to.
pub(crate) const SMALL: u64 = 256 << 20;

impl Default for Limits {
    fn default() -> Self {
        Limits { members: 1 << 20, inflated_bytes: 1 << 36, inflation: 1100 }
    }
}

impl Limits {
    /// Refuses an archive of more members than the limit.
    pub(crate) fn check_members(&self, count: u64) -> Result<()> {
        check("members of an archive", "members", count, self.members)
    }

    /// Refuses a member that declares to inflate from `compressed` to `bytes` bytes, if the size or the ratio is over its limit.
    pub(crate) fn check_inflated(
        &self,
        is_deflated: bool,
        compressed: u64,
        bytes: u64,
    ) -> Result<()> {
        check("bytes of an inflated member", "inflated_bytes", bytes, self.inflated_bytes)?;
        if !is_deflated && bytes <= SMALL {
            return Ok(());
        }
        // Zero compressed bytes count as one byte.
        let ratio = bytes.checked_div(compressed).unwrap_or(bytes);
        check("compression ratio", "inflation", ratio, self.inflation)
    }
}

fn check(what: &'static str, name: &'static str, found: u64, limit: u64) -> Result<()> {
    if found <= limit { Ok(()) } else { Err(Error::Limit { what, name, found, limit }) }
}

#[cfg(test)]
mod tests {
    use super::{Limits, SMALL};

    /// Guards members of honest zeros, and that only the methods that can make them are trusted.
    #[test]
    fn a_small_member_has_any_ratio_unless_it_is_deflated() {
        let limits = Limits::default();
        assert!(limits.check_inflated(false, 100, SMALL).is_ok());
        assert!(limits.check_inflated(false, 100, SMALL + 1).is_err());
        assert!(limits.check_inflated(false, SMALL / 1000, SMALL + 1).is_ok());
        assert!(limits.check_inflated(true, 100, 110_000).is_ok());
        assert!(limits.check_inflated(true, 100, 110_100).is_err());
    }
}
