//! The contents of bytes objects: in the pickle, or still in its file.

use std::borrow::Cow;
use std::sync::{Mutex, PoisonError};

use super::Objects;
#[cfg(feature = "serde")]
use crate::checked;
use crate::error::Error;
use crate::limits::to_u64;
use npy_pickle::{self as pickle, Data, Form, LeftOut};

/// Reads bytes at an offset of a file. Fails if the file has fewer.
pub(crate) trait ReadContents: Send + Sync {
    /// Fills the slice.
    fn fill(&self, offset: u64, out: &mut [u8]) -> Result<(), Error>;

    /// Returns this many bytes.
    fn read(&self, offset: u64, length: u64) -> Result<Vec<u8>, Error>;
}

/// A file with the contents of bytes objects that were left out of a pickle, so that a large array is read directly into the buffer that
/// needs it.
pub(crate) struct ContentsFile {
    file: Box<dyn ReadContents>,
    /// The first error. Most callers cannot return it, so [`Objects::check_file`] does.
    failure: Mutex<Option<Error>>,
}

impl ContentsFile {
    pub(crate) fn new(file: impl ReadContents + 'static) -> Self {
        ContentsFile { file: Box::new(file), failure: Mutex::new(None) }
    }

    /// Returns the result, or keeps the error.
    fn keep<T>(&self, result: Result<T, Error>) -> Option<T> {
        let keep = |error| {
            let mut failure = self.failure.lock().unwrap_or_else(PoisonError::into_inner);
            failure.get_or_insert(error);
        };
        result.map_err(keep).ok()
    }
}

impl Objects {
    /// Returns the contents of a bytes object or of a string of Python 2; `None` for other data, and if the file cannot be read.
    pub(super) fn contents(&self, form: Form, data: Data) -> Option<Cow<'_, [u8]>> {
        match self.left_out(form, data) {
            Some(contents) => self.read(contents).map(Cow::Owned),
            None => pickle::decode_bytes(form, data.of(&self.pickle)),
        }
    }

    /// Returns where the contents are in the file, if they were left out of the pickle.
    pub(super) fn left_out(&self, form: Form, data: Data) -> Option<&LeftOut> {
        if !matches!(form, Form::Bytes | Form::ByteArray) {
            return None;
        }
        let index = self.left_out.binary_search_by_key(&data.start(), |contents| contents.at);
        self.left_out.get(index.ok()?)
    }

    /// Returns the length of text, bytes or a large integer.
    #[inline]
    pub(super) fn length(&self, form: Form, data: Data) -> u64 {
        match data.short_length() {
            Some(length) => length,
            None => match self.left_out(form, data) {
                Some(contents) => contents.length,
                None => to_u64(data.of(&self.pickle).len()),
            },
        }
    }

    /// Returns the length of the pickle.
    pub(super) fn pickle_length(&self) -> u64 {
        let left_out = self.left_out.iter().map(|contents| contents.length);
        left_out.fold(to_u64(self.pickle.len()), u64::saturating_add)
    }

    fn read(&self, contents: &LeftOut) -> Option<Vec<u8>> {
        let file = self.file.as_ref()?;
        file.keep(file.file.read(contents.offset, contents.length))
    }

    /// Fills the slice with the bytes at an offset of the file, unless that fails.
    #[cfg(feature = "serde")]
    fn fill(&self, offset: u64, out: &mut [u8]) {
        let _ = self.file.as_ref().and_then(|file| file.keep(file.file.fill(offset, out)));
    }

    /// Returns the first error of reading contents from the file.
    pub(crate) fn check_file(&self) -> Result<(), Error> {
        let failure = self
            .file
            .as_ref()
            .and_then(|file| file.failure.lock().unwrap_or_else(PoisonError::into_inner).take());
        failure.map_or(Ok(()), Err)
    }
}

/// The bytes of an array: in memory, or still in the file.
#[cfg(feature = "serde")]
#[derive(Clone, Copy)]
pub(crate) struct ArrayBytes<'a> {
    memory: &'a [u8],
    file: Option<(&'a Objects, &'a LeftOut)>,
}

#[cfg(feature = "serde")]
impl<'a> ArrayBytes<'a> {
    /// Returns bytes that are in memory.
    pub(crate) fn of(memory: &'a [u8]) -> Self {
        ArrayBytes { memory, file: None }
    }

    /// Returns the bytes of a bytes object that were left out of the pickle.
    pub(super) fn of_file(objects: &'a Objects, contents: &'a LeftOut) -> Self {
        ArrayBytes { memory: &[], file: Some((objects, contents)) }
    }

    /// Returns the bytes that are in memory; none if they are in the file.
    pub(crate) fn memory(self) -> &'a [u8] {
        self.memory
    }

    /// Returns the number of bytes.
    pub(crate) fn length(self) -> u64 {
        self.file.map_or_else(|| to_u64(self.memory.len()), |(_, contents)| contents.length)
    }

    /// Returns all bytes; none if the file cannot be read: [`Objects::check_file`] returns that error.
    pub(crate) fn all(self) -> Cow<'a, [u8]> {
        match self.file {
            Some((objects, contents)) => Cow::Owned(objects.read(contents).unwrap_or_default()),
            None => Cow::Borrowed(self.memory),
        }
    }

    /// Copies all bytes. If the file cannot be read, [`Objects::check_file`] returns the error.
    pub(crate) fn copy_to(self, out: &mut [u8]) {
        match self.file {
            Some((objects, contents)) => objects.fill(contents.offset, out),
            None => out.copy_from_slice(checked::slice(self.memory, 0..out.len())),
        }
    }

    /// Returns the bytes if they are in memory, and no more than a block.
    pub(crate) fn single_block(self) -> Option<&'a [u8]> {
        (self.file.is_none() && self.memory.len() <= BLOCK).then_some(self.memory)
    }

    /// Returns the bytes in blocks. They end early if the file cannot be read: [`Objects::check_file`] returns that error.
    pub(crate) fn blocks(self) -> Blocks<'a> {
        Blocks { of: self, at: 0 }
    }
}

/// The size of a block: a multiple of the size of any number, and so small that a block stays in the first-level cache while it is
/// converted.
#[cfg(feature = "serde")]
const BLOCK: usize = 16 << 10;

/// An iterator over the bytes of an array, a block at a time.
#[cfg(feature = "serde")]
pub(crate) struct Blocks<'a> {
    of: ArrayBytes<'a>,
    /// The position of the next block.
    at: u64,
}

#[cfg(feature = "serde")]
impl Blocks<'_> {
    /// Returns the number of bytes that are left.
    pub(crate) fn left(&self) -> u64 {
        self.of.length().saturating_sub(self.at)
    }
}

#[cfg(feature = "serde")]
impl<'a> Iterator for Blocks<'a> {
    type Item = Cow<'a, [u8]>;

    fn next(&mut self) -> Option<Cow<'a, [u8]>> {
        let (at, length) = (self.at, self.left().min(to_u64(BLOCK)));
        self.at = at.checked_add(length).filter(|_| length > 0)?;
        let Some((objects, contents)) = self.of.file else {
            let rest = checked::tail(self.of.memory, checked::narrow(at));
            return Some(Cow::Borrowed(checked::slice(rest, 0..checked::narrow(length))));
        };
        let part = LeftOut { offset: contents.offset.checked_add(at)?, length, ..*contents };
        let block = objects.read(&part);
        if block.is_none() {
            self.at = self.of.length();
        }
        block.map(Cow::Owned)
    }
}
