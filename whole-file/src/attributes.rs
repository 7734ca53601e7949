//! The attributes that a new file takes over from the file that it replaces.

use std::fs::File;
use std::io;
use std::os::unix::fs::{MetadataExt, fchown};

use rustix::fs::{Mode, Stat, fchmod};

use crate::destination::Target;

/// The permissions of a file that will be replaced.
#[derive(Debug)]
pub(crate) struct Old {
    /// The permissions, without set-user-ID, set-group-ID and sticky bit.
    mode: Mode,
    group: u32,
}

impl Old {
    pub(crate) fn new(stat: &Stat) -> Self {
        let all = Mode::RWXU | Mode::RWXG | Mode::RWXO;
        Old { mode: Mode::from_raw_mode(stat.st_mode) & all, group: stat.st_gid }
    }

    /// Gives a new file the group and the permissions of the old one, and on Linux its ACL and user attributes.
    ///
    /// If the old group cannot be set, or the old ACL cannot be read, the group of the new file
    /// gets only those of the old permissions that everybody has, too.
    pub(crate) fn give_to(&self, file: &File, target: &Target) -> io::Result<()> {
        let attributes = extended::of(target);
        // The new file may have inherited an ACL from its directory, which may give access to more users.
        extended::remove_acl(file)?;
        let has_group =
            file.metadata()?.gid() == self.group || fchown(file, None, Some(self.group)).is_ok();
        // If the old file has an ACL that could not be read, the group bits of its mode are the
        // mask of the ACL, not the permissions of the group.
        let mode = if has_group && attributes.is_some() {
            self.mode
        } else {
            let everybody = self.mode & Mode::RWXO;
            self.mode & (!Mode::RWXG | Mode::from_bits_retain(everybody.bits() << 3))
        };
        fchmod(file, mode)?;
        extended::set(file, attributes.unwrap_or_default(), has_group)
    }
}

/// Returns the path of an open file in `/proc`.
#[cfg(target_os = "linux")]
pub(crate) fn by_proc(fd: std::os::fd::BorrowedFd<'_>) -> std::path::PathBuf {
    use std::os::fd::AsRawFd;
    std::path::PathBuf::from(format!("/proc/self/fd/{}", fd.as_raw_fd()))
}

/// Copies extended attributes.
#[cfg(target_os = "linux")]
mod extended {
    use std::ffi::{CStr, CString};
    use std::fs::File;
    use std::io;

    use rustix::fs::{self as sys, XattrFlags};
    use rustix::io::Errno;

    use super::{Target, by_proc};

    const ACL: &CStr = c"system.posix_acl_access";

    /// Returns the ACL and the user attributes of the target; `None` if they cannot be read.
    pub(super) fn of(target: &Target) -> Option<Vec<(CString, Vec<u8>)>> {
        let path = by_proc(target.directory.fd()).join(&target.name);
        let mut names = match sys::llistxattr_query(&path) {
            Ok(size) => vec![0; size],
            Err(Errno::NOTSUP | Errno::NOSYS) => return Some(Vec::new()),
            Err(_) => return None,
        };
        let length = sys::llistxattr(&path, names.as_mut_slice()).ok()?;
        names.truncate(length);
        let mut attributes = Vec::new();
        for name in names.split_inclusive(|&byte| byte == 0) {
            let name = CStr::from_bytes_with_nul(name).ok()?;
            if name != ACL && !name.to_bytes().starts_with(b"user.") {
                continue;
            }
            let mut value = match sys::lgetxattr_query(&path, name) {
                Ok(size) => vec![0; size],
                // This user may replace the file, but not read it.
                Err(Errno::ACCESS) if name != ACL => continue,
                Err(_) => return None,
            };
            let length = sys::lgetxattr(&path, name, value.as_mut_slice()).ok()?;
            value.truncate(length);
            attributes.push((name.to_owned(), value));
        }
        Some(attributes)
    }

    pub(super) fn remove_acl(file: &File) -> io::Result<()> {
        match sys::fremovexattr(file, ACL) {
            Ok(()) | Err(Errno::NODATA | Errno::NOTSUP | Errno::NOSYS) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    /// Sets the attributes, including the ACL if `with_acl`.
    pub(super) fn set(
        file: &File,
        attributes: Vec<(CString, Vec<u8>)>,
        with_acl: bool,
    ) -> io::Result<()> {
        for (name, value) in attributes {
            if with_acl || name.as_c_str() != ACL {
                sys::fsetxattr(file, name.as_c_str(), &value, XattrFlags::empty())?;
            }
        }
        Ok(())
    }
}

/// Does nothing: this crate copies extended attributes only on Linux.
#[cfg(not(target_os = "linux"))]
mod extended {
    use std::fs::File;
    use std::io;

    use super::Target;

    #[expect(clippy::unnecessary_wraps)]
    pub(super) fn of(_: &Target) -> Option<()> {
        Some(())
    }

    #[expect(clippy::unnecessary_wraps)]
    pub(super) fn remove_acl(_: &File) -> io::Result<()> {
        Ok(())
    }

    #[expect(clippy::unnecessary_wraps)]
    pub(super) fn set(_: &File, (): (), _: bool) -> io::Result<()> {
        Ok(())
    }
}
