//! Layer 7: how archives are written and read.

use crate::limits::Limits;
use crate::plan::Cast;
use crate::{read, write};

/// How to write an archive.
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
}

impl Default for WriteOptions {
    fn default() -> Self {
        WriteOptions { level: None, threads: 1, sync: false, arrays: write::WriteOptions::new() }
    }
}

impl WriteOptions {
    /// Stored members, arrays as `np.save` writes them.
    pub fn new() -> Self {
        WriteOptions::default()
    }

    /// Members are stored: fast, and they can be viewed in place ([`Map`](super::Map)). As `np.savez`.
    pub fn stored(&mut self) -> &mut Self {
        self.level = None;
        self
    }

    /// Members are compressed, as by `np.savez_compressed`, whose level is 6. From 1 (fast) to 9 (small); other levels mean the
    /// nearest.
    pub fn deflate(&mut self, level: u8) -> &mut Self {
        self.level = Some(level.clamp(1, 9));
        self
    }

    /// The number of threads that compress members, the caller's included; 1 by default.
    ///
    /// Small members are compressed at the same time, and so are the parts of a large one. With more than one thread, about 2 MiB per
    /// thread wait in memory, and a disk that fails may be reported by a later call or by [`finish`](crate::npz::Writer::finish).
    /// Stored members use one thread. The archive is the same, byte for byte, for any number of threads.
    pub fn threads(&mut self, threads: usize) -> &mut Self {
        self.threads = threads.max(1);
        self
    }

    /// How the arrays are written: byte order, order, version.
    pub fn arrays(&mut self, options: &write::WriteOptions) -> &mut Self {
        self.arrays = options.clone();
        self
    }

    /// Whether a written file survives a loss of power; by default it need not, which is much faster.
    ///
    /// With it, [`finish`](super::Writer::finish) returns once the disk has the archive and its name: a loss of power before that leaves the
    /// old file, and one after it the new file. On systems other than Unix only the file is waited for, and not its name. Other
    /// writers ([`writer`](Self::writer), [`stream`](Self::stream)) are the caller's to sync.
    ///
    /// ```
    /// use npy_core::npz;
    ///
    /// # let dir = std::env::temp_dir().join(format!("npy-core-doc-npz-sync-{}", std::process::id()));
    /// # std::fs::create_dir_all(&dir)?;
    /// # let path = dir.join("model.npz");
    /// let mut writer = npz::WriteOptions::new().sync(true).create(&path)?;
    /// writer.write("weights", &[0.5f32, -1.0])?;
    /// writer.finish()?;
    /// assert!(npz::Reader::open(&path)?.names().eq(["weights"]));
    /// # std::fs::remove_dir_all(&dir)?;
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    pub fn sync(&mut self, sync: bool) -> &mut Self {
        self.sync = sync;
        self
    }
}

/// How to read an archive.
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
/// let mut reader = npz::ReadOptions::new().cast(Cast::Lossless).reader(file)?;
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
    /// Exact dtypes, default limits, one thread.
    pub fn new() -> Self {
        ReadOptions::default()
    }

    /// How far the dtype of a member may differ from the one that is wanted.
    pub fn cast(&mut self, cast: Cast) -> &mut Self {
        self.arrays.cast(cast);
        self
    }

    /// How much an archive may ask for.
    pub fn limits(&mut self, limits: Limits) -> &mut Self {
        self.arrays.limits(limits);
        self
    }

    /// How many members [`Reader::read_all`](super::Reader::read_all) reads at the same time; 1 by default. More than one needs a file that was opened by
    /// its path; other readers go through their members one by one.
    pub fn threads(&mut self, threads: usize) -> &mut Self {
        self.threads = threads.max(1);
        self
    }
}
