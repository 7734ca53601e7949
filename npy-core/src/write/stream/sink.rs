//! A writer that is not used after a failure.

use std::io;

use crate::error::Result;
use crate::write::failure::Failure;

/// A writer that is not used after a failure, because its position is then unknown.
pub(super) struct Sink<W> {
    /// `None` after `finish`, which consumes the owner of the sink.
    inner: Option<W>,
    failure: Failure,
}

impl<W> Sink<W> {
    pub(super) fn new(inner: W) -> Self {
        Sink { inner: Some(inner), failure: Failure::default() }
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
        self.inner.is_some() && self.failure.check("").is_ok()
    }

    /// Calls `act` with the writer; if it fails or panics, every later call is refused.
    #[expect(clippy::expect_used, reason = "only `finish` takes the writer")]
    pub(super) fn attempt<A>(&mut self, act: impl FnOnce(&mut W) -> io::Result<A>) -> Result<A> {
        const REMEDY: &str = "unless its length was fixed in advance (Writer::with_shape), the array in the file has all elements that were flushed, and Writer::append can add more";
        self.failure.check(REMEDY)?;
        let inner = self.inner.as_mut().expect("not finished");
        Ok(self.failure.attempt(|| act(inner))?)
    }
}
