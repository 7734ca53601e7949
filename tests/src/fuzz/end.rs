//! End records of an archive with false numbers, in a file of any size: opening it takes little memory, and what opens
//! is the real archive.

use std::io::{self, Read, Seek, SeekFrom};

use npy_core::npz::Reader;

use super::Random;
use super::choices::Choices;
use crate::zips::{Raw, archive, npy};

/// A sparse file in memory: some bytes, zeros that take no memory, and bytes again.
struct Holed {
    head: Vec<u8>,
    tail: Vec<u8>,
    /// The position of the tail.
    end: u64,
    at: u64,
    /// The number of bytes that may still be read.
    left: usize,
}

/// The limit on bytes read: a reader that searches a large hole exceeds it.
const READ: usize = 4 << 20;

impl Holed {
    fn len(&self) -> u64 {
        self.end + self.tail.len() as u64
    }
}

impl Read for Holed {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let after = |part: &[u8], start: u64| {
            let at = usize::try_from(self.at.checked_sub(start)?).ok()?;
            part.get(at..).filter(|rest| !rest.is_empty()).map(<[u8]>::to_vec)
        };
        let count = match after(&self.head, 0).or_else(|| after(&self.tail, self.end)) {
            Some(bytes) => bytes.as_slice().read(out)?,
            None => {
                let left = usize::try_from(self.end.saturating_sub(self.at)).unwrap_or(usize::MAX);
                let count = left.min(out.len());
                out[..count].fill(0);
                count
            }
        };
        self.at += count as u64;
        self.left = self.left.checked_sub(count).expect("no hole is searched");
        Ok(count)
    }
}

impl Seek for Holed {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let target = match to {
            SeekFrom::Start(target) => Some(target),
            SeekFrom::Current(by) => self.at.checked_add_signed(by),
            SeekFrom::End(by) => self.len().checked_add_signed(by),
        };
        self.at = target.ok_or(io::ErrorKind::InvalidInput)?;
        Ok(self.at)
    }
}

/// The length of a small end record.
const SMALL: usize = 22;

pub(super) fn run(input: &[u8]) {
    let mut choices = Choices(input);
    let members = [Raw::of("x.npy", &npy(&[1u8])), Raw::of("y.npy", &npy(&[2u16; 9]))];
    let mut file = archive(b"", &members, b"");
    file.truncate(file.len() - SMALL);
    let directory = file.windows(4).position(|bytes| bytes == b"PK\x01\x02").expect("members");
    // The position of the hole: before the directory, after it, or none.
    let hole = choices.pick(&[0, 70_000, 3 << 30, 1 << 40]);
    let split = choices.pick(&[file.len(), directory, 4]);
    let tail = file.split_off(split);
    let mut file = Holed { end: file.len() as u64 + hole, head: file, tail, at: 0, left: READ };
    let start = directory as u64 + if split <= directory { hole } else { 0 };
    let size = file.len() - start;

    let after = file.len();
    let honest = [0, 0, members.len() as u64, members.len() as u64, size, start];
    let plausible = |choices: &mut Choices<'_>, honest: u64| match choices.below(16) {
        0 => 0,
        1 => hole / 46,
        2 => hole / 92,
        3 => hole / 2,
        4 => after,
        5 => u64::MAX,
        6 => u64::from(u32::MAX),
        7 => honest + 1,
        8 => honest.saturating_sub(1),
        9 => u64::from(choices.byte()) << choices.below(64),
        _ => honest,
    };
    let mut claimed = honest;
    if choices.one_in(2) {
        // A directory in the hole, with as many members as fit.
        let place = file.head.len() as u64 + hole / 2;
        let count = choices.pick(&[1 << 20, hole / 92, hole / 46]);
        claimed = [0, 0, count, count, after.saturating_sub(place), place];
    }
    let claimed = claimed.map(|honest| plausible(&mut choices, honest));

    // The zip64 end record, in the tail or before the hole, also with extra data.
    let mut large = b"PK\x06\x06".to_vec();
    let (place, length) = match choices.below(8) {
        0 => (file.head.len() as u64, after - file.head.len() as u64),
        1 => (after, u64::from(choices.byte())),
        _ => (after, 0),
    };
    let length = plausible(&mut choices, 44 + length);
    large.extend(length.to_le_bytes());
    large.extend([45, 0, 45, 0]);
    claimed[..2].iter().for_each(|n| large.extend(u32::try_from(*n).unwrap_or(0).to_le_bytes()));
    claimed[2..].iter().for_each(|n| large.extend(n.to_le_bytes()));
    if place == after {
        file.tail.extend(&large);
        file.tail.resize(
            file.tail.len() + usize::try_from(length.min(300)).unwrap_or(0).saturating_sub(44),
            0,
        );
    } else {
        file.head.extend(&large);
        file.end = file.end.max(file.head.len() as u64);
    }
    if !choices.one_in(8) {
        file.tail.extend(b"PK\x06\x07\0\0\0\0");
        file.tail.extend(plausible(&mut choices, place).to_le_bytes());
        file.tail.extend([1, 0, 0, 0]);
    }
    file.tail.extend(b"PK\x05\x06");
    for (i, number) in claimed.iter().enumerate() {
        let is_maxed = i > 1 && !choices.one_in(8);
        let bytes = number.to_le_bytes();
        let bytes = if is_maxed { [0xff; 8] } else { bytes };
        file.tail.extend(&bytes[..if i < 4 { 2 } else { 4 }]);
    }
    let comment = choices.below(8);
    file.tail.extend([u8::try_from(comment).unwrap_or(0), 0]);
    file.tail.resize(file.tail.len() + comment, b' ');

    let Ok(reader) = Reader::new(file) else { return };
    if reader.is_empty() {
        // An end record with zero members in zero bytes means an empty archive.
        return;
    }
    assert!(reader.names().eq(["x", "y"]));
    // A hole in a member, or a wrong position of the directory, must be an error and never return other bytes.
    let may_fail = split == 4 || claimed != honest;
    let (x, y) = (reader.read::<Vec<u8>>("x"), reader.read::<Vec<u16>>("y"));
    assert!(x.map_or(may_fail, |x| x == [1]));
    assert!(y.map_or(may_fail, |y| y == [2; 9]));
}

/// Seeds with numbers of all kinds.
pub(super) fn seeds() -> Vec<Vec<u8>> {
    let mut random = Random::new(3);
    (0..400).map(|_| (0..40).map(|_| random.byte()).collect()).collect()
}
