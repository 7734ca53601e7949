//! The end records of an archive, which say where its directory is.
//!
//! Their numbers are checked against the file's length and the limits before any memory is allocated for the directory.

use std::io::{Read, Seek};

use super::{TRUNCATED, read_at};
use crate::checked;
use crate::error::{Error, Result, corrupt, malformed, to_u64};
use crate::limits::Limits;
use crate::records::{CentralHeader, EndRecord, Part, Zip64End, Zip64Locator};

/// The directory, as the end records describe it.
pub(super) struct End {
    /// The position of the directory in the file, and its size.
    pub(super) start: u64,
    pub(super) size: u64,
    /// The number of its members.
    pub(super) count: u64,
    /// The number of bytes before the archive. Positions that the archive states are relative to the end of these bytes.
    pub(super) before: u64,
}

/// The numbers in an end record of either kind: its disk, the disk of the directory, the members on this disk, all members, the directory's
/// size and its position.
type Numbers = [u64; 6];

/// The values in the small record that mean: the number is in the zip64 record.
const MAXED: Numbers = [0xffff, 0xffff, 0xffff, 0xffff, 0xffff_ffff, 0xffff_ffff];

/// The largest size of the small record and its comment.
const MAX_SMALL_BYTES: usize = EndRecord::SIZE + (1 << 16);

/// The largest size of all end records: the zip64 records come before the small one.
pub(super) const MAX_END_BYTES: usize = Zip64End::SIZE + Zip64Locator::SIZE + MAX_SMALL_BYTES;

impl End {
    /// Finds the end records where Python finds them, and checks them; `None` if there are none.
    pub(super) fn find(
        reader: &mut (impl Read + Seek),
        length: u64,
        limits: &Limits,
    ) -> Result<Option<Self>> {
        let tail_start = length.saturating_sub(to_u64(MAX_END_BYTES));
        let tail = read_at(reader, tail_start, MAX_END_BYTES)?;
        let Some((head, end)) = position(&tail).and_then(|at| tail.split_at_checked(at)) else {
            return Ok(None);
        };
        let small = small_numbers(end)?;
        let end_start = checked::add(tail_start, to_u64(head.len()));
        let zip64 = zip64_numbers(head, tail_start)?;
        let (numbers, end_start) = zip64.unwrap_or((small, end_start));
        let pairs = || small.into_iter().zip(numbers).zip(MAXED);
        if !pairs().all(|((small, zip64), maxed)| small == zip64 || small == maxed) {
            return Err(corrupt("its two end records disagree"));
        }
        let [disk, directory_disk, here, count, size, stated_start] = numbers;
        if disk != 0 || directory_disk != 0 || here != count {
            return Err(in_parts());
        }
        let Some(start) = end_start.checked_sub(size) else {
            return Err(corrupt(format!(
                "its directory is said to take {size} bytes, and only {end_start} are before its end record"
            )));
        };
        let least = to_u64(CentralHeader::SIZE);
        let fits = count.checked_mul(least).is_some_and(|least| least <= size);
        if !fits || (count == 0 && size > 0) {
            return Err(corrupt(format!(
                "its directory of {size} bytes is said to have {count} members, of at least {least} bytes each"
            )));
        }
        limits.check_members(count)?;
        let Some(before) = start.checked_sub(stated_start) else {
            return Err(corrupt(format!(
                "its directory is said to begin at byte {stated_start}, and begins at byte {start} by its size"
            )));
        };
        Ok(Some(End { start, size, count, before }))
    }
}

/// Returns the offset of the small record. Without a comment, it ends the file; otherwise, it is at the last signature within
/// `MAX_SMALL_BYTES` of the end.
fn position(tail: &[u8]) -> Option<usize> {
    if let Some((_, last)) = tail.split_last_chunk::<{ EndRecord::SIZE }>()
        && last.starts_with(EndRecord::SIGNATURE)
        && last.ends_with(&[0, 0])
    {
        return tail.len().checked_sub(EndRecord::SIZE);
    }
    let start = tail.len().saturating_sub(MAX_SMALL_BYTES);
    let mut windows = tail.get(start..)?.windows(EndRecord::SIGNATURE.len());
    let found = windows.rposition(|bytes| bytes == EndRecord::SIGNATURE)?;
    Some(checked::add(start, found))
}

/// Returns the numbers of the small record, which every archive has. `end` begins with it.
fn small_numbers(end: &[u8]) -> Result<Numbers> {
    let (record, comment) = EndRecord::split_from(end).ok_or_else(|| corrupt(TRUNCATED))?;
    let EndRecord { comment_length, directory_size, directory_start, .. } = record;
    if usize::from(comment_length) > comment.len() {
        return Err(corrupt(format!(
            "its comment is said to take {comment_length} bytes, and fewer are left"
        )));
    }
    let EndRecord { disk, directory_disk, members_here, members, .. } = record;
    let [disk, directory_disk, here, count] =
        [disk, directory_disk, members_here, members].map(u64::from);
    Ok([disk, directory_disk, here, count, directory_size.into(), directory_start.into()])
}

/// Returns the numbers of the zip64 record and its position; `None` if `head` does not end with a locator.
///
/// The record must be directly before the locator, without further data: some versions of Python look only there.
fn zip64_numbers(head: &[u8], head_start: u64) -> Result<Option<(Numbers, u64)>> {
    let Some((head, locator)) = head.split_last_chunk::<{ Zip64Locator::SIZE }>() else {
        return Ok(None);
    };
    let Some((locator, _)) = Zip64Locator::split_from(locator) else { return Ok(None) };
    if locator.disk != 0 || locator.disks > 1 {
        return Err(in_parts());
    }
    let elsewhere = || corrupt("its zip64 end record is not directly before the locator");
    let (head, record) = head.split_last_chunk::<{ Zip64End::SIZE }>().ok_or_else(elsewhere)?;
    let (record, _) = Zip64End::split_from(record).ok_or_else(elsewhere)?;
    if record.rest_length != Zip64End::REST_LENGTH {
        return Err(elsewhere());
    }
    let at = checked::add(head_start, to_u64(head.len()));
    let Zip64End { members_here, members, directory_size, directory_start, .. } = record;
    // The locator and the record must agree on the number of bytes before the archive.
    let before = |stated: u64| at.checked_sub(stated);
    let stated = before(locator.end_start);
    let by_directory = directory_start.checked_add(directory_size).and_then(before);
    if stated.is_none() || stated != by_directory {
        return Err(corrupt("its zip64 end record is not where the locator says"));
    }
    let [disk, directory_disk] = [record.disk, record.directory_disk].map(u64::from);
    Ok(Some(([disk, directory_disk, members_here, members, directory_size, directory_start], at)))
}

fn in_parts() -> Error {
    malformed("it is a part of an archive in several; join them first")
}
