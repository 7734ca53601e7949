//! The directory of an archive as bytes: old entries stay as they are, new ones come after them.

use std::io::{Read, Seek, SeekFrom};
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
    entries: Vec<u8>,
    count: usize,
    /// Its length in two bytes, and the comment.
    comment: Vec<u8>,
}

impl Central {
    /// The directory of a new archive.
    pub(crate) fn empty() -> Self {
        Central { origin: 0, entries: Vec::new(), count: 0, comment: vec![0, 0] }
    }

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
        let mut rest = &entries[..];
        let mut count = 0usize;
        while !rest.is_empty() {
            (_, rest) = split_entry(rest).ok_or_else(|| {
                malformed("its directory has other bytes than entries; read the members and write a new archive")
            })?;
            count = count.saturating_add(1);
        }

        const MOST: usize = ZIP64_RECORD + ZIP64_LOCATOR + END + (1 << 16);
        let mut end = Vec::new();
        reader.take(to_u64(MOST)).read_to_end(&mut end)?;
        let comment = comment(&end).ok_or_else(|| {
            malformed("it has data after its directory that would be lost; read the members and write a new archive")
        })?;
        let comment = comment.to_vec();
        Ok(Central { origin, entries, count, comment })
    }

    /// The names of the members, in bytes.
    pub(crate) fn names(&self) -> impl Iterator<Item = &[u8]> {
        let mut rest = &self.entries[..];
        std::iter::from_fn(move || {
            let name;
            (name, rest) = split_entry(rest)?;
            Some(name)
        })
    }

    pub(crate) fn entries(&self) -> &[u8] {
        &self.entries
    }

    /// Adds an entry.
    pub(crate) fn push(&mut self, entry: &[u8]) {
        self.entries.extend_from_slice(entry);
        self.count = self.count.saturating_add(1);
    }

    /// The end of the archive, for entries that are at this position of the file.
    pub(crate) fn end(&self, position: u64) -> Vec<u8> {
        let (count, size) = (to_u64(self.count), to_u64(self.entries.len()));
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
        end
    }
}

/// The name of the first entry, and the bytes after the entry; `None` if there is anything but entries.
fn split_entry(entries: &[u8]) -> Option<(&[u8], &[u8])> {
    let (fixed, rest) = entries.split_at_checked(ENTRY)?;
    let [name, extra, comment] = [28, 30, 32].map(|at| usize::from(number(fixed, at)));
    let (name, rest) = rest.split_at_checked(name)?;
    let rest = rest.get(extra.checked_add(comment)?..)?;
    fixed.starts_with(b"PK\x01\x02").then_some((name, rest))
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
