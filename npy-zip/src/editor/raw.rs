//! Members as bytes, which are copied from one archive to another without being decoded.

use std::io::{self, Read, Seek, SeekFrom, Write};

use super::moved;
use crate::directory::{Directory, Entry, Extent};
use crate::error::{Error, Result, corrupt, malformed, to_u64, to_usize};
use crate::extra;
use crate::writer::Writer;

/// A member as bytes: its entry in a directory, and its position in a file.
pub(super) struct Raw {
    entry: Vec<u8>,
    extent: Extent,
    /// True if the data is stored and aligned, and is to stay so: a program may view it in place.
    is_aligned: bool,
}

impl Raw {
    /// Finds a member in an archive. Any member is found, also one that cannot be read.
    pub(super) fn find(
        directory: &Directory,
        entry: &Entry,
        archive: &mut (impl Read + Seek),
    ) -> Result<Self> {
        let extent = directory.extent(entry, archive)?;
        Ok(Raw::new(entry, directory.entry_bytes(entry, archive)?, extent))
    }

    /// Finds a member that this package has written, by its entry in the directory.
    pub(super) fn written(bytes: &[u8], file: &mut (impl Read + Seek)) -> Result<Self> {
        let entry = Entry::read(&mut bytes.take(to_u64(bytes.len())), 0, 0)?;
        let extent = Extent::of_written(&entry, file)?;
        Ok(Raw::new(&entry, bytes.to_vec(), extent))
    }

    fn new(entry: &Entry, bytes: Vec<u8>, extent: Extent) -> Self {
        let is_aligned = !entry.is_compressed() && extra::is_aligned(extent.data);
        Raw { entry: bytes, extent, is_aligned }
    }

    /// Appends the header and the data to `to`, and returns the member there.
    pub(super) fn copied(
        self,
        from: &mut (impl Read + Seek),
        to: &mut (impl Write + Seek),
    ) -> Result<Self> {
        let Extent { start, data, end } = self.extent;
        let position = to.seek(SeekFrom::End(0))?;
        let size = end - start;
        from.seek(SeekFrom::Start(start))?;
        if io::copy(&mut from.take(size), to)? < size {
            return Err(shorter());
        }
        let moved = |old: u64| position + (old - start);
        let extent = Extent { start: position, data: moved(data), end: moved(end) };
        Ok(Raw { extent, ..self })
    }

    /// Appends the member to an archive, with another name if there is one.
    pub(super) fn append_to<W: Write>(
        &self,
        archive: &mut Writer<W>,
        name: Option<&str>,
        from: &mut (impl Read + Seek),
    ) -> Result<()> {
        let Extent { start, data, end } = self.extent;
        let position = archive.position();
        let mut header = vec![0; to_usize(data - start)?];
        from.seek(SeekFrom::Start(start))?;
        from.read_exact(&mut header)?;
        let changed = || corrupt("the headers of the member changed after the archive was opened");
        let header = moved::local(&header, name, self.is_aligned, position).ok_or_else(changed)?;
        let entry = moved::central(&self.entry, name, position).ok_or_else(changed)?;
        let data = from.take(end - data);
        if archive.add_copy(&header, &entry, data)? { Ok(()) } else { Err(shorter()) }
    }
}

#[cold]
fn shorter() -> Error {
    malformed("it became shorter while it was copied; change it when no other program writes to it")
}
