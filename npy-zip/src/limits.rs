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
    /// The largest compression ratio that a member may declare. Default 1,100: deflate reaches at most 1,032. With zeros, other methods
    /// reach 30,000 (Zstandard) or 800,000 (bzip2). Their members may exceed a ratio of 1,100 or more if all that do inflate to at most
    /// 256 MiB together. What this package writes by Zstandard keeps to 1,000.
    pub inflation: u64,
}

/// The largest ratio by default.
const INFLATION: u64 = 1100;

/// The bytes that the members of an archive above the ratio may inflate to, together.
const DENSE: u64 = 256 << 20;

impl Default for Limits {
    fn default() -> Self {
        Limits { members: 1 << 20, inflated_bytes: 1 << 36, inflation: INFLATION }
    }
}

impl Limits {
    /// Refuses an archive of more members than the limit.
    pub(crate) fn check_members(&self, count: u64) -> Result<()> {
        check("members of an archive", "members", count, self.members)
    }

    /// Refuses a member that declares to inflate from `compressed` to `bytes` bytes, if the size or the ratio is over its limit. `dense` is
    /// the size of all members like it that are above the ratio; `None` for a deflated one.
    pub(crate) fn check_inflated(
        &self,
        compressed: u64,
        bytes: u64,
        dense: Option<u64>,
    ) -> Result<()> {
        check("bytes of an inflated member", "inflated_bytes", bytes, self.inflated_bytes)?;
        if dense.is_some_and(|dense| dense <= DENSE) && self.inflation >= INFLATION {
            return Ok(());
        }
        check("compression ratio", "inflation", ratio(compressed, bytes), self.inflation)
    }

    /// Returns true if a member is above the largest ratio.
    pub(crate) fn is_dense(&self, compressed: u64, bytes: u64) -> bool {
        ratio(compressed, bytes) > self.inflation
    }
}

/// Zero compressed bytes count as one byte.
fn ratio(compressed: u64, bytes: u64) -> u64 {
    bytes.checked_div(compressed).unwrap_or(bytes)
}

fn check(what: &'static str, name: &'static str, found: u64, limit: u64) -> Result<()> {
    if found <= limit { Ok(()) } else { Err(Error::Limit { what, name, found, limit }) }
}

#[cfg(test)]
mod tests {
    use super::{DENSE, Limits};

    /// Guards members of honest zeros, and that only the methods that can make them are trusted, for as many bytes together.
    #[test]
    fn other_methods_than_deflate_have_any_ratio_up_to_a_sum() {
        let limits = Limits::default();
        assert!(limits.check_inflated(100, 1 << 20, Some(DENSE)).is_ok());
        assert!(limits.check_inflated(100, 1 << 20, Some(DENSE + 1)).is_err());
        assert!(limits.check_inflated(100, 100_000, Some(u64::MAX)).is_ok());
        assert!(limits.check_inflated(100, 110_000, None).is_ok());
        assert!(limits.check_inflated(100, 110_100, None).is_err());
        let low = Limits { inflation: 10, ..limits };
        assert!(low.check_inflated(100, 1_100, Some(0)).is_err());
    }
}
