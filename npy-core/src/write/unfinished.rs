//! Work that is lost without an error, because a writer is dropped before it is finished.

use std::io::{self, Write as _};
use std::mem;
use std::path::{Path, PathBuf};
use std::thread;

/// Reports lost work: a field of writers whose file appears only with `finish`. If such a writer is dropped earlier, after data was added and
/// without an error, this prints one line to the standard error.
pub(crate) struct Unfinished {
    path: Option<PathBuf>,
    /// The name of the member, for a writer of one member.
    member: Option<String>,
    work: Work,
}

/// The state of the data that was added.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Work {
    Nothing,
    Something,
    /// It was finished or discarded, or an error was returned.
    Told,
}

impl Unfinished {
    /// Creates the report for the file at this path. No data was added yet.
    pub(crate) fn new(path: Option<&Path>) -> Self {
        Unfinished { path: path.map(Path::to_owned), member: None, work: Work::Nothing }
    }

    /// Creates the report for a member of the archive at this path.
    #[cfg(feature = "npz")]
    pub(crate) fn of_member(path: Option<&Path>, member: &str) -> Self {
        let member = Some(member.to_owned());
        Unfinished { path: path.map(Path::to_owned), member, work: Work::Nothing }
    }

    /// Records that data was added, also after an earlier error.
    #[cfg(feature = "npz")]
    pub(crate) fn add(&mut self) {
        self.work = Work::Something;
    }

    /// Records that data was added, unless an error was returned before.
    pub(crate) fn add_unless_told(&mut self) {
        if self.work == Work::Nothing {
            self.work = Work::Something;
        }
    }

    /// Records that the data was finished or discarded, or that an error is returned. Returns the previous state.
    pub(crate) fn tell(&mut self) -> Work {
        mem::replace(&mut self.work, Work::Told)
    }

    /// Restores the state that [`tell`](Self::tell) returned, after a call succeeded.
    #[cfg(feature = "npz")]
    pub(crate) fn restore(&mut self, before: Work) {
        self.work = before;
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
        if self.work == Work::Something && !is_page && !thread::panicking() {
            // There may be no standard error.
            let _ = writeln!(io::stderr(), "{}", self.message());
        }
    }
}
