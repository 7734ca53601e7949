//! Members as bytes, which are copied from one archive to another without being decoded.

use std::fs::File;
use std::io::{BufWriter, Read, Seek, SeekFrom, Write};

use super::moved;
use crate::element::block::BLOCK;
use crate::error::Result;
use crate::limits::{to_u64, to_usize};
use crate::npz::directory::{Central, Directory, Entry, Extent, corrupt};
use crate::npz::extra;
use crate::npz::write::append::copy_range;

/// A member as bytes: its entry in a directory, and its position in a file.
pub(super) struct Raw {
    entry: Vec<u8>,
    extent: Extent,
    /// True if the data is aligned, and is to stay so: a program may view it in place.
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
        Ok(Raw::new(directory.entry_bytes(entry, archive)?, extent))
    }

    /// Finds a member that this crate has written, by its entry in the directory.
    pub(super) fn written(bytes: &[u8], file: &mut (impl Read + Seek)) -> Result<Self> {
        let entry = Entry::read(&mut bytes.take(to_u64(bytes.len())), 0, 0)?;
        let extent = Extent::of_written(&entry, file)?;
        Ok(Raw::new(bytes.to_vec(), extent))
    }

    fn new(entry: Vec<u8>, extent: Extent) -> Self {
        Raw { entry, extent, is_aligned: extra::is_aligned(extent.data) }
    }

    /// Appends the header and the data to `to`, and returns the member there.
    pub(super) fn copied(
        self,
        from: &mut (impl Read + Seek),
        to: &mut (impl Write + Seek),
    ) -> Result<Self> {
        let Extent { start, data, end } = self.extent;
        let position = to.seek(SeekFrom::End(0))?;
        copy_range(from, start..end, to)?;
        let moved = |old: u64| position.saturating_add(old.saturating_sub(start));
        let extent = Extent { start: position, data: moved(data), end: moved(end) };
        Ok(Raw { extent, ..self })
    }
}

/// An archive that is made of the members of others.
pub(super) struct Assembly {
    to: BufWriter<File>,
    position: u64,
    central: Central,
}

impl Assembly {
    pub(super) fn new(file: File, central: Central) -> Self {
        Assembly { to: BufWriter::with_capacity(BLOCK, file), position: 0, central }
    }

    /// Appends a member from this file, with another name if there is one.
    pub(super) fn add(
        &mut self,
        raw: &Raw,
        name: Option<&str>,
        from: &mut (impl Read + Seek),
    ) -> Result<()> {
        let Extent { start, data, end } = raw.extent;
        let mut header = vec![0; to_usize(data.saturating_sub(start))?];
        from.seek(SeekFrom::Start(start))?;
        from.read_exact(&mut header)?;
        let changed = || corrupt("the headers of the member changed after the archive was opened");
        let header = moved::local(&header, name, raw.is_aligned, self.position);
        let header = header.ok_or_else(changed)?;
        let entry = moved::central(&raw.entry, name, self.position).ok_or_else(changed)?;
        self.to.write_all(&header)?;
        copy_range(from, data..end, &mut self.to)?;
        let size = to_u64(header.len()).saturating_add(end.saturating_sub(data));
        self.position = self.position.saturating_add(size);
        self.central.push(&entry);
        Ok(())
    }

    /// Writes the directory, and returns the file.
    pub(super) fn finish(mut self) -> Result<File> {
        self.to.write_all(self.central.entries())?;
        self.to.write_all(&self.central.end(self.position))?;
        Ok(self.to.into_inner().map_err(std::io::IntoInnerError::into_error)?)
    }
}
