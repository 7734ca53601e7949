//! Replacing files by the package `whole-file`.

use std::fs::File;
use std::io;
use std::path::Path;

pub(crate) use whole_file::Directory;
#[cfg(feature = "npz")]
pub(crate) use whole_file::Spool;
use whole_file::{NoTemporaryFile, Options};

use super::Existing;
#[cfg(feature = "npz")]
use crate::error::ErrorKind;
use crate::error::Result;

/// The final name of a new file. If this is dropped before [`commit`](Self::commit), the file is removed.
#[derive(Debug)]
pub(crate) struct Destination(whole_file::Destination);

fn options() -> Options {
    let mut options = Options::new();
    options.prefix(".npy-");
    options
}

/// Creates a file in the directory of `path`, to be renamed to `path` later. A pipe, a device or an
/// open file of a process is opened instead.
pub(crate) fn begin(path: &Path, existing: Existing, sync: bool) -> Result<(File, Destination)> {
    let created =
        options().keep_existing(existing == Existing::Keep).sync(sync).create(path).map_err(
            |error| match error.get_ref().is_some_and(|inner| inner.is::<NoTemporaryFile>()) {
                true => io::Error::new(
                    error.kind(),
                    format!("{error}; write_npy_to and Writer::new write to an open file instead"),
                ),
                false => error,
            },
        )?;
    let (file, destination) = created.into_parts();
    Ok((file, Destination(destination)))
}

/// Returns an empty buffer, whose file will be in this directory, or in the system's temporary directory.
#[cfg(feature = "npz")]
pub(crate) fn spool(directory: Option<&Directory>) -> Spool {
    options().spool(directory)
}

impl Destination {
    /// Returns the directory of the file; `None` if the file is written to directly.
    pub(crate) fn directory(&self) -> Option<&Directory> {
        self.0.directory()
    }

    /// Opens the file that will be replaced.
    #[cfg(feature = "npz")]
    pub(crate) fn open_old(&self) -> Result<File> {
        let what = || "replacing a device or an open file of a process".into();
        let needs = "a regular file: open it by its own path";
        let old = self.0.open_old()?;
        old.ok_or_else(|| ErrorKind::Unsupported { what: what(), needs }.into())
    }

    /// Returns true if `file` still has the name, and will be replaced.
    #[cfg(feature = "npz")]
    pub(crate) fn is_old(&self, file: &File) -> Result<bool> {
        Ok(self.0.is_old(file)?)
    }

    /// Gives the file its final name, and returns the open file.
    pub(crate) fn commit(self, file: File) -> Result<File> {
        Ok(self.0.finish(file)?)
    }
}
