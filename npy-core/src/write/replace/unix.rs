//! Names in an open directory, on Unix: nobody can swap the directory between two calls.
//!
//! The kernel resolves a path up to its last name. A link of that name is followed here, under the rule that Linux calls
//! `protected_symlinks`, whatever that setting is.

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

use super::attributes::Old;
#[cfg(target_os = "linux")]
use super::attributes::by_proc;
use super::{Found, Target, missing, with_new_name};

/// Opens a directory also if it may not be listed.
#[cfg(target_os = "linux")]
const DIRECTORY: OFlags = OFlags::PATH.union(OFlags::DIRECTORY);
#[cfg(not(target_os = "linux"))]
const DIRECTORY: OFlags = OFlags::DIRECTORY;

/// Finds the file that a path leads to, through links.
pub(super) fn find(path: &Path) -> io::Result<Found> {
    // As Linux does.
    const MAX_LINKS: usize = 40;
    let mut path = path.to_owned();
    let mut base = None::<Directory>;
    for _ in 0..=MAX_LINKS {
        let Some((parent, name)) = split(&path) else {
            // The path of a directory: the error is the kernel's.
            let from = base.as_ref().map_or(sys::CWD, |base| base.fd.as_fd());
            return Ok(Found::Direct(open(from, &path, OFlags::WRONLY, Mode::empty())?.into()));
        };
        let directory = match &base {
            Some(base) => base.open_within(parent)?,
            None => Directory::open(parent)?,
        };
        let stat = match sys::statat(&directory.fd, name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(stat) => stat,
            Err(Errno::NOENT) => {
                let name = name.to_owned();
                return Ok(Found::Name(Target { directory, name, old: None }));
            }
            Err(error) => return Err(error.into()),
        };
        match FileType::from_raw_mode(stat.st_mode) {
            FileType::RegularFile => {
                let (name, old) = (name.to_owned(), Some(Old::new(&stat)));
                return Ok(Found::Name(Target { directory, name, old }));
            }
            FileType::Symlink if directory.is_of_processes()? => {
                return Ok(Found::Direct(directory.open_at_end(name)?));
            }
            FileType::Symlink => {
                directory.check_link(name, &stat)?;
                let link = sys::readlinkat(&directory.fd, name, Vec::new())?;
                path = PathBuf::from(OsString::from_vec(link.into_bytes()));
                base = Some(directory);
            }
            // A pipe or a device; the error for a directory is the kernel's.
            _ => {
                let flags = OFlags::WRONLY | OFlags::NOFOLLOW;
                return Ok(Found::Direct(
                    open(directory.fd.as_fd(), name, flags, Mode::empty())?.into(),
                ));
            }
        }
    }
    Err(Errno::LOOP.into())
}

/// The directory of a path and the name in it; `None` if the path can only be that of a directory: `..`, `x/`, `x/.`.
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

/// An open directory.
#[derive(Clone, Debug)]
pub(crate) struct Directory {
    fd: Arc<OwnedFd>,
    /// For messages alone.
    path: PathBuf,
}

impl Directory {
    pub(crate) fn open(path: &Path) -> io::Result<Self> {
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

    /// The path that it was opened by.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// The descriptor.
    pub(super) fn fd(&self) -> BorrowedFd<'_> {
        self.fd.as_fd()
    }

    /// Opens a regular file, without following a link; also to write, if that is allowed: over a network a lock may need it.
    #[cfg(feature = "npz")]
    pub(super) fn open_file(&self, name: &OsStr) -> io::Result<File> {
        let open = |flags| open(self.fd(), name, flags | OFlags::NOFOLLOW, Mode::empty());
        Ok(open(OFlags::RDWR).or_else(|_| open(OFlags::RDONLY))?.into())
    }

    /// Whether this file has the name.
    #[cfg(feature = "npz")]
    pub(super) fn has(&self, file: &File, name: &OsStr) -> io::Result<bool> {
        let found = match sys::statat(&self.fd, name, AtFlags::SYMLINK_NOFOLLOW) {
            Err(Errno::NOENT) => return Ok(false),
            found => found?,
        };
        let own = sys::fstat(file)?;
        Ok((found.st_dev, found.st_ino) == (own.st_dev, own.st_ino))
    }

    /// Whether this is in `/proc`, where a link to an open file of a process leads to that file, and its text is no path.
    #[cfg(target_os = "linux")]
    fn is_of_processes(&self) -> io::Result<bool> {
        Ok(sys::fstatfs(&self.fd)?.f_type == sys::PROC_SUPER_MAGIC)
    }

    /// Only on Linux are such files links.
    #[cfg(not(target_os = "linux"))]
    #[expect(clippy::unnecessary_wraps)]
    fn is_of_processes(&self) -> io::Result<bool> {
        Ok(false)
    }

    /// Opens an open file of a process, to write after all that it holds.
    fn open_at_end(&self, name: &OsStr) -> io::Result<File> {
        let mut file = File::from(open(self.fd.as_fd(), name, OFlags::WRONLY, Mode::empty())?);
        if file.metadata()?.is_file() {
            file.seek(SeekFrom::End(0))?;
        }
        Ok(file)
    }

    /// Refuses a link that another user may have put where everybody may write.
    fn check_link(&self, name: &OsStr, link: &Stat) -> io::Result<()> {
        let directory = sys::fstat(&self.fd)?;
        let is_shared =
            Mode::from_raw_mode(directory.st_mode).contains(Mode::SVTX.union(Mode::WOTH));
        let is_trusted = link.st_uid == geteuid().as_raw() || link.st_uid == directory.st_uid;
        if !is_shared || is_trusted {
            return Ok(());
        }
        let reason = format!(
            "{} is a link of user {} in a directory with the sticky bit that everybody may write to, and is not followed; write to the file that it leads to",
            self.path.join(name).display(),
            link.st_uid,
        );
        Err(io::Error::new(io::ErrorKind::PermissionDenied, reason))
    }

    /// Makes a file to read and write, for the owner alone if it is private, else for all whom the umask allows it.
    pub(crate) fn create(&self, is_private: bool) -> io::Result<(File, Temporary)> {
        let owner = Mode::RUSR | Mode::WUSR;
        let all = owner | Mode::RGRP | Mode::WGRP | Mode::ROTH | Mode::WOTH;
        let mode = if is_private { owner } else { all };
        #[cfg(target_os = "linux")]
        if let Some(file) = self.create_without_name(mode) {
            return Ok((file, Temporary { directory: self.clone(), name: None }));
        }
        let flags = OFlags::RDWR | OFlags::CREATE | OFlags::EXCL;
        let (fd, name) = with_new_name(|name| Ok(open(self.fd.as_fd(), name, flags, mode)?))?;
        Ok((fd.into(), Temporary { directory: self.clone(), name: Some(name) }))
    }

    /// Makes a file that has no name, so that nothing is left of it if the process is killed; `None` where that is not possible.
    #[cfg(target_os = "linux")]
    fn create_without_name(&self, mode: Mode) -> Option<File> {
        let fd = open(self.fd.as_fd(), ".", OFlags::TMPFILE | OFlags::RDWR, mode).ok()?;
        // It gets its name by way of `/proc`, which may be missing.
        let made = sys::stat(by_proc(fd.as_fd())).ok()?;
        // Some file systems of older kernels forget the umask here: then the file must be made in the usual way.
        let is_private = !mode.intersects(Mode::RWXG | Mode::RWXO);
        let is_masked = Mode::from_raw_mode(made.st_mode) != mode;
        (is_private || is_masked).then(|| fd.into())
    }

    /// Waits until the names in it are on the disk.
    pub(crate) fn sync(&self) -> io::Result<()> {
        let fd = open(self.fd.as_fd(), ".", OFlags::RDONLY | OFlags::DIRECTORY, Mode::empty())?;
        Ok(sys::fsync(fd)?)
    }
}

/// A file that is removed when dropped.
#[derive(Debug)]
pub(crate) struct Temporary {
    directory: Directory,
    /// `None` for a file that has no name, and for one that has its last one.
    name: Option<OsString>,
}

impl Temporary {
    /// Gives the file its last name, in place of the file that has it.
    pub(super) fn rename(mut self, file: &File, to: &OsStr, sync: bool) -> io::Result<()> {
        if sync {
            file.sync_all()?;
        }
        let name = match &self.name {
            Some(name) => name,
            None => self.name.insert(self.directory.link(file)?),
        };
        if sync {
            // Once more, as some file systems (Btrfs) sync no file without a name.
            file.sync_all()?;
        }
        let directory = &self.directory.fd;
        sys::renameat(directory, name, directory, to)?;
        self.name = None;
        if sync { self.directory.sync() } else { Ok(()) }
    }
}

impl Directory {
    /// Gives a file that has no name one that no other has: only from such a name can it replace another file.
    #[cfg(target_os = "linux")]
    fn link(&self, file: &File) -> io::Result<OsString> {
        let from = by_proc(file.as_fd());
        let link = |name: &OsStr| {
            Ok(sys::linkat(sys::CWD, &from, &self.fd, name, AtFlags::SYMLINK_FOLLOW)?)
        };
        with_new_name(link).map(|(_, name)| name)
    }

    /// Every file has a name here.
    #[cfg(not(target_os = "linux"))]
    fn link(&self, _: &File) -> io::Result<OsString> {
        Err(Errno::NOENT.into())
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        if let Some(name) = &self.name {
            // If it cannot be removed, nobody is there to be told.
            let _ = sys::unlinkat(&self.directory.fd, name, AtFlags::empty());
        }
    }
}
