//! Replaces a file completely or not at all: by the package `whole-file`, or by the standard library alone.

#[cfg(not(feature = "atomic"))]
mod plain;
#[cfg(feature = "atomic")]
mod whole;

use std::fs::File;
use std::path::Path;

use crate::error::Result;
#[cfg(not(feature = "atomic"))]
pub(crate) use plain::{Destination, Directory, begin};
#[cfg(feature = "atomic")]
pub(crate) use whole::{Destination, Directory, begin};
#[cfg(feature = "npz")]
pub(crate) use whole::{Spool, spool};

/// The treatment of a file that has the name already.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Existing {
    Replace,
    /// It stays, and creating or naming the new file fails with [`AlreadyExists`](std::io::ErrorKind::AlreadyExists).
    Keep,
}

/// Writes a temporary file in the directory of `path`, and renames it to `path` once it is complete. Returns the open file.
///
/// With `sync`, the file and (on Unix) its name are on the disk when this returns.
pub(crate) fn replace(
    path: &Path,
    sync: bool,
    write: &mut dyn FnMut(&mut File) -> Result<()>,
) -> Result<File> {
    let (mut file, destination) = begin(path, Existing::Replace, sync)?;
    write(&mut file)?;
    destination.commit(file)
}
