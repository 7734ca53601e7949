//! The documentation as docs.rs builds it.

use std::fs;
use std::path::{Path, PathBuf};

use super::packages::PUBLISHED;
use crate::command::{cargo, run as run_command};
use crate::{Result, root};

/// Returns the folder of the pages.
pub(super) fn folder() -> PathBuf {
    root().join("target/release-docs/doc")
}

/// Builds the pages with the flags of docs.rs, and checks that items name the features that they need.
pub(super) fn build() -> Result<Vec<String>> {
    // Pages of items that no longer exist would hide dead links.
    let _ = fs::remove_dir_all(folder());
    // Links to the pages of another package are only made if they are there, so those of the library come first.
    let others = PUBLISHED.into_iter().filter(|name| !["npy-cli", "npy-core"].contains(name));
    for packages in [vec!["npy-core"], others.collect()] {
        let mut doc = cargo(&["doc", "--no-deps", "--all-features", "--lib"]);
        doc.args(["--target-dir", "target/release-docs"]);
        for name in packages {
            doc.args(["--package", name]);
        }
        // docs.rs has a nightly compiler; this variable allows `doc_cfg` in any other.
        doc.env("RUSTC_BOOTSTRAP", "1").env("RUSTDOCFLAGS", "--cfg docsrs -D warnings");
        run_command(&mut doc)?;
    }
    let badges = fs::read_to_string(folder().join("npy_core/index.html"))?;
    if !badges.contains("crate feature") && !badges.contains("stab portability") {
        return Err("npy-core's page has no item that names its feature: is `doc_cfg` on?".into());
    }
    Ok(Vec::new())
}

/// Returns true if the pages were built.
pub(super) fn are_built() -> bool {
    Path::new(&folder().join("npy_core/index.html")).exists()
}
