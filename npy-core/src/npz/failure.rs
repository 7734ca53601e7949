//! Errors of the container, as errors of this crate.

use std::io;

use npy_zip::Unsupported;

use crate::error::{Error, ErrorKind, formats};
use crate::write::check_end;

impl From<npy_zip::Error> for Error {
    fn from(error: npy_zip::Error) -> Self {
        use npy_zip::Error as Zip;

        match error {
            Zip::Io(error) => error.into(),
            Zip::NotAnArchive { start } => {
                let shown = start.get(..8).unwrap_or(&start);
                let found = format!("\"{}\"", shown.escape_ascii());
                ErrorKind::NotNpz { found, hint: formats::hint(&start) }.into()
            }
            Zip::OtherStart { start } => malformed(format!(
                "the file begins with b\"{}\", where NumPy expects a member; remove what is before the archive, or read it by npz::Reader::new",
                start.escape_ascii()
            )),
            Zip::Malformed { reason } => malformed(reason),
            Zip::Truncated { expected, found } => malformed(format!(
                "the member ends after {found} of {expected} bytes; copy the file again, or write it again"
            )),
            Zip::Checksum { expected, found } => ErrorKind::Checksum { expected, found }.into(),
            Zip::Limit { what, name, found, limit } => {
                ErrorKind::Limit { what, name, found, limit }.into()
            }
            Zip::Unsupported(what) => {
                ErrorKind::Unsupported { what: what.to_string(), needs: remedy(what) }.into()
            }
            Zip::Position { found, expected } => match check_end(found, expected) {
                Err(error) => error.into(),
                Ok(()) => ErrorKind::Io(io::ErrorKind::Unsupported.into()).into(),
            },
            Zip::Memory { bytes } => ErrorKind::Memory { bytes }.into(),
            other => Error::custom(other),
        }
    }
}

/// Returns what reads a member that is not supported.
fn remedy(what: Unsupported) -> &'static str {
    match (what, what.feature()) {
        (_, Some("bzip2")) => "the feature `bzip2` of npy-core",
        (_, Some("lzma")) => "the feature `lzma` of npy-core",
        (_, Some("zstd")) => "the feature `zstd` of npy-core",
        (Unsupported::Patched, _) => "a tool that applies the patch",
        (Unsupported::Encrypted, _) => "a tool that decrypts it first",
        (Unsupported::Version, _) => "a newer tool to unpack it",
        _ => "a tool that knows the method, to unpack it, and np.savez, to save it again",
    }
}

pub(super) fn malformed(reason: impl Into<String>) -> Error {
    ErrorKind::Archive { reason: reason.into() }.into()
}

/// Adds what to do to the error for a pipe.
pub(super) fn advised(error: Error, of_pipe: &str) -> Error {
    let reason = match error.kind() {
        ErrorKind::Io(error) if error.kind() == io::ErrorKind::NotSeekable => {
            format!("an archive needs a file that can seek, and this is a pipe: {of_pipe}")
        }
        _ => return error,
    };
    ErrorKind::Io(io::Error::new(io::ErrorKind::NotSeekable, reason)).into()
}
