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
pub(crate) struct Lock(Option<File>);

impl Drop for Lock {
    fn drop(&mut self) {
        if let Some(file) = &self.0 {
            // At the latest the lock goes with the last handle.
            let _ = file.unlock();
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
    if cfg!(windows) {
        return Ok(Lock(None));
    }
    match file.try_lock() {
        Err(TryLockError::WouldBlock) => Err(ErrorKind::Locked.into()),
        Ok(()) => Ok(Lock(Some(file.try_clone()?))),
        Err(TryLockError::Error(_)) => Ok(Lock(None)),
    }
}
