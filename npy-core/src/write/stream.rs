//! Writing an array element by element.

mod append;
mod dynamic;
mod growing;
mod opened;
mod rows;
mod sink;

use std::borrow::Borrow;
use std::fmt;
use std::fs::File;
use std::io::{self, Seek, Write};
use std::path::Path;

use super::WriteOptions;
use super::lock::{self, Lock};
use super::replace::{self, Existing};
use super::unfinished::Unfinished;
use crate::checked;
use crate::element::block::{self, BLOCK, Pending};
use crate::element::type_info::TypeInfo;
use crate::element::{Element, type_name};
use crate::error::{Error, ErrorKind, Result, counted};
use crate::header::Header;
use crate::header::growth::Growth;
use crate::limits;
use crate::plan::Plan;
use crate::shape::{self, Order};
pub use append::UncountedRows;
pub use dynamic::DynRowAppender;
#[cfg(feature = "npz")]
pub(crate) use growing::check_end;
use growing::{Growing, GrowingShape};
use opened::{OpenedFile, Unnamed, sync_data};
pub use rows::RowWriter;
use sink::Sink;

/// An array that is being written: the header first, then the elements.
///
/// ```
/// # let dir = tempfile::tempdir()?;
/// # std::env::set_current_dir(&dir)?;
/// use npy_core::{ReadNpy, Writer};
///
/// let mut writer = Writer::<f64>::create("x.npy")?;
/// writer.push(&1.0)?;
/// writer.extend([2.0, 3.0])?;
/// writer.flush()?; // The file has three elements, whatever happens from here on.
/// writer.write_slice(&[4.0, 5.0])?;
/// writer.finish()?;
/// assert_eq!(Vec::<f64>::read_npy("x.npy")?, [1.0, 2.0, 3.0, 4.0, 5.0]);
///
/// let mut writer = Writer::<f64>::append("x.npy")?;
/// writer.push(&6.0)?;
/// writer.finish()?;
/// assert_eq!(Vec::<f64>::read_npy("x.npy")?.len(), 6);
/// # Ok::<(), npy_core::Error>(())
/// ```
///
/// Elements are collected in a block of 256 KiB, which is written when it is full. The result is
/// byte for byte what [`WriteNpy`](crate::WriteNpy) writes for all of them at once. The only
/// exception is a header in which the bytes that change with the length would cross a page boundary
/// (of 4 KiB): it gets blanks before the length. At the start of a file, only a header of more than
/// 4 KiB is concerned.
///
/// # What can go wrong
///
/// A value that its dtype cannot hold ([`ErrorKind::InvalidValue`]) is refused: no byte of it is
/// written, and the writer can go on. After the inner writer has failed, every further `push`,
/// `flush` and `finish` fails; the header never counts an element that was not written.
///
/// If the length is not known ([`create`](Self::create), [`new`](Self::new),
/// [`append`](Self::append)), the header first states the length that the file had: 0 in a
/// new file. [`flush`](Self::flush) writes the elements, then their number into the header: a
/// few bytes of one page, in one write. So a process that is killed at any moment leaves an array
/// with the elements up to the last `flush` that completed, or up to the interrupted one. After a
/// loss of power, elements that were not [synced](Self::sync) may be missing or incomplete.
///
/// A reader may open the file at any time. If it does so while the length is being written, it may
/// see a mix of digits of the old and the new length. If the mix is larger than the number of
/// elements in the file, this crate's reader opens the file once more (if it opened the file by its
/// path). If the mix is smaller, the array seems shorter than it is.
///
/// Other programs must not change the file while it is written to. If one shortens it in place, as `np.save` to the same path does, the
/// rows between its new end and the next row become zeros, and no error says so.
///
/// Only a successful [`finish`](Self::finish) means that everything was written. A writer that is dropped without it writes what it has,
/// like [`BufWriter`](std::io::BufWriter), but ignores errors.
#[must_use = "`finish` is the only way to learn that all was written"]
pub struct Writer<T: Element, W: Write = File> {
    sink: Sink<W>,
    pending: Pending<T>,
    /// The number of elements that were written, including those that the file had before.
    written: usize,
    /// The largest number of elements that the array can have.
    max_elements: usize,
    length: Length<W>,
    file: Option<OpenedFile<W>>,
}

/// The length of the array that is being written.
enum Length<W> {
    /// The length is fixed, and the header states it. Has the dimensions of the array, without
    /// those of an element that is a sub-array.
    Stated(Vec<usize>),
    /// The header states the number of elements that were flushed.
    Grows(Growing<W>),
    /// There is no header.
    Unstated,
}

impl<T: Element> Writer<T, File> {
    /// Creates a file, for an array of one dimension. An element that is a sub-array adds its own dimensions.
    ///
    /// An existing file is replaced **at once**: its content is lost even if this writer is [discarded](Self::discard).
    /// [`WriteOptions::atomic`] keeps it until [`finish`](Self::finish), as archives do. Links are followed and permissions kept as by
    /// [`WriteNpy::write_npy`](crate::WriteNpy::write_npy). While this writer exists, [`append`](Self::append) refuses the file.
    ///
    /// ```
    /// # let dir = tempfile::tempdir()?;
    /// # std::env::set_current_dir(&dir)?;
    /// use npy_core::{Writer, load};
    ///
    /// let mut writer = Writer::<f64>::create("ticks.npy")?;
    /// writer.push(&0.5)?;
    /// writer.finish()?;
    /// assert_eq!(load::<Vec<f64>>("ticks.npy")?, [0.5]);
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Io`], also if the file cannot seek (a pipe); [`ErrorKind::Unsupported`] for Python objects.
    pub fn create<P: AsRef<Path>>(path: P) -> Result<Self> {
        WriteOptions::new().create(path)
    }

    /// Opens a file, to write more elements after those it has.
    ///
    /// The elements are written in the layout of the file: its byte order, its padding, its order of fields.
    /// The type must have the same fields as the file, in any order, and each scalar must have the same kind and size. The first dimension
    /// grows. If the array has several dimensions, write the elements row by row, and as many as make complete rows. An array of several
    /// columns in Fortran order is refused: its rows are strided, and what is added at the end of the file would be columns.
    ///
    /// The file must have all bytes that its header states. If complete rows follow that the header
    /// does not count, a process was killed before it counted them. Such a file is refused, unless
    /// [`WriteOptions::uncounted_rows`] says to keep or to remove these rows. If the file ends with
    /// an incomplete row, the next row overwrites it.
    ///
    /// One writer at a time: the file is locked until [`finish`](Self::finish), or until the writer is dropped. On Unix the lock is
    /// advisory: it affects only other writers of this crate. On Windows no other program can open the file for writing. On a file system
    /// without locks, and [without the feature `atomic`](crate#without-the-feature-atomic), two writers at the same time lose rows.
    ///
    /// If the bytes of the header that change with the length cross a page boundary (of 4 KiB), the
    /// file is first copied, with blanks in its header for the length, and the copy replaces it.
    /// Only headers of more than 4 KiB are concerned, and about one in a hundred of those.
    ///
    /// ```
    /// # let dir = tempfile::tempdir()?;
    /// # std::env::set_current_dir(&dir)?;
    /// use npy_core::{Writer, load, save};
    ///
    /// save("ticks.npy", &[0.5, 1.5])?;
    /// let mut writer = Writer::<f64>::append("ticks.npy")?;
    /// writer.push(&2.5)?;
    /// writer.finish()?;
    /// assert_eq!(load::<Vec<f64>>("ticks.npy")?, [0.5, 1.5, 2.5]);
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Locked`] if another writer has the file open, [`ErrorKind::Mismatch`] and
    /// [`ErrorKind::Rank`] if its elements have another type, [`ErrorKind::Truncated`] if it is
    /// shorter than its header says, [`ErrorKind::UncountedRows`] if it has more rows than its
    /// header says, [`ErrorKind::Unsupported`] for Python objects, for an array in Fortran order, if another array follows in the
    /// file, or if a field is only in the type or only in the file. Also as
    /// [`Header::read_npy`](crate::Header::read_npy).
    pub fn append<P: AsRef<Path>>(path: P) -> Result<Self> {
        WriteOptions::new().append(path)
    }

    /// Opens a file as [`append`](Self::append) does, or creates it as [`create`](Self::create) does if it does not exist.
    ///
    /// A program that may be killed uses [`WriteOptions::append_or_create`] with [`UncountedRows::Keep`]. After a
    /// kill, rows that the header does not count may be in the file, and this call refuses it then.
    ///
    /// If several programs do this at the same time, one creates the file, and the others are refused while its writer exists.
    /// On a file system that has neither unnamed files nor hard links, two may create it, and one of them gets an error from its next
    /// [`flush`](Self::flush).
    ///
    /// ```
    /// # let dir = tempfile::tempdir()?;
    /// # std::env::set_current_dir(&dir)?;
    /// use npy_core::{Writer, load};
    ///
    /// for tick in [0.5, 1.5] {
    ///     let mut writer = Writer::<f64>::append_or_create("ticks.npy")?;
    ///     writer.push(&tick)?;
    ///     writer.finish()?;
    /// }
    /// assert_eq!(load::<Vec<f64>>("ticks.npy")?, [0.5, 1.5]);
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`append`](Self::append), if there is a file, and otherwise as [`create`](Self::create). With [`WriteOptions::atomic`], the file
    /// gets its name from [`finish`](Self::finish), which fails if another program has created it since.
    pub fn append_or_create<P: AsRef<Path>>(path: P) -> Result<Self> {
        WriteOptions::new().append_or_create(path)
    }

    /// Like [`flush`](Self::flush), but waits until the elements are on the disk, then writes their
    /// number and waits for it, too. The first call after [`create`](Self::create) also waits until
    /// the name of the file is on the disk (only on Unix, and not with
    /// [`WriteOptions::atomic`]).
    ///
    /// The synced elements survive a loss of power. A later [`flush`](Self::flush) does not wait for the disk: after a loss of power, the
    /// header may count elements that it has added and that the file lacks, so that the file is refused as truncated. The synced ones are
    /// in it nevertheless.
    ///
    /// ```
    /// # let dir = tempfile::tempdir()?;
    /// # std::env::set_current_dir(&dir)?;
    /// use npy_core::{Writer, load};
    ///
    /// let mut writer = Writer::<f64>::create("ticks.npy")?;
    /// writer.push(&0.5)?;
    /// writer.sync()?;
    /// assert_eq!(load::<Vec<f64>>("ticks.npy")?, [0.5]);
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`flush`](Self::flush).
    pub fn sync(&mut self) -> Result<()> {
        self.flush_or_sync(Some(sync_data))?;
        self.located(|writer| {
            let directory = writer.file.as_mut().and_then(|file| file.directory.take());
            if let Some(directory) = directory {
                writer.sink.attempt(|_| directory.sync())?;
            }
            writer.check_path(Lock::check_path)
        })
    }
}

impl<T: Element, W: Write + Seek> Writer<T, W> {
    /// Starts an array of one dimension at the position of `writer`, for any number of elements. An element that is a sub-array adds its
    /// own dimensions.
    ///
    /// A file that was opened with `append(true)` is refused: all writes to it go to its end, so
    /// the length in the header could not be changed. The writer takes no lock: the caller
    /// must ensure that nobody else writes to the file.
    ///
    /// ```
    /// use std::io::Cursor;
    /// use npy_core::{ReadNpy, Writer};
    ///
    /// let mut writer = Writer::<[f32; 2], _>::new(Cursor::new(Vec::new()))?;
    /// writer.extend((0..4u8).map(|n| [f32::from(n), 0.5]))?;
    /// let file = writer.finish()?.into_inner();
    /// assert_eq!(Vec::<[f32; 2]>::read_npy_from(&file[..])?[3], [3.0, 0.5]);
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`create`](Writer::create), and [`ErrorKind::Io`] for a file that was opened for appending.
    pub fn new(writer: W) -> Result<Self> {
        WriteOptions::new().writer(writer)
    }
}

impl<T: Element, W: Write> Writer<T, W> {
    /// Starts an array of this shape, in any writer. The elements come in the order of the file, the last index running fastest.
    ///
    /// ```
    /// use npy_core::{NpyArray, ReadNpy, Writer};
    ///
    /// let mut file = Vec::new();
    /// let mut writer = Writer::<u8, _>::with_shape(&mut file, &[2, 3])?;
    /// writer.extend(0..6)?;
    /// writer.finish()?;
    /// assert_eq!(NpyArray::<u8>::read_npy_from(&file[..])?.at(&[1, 0]), Some(&3));
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Shape`] for an array larger than any memory, [`ErrorKind::Io`], [`ErrorKind::Unsupported`] for Python objects.
    pub fn with_shape(writer: W, shape: &[usize]) -> Result<Self> {
        WriteOptions::new().with_shape(writer, shape)
    }

    /// Returns the number of elements of the array, including those that the file had before and those not yet written.
    ///
    /// ```
    /// use npy_core::Writer;
    ///
    /// let mut writer = Writer::<u16, _>::with_shape(Vec::new(), &[3])?;
    /// writer.extend([7, 9])?;
    /// assert_eq!(writer.count(), 2);
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    pub fn count(&self) -> usize {
        checked::add(self.written, self.pending.count())
    }

    /// Returns the inner writer. The last elements may not have been written to it yet.
    ///
    /// ```
    /// use npy_core::Writer;
    ///
    /// let mut writer = Writer::<u8, _>::headerless(Vec::new())?;
    /// writer.extend([7, 9])?;
    /// writer.flush()?;
    /// assert_eq!(writer.get_ref(), &[7, 9]);
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    pub fn get_ref(&self) -> &W {
        self.sink.inner()
    }

    /// Adds one element.
    ///
    /// ```
    /// use npy_core::{ErrorKind, Writer};
    ///
    /// let mut writer = Writer::<u16, _>::with_shape(Vec::new(), &[2])?;
    /// writer.push(&7)?;
    /// writer.push(&9)?;
    /// let error = writer.push(&11).unwrap_err();
    /// assert!(matches!(error.kind(), ErrorKind::Shape { .. }));
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ErrorKind::InvalidValue`] for a value that its dtype cannot hold, [`ErrorKind::Shape`] for
    /// one more element than the shape has, [`ErrorKind::Unsupported`] if the header of a file that
    /// is appended to has no blanks left for a longer number. After these errors, the element is
    /// not added, and the writer can go on. [`ErrorKind::Io`] if the inner writer fails or has
    /// failed.
    #[inline]
    pub fn push(&mut self, item: &T) -> Result<()> {
        if self.pending.push(item) {
            return Ok(());
        }
        self.extend(std::iter::once(item))
    }

    /// Adds the elements of an iterator: values of `T` or references to them.
    ///
    /// ```
    /// use npy_core::Writer;
    ///
    /// let mut writer = Writer::<u8, _>::headerless(Vec::new())?;
    /// writer.extend((1..=3u8).map(|n| n * n))?;
    /// assert_eq!(writer.finish()?, [1, 4, 9]);
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`push`](Self::push), for the first element that fails: those before it are added, and none after it.
    pub fn extend<I: IntoIterator<Item: Borrow<T>>>(&mut self, items: I) -> Result<()> {
        self.located(|writer| {
            let mut items = items.into_iter();
            loop {
                // If there are more items than the hint says, the number of slots doubles each time.
                let wanted = items.size_hint().0.max(writer.pending.count()).max(1);
                let slots = writer.prepare(wanted)?;
                if slots == 0 {
                    return items.next().map_or(Ok(()), |_| Err(writer.full()));
                }
                if writer.fill(slots, items.by_ref())? < slots {
                    return Ok(());
                }
            }
        })
    }

    /// Adds all elements of a slice.
    ///
    /// ```
    /// use npy_core::Writer;
    ///
    /// let mut writer = Writer::<u8, _>::headerless(Vec::new())?;
    /// writer.write_slice(&[1, 2])?;
    /// writer.write_slice(&[3])?;
    /// assert_eq!(writer.finish()?, [1, 2, 3]);
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`push`](Self::push). If the slice has more elements than the array can take, none is added; if one is invalid, those before
    /// it are.
    pub fn write_slice(&mut self, items: &[T]) -> Result<()> {
        self.located(|writer| {
            if items.len() > checked::sub(writer.max_elements, writer.count()) {
                return Err(writer.full());
            }
            let mut items = items;
            while !items.is_empty() {
                let slots = writer.prepare(items.len())?;
                let (now, later) = checked::split(items, slots);
                writer.fill(slots, now.iter())?;
                items = later;
            }
            Ok(())
        })
    }

    /// Writes the added elements, then their number into the header: from here on the file has them.
    ///
    /// Also flushes the inner writer. If the array has more than one dimension and is appended to, an incomplete row is not yet
    /// counted.
    ///
    /// ```
    /// # let dir = tempfile::tempdir()?;
    /// # std::env::set_current_dir(&dir)?;
    /// use npy_core::{Writer, load};
    ///
    /// let mut writer = Writer::<f64>::create("ticks.npy")?;
    /// writer.push(&0.5)?;
    /// assert!(load::<Vec<f64>>("ticks.npy")?.is_empty());
    /// writer.flush()?;
    /// assert_eq!(load::<Vec<f64>>("ticks.npy")?, [0.5]);
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Io`] if the inner writer fails or has failed; on Unix also if the file was opened by its path, and has been replaced or
    /// removed since: then its rows are lost.
    pub fn flush(&mut self) -> Result<()> {
        self.flush_or_sync(None)?;
        self.located(|writer| writer.check_path(Lock::check_has_name))
    }

    /// Writes the added elements and flushes them, or syncs them; then does the same with their number in the header.
    fn flush_or_sync(&mut self, sync: Option<fn(&mut W) -> io::Result<()>>) -> Result<()> {
        self.located(|writer| {
            writer.write_pending(|sink, length, count| {
                sink.attempt(sync.unwrap_or(W::flush))?;
                if let Length::Grows(growing) = length {
                    growing.state(count, sink)?;
                }
                sync.map_or(Ok(()), |sync| sink.attempt(sync))
            })
        })
    }

    /// Writes the remaining elements, and returns the inner writer, whose position is after the array.
    ///
    /// ```
    /// use npy_core::{ReadNpy, Writer};
    ///
    /// let mut writer = Writer::<u8, _>::with_shape(Vec::new(), &[2])?;
    /// writer.write_slice(&[7, 9])?;
    /// let file = writer.finish()?;
    /// assert_eq!(Vec::<u8>::read_npy_from(&file[..])?, [7, 9]);
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`flush`](Self::flush), and [`ErrorKind::Shape`] if there are fewer elements than the shape has.
    pub fn finish(mut self) -> Result<W> {
        self.take_finished()
    }

    /// Like [`finish`](Self::finish). Nothing can be written afterwards.
    pub(crate) fn take_finished(&mut self) -> Result<W> {
        self.try_finish()?;
        Ok(self.sink.take())
    }

    /// Drops the writer on purpose, and so without a message. Elements that were not flushed are removed from a file that was opened by its
    /// path, and those of an incomplete row even if they were; errors are ignored. Nothing is removed if the length in the header is not
    /// the one that this writer wrote last: a write of it failed, or another writer changed it, where there are no locks. The file of [`WriteOptions::atomic`] stays as it was, or absent.
    ///
    /// ```
    /// # let dir = tempfile::tempdir()?;
    /// # std::env::set_current_dir(&dir)?;
    /// use npy_core::WriteOptions;
    ///
    /// let mut writer = WriteOptions::new().atomic(true).create::<f64>("x.npy")?;
    /// writer.push(&0.5)?;
    /// writer.discard();
    /// assert!(!std::fs::exists("x.npy")?);
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    pub fn discard(mut self) {
        // `drop` writes and reports nothing.
        if let (Some(file), Length::Grows(growing)) = (self.file.take(), &self.length)
            && self.written > growing.counted()
        {
            let (at, field) = growing.written_field();
            let end = growing.end(growing.counted());
            let _ = (file.cut)(&mut self.sink.take(), at, field, end);
        }
        self.sink.close();
    }

    /// Does all that [`finish`](Self::finish) does, but keeps the writer: after an error, elements that are missing can be added, and the
    /// inner writer can be looked at.
    ///
    /// ```
    /// use npy_core::{ErrorKind, Writer};
    ///
    /// let mut file = Vec::new();
    /// let mut writer = Writer::<u8, _>::with_shape(&mut file, &[3])?;
    /// writer.push(&1)?;
    /// let error = writer.try_finish().unwrap_err();
    /// assert!(matches!(error.kind(), ErrorKind::Shape { .. }));
    ///
    /// writer.write_slice(&[2, 3])?;
    /// writer.finish()?;
    /// assert_eq!(file[128..], [1, 2, 3]);
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`finish`](Self::finish).
    pub fn try_finish(&mut self) -> Result<()> {
        let sync = self.file.as_ref().and_then(|file| file.sync);
        self.flush_or_sync(sync)?;
        self.located(|writer| {
            match &writer.length {
                Length::Stated(shape) if writer.written < writer.max_elements => {
                    return Err(shape::wrong_count(shape, writer.max_elements, writer.written));
                }
                Length::Stated(_) | Length::Unstated => {}
                Length::Grows(growing) => growing.check_complete(writer.written)?,
            }
            let opened = writer.file.as_mut();
            if let Some(Unnamed { file, destination, .. }) =
                opened.and_then(|opened| opened.unnamed.take())
            {
                destination.commit(file)?;
            }
            writer.check_path(Lock::check_path)
        })
    }

    /// Checks a file that was opened by its path, and has a name.
    fn check_path(&self, check: fn(&Lock, &Path) -> Result<()>) -> Result<()> {
        let named = self.file.as_ref().filter(|file| file.unnamed.is_none());
        named.map_or(Ok(()), |file| check(&file.lock, &file.absolute))
    }

    /// Starts an array without a header.
    pub(super) fn without_header(inner: W, plan: Plan) -> Result<Self> {
        Writer::resume(0, inner, plan, Length::Unstated, None)
    }

    /// Continues an array whose header and first `written` elements were written; the position of `inner` is after them.
    fn resume(
        written: usize,
        inner: W,
        plan: Plan,
        length: Length<W>,
        file: Option<OpenedFile<W>>,
    ) -> Result<Self> {
        let max_elements = match &length {
            Length::Stated(shape) => limits::to_usize(shape::bytes_in_file(shape, 1)?)?,
            Length::Grows(growing) => growing.max_elements(),
            Length::Unstated => growing::most_in_file(plan.dst_itemsize),
        };
        let pending = Pending::new(plan, BLOCK, checked::sub(max_elements, written));
        Ok(Writer { sink: Sink::new(inner), pending, written, max_elements, length, file })
    }

    /// Prepares slots for up to `wanted` elements, and returns their number; 0 if the array is full.
    #[inline]
    fn prepare(&mut self, wanted: usize) -> Result<usize> {
        match self.pending.prepare(wanted) {
            0 => {
                self.write_pending(|_, _, _| Ok(()))?;
                Ok(self.pending.prepare(wanted))
            }
            slots => Ok(slots),
        }
    }

    /// Encodes elements into the prepared slots, and returns their number.
    #[inline]
    fn fill(&mut self, slots: usize, items: impl Iterator<Item: Borrow<T>>) -> Result<usize> {
        let filled = self.pending.fill(slots, items);
        filled.map_err(|error| block::invalid(error.at_item(0), self.count()))
    }

    /// Writes the pending elements, then calls `then` with their total number. After a failure, no
    /// more elements are accepted.
    fn write_pending(
        &mut self,
        then: impl FnOnce(&mut Sink<W>, &mut Length<W>, usize) -> Result<()>,
    ) -> Result<()> {
        let count = self.count();
        let bytes = self.pending.take();
        // The count includes these elements even if the write fails. The header never states this
        // count, as nothing more is written after a failure.
        self.written = count;
        self.sink.attempt(|inner| inner.write_all(bytes))?;
        then(&mut self.sink, &mut self.length, count)?;
        self.pending.open(checked::sub(self.max_elements, count));
        Ok(())
    }

    /// Returns the error for one element too many.
    fn full(&self) -> Error {
        match &self.length {
            Length::Stated(shape) => {
                let all = counted(self.max_elements, "element");
                shape::invalid(shape, format!("it has {all}, and no more fit"))
            }
            Length::Grows(growing) => growing.full(),
            Length::Unstated => shape::invalid(&[self.max_elements], "no file has more elements"),
        }
    }

    /// Runs `write`, and adds the path of the file to its error.
    fn located<A>(&mut self, write: impl FnOnce(&mut Self) -> Result<A>) -> Result<A> {
        write(self).map_err(|error| {
            let count = self.count();
            let Some(file) = &mut self.file else { return error };
            if let Some(Unnamed { unfinished, .. }) = &mut file.unnamed {
                unfinished.set_added(count);
                unfinished.tell();
            }
            error.in_file(&file.path)
        })
    }
}

/// Writes what was added, and ignores errors: only [`finish`](Writer::finish) returns them.
impl<T: Element, W: Write> Drop for Writer<T, W> {
    fn drop(&mut self) {
        let count = self.count();
        match self.file.as_mut().and_then(|file| file.unnamed.as_mut()) {
            // The file is removed, so nothing is written to it.
            Some(unnamed) => unnamed.unfinished.set_added(count),
            None if self.sink.is_open() => drop(self.flush()),
            None => {}
        }
    }
}

impl<T: Element, W: Write> fmt::Debug for Writer<T, W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct(&type_name::<Self>())
            .field("path", &self.file.as_ref().map(|file| &file.path))
            .field("count", &self.count())
            .finish_non_exhaustive()
    }
}

impl WriteOptions {
    /// Creates a file to write elements to; see [`Writer::create`].
    ///
    /// ```
    /// # let dir = tempfile::tempdir()?;
    /// # std::env::set_current_dir(&dir)?;
    /// use npy_core::{ByteOrder, Header, WriteOptions};
    ///
    /// let mut writer = WriteOptions::new().byte_order(ByteOrder::Big).create::<i16>("x.npy")?;
    /// writer.push(&7)?;
    /// writer.finish()?;
    /// assert_eq!(Header::read_npy("x.npy")?.dtype().to_string(), ">i2");
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`Writer::create`].
    pub fn create<T: Element>(&self, path: impl AsRef<Path>) -> Result<Writer<T, File>> {
        self.create_file(path.as_ref(), &[], Existing::Replace)
    }

    /// Creates a file for rows of this shape.
    fn create_file<T: Element>(
        &self,
        path: &Path,
        row: &[usize],
        existing: Existing,
    ) -> Result<Writer<T, File>> {
        let create = || {
            // The file gets its name only once it is locked and has its header, so nobody sees it without them.
            let (mut file, destination) = replace::begin(path, existing, self.sync)?;
            let lock = lock::lock(&file)?;
            let (header, plan, growing) =
                self.start(TypeInfo::of::<T>(), growing::position(&mut file)?, row)?;
            file.write_all(&header)?;
            let mut opened = OpenedFile::new(path, lock, self.sync)?;
            opened.directory =
                destination.directory().cloned().filter(|_| !self.sync && !self.atomic);
            let (file, unnamed) = match self.atomic {
                true => {
                    let unfinished = Unfinished::new(Some(path));
                    (file.try_clone()?, Some(Unnamed { file, destination, unfinished }))
                }
                false => (destination.commit(file)?, None),
            };
            let opened = OpenedFile { unnamed, ..opened };
            Writer::resume(0, file, plan, Length::Grows(growing), Some(opened))
        };
        create().map_err(|error: Error| error.in_file(path))
    }

    /// Opens a file to write more elements after those it has; see [`Writer::append`]. Its header
    /// decides the version, the byte order and the order of the elements.
    ///
    /// ```
    /// # let dir = tempfile::tempdir()?;
    /// # std::env::set_current_dir(&dir)?;
    /// use npy_core::{WriteOptions, load, save};
    ///
    /// save("ticks.npy", &[0.5])?;
    /// let mut writer = WriteOptions::new().sync(true).append::<f64>("ticks.npy")?;
    /// writer.push(&1.5)?;
    /// writer.finish()?;
    /// assert_eq!(load::<Vec<f64>>("ticks.npy")?, [0.5, 1.5]);
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`Writer::append`].
    pub fn append<T: Element>(&self, path: impl AsRef<Path>) -> Result<Writer<T, File>> {
        let check = &mut |header: &Header| append::check_elements(TypeInfo::of::<T>(), header);
        append::open(self, path.as_ref(), check)
    }

    /// Opens a file to write more elements after those it has, or creates it; see [`Writer::append_or_create`].
    ///
    /// ```
    /// # let dir = tempfile::tempdir()?;
    /// # std::env::set_current_dir(&dir)?;
    /// use npy_core::{UncountedRows, WriteOptions, load};
    ///
    /// // What a killed program had written, but not yet counted, is kept.
    /// let mut writer = WriteOptions::new()
    ///     .uncounted_rows(UncountedRows::Keep)
    ///     .append_or_create::<f64>("ticks.npy")?;
    /// writer.push(&0.5)?;
    /// writer.finish()?;
    /// assert_eq!(load::<Vec<f64>>("ticks.npy")?, [0.5]);
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`Writer::append_or_create`].
    pub fn append_or_create<T: Element>(&self, path: impl AsRef<Path>) -> Result<Writer<T, File>> {
        let path = path.as_ref();
        append::or_create(|| self.append(path), || self.create_file(path, &[], Existing::Keep))
    }

    /// Starts an array in a writer that can seek; see [`Writer::new`].
    ///
    /// ```
    /// use std::io::Cursor;
    ///
    /// use npy_core::{ByteOrder, WriteOptions};
    ///
    /// let mut options = WriteOptions::new();
    /// let mut writer = options.byte_order(ByteOrder::Big).writer::<u16, _>(Cursor::new(Vec::new()))?;
    /// writer.push(&7)?;
    /// assert_eq!(writer.finish()?.into_inner()[128..], [0, 7]);
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`Writer::create`].
    pub fn writer<T: Element, W: Write + Seek>(&self, writer: W) -> Result<Writer<T, W>> {
        self.start_in(writer, &[])
    }

    /// Starts an array of rows of this shape.
    fn start_in<T: Element, W: Write + Seek>(
        &self,
        mut writer: W,
        row: &[usize],
    ) -> Result<Writer<T, W>> {
        let at = growing::position(&mut writer)?;
        let (header, plan, growing) = self.start(TypeInfo::of::<T>(), at, row)?;
        writer.write_all(&header)?;
        growing.check_rewrites(&mut writer)?;
        Writer::resume(0, writer, plan, Length::Grows(growing), None)
    }

    /// Starts an array of this shape, in any writer; see [`Writer::with_shape`].
    ///
    /// ```
    /// use npy_core::{NpyArray, Order, ReadNpy, WriteOptions};
    ///
    /// let mut options = WriteOptions::new();
    /// let mut writer = options.order(Order::Fortran).with_shape::<u8, _>(Vec::new(), &[2, 2])?;
    /// writer.extend([1, 3, 2, 4])?;
    /// let file = writer.finish()?;
    /// assert_eq!(NpyArray::<u8>::read_npy_from(&file[..])?.at(&[0, 1]), Some(&2));
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`Writer::with_shape`], and [`ErrorKind::Unsupported`] for elements that are sub-arrays if the order is Fortran: the
    /// scalars of one element would not be adjacent in the file.
    pub fn with_shape<T: Element, W: Write>(
        &self,
        mut writer: W,
        shape: &[usize],
    ) -> Result<Writer<T, W>> {
        let ty = TypeInfo::of::<T>();
        let (plan, item) = self.item_shape(ty)?;
        let whole = item.array(shape);
        let order = self.order.unwrap_or_default();
        if item.is_strided(&whole, order) {
            return Err(strided(ty));
        }
        let header = WriteOptions::header(item.base, &whole, order)?;
        writer.write_all(&self.header_bytes(&header)?)?;
        Writer::resume(0, writer, plan, Length::Stated(shape.to_vec()), None)
    }

    /// Returns the header of an array of no rows, the plan for its elements, and the state that changes its length. `row` has the
    /// dimensions of a row, without those of an element itself. The header will be at the offset `at` of the writer.
    fn start<W: Seek>(
        &self,
        ty: TypeInfo,
        at: u64,
        row: &[usize],
    ) -> Result<(Vec<u8>, Plan, Growing<W>)> {
        let (plan, item) = self.item_shape(ty)?;
        let shape = item.array(&[&[0], row].concat());
        if shape.len() > 1 && self.order == Some(Order::Fortran) {
            return Err(strided(ty));
        }
        let header = self.header_bytes(&WriteOptions::header(item.base, &shape, Order::C)?)?;
        let (header, growth) = Growth::new(&header, at)?;
        let data = at.saturating_add(limits::to_u64(header.len()));
        let row = shape::count(row)?;
        let stated = GrowingShape { shape, row, item_size: plan.dst_itemsize };
        Ok((header.into_owned(), plan, Growing::new(growth, (at, data), stated)))
    }
}

/// Returns the error for rows, or elements, that would be strided in the file.
fn strided(ty: TypeInfo) -> Error {
    let what = format!("{} in Fortran order, where the parts of a row are strided,", ty.name());
    let needs = "the whole array at once: use write_npy";
    ErrorKind::Unsupported { what, needs }.into()
}

#[cfg(test)]
mod tests;
