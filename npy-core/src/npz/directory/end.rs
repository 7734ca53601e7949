//! Layer 7: the end records of an archive, which say where its directory is.
//!
//! Their numbers are compared with the file and with the limits before memory is taken for anything that they claim.

use std::io::{Read, Seek};

use super::numbers::Numbers;
use super::window::Window;
use super::{malformed, read_at};
use crate::error::Result;
use crate::limits::{Limits, to_u64, to_usize};

/// The directory, as the end records describe it.
pub(super) struct End {
    /// The position of the directory in the file, and its size.
    pub(super) start: u64,
    pub(super) size: u64,
    /// The number of its members.
    pub(super) count: u64,
    /// The number of bytes before the archive. Positions in the archive do not count them.
    pub(super) before: u64,
}

/// The numbers of an end record: its disk, the disk of the directory, the members on this disk, all members, the directory's size and its
/// position.
type Record = [u64; 6];

/// The numbers of a small record that the large one has in full.
const MAXED: Record = [0xffff, 0xffff, 0xffff, 0xffff, 0xffff_ffff, 0xffff_ffff];

const SMALL: u64 = 22;
const LOCATOR: u64 = 20;
const LARGE: u64 = 56;

/// The bytes that a member takes in the directory at least.
const MEMBER: u64 = 46;

impl End {
    /// Finds the end records where Python finds them, and checks them. None if there are none.
    pub(super) fn find(
        file: &mut Window<impl Read + Seek>,
        limits: &Limits,
    ) -> Result<Option<Self>> {
        let Some(at) = position(file)? else { return Ok(None) };
        let small = small(file, at)?;
        let large = large(file, at)?;
        let (record, end) = large.unwrap_or((small, at));
        let pairs = || small.into_iter().zip(record).zip(MAXED);
        if !pairs().all(|((small, large), maxed)| small == large || small == maxed) {
            return Err(malformed("its two end records disagree; make it anew"));
        }
        let [disk, directory_disk, here, count, size, place] = record;
        if disk != 0 || directory_disk != 0 || here != count {
            return Err(in_parts());
        }
        let Some(start) = end.checked_sub(size) else {
            return Err(malformed(format!(
                "its directory is said to take {size} bytes, and only {end} are before its end record; copy the file again, or make it anew"
            )));
        };
        let fits = count.checked_mul(MEMBER).is_some_and(|least| least <= size);
        if !fits || (count == 0 && size > 0) {
            return Err(malformed(format!(
                "its directory of {size} bytes is said to have {count} members, of at least {MEMBER} bytes each; make it anew"
            )));
        }
        limits.check_members(count)?;
        let Some(before) = start.checked_sub(place) else {
            return Err(malformed(format!(
                "its directory is said to begin at byte {place}, and begins at byte {start} by its size; copy the file again, or make it anew"
            )));
        };
        Ok(Some(End { start, size, count, before }))
    }
}

/// The position of the small record: of one that ends the file, or else the last in the bytes that a comment may take.
fn position(file: &mut Window<impl Read + Seek>) -> Result<Option<u64>> {
    const SIGNATURE: &[u8] = b"PK\x05\x06";
    const COMMENT: u64 = 1 << 16;
    if let Some(last) = file.len().checked_sub(SMALL) {
        let record = read_at(file, last, to_usize(SMALL)?)?;
        if record.starts_with(SIGNATURE) && record.ends_with(&[0, 0]) {
            return Ok(Some(last));
        }
    }
    let start = file.len().saturating_sub(SMALL.saturating_add(COMMENT));
    let tail = read_at(file, start, to_usize(SMALL.saturating_add(COMMENT))?)?;
    let found = tail.windows(SIGNATURE.len()).rposition(|bytes| bytes == SIGNATURE);
    Ok(found.map(|found| start.saturating_add(to_u64(found))))
}

/// The record that each archive has.
fn small(file: &mut Window<impl Read + Seek>, at: u64) -> Result<Record> {
    let bytes = read_at(file, at, to_usize(SMALL)?)?;
    let mut numbers = Numbers(&bytes);
    let _signature = numbers.u32()?;
    let disks = [numbers.u16()?, numbers.u16()?].map(u64::from);
    let counts = [numbers.u16()?, numbers.u16()?].map(u64::from);
    let directory = [numbers.u32()?, numbers.u32()?].map(u64::from);
    let comment = u64::from(numbers.u16()?);
    if at.saturating_add(SMALL).saturating_add(comment) > file.len() {
        return Err(malformed(format!(
            "its comment is said to take {comment} bytes, and fewer are left; copy the file again, or make it anew"
        )));
    }
    Ok(joined([disks, counts, directory]))
}

/// The record of large archives and its position, if there is one: a locator before the small record says so.
///
/// It has its numbers and nothing more, and is directly before the locator. Some versions of Python look only there.
fn large(file: &mut Window<impl Read + Seek>, small: u64) -> Result<Option<(Record, u64)>> {
    let Some(locator_at) = small.checked_sub(LOCATOR) else { return Ok(None) };
    let bytes = read_at(file, locator_at, to_usize(LOCATOR)?)?;
    if !bytes.starts_with(b"PK\x06\x07") {
        return Ok(None);
    }
    let mut locator = Numbers(&bytes);
    let (_signature, disk) = (locator.u32()?, locator.u32()?);
    let (place, disks) = (locator.u64()?, locator.u32()?);
    if disk != 0 || disks > 1 {
        return Err(in_parts());
    }
    let elsewhere =
        || malformed("its zip64 end record is not directly before the locator; make it anew");
    let at = locator_at.checked_sub(LARGE).ok_or_else(elsewhere)?;
    let bytes = read_at(file, at, to_usize(LARGE)?)?;
    let mut numbers = Numbers(&bytes);
    let signature: [u8; 4] = numbers.bytes()?;
    // The size does not count itself and the signature.
    if &signature != b"PK\x06\x06" || numbers.u64()?.checked_add(12) != Some(LARGE) {
        return Err(elsewhere());
    }
    let _versions = numbers.u32()?;
    let disks = [numbers.u32()?, numbers.u32()?].map(u64::from);
    let counts = [numbers.u64()?, numbers.u64()?];
    let directory = [numbers.u64()?, numbers.u64()?];
    let record = joined([disks, counts, directory]);
    let [.., size, directory_at] = record;
    // As many bytes are before the archive by the one position as by the other.
    let before = |of: u64| at.checked_sub(of);
    if before(place).is_none() || before(place) != before(directory_at.saturating_add(size)) {
        return Err(malformed(
            "its zip64 end record is not where the locator says; copy the file again, or make it anew",
        ));
    }
    Ok(Some((record, at)))
}

fn joined([[a, b], [c, d], [e, f]]: [[u64; 2]; 3]) -> Record {
    [a, b, c, d, e, f]
}

fn in_parts() -> crate::error::Error {
    malformed("it is a part of an archive in several; join them first")
}
