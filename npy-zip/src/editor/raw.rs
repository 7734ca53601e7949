//! Members as bytes, which are copied from one archive to another without being decoded.

use std::io::{self, Read, Seek, SeekFrom, Write};

use super::moved;
use crate::checked;
use crate::directory::{Directory, Entry, Extent};
use crate::error::{Error, Result, corrupt, malformed, to_u64, to_usize};
use crate::extra;
use crate::index::{self, Record};
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

    /// Appends the header, the data and the seek index to `to`, and returns the member there.
    pub(super) fn copied(
        self,
        from: &mut (impl Read + Seek),
        to: &mut (impl Write + Seek),
    ) -> Result<Self> {
        let Extent { start, data, end, index } = self.extent;
        let position = to.seek(SeekFrom::End(0))?;
        let size = checked::sub(index.map_or(end, |index| index.end), start);
        from.seek(SeekFrom::Start(start))?;
        if io::copy(&mut from.take(size), to)? < size {
            return Err(shorter());
        }
        let moved = |old: u64| checked::add(position, checked::sub(old, start));
        let index = index.map(|Record { start, payload, end }| Record {
            start: moved(start),
            payload: moved(payload),
            end: moved(end),
        });
        let extent = Extent { start: position, data: moved(data), end: moved(end), index };
        Ok(Raw { extent, ..self })
    }

    /// Returns the member, which will be aligned if it is or `to_be` is true.
    pub(super) fn aligned(self, to_be: bool) -> Self {
        Raw { is_aligned: self.is_aligned || to_be, ..self }
    }

    /// Appends the member and its seek index to an archive, with another name if there is one.
    pub(super) fn append_to<W: Write>(
        &self,
        archive: &mut Writer<W>,
        name: Option<&str>,
        from: &mut (impl Read + Seek),
    ) -> Result<()> {
        let Extent { start, data, end, index } = self.extent;
        let position = archive.position();
        let header = read(from, start, data)?;
        let changed = || corrupt("the headers of the member changed after the archive was opened");
        let header = moved::local(&header, name, self.is_aligned, position).ok_or_else(changed)?;
        let entry = moved::central(&self.entry, name, position).ok_or_else(changed)?;
        let is_complete = archive.add_copy(&header, &entry, from.take(checked::sub(end, data)))?;
        let Some(Record { start, payload, end }) = index.filter(|_| is_complete) else {
            return if is_complete { Ok(()) } else { Err(shorter()) };
        };
        let header = read(from, start, payload)?;
        let name = name.map(index::name_of);
        let header = moved::local(&header, name.as_deref(), false, 0).ok_or_else(changed)?;
        let is_complete = archive.copy_index(&header, from.take(checked::sub(end, payload)))?;
        if is_complete { Ok(()) } else { Err(shorter()) }
    }
}

/// Reads a header that is at these positions, and leaves the reader after it.
fn read(from: &mut (impl Read + Seek), start: u64, end: u64) -> Result<Vec<u8>> {
    let mut header = vec![0; to_usize(checked::sub(end, start))?];
    from.seek(SeekFrom::Start(start))?;
    from.read_exact(&mut header)?;
    Ok(header)
}

#[cold]
fn shorter() -> Error {
    malformed("it became shorter while it was copied; change it when no other program writes to it")
}
