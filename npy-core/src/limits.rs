//! The limits on the memory and time that a file may take, and conversions between `u64` and
//! `usize`.

use crate::error::{Error, ErrorKind};

/// The unit of [`Limits::empty_items`]: a value counts once for each started unit of this many
/// bytes.
const BYTES_OF_AN_EMPTY_ITEM: u64 = 16;

/// The name of what [`Limits::empty_items`] counts, in errors.
const EMPTY_ITEMS: &str =
    "columns, rows and values with almost no data in the file, counted by 16 bytes of memory";

/// Limits on the memory and time that reading a file may take. A file over a limit is refused.
///
/// A header with false sizes cannot exhaust memory, because memory for data is only allocated as the
/// data arrives. The limits restrict everything else that can take much more memory or time than the
/// size of the file suggests.
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
    /// The largest header, in bytes. Default 1 MiB, enough for a record of ten thousand fields. NumPy itself reads at most 10,000
    /// characters.
    pub header_bytes: u64,
    /// The largest number of brackets that are open at once in a header. Default 200, as in Python's own parser, enough for records
    /// nested 90 deep. Values over 400 count as 400, so that the stack cannot overflow.
    pub nesting: usize,
    /// The largest number of fields in a header, including the fields of nested records. Default 65,536, more than a header of
    /// 1 MiB usually has.
    pub fields: usize,
    /// The largest data of one array, in bytes. Default `None`, no limit: memory grows only as bytes arrive. Each text that becomes a
    /// `String` takes up to 56 bytes of memory, also one of a single byte; in a `DynArray` or a `FixedStr`, texts take the bytes of the file.
    pub array_bytes: Option<u64>,
    /// The largest number of elements of zero bytes (`|V0`, `|S0`) that are converted to Rust
    /// values. Default 1,048,576. A tiny file can declare any number of such elements. A value of
    /// more than 16 bytes in memory counts once for every 16 bytes, rounded up.
    ///
    /// Values that serde creates may take 2,048 bytes of memory for each byte of data. Only memory
    /// above that counts, 16 bytes as one element. The memory is estimated: 128 bytes for each
    /// number, text or list, and 640 bytes for a record, plus 128 bytes and the length of the name
    /// for each of its fields.
    pub empty_items: u64,
    /// The deepest nesting of Python objects that become Rust values. Default 128, as in most formats of serde.
    pub object_depth: usize,
    /// The largest ratio of the memory of values made from Python objects to the bytes of their
    /// pickle. A small pickle can become large values, because it can use the same object many
    /// times. Default 256: enough for a list that repeats a text of 380 characters, with two bytes
    /// of the pickle for each use. Values that take up to 16 MiB together are always allowed.
    ///
    /// Lists of a Rust type count the size of the type for each value, and the length of text. Values
    /// that serde creates count as in [`empty_items`](Self::empty_items), which is no less than they
    /// take as a `serde_json::Value`: so their memory has no more than this many times the bytes of
    /// the pickle, or 16 MiB. A type that is larger than 128 bytes takes more.
    pub object_expansion: u64,
    /// The largest number of members of an archive. Default 1,048,576, a thousand times as many as large models have. A directory
    /// of that size takes a few hundred MiB.
    pub members: u64,
    /// The largest member of an archive after inflating, in bytes. Default 64 GiB, more than most machines can hold. Without this
    /// limit, a file of 100 MB can inflate to 100 GB. Stored members have no limit, because each of their bytes is in the file.
    pub inflated_bytes: u64,
    /// The largest compression ratio that a member may declare. Default 1,100: deflate, which NumPy
    /// writes, reaches at most 1,032, for example with an array of zeros. Other methods, such as
    /// bzip2 and Zstandard, reach more: all of their members above 1,100 may inflate to 256 MiB together.
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
            object_depth: 128,
            object_expansion: 256,
            members: 1 << 20,
            inflated_bytes: 1 << 36,
            inflation: 1100,
        }
    }
}

impl Limits {
    /// Refuses a header of more bytes than the limit.
    pub(crate) fn check_header(&self, bytes: u64) -> Result<usize, Error> {
        check("bytes in a header", "header_bytes", bytes, self.header_bytes)?;
        to_usize(bytes)
    }

    /// Refuses data of more bytes than the limit.
    #[inline]
    pub(crate) fn check_array(&self, bytes: u64) -> Result<(), Error> {
        match self.array_bytes {
            Some(limit) => check("bytes in an array", "array_bytes", bytes, limit),
            None => Ok(()),
        }
    }

    /// Refuses `count` elements of zero bytes over the limit. Each becomes a value of `size` bytes
    /// in memory.
    pub(crate) fn check_empty_items(&self, count: usize, size: usize) -> Result<(), Error> {
        let units = to_u64(size).div_ceil(BYTES_OF_AN_EMPTY_ITEM).max(1);
        let count = to_u64(count).saturating_mul(units);
        check(EMPTY_ITEMS, "empty_items", count, self.empty_items)
    }

    /// Refuses `bytes` bytes of memory over the limit, for values with almost no data in the file.
    #[cfg(feature = "serde")]
    pub(crate) fn check_empty_bytes(&self, bytes: u64) -> Result<(), Error> {
        let count = bytes.div_ceil(BYTES_OF_AN_EMPTY_ITEM);
        check(EMPTY_ITEMS, "empty_items", count, self.empty_items)
    }

    /// Refuses values that take `bytes` bytes of memory, if that is over the limit for a pickle of
    /// `pickle` bytes.
    #[inline]
    #[cfg(feature = "objects")]
    pub(crate) fn check_objects(&self, bytes: u64, pickle: u64) -> Result<(), Error> {
        const ALWAYS: u64 = 16 << 20;
        let (what, name) = ("memory of values for each byte of the pickle", "object_expansion");
        if bytes <= ALWAYS || bytes <= pickle.saturating_mul(self.object_expansion) {
            return Ok(());
        }
        let found = bytes.checked_div(pickle).unwrap_or(bytes).saturating_add(1);
        Err(ErrorKind::Limit { what, name, found, limit: self.object_expansion }.into())
    }

    /// Refuses Python objects nested deeper than the limit.
    #[cfg(feature = "serde")]
    pub(crate) fn check_object_depth(&self, depth: usize) -> Result<(), Error> {
        let (depth, limit) = (to_u64(depth), to_u64(self.object_depth));
        check("nesting of Python objects", "object_depth", depth, limit)
    }

    /// Returns the number of brackets that may be open at once, at most `MAX_BRACKETS`: the
    /// functions that walk a dtype are recursive, and a higher number could overflow the stack.
    pub(crate) fn brackets(&self) -> usize {
        const MAX_BRACKETS: usize = 400;
        self.nesting.min(MAX_BRACKETS)
    }
}

#[inline]
fn check(what: &'static str, name: &'static str, found: u64, limit: u64) -> Result<(), Error> {
    if found <= limit { Ok(()) } else { Err(ErrorKind::Limit { what, name, found, limit }.into()) }
}

/// Converts a number of bytes from a file to a `usize`. Fails if the number does not fit: the
/// memory of this machine cannot hold that many bytes.
pub(crate) fn to_usize(n: u64) -> Result<usize, Error> {
    usize::try_from(n).map_err(|_| ErrorKind::Memory { bytes: n }.into())
}

/// Converts a `usize` to a `u64`, for error messages and files.
pub(crate) fn to_u64(n: usize) -> u64 {
    u64::try_from(n).unwrap_or(u64::MAX)
}

/// The largest item size of NumPy, which is a C `int`.
pub(crate) const MAX_ITEMSIZE: usize = 0x7fff_ffff;

/// The largest number of dimensions of NumPy.
pub(crate) const MAX_NDIM: usize = 64;
