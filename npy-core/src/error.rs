//! Layer 0: the one error of the crate: a kind, and where it happened.

mod view;

use std::fmt;
use std::path::{Path, PathBuf};

pub use view::ViewError;

/// The result of everything that reads or writes.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// What went wrong, where, and what to do about it.
///
/// One word in size. It prints as one line, outermost place first:
///
/// ```
/// use npy_core::{ErrorKind, Header};
///
/// let error = Header::parse(b"no array").unwrap_err();
/// assert!(matches!(error.kind(), ErrorKind::NotNpy { .. }));
/// assert!(error.to_string().starts_with("not a .npy file"));
/// ```
pub struct Error(Box<Inner>);

struct Inner {
    kind: ErrorKind,
    // Innermost first: places are added on the way out.
    places: Vec<Place>,
}

/// Where in the input an error happened.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Place {
    /// A file.
    Path(PathBuf),
    /// A member of an archive.
    Member(String),
    /// A field of a record; `.` between the levels.
    Field(String),
    /// An item, counted from zero in the order of the file.
    Row(u64),
    /// A byte of the header's text, counted from the start of the file.
    HeaderByte(usize),
}

/// The kinds of [`Error`]. Each message says what to do.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The system refused to read or write.
    #[error("{0}")]
    Io(#[source] std::io::Error),

    /// The input does not start with the magic bytes of `.npy`.
    #[error(
        "not a .npy file: it starts with {found}, not with {magic}{hint}",
        magic = "\"\\x93NUMPY\""
    )]
    NotNpy {
        /// The first bytes, as an escaped string.
        found: String,
        /// What it seems to be instead, and what reads that; empty if unknown.
        hint: &'static str,
    },

    /// A version of the format other than 1.0, 2.0 and 3.0.
    #[error("version {major}.{minor} of the format is unknown; 1.0, 2.0 and 3.0 can be read")]
    Version {
        /// The first byte of the version.
        major: u8,
        /// The second byte of the version.
        minor: u8,
    },

    /// The input ends too early.
    #[error(
        "cut short: {what} takes {expected} bytes and only {found} are there; the file was not written to its end or not copied whole"
    )]
    Truncated {
        /// What the missing bytes belong to.
        what: &'static str,
        /// Bytes it should have.
        expected: u64,
        /// Bytes that are there.
        found: u64,
    },

    /// The header is not the Python dictionary it must be.
    #[error("the header is malformed: {reason}")]
    Header {
        /// What is wrong with it.
        reason: String,
    },

    /// A dtype that NumPy could not have written, or one that has no place in a file.
    #[error("dtype {descr}: {reason}")]
    DType {
        /// The dtype as it was given.
        descr: String,
        /// What is wrong with it.
        reason: String,
    },

    /// A shape that no array can have.
    #[error("shape {shape}: {reason}")]
    Shape {
        /// The shape as it was given.
        shape: String,
        /// What is wrong with it.
        reason: String,
    },

    /// Something is larger than [`Limits`](crate::Limits) allows.
    #[error(
        "{what} of {found} is over the limit of {limit}; if you trust the source, raise Limits::{name}"
    )]
    Limit {
        /// What is counted.
        what: &'static str,
        /// The field of [`Limits`](crate::Limits).
        name: &'static str,
        /// How much there is.
        found: u64,
        /// How much is allowed.
        limit: u64,
    },

    /// The file holds one dtype, the program wants another.
    #[error("the file holds {found}, {wanted_by} wants {wanted}; {remedy}")]
    Mismatch {
        /// The dtype in the file.
        found: String,
        /// The dtype that is wanted.
        wanted: String,
        /// Who wants it: the name of a Rust type.
        wanted_by: String,
        /// What to do.
        remedy: &'static str,
    },

    /// A field that the program needs is not in the file.
    #[error(
        "the file has no field {name:?}, which {wanted_by} needs; its fields are {fields}; #[npy(rename = \"…\")] gives a Rust field the name it has in the file, #[npy(default)] does without"
    )]
    MissingField {
        /// The field.
        name: String,
        /// Who wants it: the name of a Rust type.
        wanted_by: String,
        /// The fields that are there.
        fields: String,
    },

    /// A field in the file that the program does not take.
    #[error("the file has a field {name:?}, which {wanted_by} does not take; {remedy}")]
    UnknownField {
        /// The field.
        name: String,
        /// Who does not take it: the name of a Rust type.
        wanted_by: String,
        /// What to do.
        remedy: &'static str,
    },

    /// Members of an archive that the program does not take.
    #[error("the archive has members that {wanted_by} does not take: {names}; {remedy}")]
    UnknownMembers {
        /// The members.
        names: String,
        /// Who does not take them: the name of a Rust type.
        wanted_by: String,
        /// What to do.
        remedy: &'static str,
    },

    /// The array has another number of dimensions, or other dimensions, than the type can take.
    #[error("the array has shape {shape}, {wanted_by} takes {wanted}; {remedy}")]
    Rank {
        /// The shape in the file.
        shape: String,
        /// Who takes it: the name of a Rust type.
        wanted_by: String,
        /// What it takes.
        wanted: String,
        /// What to do.
        remedy: &'static str,
    },

    /// A value that its dtype cannot hold, or bytes that are no value of the type.
    #[error("{reason}")]
    InvalidValue {
        /// Why.
        reason: String,
    },

    /// Something that is legal, and that this version or build of the crate does not do.
    #[error("{what} needs {needs}")]
    Unsupported {
        /// What was met.
        what: String,
        /// What it takes.
        needs: &'static str,
    },

    /// An array that can be read, and cannot be viewed where it lies.
    #[error("{0}")]
    View(ViewError),

    /// The directory of an archive is not as it must be, or a member is not where it says.
    #[error("the archive is malformed: {reason}")]
    Archive {
        /// What is wrong with it.
        reason: String,
    },

    /// A member that the program needs is not in the archive.
    #[error("the archive has no member {name:?}; {members}")]
    MissingMember {
        /// The member.
        name: String,
        /// The members that are there, for people.
        members: String,
    },

    /// A name that a member cannot have.
    #[error("no member can be named {name:?}: {reason}")]
    MemberName {
        /// The name.
        name: String,
        /// Why not.
        reason: &'static str,
    },

    /// The bytes of a member are not those that were written.
    #[error(
        "the checksum is {found:08x} and should be {expected:08x}: the bytes were changed after they were written; copy the file again, or make it anew"
    )]
    Checksum {
        /// The CRC-32 that the archive states.
        expected: u32,
        /// That of the bytes.
        found: u32,
    },

    /// Another writer is appending to the file.
    #[error(
        "another writer is appending to it; wait until that one has finished, or write another file"
    )]
    Locked,

    /// The memory for the result could not be had.
    #[error("there is no memory for {bytes} bytes; read the array in parts")]
    Memory {
        /// How much was asked for.
        bytes: u64,
    },
}

impl Error {
    /// What went wrong.
    pub fn kind(&self) -> &ErrorKind {
        &self.0.kind
    }

    /// Where it happened, outermost first.
    pub fn places(&self) -> impl Iterator<Item = &Place> {
        self.0.places.iter().rev()
    }

    /// The same error, inside this place.
    #[must_use]
    pub(crate) fn within(mut self, place: Place) -> Self {
        // A field inside a field is one path.
        if let (Place::Field(outer), Some(Place::Field(inner))) = (&place, self.0.places.last_mut())
        {
            *inner = format!("{outer}.{inner}");
        } else {
            self.0.places.push(place);
        }
        self
    }

    pub(crate) fn in_file(self, path: &Path) -> Self {
        self.within(Place::Path(path.to_owned()))
    }

    #[cfg(feature = "npz")]
    pub(crate) fn in_member(self, name: &str) -> Self {
        self.within(Place::Member(name.to_owned()))
    }

    pub(crate) fn in_field(self, name: &str) -> Self {
        self.within(Place::Field(name.to_owned()))
    }

    /// The same error as one of another kind, in the same place.
    #[must_use]
    pub(crate) fn map_kind(self, change: impl FnOnce(ErrorKind) -> ErrorKind) -> Self {
        let Inner { kind, places } = *self.0;
        Error(Box::new(Inner { kind: change(kind), places }))
    }

    /// Names who wanted what the file does not hold.
    pub(crate) fn wanted_by(mut self, who: &str) -> Self {
        match &mut self.0.kind {
            ErrorKind::Mismatch { wanted_by, .. }
            | ErrorKind::MissingField { wanted_by, .. }
            | ErrorKind::UnknownField { wanted_by, .. }
            | ErrorKind::UnknownMembers { wanted_by, .. }
            | ErrorKind::Rank { wanted_by, .. } => who.clone_into(wanted_by),
            _ => {}
        }
        self
    }
}

impl From<ErrorKind> for Error {
    fn from(kind: ErrorKind) -> Self {
        Error(Box::new(Inner { kind, places: Vec::new() }))
    }
}

/// Also takes an error of ours back out that went through [`Read`](std::io::Read).
impl From<std::io::Error> for Error {
    fn from(error: std::io::Error) -> Self {
        match error.downcast::<Error>() {
            Ok(ours) => ours,
            Err(error) => ErrorKind::Io(error).into(),
        }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::Path(path) => write!(f, "{}", path.display()),
            Place::Member(name) => write!(f, "member {name:?}"),
            Place::Field(name) => write!(f, "field {name:?}"),
            Place::Row(row) => write!(f, "row {row}"),
            Place::HeaderByte(at) => write!(f, "byte {at}"),
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for place in self.places() {
            write!(f, "{place}: ")?;
        }
        write!(f, "{}", self.0.kind)
    }
}

/// As [`Display`](fmt::Display), so that `fn main() -> npy_core::Result<()>` prints the sentence.
impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match &self.0.kind {
            // The message of an `Io` error is the system's own; its source is what lies below that.
            ErrorKind::Io(error) => error.source(),
            _ => None,
        }
    }
}
