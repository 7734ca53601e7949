//! A writer, until it fails.

use std::io;

use crate::error::Result;
use crate::write::failure::Failure;

/// A writer that is not used any more once it has failed: its position is unknown then.
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

    /// An error if the writer has failed.
    #[inline]
    pub(super) fn check(&self) -> Result<()> {
        const REMEDY: &str = "an array whose length grows has what was flushed before, and Writer::append goes on from there";
        Ok(self.failure.check(REMEDY)?)
    }

    /// Does something with the writer; if that fails, it was the last.
    pub(super) fn attempt<A>(&mut self, act: impl FnOnce(&mut W) -> io::Result<A>) -> Result<A> {
        self.check()?;
        self.failure.begin();
        let result = act(&mut self.inner);
        self.failure.end(result.as_ref().err());
        Ok(result?)
    }
}
