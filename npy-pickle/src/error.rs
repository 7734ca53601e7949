//! Errors.

use std::fmt;

/// The reason why a pickle cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Error {
    /// Python could not load the pickle, either, or it needs something outside of it.
    Malformed {
        /// The offset of the opcode.
        byte: u64,
        /// The reason.
        reason: &'static str,
    },
    /// The pickle ends before its last opcode.
    Truncated {
        /// The number of bytes that it has at least.
        expected: u64,
        /// The number of bytes that are there.
        found: u64,
    },
    /// The pickle has 2³² nodes or more, which an [`Id`](crate::Id) cannot number.
    TooManyNodes,
    /// The name of a module, or of something in it, has a line break, which ends a name in protocol 3: it is not written.
    LineBreak,
    /// The allocator refused this many bytes.
    Memory {
        /// The number of bytes.
        bytes: u64,
    },
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Malformed { byte, reason } => {
                write!(f, "the pickle is malformed at byte {byte}: {reason}; save it again")
            }
            Error::Truncated { expected, found } => {
                write!(
                    f,
                    "truncated: expected at least {expected} bytes, found {found}; copy the pickle again"
                )
            }
            Error::TooManyNodes => f.write_str(
                "the pickle has more than four thousand million objects; save it in parts",
            ),
            Error::LineBreak => f.write_str(
                "a line break in the name of a module or of something in it; use another name",
            ),
            Error::Memory { bytes } => write!(f, "not enough memory for {bytes} bytes"),
        }
    }
}

impl std::error::Error for Error {}

impl From<Error> for std::io::Error {
    fn from(error: Error) -> Self {
        std::io::Error::new(std::io::ErrorKind::InvalidData, error)
    }
}

/// Returns the error of a pickle that is malformed at this byte.
pub(crate) fn malformed(at: usize, reason: &'static str) -> Error {
    Error::Malformed { byte: to_u64(at), reason }
}

/// Reserves memory for exactly this many more items.
pub(crate) fn reserve<T>(list: &mut Vec<T>, additional: usize) -> Result<(), Error> {
    list.try_reserve_exact(additional).map_err(|_| {
        let items = list.len().saturating_add(additional);
        Error::Memory { bytes: to_u64(items.saturating_mul(size_of::<T>())) }
    })
}

/// Widens a size; a `usize` has at most 64 bits.
#[inline]
pub(crate) fn to_u64(size: usize) -> u64 {
    size as u64
}
