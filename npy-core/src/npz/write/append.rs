//! The archive that members are appended to.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::ops::Range;

use crate::error::Result;
use crate::limits::Limits;
use crate::npz::directory::{Central, Directory, malformed};
use crate::write::lock::{self, Lock};
use crate::write::replace::Destination;

/// The archive that is appended to or edited, locked while this value exists.
pub(in crate::npz) struct Old {
    pub(in crate::npz) file: File,
    pub(in crate::npz) directory: Directory,
    /// The directory as bytes.
    pub(in crate::npz) central: Central,
    _lock: Lock,
}

impl Old {
    /// Opens the archive and reads its directory.
    pub(in crate::npz) fn open(destination: &Destination, limits: &Limits) -> Result<Self> {
        let (file, lock) = open_locked(destination)?;
        let directory = Directory::of_file(&file, limits)?;
        let central = directory.central(&file)?;
        Ok(Old { file, directory, central, _lock: lock })
    }

    /// Returns every name by which some reader may know a member.
    pub(super) fn names(&self) -> impl Iterator<Item = String> {
        // An extra field may hold a second name for a member, which not all readers use.
        let plain = self.central.names().map(|name| String::from_utf8_lossy(name).into_owned());
        self.directory.file_names().map(str::to_owned).chain(plain)
    }

    /// Copies everything before the directory to `to`.
    pub(super) fn copy_members(&self, to: &mut File) -> Result<()> {
        copy_range(&mut &self.file, 0..self.directory.start(), to)
    }

    /// Returns false if another file now has the name of the archive, or none: replacing it could undo another program's work.
    pub(in crate::npz) fn is_still_there(&self, destination: &Destination) -> Result<bool> {
        destination.is_old(&self.file)
    }

    /// Returns false if the directory was changed in the file.
    pub(in crate::npz) fn is_unchanged(&self) -> bool {
        self.directory.central(&self.file).is_ok_and(|now| now == self.central)
    }
}

/// Copies these bytes of an archive.
pub(in crate::npz) fn copy_range(
    from: &mut (impl Read + Seek),
    range: Range<u64>,
    to: &mut impl Write,
) -> Result<()> {
    let size = range.end.saturating_sub(range.start);
    from.seek(SeekFrom::Start(range.start))?;
    if io::copy(&mut from.take(size), to)? == size {
        return Ok(());
    }
    Err(malformed(
        "it became shorter while it was copied; change it when no other program writes to it",
    ))
}

/// Opens and locks the file. Starts over if it was replaced before it was locked.
fn open_locked(destination: &Destination) -> Result<(File, Lock)> {
    loop {
        let file = destination.open_old()?;
        let lock = lock::lock(&file)?;
        if destination.is_old(&file)? {
            return Ok((file, lock));
        }
    }
}
