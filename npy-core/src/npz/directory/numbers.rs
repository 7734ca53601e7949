//! Layer 7: the numbers of a record in a zip file, one after another.

use super::malformed;
use crate::error::Result;

/// The bytes of a record that are not read yet.
pub(super) struct Numbers<'b>(pub(super) &'b [u8]);

impl Numbers<'_> {
    /// The next bytes.
    pub(super) fn bytes<const N: usize>(&mut self) -> Result<[u8; N]> {
        let next = self.0.split_first_chunk();
        let (bytes, rest) = next.ok_or_else(|| malformed(super::CUT))?;
        self.0 = rest;
        Ok(*bytes)
    }

    pub(super) fn u16(&mut self) -> Result<u16> {
        self.bytes().map(u16::from_le_bytes)
    }

    pub(super) fn u32(&mut self) -> Result<u32> {
        self.bytes().map(u32::from_le_bytes)
    }

    pub(super) fn u64(&mut self) -> Result<u64> {
        self.bytes().map(u64::from_le_bytes)
    }
}
