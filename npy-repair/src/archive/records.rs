//! The records of zip archives that are looked for, and the directory that is written for them.

use std::collections::HashSet;

use npy_zip::Limits;

use super::file::File;
use crate::error::Result;
use crate::header::to_u64;

const LOCAL: &[u8; 4] = b"PK\x03\x04";
const CENTRAL: &[u8; 4] = b"PK\x01\x02";
const DESCRIPTOR: &[u8; 4] = b"PK\x07\x08";
const END: &[u8; 4] = b"PK\x05\x06";
/// The record that comes before the others of a large archive.
const ZIP64_END: &[u8; 4] = b"PK\x06\x06";

/// The sizes of a member's own header, and of its entry in a directory, without the name.
const LOCAL_SIZE: u64 = 30;
const MAX_TAIL: u64 = 1 << 17;

/// The methods of members that are not compressed, and of most that are.
const STORED: u16 = 0;
const DEFLATED: u16 = 8;
/// The flag for a name in UTF-8.
const UTF8: u16 = 1 << 11;
/// The flag for sizes that come after the data, and the value of a field whose number is elsewhere.
const STREAMED: u16 = 1 << 3;
const ELSEWHERE: u32 = u32::MAX;
const ZIP64: u16 = 1;
/// The flags that a member can have which is read: encrypted, options of the method, and the two above. Readers refuse some of the others.
const FLAGS: u16 = 0b111 | STREAMED | UTF8;

/// A member, as its own header describes it.
#[derive(Clone, Debug)]
pub(super) struct Member {
    /// The name as bytes, and as readers decode it; the latter is empty until it was.
    pub(super) name: Vec<u8>,
    pub(super) label: String,
    /// The reason why its bytes cannot be checked, if so.
    pub(super) unchecked: Option<String>,
    /// True if it is within a damaged member, by the size in the header of that: it is likely one of another archive.
    pub(super) is_within: bool,
    pub(super) start: u64,
    pub(super) data: u64,
    /// The end of the data and of the descriptor after it.
    pub(super) end: u64,
    version: u16,
    flags: u16,
    method: u16,
    time_and_date: u32,
    crc: u32,
    compressed: u64,
    size: u64,
}

/// Reads numbers of little-endian bytes, one after the other.
struct Numbers<'b>(&'b [u8]);

impl Numbers<'_> {
    fn u16(&mut self) -> Option<u16> {
        let (number, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(u16::from_le_bytes(*number))
    }

    fn u32(&mut self) -> Option<u32> {
        let (number, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(u32::from_le_bytes(*number))
    }

    fn u64(&mut self) -> Option<u64> {
        let (number, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(u64::from_le_bytes(*number))
    }
}

impl Member {
    /// Reads the header at this position, and returns its size, too; `None` if there is none that can be right.
    pub(super) fn read(file: &File<'_>, start: u64) -> Result<(u64, Option<Self>)> {
        let fixed = file.bytes(start, LOCAL_SIZE)?;
        let Some(mut member) = Member::fixed(&fixed, start) else { return Ok((LOCAL_SIZE, None)) };
        let lengths = fixed.get(26..).unwrap_or_default();
        let mut lengths = Numbers(lengths);
        let (Some(name), Some(extra)) = (lengths.u16(), lengths.u16()) else {
            return Ok((LOCAL_SIZE, None));
        };
        member.name = file.bytes(start + LOCAL_SIZE, name.into())?;
        let fields = file.bytes(start + LOCAL_SIZE + u64::from(name), extra.into())?;
        member.data = start + LOCAL_SIZE + u64::from(name) + u64::from(extra);
        let is_complete = member.data <= file.len() && name > 0;
        let is_name = member.flags & UTF8 == 0 || str::from_utf8(&member.name).is_ok();
        let is_right = is_complete && is_name && member.apply_zip64(&fields);
        Ok((member.data - start, is_right.then_some(member)))
    }

    fn fixed(bytes: &[u8], start: u64) -> Option<Self> {
        let mut numbers = Numbers(bytes.strip_prefix(LOCAL)?);
        let (version, flags, method) = (numbers.u16()?, numbers.u16()?, numbers.u16()?);
        let time_and_date = numbers.u32()?;
        let (crc, compressed, size) = (numbers.u32()?, numbers.u32()?, numbers.u32()?);
        const NEWEST: u16 = 63;
        let is_known = [0, 8, 12, 14, 93].contains(&method) && version & 0xff <= NEWEST;
        is_known.then(|| Member {
            name: Vec::new(),
            label: String::new(),
            unchecked: None,
            is_within: false,
            start,
            data: start,
            end: start,
            version,
            flags: flags & FLAGS,
            method,
            time_and_date,
            crc,
            compressed: compressed.into(),
            size: size.into(),
        })
    }

    /// Reads the numbers that are too large for the header; false if they are missing.
    fn apply_zip64(&mut self, mut fields: &[u8]) -> bool {
        let is_elsewhere = |number: u64| number == u64::from(ELSEWHERE);
        if !is_elsewhere(self.size) && !is_elsewhere(self.compressed) {
            return true;
        }
        while let Some((head, rest)) = fields.split_first_chunk::<4>() {
            let [a, b, c, d] = *head;
            let length = usize::from(u16::from_le_bytes([c, d]));
            let Some((data, rest)) = rest.split_at_checked(length) else { return false };
            if u16::from_le_bytes([a, b]) == ZIP64 {
                let mut numbers = Numbers(data);
                for number in [&mut self.size, &mut self.compressed] {
                    if is_elsewhere(*number) {
                        let Some(found) = numbers.u64() else { return false };
                        *number = found;
                    }
                }
                return true;
            }
            fields = rest;
        }
        // A stream may have begun without knowing that it would need the field.
        self.is_streamed()
    }

    /// Returns true if the data is not compressed.
    pub(super) fn is_stored(&self) -> bool {
        self.method == STORED
    }

    /// Returns true if the data is deflated.
    pub(super) fn is_deflated(&self) -> bool {
        self.method == DEFLATED
    }

    /// Returns true if the sizes may be after the data.
    pub(super) fn is_streamed(&self) -> bool {
        self.flags & STREAMED != 0
    }

    /// Returns true if the name is UTF-8 by its flag.
    pub(super) fn is_utf8(&self) -> bool {
        self.flags & UTF8 != 0
    }

    /// Returns true if the header has no size: that of a member which is still being written, or of a stream.
    pub(super) fn has_no_size(&self) -> bool {
        self.compressed == 0 && self.size == 0
            || self.is_streamed() && self.compressed == u64::from(ELSEWHERE)
    }

    /// Returns the end of the data by the size in the header.
    pub(super) fn stated_end(&self) -> Option<u64> {
        self.data.checked_add(self.compressed)
    }

    /// Returns true if all bytes from this position to the end of the file are data of the member.
    pub(super) fn contains(&self, start: u64, end_of_file: u64) -> bool {
        self.data <= start && self.end == end_of_file && self.stated_end() == Some(end_of_file)
    }

    /// Returns the most bytes that reading the member inflates: readers refuse others after a look at their sizes.
    pub(super) fn inflated(&self) -> u64 {
        const SMALL: u64 = 256 << 20;
        let ratio = Limits::default().inflation;
        self.size.min(self.compressed.saturating_mul(ratio).max(SMALL))
    }

    /// Returns true if an entry of the directory is about this member: it has the same checksum.
    pub(super) fn has_checksum_of(&self, entry: &[u8]) -> bool {
        const CHECKSUM: usize = 16;
        entry.get(CHECKSUM..).and_then(|rest| Numbers(rest).u32()) == Some(self.crc)
    }

    /// Returns the member with its end.
    pub(super) fn ending_at(self, end: u64) -> Self {
        Member { end, ..self }
    }

    /// Returns a member that is not compressed, and within which the file ends here, with the size and the checksum of the bytes that are there. They
    /// are unchecked, for this reason.
    pub(super) fn cut(self, end: u64, crc: u32, reason: String) -> Self {
        let size = end.saturating_sub(self.data);
        let flags = self.flags & !STREAMED;
        Member { end, crc, compressed: size, size, flags, unchecked: Some(reason), ..self }
    }

    /// Returns a deflated member within whose data the file ends here. It states one byte more than it may have, so that nothing is compared with its
    /// checksum.
    pub(super) fn cut_within_data(self, end: u64) -> Self {
        /// More bytes are not made of one.
        const MAX_RATIO: u64 = 1032;
        let compressed = end.saturating_sub(self.data);
        let most = compressed.saturating_mul(MAX_RATIO);
        let size = if self.has_no_size() { most } else { self.size.min(most) };
        let flags = self.flags & !STREAMED;
        Member { end, compressed, size: size.saturating_add(1), flags, ..self }
    }

    /// Returns the member as one that has no bytes.
    pub(super) fn without_data(self) -> Self {
        let end = self.data;
        self.ending_at(end)
    }

    /// Returns the member with the sizes and the checksum of the descriptor at this position, which has sizes of four or of eight bytes.
    pub(super) fn with_descriptor(&self, at: u64, bytes: &[u8]) -> [Option<Self>; 2] {
        let Some(numbers) = bytes.strip_prefix(DESCRIPTOR) else { return [None, None] };
        let of = |crc: u32, compressed: u64, size: u64, length: u64| {
            // It is that of other data if it does not state the size of the data before it.
            let is_of_data = at.checked_sub(self.data) == Some(compressed)
                && (self.method != STORED || size == compressed);
            // One with sizes of eight bytes, read as if they had four, says that the member is empty.
            let is_right = is_of_data && (size > 0 || crc == 0);
            is_right.then(|| Member { crc, compressed, size, end: at + length, ..self.clone() })
        };
        let small = || {
            let mut numbers = Numbers(numbers);
            of(numbers.u32()?, numbers.u32()?.into(), numbers.u32()?.into(), 16)
        };
        let large = || {
            let mut numbers = Numbers(numbers);
            of(numbers.u32()?, numbers.u64()?, numbers.u64()?, 24)
        };
        [small(), large()]
    }

    /// Returns the entry of the member in a directory.
    pub(super) fn entry(&self) -> Vec<u8> {
        const MADE_BY_UNIX: u16 = 0x032d;
        const READABLE: u32 = 0o600 << 16;
        let mut large = Vec::new();
        let mut small = |number: u64| {
            u32::try_from(number).ok().filter(|&number| number < ELSEWHERE).unwrap_or_else(|| {
                large.extend(number.to_le_bytes());
                ELSEWHERE
            })
        };
        // The order of the large numbers is that of the zip64 field.
        let (size, compressed, start) =
            (small(self.size), small(self.compressed), small(self.start));
        let mut extra = Vec::new();
        if !large.is_empty() {
            extra.extend(ZIP64.to_le_bytes());
            extra.extend(u16::try_from(large.len()).unwrap_or(u16::MAX).to_le_bytes());
            extra.extend(large);
        }
        let mut entry = CENTRAL.to_vec();
        for number in [MADE_BY_UNIX, self.version, self.flags, self.method] {
            entry.extend(number.to_le_bytes());
        }
        for number in [self.time_and_date, self.crc, compressed, size] {
            entry.extend(number.to_le_bytes());
        }
        // Of the name, the extra fields and a comment; then disk and attributes.
        for length in [self.name.len(), extra.len(), 0, 0, 0] {
            entry.extend(u16::try_from(length).unwrap_or(u16::MAX).to_le_bytes());
        }
        for number in [READABLE, start] {
            entry.extend(number.to_le_bytes());
        }
        entry.extend(&self.name);
        entry.extend(extra);
        entry
    }
}

/// Changes the position in an entry of a directory, which counts from the start of the archive: in a file with other bytes before that, it is another
/// one. Returns `None` for an entry without a position.
pub(super) fn placed(mut entry: Vec<u8>, start: u64) -> Option<Vec<u8>> {
    const SIZES: usize = 20;
    const NAME_LENGTH: usize = 28;
    const POSITION: usize = 42;
    const NAME: usize = 46;
    let mut sizes = Numbers(entry.get(SIZES..)?);
    let large = [sizes.u32()?, sizes.u32()?].into_iter().filter(|&size| size == ELSEWHERE).count();
    if Numbers(entry.get(POSITION..)?).u32()? != ELSEWHERE {
        let start = u32::try_from(start).ok().filter(|&start| start != ELSEWHERE)?;
        entry.get_mut(POSITION..NAME)?.copy_from_slice(&start.to_le_bytes());
        return Some(entry);
    }
    let name = Numbers(entry.get(NAME_LENGTH..)?).u16()?;
    let mut at = NAME + usize::from(name);
    loop {
        let mut field = Numbers(entry.get(at..)?);
        let (kind, length) = (field.u16()?, field.u16()?);
        if kind == ZIP64 {
            let number = at + 4 + 8 * large;
            entry.get_mut(number..number + 8)?.copy_from_slice(&start.to_le_bytes());
            return Some(entry);
        }
        at += 4 + usize::from(length);
    }
}

/// Returns a directory of these entries and the end records after it, for members in the first `start` bytes of a file.
pub(super) fn directory(entries: impl Iterator<Item = Vec<u8>>, start: u64) -> Vec<u8> {
    let (mut bytes, mut count) = (Vec::new(), 0_u64);
    for entry in entries {
        bytes.extend(entry);
        count += 1;
    }
    let size = to_u64(bytes.len());
    let end = start + size;
    const VERSION: u16 = 45;
    let is_large = count >= u16::MAX.into() || end >= ELSEWHERE.into();
    if is_large {
        bytes.extend(ZIP64_END);
        bytes.extend(44_u64.to_le_bytes());
        bytes.extend([VERSION, VERSION].map(u16::to_le_bytes).concat());
        bytes.extend([0; 8]);
        bytes.extend([count, count, size, start].map(u64::to_le_bytes).concat());
        bytes.extend(b"PK\x06\x07\0\0\0\0");
        bytes.extend(end.to_le_bytes());
        bytes.extend(1_u32.to_le_bytes());
    }
    let small_count = if is_large { u16::MAX } else { u16::try_from(count).unwrap_or(u16::MAX) };
    let small = |number: u64| match is_large {
        true => ELSEWHERE,
        false => u32::try_from(number).unwrap_or(ELSEWHERE),
    };
    bytes.extend(END);
    bytes.extend([0; 4]);
    bytes.extend([small_count, small_count].map(u16::to_le_bytes).concat());
    bytes.extend([small(size), small(start)].map(u32::to_le_bytes).concat());
    bytes.extend([0; 2]);
    bytes
}

/// Returns true if a member may end at this position: the next one begins there, the directory, or nothing.
pub(super) fn is_boundary(file: &File<'_>, at: u64) -> Result<bool> {
    let bytes = file.bytes(at, 4)?;
    Ok(at == file.len() || [LOCAL, CENTRAL, END, ZIP64_END].iter().any(|&record| bytes == record))
}

/// Returns true if the file has a part of a directory at its end, so that nothing is missing after the members.
pub(super) fn has_directory(file: &File<'_>) -> Result<bool> {
    let start = file.len().saturating_sub(MAX_TAIL);
    let tail = file.bytes(start, MAX_TAIL)?;
    Ok(tail.windows(4).any(|record| record == CENTRAL || record == END))
}

/// Returns the names in what is left of a directory after this position. A forged file can have any number of them. An end record that is
/// before entries ends the directory of an archive within a member, whose names are left out.
pub(super) fn listed(file: &File<'_>, mut from: u64) -> Result<Vec<Vec<u8>>> {
    const NAME: u64 = 46;
    const MAX: usize = 1 << 16;
    // Entries do not overlap, so their names are shorter than the file. One may state a wrong length, and hides no others by it.
    let mut left = file.len().saturating_sub(from).saturating_add(u16::MAX.into());
    let mut names = Vec::new();
    let mut end = file.find(END, from)?;
    while let Some(at) = file.find(CENTRAL, from)?.filter(|_| names.len() < MAX) {
        while let Some(before) = end.filter(|&end| end < at) {
            names.clear();
            end = file.find(END, before + 4)?;
        }
        let fixed = file.bytes(at, NAME)?;
        if let Some(length) = fixed.get(28..).and_then(|bytes| Numbers(bytes).u16()) {
            let Some(rest) = left.checked_sub(NAME + u64::from(length)) else { break };
            left = rest;
            let name = file.bytes(at + NAME, length.into())?;
            // The file may end within the last entry.
            if name.len() == usize::from(length) {
                names.push(name);
            }
        }
        from = at + 4;
    }
    Ok(names)
}

/// Returns the names that are there several times.
pub(super) fn repeated(names: &[Vec<u8>]) -> HashSet<&[u8]> {
    let mut known = HashSet::new();
    names.iter().map(|name| &name[..]).filter(|name| !known.insert(*name)).collect()
}

/// Returns true if the file has the header of a member at its start, as an archive has.
pub(super) fn begins_with_member(file: &File<'_>) -> Result<bool> {
    Ok(file.bytes(0, 4)? == LOCAL)
}

/// Returns the position of the next header of a member.
pub(super) fn next_member(file: &File<'_>, from: u64) -> Result<Option<u64>> {
    Ok(file.find(LOCAL, from)?)
}

/// Returns the position of the next descriptor.
pub(super) fn next_descriptor(file: &File<'_>, from: u64) -> Result<Option<u64>> {
    Ok(file.find(DESCRIPTOR, from)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    impl Member {
        /// Makes a stored member of three bytes.
        pub(in crate::archive) fn named(name: &[u8], start: u64) -> Self {
            Member {
                name: name.to_vec(),
                label: String::new(),
                unchecked: None,
                is_within: false,
                start,
                data: 0,
                end: 0,
                version: 45,
                flags: 0,
                method: 0,
                time_and_date: 0,
                crc: 0,
                compressed: 3,
                size: 3,
            }
        }
    }

    #[test]
    fn an_entry_gets_another_position() {
        for start in [7, 1 << 33] {
            let member = Member { size: 1 << 34, ..Member::named(b"a", start) };
            let moved = Member { start: start + 5, ..member.clone() };
            assert_eq!(placed(member.entry(), start + 5), Some(moved.entry()));
            assert_eq!(placed(member.entry(), start).unwrap(), member.entry());
            assert_eq!(placed(member.entry()[..40].to_vec(), start), None);
        }
    }
}
