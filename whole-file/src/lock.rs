//! Locks that let only one writer at a time add to a file.

use std::fs::{File, OpenOptions, TryLockError};
use std::io;
use std::path::Path;

/// The advisory lock of a file, released on drop.
///
/// It affects only programs that take the lock, too. On Windows no lock is taken, as it would also keep readers out: there,
/// [`open`](Self::open) lets no other program open the file for writing. On a file system without locks, all writers get one.
///
/// ```
/// # let dir = tempfile::tempdir()?;
/// # std::env::set_current_dir(&dir)?;
/// use std::fs::TryLockError;
/// use std::io::{Seek, SeekFrom, Write};
///
/// use whole_file::Lock;
///
/// std::fs::write("log", "one\n")?;
/// let (mut file, lock) = Lock::open("log")?;
/// assert!(matches!(Lock::open("log"), Err(TryLockError::WouldBlock)));
/// file.seek(SeekFrom::End(0))?;
/// file.write_all(b"two\n")?;
/// assert!(lock.is_at("log"), "the file was replaced or renamed meanwhile");
/// # Ok::<(), std::io::Error>(())
/// ```
// Closing the file is not enough: a child process that is just being started may still have it open.
#[derive(Debug)]
#[must_use = "the lock is released when it is dropped"]
pub struct Lock {
    file: File,
    /// True if a lock was taken; false on Windows and on file systems without locks.
    is_taken: bool,
}

impl Lock {
    /// Takes the lock of a file; succeeds on file systems without locks.
    ///
    /// ```
    /// # let dir = tempfile::tempdir()?;
    /// # std::env::set_current_dir(&dir)?;
    /// use whole_file::Lock;
    ///
    /// let file = std::fs::File::create("x")?;
    /// let _lock = Lock::take(&file)?;
    /// # Ok::<(), std::io::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`TryLockError::WouldBlock`] if another writer has the lock, in this process or another one.
    pub fn take(file: &File) -> Result<Lock, TryLockError> {
        // On Windows a lock would also keep readers out.
        let is_taken = match if cfg!(windows) { Ok(()) } else { file.try_lock() } {
            Err(TryLockError::WouldBlock) => return Err(TryLockError::WouldBlock),
            Ok(()) => cfg!(not(windows)),
            Err(TryLockError::Error(_)) => false,
        };
        Ok(Lock { file: file.try_clone().map_err(TryLockError::Error)?, is_taken })
    }

    /// Opens a file to read and to change it, and takes its lock. The file is that which has the path at the moment of locking.
    ///
    /// ```
    /// # let dir = tempfile::tempdir()?;
    /// # std::env::set_current_dir(&dir)?;
    /// use whole_file::Lock;
    ///
    /// std::fs::write("x", "")?;
    /// let (_file, _lock) = Lock::open("x")?;
    /// # Ok::<(), std::io::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`take`](Self::take), and [`TryLockError::Error`] if the file cannot be opened.
    pub fn open(path: impl AsRef<Path>) -> Result<(File, Lock), TryLockError> {
        /// The limit on attempts. A file is not replaced this often by chance.
        const TRIES: usize = 16;
        let path = path.as_ref();
        let mut options = OpenOptions::new();
        options.read(true).write(true);
        // Others may read and delete the file, but not write to it.
        #[cfg(windows)]
        std::os::windows::fs::OpenOptionsExt::share_mode(&mut options, 0x1 | 0x4);
        for _ in 0..TRIES {
            let file = options.open(path).map_err(|error| match error.raw_os_error() {
                // A sharing violation: the file is already open for writing.
                Some(32) if cfg!(windows) => TryLockError::WouldBlock,
                _ => TryLockError::Error(error),
            })?;
            let lock = Lock::take(&file)?;
            if is_at(&file, path).map_err(TryLockError::Error)? {
                return Ok((file, lock));
            }
            // The file was replaced before it was locked, so the path leads to another file now.
        }
        Err(TryLockError::WouldBlock)
    }

    /// Returns true if the path leads to this file; false also if that cannot be known. On systems other than Unix this is not checked, and true.
    ///
    /// ```
    /// # let dir = tempfile::tempdir()?;
    /// # std::env::set_current_dir(&dir)?;
    /// use whole_file::Lock;
    ///
    /// std::fs::write("log", "")?;
    /// let (_file, lock) = Lock::open("log")?;
    /// assert!(lock.is_at("log"));
    /// # #[cfg(unix)] {
    /// std::fs::rename("log", "log.1")?;
    /// assert!(!lock.is_at("log") && lock.has_name());
    /// # }
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn is_at(&self, path: impl AsRef<Path>) -> bool {
        is_at(&self.file, path.as_ref()).unwrap_or(false)
    }

    /// Returns true if a directory has the file. Otherwise it was removed or replaced, and what is written to it is lost. On systems other than
    /// Unix this is not checked, and true.
    ///
    /// ```
    /// # let dir = tempfile::tempdir()?;
    /// # std::env::set_current_dir(&dir)?;
    /// use whole_file::Lock;
    ///
    /// std::fs::write("log", "")?;
    /// let (_file, lock) = Lock::open("log")?;
    /// assert!(lock.has_name());
    /// # #[cfg(unix)] {
    /// std::fs::remove_file("log")?;
    /// assert!(!lock.has_name());
    /// # }
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn has_name(&self) -> bool {
        has_name(&self.file)
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

/// Returns true if the path leads to this file.
#[cfg(unix)]
fn is_at(file: &File, path: &Path) -> io::Result<bool> {
    use std::os::unix::fs::MetadataExt;
    let (ours, there) = (file.metadata()?, path.metadata()?);
    Ok((ours.dev(), ours.ino()) == (there.dev(), there.ino()))
}

/// Returns true, because std cannot compare files on this system.
#[cfg(not(unix))]
fn is_at(_: &File, _: &Path) -> io::Result<bool> {
    Ok(true)
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
