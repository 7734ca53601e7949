//! The space of a file on the disk.

use std::fs::File;
use std::io;

/// Sets the length of a file, and reserves the space on the disk where that is possible (on Linux, Android and FreeBSD). The new bytes are zeros.
///
/// A program that maps a file into memory needs the space: without it, a full disk ends the program with a signal.
///
/// ```
/// # let dir = tempfile::tempdir()?;
/// # std::env::set_current_dir(&dir)?;
/// let file = std::fs::File::create("x")?;
/// whole_file::allocate(&file, 1000)?;
/// assert_eq!(std::fs::read("x")?, [0; 1000]);
/// # Ok::<(), std::io::Error>(())
/// ```
///
/// # Errors
///
/// [`io::ErrorKind::StorageFull`] if the disk has less space; then nothing is reserved.
pub fn allocate(file: &File, length: u64) -> io::Result<()> {
    #[cfg(any(target_os = "linux", target_os = "android", target_os = "freebsd"))]
    {
        use rustix::fs::{FallocateFlags, fallocate, fstatvfs};
        use rustix::io::{Errno, retry_on_intr};
        let disk = fstatvfs(file)?;
        // `fallocate` would fill the disk before it fails, and other programs would find no space.
        if disk.f_blocks > 0 && length > disk.f_bavail.saturating_mul(disk.f_frsize) {
            return Err(Errno::NOSPC.into());
        }
        match retry_on_intr(|| fallocate(file, FallocateFlags::empty(), 0, length)) {
            // The file system cannot reserve space; on FreeBSD the error is `INVAL`.
            Err(Errno::OPNOTSUPP | Errno::NOSYS | Errno::INVAL) => {}
            done => return Ok(done?),
        }
    }
    file.set_len(length)
}
