//! Locks that let only one writer at a time append to a file.

use std::fs::{File, OpenOptions, TryLockError};
use std::io;
use std::path::Path;

use crate::error::{ErrorKind, Result};

/// Opens a file to append to it, and locks it.
///
/// # Errors
///
/// As [`lock`], and [`ErrorKind::Io`] if the file cannot be opened.
pub(super) fn open(path: &Path) -> Result<(File, Lock)> {
    /// The limit on attempts. A file is not replaced this often by chance.
    const TRIES: usize = 16;
    let mut options = OpenOptions::new();
    options.read(true).write(true);
    // Others may read and delete the file, but not write to it.
    #[cfg(windows)]
    std::os::windows::fs::OpenOptionsExt::share_mode(&mut options, 0x1 | 0x4);
    for _ in 0..TRIES {
        let file = options.open(path).map_err(|error| match error.raw_os_error() {
            // A sharing violation: the file is already open for writing.
            Some(32) if cfg!(windows) => ErrorKind::Locked,
            _ if error.kind() == io::ErrorKind::NotFound => {
                let reason = format!("{error}; only a file that exists grows: create makes one, and append_or_create does both");
                ErrorKind::Io(io::Error::new(error.kind(), reason))
            }
            _ => ErrorKind::Io(error),
        })?;
        let lock = lock(&file)?;
        if is_at(&file, path)? {
            return Ok((file, lock));
        }
        // The file was replaced before it was locked, so the path leads to another file now.
    }
    Err(ErrorKind::Locked.into())
}

/// Returns true if the path leads to this file.
#[cfg(unix)]
fn is_at(file: &File, path: &Path) -> io::Result<bool> {
    use std::os::unix::fs::MetadataExt;
    let (ours, there) = (file.metadata()?, path.metadata()?);
    Ok((ours.dev(), ours.ino()) == (there.dev(), there.ino()))
}

/// Returns true if a directory has the file.
#[cfg(unix)]
fn has_name(file: &File) -> bool {
    use std::os::unix::fs::MetadataExt;
    file.metadata().is_ok_and(|metadata| metadata.nlink() > 0)
}

/// Returns true, because open files cannot be removed on this system.
#[cfg(not(unix))]
fn has_name(_: &File) -> bool {
    true
}

/// Returns true, because std cannot compare files on this system.
#[cfg(not(unix))]
fn is_at(_: &File, _: &Path) -> io::Result<bool> {
    Ok(true)
}

/// The advisory lock of a file, released on drop.
///
/// Closing the file is not enough: a child process that is just being started may still have it open.
#[derive(Debug)]
#[must_use = "the lock is released when it is dropped"]
pub(crate) struct Lock {
    file: File,
    /// True if a lock was taken; false on Windows and on file systems without locks.
    is_taken: bool,
}

impl Lock {
    /// Returns an error if the path does not lead to the file any more. If the file has no other name, the elements that were written to
    /// it are lost.
    pub(super) fn check_path(&self, path: &Path) -> Result<()> {
        if is_at(&self.file, path).unwrap_or(false) {
            return Ok(());
        }
        let reason = match has_name(&self.file) {
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
        if has_name(&self.file) { Ok(()) } else { self.check_path(path) }
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        if self.is_taken {
            // If this fails, closing the last handle releases the lock.
            let _ = self.file.unlock();
        }
    }
}

/// Takes the advisory lock of a file; succeeds on file systems without locks.
///
/// # Errors
///
/// [`ErrorKind::Locked`] if another writer has the lock, in this process or another one.
pub(crate) fn lock(file: &File) -> Result<Lock> {
    // On Windows a lock would also keep readers out.
    let is_taken = match if cfg!(windows) { Ok(()) } else { file.try_lock() } {
        Err(TryLockError::WouldBlock) => return Err(ErrorKind::Locked.into()),
        Ok(()) => cfg!(not(windows)),
        Err(TryLockError::Error(_)) => false,
    };
    Ok(Lock { file: file.try_clone()?, is_taken })
}
