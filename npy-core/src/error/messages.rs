//! The messages of errors: what is wrong, with the values, and what to do.

use std::error::Error as StdError;
use std::fmt;

use super::view::ViewError;
use super::{ErrorKind, byte_count};

impl fmt::Display for ErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ErrorKind::Io(error) => write!(f, "{error}{}", of_path(error)),
            ErrorKind::NotNpy { found, hint } if found.is_empty() => {
                write!(f, "not a .npy file: {hint}")
            }
            ErrorKind::NotNpy { found, hint } => {
                write!(f, "not a .npy file: it starts with {found} instead of \"\\x93NUMPY\"{hint}")
            }
            ErrorKind::NotNpz { found, hint } => write!(
                f,
                "not a .npz archive: it starts with {found} and has no directory of members{hint}"
            ),
            ErrorKind::Version { major, minor } => write!(
                f,
                "unknown format version {major}.{minor}; versions 1.0, 2.0 and 3.0 can be read: save it again with np.save"
            ),
            ErrorKind::Truncated { what, expected, found, remedy } => write!(
                f,
                "truncated: expected {}{} of {what}, found {found}; write or copy the complete file again{}{remedy}",
                // Only the bytes that were read say how long a pickle is.
                if *what == "pickle" { "at least " } else { "" },
                byte_count(*expected),
                if remedy.is_empty() { "" } else { ", or " }
            ),
            ErrorKind::Header { reason } => write!(f, "the header is malformed: {reason}"),
            ErrorKind::DType { descr, reason } => write!(f, "dtype {descr}: {reason}"),
            ErrorKind::Shape { shape, reason } => write!(f, "shape {shape}: {reason}"),
            ErrorKind::Limit { what, name, found, limit } => write!(
                f,
                "{what}: {found} exceeds the limit of {limit}; if you trust the source, raise Limits::{name}"
            ),
            ErrorKind::Mismatch { in_memory, found, wanted, wanted_by, remedy } => {
                let holder = if *in_memory { "the array" } else { "the file" };
                write!(f, "{holder} holds {found}, {wanted_by} expects {wanted}; {remedy}")
            }
            ErrorKind::MissingField { name, wanted_by, fields, remedy } => {
                let (says, fields) = match fields.as_str() {
                    "" => ("it has no fields", ""),
                    fields => ("its fields are ", fields),
                };
                write!(
                    f,
                    "the file has no field {name:?}, which {wanted_by} expects; {says}{fields}; {remedy}"
                )
            }
            ErrorKind::UnknownField { name, wanted_by, remedy } => write!(
                f,
                "the file has a field {name:?}, which {wanted_by} does not have; {remedy}"
            ),
            ErrorKind::UnknownMembers { names, wanted_by, remedy } => write!(
                f,
                "the archive has members that {wanted_by} does not have: {names}; {remedy}"
            ),
            ErrorKind::Rank { shape, wanted_by, wanted, remedy } => {
                write!(f, "the array has shape {shape}, {wanted_by} expects {wanted}; {remedy}")
            }
            ErrorKind::InvalidValue { reason, remedy } if remedy.is_empty() => f.write_str(reason),
            ErrorKind::InvalidValue { reason, remedy } => write!(f, "{reason}; {remedy}"),
            ErrorKind::Pickle { byte, reason } => {
                write!(f, "the pickle is malformed at byte {byte}: {reason}; save the array again")
            }
            ErrorKind::Unsupported { what, needs } => write!(f, "{what} needs {needs}"),
            ErrorKind::View(error) => error.fmt(f),
            ErrorKind::Archive { reason } => write!(f, "the archive is malformed: {reason}"),
            ErrorKind::MissingMember { name, members } => {
                write!(f, "the archive has no member {name:?}; {members}")
            }
            ErrorKind::MemberName { name, reason } => {
                write!(f, "a member cannot be named {name:?}: {reason}")
            }
            ErrorKind::Checksum { expected, found } => write!(
                f,
                "the checksum is {found:08x} and should be {expected:08x}: the bytes and their checksum do not match, and one of them was changed; copy the file again, or write it again"
            ),
            ErrorKind::Locked => write!(
                f,
                "another writer has it open; wait until it has finished, or write to another file"
            ),
            ErrorKind::Custom { reason } => write!(f, "{reason}"),
            ErrorKind::UncountedRows { counted, uncounted } => write!(
                f,
                "the header counts {counted} of {} complete rows: a writer may have been stopped before it counted the others; count them with WriteOptions::new().uncounted_rows(UncountedRows::Keep), or remove them with WriteOptions::new().uncounted_rows(UncountedRows::Remove)",
                counted.saturating_add(*uncounted)
            ),
            ErrorKind::Memory { bytes } => write!(
                f,
                "out of memory: {bytes} bytes could not be allocated; read the array in parts"
            ),
        }
    }
}

/// Returns the advice for an error of the system that is due to the path; an error with words of this crate has its own.
fn of_path(error: &std::io::Error) -> &'static str {
    use std::io::ErrorKind::{IsADirectory, NotFound};

    match error.kind() {
        _ if error.raw_os_error().is_none() => "",
        NotFound => "; check the path, and from which directory it starts",
        IsADirectory => "; name a file in the directory",
        _ => "",
    }
}

impl StdError for ErrorKind {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        match self {
            ErrorKind::Io(error) => Some(error),
            _ => None,
        }
    }
}

impl fmt::Display for ViewError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for place in self.places() {
            write!(f, "{place}: ")?;
        }
        match self {
            ViewError::ByteOrder { found, wanted, wanted_by, copy, .. } => write!(
                f,
                "the file holds {found}, but {wanted_by} is {wanted} in memory; view integers and floats as Le<…> or Be<…>, which have a fixed byte order, open a file of any dtype as MapAny, or copy and byte-swap it with {copy}"
            ),
            ViewError::Layout { found, wanted, wanted_by, copy, .. } => write!(
                f,
                "the file holds {found}, but {wanted_by} is {wanted} in memory; copy it with {copy}"
            ),
            ViewError::Misaligned { align, past, wanted_by, copy, .. } => write!(
                f,
                "misaligned: `{wanted_by}` needs an address that is a multiple of {align}, but its address has a remainder of {past}; copy it with {copy}, or use #[repr(C, packed)], Le<…> or Be<…>, which need no alignment"
            ),
            ViewError::Stride { stride, size, wanted, wanted_by, copy, .. } => write!(
                f,
                "the values are {stride} bytes apart, but a view of {wanted_by} ({}) needs them {wanted}; copy them with {copy}",
                byte_count(size)
            ),
            ViewError::Compressed { copy, .. } => write!(
                f,
                "the member is compressed; inflate it with {copy}, or write it uncompressed with npz::WriteOptions::new().stored() (np.savez)"
            ),
            &ViewError::Short { what, expected, found, remedy } => {
                ErrorKind::Truncated { what, expected, found, remedy }.fmt(f)
            }
            ViewError::Unreadable(error) => error.fmt(f),
        }
    }
}

/// Same as [`Display`](fmt::Display), like that of [`Error`](crate::Error).
impl fmt::Debug for ViewError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl StdError for ViewError {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        match self {
            ViewError::Unreadable(error) => error.source(),
            _ => None,
        }
    }
}
