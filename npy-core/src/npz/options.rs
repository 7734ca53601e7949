//! The options for writing and reading archives.

use std::fs::File;
use std::io;
use std::sync::Arc;

use crate::checked::setters::setters;
use crate::limits::Limits;
use crate::plan::Cast;
use crate::shape::Order;
use crate::{read, write};
#[cfg(feature = "objects")]
use npy_pickle::Encoding;

/// Options for writing an archive.
///
/// ```
/// use std::io::Cursor;
///
/// use npy_core::{ByteOrder, npz};
///
/// let mut big = npy_core::WriteOptions::new();
/// big.byte_order(ByteOrder::Big);
/// let mut options = npz::WriteOptions::new();
/// options.deflate(6).threads(2).arrays(&big);
///
/// let mut writer = options.writer(Cursor::new(Vec::new()))?;
/// writer.write("zeros", &vec![0.0f64; 1000])?;
/// let file = writer.finish()?.into_inner();
/// assert!(file.len() < 500);
/// assert_eq!(npz::Reader::new(Cursor::new(file))?.header("zeros")?.dtype().to_string(), ">f8");
/// # Ok::<(), npy_core::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct WriteOptions {
    /// Without the number of threads and the size of chunks.
    pub(super) method: npy_zip::Compression,
    pub(super) threads: usize,
    pub(super) seek_every: u64,
    pub(super) sync: bool,
    pub(super) keep_existing: bool,
    pub(super) arrays: write::WriteOptions,
    pub(super) limits: Limits,
    pub(super) interrupt: Option<fn() -> io::Result<()>>,
}

impl Default for WriteOptions {
    fn default() -> Self {
        WriteOptions {
            method: npy_zip::Compression::stored(),
            threads: 1,
            seek_every: 1 << 20,
            sync: false,
            keep_existing: false,
            arrays: write::WriteOptions::new(),
            limits: Limits::default(),
            interrupt: None,
        }
    }
}

impl WriteOptions {
    /// Returns the defaults: members are stored, and arrays are written as by `np.save`.
    ///
    /// ```
    /// # let dir = tempfile::tempdir()?;
    /// # std::env::set_current_dir(&dir)?;
    /// use npy_core::npz;
    ///
    /// let mut writer = npz::WriteOptions::new().create("model.npz")?;
    /// writer.write("weights", &[0.5, -1.0])?;
    /// writer.finish()?;
    /// assert!(!npz::Reader::open("model.npz")?.is_compressed("weights")?);
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    pub fn new() -> Self {
        WriteOptions::default()
    }

    /// Stores members without compression, like `np.savez`. This is fast, and the members can be viewed in place ([`Map`](super::Map)).
    ///
    /// ```
    /// # let dir = tempfile::tempdir()?;
    /// # std::env::set_current_dir(&dir)?;
    /// use npy_core::npz;
    ///
    /// let mut options = npz::WriteOptions::new();
    /// options.deflate(6);
    /// let mut writer = options.stored().create("model.npz")?;
    /// writer.write("weights", &[0.5, -1.0])?;
    /// writer.finish()?;
    /// assert!(!npz::Reader::open("model.npz")?.is_compressed("weights")?);
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    pub fn stored(&mut self) -> &mut Self {
        self.method = npy_zip::Compression::stored();
        self
    }

    /// Compresses members; `np.savez_compressed` uses level 6. Levels range from 1 (fast) to 9 (small); with any other, an archive is
    /// not created, and the first write to a stream fails ([`InvalidInput`](io::ErrorKind::InvalidInput)). Parts that do not become smaller are stored.
    ///
    /// ```
    /// # let dir = tempfile::tempdir()?;
    /// # std::env::set_current_dir(&dir)?;
    /// use npy_core::npz;
    ///
    /// let mut writer = npz::WriteOptions::new().deflate(6).create("model.npz")?;
    /// writer.write("weights", &[0.5, -1.0])?;
    /// writer.finish()?;
    /// assert!(npz::Reader::open("model.npz")?.is_compressed("weights")?);
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    #[doc(alias("savez_compressed"))]
    pub fn deflate(&mut self, level: u8) -> &mut Self {
        self.method = npy_zip::Compression::deflate(level, 1);
        self
    }

    /// Compresses members by Zstandard, with the feature `zstd-write`. NumPy reads them with Python 3.14 or newer alone. Levels range from
    /// 1 (fast) to 22 (small), and any other is refused as by [`deflate`](Self::deflate); [the guide](crate::_guide::performance#zstandard)
    /// has what they cost. One thread does the work, and a member has no seek index.
    ///
    /// ```
    /// # let dir = tempfile::tempdir()?;
    /// # std::env::set_current_dir(&dir)?;
    /// use npy_core::npz;
    ///
    /// let mut writer = npz::WriteOptions::new().zstd(3).create("model.npz")?;
    /// writer.write("weights", &vec![0.5; 1000])?;
    /// writer.finish()?;
    /// assert_eq!(npz::Reader::open("model.npz")?.read::<Vec<f64>>("weights")?, vec![0.5; 1000]);
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    #[cfg(feature = "zstd-write")]
    pub fn zstd(&mut self, level: u8) -> &mut Self {
        self.method = npy_zip::Compression::zstd(level);
        self
    }

    setters! {
        /// Sets the number of threads that compress members, including the caller's; 1 by default.
        ///
        /// Several small members, or parts of a large one, are compressed at the same time. With more than one thread, about 2 MiB per thread
        /// wait in memory, and a write error may be reported by a later call or by [`finish`](crate::npz::Writer::finish).
        /// Stored members use one thread. The archive is the same, byte for byte, for any number of threads.
        ///
        /// Without memory for another thread, fewer do the work, and without memory for a block, a write fails. Starting a thread also takes small
        /// allocations that cannot fail without an abort; 4 MiB are left for them.
        ///
        /// ```
        /// # let dir = tempfile::tempdir()?;
        /// # std::env::set_current_dir(&dir)?;
        /// use npy_core::npz;
        ///
        /// let mut writer = npz::WriteOptions::new().deflate(6).threads(4).create("model.npz")?;
        /// writer.write("weights", &vec![0.5; 1000])?;
        /// writer.finish()?;
        /// assert!(std::fs::metadata("model.npz")?.len() < 500);
        /// # Ok::<(), npy_core::Error>(())
        /// ```
        threads: usize = threads.max(1);

        /// Sets from where a deflated member can be read: from each multiple of this many bytes, or of fewer, as the number is rounded down to a
        /// power of two, from 4 KiB to 1 MiB. The default is 1 MiB. With 0, a member can only be inflated from its start.
        ///
        /// A [`Member`](super::Member) can then [`seek_to`](read::Reader::seek_to) any row: it inflates the chunk with that row, and checks it. A
        /// member of more than one chunk gets an index of 12 bytes for each, which is hidden after it, as [SOZip](https://sozip.org) has it: NumPy and
        /// other readers do not see it, except those that read a stream without the directory; some of these take it for a file. On
        /// seven kinds of data, chunks of 1 MiB made members at most 0.7 % larger, chunks of 32 KiB up to 20 %. Zeros, which deflate to a thousandth,
        /// took 2 % more, or twice as much. Each chunk takes 12 bytes of memory until its member is written.
        ///
        /// ```
        /// use std::io::Cursor;
        ///
        /// use npy_core::npz;
        ///
        /// let numbers: Vec<u32> = (0..100_000).collect();
        /// let mut options = npz::WriteOptions::new();
        /// let mut writer = options.deflate(6).seek_every(64 << 10).writer(Cursor::new(Vec::new()))?;
        /// writer.write("x", &numbers)?;
        /// let archive = npz::Reader::new(writer.finish()?)?;
        /// assert!(archive.is_compressed("x")? && archive.is_seekable("x")?);
        /// let mut x = archive.member("x")?;
        /// x.seek_to(99_998)?;
        /// assert_eq!(x.read_vec::<u32>()?, [99_998, 99_999]);
        /// # Ok::<(), npy_core::Error>(())
        /// ```
        seek_every: u64 = seek_every;

        /// Sets how the arrays are written: byte order, memory order, format version.
        ///
        /// ```
        /// # let dir = tempfile::tempdir()?;
        /// # std::env::set_current_dir(&dir)?;
        /// use npy_core::{ByteOrder, WriteOptions, npz};
        ///
        /// let mut big = WriteOptions::new();
        /// big.byte_order(ByteOrder::Big);
        /// let mut writer = npz::WriteOptions::new().arrays(&big).create("model.npz")?;
        /// writer.write("weights", &[0.5, -1.0])?;
        /// writer.finish()?;
        /// assert_eq!(npz::Reader::open("model.npz")?.header("weights")?.dtype().to_string(), ">f8");
        /// # Ok::<(), npy_core::Error>(())
        /// ```
        arrays: &write::WriteOptions = arrays.clone();

        /// Sets the limits on the directory that [`append`](Self::append) and [`edit`](Self::edit) read.
        ///
        /// ```
        /// # let dir = tempfile::tempdir()?;
        /// # std::env::set_current_dir(&dir)?;
        /// use npy_core::{ErrorKind, Limits, npz};
        ///
        /// let mut writer = npz::Writer::create("model.npz")?;
        /// writer.write("weights", &[0.5, -1.0])?;
        /// writer.write("bias", &[0.25])?;
        /// writer.finish()?;
        ///
        /// let mut limits = Limits::default();
        /// limits.members = 1;
        /// let error = npz::WriteOptions::new().limits(limits).append("model.npz").unwrap_err();
        /// assert!(matches!(error.kind(), ErrorKind::Limit { .. }));
        /// # Ok::<(), npy_core::Error>(())
        /// ```
        limits: Limits = limits;

        /// Makes sure that a written file survives a loss of power; off by default, which is much faster.
        ///
        /// If it is on, `finish` of a [`Writer`](super::Writer::finish) or an [`Editor`](super::Editor::finish) waits until the archive and its name are on the disk. A loss of power earlier leaves
        /// the old file or the complete new one; later, it leaves the new one. On systems other than Unix, `finish` waits only for the
        /// contents, not for the name. The caller must sync the writers of [`writer`](Self::writer) and [`stream`](Self::stream).
        ///
        /// ```
        /// # let dir = tempfile::tempdir()?;
        /// # std::env::set_current_dir(&dir)?;
        /// use npy_core::npz;
        ///
        /// let mut writer = npz::WriteOptions::new().sync(true).create("model.npz")?;
        /// writer.write("weights", &[0.5f32, -1.0])?;
        /// writer.finish()?;
        /// assert!(npz::Reader::open("model.npz")?.names().eq(["weights"]));
        /// # Ok::<(), npy_core::Error>(())
        /// ```
        sync: bool = sync;

        /// Keeps a file that is there when an archive is [created](Self::create), or that another program makes before `finish`: the error is
        /// [`AlreadyExists`](io::ErrorKind::AlreadyExists). `append` and an `Editor` are for an archive that is there, and ignore it.
        ///
        /// ```
        /// # let dir = tempfile::tempdir()?;
        /// # std::env::set_current_dir(&dir)?;
        /// use npy_core::npz;
        ///
        /// let mut writer = npz::WriteOptions::new().keep_existing(true).create("model.npz")?;
        /// writer.write("weights", &[0.5, -1.0])?;
        /// std::fs::write("model.npz", "of another program")?;
        /// assert!(writer.finish().unwrap_err().to_string().contains("the file exists, and is kept"));
        /// assert_eq!(std::fs::read("model.npz")?, b"of another program");
        /// # Ok::<(), npy_core::Error>(())
        /// ```
        keep_existing: bool = keep_existing;

        /// Calls this function between the blocks that are written, and between those that an [`Editor`](super::Editor) copies at its end. Its error
        /// ends the work, and an old file stays as it was: for Ctrl-C, or a button that cancels.
        ///
        /// ```
        /// # let dir = tempfile::tempdir()?;
        /// # std::env::set_current_dir(&dir)?;
        /// use std::io;
        /// use std::sync::atomic::{AtomicBool, Ordering};
        ///
        /// use npy_core::npz;
        ///
        /// static IS_CANCELED: AtomicBool = AtomicBool::new(false);
        ///
        /// let mut options = npz::WriteOptions::new();
        /// options.interrupt(|| match IS_CANCELED.load(Ordering::Relaxed) {
        ///     true => Err(io::Error::other("canceled")),
        ///     false => Ok(()),
        /// });
        /// let mut writer = options.create("model.npz")?;
        /// writer.write("weights", &[0.5, -1.0])?;
        /// IS_CANCELED.store(true, Ordering::Relaxed);
        /// assert!(writer.finish().unwrap_err().to_string().ends_with("canceled"));
        /// assert!(!std::fs::exists("model.npz")?);
        /// # Ok::<(), npy_core::Error>(())
        /// ```
        interrupt: fn() -> io::Result<()> = Some(interrupt);
    }
}

/// Options for reading an archive.
///
/// ```
/// use std::io::Cursor;
///
/// use npy_core::{Cast, npz};
///
/// let mut writer = npz::Writer::new(Cursor::new(Vec::new()))?;
/// writer.write("x", &[1u8, 2, 3])?;
/// let file = writer.finish()?;
///
/// let reader = npz::ReadOptions::new().cast(Cast::Lossless).reader(file)?;
/// assert_eq!(reader.read::<Vec<f64>>("x")?, [1.0, 2.0, 3.0]);
/// # Ok::<(), npy_core::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct ReadOptions {
    /// Zero counts as one.
    pub(super) threads: usize,
    /// Set together with `threads`, so that a program without threads has none of the code.
    pub(super) open_member: Option<OpenMember<File>>,
    pub(super) arrays: read::ReadOptions,
    pub(super) interrupt: Option<fn() -> io::Result<()>>,
}

impl ReadOptions {
    /// Returns the defaults: exact dtypes, the default limits, one thread.
    ///
    /// ```
    /// # let dir = tempfile::tempdir()?;
    /// # std::env::set_current_dir(&dir)?;
    /// use npy_core::npz;
    ///
    /// let mut writer = npz::Writer::create("model.npz")?;
    /// writer.write("weights", &[0.5, -1.0])?;
    /// writer.finish()?;
    ///
    /// let reader = npz::ReadOptions::new().open("model.npz")?;
    /// assert_eq!(reader.read::<Vec<f64>>("weights")?, [0.5, -1.0]);
    /// assert!(reader.read::<Vec<f32>>("weights").is_err());
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    pub fn new() -> Self {
        ReadOptions::default()
    }

    setters! {
        /// Sets how far the dtype of a member may differ from the requested one.
        ///
        /// ```
        /// # let dir = tempfile::tempdir()?;
        /// # std::env::set_current_dir(&dir)?;
        /// use npy_core::{Cast, npz};
        ///
        /// let mut writer = npz::Writer::create("model.npz")?;
        /// writer.write("weights", &[0.5f32, -1.0])?;
        /// writer.finish()?;
        ///
        /// let reader = npz::ReadOptions::new().cast(Cast::Lossless).open("model.npz")?;
        /// assert_eq!(reader.read::<Vec<f64>>("weights")?, [0.5, -1.0]);
        /// # Ok::<(), npy_core::Error>(())
        /// ```
        [arrays] cast: Cast = cast;

        /// Sets the memory order of arrays; by default that of each member.
        ///
        /// ```
        /// # let dir = tempfile::tempdir()?;
        /// # std::env::set_current_dir(&dir)?;
        /// use npy_core::{NpyArray, Order, npz};
        ///
        /// let mut writer = npz::Writer::create("model.npz")?;
        /// writer.write("weights", &NpyArray::new(vec![1u8, 2, 3, 4], [2, 2])?)?;
        /// writer.finish()?;
        ///
        /// let reader = npz::ReadOptions::new().order(Order::Fortran).open("model.npz")?;
        /// let weights: NpyArray<u8> = reader.read("weights")?;
        /// assert_eq!(weights.as_slice_memory_order(), [1, 3, 2, 4]);
        /// # Ok::<(), npy_core::Error>(())
        /// ```
        [arrays] order: Order = Some(order);

        /// Sets the meaning of strings in arrays of Python objects that Python 2 wrote; by default, they must be ASCII.
        ///
        /// ```no_run
        /// use npy_core::npz;
        /// use npy_core::object::Encoding;
        ///
        /// let reader = npz::ReadOptions::new().encoding(Encoding::Latin1).open("python2.npz")?;
        /// let names: Vec<String> = reader.read("names")?;
        /// # Ok::<(), npy_core::Error>(())
        /// ```
        #[cfg(feature = "objects")]
        [arrays] encoding: Encoding = encoding;

        /// Sets the limits on what an archive may cost.
        ///
        /// ```
        /// # let dir = tempfile::tempdir()?;
        /// # std::env::set_current_dir(&dir)?;
        /// use npy_core::{ErrorKind, Limits, npz};
        ///
        /// let mut writer = npz::Writer::create("model.npz")?;
        /// writer.write("weights", &[0.5, -1.0])?;
        /// writer.finish()?;
        ///
        /// let mut limits = Limits::default();
        /// limits.array_bytes = Some(8);
        /// let reader = npz::ReadOptions::new().limits(limits).open("model.npz")?;
        /// let error = reader.read::<Vec<f64>>("weights").unwrap_err();
        /// assert!(matches!(error.kind(), ErrorKind::Limit { .. }));
        /// # Ok::<(), npy_core::Error>(())
        /// ```
        [arrays] limits: Limits = limits;

        /// Calls this function between the blocks that are read from a member. Its error ends the work: for Ctrl-C, or a button that cancels.
        ///
        /// ```
        /// # let dir = tempfile::tempdir()?;
        /// # std::env::set_current_dir(&dir)?;
        /// use std::io;
        ///
        /// use npy_core::npz;
        ///
        /// let mut writer = npz::Writer::create("model.npz")?;
        /// writer.write("weights", &[0.5, -1.0])?;
        /// writer.finish()?;
        ///
        /// let mut options = npz::ReadOptions::new();
        /// let reader = options.interrupt(|| Err(io::Error::other("canceled"))).open("model.npz")?;
        /// let error = reader.read::<Vec<f64>>("weights").unwrap_err();
        /// assert!(error.to_string().ends_with("canceled"));
        /// # Ok::<(), npy_core::Error>(())
        /// ```
        interrupt: fn() -> io::Result<()> = Some(interrupt);
    }

    /// Sets how many threads read an archive that was opened by its path; 1 by default.
    ///
    /// [`Reader::read_all`](super::Reader::read_all) reads this many members at the same time. If there are fewer, and for
    /// [`Reader::read`](super::Reader::read) and [`Reader::read_bytes`](super::Reader::read_bytes), several threads inflate one deflated member, if it has
    /// a [seek index](WriteOptions::seek_every) and at least 2 MiB. Each of them takes up to 8 MiB of memory.
    ///
    /// ```
    /// # let dir = tempfile::tempdir()?;
    /// # std::env::set_current_dir(&dir)?;
    /// use npy_core::npz;
    ///
    /// let mut writer = npz::Writer::create("model.npz")?;
    /// writer.write("weights", &[0.5, -1.0])?;
    /// writer.write("bias", &[0.25])?;
    /// writer.finish()?;
    ///
    /// let arrays = npz::ReadOptions::new().threads(2).open("model.npz")?.read_all()?;
    /// assert_eq!(arrays[1].0, "bias");
    /// assert_eq!(arrays[1].1.to_vec::<f64>()?, [0.25]);
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    pub fn threads(&mut self, threads: usize) -> &mut Self {
        self.threads = threads;
        self.open_member = (threads > 1).then_some(npy_zip::Directory::member_on_threads);
        self
    }
}

/// Opens a member, which this number of threads may inflate.
pub(super) type OpenMember<R> = fn(
    &npy_zip::Directory,
    &npy_zip::Entry,
    &Arc<npy_zip::Source<R>>,
    &npy_zip::Limits,
    usize,
) -> npy_zip::Result<npy_zip::Member<npy_zip::Handle<R>>>;
