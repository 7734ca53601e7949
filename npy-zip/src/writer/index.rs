//! The seek index of a member that is being written.

use std::io;

use super::headers::{Member, named};
use crate::checked;
use crate::checksum::Hasher;
use crate::error::to_u64;
use crate::index;
use crate::records::{Common, LocalHeader, Part, SeekIndex};
use crate::room;

/// The positions and the checksums of the chunks so far, as they will be in the index.
#[derive(Default)]
pub(super) struct Index {
    /// All but the first, which is 0.
    positions: Vec<u8>,
    checksums: Vec<u8>,
}

impl Index {
    /// Adds the next chunk, which begins at this position among the compressed bytes.
    pub(super) fn add(&mut self, position: u64, crc: u32) -> io::Result<()> {
        room::growing(&mut self.checksums, u32::SIZE)?;
        room::growing(&mut self.positions, u64::SIZE)?;
        if !self.checksums.is_empty() {
            position.append_to(&mut self.positions);
        }
        crc.append_to(&mut self.checksums);
        Ok(())
    }
}

impl Member {
    /// Returns the index after the data: a member of its own that no directory has. `chunk` is the size of the chunks. Returns `None` if
    /// there is only one, or too many for an index with a header.
    pub(super) fn index(&self, chunk: u32) -> io::Result<Option<Vec<u8>>> {
        let Index { positions, checksums } = &self.index;
        if positions.is_empty() {
            return Ok(None);
        }
        let chunks = to_u64(checksums.len() / u32::SIZE);
        let skipped = SeekIndex::checksums_size(chunks).unwrap_or(u64::MAX);
        let size = skipped.saturating_add(to_u64(checked::add(SeekIndex::SIZE, positions.len())));
        let (Ok(skipped), Ok(size)) = (u32::try_from(skipped), u32::try_from(size)) else {
            return Ok(None);
        };
        let mut payload = room::buffer(usize::try_from(size).map_err(io::Error::other)?)?;
        let head = SeekIndex {
            version: SeekIndex::VERSION,
            skipped,
            chunk,
            position_size: 8,
            size: self.size,
            compressed: self.compressed,
        };
        head.append_to(&mut payload);
        payload.extend(SeekIndex::CHECKSUMS);
        payload.extend(checksums);
        payload.resize(payload.len().next_multiple_of(8), 0);
        payload.extend(positions);

        let name = index::name_of(&self.name);
        let mut crc = Hasher::new();
        crc.update(&payload);
        let crc = crc.finalize();
        let common = Common { version: 20, crc, compressed: size, size, ..named(&name)? };
        let mut record = LocalHeader { common }.to_bytes();
        record.extend(name.as_bytes());
        record.extend(payload);
        Ok(Some(record))
    }
}
