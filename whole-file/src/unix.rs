//! Replacing files on Unix. Files are found and renamed relative to an open directory, so that nobody can exchange the directory between
//! two calls.
//!
//! The kernel resolves all of a path except its last name. If the last name is a symbolic link, this module follows it, and refuses the
//! links that Linux refuses with `fs.protected_symlinks=1`, even if that setting is off.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, Seek, SeekFrom};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustix::fs::{self as sys, AtFlags, FileType, Mode, OFlags, Stat};
use rustix::io::{Errno, retry_on_intr};
use rustix::process::geteuid;

use crate::attributes::Old;
#[cfg(target_os = "linux")]
use crate::attributes::by_proc;
use crate::destination::{Found, Target, missing};
use crate::temporary::{Temporary, with_new_name};

/// Flags that open a directory. On Linux, no permission to list it is needed.
#[cfg(target_os = "linux")]
const DIRECTORY: OFlags = OFlags::PATH.union(OFlags::DIRECTORY);
#[cfg(not(target_os = "linux"))]
const DIRECTORY: OFlags = OFlags::DIRECTORY;

/// Finds the file that a path leads to, following links.
pub(crate) fn find(path: &Path) -> io::Result<Found> {
    // The same limit as in Linux.
    const MAX_LINKS: usize = 40;
    let kind = |stat: &Stat| FileType::from_raw_mode(stat.st_mode);
    let mut path = path.to_owned();
    let mut base = None::<Directory>;
    for _ in 0..=MAX_LINKS {
        let Some((parent, name)) = split(&path) else {
            // The path is that of a directory; opening it for writing returns the right error.
            let from = base.as_ref().map_or(sys::CWD, |base| base.fd.as_fd());
            return Ok(Found::Direct(open(from, &path, OFlags::WRONLY, Mode::empty())?.into()));
        };
        let directory = match &base {
            Some(base) => base.open_within(parent)?,
            None => Directory::open(parent)?,
        };
        let stat = match sys::statat(&directory.fd, name, AtFlags::SYMLINK_NOFOLLOW) {
            Err(Errno::NOENT) => None,
            found => Some(found?),
        };
        match stat {
            Some(link) if kind(&link) == FileType::Symlink => {
                if directory.is_of_processes()? {
                    return Ok(Found::Direct(directory.open_at_end(name)?));
                }
                directory.check_link(name, &link)?;
                let link = sys::readlinkat(&directory.fd, name, Vec::new())?;
                path = PathBuf::from(OsString::from_vec(link.into_bytes()));
                base = Some(directory);
            }
            // A pipe or a device; for a directory, opening it for writing returns the right error.
            Some(other) if kind(&other) != FileType::RegularFile => {
                let flags = OFlags::WRONLY | OFlags::NOFOLLOW;
                let file = open(directory.fd.as_fd(), name, flags, Mode::empty())?;
                return Ok(Found::Direct(file.into()));
            }
            old => {
                if old.is_some() {
                    directory.check_writable(name)?;
                }
                let (name, old) = (name.to_owned(), old.as_ref().map(Old::new));
                return Ok(Found::Name(Target { directory, name, old }));
            }
        }
    }
    Err(Errno::LOOP.into())
}

/// Splits a path into directory and name; `None` if it can only be the path of a directory: `..`, `x/`, `x/.`.
fn split(path: &Path) -> Option<(&Path, &OsStr)> {
    let name = path.file_name()?;
    if !path.as_os_str().as_bytes().ends_with(name.as_bytes()) {
        return None;
    }
    match path.parent() {
        Some(parent) if parent != Path::new("") => Some((parent, name)),
        _ => Some((Path::new("."), name)),
    }
}

/// Opens a file relative to a directory.
fn open(
    directory: BorrowedFd<'_>,
    name: impl AsRef<Path>,
    flags: OFlags,
    mode: Mode,
) -> rustix::io::Result<OwnedFd> {
    let flags = flags | OFlags::CLOEXEC;
    retry_on_intr(|| sys::openat(directory, name.as_ref(), flags, mode))
}

/// An open directory. Clones share it.
///
/// ```
/// use whole_file::{Directory, Options};
///
/// let directory = Directory::open(&std::env::temp_dir())?;
/// let file = Options::new().scratch(&directory)?;
/// # let _ = file;
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Directory {
    fd: Arc<OwnedFd>,
    /// For messages only.
    path: PathBuf,
}

impl Directory {
    /// Opens a directory.
    ///
    /// ```
    /// use whole_file::Directory;
    ///
    /// let directory = Directory::open(&std::env::temp_dir())?;
    /// assert_eq!(directory.path(), std::env::temp_dir());
    /// # Ok::<(), std::io::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Those of the system.
    pub fn open(path: &Path) -> io::Result<Self> {
        Directory::open_from(sys::CWD, path, path.to_owned())
    }

    fn open_within(&self, path: &Path) -> io::Result<Self> {
        Directory::open_from(self.fd.as_fd(), path, self.path.join(path))
    }

    fn open_from(from: BorrowedFd<'_>, path: &Path, shown: PathBuf) -> io::Result<Self> {
        match open(from, path, DIRECTORY, Mode::empty()) {
            Ok(fd) => Ok(Directory { fd: Arc::new(fd), path: shown }),
            Err(Errno::NOENT) => Err(missing(&shown)),
            Err(error) => Err(error.into()),
        }
    }

    /// Returns the path by which the directory was opened.
    ///
    /// ```
    /// use whole_file::Directory;
    ///
    /// let directory = Directory::open(&std::env::temp_dir())?;
    /// assert_eq!(directory.path(), std::env::temp_dir());
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn fd(&self) -> BorrowedFd<'_> {
        self.fd.as_fd()
    }

    /// Opens a regular file without following a link. Opens it for writing too if that is allowed, as some network file systems lock only
    /// files that are open for writing.
    pub(crate) fn open_file(&self, name: &OsStr) -> io::Result<File> {
        let open = |flags| open(self.fd(), name, flags | OFlags::NOFOLLOW, Mode::empty());
        Ok(open(OFlags::RDWR).or_else(|_| open(OFlags::RDONLY))?.into())
    }

    /// Returns true if this name in the directory is a name of this open file.
    pub(crate) fn has(&self, file: &File, name: &OsStr) -> io::Result<bool> {
        let found = match sys::statat(&self.fd, name, AtFlags::SYMLINK_NOFOLLOW) {
            Err(Errno::NOENT) => return Ok(false),
            found => found?,
        };
        let own = sys::fstat(file)?;
        Ok((found.st_dev, found.st_ino) == (own.st_dev, own.st_ino))
    }

    /// Returns true if this directory is in `/proc`. There, a link for an open file (`/proc/self/fd/3`) must be opened by the kernel, as
    /// its text is not always a path of that file.
    #[cfg(target_os = "linux")]
    fn is_of_processes(&self) -> io::Result<bool> {
        Ok(sys::fstatfs(&self.fd)?.f_type == sys::PROC_SUPER_MAGIC)
    }

    /// Returns false: only Linux has such links for open files.
    #[cfg(not(target_os = "linux"))]
    #[expect(clippy::unnecessary_wraps)]
    fn is_of_processes(&self) -> io::Result<bool> {
        Ok(false)
    }

    /// Opens a link of `/proc` for an open file, and seeks to the end of the file.
    fn open_at_end(&self, name: &OsStr) -> io::Result<File> {
        let mut file = File::from(open(self.fd.as_fd(), name, OFlags::WRONLY, Mode::empty())?);
        if file.metadata()?.is_file() {
            file.seek(SeekFrom::End(0))?;
        }
        Ok(file)
    }

    /// Refuses a link that another user may have created in a directory that everybody may write to.
    fn check_link(&self, name: &OsStr, link: &Stat) -> io::Result<()> {
        let directory = sys::fstat(&self.fd)?;
        let is_shared =
            Mode::from_raw_mode(directory.st_mode).contains(Mode::SVTX.union(Mode::WOTH));
        let is_trusted = link.st_uid == geteuid().as_raw() || link.st_uid == directory.st_uid;
        if !is_shared || is_trusted {
            return Ok(());
        }
        let reason = format!(
            "{} is a symbolic link of user {}, and is not followed, as everybody may create links in its directory (which has the sticky bit); use the path of the file that it leads to",
            self.path.join(name).display(),
            link.st_uid,
        );
        Err(io::Error::new(io::ErrorKind::PermissionDenied, reason))
    }

    /// Refuses a file that this user may not write to, although the user could replace it.
    fn check_writable(&self, name: &OsStr) -> io::Result<()> {
        let flags = OFlags::WRONLY | OFlags::NOFOLLOW;
        match open(self.fd.as_fd(), name, flags, Mode::empty()) {
            Err(error @ (Errno::ACCESS | Errno::PERM)) => {
                let path = self.path.join(name);
                let reason = format!(
                    "{} is write-protected; make it writable or remove it first ({error})",
                    path.display()
                );
                Err(io::Error::new(io::ErrorKind::PermissionDenied, reason))
            }
            // Any other error, such as that of a program that runs, is no reason against another file of this name.
            _ => Ok(()),
        }
    }

    /// Creates a file and opens it for reading and writing. A private file is accessible to its owner only; any other has the permissions
    /// that the umask allows.
    pub(crate) fn create(
        &self,
        is_private: bool,
        prefix: &'static str,
    ) -> io::Result<(File, Temporary)> {
        let owner = Mode::RUSR | Mode::WUSR;
        let all = owner | Mode::RGRP | Mode::WGRP | Mode::ROTH | Mode::WOTH;
        let mode = if is_private { owner } else { all };
        #[cfg(target_os = "linux")]
        if let Some(file) = self.create_without_name(mode) {
            return Ok((file, Temporary::new(self, prefix, None)));
        }
        let flags = OFlags::RDWR | OFlags::CREATE | OFlags::EXCL;
        let create = |name: &OsStr| Ok(open(self.fd.as_fd(), name, flags, mode)?);
        let (fd, name) = with_new_name(self, prefix, create)?;
        Ok((fd.into(), Temporary::new(self, prefix, Some(name))))
    }

    /// Creates a file without a name, so that nothing of it is left if the process is killed;
    /// `None` if the system cannot do that reliably.
    #[cfg(target_os = "linux")]
    fn create_without_name(&self, mode: Mode) -> Option<File> {
        let fd = open(self.fd.as_fd(), ".", OFlags::TMPFILE | OFlags::RDWR, mode).ok()?;
        // The file will get its name through `/proc`, which may be missing.
        let made = sys::stat(by_proc(fd.as_fd())).ok()?;
        // Some file systems of older kernels ignore the umask here. If the mode is not masked, the
        // caller creates the file with a name instead.
        let is_private = !mode.intersects(Mode::RWXG | Mode::RWXO);
        let is_masked = Mode::from_raw_mode(made.st_mode) != mode;
        (is_private || is_masked).then(|| fd.into())
    }

    /// Waits until changes of the names in this directory are on the disk.
    ///
    /// ```
    /// # let dir = tempfile::tempdir()?;
    /// # std::env::set_current_dir(&dir)?;
    /// use std::path::Path;
    ///
    /// use whole_file::Directory;
    ///
    /// let file = std::fs::File::create("x")?;
    /// file.sync_all()?;
    /// // The name, too, must survive a loss of power.
    /// Directory::open(Path::new("."))?.sync()?;
    /// # Ok::<(), std::io::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Those of the system.
    pub fn sync(&self) -> io::Result<()> {
        let fd = open(self.fd.as_fd(), ".", OFlags::RDONLY | OFlags::DIRECTORY, Mode::empty())?;
        Ok(sys::fsync(fd)?)
    }

    pub(crate) fn rename(&self, from: &OsStr, to: &OsStr) -> io::Result<()> {
        Ok(sys::renameat(&self.fd, from, &self.fd, to)?)
    }

    /// Renames a file, unless another file has the new name.
    pub(crate) fn rename_new(&self, from: &OsStr, to: &OsStr) -> io::Result<()> {
        match sys::linkat(&self.fd, from, &self.fd, to, AtFlags::empty()) {
            Ok(()) => self.remove(from),
            Err(Errno::EXIST) => Err(Errno::EXIST.into()),
            // A file system without hard links.
            Err(_) => self.rename(from, to),
        }
    }

    pub(crate) fn remove(&self, name: &OsStr) -> io::Result<()> {
        Ok(sys::unlinkat(&self.fd, name, AtFlags::empty())?)
    }

    /// Gives a file without a name this name. A link cannot replace another file.
    #[cfg(target_os = "linux")]
    pub(crate) fn link(&self, file: &File, name: &OsStr) -> io::Result<()> {
        let from = by_proc(file.as_fd());
        Ok(sys::linkat(sys::CWD, from, &self.fd, name, AtFlags::SYMLINK_FOLLOW)?)
    }
}
