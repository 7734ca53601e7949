//! The file that an archive replaces when it is complete.

use std::fs::File;
use std::io::{self, Seek, SeekFrom};
use std::path::Path;

use npy_zip::Central;

use super::directory::Directory;
use super::options::WriteOptions;
use crate::error::Result;
use crate::limits::Limits;
use crate::write::lock::{self, Lock};
use crate::write::replace::{self, Destination, Existing};

/// The file that an archive replaces when it is complete.
pub(super) struct Target {
    destination: Destination,
    /// The archive that is there, if it is edited.
    old: Option<Old>,
}

/// The archive that is edited, locked while this value exists.
pub(super) struct Old {
    pub(super) file: File,
    pub(super) directory: Directory,
    /// The directory as bytes.
    pub(super) central: Central,
    _lock: Lock,
}

impl Target {
    /// Begins a file that will be at `path`.
    pub(super) fn create(path: &Path, options: &WriteOptions) -> Result<(File, Self)> {
        let existing = if options.keep_existing { Existing::Keep } else { Existing::Replace };
        let (file, destination) = replace::begin(path, existing, options.sync)?;
        Ok((file, Target { destination, old: None }))
    }

    /// Begins a file that will replace the archive at `path`, and opens that.
    pub(super) fn edit(path: &Path, options: &WriteOptions) -> Result<(File, Self)> {
        let (file, destination) = replace::begin(path, Existing::Replace, options.sync)?;
        let old = Some(Old::open(&destination, &options.limits)?);
        Ok((file, Target { destination, old }))
    }

    /// Returns the archive that is edited; `None` for a new one.
    pub(super) fn old(&self) -> Option<&Old> {
        self.old.as_ref()
    }

    /// Returns the directory of the file, for temporary files.
    pub(super) fn directory(&self) -> Option<&replace::Directory> {
        self.destination.directory()
    }

    /// Returns an error if another program replaced, removed or changed the old archive: replacing it now could undo that program's work.
    pub(super) fn check(&self) -> Result<()> {
        let Some(old) = &self.old else { return Ok(()) };
        if self.destination.is_old(&old.file)?
            && old.directory.zip().central(&old.file).is_ok_and(|now| now == old.central)
        {
            return Ok(());
        }
        let reason = "it was replaced, removed or changed while it was edited, and is left as it is now; open it again and repeat the changes";
        Err(io::Error::other(reason).into())
    }

    /// Gives the file its name. If it `is_changed` in nothing, the old archive stays instead, and is returned.
    pub(super) fn commit(self, file: File, is_changed: bool) -> Result<File> {
        self.check()?;
        match self.old {
            Some(mut old) if !is_changed => {
                old.file.seek(SeekFrom::End(0))?;
                Ok(old.file)
            }
            _ => self.destination.commit(file),
        }
    }
}

impl Old {
    /// Opens the archive and reads its directory.
    fn open(destination: &Destination, limits: &Limits) -> Result<Self> {
        let (file, lock) = open_locked(destination)?;
        let directory = Directory::of_file(&file, limits)?;
        let central = directory.zip().central(&file)?;
        Ok(Old { file, directory, central, _lock: lock })
    }
}

const GROWS: &str = "only an archive that exists can be changed; npz::Writer::create makes one";

/// Opens and locks the file. Starts over if it was replaced before it was locked.
fn open_locked(destination: &Destination) -> Result<(File, Lock)> {
    loop {
        let file = destination.open_old().map_err(|error| lock::absent(error.into(), GROWS))?;
        let lock = lock::lock(&file)?;
        if destination.is_old(&file)? {
            return Ok((file, lock));
        }
    }
}
