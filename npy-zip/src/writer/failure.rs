//! The first failure of a writer. The writer is not used again after it.

use std::io;

/// The first failure of a writer. After a failure, the position of the writer is unknown.
#[derive(Debug, Default)]
pub(super) struct Failure {
    /// The text of the error; empty if the writer panicked; `None` if it has not failed.
    reason: Option<String>,
}

impl Failure {
    /// Returns an error if the writer has failed; its text ends with `remedy`.
    #[inline]
    pub(super) fn check(&self, remedy: &str) -> io::Result<()> {
        match &self.reason {
            None => Ok(()),
            Some(reason) => Err(stopped(reason, remedy)),
        }
    }

    /// Calls the writer, and keeps its error. The caller has [checked](Self::check) that it has not
    /// failed before.
    pub(super) fn attempt<A>(&mut self, call: impl FnOnce() -> io::Result<A>) -> io::Result<A> {
        // If the call panics, `reason` keeps this empty text, which means that it panicked.
        self.reason = Some(String::new());
        let result = call();
        self.reason = result.as_ref().err().map(ToString::to_string);
        result
    }

    /// Marks the writer as failed for this reason, unless it has already failed.
    pub(super) fn set(&mut self, reason: String) {
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
