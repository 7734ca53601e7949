//! The headers of a member: before its data, after it in a stream, and in the directory.

use std::io;

use crc32fast::Hasher;

use crate::limits::to_u64;

/// The data of a member starts on a multiple of this: any item is aligned there, and a line of the cache begins.
const ALIGN: u64 = 64;

/// The number that is in a field of four bytes if a zip64 field has the real one.
const IN_ZIP64: u32 = u32::MAX;

/// What the headers of a member say.
pub(super) struct Member {
    pub(super) name: String,
    /// The position of the first header, counted from the start of the archive.
    pub(super) start: u64,
    pub(super) is_deflated: bool,
    /// Whether the sizes come after the data.
    pub(super) is_streamed: bool,
    /// Whether the sizes have eight bytes.
    pub(super) is_large: bool,
    pub(super) crc: Hasher,
    /// The number of bytes in the archive.
    pub(super) compressed: u64,
    /// The number of bytes when inflated.
    pub(super) size: u64,
}

impl Member {
    /// The header before the data.
    pub(super) fn local(&self) -> io::Result<Vec<u8>> {
        let mut extra = Vec::new();
        if self.is_large {
            extra.extend(zip64(&[self.size, self.compressed]));
        }
        let mut header = Vec::from(*b"PK\x03\x04");
        let fixed = 30usize.saturating_add(self.name.len()).saturating_add(extra.len());
        let unaligned = self.start.wrapping_add(to_u64(fixed)) % ALIGN;
        if unaligned > 0 {
            extra.extend(padding(unaligned)?);
        }
        self.common(&mut header)?;
        header.extend(length(self.name.len())?);
        header.extend(length(extra.len())?);
        header.extend(self.name.as_bytes());
        header.extend(extra);
        Ok(header)
    }

    /// The checksum and the sizes after the data of a member in a stream.
    pub(super) fn descriptor(&self) -> io::Result<Vec<u8>> {
        let mut descriptor = Vec::from(*b"PK\x07\x08");
        descriptor.extend(self.crc.clone().finalize().to_le_bytes());
        for size in [self.compressed, self.size] {
            if self.is_large {
                descriptor.extend(size.to_le_bytes());
            } else {
                descriptor.extend(small(size)?.to_le_bytes());
            }
        }
        Ok(descriptor)
    }

    /// The entry of the directory.
    pub(super) fn central(&self) -> io::Result<Vec<u8>> {
        const UNIX: u8 = 3;
        const REGULAR_FILE_0644: u32 = 0o100_644;
        let start = u32::try_from(self.start).unwrap_or(IN_ZIP64);
        let mut large = Vec::new();
        if self.is_large {
            large.extend([self.size, self.compressed]);
        }
        if start == IN_ZIP64 {
            large.push(self.start);
        }
        let extra = if large.is_empty() { Vec::new() } else { zip64(&large) };
        let [version, _] = self.version().to_le_bytes();
        let mut entry = Vec::from(*b"PK\x01\x02");
        entry.extend([version, UNIX]);
        self.common(&mut entry)?;
        entry.extend(length(self.name.len())?);
        entry.extend(length(extra.len())?);
        // No comment, the first disk, no internal attributes.
        entry.extend([0; 6]);
        entry.extend((REGULAR_FILE_0644 << 16).to_le_bytes());
        entry.extend(start.to_le_bytes());
        entry.extend(self.name.as_bytes());
        entry.extend(extra);
        Ok(entry)
    }

    /// The fields that both headers have, from the version to the sizes.
    fn common(&self, header: &mut Vec<u8>) -> io::Result<()> {
        const DESCRIPTOR: u16 = 1 << 3;
        const UTF8: u16 = 1 << 11;
        // 1980-01-01, 00:00: nothing that differs from run to run.
        const TIME_AND_DATE: u32 = 0x0021_0000;
        let descriptor = if self.is_streamed { DESCRIPTOR } else { 0 };
        let utf8 = if self.name.is_ascii() { 0 } else { UTF8 };
        let method: u16 = if self.is_deflated { 8 } else { 0 };
        header.extend(self.version().to_le_bytes());
        header.extend((descriptor | utf8).to_le_bytes());
        header.extend(method.to_le_bytes());
        header.extend(TIME_AND_DATE.to_le_bytes());
        header.extend(self.crc.clone().finalize().to_le_bytes());
        for size in [self.compressed, self.size] {
            header.extend(if self.is_large { IN_ZIP64 } else { small(size)? }.to_le_bytes());
        }
        Ok(())
    }

    /// The version of zip that is needed: 4.5, 2.0 or 1.0.
    fn version(&self) -> u16 {
        match (self.is_large, self.is_deflated) {
            (true, _) => 45,
            (false, true) => 20,
            (false, false) => 10,
        }
    }
}

/// The extra field after which the data is aligned.
fn padding(unaligned: u64) -> io::Result<Vec<u8>> {
    // Its id, its length and the alignment, before the zeros.
    const FIXED: u64 = 6;
    let missing = ALIGN.saturating_sub(unaligned);
    let count = if missing < FIXED { missing.saturating_add(ALIGN) } else { missing };
    let zeros = usize::try_from(count.saturating_sub(FIXED)).map_err(io::Error::other)?;
    let mut field = Vec::from(0xa11e_u16.to_le_bytes());
    let [low, high, ..] = ALIGN.to_le_bytes();
    field.extend(length(zeros.saturating_add(2))?);
    field.extend([low, high]);
    field.resize(field.len().saturating_add(zeros), 0);
    Ok(field)
}

/// The extra field with numbers of eight bytes.
fn zip64(numbers: &[u64]) -> Vec<u8> {
    let mut field = Vec::from(1u16.to_le_bytes());
    let bytes: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
    let [low, high, ..] = bytes.len().to_le_bytes();
    field.extend([low, high]);
    field.extend(bytes);
    field
}

/// The length of a name or an extra field.
fn length(bytes: usize) -> io::Result<[u8; 2]> {
    let length = u16::try_from(bytes).map_err(|_| too_long("a name or an extra field"))?;
    Ok(length.to_le_bytes())
}

/// A size of four bytes.
fn small(size: u64) -> io::Result<u32> {
    u32::try_from(size).map_err(|_| too_long("a member"))
}

fn too_long(what: &str) -> io::Error {
    io::Error::other(format!("{what} became longer than its header can say"))
}
