//! A writer that is not used after a failure.

use std::io;

use crate::error::{Error, Result};

/// A writer that is not used after a failure, because its position is then unknown.
pub(super) struct Sink<W> {
    /// `None` after `finish`, which consumes the owner of the sink.
    inner: Option<W>,
    /// The text of the first error; empty if the writer panicked; `None` if it has not failed.
    failure: Option<String>,
}

impl<W> Sink<W> {
    pub(super) fn new(inner: W) -> Self {
        Sink { inner: Some(inner), failure: None }
    }

    #[expect(clippy::expect_used, reason = "only `finish` takes the writer")]
    pub(super) fn inner(&self) -> &W {
        self.inner.as_ref().expect("not finished")
    }

    /// Returns the writer; nothing more is written.
    #[expect(clippy::expect_used, reason = "only `finish` takes the writer")]
    pub(super) fn take(&mut self) -> W {
        self.inner.take().expect("not finished")
    }

    /// Drops the writer; nothing more is written.
    pub(super) fn close(&mut self) {
        self.inner = None;
    }

    /// Returns true if more can be written: the writer was not taken, and has not failed.
    pub(super) fn is_open(&self) -> bool {
        self.inner.is_some() && self.failure.is_none()
    }

    /// Calls `act` with the writer; if it fails or panics, every later call is refused.
    #[expect(clippy::expect_used, reason = "only `finish` takes the writer")]
    pub(super) fn attempt<A>(&mut self, act: impl FnOnce(&mut W) -> io::Result<A>) -> Result<A> {
        if let Some(reason) = &self.failure {
            return Err(stopped(reason));
        }
        let inner = self.inner.as_mut().expect("not finished");
        // If the call panics, this empty text stays.
        self.failure = Some(String::new());
        let result = act(inner);
        self.failure = result.as_ref().err().map(ToString::to_string);
        Ok(result?)
    }
}

#[cold]
fn stopped(reason: &str) -> Error {
    let reason = if reason.is_empty() { "it panicked" } else { reason };
    let text = format!(
        "an earlier write failed ({reason}), so nothing more is written; unless its length was fixed in advance (Writer::with_shape), the array in the file has all elements that were flushed, and Writer::append can add more"
    );
    io::Error::other(text).into()
}
