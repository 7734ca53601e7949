//! The space of a file on the disk.

use std::fs::File;
use std::io;

/// Sets the length of a file, also to a smaller one, and reserves the space on the disk where that is possible (on Linux, Android and FreeBSD). The new bytes are zeros.
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
        let free = disk.f_bavail.saturating_mul(disk.f_frsize);
        if disk.f_blocks > 0 && length.saturating_sub(reserved(file)?) > free {
            return Err(Errno::NOSPC.into());
        }
        match retry_on_intr(|| fallocate(file, FallocateFlags::empty(), 0, length)) {
            // The file system cannot reserve space; on FreeBSD the error is `INVAL`.
            Err(Errno::OPNOTSUPP | Errno::NOSYS | Errno::INVAL) => {}
            done => done?,
        }
    }
    file.set_len(length)
}

/// Returns the number of bytes on the disk that the file has already.
#[cfg(any(target_os = "linux", target_os = "android", target_os = "freebsd"))]
fn reserved(file: &File) -> io::Result<u64> {
    use std::os::unix::fs::MetadataExt;
    Ok(file.metadata()?.blocks().saturating_mul(512))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_length_becomes_larger_and_smaller() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("x");
        std::fs::write(&path, "abc").unwrap();
        let file = File::options().write(true).open(&path).unwrap();
        for (length, text) in [(4, &b"abc\0"[..]), (2, b"ab"), (3, b"ab\0"), (0, b"")] {
            allocate(&file, length).unwrap();
            assert_eq!(std::fs::read(&path).unwrap(), text);
        }
    }

    /// Guards a file that is larger than the space that is left: it has that space already.
    #[cfg(target_os = "linux")]
    #[test]
    fn the_space_that_a_file_has_is_not_needed_again() {
        let file = tempfile::tempfile().unwrap();
        assert_eq!(reserved(&file).unwrap(), 0);
        allocate(&file, 1 << 20).unwrap();
        assert!(reserved(&file).unwrap() >= 1 << 20);
    }
}
