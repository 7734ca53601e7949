//! Members that are written row by row.

use std::borrow::Borrow;
use std::fmt;
use std::io::{self, BufReader, Seek, SeekFrom, Write};

use super::write::Writer;
use crate::element::Element;
use crate::element::block::BLOCK;
use crate::error::{Error, Result};
use crate::write::replace::{Spool, spool};
use crate::write::{self, unfinished::Unfinished};

/// A member of an archive that is being written row by row; made by [`Writer::start`].
///
/// Up to 1 MiB of rows wait in memory, and more in a temporary file. If the archive was opened by its path, that file is in the same
/// directory; otherwise it is in the system's temporary directory.
///
/// [`finish`](Self::finish) writes the member. Without it, the archive does not get the member, and its name stays free: half of the rows must
/// not look like all of them. Then a line on the standard error says that rows are lost, unless an error was returned after
/// they were added, or the thread panics.
#[must_use = "only `finish` writes the member; without it, the rows are lost"]
pub struct MemberWriter<'w, T: Element, W: Write> {
    archive: &'w mut Writer<W>,
    name: String,
    rows: write::Writer<T, Spool>,
    unfinished: Unfinished,
}

impl<W: Write> Writer<W> {
    /// Begins a member that is written row by row. Its length need not be known in advance.
    ///
    /// ```
    /// use std::io::Cursor;
    ///
    /// use npy_core::npz;
    ///
    /// let mut writer = npz::Writer::new(Cursor::new(Vec::new()))?;
    /// let mut rows = writer.start::<[f32; 2]>("path")?;
    /// rows.push(&[0.0, 0.5])?;
    /// rows.extend((1..4u8).map(|n| [f32::from(n), 0.5]))?;
    /// rows.finish()?;
    /// let reader = npz::Reader::new(writer.finish()?)?;
    /// assert_eq!(reader.header("path")?.shape(), [4, 2]);
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ErrorKind::MemberName`](crate::ErrorKind::MemberName) as [`write`](Self::write),
    /// [`ErrorKind::Unsupported`](crate::ErrorKind::Unsupported) for Python objects.
    pub fn start<T: Element>(&mut self, name: &str) -> Result<MemberWriter<'_, T, W>> {
        let rows = self.located(|writer| {
            writer.check_name(name)?;
            let rows = writer.options.arrays.writer(spool(writer.directory.as_ref()));
            rows.map_err(|error| error.in_member(name))
        })?;
        let unfinished = Unfinished::of_member(self.path.as_deref(), name);
        Ok(MemberWriter { archive: self, name: name.to_owned(), rows, unfinished })
    }
}

impl<T: Element, W: Write> MemberWriter<'_, T, W> {
    /// Returns the number of rows so far.
    ///
    /// ```
    /// # let dir = tempfile::tempdir()?;
    /// # std::env::set_current_dir(&dir)?;
    /// use npy_core::npz;
    ///
    /// let mut writer = npz::Writer::create("ticks.npz")?;
    /// let mut ticks = writer.start::<f64>("ticks")?;
    /// ticks.push(&0.5)?;
    /// assert_eq!(ticks.count(), 1);
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    pub fn count(&self) -> usize {
        self.rows.count()
    }

    /// Adds one row.
    ///
    /// ```
    /// # let dir = tempfile::tempdir()?;
    /// # std::env::set_current_dir(&dir)?;
    /// use npy_core::npz;
    ///
    /// let mut writer = npz::Writer::create("ticks.npz")?;
    /// let mut ticks = writer.start::<f64>("ticks")?;
    /// ticks.push(&0.5)?;
    /// ticks.push(&1.5)?;
    /// ticks.finish()?;
    /// writer.finish()?;
    /// assert_eq!(npz::Reader::open("ticks.npz")?.read::<Vec<f64>>("ticks")?, [0.5, 1.5]);
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`Writer::push`](crate::Writer::push).
    #[inline]
    pub fn push(&mut self, row: &T) -> Result<()> {
        let pushed = self.rows.push(row);
        pushed.map_err(|error| self.refuse(error))
    }

    /// Adds the rows of an iterator: values of `T` or references to them.
    ///
    /// ```
    /// # let dir = tempfile::tempdir()?;
    /// # std::env::set_current_dir(&dir)?;
    /// use npy_core::npz;
    ///
    /// let mut writer = npz::Writer::create("ticks.npz")?;
    /// let mut ticks = writer.start::<u32>("ticks")?;
    /// ticks.extend((1..=3u32).map(|n| n * n))?;
    /// ticks.finish()?;
    /// writer.finish()?;
    /// assert_eq!(npz::Reader::open("ticks.npz")?.read::<Vec<u32>>("ticks")?, [1, 4, 9]);
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`Writer::extend`](crate::Writer::extend).
    pub fn extend<I: IntoIterator<Item: Borrow<T>>>(&mut self, rows: I) -> Result<()> {
        let extended = self.rows.extend(rows);
        extended.map_err(|error| self.refuse(error))
    }

    /// Adds all rows of a slice.
    ///
    /// ```
    /// # let dir = tempfile::tempdir()?;
    /// # std::env::set_current_dir(&dir)?;
    /// use npy_core::npz;
    ///
    /// let mut writer = npz::Writer::create("ticks.npz")?;
    /// let mut ticks = writer.start::<f64>("ticks")?;
    /// ticks.write_slice(&[0.5, 1.5])?;
    /// ticks.write_slice(&[2.5])?;
    /// assert_eq!(ticks.count(), 3);
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`Writer::write_slice`](crate::Writer::write_slice).
    pub fn write_slice(&mut self, rows: &[T]) -> Result<()> {
        let written = self.rows.write_slice(rows);
        written.map_err(|error| self.refuse(error))
    }

    /// Records that nobody need be told of the rows that were added until now.
    fn tell(&mut self) {
        self.unfinished.set_added(self.rows.count());
        self.unfinished.tell();
    }

    /// Adds the file and the member to an error.
    #[cold]
    fn refuse(&mut self, error: Error) -> Error {
        self.tell();
        self.archive.in_file(error.in_member(&self.name))
    }

    /// Writes the member.
    ///
    /// ```
    /// # let dir = tempfile::tempdir()?;
    /// # std::env::set_current_dir(&dir)?;
    /// use npy_core::npz;
    ///
    /// let mut writer = npz::Writer::create("ticks.npz")?;
    /// let mut ticks = writer.start::<f64>("ticks")?;
    /// ticks.push(&0.5)?;
    /// ticks.finish()?;
    /// writer.write("station", &7u8)?;
    /// writer.finish()?;
    /// assert!(npz::Reader::open("ticks.npz")?.names().eq(["ticks", "station"]));
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`Writer::write`](super::Writer::write).
    pub fn finish(mut self) -> Result<()> {
        self.tell();
        let MemberWriter { archive, name, rows, .. } = &mut self;
        let mut spool =
            archive.located(|_| rows.take_finished().map_err(|error| error.in_member(name)))?;
        archive.add(name, &mut |writer| {
            writer.begin(spool.seek(SeekFrom::End(0))?)?;
            spool.seek(SeekFrom::Start(0))?;
            io::copy(&mut BufReader::with_capacity(BLOCK, &mut spool), writer)?;
            Ok(())
        })
    }

    /// Drops the rows: the archive does not get the member.
    ///
    /// ```
    /// # let dir = tempfile::tempdir()?;
    /// # std::env::set_current_dir(&dir)?;
    /// use npy_core::npz;
    ///
    /// let mut writer = npz::Writer::create("ticks.npz")?;
    /// let mut ticks = writer.start::<f64>("ticks")?;
    /// ticks.push(&0.5)?;
    /// ticks.discard();
    /// writer.finish()?;
    /// assert_eq!(npz::Reader::open("ticks.npz")?.names().len(), 0);
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    pub fn discard(mut self) {
        self.tell();
    }
}

/// Reports rows that are lost.
impl<T: Element, W: Write> Drop for MemberWriter<'_, T, W> {
    fn drop(&mut self) {
        self.unfinished.set_added(self.count());
    }
}

impl<T: Element, W: Write> fmt::Debug for MemberWriter<'_, T, W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MemberWriter")
            .field("name", &self.name)
            .field("count", &self.count())
            .finish_non_exhaustive()
    }
}
