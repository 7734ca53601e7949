//! The error type of the crate, which has a kind and the places where the error happened.

pub(crate) mod formats;
mod messages;
pub(crate) mod truncated;
mod view;

use std::fmt;
use std::path::{Path, PathBuf};

pub use view::{Places, ViewError};

/// The result type of this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// The error type of this crate. It has a kind and a location, and its message says what to do.
///
/// An I/O error is in [`kind`](Self::kind); [`source`](std::error::Error::source) is the cause of that one, because the message has its text.
///
/// It is one word in size and prints as one line, outermost location first:
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
    // Innermost first: each caller adds its own place as the error is returned.
    places: Vec<Place>,
}

/// A place in the input at which an error happened.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Place {
    /// A file.
    Path(PathBuf),
    /// A member of an archive.
    Member(String),
    /// A field of a record. The names of nested fields are joined by `.`.
    Field(String),
    /// A row: an index of the first dimension. If an array of several dimensions is read or written
    /// one element at a time, as by [`Reader::records`](crate::Reader::records), this is the index
    /// of the element in the order of the file. Both count from zero.
    Row(u64),
    /// A byte in the text of the header, by its offset from the start of the file.
    HeaderByte(usize),
}

/// The kinds of [`Error`]. Each message says what is wrong and what to do about it.
///
/// A later version may have more kinds, and more fields in a kind; so end each pattern with `..`:
///
/// ```
/// use npy_core::{Error, ErrorKind};
///
/// fn missing(error: &Error) -> Option<&str> {
///     match error.kind() {
///         ErrorKind::MissingMember { name, .. } => Some(name),
///         _ => None,
///     }
/// }
/// # let _ = missing;
/// ```
///
/// ```compile_fail,E0638
/// use npy_core::ErrorKind;
/// fn bytes(kind: &ErrorKind) -> Option<u64> {
///     if let ErrorKind::Memory { bytes } = kind { Some(*bytes) } else { None }
/// }
/// ```
#[derive(Debug)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The operating system failed to read or write.
    Io(std::io::Error),

    /// The input does not start with the magic bytes of `.npy`.
    #[non_exhaustive]
    NotNpy {
        /// The first bytes, as an escaped string in quotes; empty at the end of a stream, which has no further array.
        found: String,
        /// The format that the input seems to have, and what to do with it; empty if unknown. At the end of a stream, what ended.
        hint: String,
    },

    /// The file is not an archive.
    #[non_exhaustive]
    NotNpz {
        /// The first bytes, as an escaped string.
        found: String,
        /// The format that the file seems to have, and what to do with it; empty if unknown.
        hint: String,
    },

    /// A version of the format other than 1.0, 2.0 and 3.0.
    #[non_exhaustive]
    Version {
        /// The first byte of the version.
        major: u8,
        /// The second byte of the version.
        minor: u8,
    },

    /// The input ends too early. Complete rows, or columns in Fortran order, are not lost: `npy repair` (of the package `npy-cli`) makes a file of them, also of
    /// those in an archive, and [`Reader::records`](crate::Reader::records) returns those of a `.npy` file in C order before this error.
    #[non_exhaustive]
    Truncated {
        /// The part of the file that the missing bytes belong to.
        what: &'static str,
        /// The number of bytes that this part should have.
        expected: u64,
        /// The number of bytes found.
        found: u64,
        /// The way to what is complete, which the message has after the advice to copy the file again; empty if nothing is.
        remedy: &'static str,
    },

    /// The header is not a Python dictionary with the keys and values that the format requires.
    #[non_exhaustive]
    Header {
        /// The reason.
        reason: String,
    },

    /// A dtype that NumPy could not have written, or one that no file can hold. A file of another dtype than the type that reads it is
    /// [`Mismatch`](Self::Mismatch).
    #[non_exhaustive]
    DType {
        /// The dtype as given.
        descr: String,
        /// The reason.
        reason: String,
    },

    /// A shape that no array can have.
    #[non_exhaustive]
    Shape {
        /// The shape as given; a long one is shortened.
        shape: String,
        /// The reason.
        reason: String,
    },

    /// Something is larger than [`Limits`](crate::Limits) allows.
    #[non_exhaustive]
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

    /// The file holds another dtype than the program expects.
    #[non_exhaustive]
    Mismatch {
        /// True if an array in memory has the dtype `found`, and not a file.
        in_memory: bool,
        /// The dtype in the file, or of the array in memory.
        found: String,
        /// The dtype that the program expects.
        wanted: String,
        /// The name of the Rust type that expects it.
        wanted_by: String,
        /// The remedy.
        remedy: String,
    },

    /// A field that the program needs is not in the file.
    #[non_exhaustive]
    MissingField {
        /// The field.
        name: String,
        /// The name of the Rust type that expects it.
        wanted_by: String,
        /// The fields of the file; empty if it has none.
        fields: String,
        /// The remedy.
        remedy: String,
    },

    /// A field in the file that the program does not accept.
    #[non_exhaustive]
    UnknownField {
        /// The field.
        name: String,
        /// The name of the Rust type that does not accept it.
        wanted_by: String,
        /// The remedy.
        remedy: &'static str,
    },

    /// Members of an archive that the program does not accept, or that a map would leave out.
    #[non_exhaustive]
    UnknownMembers {
        /// The members.
        names: String,
        /// The name of the Rust type that does not accept them.
        wanted_by: String,
        /// The remedy.
        remedy: &'static str,
    },

    /// The shape of the array does not fit the type: the number of dimensions or their lengths differ.
    #[non_exhaustive]
    Rank {
        /// The shape in the file; a long one is shortened.
        shape: String,
        /// The name of the Rust type.
        wanted_by: String,
        /// The shapes that the type accepts.
        wanted: String,
        /// The remedy.
        remedy: String,
    },

    /// A value that its dtype cannot hold, or bytes that are not a value of the type.
    #[non_exhaustive]
    InvalidValue {
        /// The reason.
        reason: String,
        /// The remedy, for a program in Rust; empty if there is none, or the reason has it.
        remedy: String,
    },

    /// The pickle with the Python objects of an array is malformed: Python could not load it either.
    #[non_exhaustive]
    Pickle {
        /// The offset of the opcode from the start of the pickle.
        byte: u64,
        /// The reason.
        reason: String,
    },

    /// Something valid that this version or build of the crate does not support.
    #[non_exhaustive]
    Unsupported {
        /// The thing that was found.
        what: String,
        /// The feature, the version or the Rust type that supports it.
        needs: &'static str,
    },

    /// An array that can be read, but not viewed in place.
    View(ViewError),

    /// The directory of an archive is invalid, or a member is not at the offset that it states.
    #[non_exhaustive]
    Archive {
        /// The reason.
        reason: String,
    },

    /// A member that the program needs is not in the archive.
    #[non_exhaustive]
    MissingMember {
        /// The member.
        name: String,
        /// The part of the message that lists the members of the archive.
        members: String,
    },

    /// A name that a member cannot have.
    #[non_exhaustive]
    MemberName {
        /// The name.
        name: String,
        /// The reason.
        reason: &'static str,
    },

    /// The bytes of a member do not have the checksum that the archive states: they were changed
    /// after they were written.
    #[non_exhaustive]
    Checksum {
        /// The CRC-32 that the archive states.
        expected: u32,
        /// The CRC-32 of the bytes.
        found: u32,
    },

    /// Another writer has the file open: it appends to it, or creates it.
    Locked,

    /// An error of a type of another crate, made by [`Error::custom`].
    #[non_exhaustive]
    Custom {
        /// The problem, and the remedy.
        reason: String,
    },

    /// A file to append to has complete rows that its header does not count, for example because a
    /// writer was killed.
    #[non_exhaustive]
    UncountedRows {
        /// The number of rows in the header.
        counted: u64,
        /// The number of complete rows after them.
        uncounted: u64,
    },

    /// The memory for the result could not be allocated.
    #[non_exhaustive]
    Memory {
        /// The number of bytes that were requested.
        bytes: u64,
    },
}

impl Error {
    /// Creates an error for a type that implements [`ReadNpy`](crate::ReadNpy) or [`WriteNpy`](crate::WriteNpy) in another crate.
    ///
    /// ```
    /// use npy_core::Error;
    ///
    /// let error = Error::custom("the gain is negative");
    /// assert_eq!(error.to_string(), "the gain is negative");
    /// ```
    pub fn custom(reason: impl fmt::Display) -> Self {
        ErrorKind::Custom { reason: reason.to_string() }.into()
    }

    /// Creates an error for a part of a file that ends too early, but for the data of an array, which may have complete rows:
    /// `DataSize::truncated` is for that.
    pub(crate) fn truncated(what: &'static str, expected: u64, found: u64) -> Self {
        ErrorKind::Truncated { what, expected, found, remedy: "" }.into()
    }

    /// Creates an error for a value that cannot be read or written.
    pub(crate) fn invalid(reason: impl fmt::Display) -> Self {
        let (reason, remedy) = (reason.to_string(), String::new());
        ErrorKind::InvalidValue { reason, remedy }.into()
    }

    /// Returns the kind of the error.
    ///
    /// ```
    /// use npy_core::{ErrorKind, ReadNpy};
    ///
    /// let file = [1, 2, 3];
    /// let error = Vec::<f64>::read_npy_from(&file[..]).unwrap_err();
    /// assert!(matches!(error.kind(), ErrorKind::NotNpy { .. } | ErrorKind::Truncated { .. }));
    /// ```
    pub fn kind(&self) -> &ErrorKind {
        &self.0.kind
    }

    /// Returns the kind of the error by value, without its location.
    ///
    /// ```
    /// use npy_core::{ErrorKind, ReadNpy};
    ///
    /// let Err(error) = Vec::<f64>::read_npy("no.npy") else { panic!("there is such a file") };
    /// match error.into_kind() {
    ///     ErrorKind::Io(error) => assert_eq!(error.kind(), std::io::ErrorKind::NotFound),
    ///     other => panic!("{other}"),
    /// }
    /// ```
    pub fn into_kind(self) -> ErrorKind {
        self.0.kind
    }

    /// Returns true if the operating system failed to read or write.
    ///
    /// ```
    /// use npy_core::ReadNpy;
    ///
    /// let Err(error) = Vec::<f64>::read_npy("no.npy") else { panic!("there is such a file") };
    /// assert!(error.is_io());
    /// ```
    pub fn is_io(&self) -> bool {
        matches!(self.kind(), ErrorKind::Io(_))
    }

    /// Returns true if the file exceeds one of the [`Limits`](crate::Limits).
    ///
    /// ```
    /// use npy_core::ReadNpy;
    ///
    /// let Err(error) = Vec::<f64>::read_npy("no.npy") else { panic!("there is such a file") };
    /// assert!(!error.is_limit());
    /// ```
    pub fn is_limit(&self) -> bool {
        matches!(self.kind(), ErrorKind::Limit { .. })
    }

    /// Returns the location of the error, outermost place first.
    ///
    /// ```
    /// use npy_core::ReadNpy;
    ///
    /// let Err(error) = Vec::<f64>::read_npy("no.npy") else { panic!("there is such a file") };
    /// let places: Vec<_> = error.places().map(|place| place.to_string()).collect();
    /// assert_eq!(places, ["no.npy"]);
    /// ```
    pub fn places(&self) -> impl Iterator<Item = &Place> {
        self.0.places.iter().rev()
    }

    /// Adds an outermost place to the location.
    #[must_use]
    pub(crate) fn within(mut self, place: Place) -> Self {
        if let (Place::Path(_), ErrorKind::Truncated { remedy, .. }) = (&place, &mut self.0.kind) {
            *remedy = truncated::in_file(remedy);
        }
        // Nested fields are shown as one path, "outer.inner".
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
        // The options of an archive have the same name in another module.
        let error = self.map_remedy(|remedy| remedy.replace("ReadOptions::", "npz::ReadOptions::"));
        error.within(Place::Member(name.to_owned()))
    }

    /// Changes the advice for a dtype that is not the one that is expected, or for a value that does not fit.
    pub(crate) fn map_remedy(mut self, change: impl FnOnce(&str) -> String) -> Self {
        if let ErrorKind::Mismatch { remedy, .. } | ErrorKind::InvalidValue { remedy, .. } =
            &mut self.0.kind
        {
            *remedy = change(remedy);
        }
        self
    }

    /// Says that an array in memory has the dtype that is not expected: its file, if there is one, may have another byte order or width of text.
    pub(crate) fn of_array(mut self) -> Self {
        if let ErrorKind::Mismatch { in_memory, .. } = &mut self.0.kind {
            *in_memory = true;
        }
        self
    }

    /// Replaces the call that reads with another cast, for an array in memory: `call` is the one that converts it, up to the cast.
    pub(crate) fn in_memory(self, call: &str) -> Self {
        self.of_array().map_remedy(|remedy| remedy.replace("ReadOptions::new().cast(", call))
    }

    pub(crate) fn in_field(self, name: &str) -> Self {
        self.within(Place::Field(name.to_owned()))
    }

    /// Changes the kind of the error, and keeps its location.
    #[must_use]
    pub(crate) fn map_kind(self, change: impl FnOnce(ErrorKind) -> ErrorKind) -> Self {
        let Inner { kind, places } = *self.0;
        Error(Box::new(Inner { kind: change(kind), places }))
    }

    /// Converts the index of an element to the index of its row; the message of an invalid value then names the element within the row.
    /// `elements` is the number of elements in a row.
    #[must_use]
    pub(crate) fn in_row_of(mut self, elements: u64) -> Self {
        let Inner { kind, places } = &mut *self.0;
        let row = places.iter_mut().find_map(|place| match place {
            Place::Row(index) => Some(index),
            _ => None,
        });
        let Some(index) = row else { return self };
        if let (ErrorKind::InvalidValue { reason, .. }, Some(element)) =
            (kind, index.checked_rem(elements))
        {
            *reason = format!("element {element} of the row: {reason}");
        }
        *index = index.checked_div(elements).unwrap_or(0);
        self
    }

    /// Applies `count` to the index of the row or element at which the error happened.
    #[must_use]
    pub(crate) fn recounted(mut self, count: impl Fn(u64) -> u64) -> Self {
        for place in &mut self.0.places {
            if let Place::Row(index) = place {
                *index = count(*index);
            }
        }
        self
    }

    /// Sets the name of the Rust type that the file does not fit.
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

/// Returns a number of bytes as text: `1 byte`, `7 bytes`.
pub(crate) fn byte_count(count: impl fmt::Display) -> String {
    counted(count, "byte")
}

/// Returns a number of things as text: `1 element`, `7 elements`.
pub(crate) fn counted(count: impl fmt::Display, thing: &str) -> String {
    let count = count.to_string();
    format!("{count} {thing}{}", if count == "1" { "" } else { "s" })
}

impl From<ErrorKind> for Error {
    fn from(kind: ErrorKind) -> Self {
        Error(Box::new(Inner { kind, places: Vec::new() }))
    }
}

/// Unwraps an [`Error`] that passed through [`Read`](std::io::Read) as an I/O error.
impl From<std::io::Error> for Error {
    fn from(error: std::io::Error) -> Self {
        match error.downcast::<Error>() {
            Ok(ours) => ours,
            #[cfg(feature = "npz")]
            Err(error) if error.get_ref().is_some_and(|inner| inner.is::<npy_zip::Error>()) => {
                npy_zip::Error::from(error).into()
            }
            Err(error) => ErrorKind::Io(error).into(),
        }
    }
}

/// An I/O error keeps its [`std::io::ErrorKind`]; all other errors get
/// [`InvalidData`](std::io::ErrorKind::InvalidData). [`Error::from`] returns the original error.
impl From<Error> for std::io::Error {
    fn from(error: Error) -> Self {
        let kind = match error.kind() {
            ErrorKind::Io(error) => error.kind(),
            _ => std::io::ErrorKind::InvalidData,
        };
        std::io::Error::new(kind, error)
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::Path(path) if path.as_os_str().is_empty() => f.write_str("path \"\""),
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

/// Same as [`Display`](fmt::Display), so that `fn main() -> npy_core::Result<()>` prints a readable message.
impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match &self.0.kind {
            // `Display` already prints the I/O error, so the source is the cause of the I/O error.
            ErrorKind::Io(error) => error.source(),
            _ => None,
        }
    }
}
