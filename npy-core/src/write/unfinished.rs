//! Work that is lost without an error, because a writer is dropped before it is finished.

use std::io::{self, Write as _};
use std::mem;
use std::path::{Path, PathBuf};
use std::thread;

/// Part of a writer whose file appears when it is finished. If the writer is dropped before, with work that nobody was told of, a line on the
/// standard error says that it is lost.
pub(crate) struct Unfinished {
    path: Option<PathBuf>,
    /// The member whose rows they are.
    member: Option<String>,
    work: Work,
}

/// What is known of the work.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Work {
    Nothing,
    Something,
    /// It is finished or given up, or an error has told of it.
    Told,
}

impl Unfinished {
    /// No work, for the file at this path.
    pub(crate) fn new(path: Option<&Path>) -> Self {
        Unfinished { path: path.map(Path::to_owned), member: None, work: Work::Nothing }
    }

    /// No work, for a member of the archive at this path.
    #[cfg(feature = "npz")]
    pub(crate) fn of_member(path: Option<&Path>, member: &str) -> Self {
        let member = Some(member.to_owned());
        Unfinished { path: path.map(Path::to_owned), member, work: Work::Nothing }
    }

    /// Notes that there is work, of which no error has told yet.
    #[cfg(feature = "npz")]
    pub(crate) fn add(&mut self) {
        self.work = Work::Something;
    }

    /// Notes that there is work, unless an error has told.
    pub(crate) fn add_unless_told(&mut self) {
        if self.work == Work::Nothing {
            self.work = Work::Something;
        }
    }

    /// Notes that the work is finished or given up, or that an error tells of it. Returns what was known before.
    pub(crate) fn tell(&mut self) -> Work {
        mem::replace(&mut self.work, Work::Told)
    }

    /// Takes back that something was told.
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
