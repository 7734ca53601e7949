//! Reads all members, with several threads if they are allowed.

use std::fs::File;
use std::io::{Read, Seek};
use std::sync::Arc;

use super::Reader;
use crate::dynamic::DynArray;
use crate::error::Result;
use crate::read::{ReadNpy, each_part};

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
    /// As [`read`](Reader::read). A member that is not an array is an error, too, except a folder, which is left out.
    pub fn read_all(&self) -> Result<Vec<(String, DynArray)>> {
        let members: Vec<usize> =
            (0..self.len()).filter(|&index| !self.directory.is_folder(index)).collect();
        let threads = self.options.threads.min(members.len());
        let arrays = match self.parallel().filter(|_| threads > 1) {
            Some(reader) => reader.read_parallel(&members, threads),
            None => {
                let threads = self.options.threads;
                members.iter().map(|&index| self.read_index(index, threads)).collect()
            }
        };
        let arrays = arrays.map_err(|error| self.in_file(error))?;
        let names = members.iter().map(|&index| self.directory.name(index).to_owned());
        Ok(names.zip(arrays).collect())
    }

    /// Reads a member, which this many threads may inflate.
    fn read_index(&self, index: usize, threads: usize) -> Result<DynArray> {
        let read = self
            .open_array(index, threads)
            .and_then(|mut array| DynArray::read_npy_array(&mut array));
        read.map_err(|error| error.in_member(self.directory.name(index)))
    }

    /// Returns a reader of the same archive for several threads; `None` if it is not in a file that this crate opened.
    fn parallel(&self) -> Option<Reader<File>> {
        Some(Reader {
            source: Arc::new(self.source.parallel()?),
            directory: Arc::clone(&self.directory),
            options: self.options.clone(),
            path: self.path.clone(),
            open_on_threads: self.options.open_member,
        })
    }
}

impl Reader<File> {
    /// Reads all members. Each thread takes the next member when it is free.
    fn read_parallel(&self, members: &[usize], threads: usize) -> Result<Vec<DynArray>> {
        let mut arrays: Vec<_> = members.iter().map(|&index| (index, None)).collect();
        // Fewer members than threads are each inflated by several.
        let each = self.options.threads.checked_div(threads).unwrap_or(1);
        each_part(threads, &mut arrays.iter_mut(), |_, (index, array), _| {
            *array = Some(self.read_index(*index, each)?);
            Ok(())
        })?;
        Ok(arrays.into_iter().filter_map(|(_, array)| array).collect())
    }
}
