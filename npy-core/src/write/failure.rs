//! Whether a writer has failed.

use std::io;

/// Why nothing more is asked of a writer: once a call has failed, its position is not known.
#[derive(Debug, Default)]
pub(crate) struct Failure {
    /// What the writer said; nothing if it panicked.
    reason: Option<String>,
}

impl Failure {
    /// An error if the writer has failed; `remedy` says what to do.
    #[inline]
    pub(crate) fn check(&self, remedy: &str) -> io::Result<()> {
        match &self.reason {
            None => Ok(()),
            Some(reason) => Err(stopped(reason, remedy)),
        }
    }

    /// Marks the writer as failed before it is called: a panic skips what comes after the call.
    pub(crate) fn begin(&mut self) {
        self.reason = Some(String::new());
    }

    /// Takes the mark away after the call, or says why it failed.
    pub(crate) fn end(&mut self, error: Option<&io::Error>) {
        self.reason = error.map(ToString::to_string);
    }

    /// Marks the writer as failed for this reason, unless there is one already: the first is the one to know.
    #[cfg(feature = "npz")]
    pub(crate) fn set(&mut self, reason: String) {
        self.reason.get_or_insert(reason);
    }
}

#[cold]
fn stopped(reason: &str, remedy: &str) -> io::Error {
    let reason = if reason.is_empty() { "it panicked" } else { reason };
    io::Error::other(format!(
        "an earlier write failed ({reason}), and nothing is written after that; {remedy}"
    ))
}
