//! The temporary names that files of this process have now. A process that is ended by a signal drops nothing, so its handler must find them.

use std::ffi::{OsStr, OsString};
use std::hash::{BuildHasher, Hasher, RandomState};
use std::io;
use std::process;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Removes the file that has a name.
type Remove = Box<dyn Fn(&OsStr) -> io::Result<()> + Send>;

static NAMES: Names = Names(Mutex::new(Some(Vec::new())));

/// Names, from before the files exist until they are renamed or removed; `None` after all were removed, because the process is about to end.
struct Names(Mutex<Option<Vec<(OsString, Remove)>>>);

/// A temporary name, which the list has until this is dropped.
#[derive(Debug)]
pub(crate) struct Name(OsString);

impl Name {
    /// Returns a random name that begins with `prefix`, and lists it. `remove` removes the file that has it.
    pub(crate) fn new(prefix: &str, remove: Remove) -> io::Result<Self> {
        let name = OsString::from(format!("{prefix}{:016x}.tmp", random()));
        NAMES.add(&name, remove)?;
        Ok(Name(name))
    }

    pub(crate) fn as_os_str(&self) -> &OsStr {
        &self.0
    }
}

impl Drop for Name {
    fn drop(&mut self) {
        NAMES.forget(&self.0);
    }
}

impl Names {
    fn list(&self) -> MutexGuard<'_, Option<Vec<(OsString, Remove)>>> {
        // Nothing panics while it holds the lock.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn add(&self, name: &OsStr, remove: Remove) -> io::Result<()> {
        match &mut *self.list() {
            Some(names) => {
                names.push((name.to_owned(), remove));
                Ok(())
            }
            None => Err(io::Error::other(
                "no file can be created after NewFile::remove_incomplete, which is for the end of a process",
            )),
        }
    }

    fn forget(&self, name: &OsStr) {
        if let Some(names) = &mut *self.list() {
            names.retain(|(other, _)| other != name);
        }
    }

    fn remove_all(&self) {
        for (name, remove) in self.list().take().unwrap_or_default() {
            // It may just have been renamed.
            let _ = remove(&name);
        }
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
        let names = Names(Mutex::new(Some(Vec::new())));
        for name in ["now", "renamed", "gone"] {
            File::create(folder.path().join(name)).unwrap();
            let folder = folder.path().to_owned();
            let remove = move |name: &OsStr| fs::remove_file(folder.join(name));
            names.add(OsStr::new(name), Box::new(remove)).unwrap();
        }
        names.forget(OsStr::new("renamed"));
        fs::remove_file(folder.path().join("gone")).unwrap();
        names.remove_all();
        let left: Vec<_> = fs::read_dir(folder.path()).unwrap().map(|e| e.unwrap()).collect();
        assert_eq!(left.len(), 1);
        assert_eq!(left[0].file_name(), "renamed");
        // Until the process ends, another thread begins no file.
        assert!(names.add(OsStr::new("late"), Box::new(|_| Ok(()))).is_err());
    }

    /// Guards that a name is listed from before its file exists until it is dropped.
    #[test]
    fn each_temporary_name_is_listed() {
        let is_listed =
            |name: &OsStr| NAMES.list().iter().flatten().any(|(other, _)| other == name);
        let name = Name::new(".x-", Box::new(|_| Ok(()))).unwrap();
        let text = name.as_os_str().to_owned();
        assert!(is_listed(&text));
        drop(name);
        assert!(!is_listed(&text));
    }
}
