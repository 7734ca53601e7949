//! The directory of an archive as bytes.

use std::io::{Read, Seek};
use std::ops::Range;

use super::end::MAX_END_BYTES;
use super::read_at;
use crate::checked;
use crate::error::{Result, malformed, to_u64, to_usize};
use crate::records::{CentralHeader, EndRecord, Part, Zip64End, Zip64Locator};

/// A directory as bytes: the entries, and the comment of the archive.
///
/// Two that are equal describe the same members: an archive that is edited is compared with what it was.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Central {
    entries: Vec<u8>,
    count: u64,
    comment: Vec<u8>,
}

impl Central {
    /// Reads the entries in this range of the file, and the end of the archive after them.
    pub(super) fn read(mut reader: impl Read + Seek, directory: Range<u64>) -> Result<Self> {
        let size = to_usize(checked::sub(directory.end, directory.start))?;
        let entries = read_at(&mut reader, directory.start, size)?;
        let mut rest = &entries[..];
        let mut count = 0;
        while !rest.is_empty() {
            (_, rest) = split_entry(rest).ok_or_else(|| {
                malformed("its directory has other bytes than entries; read the members and write a new archive")
            })?;
            count = checked::add(count, 1);
        }
        let end = read_at(&mut reader, directory.end, MAX_END_BYTES)?;
        let comment = comment(&end).ok_or_else(|| {
            malformed("it has data after its directory that would be lost; read the members and write a new archive")
        })?;
        let comment = comment.to_vec();
        Ok(Central { entries, count, comment })
    }

    /// Takes over the comment of another archive.
    pub(crate) fn copy_comment(&mut self, other: &Self) {
        self.comment.clone_from(&other.comment);
    }

    /// Iterates over the entries as bytes.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &[u8]> {
        let mut rest = &self.entries[..];
        std::iter::from_fn(move || {
            let entry;
            (entry, rest) = split_entry(rest)?;
            Some(entry)
        })
    }

    /// Returns the names of the members as bytes.
    pub(crate) fn names(&self) -> impl Iterator<Item = &[u8]> {
        self.iter().filter_map(|entry| {
            let (header, rest) = CentralHeader::split_from(entry)?;
            rest.get(..header.common.name_length.into())
        })
    }

    pub(crate) fn entries(&self) -> &[u8] {
        &self.entries
    }

    pub(crate) fn push(&mut self, entry: &[u8]) {
        self.entries.extend_from_slice(entry);
        self.count = checked::add(self.count, 1);
    }

    /// Returns the end of the archive: the end records and the comment. The entries are at `position` in the file.
    pub(crate) fn end(&self, position: u64) -> Vec<u8> {
        // A comment is never longer: it was read with a length of two bytes.
        let comment_length = u16::try_from(self.comment.len()).unwrap_or(u16::MAX);
        const ZIP64_VERSION: u16 = 45;
        let (members, directory_size) = (self.count, to_u64(self.entries.len()));
        // If a number does not fit in the small record, its field there has all bits set, and the zip64 record has the number.
        let small_count = u16::try_from(members).unwrap_or(u16::MAX);
        let small = |number: u64| u32::try_from(number).unwrap_or(u32::MAX);
        let record = EndRecord {
            members_here: small_count,
            members: small_count,
            directory_size: small(directory_size),
            directory_start: small(position),
            comment_length,
            ..EndRecord::default()
        };
        let mut end = Vec::new();
        if small_count == u16::MAX
            || [record.directory_size, record.directory_start].contains(&u32::MAX)
        {
            let zip64 = Zip64End {
                rest_length: Zip64End::REST_LENGTH,
                made_by: ZIP64_VERSION,
                version: ZIP64_VERSION,
                members_here: members,
                members,
                directory_size,
                directory_start: position,
                ..Zip64End::default()
            };
            let end_start = checked::add(position, directory_size);
            zip64.append_to(&mut end);
            Zip64Locator { disk: 0, end_start, disks: 1 }.append_to(&mut end);
        }
        record.append_to(&mut end);
        end.extend(&self.comment);
        end
    }
}

/// Splits the first entry from the bytes; `None` if they do not start with a complete entry.
fn split_entry(entries: &[u8]) -> Option<(&[u8], &[u8])> {
    let (header, _) = CentralHeader::split_from(entries)?;
    entries.split_at_checked(header.entry_size())
}

/// Returns the comment from the end of an archive; `None` if there is anything but end records and the comment.
fn comment(end: &[u8]) -> Option<&[u8]> {
    let mut rest = end;
    if let Some((zip64, after)) = Zip64End::split_from(rest) {
        if zip64.rest_length != Zip64End::REST_LENGTH {
            return None;
        }
        (_, rest) = Zip64Locator::split_from(after)?;
    }
    let (record, comment) = EndRecord::split_from(rest)?;
    (comment.len() == usize::from(record.comment_length)).then_some(comment)
}
