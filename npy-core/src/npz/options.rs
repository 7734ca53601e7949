//! The options for writing and reading archives.

use crate::limits::Limits;
use crate::pickle::Encoding;
use crate::plan::Cast;
use crate::shape::Order;
use crate::{read, write};

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
    pub(super) level: Option<u8>,
    pub(super) threads: usize,
    pub(super) sync: bool,
    pub(super) arrays: write::WriteOptions,
    pub(super) limits: Limits,
}

impl Default for WriteOptions {
    fn default() -> Self {
        WriteOptions {
            level: None,
            threads: 1,
            sync: false,
            arrays: write::WriteOptions::new(),
            limits: Limits::default(),
        }
    }
}

impl WriteOptions {
    /// Returns the defaults: members are stored, and arrays are written as by `np.save`.
    pub fn new() -> Self {
        WriteOptions::default()
    }

    /// Stores members without compression, like `np.savez`. This is fast, and the members can be viewed in place ([`Map`](super::Map)).
    pub fn stored(&mut self) -> &mut Self {
        self.level = None;
        self
    }

    /// Compresses members; `np.savez_compressed` uses level 6. Levels range from 1 (fast) to 9 (small); any other level means the
    /// nearest one in this range.
    #[doc(alias("savez_compressed"))]
    pub fn deflate(&mut self, level: u8) -> &mut Self {
        self.level = Some(level.clamp(1, 9));
        self
    }

    /// Sets the number of threads that compress members, including the caller's; 1 by default.
    ///
    /// Several small members, or parts of a large one, are compressed at the same time. With more than one thread, about 2 MiB per thread
    /// wait in memory, and a write error may be reported by a later call or by [`finish`](crate::npz::Writer::finish).
    /// Stored members use one thread. The archive is the same, byte for byte, for any number of threads.
    pub fn threads(&mut self, threads: usize) -> &mut Self {
        self.threads = threads.max(1);
        self
    }

    /// Sets how the arrays are written: byte order, memory order, format version.
    pub fn arrays(&mut self, options: &write::WriteOptions) -> &mut Self {
        self.arrays = options.clone();
        self
    }

    /// Sets the limits on the directory that [`append`](Self::append) and [`edit`](Self::edit) read.
    pub fn limits(&mut self, limits: Limits) -> &mut Self {
        self.limits = limits;
        self
    }

    /// Makes sure that a written file survives a loss of power; off by default, which is much faster.
    ///
    /// If it is on, `finish` of a [`Writer`](super::Writer::finish) or an [`Editor`](super::Editor::finish) waits until the archive and its name are on the disk. A loss of power earlier leaves
    /// the old file or the complete new one; later, it leaves the new one. On systems other than Unix, `finish` waits only for the
    /// contents, not for the name. The caller must sync the writers of [`writer`](Self::writer) and [`stream`](Self::stream).
    ///
    /// ```
    /// use npy_core::npz;
    ///
    /// # let dir = tempfile::tempdir()?;
    /// # let path = dir.path().join("model.npz");
    /// let mut writer = npz::WriteOptions::new().sync(true).create(&path)?;
    /// writer.write("weights", &[0.5f32, -1.0])?;
    /// writer.finish()?;
    /// assert!(npz::Reader::open(&path)?.names().eq(["weights"]));
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    pub fn sync(&mut self, sync: bool) -> &mut Self {
        self.sync = sync;
        self
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
#[derive(Clone, Debug)]
pub struct ReadOptions {
    pub(super) threads: usize,
    pub(super) arrays: read::ReadOptions,
}

impl Default for ReadOptions {
    fn default() -> Self {
        ReadOptions { threads: 1, arrays: read::ReadOptions::new() }
    }
}

impl ReadOptions {
    /// Returns the defaults: exact dtypes, the default limits, one thread.
    pub fn new() -> Self {
        ReadOptions::default()
    }

    /// Sets how far the dtype of a member may differ from the requested one.
    pub fn cast(&mut self, cast: Cast) -> &mut Self {
        self.arrays.cast(cast);
        self
    }

    /// Sets the memory order of arrays; by default that of each member.
    pub fn order(&mut self, order: Order) -> &mut Self {
        self.arrays.order(order);
        self
    }

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
    pub fn encoding(&mut self, encoding: Encoding) -> &mut Self {
        self.arrays.encoding(encoding);
        self
    }

    /// Sets the limits on what an archive may cost.
    pub fn limits(&mut self, limits: Limits) -> &mut Self {
        self.arrays.limits(limits);
        self
    }

    /// Sets how many members [`Reader::read_all`](super::Reader::read_all) reads at the same time; 1 by default. A higher
    /// number has an effect only for an archive that was opened by its path.
    pub fn threads(&mut self, threads: usize) -> &mut Self {
        self.threads = threads.max(1);
        self
    }
}
