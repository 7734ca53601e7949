//! A reader that goes to and fro: a part of it is kept.

use std::io::{self, Read, Seek, SeekFrom};

use crate::limits::{to_u64, to_usize};

/// A reader and the part of it that was read last.
pub(super) struct Window<R> {
    inner: R,
    length: u64,
    at: u64,
    /// Where the part stands.
    start: u64,
    part: Vec<u8>,
}

/// Bytes of a part: the directory of most archives.
const PART: u64 = 64 << 10;

impl<R: Read + Seek> Window<R> {
    pub(super) fn new(mut inner: R) -> io::Result<Self> {
        let length = inner.seek(SeekFrom::End(0))?;
        Ok(Window { inner, length, at: 0, start: 0, part: Vec::new() })
    }

    /// The number of bytes of the reader.
    pub(super) fn len(&self) -> u64 {
        self.length
    }

    /// What of the part stands here and behind.
    fn here(&self) -> Option<&[u8]> {
        let offset = to_usize(self.at.checked_sub(self.start)?).ok()?;
        self.part.get(offset..).filter(|rest| !rest.is_empty())
    }
}

impl<R: Read + Seek> Read for Window<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        if self.here().is_none() {
            self.start = self.at.saturating_sub(self.at % PART);
            self.part.clear();
            self.inner.seek(SeekFrom::Start(self.start))?;
            self.inner.by_ref().take(PART).read_to_end(&mut self.part)?;
        }
        let here = self.here().unwrap_or_default();
        let count = here.len().min(out.len());
        if let (Some(out), Some(here)) = (out.get_mut(..count), here.get(..count)) {
            out.copy_from_slice(here);
        }
        self.at = self.at.saturating_add(to_u64(count));
        Ok(count)
    }
}

impl<R: Read + Seek> Seek for Window<R> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let target = match to {
            SeekFrom::Start(target) => Some(target),
            SeekFrom::Current(by) => self.at.checked_add_signed(by),
            SeekFrom::End(by) => self.length.checked_add_signed(by),
        };
        self.at = target.ok_or(io::ErrorKind::InvalidInput)?;
        Ok(self.at)
    }
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;

    #[test]
    fn what_is_read_is_what_is_there() {
        let bytes: Vec<u8> = (0..200_000u32).map(|n| n.to_le_bytes()[0]).collect();
        let mut window = Window::new(Cursor::new(&bytes)).unwrap();
        for at in [199_990, 0, 65_530, 131_072, 5, 199_999, 200_000, 300_000] {
            window.seek(SeekFrom::Start(at)).unwrap();
            let mut out = Vec::new();
            window.by_ref().take(100).read_to_end(&mut out).unwrap();
            let start = usize::try_from(at).unwrap().min(bytes.len());
            assert_eq!(out, bytes[start..bytes.len().min(start + 100)], "{at}");
        }
        assert_eq!(window.seek(SeekFrom::End(-1)).unwrap(), 199_999);
        assert!(window.seek(SeekFrom::Current(-200_000)).is_err());
    }
}
