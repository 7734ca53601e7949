//! Layer 0: how much a file may ask for, and the doors through which its numbers pass.

use crate::error::{Error, ErrorKind};

/// What counts as one in [`Limits::empty_items`].
const BYTES_OF_AN_EMPTY_ITEM: u64 = 16;

/// How much a file may ask of the reader before it is refused.
///
/// A header that lies costs its sender bytes, not our memory: data is only given memory as its
/// bytes arrive, so no limit is needed for the array itself. What is limited is what a few bytes
/// could blow up.
///
/// ```
/// use npy_core::{Limits, ReadOptions};
///
/// let mut limits = Limits::default();
/// limits.array_bytes = Some(1 << 30);
/// let mut options = ReadOptions::new();
/// options.limits(limits);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// Bytes of a header. 1 MiB: a record of ten thousand fields fits; NumPy itself stops at 10,000 characters.
    pub header_bytes: u64,
    /// Brackets open at once in a header. 200: what Python's own parser takes; a record nested 90 deep fits.
    /// More than 400 counts as 400, which any stack holds.
    pub nesting: usize,
    /// Fields in a header, those of nested records included. 65,536: more than 1 MiB of header usefully holds.
    pub fields: usize,
    /// Bytes of one array's data. None: memory grows only as bytes arrive.
    pub array_bytes: Option<u64>,
    /// Items of no bytes (`|V0`, `|S0`) that are made into Rust values one by one. 1,048,576: such an array costs
    /// its sender nothing, whatever its length. A value of more than 16 bytes counts once for each 16.
    ///
    /// Of what serde makes, it is the memory beyond 2,048 times the data that counts: a value as 128 bytes, a record as 640 more, and
    /// a field as 128 and its name.
    pub empty_items: u64,
    /// Members of an archive. 1,048,576: a thousand times what models of many layers have; the directory of so many takes some hundred MiB.
    pub members: u64,
    /// Bytes of one member of an archive when inflated. 64 GiB: more than most machines hold, and less than a file of
    /// 100 MB can blow up to. Members that are stored cost their sender what they cost us, and are not limited.
    pub inflated_bytes: u64,
    /// How many bytes one compressed byte of an archive may state to become. 1,100: deflate makes at most 1,032 of one, and
    /// an array of zeros has just that.
    pub inflation: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            header_bytes: 1 << 20,
            nesting: 200,
            fields: 1 << 16,
            array_bytes: None,
            empty_items: 1 << 20,
            members: 1 << 20,
            inflated_bytes: 1 << 36,
            inflation: 1100,
        }
    }
}

impl Limits {
    /// Refuses a header of this many bytes if it is over the limit.
    pub(crate) fn check_header(&self, bytes: u64) -> Result<usize, Error> {
        check("a header", "header_bytes", bytes, self.header_bytes)?;
        to_usize(bytes)
    }

    /// Refuses data of this many bytes if it is over the limit.
    pub(crate) fn check_array(&self, bytes: u64) -> Result<(), Error> {
        match self.array_bytes {
            Some(limit) => check("an array", "array_bytes", bytes, limit),
            None => Ok(()),
        }
    }

    /// Refuses this many items of no bytes, each to be a value of that many, if it is over the limit.
    pub(crate) fn check_empty_items(&self, count: usize, size: usize) -> Result<(), Error> {
        let units = to_u64(size).div_ceil(BYTES_OF_AN_EMPTY_ITEM).max(1);
        let count = to_u64(count).saturating_mul(units);
        check("an array of items of no bytes", "empty_items", count, self.empty_items)
    }

    /// Refuses values of this many bytes that no data pays for, if they are over the limit.
    #[cfg(feature = "serde")]
    pub(crate) fn check_empty_bytes(&self, bytes: u64) -> Result<(), Error> {
        let count = bytes.div_ceil(BYTES_OF_AN_EMPTY_ITEM);
        check("a count of values of next to no bytes", "empty_items", count, self.empty_items)
    }

    /// Refuses an archive of this many members if it is over the limit.
    #[cfg(feature = "npz")]
    pub(crate) fn check_members(&self, count: u64) -> Result<(), Error> {
        check("a number of members", "members", count, self.members)
    }

    /// Refuses a member that states to be inflated from so many bytes to so many, if that is over the limit.
    #[cfg(feature = "npz")]
    pub(crate) fn check_inflated(&self, compressed: u64, bytes: u64) -> Result<(), Error> {
        check("an inflated member", "inflated_bytes", bytes, self.inflated_bytes)?;
        // A few bytes for what an empty member takes.
        let inflation = bytes.checked_div(compressed.max(1)).unwrap_or(0);
        check("an inflation", "inflation", inflation, self.inflation)
    }

    /// How many brackets may be open at once. The tree of a dtype is walked by recursion.
    pub(crate) fn brackets(&self) -> usize {
        const MOST: usize = 400;
        self.nesting.min(MOST)
    }
}

fn check(what: &'static str, name: &'static str, found: u64, limit: u64) -> Result<(), Error> {
    if found <= limit { Ok(()) } else { Err(ErrorKind::Limit { what, name, found, limit }.into()) }
}

/// A count from a file as a `usize`.
pub(crate) fn to_usize(n: u64) -> Result<usize, Error> {
    usize::try_from(n).map_err(|_| ErrorKind::Memory { bytes: n }.into())
}

/// A `usize` as the `u64` of messages and files.
pub(crate) fn to_u64(n: usize) -> u64 {
    u64::try_from(n).unwrap_or(u64::MAX)
}

/// NumPy's largest item: its item size is a C `int`.
pub(crate) const MAX_ITEMSIZE: usize = 0x7fff_ffff;

/// NumPy's largest number of dimensions.
pub(crate) const MAX_NDIM: usize = 64;
