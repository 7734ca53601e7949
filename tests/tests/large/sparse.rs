//! A file in which blocks of zeros are left out: it has its full length, and takes little disk space.

use std::fs::File;
use std::io::{self, Seek, SeekFrom, Write};
use std::path::Path;

pub(crate) struct Sparse {
    file: File,
    at: u64,
    length: u64,
}

impl Sparse {
    pub(crate) fn create(path: &Path) -> Self {
        Sparse { file: File::create(path).unwrap(), at: 0, length: 0 }
    }
}

impl Write for Sparse {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let end = self.at + bytes.len() as u64;
        // Zeros over bytes that were written before must be written.
        if self.at < self.length || bytes.iter().any(|&byte| byte != 0) {
            self.file.seek(SeekFrom::Start(self.at))?;
            self.file.write_all(bytes)?;
        }
        self.at = end;
        self.length = self.length.max(end);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.set_len(self.length)
    }
}

impl Seek for Sparse {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let at = match to {
            SeekFrom::Start(at) => Some(at),
            SeekFrom::Current(by) => self.at.checked_add_signed(by),
            SeekFrom::End(by) => self.length.checked_add_signed(by),
        };
        self.at = at.ok_or(io::ErrorKind::InvalidInput)?;
        Ok(self.at)
    }
}
