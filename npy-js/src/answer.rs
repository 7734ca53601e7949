//! The answer to a call: JSON, and bytes.

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

impl Failure {
    /// Returns the error as JSON: its kind, its message, and where it is.
    pub fn to_text(&self) -> String {
        let plain =
            |kind: &str, text: &str| object([("kind", kind.into()), ("message", text.into())]);
        let error = match self {
            Failure::Library(error) => error,
            Failure::Version(reason) => return plain("header", reason).to_text(),
            Failure::Call(reason) => return plain("internal", reason).to_text(),
        };
        let mut json =
            object([("kind", kind(error.kind()).into()), ("message", error.to_string().into())]);
        for place in error.places() {
            match place {
                Place::Member(name) => json.insert("member", name.as_str()),
                Place::Field(name) => json.insert("field", name.as_str()),
                Place::Row(row) => json.insert("row", *row),
                _ => {}
            }
        }
        json.to_text()
    }
}

/// Returns the name of a kind: that of Rust in lower case, with hyphens.
fn kind(kind: &ErrorKind) -> &'static str {
    match kind {
        ErrorKind::Io(_) => "io",
        ErrorKind::NotNpy { .. } => "not-npy",
        ErrorKind::NotNpz { .. } => "not-npz",
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
        ErrorKind::Archive { .. } => "archive",
        ErrorKind::MissingMember { .. } => "missing-member",
        ErrorKind::MemberName { .. } => "member-name",
        ErrorKind::Checksum { .. } => "checksum",
        ErrorKind::Memory { .. } => "memory",
        _ => "other",
    }
}
