//! A member that is read from its start several times.

use std::io::{self, Read, Seek, SeekFrom};

use npy_zip::{Directory, Entry, Limits, Result};

use super::file::File;

/// A member of any method. Those that are not deflated can only seek forward, so they are opened again.
pub(super) struct Member<'a> {
    directory: &'a Directory,
    entry: &'a Entry,
    file: &'a File<'a>,
    open: npy_zip::Member<File<'a>>,
}

impl<'a> Member<'a> {
    pub(super) fn open(
        directory: &'a Directory,
        entry: &'a Entry,
        file: &'a File<'a>,
    ) -> Result<Self> {
        let open = directory.member(entry, file.clone(), &Limits::default())?;
        Ok(Member { directory, entry, file, open })
    }
}

impl Read for Member<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.open.read(buffer)
    }
}

impl Seek for Member<'_> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        match self.open.seek(to) {
            Err(error) if error.kind() == io::ErrorKind::Unsupported => {
                *self = Member::open(self.directory, self.entry, self.file)?;
                self.open.seek(to)
            }
            result => result,
        }
    }
}
