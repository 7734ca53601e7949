//! Where the files of the benchmark lie, and how much data is in them.

use std::path::{Path, PathBuf};

use tempfile::TempDir;

/// A folder that goes when the benchmark is done; in memory where there is such a place, so that no disk is measured.
pub(crate) fn make() -> std::io::Result<TempDir> {
    let shared = Path::new("/dev/shm");
    let parent = if shared.is_dir() { shared.to_owned() } else { std::env::temp_dir() };
    tempfile::Builder::new().prefix("npy-bench-").tempdir_in(parent)
}

/// A folder of files, and their size.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    pub(crate) dir: PathBuf,
    /// Whether everything is small: to see that it works.
    pub(crate) quick: bool,
}

impl Place {
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.dir.join(name)
    }

    /// What writers write.
    pub(crate) fn output(&self) -> PathBuf {
        self.path("output")
    }

    /// A number of items, or a thousandth of it.
    pub(crate) fn items(&self, full: u32) -> u32 {
        if self.quick { full.div_ceil(1000) } else { full }
    }
}
