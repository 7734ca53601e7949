//! Errors.

use std::fmt;
use std::io;

/// The result of a call of this package.
pub type Result<T> = std::result::Result<T, Error>;

/// The reason why a file cannot be repaired. It does not name the path, which the caller knows.
///
/// ```
/// # let dir = tempfile::tempdir()?;
/// # std::env::set_current_dir(&dir)?;
/// use npy_repair::{Error, Options, diagnose};
///
/// std::fs::write("notes.npy", "not an array")?;
/// let error = diagnose("notes.npy", &Options::new()).unwrap_err();
/// assert!(matches!(error, Error::NotArray { .. }));
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// A file cannot be read or written.
    Io(io::Error),
    /// Nothing can be restored with certainty.
    Unrepairable {
        /// The problem, and the remedy.
        reason: String,
    },
    /// The header cannot be mended. The data after it may be complete: without the header, it is raw data.
    LostHeader {
        /// The problem.
        reason: String,
        /// The position of the data, if the first bytes are damaged, and the end of the header is there.
        data: Option<u64>,
    },
    /// The file does not begin as an array does. It may be data without a header.
    NotArray {
        /// The problem.
        reason: String,
    },
    /// The options do not fit the file.
    Options {
        /// The problem, and the remedy.
        reason: String,
    },
    /// The file changed after it was diagnosed.
    Changed,
    /// The output is the damaged file itself.
    SameFile,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Io(error) => error.fmt(f),
            Error::Unrepairable { reason } | Error::Options { reason } => f.write_str(reason),
            Error::LostHeader { reason, .. } => {
                write!(f, "{reason}; cut off the header, and repair the rest as raw data")
            }
            Error::NotArray { reason } => write!(
                f,
                "{reason}; if it is data without a header, state its dtype and shape with Options::raw"
            ),
            Error::Changed => f.write_str(
                "the file changed after it was diagnosed; diagnose it again when no other program writes to it",
            ),
            Error::SameFile => f.write_str(
                "the output is the damaged file itself, which stays as it is; write to another name",
            ),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Error::Io(error) => error.source(),
            _ => None,
        }
    }
}

impl From<io::Error> for Error {
    fn from(error: io::Error) -> Self {
        Error::Io(error)
    }
}

/// Returns the error for a file that cannot be repaired.
pub(crate) fn unrepairable(reason: impl Into<String>) -> Error {
    Error::Unrepairable { reason: reason.into() }
}

/// Returns the error for options that do not fit.
pub(crate) fn unfit(reason: impl Into<String>) -> Error {
    Error::Options { reason: reason.into() }
}

/// Returns the text of an error without its remedy, which would be that of another program.
pub(crate) fn problem(error: &impl fmt::Display) -> String {
    let text = error.to_string();
    let remedies = ["; ", ", and make an npy_core::"];
    let end = remedies.iter().filter_map(|remedy| text.find(remedy)).min().unwrap_or(text.len());
    text.get(..end).unwrap_or(&text).to_owned()
}
