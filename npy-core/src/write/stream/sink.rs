//! A writer that is not used after a failure.

use std::io;

use crate::error::Result;
use crate::write::failure::Failure;

/// A writer that is not used after a failure, because its position is unknown after one.
pub(super) struct Sink<W> {
    inner: W,
    failure: Failure,
}

impl<W> Sink<W> {
    pub(super) fn new(inner: W) -> Self {
        Sink { inner, failure: Failure::default() }
    }

    pub(super) fn inner(&self) -> &W {
        &self.inner
    }

    pub(super) fn into_inner(self) -> W {
        self.inner
    }

    /// Calls `act` with the writer; if it fails or panics, every later call is refused.
    pub(super) fn attempt<A>(&mut self, act: impl FnOnce(&mut W) -> io::Result<A>) -> Result<A> {
        const REMEDY: &str = "if the length of the array was not stated first, the file has all elements that were flushed, and Writer::append can add more";
        self.failure.check(REMEDY)?;
        Ok(self.failure.attempt(|| act(&mut self.inner))?)
    }
}
