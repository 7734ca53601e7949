//! The failure of a writer, after which it is not used again.

use std::io;

/// Records the first failure of a writer: its position is unknown after it.
#[derive(Debug, Default)]
pub(crate) struct Failure {
    /// The text of the error; empty if the writer panicked.
    reason: Option<String>,
}

impl Failure {
    /// Returns an error if the writer has failed; `remedy` says what to do.
    #[inline]
    pub(crate) fn check(&self, remedy: &str) -> io::Result<()> {
        match &self.reason {
            None => Ok(()),
            Some(reason) => Err(stopped(reason, remedy)),
        }
    }

    /// Marks the writer as failed before a call: if it panics, [`end`](Self::end) is not reached.
    pub(crate) fn begin(&mut self) {
        self.reason = Some(String::new());
    }

    /// Removes the mark after the call, or records the error.
    pub(crate) fn end(&mut self, error: Option<&io::Error>) {
        self.reason = error.map(ToString::to_string);
    }

    /// Marks the writer as failed for this reason, unless it has failed before.
    #[cfg(feature = "npz")]
    pub(crate) fn set(&mut self, reason: String) {
        self.reason.get_or_insert(reason);
    }
}

#[cold]
fn stopped(reason: &str, remedy: &str) -> io::Error {
    let reason = if reason.is_empty() { "it panicked" } else { reason };
    io::Error::other(format!(
        "an earlier write failed ({reason}), so nothing more is written; {remedy}"
    ))
}
