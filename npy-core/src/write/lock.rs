//! Locks that let only one writer at a time append to a file, by the package `whole-file`. Without it, there are none.

use std::fs::File;
use std::io;
use std::path::Path;

#[cfg(feature = "atomic")]
use crate::error::ErrorKind;
use crate::error::Result;

/// The advisory lock of a file, released on drop.
#[derive(Debug)]
#[must_use = "the lock is released when it is dropped"]
pub(crate) struct Lock(#[cfg(feature = "atomic")] whole_file::Lock);

/// Opens a file to append to it, and locks it.
///
/// # Errors
///
/// As [`lock`], and [`ErrorKind::Io`] if the file cannot be opened.
pub(super) fn open(path: &Path) -> Result<(File, Lock)> {
    #[cfg(feature = "atomic")]
    let opened = match whole_file::Lock::open(path) {
        Ok((file, lock)) => Ok((file, Lock(lock))),
        Err(std::fs::TryLockError::WouldBlock) => return Err(ErrorKind::Locked.into()),
        Err(std::fs::TryLockError::Error(error)) => Err(error),
    };
    #[cfg(not(feature = "atomic"))]
    let opened = File::options().read(true).write(true).open(path).map(|file| (file, Lock()));
    let advice = "only a file that exists grows: create makes one, and append_or_create does both";
    opened.map_err(|error| absent(error, advice).into())
}

/// Adds advice to the error for a file that does not exist.
pub(crate) fn absent(error: io::Error, advice: &str) -> io::Error {
    match error.kind() {
        kind @ io::ErrorKind::NotFound => io::Error::new(kind, format!("{error}; {advice}")),
        _ => error,
    }
}

/// Takes the advisory lock of a file; succeeds on file systems without locks.
///
/// # Errors
///
/// [`ErrorKind::Locked`] if another writer has the lock, in this process or another one.
#[cfg(feature = "atomic")]
pub(crate) fn lock(file: &File) -> Result<Lock> {
    use std::fs::TryLockError;
    whole_file::Lock::take(file).map(Lock).map_err(|error| match error {
        TryLockError::WouldBlock => ErrorKind::Locked.into(),
        TryLockError::Error(error) => error.into(),
    })
}

/// Takes no lock.
#[cfg(not(feature = "atomic"))]
#[expect(clippy::unnecessary_wraps)]
pub(crate) fn lock(_: &File) -> Result<Lock> {
    Ok(Lock())
}

#[cfg(feature = "atomic")]
impl Lock {
    /// Returns an error if the path does not lead to the file any more. If the file has no other name, the elements that were written to
    /// it are lost.
    pub(super) fn check_path(&self, path: &Path) -> Result<()> {
        if self.0.is_at(path) {
            return Ok(());
        }
        let reason = match self.0.has_name() {
            true => {
                "it was renamed while rows were written to it, or its path leads to another file now; the rows are in the file with the other name"
            }
            false => {
                "it was replaced or removed while rows were written to it, so they are lost; use one writer at a time for a path"
            }
        };
        Err(io::Error::other(reason).into())
    }

    /// Like [`check_path`](Self::check_path), but a file that was only renamed (a log that is rotated) is no error, and the path is not
    /// looked up.
    pub(super) fn check_has_name(&self, path: &Path) -> Result<()> {
        if self.0.has_name() { Ok(()) } else { self.check_path(path) }
    }
}

/// Checks nothing.
#[cfg(not(feature = "atomic"))]
#[expect(clippy::unused_self, clippy::unnecessary_wraps)]
impl Lock {
    pub(super) fn check_path(&self, _: &Path) -> Result<()> {
        Ok(())
    }

    pub(super) fn check_has_name(&self, _: &Path) -> Result<()> {
        Ok(())
    }
}
