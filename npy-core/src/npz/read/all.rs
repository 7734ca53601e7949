//! All members, by several threads.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use super::{Reader, array};
use crate::dynamic::DynArray;
use crate::error::Result;
use crate::limits::to_u64;
use crate::read::ReadNpy;

impl<R: Read + Seek> Reader<R> {
    /// Reads all members, each with its name, in the order of the archive; by several threads if
    /// [`ReadOptions::threads`](super::super::ReadOptions::threads) says so.
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
    /// As [`read`](Reader::read), also for a member that is no array.
    pub fn read_all(&mut self) -> Result<Vec<(String, DynArray)>> {
        let threads = self.options.threads.min(self.len());
        let arrays = match self.file.filter(|_| threads > 1 && Shared::IS_POSSIBLE) {
            Some(file) => self.read_by(threads, file(&self.inner)),
            None => (0..self.len()).map(|index| self.read_at(index)).collect(),
        };
        let arrays = arrays.map_err(|error| self.in_file(error))?;
        Ok(self.names().map(str::to_owned).zip(arrays).collect())
    }

    fn read_at(&mut self, index: usize) -> Result<DynArray> {
        let read = self.array(index).and_then(|mut array| DynArray::take(&mut array));
        read.map_err(|error| error.in_member(self.directory.name(index)))
    }

    /// Reads all members of a file, each by the next thread that is free.
    fn read_by(&self, threads: usize, file: &File) -> Result<Vec<DynArray>> {
        let (directory, options) = (&self.directory, &self.options);
        let count = self.names().len();
        let next = AtomicUsize::new(0);
        let work = || {
            let mut read = Vec::new();
            loop {
                let index = next.fetch_add(1, Ordering::Relaxed);
                if index >= count {
                    return Ok(read);
                }
                let array = array(Shared { file, at: 0 }, directory, index, options);
                let array = array.and_then(|mut array| DynArray::take(&mut array));
                match array {
                    Ok(array) => read.push((index, array)),
                    Err(error) => {
                        // The others need not go on.
                        next.store(count, Ordering::Relaxed);
                        return Err(error.in_member(directory.name(index)));
                    }
                }
            }
        };
        let parts = thread::scope(|scope| {
            let workers: Vec<_> = (1..threads).map(|_| scope.spawn(work)).collect();
            let mut parts = vec![work()];
            parts.extend(workers.into_iter().map(|worker| {
                worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
            }));
            parts
        });
        let mut arrays = Vec::with_capacity(count);
        for part in parts {
            arrays.extend(part?);
        }
        arrays.sort_unstable_by_key(|(index, _)| *index);
        Ok(arrays.into_iter().map(|(_, array)| array).collect())
    }
}

/// A file that several threads read, each from a place of its own.
struct Shared<'f> {
    file: &'f File,
    at: u64,
}

impl Shared<'_> {
    /// Whether the system can read from a place.
    const IS_POSSIBLE: bool = cfg!(any(unix, windows));

    #[cfg(unix)]
    fn read_here(&self, out: &mut [u8]) -> io::Result<usize> {
        std::os::unix::fs::FileExt::read_at(self.file, out, self.at)
    }

    #[cfg(windows)]
    fn read_here(&self, out: &mut [u8]) -> io::Result<usize> {
        std::os::windows::fs::FileExt::seek_read(self.file, out, self.at)
    }

    #[cfg(not(any(unix, windows)))]
    fn read_here(&self, _: &mut [u8]) -> io::Result<usize> {
        Err(io::ErrorKind::Unsupported.into())
    }
}

impl Read for Shared<'_> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let read = self.read_here(out)?;
        self.at = self.at.saturating_add(to_u64(read));
        Ok(read)
    }
}

impl Seek for Shared<'_> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let target = match to {
            SeekFrom::Start(target) => Some(target),
            SeekFrom::Current(by) => self.at.checked_add_signed(by),
            SeekFrom::End(by) => self.file.metadata()?.len().checked_add_signed(by),
        };
        self.at = target.ok_or(io::ErrorKind::InvalidInput)?;
        Ok(self.at)
    }
}
