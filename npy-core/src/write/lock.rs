//! Layer 6: one writer at a time for a file that is appended to.

use std::fs::{File, OpenOptions, TryLockError};
use std::io;
use std::path::Path;

use crate::error::{ErrorKind, Result};

/// Opens a file to append to, and takes its lock.
///
/// # Errors
///
/// As [`lock`], and [`ErrorKind::Io`] if the file cannot be opened.
pub(super) fn open(path: &Path) -> Result<(File, Lock)> {
    /// More often nobody replaces a file by chance.
    const TRIES: usize = 16;
    let mut options = OpenOptions::new();
    options.read(true).write(true);
    // Others may read it and replace it, and not write to it.
    #[cfg(windows)]
    std::os::windows::fs::OpenOptionsExt::share_mode(&mut options, 0x1 | 0x4);
    for _ in 0..TRIES {
        let file = options.open(path).map_err(|error| match error.raw_os_error() {
            // Another one is writing to it.
            Some(32) if cfg!(windows) => ErrorKind::Locked,
            _ => ErrorKind::Io(error),
        })?;
        let lock = lock(&file)?;
        if is_at(&file, path)? {
            return Ok((file, lock));
        }
        // It was replaced before it was locked, and the path leads to another file now.
    }
    Err(ErrorKind::Locked.into())
}

/// Whether a path leads to this file.
#[cfg(unix)]
fn is_at(file: &File, path: &Path) -> io::Result<bool> {
    use std::os::unix::fs::MetadataExt;
    let (ours, there) = (file.metadata()?, path.metadata()?);
    Ok((ours.dev(), ours.ino()) == (there.dev(), there.ino()))
}

/// Elsewhere a file that is open tells nobody which one it is.
#[cfg(not(unix))]
fn is_at(_: &File, _: &Path) -> io::Result<bool> {
    Ok(true)
}

/// The advisory lock of a file, which is given up when this is dropped.
///
/// Not when the file is closed: a process that is being started may still have it open then.
#[derive(Debug)]
#[must_use = "the lock is given up when it is dropped"]
pub(crate) struct Lock {
    file: File,
    /// Whether the file system has locks.
    is_taken: bool,
}

impl Lock {
    /// Refuses a path that does not lead to the file any more: what was written is lost.
    pub(super) fn check_path(&self, path: &Path) -> Result<()> {
        if is_at(&self.file, path).unwrap_or(false) {
            return Ok(());
        }
        let reason = "it was replaced or removed while rows were written to it, so they are lost; write one file at a time to a path";
        Err(io::Error::other(reason).into())
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        if self.is_taken {
            // At the latest the lock goes with the last handle.
            let _ = self.file.unlock();
        }
    }
}

/// Takes the advisory lock of a file.
///
/// File systems without locks let every writer in.
///
/// # Errors
///
/// [`ErrorKind::Locked`] if another writer has it, of this process or another one.
pub(crate) fn lock(file: &File) -> Result<Lock> {
    // On Windows a lock would keep readers out, too.
    let is_taken = match if cfg!(windows) { Ok(()) } else { file.try_lock() } {
        Err(TryLockError::WouldBlock) => return Err(ErrorKind::Locked.into()),
        Ok(()) => cfg!(not(windows)),
        Err(TryLockError::Error(_)) => false,
    };
    Ok(Lock { file: file.try_clone()?, is_taken })
}
