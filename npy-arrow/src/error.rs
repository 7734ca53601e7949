//! The error of this crate.

use std::fmt;

use arrow_schema::ArrowError;
use npy_core::Place;

/// The result of everything in this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// The reason why a value or dtype cannot be converted, with its column and row.
///
/// It becomes an [`ArrowError`] by `?`, for functions that return one.
///
/// ```
/// use npy_arrow::Options;
/// use npy_core::{DynArray, Order};
///
/// let array = DynArray::new("[('s', '<U1')]".parse()?, [1], Order::C, vec![0, 0xd8, 0, 0])?;
/// let error = npy_arrow::record_batch(&array, &Options::new()).unwrap_err();
/// assert_eq!(error.to_string(), "column \"s\": row 0: U+D800 is not a character");
/// # Ok::<(), npy_core::Error>(())
/// ```
pub struct Error(Box<Inner>);

#[derive(Debug)]
struct Inner {
    /// The names of the column and of the fields inside, innermost first.
    columns: Vec<String>,
    row: Option<u64>,
    cause: Cause,
}

#[derive(Debug)]
enum Cause {
    Npy(npy_core::Error),
    Arrow(ArrowError),
    Other(String),
}

impl Error {
    fn new(cause: Cause) -> Self {
        Error(Box::new(Inner { columns: Vec::new(), row: None, cause }))
    }

    pub(crate) fn other(reason: impl Into<String>) -> Self {
        Error::new(Cause::Other(reason.into()))
    }

    /// Adds the column, or the field of a record, in which the error happened.
    pub(crate) fn in_column(mut self, name: &str) -> Self {
        self.0.columns.push(name.to_owned());
        self
    }

    pub(crate) fn in_row(mut self, row: usize) -> Self {
        self.0.row = u64::try_from(row).ok();
        self
    }

    /// Counts rows where the error has counted elements, if each row has this many.
    pub(crate) fn of_rows(mut self, elements: usize) -> Self {
        let elements = u64::try_from(elements).ok();
        self.0.row = self.0.row.zip(elements).and_then(|(at, elements)| at.checked_div(elements));
        self
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Inner { columns, row, cause } = &*self.0;
        if !columns.is_empty() {
            let path: Vec<&str> = columns.iter().rev().map(String::as_str).collect();
            write!(f, "column {:?}: ", path.join("."))?;
        }
        if let Some(row) = row {
            write!(f, "row {row}: ")?;
        }
        match cause {
            Cause::Npy(error) if row.is_some() => error.kind().fmt(f),
            Cause::Npy(error) => error.fmt(f),
            Cause::Arrow(error) => error.fmt(f),
            Cause::Other(reason) => f.write_str(reason),
        }
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Error({self})")
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match &self.0.cause {
            Cause::Npy(error) => Some(error),
            Cause::Arrow(error) => Some(error),
            Cause::Other(_) => None,
        }
    }
}

impl From<npy_core::Error> for Error {
    fn from(error: npy_core::Error) -> Self {
        let row = error.places().find_map(|place| match place {
            Place::Row(row) => Some(*row),
            _ => None,
        });
        // An error of a file names the file, too, and keeps its own words.
        let row = if error.places().count() == 1 { row } else { None };
        let mut error = Error::new(Cause::Npy(error));
        error.0.row = row;
        error
    }
}

impl From<ArrowError> for Error {
    fn from(error: ArrowError) -> Self {
        Error::new(Cause::Arrow(error))
    }
}

impl From<Error> for ArrowError {
    fn from(error: Error) -> Self {
        ArrowError::ExternalError(Box::new(error))
    }
}
