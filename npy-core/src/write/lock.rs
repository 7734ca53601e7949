//! Layer 6: one writer at a time for a file that is appended to.

use std::fs::{File, TryLockError};

use crate::error::{ErrorKind, Result};

/// Takes the advisory lock of a file, which is held until the file is closed.
///
/// File systems without locks let every writer in.
///
/// # Errors
///
/// [`ErrorKind::Locked`] if another writer has it, of this process or another one.
pub(crate) fn lock(file: &File) -> Result<()> {
    // On Windows a lock would keep readers out, too.
    if cfg!(windows) {
        return Ok(());
    }
    match file.try_lock() {
        Err(TryLockError::WouldBlock) => Err(ErrorKind::Locked.into()),
        Ok(()) | Err(TryLockError::Error(_)) => Ok(()),
    }
}
