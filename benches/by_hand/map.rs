//! A file mapped by hand.

// Only this benchmark uses its files.
#![allow(unsafe_code)]

use std::fs::File;
use std::path::Path;

use memmap2::Mmap;

use crate::records::Tick;

/// A mapped file, and the offset of its data.
pub(crate) struct Mapped {
    map: Mmap,
    start: usize,
}

impl Mapped {
    pub(crate) fn open(path: &Path) -> Self {
        let file = File::open(path).unwrap();
        // SAFETY: the file is in a folder of this benchmark's own, and no one writes to it while it is mapped.
        let map = unsafe { Mmap::map(&file) }.unwrap();
        let start = super::data_start(&map);
        Mapped { map, start }
    }

    /// The items.
    pub(crate) fn data(&self) -> &[u8] {
        &self.map[self.start..]
    }
}

/// Reads some records, each with one system call.
#[cfg(unix)]
pub(crate) fn pread(path: &Path, picks: &[usize]) -> Vec<Tick> {
    use std::os::unix::fs::FileExt;

    let (file, bytes) = super::open(path);
    let start = file.metadata().unwrap().len() - u64::try_from(bytes).unwrap();
    let mut item = [0; 27];
    let mut read = |&i: &usize| {
        let at = start + 27 * u64::try_from(i).unwrap();
        file.read_exact_at(&mut item, at).unwrap();
        super::tick::little(&item)
    };
    picks.iter().map(&mut read).collect()
}
