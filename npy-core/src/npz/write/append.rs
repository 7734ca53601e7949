//! An archive that members are added to.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};

use crate::error::Result;
use crate::limits::Limits;
use crate::npz::directory::{Central, Directory, malformed};
use crate::write::lock::{self, Lock};
use crate::write::replace::Place;

/// An archive that is there, locked for as long as this lives.
pub(super) struct Old {
    file: File,
    _lock: Lock,
    names: Vec<String>,
    central: Central,
}

impl Old {
    /// Opens the archive that is to be replaced, and reads its directory.
    pub(super) fn open(place: &Place) -> Result<Self> {
        let (mut file, lock) = open_locked(place)?;
        let directory = Directory::of_file(&mut file, &Limits::default())?;
        let central = directory.central(&mut file)?;
        // A name may be given twice, in an extra field once more: who does not read that sees the other.
        let plain = central.names().map(|name| String::from_utf8_lossy(name).into_owned());
        let names = directory.file_names().map(str::to_owned).chain(plain).collect();
        Ok(Old { file, _lock: lock, names, central })
    }

    /// The names of the members, as any reader sees them.
    pub(super) fn names(&self) -> impl Iterator<Item = String> {
        self.names.iter().cloned()
    }

    /// The position from which the positions in the directory count.
    pub(super) fn origin(&self) -> u64 {
        self.central.origin
    }

    /// Writes everything before the directory.
    pub(super) fn copy_members(&self, to: &mut File) -> Result<()> {
        let mut file = &self.file;
        file.seek(SeekFrom::Start(0))?;
        let copied = io::copy(&mut file.take(self.central.start), to)?;
        if copied == self.central.start {
            return Ok(());
        }
        Err(malformed(
            "it became shorter while it was copied; append when nobody else writes to it",
        ))
    }

    /// Puts the old entries in front of those of an archive of the new members, which is in `file` after what was copied.
    ///
    /// # Errors
    ///
    /// Also if another file has taken the place of the old archive: its members would be lost.
    pub(super) fn finish(&self, place: &Place, mut file: &mut File) -> Result<()> {
        let unlimited = Limits { members: u64::MAX, ..Limits::default() };
        let new = Directory::read(&mut file, &unlimited)?.central(&mut file)?;
        file.set_len(new.start)?;
        file.seek(SeekFrom::Start(new.start))?;
        self.central.write(&new, new.start, &mut file)?;
        if place.is_old(&self.file)? {
            return Ok(());
        }
        Err(malformed(
            "it was replaced or removed while members were appended, and is left as it is now; append them again",
        ))
    }
}

/// Opens a file that nobody else appends to, and that still has its name once it is locked.
fn open_locked(place: &Place) -> Result<(File, Lock)> {
    loop {
        let file = place.open_old()?;
        let lock = lock::lock(&file)?;
        if place.is_old(&file)? {
            return Ok((file, lock));
        }
    }
}
