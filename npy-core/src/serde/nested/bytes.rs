//! The bytes of an array, a block at a time.

use std::borrow::Cow;

use crate::checked;
use crate::limits::to_u64;
use crate::objects::ContentsFile;
use npy_pickle::{LeftOut, ReadLeftOut};

/// The bytes of an array: in memory, or still in the file.
#[derive(Clone, Copy)]
pub(in crate::serde) struct ArrayBytes<'a> {
    memory: &'a [u8],
    file: Option<(&'a ContentsFile, &'a LeftOut)>,
}

impl<'a> ArrayBytes<'a> {
    /// Returns bytes that are in memory.
    pub(in crate::serde) fn of(memory: &'a [u8]) -> Self {
        ArrayBytes { memory, file: None }
    }

    /// Returns the bytes of a bytes object that were left out of the pickle.
    pub(in crate::serde) fn of_file(file: &'a ContentsFile, contents: &'a LeftOut) -> Self {
        ArrayBytes { memory: &[], file: Some((file, contents)) }
    }

    /// Returns the bytes that are in memory; none if they are in the file.
    pub(in crate::serde) fn memory(self) -> &'a [u8] {
        self.memory
    }

    /// Returns the number of bytes.
    pub(in crate::serde) fn length(self) -> u64 {
        self.file.map_or_else(|| to_u64(self.memory.len()), |(_, contents)| contents.length)
    }

    /// Returns all bytes; none if the file cannot be read: [`Objects::check_file`](crate::Objects::check_file) returns that error.
    pub(in crate::serde) fn all(self) -> Cow<'a, [u8]> {
        match self.file {
            Some((file, contents)) => {
                Cow::Owned(file.read(contents.offset, contents.length).unwrap_or_default())
            }
            None => Cow::Borrowed(self.memory),
        }
    }

    /// Copies all bytes. If the file cannot be read, [`Objects::check_file`](crate::Objects::check_file) returns the error.
    pub(in crate::serde) fn copy_to(self, out: &mut [u8]) {
        match self.file {
            Some((file, contents)) => file.fill(contents.offset, out),
            None => out.copy_from_slice(checked::slice(self.memory, 0..out.len())),
        }
    }

    /// Returns the bytes if they are in memory, and no more than a block.
    pub(in crate::serde) fn single_block(self) -> Option<&'a [u8]> {
        (self.file.is_none() && self.memory.len() <= BLOCK).then_some(self.memory)
    }

    /// Returns the bytes in blocks. They end early if the file cannot be read: [`Objects::check_file`](crate::Objects::check_file) returns that error.
    pub(in crate::serde) fn blocks(self) -> Blocks<'a> {
        Blocks { of: self, at: 0 }
    }
}

/// The size of a block: a multiple of the size of any number, and so small that a block stays in the first-level cache while it is
/// converted.
const BLOCK: usize = 16 << 10;

/// An iterator over the bytes of an array, a block at a time.
pub(in crate::serde) struct Blocks<'a> {
    of: ArrayBytes<'a>,
    /// The position of the next block.
    at: u64,
}

impl Blocks<'_> {
    /// Returns the number of bytes that are left.
    pub(in crate::serde) fn left(&self) -> u64 {
        self.of.length().saturating_sub(self.at)
    }
}

impl<'a> Iterator for Blocks<'a> {
    type Item = Cow<'a, [u8]>;

    fn next(&mut self) -> Option<Cow<'a, [u8]>> {
        let (at, length) = (self.at, self.left().min(to_u64(BLOCK)));
        self.at = at.checked_add(length).filter(|_| length > 0)?;
        let Some((file, contents)) = self.of.file else {
            let rest = checked::tail(self.of.memory, checked::narrow(at));
            return Some(Cow::Borrowed(checked::slice(rest, 0..checked::narrow(length))));
        };
        let block = file.read(contents.offset.checked_add(at)?, length);
        if block.is_none() {
            self.at = self.of.length();
        }
        block.map(Cow::Owned)
    }
}
