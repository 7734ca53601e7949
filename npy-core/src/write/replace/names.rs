//! The temporary names that files of this process have now. A process that is ended by a signal drops nothing, so its handler must find them.

use std::ffi::{OsStr, OsString};
use std::hash::{BuildHasher, Hasher, RandomState};
use std::io;
use std::process;
use std::sync::{Mutex, PoisonError};

/// Removes the file that has a name.
type Remove = Box<dyn Fn(&OsStr) -> io::Result<()> + Send>;

static NAMES: Names = Names(Mutex::new(Vec::new()));

/// Names, from before the files exist until they are renamed or removed.
struct Names(Mutex<Vec<(OsString, Remove)>>);

/// A temporary name, which the list has until this is dropped.
#[derive(Debug)]
pub(super) struct Name(OsString);

impl Name {
    /// Returns a random name, and lists it. `remove` removes the file that has it.
    pub(super) fn new(remove: Remove) -> Self {
        let name = OsString::from(format!(".npy-{:016x}.tmp", random()));
        NAMES.add(&name, remove);
        Name(name)
    }

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
    fn with<A>(&self, change: impl FnOnce(&mut Vec<(OsString, Remove)>) -> A) -> A {
        // Nothing panics while it holds the lock.
        change(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn add(&self, name: &OsStr, remove: Remove) {
        self.with(|names| names.push((name.to_owned(), remove)));
    }

    fn forget(&self, name: &OsStr) {
        self.with(|names| names.retain(|(other, _)| other != name));
    }

    fn remove_all(&self) {
        self.with(|names| {
            for (name, remove) in names.drain(..) {
                // It may just have been renamed.
                let _ = remove(&name);
            }
        });
    }
}

/// Removes all files that have a temporary name.
pub(crate) fn remove_all() {
    NAMES.remove_all();
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

    use super::{NAMES, Name, Names};

    /// Guards what the handler of a signal removes: files that have a temporary name now, and no others.
    #[test]
    fn files_with_a_temporary_name_are_removed() {
        let folder = tempfile::tempdir().unwrap();
        let names = Names(Mutex::new(Vec::new()));
        for name in ["now", "renamed", "gone"] {
            File::create(folder.path().join(name)).unwrap();
            let folder = folder.path().to_owned();
            names.add(OsStr::new(name), Box::new(move |name| fs::remove_file(folder.join(name))));
        }
        names.forget(OsStr::new("renamed"));
        fs::remove_file(folder.path().join("gone")).unwrap();
        names.remove_all();
        let left: Vec<_> = fs::read_dir(folder.path()).unwrap().map(|e| e.unwrap()).collect();
        assert_eq!(left.len(), 1);
        assert_eq!(left[0].file_name(), "renamed");
    }

    /// Guards that a name is listed from before its file exists until it is dropped.
    #[test]
    fn each_temporary_name_is_listed() {
        let is_listed = |name: &OsStr| NAMES.with(|names| names.iter().any(|(n, _)| n == name));
        let name = Name::new(Box::new(|_| Ok(())));
        let text = name.as_os_str().to_owned();
        assert!(is_listed(&text));
        drop(name);
        assert!(!is_listed(&text));
    }
}
