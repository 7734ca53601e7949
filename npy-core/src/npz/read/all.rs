//! Reads all members, with several threads if they are allowed.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};

use super::{Reader, open_array};
use crate::dynamic::DynArray;
use crate::error::Result;
use crate::limits::to_u64;
use crate::read::{ReadNpy, each_part, read_at};

impl<R: Read + Seek> Reader<R> {
    /// Reads all members with their names, in the order of the archive. Several threads share the work if
    /// [`ReadOptions::threads`](super::super::ReadOptions::threads) allows it.
    ///
    /// ```
    /// use std::io::Cursor;
    ///
    /// use npy_core::npz;
    ///
    /// let mut writer = npz::Writer::new(Cursor::new(Vec::new()))?;
    /// writer.write("x", &[1.5f64])?;
    /// writer.write("y", &[1u8, 2])?;
    /// for (name, array) in npz::Reader::new(writer.finish()?)?.read_all()? {
    ///     println!("{name}: {} {:?}", array.dtype(), array.shape());
    /// }
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`read`](Reader::read). A member that is not an array is an error, too.
    pub fn read_all(&mut self) -> Result<Vec<(String, DynArray)>> {
        let threads = self.options.threads.min(self.len());
        let arrays = match self.file.filter(|_| threads > 1 && cfg!(any(unix, windows))) {
            Some(file) => self.read_parallel(threads, file(&self.inner)),
            None => (0..self.len()).map(|index| self.read_at(index)).collect(),
        };
        let arrays = arrays.map_err(|error| self.in_file(error))?;
        Ok(self.names().map(str::to_owned).zip(arrays).collect())
    }

    fn read_at(&mut self, index: usize) -> Result<DynArray> {
        let read =
            self.open_array(index).and_then(|mut array| DynArray::read_npy_array(&mut array));
        read.map_err(|error| error.in_member(self.directory.name(index)))
    }

    /// Reads all members of a file. Each thread takes the next member when it is free.
    fn read_parallel(&self, threads: usize, file: &File) -> Result<Vec<DynArray>> {
        let (directory, options) = (&self.directory, &self.options);
        let mut arrays: Vec<Option<DynArray>> = Vec::new();
        arrays.resize_with(directory.names().len(), || None);
        each_part(threads, &mut arrays.iter_mut(), |index, slot, _| {
            let shared = SharedFile { file, position: 0 };
            let read = open_array(shared, directory, index, options)
                .and_then(|mut array| DynArray::read_npy_array(&mut array));
            *slot = Some(read.map_err(|error| error.in_member(directory.name(index)))?);
            Ok(())
        })?;
        Ok(arrays.into_iter().flatten().collect())
    }
}

/// A handle to a file that several threads read. Each handle has its own position.
struct SharedFile<'f> {
    file: &'f File,
    position: u64,
}

impl Read for SharedFile<'_> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let read = read_at(self.file, out, self.position)?;
        self.position = self.position.saturating_add(to_u64(read));
        Ok(read)
    }
}

impl Seek for SharedFile<'_> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let position = match to {
            SeekFrom::Start(position) => Some(position),
            SeekFrom::Current(by) => self.position.checked_add_signed(by),
            SeekFrom::End(by) => self.file.metadata()?.len().checked_add_signed(by),
        };
        self.position = position.ok_or(io::ErrorKind::InvalidInput)?;
        Ok(self.position)
    }
}
