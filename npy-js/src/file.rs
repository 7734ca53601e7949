//! A file that is read at offsets, as a stream with a position.

use std::io::{self, Read, Seek, SeekFrom};
use std::ops::Range;

/// A file. Any part of it can be read.
pub trait ReadAt {
    /// The number of bytes in the file.
    fn size(&self) -> u64;

    /// Copies the bytes at this offset to the start of `out`, and returns their number: at least one. The caller asks for no byte after the
    /// end of the file.
    ///
    /// # Errors
    ///
    /// If the file cannot be read, or these bytes must be fetched first.
    fn read_at(&self, offset: u64, out: &mut [u8]) -> io::Result<usize>;
}

/// Smaller reads take a complete block, because each call of the script costs more than the bytes.
const BLOCK: usize = 64 << 10;

/// A range of a file, as a stream. The last block that was read is kept.
#[derive(Clone)]
pub(crate) struct Part<F> {
    file: F,
    range: Range<u64>,
    /// The position in the file.
    at: u64,
    block: Vec<u8>,
    block_start: u64,
}

impl<F: ReadAt> Part<F> {
    pub(crate) fn all(file: F) -> Self {
        let range = 0..file.size();
        Part::new(file, range)
    }

    /// A range that is beyond the end of the file is shortened.
    pub(crate) fn new(file: F, range: Range<u64>) -> Self {
        let end = range.end.min(file.size());
        let start = range.start.min(end);
        Part { file, range: start..end, at: start, block: Vec::new(), block_start: 0 }
    }

    /// Returns the bytes of the block from the position on.
    fn buffered(&self) -> Option<&[u8]> {
        let offset = usize::try_from(self.at.checked_sub(self.block_start)?).ok()?;
        self.block.get(offset..).filter(|bytes| !bytes.is_empty())
    }

    /// Reads the block at the position, of at most `length` bytes.
    fn fill(&mut self, length: usize) -> io::Result<()> {
        self.block.clear();
        self.block.resize(length, 0);
        let read = self.file.read_at(self.at, &mut self.block);
        self.block.truncate(*read.as_ref().unwrap_or(&0));
        self.block_start = self.at;
        read.map(|_| ())
    }
}

impl<F: ReadAt> Read for Part<F> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let left = self.range.end.saturating_sub(self.at);
        let left = usize::try_from(left).unwrap_or(usize::MAX);
        let length = out.len().min(left);
        let out = out.get_mut(..length).unwrap_or_default();
        if out.is_empty() {
            return Ok(0);
        }
        let count = if out.len() >= BLOCK && self.buffered().is_none() {
            self.file.read_at(self.at, out)?
        } else {
            if self.buffered().is_none() {
                self.fill(BLOCK.min(left))?;
            }
            self.buffered().unwrap_or_default().read(out)?
        };
        self.at = self.at.saturating_add(count as u64);
        Ok(count)
    }
}

impl<F: ReadAt> Seek for Part<F> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let to = match to {
            SeekFrom::Start(to) => self.range.start.checked_add(to),
            SeekFrom::Current(by) => self.at.checked_add_signed(by),
            SeekFrom::End(by) => self.range.end.checked_add_signed(by),
        };
        let to = to.filter(|to| *to >= self.range.start).ok_or(io::ErrorKind::InvalidInput)?;
        self.at = to;
        Ok(to.saturating_sub(self.range.start))
    }
}

/// Returns the range of bytes that covers all of these.
#[cfg(feature = "arrays")]
pub(crate) fn hull(ranges: impl IntoIterator<Item = Range<u64>>) -> Option<Range<u64>> {
    ranges.into_iter().reduce(|all, next| all.start.min(next.start)..all.end.max(next.end))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A file whose reads return at most this many bytes.
    struct Short(Vec<u8>, usize);

    impl ReadAt for Short {
        fn size(&self) -> u64 {
            self.0.len() as u64
        }
        fn read_at(&self, offset: u64, out: &mut [u8]) -> io::Result<usize> {
            let start = usize::try_from(offset).unwrap();
            let count = out.len().min(self.1).min(self.0.len() - start);
            out[..count].copy_from_slice(&self.0[start..start + count]);
            Ok(count)
        }
    }

    /// Guards that small and large reads return the same bytes after any seek, however few bytes a read of the file returns.
    #[test]
    fn a_file_is_a_stream() {
        let all: Vec<u8> = (0..300_000u32).map(|i| (i % 251) as u8).collect();
        for most in [1000, 70_000, 1 << 20] {
            let mut part = Part::all(Short(all.clone(), most));
            for (to, count) in [(0u32, 5u32), (3, 4), (70_000, 100), (1, 165_535), (299_980, 100)] {
                assert_eq!(part.seek(SeekFrom::Start(to.into())).unwrap(), u64::from(to));
                let mut out = Vec::new();
                (&mut part).take(count.into()).read_to_end(&mut out).unwrap();
                let end = ((to + count) as usize).min(all.len());
                assert_eq!(out, all[to as usize..end]);
            }
            assert_eq!(part.seek(SeekFrom::End(-1)).unwrap(), 299_999);
            assert!(part.seek(SeekFrom::Current(-300_000)).is_err());
            assert_eq!(part.seek(SeekFrom::Start(500_000)).unwrap(), 500_000);
            assert_eq!(part.read(&mut [0]).unwrap(), 0);
        }
    }

    /// Guards that a part begins at 0 and ends at its end.
    #[test]
    fn a_part_of_a_file_is_a_stream_of_its_own() {
        let all: Vec<u8> = (0..300_000u32).map(|i| (i % 251) as u8).collect();
        let mut part = Part::new(Short(all.clone(), 1 << 20), 10..200_000);
        for (to, count) in [(0u32, 5u16), (3, 4), (70_000, 100), (1, 65_535), (199_980, 100)] {
            assert_eq!(part.seek(SeekFrom::Start(to.into())).unwrap(), u64::from(to));
            let mut out = Vec::new();
            (&mut part).take(count.into()).read_to_end(&mut out).unwrap();
            let start = 10 + usize::try_from(to).unwrap();
            assert_eq!(out, all[start..(start + usize::from(count)).min(200_000)]);
        }
        assert_eq!(part.seek(SeekFrom::End(-1)).unwrap(), 199_989);
        assert!(part.seek(SeekFrom::Current(-199_990)).is_err());
    }
}
