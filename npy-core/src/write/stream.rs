//! Layer 6: an array that is written item by item.

mod append;
mod growing;
mod sink;

use std::borrow::Borrow;
use std::fmt;
use std::fs::File;
use std::io::{self, Seek, Write};
use std::path::{Path, PathBuf};

use super::WriteOptions;
use super::lock::{self, Lock};
use super::replace::{self, Directory};
use crate::element::block::{self, BLOCK, Pending};
use crate::element::{Element, type_name};
use crate::error::{Error, ErrorKind, Result};
use crate::header::growth::Growth;
use crate::limits;
use crate::plan::Plan;
use crate::shape::{self, Order};
#[cfg(feature = "npz")]
pub(crate) use growing::APPENDS;
use growing::{Growing, Stated};
use sink::Sink;

/// An array that is being written: the header first, then the items as they come.
///
/// ```
/// use npy_core::{ReadNpy, Writer};
///
/// # let dir = std::env::temp_dir().join(format!("npy-core-doc-writer-{}", std::process::id()));
/// # std::fs::create_dir_all(&dir)?;
/// # let path = dir.join("x.npy");
/// let mut writer = Writer::<f64, _>::create(&path)?;
/// writer.push(&1.0)?;
/// writer.extend([2.0, 3.0])?;
/// writer.flush()?; // Three items, whatever happens from here on.
/// writer.write_slice(&[4.0, 5.0])?;
/// writer.finish()?;
/// assert_eq!(Vec::<f64>::read_npy(&path)?, [1.0, 2.0, 3.0, 4.0, 5.0]);
///
/// let mut writer = Writer::<f64, _>::append(&path)?;
/// writer.push(&6.0)?;
/// writer.finish()?;
/// assert_eq!(Vec::<f64>::read_npy(&path)?.len(), 6);
/// # std::fs::remove_dir_all(&dir)?;
/// # Ok::<(), npy_core::Error>(())
/// ```
///
/// Items are gathered in a block of 256 KiB, which is written when it is full. What comes out is byte for byte what
/// [`WriteNpy`](crate::WriteNpy) writes for all of them at once, but for some headers of more than 4 KiB: where the length
/// would be in two pages of memory, there are blanks before it, and it is in one.
///
/// # What can go wrong
///
/// A value that its dtype cannot hold ([`ErrorKind::InvalidValue`]) is not taken: no byte of it is written, and the writer
/// can go on. When the inner writer fails, so does every call from then on; the header never states an item that was
/// not written.
///
/// Where the length is not known ([`create`](Self::create), [`new`](Self::new), [`append`](Self::append)), the header first
/// says none, and [`flush`](Self::flush) writes the items, then their number into the header: a few bytes of one page, in
/// one write. So a process that is killed at any moment leaves an array with the items of the last `flush` (or more). When
/// the power fails, what was not [synced](Self::sync) may be lost or half there.
///
/// A reader may open the file at any time. It may do so at the very moment at which the length is written, and see
/// digits of the old one and of the new one: if the file has fewer items than that, it reads the length once more; if it
/// has more, nobody can tell, and the array seems shorter than it is.
///
/// [`finish`](Self::finish) is the only success. A writer that is dropped without it writes nothing more: what was not
/// flushed is gone.
#[must_use = "`finish` is the only way to learn that all was written"]
pub struct Writer<T: Element, W: Write> {
    sink: Sink<W>,
    pending: Pending<T>,
    /// Items that were written, with those that the file had before, and how many there may be.
    written: usize,
    most: usize,
    length: Length<W>,
    path: Option<PathBuf>,
    /// Syncs the inner writer, for `finish`; `None` if nobody asked for it.
    sync: Option<fn(&mut W) -> io::Result<()>>,
    /// The directory of a new file whose name may not be on the disk yet.
    directory: Option<Directory>,
    /// The lock of a file that was opened here, and its path from the root: the process may be elsewhere later.
    file: Option<(Lock, PathBuf)>,
}

/// Whether the header has said how long the array is.
enum Length<W> {
    /// It has: the dimensions, without those of the item.
    Stated(Vec<usize>),
    /// It says what was flushed.
    Grows(Growing<W>),
}

impl<W: Write> Length<W> {
    /// Has the header say how many items there are, if it does not yet. All of them are written.
    fn state(&mut self, count: usize, sink: &mut Sink<W>) -> Result<()> {
        match self {
            Length::Stated(_) => Ok(()),
            Length::Grows(growing) => growing.state(count, sink),
        }
    }
}

impl<T: Element> Writer<T, File> {
    /// A new file, for an array of one dimension (and those of the element).
    ///
    /// A file that is there is replaced at once, by one without items: what it held is gone. Links are followed and
    /// permissions kept as by [`WriteNpy::write_npy`](crate::WriteNpy::write_npy). As long as this writer lives,
    /// [`append`](Self::append) refuses the file.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Io`], also for what cannot seek (a pipe); [`ErrorKind::Unsupported`] for Python objects.
    pub fn create<P: AsRef<Path>>(path: P) -> Result<Self> {
        WriteOptions::new().create(path)
    }

    /// Opens a file, to write more items after those it has.
    ///
    /// The items are written as the file has them: in its byte order, with its padding, the fields where they are there.
    /// Kinds and sizes must be the same, and the fields the same set. The first dimension grows, in Fortran order the last
    /// one; in arrays of more than one dimension items come in the order of the file, and make whole rows.
    ///
    /// The length in the header is believed only if the file has the bytes. More bytes than that, which a process had
    /// written when it was killed and before it could say so, are cut off.
    ///
    /// One writer at a time: the file is locked until [`finish`](Self::finish), or until the writer is dropped. The lock is advisory: it
    /// keeps out nobody but a `Writer`. A file system without locks lets all of them in, and then rows are lost.
    ///
    /// If the length cannot be changed in place within one page of 4 KiB (only in headers of more than that, of which one in a
    /// hundred is so), the file is first copied, with blanks in its header for the length, and the copy replaces it.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Locked`] if another writer has the file open, [`ErrorKind::Mismatch`] and [`ErrorKind::Rank`] if it holds
    /// something else, [`ErrorKind::Truncated`] if it is shorter than its header says, [`ErrorKind::Unsupported`] for other
    /// fields, for Python objects and where another array follows in the same file, and those of
    /// [`Header::read_npy`](crate::Header::read_npy).
    pub fn append<P: AsRef<Path>>(path: P) -> Result<Self> {
        let path = path.as_ref();
        match append::open(path) {
            Ok(writer) => Ok(Writer { path: Some(path.to_owned()), ..writer }),
            Err(error) => Err(error.in_file(path)),
        }
    }

    /// As [`flush`](Self::flush), and waits until the disk has the items, and then until it has their number; the first time after
    /// [`create`](Self::create) also until it has the name of the file.
    ///
    /// What was synced survives a loss of power. On systems other than Unix the name is not waited for.
    ///
    /// # Errors
    ///
    /// As [`flush`](Self::flush).
    pub fn sync(&mut self) -> Result<()> {
        self.put_synced(sync_data)?;
        self.located(|writer| {
            if let Some(directory) = writer.directory.take() {
                writer.sink.attempt(|_| directory.sync())?;
            }
            writer.check_path()
        })
    }
}

impl<T: Element, W: Write + Seek> Writer<T, W> {
    /// An array of one dimension (and those of the element) at the position of `writer`. The number of items need not be known.
    ///
    /// A file that was opened with `append(true)` is refused: every write to it goes to its end, also that of the length.
    /// Other files are not locked: that nobody else writes to them is for the caller to see to.
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
    /// An array of this shape, to any writer. The items come in the order of the file, the last index running fastest.
    ///
    /// ```
    /// use npy_core::{NpyArray, ReadNpy, Writer};
    ///
    /// let mut file = Vec::new();
    /// let mut writer = Writer::<u8, _>::with_shape(&mut file, &[2, 3])?;
    /// writer.extend(0..6)?;
    /// writer.finish()?;
    /// assert_eq!(NpyArray::<u8>::read_npy_from(&file[..])?.get(&[1, 0]), Some(&3));
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Shape`] for a size that no memory has, [`ErrorKind::Io`], [`ErrorKind::Unsupported`] for Python objects.
    pub fn with_shape(writer: W, shape: &[usize]) -> Result<Self> {
        WriteOptions::new().with_shape(writer, shape)
    }

    /// How many items were taken, those that the file held before included.
    pub fn count(&self) -> usize {
        self.written.saturating_add(self.pending.count())
    }

    /// The inner writer. Not all that was taken has been written to it.
    pub fn get_ref(&self) -> &W {
        self.sink.inner()
    }

    /// Takes one item.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::InvalidValue`] for a value that its dtype cannot hold, [`ErrorKind::Shape`] for one more than the shape
    /// has, [`ErrorKind::Unsupported`] where the header of a file that is appended to has no blanks left for the number. The item is
    /// not taken then, and the writer can go on. [`ErrorKind::Io`] if the inner writer fails or has failed.
    #[inline]
    pub fn push(&mut self, item: &T) -> Result<()> {
        if self.pending.push(item) {
            return Ok(());
        }
        self.extend(std::iter::once(item))
    }

    /// Takes the items of an iterator: values of `T` or references to them.
    ///
    /// # Errors
    ///
    /// As [`push`](Self::push), for the first item that fails: those before it are taken, and none after it.
    pub fn extend<I: IntoIterator<Item: Borrow<T>>>(&mut self, items: I) -> Result<()> {
        self.located(|writer| {
            let mut items = items.into_iter();
            loop {
                // If more come than that: as many again.
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

    /// Takes all items of a slice.
    ///
    /// # Errors
    ///
    /// As [`push`](Self::push). Of more items than there may be none is taken; those before an invalid one are.
    pub fn write_slice(&mut self, items: &[T]) -> Result<()> {
        self.located(|writer| {
            if items.len() > writer.most.saturating_sub(writer.count()) {
                return Err(writer.full());
            }
            let mut items = items;
            while !items.is_empty() {
                let slots = writer.prepare(items.len())?;
                let (now, later) = items.split_at_checked(slots).unwrap_or((items, &[]));
                writer.fill(slots, now.iter())?;
                items = later;
            }
            Ok(())
        })
    }

    /// Writes what was taken, and says so in the header: from here on it is in the file.
    ///
    /// Also flushes the inner writer. In an array of more than one dimension that is appended to, a row that is not whole
    /// is not stated yet.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Io`] if the inner writer fails or has failed.
    pub fn flush(&mut self) -> Result<()> {
        self.located(|writer| {
            writer.put(|sink, length, count| {
                sink.attempt(W::flush)?;
                length.state(count, sink)
            })
        })
    }

    /// Writes what was taken, syncs it, and says so in the header only then, which is synced, too.
    fn put_synced(&mut self, sync: fn(&mut W) -> io::Result<()>) -> Result<()> {
        self.located(|writer| {
            writer.put(|sink, length, count| {
                sink.attempt(sync)?;
                length.state(count, sink)?;
                sink.attempt(sync)
            })
        })
    }

    /// Writes what is left, and returns the inner writer, whose position is after the array.
    ///
    /// # Errors
    ///
    /// As [`flush`](Self::flush), and [`ErrorKind::Shape`] if items are missing that the shape has. [`ErrorKind::Io`] also if the file was
    /// opened here, and has been replaced or removed since.
    pub fn finish(mut self) -> Result<W> {
        match self.sync {
            Some(sync) => self.put_synced(sync)?,
            None => self.flush()?,
        }
        self.located(|writer| match &writer.length {
            Length::Stated(shape) if writer.written < writer.most => {
                let reason = format!("it has {} items, and {} came", writer.most, writer.written);
                Err(ErrorKind::Shape { shape: shape::repr(shape), reason }.into())
            }
            Length::Stated(_) => Ok(()),
            Length::Grows(growing) => growing.check_whole(writer.written),
        })?;
        self.located(|writer| writer.check_path())?;
        Ok(self.sink.into_inner())
    }

    /// Refuses to call a file written whose path leads to another one by now.
    fn check_path(&self) -> Result<()> {
        self.file.as_ref().map_or(Ok(()), |(lock, path)| lock.check_path(path))
    }

    /// A writer of an array whose header and first `written` items are there; its position is after them.
    fn resume(written: usize, inner: W, plan: Plan, length: Length<W>) -> Result<Self> {
        let most = match &length {
            Length::Stated(shape) => shape::count(shape)?,
            Length::Grows(growing) => growing.most(),
        };
        let pending = Pending::new(plan, BLOCK, most.saturating_sub(written));
        Ok(Writer {
            sink: Sink::new(inner),
            pending,
            written,
            most,
            length,
            path: None,
            sync: None,
            file: None,
            directory: None,
        })
    }

    /// How many of `wanted` items can be encoded now; none if there may be no more.
    #[inline]
    fn prepare(&mut self, wanted: usize) -> Result<usize> {
        match self.pending.prepare(wanted) {
            0 => {
                self.put(|_, _, _| Ok(()))?;
                Ok(self.pending.prepare(wanted))
            }
            slots => Ok(slots),
        }
    }

    /// Encodes items, for which slots were prepared; tells how many.
    #[inline]
    fn fill(&mut self, slots: usize, items: impl Iterator<Item: Borrow<T>>) -> Result<usize> {
        let filled = self.pending.fill(slots, items);
        filled.map_err(|error| block::invalid(&error.at_item(0), self.count()))
    }

    /// Writes the pending items, then calls `then`.
    fn put(
        &mut self,
        then: impl FnOnce(&mut Sink<W>, &mut Length<W>, usize) -> Result<()>,
    ) -> Result<()> {
        let count = self.count();
        let bytes = self.pending.take();
        // Taken they are, also if that fails: nothing is written after it.
        self.written = count;
        self.sink.attempt(|inner| inner.write_all(bytes))?;
        then(&mut self.sink, &mut self.length, count)?;
        self.pending.open(self.most.saturating_sub(count));
        Ok(())
    }

    /// The error for one item too many.
    fn full(&self) -> Error {
        match &self.length {
            Length::Stated(shape) => {
                let reason =
                    format!("its {} items are there, and no more can be written", self.most);
                ErrorKind::Shape { shape: shape::repr(shape), reason }.into()
            }
            Length::Grows(growing) => growing.full(),
        }
    }

    /// Adds the path to what fails.
    fn located<A>(&mut self, write: impl FnOnce(&mut Self) -> Result<A>) -> Result<A> {
        write(self).map_err(|error| match &self.path {
            Some(path) => error.in_file(path),
            None => error,
        })
    }
}

impl<T: Element, W: Write> fmt::Debug for Writer<T, W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct(&type_name::<Self>())
            .field("path", &self.path)
            .field("count", &self.count())
            .finish_non_exhaustive()
    }
}

impl WriteOptions {
    /// A new file to write items to; see [`Writer::create`].
    ///
    /// ```
    /// use npy_core::{ByteOrder, Header, WriteOptions};
    ///
    /// # let dir = std::env::temp_dir().join(format!("npy-core-doc-create-{}", std::process::id()));
    /// # std::fs::create_dir_all(&dir)?;
    /// # let path = dir.join("x.npy");
    /// let mut writer = WriteOptions::new().byte_order(ByteOrder::Big).create::<i16>(&path)?;
    /// writer.push(&7)?;
    /// writer.finish()?;
    /// assert_eq!(Header::read_npy(&path)?.dtype().to_string(), ">i2");
    /// # std::fs::remove_dir_all(&dir)?;
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`Writer::create`].
    pub fn create<T: Element>(&self, path: impl AsRef<Path>) -> Result<Writer<T, File>> {
        let path = path.as_ref();
        let create = || -> Result<_> {
            // Complete from the first moment on: the file gets its name with the header in it, and locked.
            let (mut file, place) = replace::begin(path)?;
            let lock = lock::lock(&file)?;
            let start = self.start::<T, File>(growing::position(&mut file)?)?;
            file.write_all(&start.header)?;
            let directory = place.directory().cloned();
            let file_path = std::path::absolute(path)?;
            let writer = start.writer(place.take(file, self.sync)?)?;
            let directory = directory.filter(|_| !self.sync);
            let sync = self.sync.then_some(sync_data as fn(&mut File) -> _);
            let file = Some((lock, file_path));
            Ok(Writer { path: Some(path.to_owned()), sync, directory, file, ..writer })
        };
        match create() {
            Ok(writer) => Ok(writer),
            Err(error) => Err(error.in_file(path)),
        }
    }

    /// Items to a writer that can seek; see [`Writer::new`].
    ///
    /// # Errors
    ///
    /// As [`Writer::create`].
    pub fn writer<T: Element, W: Write + Seek>(&self, mut writer: W) -> Result<Writer<T, W>> {
        let start = self.start::<T, W>(growing::position(&mut writer)?)?;
        writer.write_all(&start.header)?;
        start.growing.check_rewrites(&mut writer)?;
        start.writer(writer)
    }

    /// Items of an array whose shape is known, to any writer; see [`Writer::with_shape`].
    ///
    /// # Errors
    ///
    /// As [`Writer::with_shape`], and [`ErrorKind::Unsupported`] for an element that is a sub-array in Fortran order, where
    /// its parts are strided.
    pub fn with_shape<T: Element, W: Write>(
        &self,
        mut writer: W,
        shape: &[usize],
    ) -> Result<Writer<T, W>> {
        let (plan, item) = self.item_shape::<T>()?;
        let whole = item.array(shape);
        let order = self.order.unwrap_or_default();
        if item.is_strided(&whole, order) {
            return Err(strided::<T>());
        }
        writer.write_all(&self.header(item.base, &whole, order)?)?;
        Writer::resume(0, writer, plan, Length::Stated(shape.to_vec()))
    }

    /// An array of no items yet, whose header will be at this offset of the writer.
    fn start<T: Element, W: Seek>(&self, at: u64) -> Result<Start<W>> {
        let (plan, item) = self.item_shape::<T>()?;
        let shape = item.array(&[0]);
        if shape.len() > 1 && self.order == Some(Order::Fortran) {
            return Err(strided::<T>());
        }
        let header = self.header(item.base, &shape, Order::C)?;
        let (header, growth) = Growth::new(&header, at, 0)?;
        let data = at.saturating_add(limits::to_u64(header.len()));
        let stated = Stated { shape, axis: 0, row: 1, item_size: plan.dst_itemsize };
        let growing = Growing::new(growth, (at, data), stated);
        Ok(Start { header: header.into_owned(), growing, plan })
    }
}

/// An array that is to grow, before anything of it is written.
struct Start<W> {
    header: Vec<u8>,
    growing: Growing<W>,
    plan: Plan,
}

impl<W: Write> Start<W> {
    /// In a writer that has the header.
    fn writer<T: Element>(self, inner: W) -> Result<Writer<T, W>> {
        Writer::resume(0, inner, self.plan, Length::Grows(self.growing))
    }
}

/// Waits until the disk has the bytes of a file.
fn sync_data(file: &mut File) -> io::Result<()> {
    file.sync_data()
}

/// The error for items whose parts are strided in the file.
fn strided<T>() -> Error {
    let what = format!("{} in Fortran order, where its parts are strided,", type_name::<T>());
    let needs = "the whole array at once: write_npy writes that";
    ErrorKind::Unsupported { what, needs }.into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::header::Header;
    use std::io::{self, SeekFrom};

    /// Keeps the first bytes and where each write was; the rest goes nowhere.
    #[derive(Default)]
    struct Log {
        start: Vec<u8>,
        at: u64,
        writes: Vec<(u64, usize)>,
    }

    impl Write for Log {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.writes.push((self.at, bytes.len()));
            if self.at < 128 {
                let at = usize::try_from(self.at).unwrap();
                self.start.resize(self.start.len().max(at + bytes.len()), 0);
                self.start[at..at + bytes.len()].copy_from_slice(bytes);
            }
            self.at += bytes.len() as u64;
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    impl Seek for Log {
        fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
            match to {
                SeekFrom::Start(at) => self.at = at,
                SeekFrom::Current(by) => self.at = self.at.checked_add_signed(by).unwrap(),
                SeekFrom::End(_) => unreachable!(),
            }
            Ok(self.at)
        }
    }

    #[test]
    fn a_flush_writes_the_data_and_then_the_number() {
        let mut writer = Writer::<u16, _>::new(Log::default()).unwrap();
        let number = writer.get_ref().start.iter().position(|&byte| byte == b'0').unwrap();
        let number = u64::try_from(number).unwrap();
        let length = 19 + ",), }".len();
        assert_eq!(writer.get_ref().writes, [(0, 128), (number, length)]);
        for n in 0..3 {
            writer.push(&n).unwrap();
        }
        writer.flush().unwrap();
        assert_eq!(writer.get_ref().writes[2..], [(128, 6), (number, length)]);
        assert_eq!(writer.get_ref().at, 134, "and is at the end of the data again");
        writer.flush().unwrap();
        assert_eq!(writer.get_ref().writes.len(), 4, "there is nothing to write");
    }

    #[test]
    fn full_blocks_are_written_at_once_and_stated_later() {
        let mut writer = Writer::<u16, _>::new(Log::default()).unwrap();
        let block = block::BLOCK;
        writer.write_slice(&vec![0; block]).unwrap();
        writer.push(&1).unwrap();
        let (first, second) = (128, 128 + block as u64);
        assert_eq!(writer.get_ref().writes[2..], [(first, block), (second, block)]);
        assert_eq!(Header::parse(&writer.get_ref().start).unwrap().0.shape(), [0]);
        let log = writer.finish().unwrap();
        assert_eq!(Header::parse(&log.start).unwrap().0.shape(), [block + 1]);
    }

    // Where a count has no more, there are no such arrays.
    #[cfg(target_pointer_width = "64")]
    #[test]
    fn counts_go_beyond_32_bits() {
        let mut writer = Writer::<[f64; 2], _>::new(Log::default()).unwrap();
        writer.written = (1 << 32) - 2;
        for _ in 0..5 {
            writer.push(&[0.0; 2]).unwrap();
        }
        assert_eq!(writer.count(), (1 << 32) + 3);
        let log = writer.finish().unwrap();
        assert_eq!(Header::parse(&log.start).unwrap().0.shape(), [(1 << 32) + 3, 2]);
        assert_eq!(log.at, 128 + 16 * ((1 << 32) + 3));
    }

    #[test]
    fn an_array_is_no_larger_than_any_memory() {
        let mut writer = Writer::<[f64; 2], _>::new(Log::default()).unwrap();
        writer.written = (isize::MAX / 16).unsigned_abs() - 1;
        writer.pending.open(writer.most - writer.written);
        writer.push(&[0.0; 2]).unwrap();
        let error = writer.push(&[0.0; 2]).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::Shape { .. }), "{error}");
        let log = writer.finish().unwrap();
        Header::parse(&log.start).unwrap();
    }
}
