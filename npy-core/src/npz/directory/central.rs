//! The directory of an archive as bytes, to be written again as it is.

use std::io::{Read, Seek, SeekFrom, Write};
use std::ops::Range;

use super::malformed;
use crate::error::Result;
use crate::limits::to_u64;

/// Fixed sizes of an entry, of the two end records of zip64, and of the end record.
const ENTRY: usize = 46;
const ZIP64_RECORD: usize = 56;
const ZIP64_LOCATOR: usize = 20;
const END: usize = 22;
/// The position in the end record of the length of the comment.
const LENGTH_IN_END: usize = 20;

/// The entries of a directory, and the comment of the archive.
pub(crate) struct Central {
    /// The position in the file from which the positions in the entries count.
    pub(crate) origin: u64,
    /// The position of the first entry in the file.
    pub(crate) start: u64,
    entries: Vec<u8>,
    names: Vec<Range<usize>>,
    /// Its length in two bytes, and the comment.
    comment: Vec<u8>,
}

impl Central {
    /// Reads the entries that are at `directory`, and the end of the archive after them.
    pub(super) fn read(
        mut reader: impl Read + Seek,
        origin: u64,
        directory: Range<u64>,
    ) -> Result<Self> {
        let size = directory.end.saturating_sub(directory.start);
        let mut entries = Vec::new();
        reader.seek(SeekFrom::Start(directory.start))?;
        reader.by_ref().take(size).read_to_end(&mut entries)?;
        let names = names(&entries).ok_or_else(|| {
            malformed("its directory has other bytes than entries; read the members and write a new archive")
        })?;

        const MOST: usize = ZIP64_RECORD + ZIP64_LOCATOR + END + (1 << 16);
        let mut end = Vec::new();
        reader.take(to_u64(MOST)).read_to_end(&mut end)?;
        let comment = comment(&end).ok_or_else(|| {
            malformed("it has data after its directory that would be lost; read the members and write a new archive")
        })?;
        let comment = comment.to_vec();
        Ok(Central { origin, start: directory.start, entries, names, comment })
    }

    /// The names of the members, in bytes.
    pub(crate) fn names(&self) -> impl ExactSizeIterator<Item = &[u8]> {
        self.names.iter().map(|name| self.entries.get(name.clone()).unwrap_or_default())
    }

    /// Writes these entries, those of `more` and the end of the archive to where the writer is, which is at this position of the file.
    pub(crate) fn write(&self, more: &Self, position: u64, mut writer: impl Write) -> Result<()> {
        writer.write_all(&self.entries)?;
        writer.write_all(&more.entries)?;
        let count = to_u64(self.names.len().saturating_add(more.names.len()));
        let size = to_u64(self.entries.len()).saturating_add(to_u64(more.entries.len()));
        let offset = position.saturating_sub(self.origin);

        // All ones in the small record: the number is in that of zip64.
        let small_count = u16::try_from(count).unwrap_or(u16::MAX);
        let small = |number: u64| u32::try_from(number).unwrap_or(u32::MAX);
        let (small_size, small_offset) = (small(size), small(offset));
        let mut end = Vec::new();
        if small_count == u16::MAX || small_size == u32::MAX || small_offset == u32::MAX {
            // Bytes of the record from here on; made by and to be read by version 4.5.
            end.extend(b"PK\x06\x06\x2c\0\0\0\0\0\0\0\x2d\0\x2d\0\0\0\0\0\0\0\0\0");
            end.extend([count, count, size, offset].map(u64::to_le_bytes).as_flattened());
            end.extend(b"PK\x06\x07\0\0\0\0");
            end.extend(offset.saturating_add(size).to_le_bytes());
            end.extend(1u32.to_le_bytes());
        }
        end.extend(b"PK\x05\x06\0\0\0\0");
        end.extend([small_count; 2].map(u16::to_le_bytes).as_flattened());
        end.extend([small_size, small_offset].map(u32::to_le_bytes).as_flattened());
        end.extend(&self.comment);
        Ok(writer.write_all(&end)?)
    }
}

/// The positions of the names; `None` if there is anything but entries.
fn names(entries: &[u8]) -> Option<Vec<Range<usize>>> {
    let (mut names, mut at) = (Vec::new(), 0usize);
    while at < entries.len() {
        let entry = entries.get(at..)?;
        let fixed = entry.get(..ENTRY).filter(|fixed| fixed.starts_with(b"PK\x01\x02"))?;
        let [name, extra, comment] = [28, 30, 32].map(|at| usize::from(number(fixed, at)));
        let name = at.checked_add(ENTRY)?..at.checked_add(ENTRY)?.checked_add(name)?;
        at = name.end.checked_add(extra)?.checked_add(comment)?;
        names.push(name);
    }
    (at == entries.len()).then_some(names)
}

/// The comment in the end of an archive, with its length; `None` if there is anything but end records.
fn comment(end: &[u8]) -> Option<&[u8]> {
    let mut rest = end;
    if let Some(record) = rest.strip_prefix(b"PK\x06\x06") {
        let size = record.first_chunk().map(|size| u64::from_le_bytes(*size))?;
        // Without the signature and the size itself.
        if size != to_u64(ZIP64_RECORD - 12) {
            return None;
        }
        rest = rest.get(ZIP64_RECORD..).filter(|locator| locator.starts_with(b"PK\x06\x07"))?;
        rest = rest.get(ZIP64_LOCATOR..)?;
    }
    let length = usize::from(number(rest, LENGTH_IN_END));
    let is_end = rest.starts_with(b"PK\x05\x06") && rest.len() == END.checked_add(length)?;
    rest.get(LENGTH_IN_END..).filter(|_| is_end)
}

/// The number of two bytes at this position.
fn number(bytes: &[u8], at: usize) -> u16 {
    let bytes = bytes.get(at..).and_then(<[u8]>::first_chunk).copied();
    u16::from_le_bytes(bytes.unwrap_or_default())
}
