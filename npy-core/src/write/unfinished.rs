//! Work that is lost without an error, because a writer is dropped before it is finished.

use std::io::{self, Write as _};
use std::mem;
use std::path::{Path, PathBuf};
use std::thread;

/// Reports lost work: a field of writers whose file appears only with `finish`. It prints one line to the standard error if such a writer is
/// dropped earlier, and has rows or members that were added after the last error. Losses before an error need no line, because the program has the error.
pub(crate) struct Unfinished {
    path: Option<PathBuf>,
    /// The name of the member, for a writer of one member.
    member: Option<String>,
    /// The number of rows or members that were added, and how many of them an error told of.
    added: usize,
    pub(crate) told: usize,
}

impl Unfinished {
    /// Creates the report for the file at this path. No data was added yet.
    pub(crate) fn new(path: Option<&Path>) -> Self {
        Unfinished { path: path.map(Path::to_owned), member: None, added: 0, told: 0 }
    }

    /// Creates the report for a member of the archive at this path.
    #[cfg(feature = "npz")]
    pub(crate) fn of_member(path: Option<&Path>, member: &str) -> Self {
        let mut unfinished = Unfinished::new(path);
        unfinished.member = Some(member.to_owned());
        unfinished
    }

    /// Records how many rows or members were added until now.
    pub(crate) fn set_added(&mut self, added: usize) {
        self.added = added;
        self.told = self.told.min(added);
    }

    /// Records that one more was added.
    #[cfg(feature = "npz")]
    pub(crate) fn add(&mut self) {
        self.set_added(self.added.saturating_add(1));
    }

    /// Records that an error is returned, or that the data was finished or discarded. Returns how many an error told of before.
    pub(crate) fn tell(&mut self) -> usize {
        mem::replace(&mut self.told, self.added)
    }

    fn message(&self) -> String {
        let file = self.path.as_ref().map_or("an archive".into(), |path| path.to_string_lossy());
        let member =
            self.member.as_ref().map_or(String::new(), |name| format!(": member {name:?}"));
        format!(
            "npy-core: {file}{member} was not written, because its writer was dropped without `finish`"
        )
    }
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        // A page in a browser has no standard error.
        let is_page = cfg!(all(target_arch = "wasm32", target_os = "unknown"));
        if self.added > self.told && !is_page && !thread::panicking() {
            // There may be no standard error.
            let _ = writeln!(io::stderr(), "{}", self.message());
        }
    }
}
