//! An iterator over the elements of a file that has the reader.

use std::fmt;
use std::io::Read;
use std::vec;

use super::reader::Reader;
use crate::element::Element;
use crate::error::{Error, Result};

/// The bytes of the elements that are read at once.
const BLOCK: usize = 256 << 10;

impl<R: Read> Reader<R> {
    /// Iterates over the elements that remain, like [`records`](Self::records), and takes the reader. So a function can return the iterator,
    /// and a struct can have it. The elements come in the order of the file, also [in Fortran order](Self::records#fortran-order).
    ///
    /// ```
    /// # let dir = tempfile::tempdir()?;
    /// # std::env::set_current_dir(&dir)?;
    /// use npy_core::{NpyRecord, Reader, Result, WriteNpy};
    ///
    /// #[derive(NpyRecord)]
    /// struct Pick {
    ///     station: u32,
    ///     time: f64,
    /// }
    ///
    /// fn times(path: &str) -> Result<impl Iterator<Item = Result<f64>>> {
    ///     let picks = Reader::open(path)?.into_records::<Pick>()?;
    ///     Ok(picks.map(|pick| Ok(pick?.time)))
    /// }
    ///
    /// [Pick { station: 7, time: 1.5 }, Pick { station: 9, time: 2.5 }].write_npy("picks.npy")?;
    /// assert_eq!(times("picks.npy")?.collect::<Result<Vec<_>>>()?, [1.5, 2.5]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`Reader::records`].
    pub fn into_records<T: Element>(mut self) -> Result<IntoRecords<R, T>> {
        // Compares the dtypes.
        self.records::<T>()?;
        Ok(IntoRecords { reader: Some(self), block: Vec::new().into_iter(), error: None })
    }
}

/// The iterator of [`Reader::into_records`].
pub struct IntoRecords<R, T> {
    /// There is no reader after an error.
    reader: Option<Reader<R>>,
    /// The elements that were read.
    block: vec::IntoIter<T>,
    /// The error that comes after them.
    error: Option<Error>,
}

impl<R: Read, T: Element> Iterator for IntoRecords<R, T> {
    type Item = Result<T>;

    #[inline]
    fn next(&mut self) -> Option<Result<T>> {
        match self.block.next() {
            Some(element) => Some(Ok(element)),
            None => self.next_block(),
        }
    }
}

impl<R: Read, T: Element> IntoRecords<R, T> {
    /// Reads a block, and returns its first element.
    #[cold]
    fn next_block(&mut self) -> Option<Result<T>> {
        if let Some(reader) = &mut self.reader {
            let mut block = Vec::new();
            let count = BLOCK.checked_div(T::SIZE).unwrap_or(BLOCK).max(1);
            self.error = reader.read_chunk(&mut block, count).err();
            self.block = block.into_iter();
        }
        if self.error.is_some() {
            self.reader = None;
        }
        self.block.next().map(Ok).or_else(|| self.error.take().map(Err))
    }
}

impl<R, T> fmt::Debug for IntoRecords<R, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("IntoRecords").finish_non_exhaustive()
    }
}
