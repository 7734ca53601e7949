//! Replacing files by the standard library alone.
//!
//! Links are followed and permissions are kept; the documentation of the crate says what else the feature `atomic` keeps.

use std::fs::{self, File, Metadata, OpenOptions, Permissions};
use std::hash::{BuildHasher, Hasher, RandomState};
use std::io;
use std::path::{Path, PathBuf};
use std::process;

use super::Existing;
use crate::error::Result;

/// The final name of a new file. If this is dropped before [`commit`](Self::commit), the file is removed.
#[derive(Debug)]
pub(crate) struct Destination {
    /// `None` for a file that is written to directly.
    name: Option<(PathBuf, Temporary)>,
    directory: Option<Directory>,
    keep: bool,
    sync: bool,
}

/// The absolute path of a directory, as the process may change its working directory.
#[derive(Clone, Debug)]
pub(crate) struct Directory(PathBuf);

/// A file with a temporary name, which is removed when this is dropped.
#[derive(Debug)]
struct Temporary(PathBuf);

/// Creates a file in the directory of `path`, to be renamed to `path` later. A pipe or a device is opened instead.
pub(crate) fn begin(path: &Path, existing: Existing, sync: bool) -> Result<(File, Destination)> {
    let (keep, old) = (existing == Existing::Keep, fs::metadata(path));
    let old = match old {
        Ok(old) => Some(old),
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => return Err(error.into()),
    };
    if old.as_ref().is_some_and(|old| !old.is_file()) {
        // For a directory, opening it for writing fails.
        let file = OpenOptions::new().write(true).open(path)?;
        return Ok((file, Destination { name: None, directory: None, keep, sync }));
    }
    if keep && old.is_some() {
        return Err(exists().into());
    }
    // A link to no file is replaced itself.
    let target = match old {
        Some(_) => fs::canonicalize(path)?,
        None => std::path::absolute(path)?,
    };
    // `x/` and `x/.` are paths of directories; renaming a file to one would fail when it is complete.
    let name = target.file_name().map(|name| name.as_encoded_bytes());
    let is_file = name.is_some_and(|name| path.as_os_str().as_encoded_bytes().ends_with(name));
    let Some(directory) = target.parent().filter(|_| is_file || old.is_some()) else {
        return Err(io::Error::from(io::ErrorKind::IsADirectory).into());
    };
    let directory = directory.to_owned();
    if old.is_some() {
        // A file that may not be written to may not be replaced.
        OpenOptions::new().write(true).open(path).map_err(|error| match error.kind() {
            io::ErrorKind::PermissionDenied => write_protected(),
            _ => error,
        })?;
    }
    let (file, temporary) = create(&directory, old)?;
    let directory = Some(Directory(directory));
    Ok((file, Destination { name: Some((target, temporary)), directory, keep, sync }))
}

/// Creates a file with a temporary name, and with the permissions of the file that it will replace.
fn create(directory: &Path, old: Option<Metadata>) -> io::Result<(File, Temporary)> {
    if old.as_ref().is_some_and(|old| old.permissions().readonly()) {
        return Err(write_protected());
    }
    let mut options = OpenOptions::new();
    options.read(true).write(true).create_new(true);
    #[cfg(unix)]
    if old.is_some() {
        // Nobody opens it whom the old file kept out, until it has the permissions of the old one.
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    }
    // The random keys of the standard library's hash tables cannot be guessed. A forked process has those of its parent.
    let mut hasher = RandomState::new().build_hasher();
    hasher.write_u32(process::id());
    let path = directory.join(format!(".npy-{:016x}.tmp", hasher.finish()));
    let file = options.open(&path).map_err(|error| {
        let shown = directory.display();
        let reason = match error.kind() {
            io::ErrorKind::NotFound if !directory.is_dir() => format!("no directory {shown}; create it first"),
            _ => format!(
                "cannot create a file in {shown}, which would get its name once it is complete: {error}; write_npy_to and Writer::new write to an open file instead"
            ),
        };
        io::Error::new(error.kind(), reason)
    })?;
    let temporary = Temporary(path);
    if let Some(old) = old {
        file.set_permissions(permissions(&old, &file)?)?;
    }
    Ok((file, temporary))
}

fn write_protected() -> io::Error {
    let reason = "it is write-protected; make it writable or remove it first";
    io::Error::new(io::ErrorKind::PermissionDenied, reason)
}

/// Returns the permissions of the old file for the new one: without set-user-ID, set-group-ID and sticky bit, and for another group, no more than
/// for all others.
#[cfg(unix)]
fn permissions(old: &Metadata, new: &File) -> io::Result<Permissions> {
    use std::os::unix::fs::{MetadataExt, PermissionsExt};
    let mode = old.mode() & 0o777;
    let of_others = mode & (mode << 3 | 0o707);
    let is_same_group = old.gid() == new.metadata()?.gid();
    Ok(Permissions::from_mode(if is_same_group { mode } else { of_others }))
}

#[cfg(not(unix))]
fn permissions(old: &Metadata, _: &File) -> io::Result<Permissions> {
    Ok(old.permissions())
}

/// The error for a file that is not replaced.
fn exists() -> io::Error {
    io::Error::new(io::ErrorKind::AlreadyExists, "the file exists, and is kept; use another name")
}

impl Destination {
    /// Returns the directory of the file; `None` if the file is written to directly.
    pub(crate) fn directory(&self) -> Option<&Directory> {
        self.directory.as_ref()
    }

    /// Gives the file its final name, and returns the open file.
    pub(crate) fn commit(self, file: File) -> Result<File> {
        let Some((target, temporary)) = self.name else {
            // A pipe has nothing to sync.
            if self.sync && file.metadata()?.is_file() {
                file.sync_all()?;
            }
            return Ok(file);
        };
        if self.sync {
            file.sync_all()?;
        }
        if self.keep {
            // A link does not replace another file. The temporary name is removed afterwards.
            match fs::hard_link(&temporary.0, &target) {
                Ok(()) => drop(temporary),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                    return Err(exists().into());
                }
                // A file system without hard links.
                Err(_) => temporary.rename(&target)?,
            }
        } else {
            temporary.rename(&target)?;
        }
        if let Some(directory) = self.directory.filter(|_| self.sync) {
            directory.sync()?;
        }
        Ok(file)
    }
}

impl Directory {
    /// Waits until changes of the names in this directory are on the disk; only on Unix.
    pub(crate) fn sync(&self) -> io::Result<()> {
        if cfg!(unix) { File::open(&self.0)?.sync_all() } else { Ok(()) }
    }
}

impl Temporary {
    fn rename(self, target: &Path) -> io::Result<()> {
        fs::rename(&self.0, target)?;
        // There is no such name any more.
        std::mem::forget(self);
        Ok(())
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        // There is nobody to report a failure to.
        let _ = fs::remove_file(&self.0);
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::io::{self, Write};

    use super::super::{Existing, begin, replace};
    use crate::error::ErrorKind;

    fn names(folder: &std::path::Path) -> Vec<std::ffi::OsString> {
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name()).collect()
    }

    #[test]
    fn a_file_is_replaced_when_it_is_complete() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x");
        for (sync, text) in [(false, "one"), (true, "two")] {
            replace(&path, sync, &mut |file| Ok(file.write_all(text.as_bytes())?)).unwrap();
            assert_eq!(fs::read_to_string(&path).unwrap(), text);
        }
        replace(&path, false, &mut |_| Err(ErrorKind::Locked.into())).unwrap_err();
        assert_eq!(fs::read_to_string(&path).unwrap(), "two");
        assert_eq!(names(folder.path()), ["x"]);
    }

    #[test]
    fn a_file_that_is_to_be_kept_is_kept() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x");
        let is_kept = |error: crate::Error| matches!(error.kind(), ErrorKind::Io(io) if io.kind() == io::ErrorKind::AlreadyExists);
        let (file, destination) = begin(&path, Existing::Keep, false).unwrap();
        let (other, late) = begin(&path, Existing::Keep, false).unwrap();
        destination.commit(file).unwrap();
        assert!(is_kept(late.commit(other).unwrap_err()));
        assert!(is_kept(begin(&path, Existing::Keep, false).unwrap_err()));
        assert_eq!(names(folder.path()), ["x"]);
    }

    #[cfg(unix)]
    #[test]
    fn links_are_followed_and_permissions_are_kept() {
        use std::os::unix::fs::{PermissionsExt, symlink};
        let folder = tempfile::tempdir().unwrap();
        let (path, link) = (folder.path().join("x"), folder.path().join("link"));
        fs::write(&path, "").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o4640)).unwrap();
        symlink("x", &link).unwrap();
        replace(&link, false, &mut |file| Ok(file.write_all(b"new")?)).unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"new");
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o7777, 0o640);
        fs::set_permissions(&path, fs::Permissions::from_mode(0o440)).unwrap();
        let error = replace(&link, false, &mut |_| Ok(())).unwrap_err().to_string();
        assert!(error.contains("write-protected"), "{error}");
    }

    /// Guards programs that find a mistake in a path late: after hours of work.
    #[test]
    fn a_path_of_no_file_is_refused_at_the_start() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["none/x", "x/", "x/.", ".", ".."] {
            begin(&folder.path().join(name), Existing::Replace, false).unwrap_err();
        }
        assert!(names(folder.path()).is_empty());
    }

    /// Guards a file of a group: users of another group get no more than all others. Only root can make such a file.
    #[cfg(unix)]
    #[test]
    fn another_group_gets_no_rights_of_the_old_one() {
        use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x");
        fs::write(&path, "").unwrap();
        let group = fs::metadata(&path).unwrap().gid();
        if chown(&path, None, Some(group + 1)).is_err() {
            return;
        }
        for (old, new) in [(0o664, 0o644), (0o660, 0o600), (0o604, 0o604)] {
            chown(&path, None, Some(group + 1)).unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(old)).unwrap();
            replace(&path, false, &mut |_| Ok(())).unwrap();
            let found = fs::metadata(&path).unwrap();
            assert_eq!((found.gid(), found.mode() & 0o777), (group, new));
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_device_is_written_to_directly() {
        let (_, destination) = begin("/dev/null".as_ref(), Existing::Replace, true).unwrap();
        assert!(destination.directory().is_none());
    }
}
