//! The folder for the benchmark's files, and the amount of data in them.

use std::path::{Path, PathBuf};

use tempfile::TempDir;

/// Creates a folder that is removed when the benchmark is done. It is in memory where possible, so that no disk is measured.
pub(crate) fn make() -> std::io::Result<TempDir> {
    let shared = Path::new("/dev/shm");
    let parent = if shared.is_dir() { shared.to_owned() } else { std::env::temp_dir() };
    tempfile::Builder::new().prefix("npy-bench-").tempdir_in(parent)
}

/// The folder for the files, and their size.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    pub(crate) dir: PathBuf,
    /// True if all files are small, to check that the benchmark works.
    pub(crate) quick: bool,
}

impl Place {
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.dir.join(name)
    }

    /// The path of the file that is written.
    pub(crate) fn output(&self) -> PathBuf {
        self.path("output")
    }

    /// Returns the number of items, or a thousandth of it if `quick`.
    pub(crate) fn items(&self, full: u32) -> u32 {
        if self.quick { full.div_ceil(1000) } else { full }
    }
}
