//! A writer, until it fails.

use std::io;

use crate::error::{Error, Result};

/// A writer of which nothing is asked once it has failed: where it stands is not known then.
pub(super) struct Sink<W> {
    inner: W,
    /// What the writer said when it failed; nothing yet if it panicked.
    failed: Option<String>,
}

impl<W> Sink<W> {
    pub(super) fn new(inner: W) -> Self {
        Sink { inner, failed: None }
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
        match &self.failed {
            None => Ok(()),
            Some(reason) => Err(stopped(reason)),
        }
    }

    /// Does something with the writer; if that fails, it was the last.
    pub(super) fn attempt<A>(&mut self, act: impl FnOnce(&mut W) -> io::Result<A>) -> Result<A> {
        self.check()?;
        self.failed = Some(String::new());
        let result = act(&mut self.inner);
        self.failed = result.as_ref().err().map(ToString::to_string);
        Ok(result?)
    }
}

#[cold]
fn stopped(reason: &str) -> Error {
    let reason = if reason.is_empty() { "it panicked" } else { reason };
    io::Error::other(format!(
        "an earlier write failed ({reason}), and nothing is written after that; an array whose length grows has what was flushed before, and Writer::append goes on from there"
    ))
    .into()
}
