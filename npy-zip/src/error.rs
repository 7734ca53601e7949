//! Errors.

use std::fmt;
use std::io;

use crate::records::Common;

/// The result of a call of this package.
pub type Result<T> = std::result::Result<T, Error>;

/// The reason why an archive cannot be read or written.
///
/// It passes unchanged through the traits of [`std::io`]: converted to an [`io::Error`], and back.
#[non_exhaustive]
pub enum Error {
    /// The inner reader or writer failed.
    Io(io::Error),
    /// The file has no directory, and does not look like a part of an archive.
    NotAnArchive {
        /// Its first bytes, at most 16.
        start: Vec<u8>,
    },
    /// The file does not begin with its archive.
    OtherStart {
        /// Its first bytes, at most 6.
        start: Vec<u8>,
    },
    /// The directory is invalid, or a member is not at the position that it states.
    Malformed {
        /// The problem, and the remedy.
        reason: String,
    },
    /// A stored member ends too early, or a compressed one inflates to fewer bytes than the directory states.
    Truncated {
        /// The number of bytes that the directory states.
        expected: u64,
        /// The number of bytes that are there.
        found: u64,
    },
    /// The bytes of a member do not have the checksum that the directory states.
    Checksum {
        /// The CRC-32 that the directory states.
        expected: u32,
        /// The CRC-32 of the bytes.
        found: u32,
    },
    /// The archive exceeds one of the [`Limits`](crate::Limits).
    Limit {
        /// The thing that is counted.
        what: &'static str,
        /// The field of [`Limits`](crate::Limits).
        name: &'static str,
        /// The amount found.
        found: u64,
        /// The amount allowed.
        limit: u64,
    },
    /// The member needs something that this package, or this build of it, does not have.
    Unsupported(Unsupported),
    /// After a write, the writer is at another position than the end of what was written, so that nothing before it can be changed: if the
    /// position is greater, the file was opened for appending; otherwise it is a device.
    Position {
        /// The position.
        found: u64,
        /// The end of what was written.
        expected: u64,
    },
    /// The allocator refused this many bytes.
    Memory {
        /// The number of bytes.
        bytes: u64,
    },
}

/// Something in an archive that is not supported.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Unsupported {
    /// The data of the member is a patch for other data.
    Patched,
    /// The member is encrypted.
    Encrypted,
    /// The member needs a newer version of the zip format than 6.3.
    Version,
    /// The member is compressed by the method with this number.
    Method(u16),
}

impl Unsupported {
    /// Returns the feature of this package that reads such members.
    ///
    /// ```
    /// use npy_zip::Unsupported;
    ///
    /// assert_eq!(Unsupported::Method(93).feature(), Some("zstd"));
    /// ```
    pub fn feature(self) -> Option<&'static str> {
        match self {
            Unsupported::Method(Common::BZIP2) => Some("bzip2"),
            Unsupported::Method(Common::LZMA) => Some("lzma"),
            Unsupported::Method(Common::ZSTD) => Some("zstd"),
            _ => None,
        }
    }
}

/// Names what is not supported, without advice: `an encrypted member`.
impl fmt::Display for Unsupported {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let method = match *self {
            Unsupported::Patched => return f.write_str("a member of patched data"),
            Unsupported::Encrypted => return f.write_str("an encrypted member"),
            Unsupported::Version => return f.write_str("a member of a newer version of zip"),
            Unsupported::Method(method) => method,
        };
        let name = match method {
            Common::BZIP2 => "bzip2",
            Common::LZMA => "LZMA",
            Common::ZSTD => "Zstandard",
            95 => "xz",
            9 => "Deflate64",
            _ => return write!(f, "a member compressed by method {method}"),
        };
        write!(f, "a member compressed by {name}")
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Io(error) => error.fmt(f),
            Error::NotAnArchive { start } => write!(
                f,
                "not a zip archive: it starts with \"{}\" and has no directory of members",
                start.escape_ascii()
            ),
            Error::OtherStart { start } => write!(
                f,
                "the file begins with \"{}\" instead of a member; remove what is before the archive, or read it with Directory::read",
                start.escape_ascii()
            ),
            Error::Malformed { reason } => write!(f, "the archive is malformed: {reason}"),
            Error::Truncated { expected, found } => write!(
                f,
                "the archive is malformed: the member ends after {found} of {expected} bytes; copy the file again, or write it again"
            ),
            Error::Checksum { expected, found } => write!(
                f,
                "the checksum is {found:08x} and should be {expected:08x}: the bytes and their checksum do not match, and one of them was changed; copy the file again, or write it again"
            ),
            Error::Limit { what, name, found, limit } => write!(
                f,
                "{what}: {found} exceeds the limit of {limit}; if you trust the source, raise Limits::{name}"
            ),
            Error::Unsupported(what) => match what.feature() {
                Some(feature) => write!(f, "{what} needs the feature `{feature}` of npy-zip"),
                None => write!(f, "{what} is not supported; unpack it with another tool"),
            },
            Error::Position { found, expected } if found > expected => f.write_str(
                "the file was opened with append(true), so every write goes to its end, and what comes first cannot be changed; open it with write(true)",
            ),
            Error::Position { .. } => f.write_str(
                "the position does not follow the writes, as in a device (/dev/null), so what comes first cannot be changed; write to a regular file, or write a stream",
            ),
            Error::Memory { bytes } => {
                write!(f, "out of memory: {bytes} bytes could not be allocated")
            }
        }
    }
}

/// Same as [`Display`](fmt::Display), so that `fn main() -> npy_zip::Result<()>` prints a readable message.
impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            // `Display` already prints the I/O error, so the source is the cause of the I/O error.
            Error::Io(error) => error.source(),
            _ => None,
        }
    }
}

/// Unwraps an [`enum@Error`] that passed through [`Read`](io::Read) or [`Write`](io::Write).
impl From<io::Error> for Error {
    fn from(error: io::Error) -> Self {
        error.downcast::<Error>().unwrap_or_else(Error::Io)
    }
}

/// An error of the inner reader or writer becomes that error. All others are wrapped, as [`InvalidData`](io::ErrorKind::InvalidData) if
/// the archive is at fault.
impl From<Error> for io::Error {
    fn from(error: Error) -> Self {
        let kind = match error {
            Error::Io(error) => return error,
            Error::Position { .. } => io::ErrorKind::Unsupported,
            Error::Memory { .. } => io::ErrorKind::OutOfMemory,
            _ => io::ErrorKind::InvalidData,
        };
        io::Error::new(kind, error)
    }
}

pub(crate) fn malformed(reason: impl Into<String>) -> Error {
    Error::Malformed { reason: reason.into() }
}

/// The error for an archive whose bytes are wrong.
pub(crate) fn corrupt(reason: impl fmt::Display) -> Error {
    malformed(format!("{reason}; copy the file again, or write it again"))
}

/// Widens a size; a `usize` has at most 64 bits.
#[inline]
pub(crate) fn to_u64(size: usize) -> u64 {
    size as u64
}

/// Converts a number of bytes from a file. Fails if the memory of this machine cannot hold that many.
pub(crate) fn to_usize(bytes: u64) -> Result<usize> {
    usize::try_from(bytes).map_err(|_| Error::Memory { bytes })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_pass_through_io_unchanged() {
        let error = Error::from(io::Error::from(Error::Checksum { expected: 1, found: 2 }));
        assert!(matches!(error, Error::Checksum { expected: 1, found: 2 }), "{error}");
        let inner = io::Error::from(Error::Io(io::ErrorKind::Interrupted.into()));
        assert_eq!(inner.kind(), io::ErrorKind::Interrupted);
    }

    #[test]
    fn a_method_that_a_feature_reads_names_it() {
        let text = Error::Unsupported(Unsupported::Method(Common::LZMA)).to_string();
        assert_eq!(text, "a member compressed by LZMA needs the feature `lzma` of npy-zip");
        assert_eq!(Unsupported::Method(1).to_string(), "a member compressed by method 1");
    }
}
