//! The temporary names that files of this process have now. A process that is ended by a signal drops nothing, so its handler must find them.

use std::ffi::{OsStr, OsString};
use std::hash::{BuildHasher, Hasher, RandomState};
use std::io;
use std::process;
use std::sync::{Mutex, PoisonError};

use super::Directory;

static NAMES: Names = Names(Mutex::new(Vec::new()));

/// Names in directories, from before the files exist until they are renamed or removed.
struct Names(Mutex<Vec<(Directory, OsString)>>);

/// A temporary name, which the list has until this is dropped.
#[derive(Debug)]
pub(super) struct Name(OsString);

impl Name {
    pub(super) fn as_os_str(&self) -> &OsStr {
        &self.0
    }
}

impl Drop for Name {
    fn drop(&mut self) {
        NAMES.forget(&self.0);
    }
}

impl Names {
    fn with<A>(&self, change: impl FnOnce(&mut Vec<(Directory, OsString)>) -> A) -> A {
        // Nothing panics while it holds the lock.
        change(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn add(&self, directory: &Directory, name: &OsStr) {
        self.with(|names| names.push((directory.clone(), name.to_owned())));
    }

    fn forget(&self, name: &OsStr) {
        self.with(|names| names.retain(|(_, other)| other != name));
    }

    fn remove_all(&self) {
        self.with(|names| {
            for (directory, name) in names.drain(..) {
                // It may just have been renamed.
                let _ = directory.remove(&name);
            }
        });
    }
}

/// Removes all files that have a temporary name.
pub(crate) fn remove_all() {
    NAMES.remove_all();
}

/// Calls `make` with a random name in the directory, and again with another name if a file with it exists.
pub(super) fn with_new_name<A>(
    directory: &Directory,
    mut make: impl FnMut(&OsStr) -> io::Result<A>,
) -> io::Result<(A, Name)> {
    // A name of 64 random bits exists only if somebody guesses it.
    const TRIES: usize = 16;
    let mut error = io::Error::from(io::ErrorKind::AlreadyExists);
    for _ in 0..TRIES {
        let name = Name(OsString::from(format!(".npy-{:016x}.tmp", random())));
        NAMES.add(directory, &name.0);
        match make(&name.0) {
            Ok(made) => return Ok((made, name)),
            Err(other) => error = other,
        }
        if error.kind() != io::ErrorKind::AlreadyExists {
            break;
        }
    }
    Err(error)
}

/// Returns a number that cannot be guessed, from the random keys of the standard library's hash tables. The process id is hashed,
/// because a forked process has the keys of its parent.
fn random() -> u64 {
    let mut hasher = RandomState::new().build_hasher();
    hasher.write_u32(process::id());
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use std::ffi::OsStr;
    use std::fs::{self, File};
    use std::sync::Mutex;

    use super::super::Directory;
    use super::{NAMES, Names, with_new_name};

    /// Guards what the handler of a signal removes: files that have a temporary name now, and no others.
    #[test]
    fn files_with_a_temporary_name_are_removed() {
        let folder = tempfile::tempdir().unwrap();
        let directory = Directory::open(folder.path()).unwrap();
        let names = Names(Mutex::new(Vec::new()));
        for name in ["now", "renamed", "gone"] {
            File::create(folder.path().join(name)).unwrap();
            names.add(&directory, OsStr::new(name));
        }
        names.forget(OsStr::new("renamed"));
        fs::remove_file(folder.path().join("gone")).unwrap();
        names.remove_all();
        let left: Vec<_> = fs::read_dir(folder.path()).unwrap().map(|e| e.unwrap()).collect();
        assert_eq!(left.len(), 1);
        assert_eq!(left[0].file_name(), "renamed");
    }

    /// Guards that a name is known from before its file exists until it is dropped.
    #[test]
    fn each_temporary_name_is_known() {
        let folder = tempfile::tempdir().unwrap();
        let directory = Directory::open(folder.path()).unwrap();
        let is_known = |name: &OsStr| NAMES.with(|names| names.iter().any(|(_, n)| n == name));
        let (before, name) = with_new_name(&directory, |name| Ok(is_known(name))).unwrap();
        let text = name.as_os_str().to_owned();
        assert!(before && is_known(&text));
        drop(name);
        assert!(!is_known(&text));
    }
}
