//! The answer to a call: JSON, and bytes.

use std::io;

use crate::json::{Json, object};
use npy_core::{Error, ErrorKind, Place};

/// The answer to a call.
#[derive(Debug, Default)]
pub struct Answer {
    /// JSON.
    pub text: String,
    /// Bytes, such as the elements of an array.
    pub bytes: Vec<u8>,
}

impl From<Json> for Answer {
    fn from(json: Json) -> Self {
        Answer { text: json.to_text(), bytes: Vec::new() }
    }
}

impl From<Vec<u8>> for Answer {
    fn from(bytes: Vec<u8>) -> Self {
        Answer { text: "null".to_owned(), bytes }
    }
}

/// The reason why there is no answer.
#[derive(Debug)]
pub enum Failure {
    /// An error of the library.
    Library(Error),
    /// An error of the library in the member of this name.
    In(String, Error),
    /// An error of an archive.
    Archive(npy_zip::Error),
    /// A member that is not there.
    Member(String),
    /// A name that a member cannot have, and the reason.
    Name(String, &'static str),
    /// A header that the version of the format that was asked for cannot have.
    Version(String),
    /// A call that the scripts of this package do not make.
    Call(&'static str),
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Failure::Library(error)
    }
}

impl From<npy_zip::Error> for Failure {
    fn from(error: npy_zip::Error) -> Self {
        Failure::Archive(error)
    }
}

/// A member reports its own errors as those of a reader.
impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Failure::Archive(npy_zip::Error::from(error))
    }
}

impl Failure {
    /// Returns the error as JSON: its kind, its message, and where it is.
    pub fn to_text(&self) -> String {
        let (member, error) = match self {
            Failure::Library(error) => (None, error),
            Failure::In(name, error) => (Some(name), error),
            Failure::Archive(error) => return plain(kind_of_zip(error), &error.to_string()),
            Failure::Member(name) => {
                let problem =
                    format!("there is no member {name:?}; pass one of the names of the archive");
                return plain("missing-member", &problem);
            }
            Failure::Name(name, reason) => {
                return plain("member-name", &format!("the name {name:?}: {reason}"));
            }
            Failure::Version(reason) => return plain("header", reason),
            Failure::Call(reason) => return plain("internal", reason),
        };
        let message = match member {
            Some(name) => format!("member {name:?}: {error}"),
            None => error.to_string(),
        };
        // The remedy names functions of Rust.
        let message = message.replace("npz::load or npz::Reader", "loadNPZ, or with open");
        let message = message.split("; a loop over its arrays ends ").next().unwrap_or_default();
        let mut json = object([("kind", kind(error.kind()).into()), ("message", message.into())]);
        for place in error.places() {
            match place {
                Place::Field(name) => json.insert("field", name.as_str()),
                Place::Row(row) => json.insert("row", *row),
                _ => {}
            }
        }
        json.to_text()
    }
}

fn plain(kind: &str, message: &str) -> String {
    object([("kind", kind.into()), ("message", message.into())]).to_text()
}

fn kind_of_zip(error: &npy_zip::Error) -> &'static str {
    match error {
        npy_zip::Error::Io(_) => "io",
        npy_zip::Error::NotAnArchive { .. } => "not-npz",
        npy_zip::Error::Truncated { .. } => "truncated",
        npy_zip::Error::Checksum { .. } => "checksum",
        npy_zip::Error::Limit { .. } => "limit",
        npy_zip::Error::Unsupported(_) => "unsupported",
        npy_zip::Error::Memory { .. } => "memory",
        _ => "archive",
    }
}

/// Returns the name of a kind: that of Rust in lower case, with hyphens.
fn kind(kind: &ErrorKind) -> &'static str {
    match kind {
        // A member reports errors of its archive as those of a reader.
        ErrorKind::Io(error) => {
            let inner = error.get_ref().and_then(|inner| inner.downcast_ref::<npy_zip::Error>());
            inner.map_or("io", kind_of_zip)
        }
        ErrorKind::NotNpy { .. } => "not-npy",
        ErrorKind::Version { .. } => "version",
        ErrorKind::Truncated { .. } => "truncated",
        ErrorKind::Header { .. } => "header",
        ErrorKind::DType { .. } => "dtype",
        ErrorKind::Shape { .. } => "shape",
        ErrorKind::Limit { .. } => "limit",
        ErrorKind::Mismatch { .. } => "mismatch",
        ErrorKind::MissingField { .. } => "missing-field",
        ErrorKind::InvalidValue { .. } => "invalid-value",
        ErrorKind::Pickle { .. } => "pickle",
        ErrorKind::Unsupported { .. } => "unsupported",
        ErrorKind::Memory { .. } => "memory",
        _ => "other",
    }
}
