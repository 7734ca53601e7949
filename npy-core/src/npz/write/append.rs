//! The archive that members are appended to.

use std::collections::HashSet;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};

use crate::error::Result;
use crate::limits::Limits;
use crate::npz::directory::{Central, Directory, malformed};
use crate::write::lock::{self, Lock};
use crate::write::replace::Place;

/// The archive that is appended to, locked while this value exists.
pub(super) struct Old {
    file: File,
    _lock: Lock,
    /// The position of its directory.
    end: u64,
}

impl Old {
    /// Opens the archive and reads its directory. Also returns every name by which some reader may know a member.
    pub(super) fn open(place: &Place, limits: &Limits) -> Result<(Self, Central, HashSet<String>)> {
        let (mut file, lock) = open_locked(place)?;
        let directory = Directory::of_file(&mut file, limits)?;
        let central = directory.central(&mut file)?;
        // An extra field may hold a second name for a member, which not all readers use.
        let plain = central.names().map(|name| String::from_utf8_lossy(name).into_owned());
        let names = directory.file_names().map(str::to_owned).chain(plain).collect();
        Ok((Old { file, _lock: lock, end: directory.start() }, central, names))
    }

    /// Copies everything before the directory to `to`.
    pub(super) fn copy_members(&self, to: &mut File) -> Result<()> {
        let mut file = &self.file;
        file.seek(SeekFrom::Start(0))?;
        let copied = io::copy(&mut file.take(self.end), to)?;
        if copied == self.end {
            return Ok(());
        }
        Err(malformed(
            "it became shorter while it was copied; append when no other program writes to it",
        ))
    }

    /// Returns an error if another file now has the name of the archive, or none: replacing it could undo another program's work.
    pub(super) fn check_still_there(&self, place: &Place) -> Result<()> {
        if place.is_old(&self.file)? {
            return Ok(());
        }
        Err(malformed(
            "it was replaced or removed while members were appended, and is left as it is now; append them again",
        ))
    }
}

/// Opens and locks the file. Starts over if it was replaced before it was locked.
fn open_locked(place: &Place) -> Result<(File, Lock)> {
    loop {
        let file = place.open_old()?;
        let lock = lock::lock(&file)?;
        if place.is_old(&file)? {
            return Ok((file, lock));
        }
    }
}
