//! The contents of bytes objects: in the pickle, or still in its file.

use std::sync::{Mutex, PoisonError};

use super::Objects;
use crate::error::Error;
use npy_pickle::ReadLeftOut;

/// Reads bytes at an offset of a file. Fails if the file has fewer.
pub(crate) trait ReadContents: Send + Sync {
    /// Fills the slice.
    fn fill(&self, offset: u64, out: &mut [u8]) -> Result<(), Error>;

    /// Returns this many bytes.
    fn read(&self, offset: u64, length: u64) -> Result<Vec<u8>, Error>;
}

/// A file with the contents of bytes objects that were left out of a pickle, so that a large array is read directly into the buffer that
/// needs it.
pub(crate) struct ContentsFile {
    file: Box<dyn ReadContents>,
    /// The first error. Most callers cannot return it, so [`Objects::check_file`] does.
    failure: Mutex<Option<Error>>,
}

impl ContentsFile {
    pub(crate) fn new(file: impl ReadContents + 'static) -> Self {
        ContentsFile { file: Box::new(file), failure: Mutex::new(None) }
    }

    /// Fills the slice with the bytes at an offset, unless that fails.
    #[cfg(feature = "serde")]
    pub(crate) fn fill(&self, offset: u64, out: &mut [u8]) {
        let _ = self.keep(self.file.fill(offset, out));
    }

    /// Returns the result, or keeps the error.
    fn keep<T>(&self, result: Result<T, Error>) -> Option<T> {
        let keep = |error| {
            let mut failure = self.failure.lock().unwrap_or_else(PoisonError::into_inner);
            failure.get_or_insert(error);
        };
        result.map_err(keep).ok()
    }
}

impl ReadLeftOut for ContentsFile {
    fn read(&self, offset: u64, length: u64) -> Option<Vec<u8>> {
        self.keep(self.file.read(offset, length))
    }
}

impl Objects {
    /// Returns the first error of reading contents from the file.
    pub(crate) fn check_file(&self) -> Result<(), Error> {
        let failure = self
            .file
            .as_ref()
            .and_then(|file| file.failure.lock().unwrap_or_else(PoisonError::into_inner).take());
        failure.map_or(Ok(()), Err)
    }
}
