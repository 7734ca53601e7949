//! The headers of a member: one before its data, one after it (only in a stream), and one in the directory.

use std::io;

use super::index::Index;
use crate::checked;
use crate::checksum::Hasher;
use crate::error::to_u64;
use crate::extra::{append_extra, append_padding, zip64};
use crate::records::{CentralHeader, Common, ExtraHeader, IN_ZIP64, LocalHeader, Part};

/// The values in the headers of a member.
pub(super) struct Member {
    pub(super) name: String,
    /// The position of the first header.
    pub(super) start: u64,
    /// The number of the method of compression.
    pub(super) method: u16,
    /// True if the sizes come after the data.
    pub(super) is_streamed: bool,
    /// True if the sizes take eight bytes instead of four.
    pub(super) is_large: bool,
    pub(super) crc: Hasher,
    /// The number of bytes in the archive.
    pub(super) compressed: u64,
    /// The number of bytes after inflating.
    pub(super) size: u64,
    pub(super) index: Index,
}

/// 1980-01-01, 00:00: with a fixed time, each run writes the same bytes.
const TIME_AND_DATE: u32 = 0x0021_0000;

impl Member {
    /// Counts bytes in the archive, and the bytes that they inflate to.
    pub(super) fn add(&mut self, compressed: usize, size: usize) {
        self.compressed = checked::add(self.compressed, to_u64(compressed));
        self.size = checked::add(self.size, to_u64(size));
    }

    /// Returns the header before the data.
    pub(super) fn local(&self) -> io::Result<Vec<u8>> {
        let mut extra = Vec::new();
        if self.is_large {
            let sizes = zip64(&[self.size, self.compressed]);
            append_extra(&mut extra, ExtraHeader::ZIP64, &sizes).ok_or_else(too_long)?;
        }
        // Nobody views compressed data in place, and some readers of seek indexes expect extra fields of the same length in both headers. A member
        // that begins after 4 GiB has a field in the directory alone.
        if self.method == Common::STORED {
            let size = checked::add(LocalHeader::SIZE, checked::add(self.name.len(), extra.len()));
            append_padding(&mut extra, self.start.wrapping_add(to_u64(size)));
        }
        let mut header = LocalHeader { common: self.common(&extra)? }.to_bytes();
        header.extend(self.name.as_bytes());
        header.extend(extra);
        Ok(header)
    }

    /// Returns the checksum and the sizes, which come after the data in a stream.
    pub(super) fn descriptor(&self) -> io::Result<Vec<u8>> {
        let mut descriptor = Vec::from(*b"PK\x07\x08");
        self.crc.clone().finalize().append_to(&mut descriptor);
        for size in [self.compressed, self.size] {
            if self.is_large {
                size.append_to(&mut descriptor);
            } else {
                small(size)?.append_to(&mut descriptor);
            }
        }
        Ok(descriptor)
    }

    /// Returns the entry in the directory.
    pub(super) fn central(&self) -> io::Result<Vec<u8>> {
        const UNIX: u16 = 3 << 8;
        const REGULAR_FILE_0644: u32 = 0o100_644;
        let start = u32::try_from(self.start).unwrap_or(IN_ZIP64);
        let mut large = Vec::new();
        if self.is_large {
            large.extend([self.size, self.compressed]);
        }
        if start == IN_ZIP64 {
            large.push(self.start);
        }
        let mut extra = Vec::new();
        if !large.is_empty() {
            append_extra(&mut extra, ExtraHeader::ZIP64, &zip64(&large)).ok_or_else(too_long)?;
        }
        let header = CentralHeader {
            made_by: UNIX | self.version(),
            common: self.common(&extra)?,
            external_attributes: REGULAR_FILE_0644 << 16,
            start,
            ..CentralHeader::default()
        };
        let mut entry = header.to_bytes();
        entry.extend(self.name.as_bytes());
        entry.extend(extra);
        Ok(entry)
    }

    fn common(&self, extra: &[u8]) -> io::Result<Common> {
        let streamed = if self.is_streamed { Common::STREAMED } else { 0 };
        let size = |size| if self.is_large { Ok(IN_ZIP64) } else { small(size) };
        let named = named(&self.name)?;
        Ok(Common {
            version: self.version(),
            flags: streamed | named.flags,
            method: self.method,
            crc: self.crc.clone().finalize(),
            compressed: size(self.compressed)?,
            size: size(self.size)?,
            extra_length: length(extra.len())?,
            ..named
        })
    }

    /// Returns the version of zip that a reader needs: 6.3, 4.5, 2.0 or 1.0.
    fn version(&self) -> u16 {
        match (self.method, self.is_large) {
            (Common::ZSTD, _) => 63,
            (_, true) => 45,
            (Common::STORED, false) => 10,
            (_, false) => 20,
        }
    }
}

/// Returns the values that all headers with this name have.
pub(super) fn named(name: &str) -> io::Result<Common> {
    let flags = if name.is_ascii() { 0 } else { Common::UTF8 };
    let name_length = length(name.len())?;
    Ok(Common { flags, time_and_date: TIME_AND_DATE, name_length, ..Common::default() })
}

/// Converts the length of a part of a header to two bytes.
fn length(bytes: usize) -> io::Result<u16> {
    u16::try_from(bytes).map_err(|_| too_long())
}

/// The error for a name that was not checked.
#[cold]
fn too_long() -> io::Error {
    io::Error::other("a part of the header of a member is too long")
}

/// Converts a size to four bytes.
fn small(size: u64) -> io::Result<u32> {
    u32::try_from(size)
        .map_err(|_| io::Error::other("a member became longer than its header can say"))
}
