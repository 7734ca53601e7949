//! The start of a file, with other bytes after it: a damaged archive, and the directory that it gets.

use std::io::{self, Read, Seek, SeekFrom};
use std::sync::Arc;

use crate::header::to_u64;

/// The sizes of the first and of the largest parts in which a file is searched. Data that is near is found with few reads.
const FIRST: u64 = 256;
const LARGEST: u64 = 1 << 16;

/// The first bytes of a file, and other bytes after them.
#[derive(Clone, Debug)]
pub(crate) struct File<'f> {
    file: &'f std::fs::File,
    kept: u64,
    after: Arc<[u8]>,
    position: u64,
}

impl<'f> File<'f> {
    pub(crate) fn new(file: &'f std::fs::File, kept: u64, after: Arc<[u8]>) -> Self {
        File { file, kept, after, position: 0 }
    }

    /// Returns less of the file, with other bytes after it.
    pub(super) fn ending_with(&self, kept: u64, after: Vec<u8>) -> Self {
        File::new(self.file, kept.min(self.kept), after.into())
    }

    pub(crate) fn len(&self) -> u64 {
        self.kept.saturating_add(to_u64(self.after.len()))
    }

    /// Returns the bytes at a position; fewer at the end.
    pub(super) fn bytes(&self, at: u64, count: u64) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        let mut file = File { position: at, ..self.clone() };
        (&mut file).take(count).read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    /// Returns the file without the zeros at its end, if they are at least this many. Those before this position stay.
    pub(super) fn without_zeros(&self, from: u64, min: u64) -> io::Result<Self> {
        let mut end = self.len();
        while end > from {
            let start = end.saturating_sub(LARGEST).max(from);
            let block = self.bytes(start, end - start)?;
            if let Some(last) = block.iter().rposition(|&byte| byte != 0) {
                end = start + to_u64(last) + 1;
                break;
            }
            end = start;
        }
        let kept = if self.len() - end < min { self.len() } else { end };
        Ok(self.ending_with(kept, Vec::new()))
    }

    /// Returns the CRC-32 of the bytes from this position on.
    pub(super) fn checksum(&self, mut from: u64) -> io::Result<u32> {
        let mut hasher = crc32fast::Hasher::new();
        while from < self.len() {
            let block = self.bytes(from, LARGEST)?;
            hasher.update(&block);
            from += to_u64(block.len()).max(1);
        }
        Ok(hasher.finalize())
    }

    /// Returns the position of the next four bytes of this kind.
    pub(super) fn find(&self, wanted: &[u8; 4], from: u64) -> io::Result<Option<u64>> {
        let (mut at, mut size) = (from, FIRST);
        while at < self.len() {
            let block = self.bytes(at, size)?;
            size = LARGEST.min(2 * size);
            if let Some(found) = block.windows(4).position(|bytes| bytes == wanted) {
                return Ok(Some(at + to_u64(found)));
            }
            // The last three bytes may begin a record.
            at += to_u64(block.len()).saturating_sub(3).max(1);
        }
        Ok(None)
    }
}

impl Read for File<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = match self.kept.checked_sub(self.position) {
            Some(left @ 1..) => {
                let mut file = self.file;
                file.seek(SeekFrom::Start(self.position))?;
                file.take(left).read(buffer)?
            }
            _ => {
                let at = usize::try_from(self.position.saturating_sub(self.kept));
                let rest = at.ok().and_then(|at| self.after.get(at..)).unwrap_or_default();
                (&mut &rest[..]).read(buffer)?
            }
        };
        self.position += to_u64(count);
        Ok(count)
    }
}

impl Seek for File<'_> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let position = match to {
            SeekFrom::Start(at) => Some(at),
            SeekFrom::End(by) => self.len().checked_add_signed(by),
            SeekFrom::Current(by) => self.position.checked_add_signed(by),
        };
        self.position = position.ok_or(io::ErrorKind::InvalidInput)?;
        Ok(self.position)
    }
}
