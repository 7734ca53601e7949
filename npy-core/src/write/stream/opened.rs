//! The file of a writer that was opened by its path.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use super::super::lock::Lock;
use super::super::replace::{Destination, Directory};
use super::super::unfinished::Unfinished;

/// A file that was opened by its path.
pub(super) struct OpenedFile<W> {
    /// The path for messages.
    pub(super) path: PathBuf,
    /// The absolute path, as the process may change its working directory.
    pub(super) absolute: PathBuf,
    pub(super) lock: Lock,
    /// The function that `finish` calls to sync the file, if requested.
    pub(super) sync: Option<fn(&mut W) -> io::Result<()>>,
    /// The function that [`discard`](super::Writer::discard) calls to shorten the file.
    pub(super) cut: fn(&mut W, u64, &[u8], u64) -> io::Result<()>,
    /// The directory of a new file, for the first [`Writer::sync`](super::Writer::sync), which syncs it. `None`
    /// afterwards, and if [`WriteOptions::sync`](super::WriteOptions::sync) or [`atomic`](super::WriteOptions::atomic) is set.
    pub(super) directory: Option<Directory>,
    pub(super) unnamed: Option<Unnamed>,
}

impl OpenedFile<File> {
    pub(super) fn new(path: &Path, lock: Lock, sync: bool) -> io::Result<Self> {
        Ok(OpenedFile {
            path: path.to_owned(),
            absolute: std::path::absolute(path)?,
            lock,
            sync: sync.then_some(sync_data as fn(&mut File) -> _),
            cut,
            directory: None,
            unnamed: None,
        })
    }
}

/// The file of [`atomic`](super::WriteOptions::atomic), which gets its name at the end.
pub(super) struct Unnamed {
    /// A second handle.
    pub(super) file: File,
    pub(super) destination: Destination,
    pub(super) unfinished: Unfinished,
}

/// Cuts a file at `end` if it has these bytes at this offset. Otherwise another process has written to it, where there are no locks.
fn cut(file: &mut File, at: u64, bytes: &[u8], end: u64) -> io::Result<()> {
    let mut found = vec![0; bytes.len()];
    file.seek(SeekFrom::Start(at))?;
    file.read_exact(&mut found)?;
    if found == bytes { file.set_len(end) } else { Ok(()) }
}

/// Waits until the bytes of a file are on the disk.
pub(super) fn sync_data(file: &mut File) -> io::Result<()> {
    file.sync_data()
}

#[cfg(test)]
mod tests {
    use super::super::Writer;
    use super::*;
    use crate::element::block::BLOCK;

    /// Guards a full disk: what was written in vain is removed, but nothing if the header may have another length.
    #[test]
    fn a_discarded_writer_that_has_failed_leaves_what_the_header_counts() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("x.npy");
        for is_header_changed in [false, true] {
            let mut writer = Writer::<u8>::create(&path).unwrap();
            writer.push(&7).unwrap();
            writer.flush().unwrap();
            let counted = std::fs::read(&path).unwrap();
            writer.write_slice(&vec![7; BLOCK]).unwrap();
            writer.push(&7).unwrap();
            let mut written = std::fs::read(&path).unwrap();
            assert!(written.len() > BLOCK);
            if is_header_changed {
                let at = written.windows(4).position(|part| part == b"(1,)").unwrap();
                written[at + 1] = b'2';
                std::fs::write(&path, &written).unwrap();
            }
            writer.sink.attempt(|_| Err::<(), _>(io::ErrorKind::StorageFull.into())).unwrap_err();
            writer.discard();
            let expected = if is_header_changed { written } else { counted };
            assert_eq!(std::fs::read(&path).unwrap(), expected);
        }
    }
}
