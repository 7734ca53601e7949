//! Views of the members of an archive in a mapped file, without copying.

use std::fmt;
use std::io::Cursor;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use memmap2::Mmap;

use super::ReadOptions;
use super::directory::{Directory, Names, of_archives};
use crate::array::NpyView;
use crate::checked;
use crate::element::cast::zero_copy::ZeroCopy;
use crate::error::{Error, ErrorKind, Place, Places, Result, ViewError};
use crate::header::Header;
use crate::limits::{self, Limits};
use crate::mmap::{self, Column, MapAny};
use crate::read;

/// An archive in a mapped file, whose members are read in place. NumPy cannot map archives.
///
/// Members must be stored without compression, as `np.savez` does. To be viewed as numbers, they must also be aligned:
/// [`Writer`](super::Writer) aligns them, `np.savez` only by chance. [`Le`](crate::Le) and packed structs can be viewed at any address.
///
/// ```
/// # let dir = tempfile::tempdir()?;
/// # std::env::set_current_dir(&dir)?;
/// use npy_core::{NpyView, npz};
///
/// let mut writer = npz::Writer::create("model.npz")?;
/// writer.write("weights", &[0.5f32, -1.0])?;
/// writer.finish()?;
///
/// // SAFETY: the file is ours alone.
/// let map = unsafe { npz::Map::open("model.npz")? };
/// let weights: NpyView<f32> = map.view("weights")?;
/// assert_eq!(weights[1], -1.0);
/// # Ok::<(), npy_core::Error>(())
/// ```
///
/// Checksums are not compared, because that would read every byte; [`Reader::read`](super::Reader::read) compares them.
pub struct Map {
    map: Arc<Mmap>,
    directory: Directory,
    path: PathBuf,
    options: read::ReadOptions,
}

impl ReadOptions {
    /// Maps an archive; see [`Map::open`]. Limits and cast hold for the members that are viewed later.
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
    /// // SAFETY: the file is ours alone.
    /// let map = unsafe { npz::ReadOptions::new().cast(Cast::Lossless).map("model.npz")? };
    /// assert_eq!(map.any("weights")?.get::<f64>(1)?, -1.0);
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    ///
    /// # Safety
    ///
    /// As [`Map::open`].
    ///
    /// # Errors
    ///
    /// As [`Map::open`].
    #[expect(unsafe_code)]
    pub unsafe fn map(&self, path: impl AsRef<Path>) -> Result<Map> {
        let path = path.as_ref();
        // SAFETY: the caller leaves the file alone, as `mmap::map` demands.
        let map = unsafe { mmap::map(path) }?;
        let directory = Directory::of_file(Cursor::new(&map[..]), self.arrays.limit());
        let directory = directory.map_err(|error| error.in_file(path))?;
        let (path, options) = (path.to_owned(), self.arrays.clone());
        Ok(Map { map: Arc::new(map), directory, path, options })
    }
}

impl Map {
    /// Maps an archive.
    ///
    /// ```
    /// # let dir = tempfile::tempdir()?;
    /// # std::env::set_current_dir(&dir)?;
    /// use npy_core::npz;
    ///
    /// let mut writer = npz::Writer::create("model.npz")?;
    /// writer.write("weights", &[0.5f32, -1.0])?;
    /// writer.finish()?;
    ///
    /// // SAFETY: the file is ours alone.
    /// let map = unsafe { npz::Map::open("model.npz")? };
    /// assert_eq!(map.view::<f32>("weights")?[..], [0.5, -1.0]);
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    ///
    /// # Safety
    ///
    /// While the map exists, the file must not be shortened or changed; the [module `mmap`](crate::mmap#safety) has the exact rules.
    ///
    /// # Errors
    ///
    /// As [`npz::Reader::open`](super::Reader::open).
    #[expect(unsafe_code)]
    pub unsafe fn open<P: AsRef<Path>>(path: P) -> Result<Self> {
        // SAFETY: the caller keeps the contract.
        unsafe { ReadOptions::new().map(path) }
    }

    /// Iterates over the names of the members; see [`Reader::names`](super::Reader::names).
    ///
    /// ```
    /// # let dir = tempfile::tempdir()?;
    /// # std::env::set_current_dir(&dir)?;
    /// use npy_core::npz;
    ///
    /// let mut writer = npz::Writer::create("model.npz")?;
    /// writer.write("weights", &[0.5f32, -1.0])?;
    /// writer.finish()?;
    ///
    /// // SAFETY: the file is ours alone.
    /// let map = unsafe { npz::Map::open("model.npz")? };
    /// assert!(map.names().eq(["weights"]));
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    pub fn names(&self) -> Names<'_> {
        self.directory.names()
    }

    /// Returns true if there is a member of this name.
    ///
    /// ```
    /// # let dir = tempfile::tempdir()?;
    /// # std::env::set_current_dir(&dir)?;
    /// use npy_core::npz;
    ///
    /// let mut writer = npz::Writer::create("model.npz")?;
    /// writer.write("weights", &[0.5f32, -1.0])?;
    /// writer.finish()?;
    ///
    /// // SAFETY: the file is ours alone.
    /// let map = unsafe { npz::Map::open("model.npz")? };
    /// assert!(map.contains("weights") && !map.contains("bias"));
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    pub fn contains(&self, name: &str) -> bool {
        self.directory.find(name).is_some()
    }

    /// Reads the header of a stored member.
    ///
    /// ```
    /// # let dir = tempfile::tempdir()?;
    /// # std::env::set_current_dir(&dir)?;
    /// use npy_core::npz;
    ///
    /// let mut writer = npz::Writer::create("model.npz")?;
    /// writer.write("weights", &[0.5f32, -1.0])?;
    /// writer.finish()?;
    ///
    /// // SAFETY: the file is ours alone.
    /// let map = unsafe { npz::Map::open("model.npz")? };
    /// assert_eq!(map.header("weights")?.shape(), [2]);
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`view`](Self::view).
    pub fn header(&self, name: &str) -> Result<Header, ViewError> {
        let (header, _) =
            self.located(name, |bytes| Ok(Header::parse_with(bytes, self.limits())?))?;
        Ok(header)
    }

    /// Views a member in place.
    ///
    /// ```
    /// # let dir = tempfile::tempdir()?;
    /// # std::env::set_current_dir(&dir)?;
    /// use npy_core::{NpyView, NpyArray, npz};
    ///
    /// let mut writer = npz::Writer::create("model.npz")?;
    /// writer.write("weights", &NpyArray::new(vec![0.5f32, -1.0, 2.0, 1.5], [2, 2])?)?;
    /// writer.finish()?;
    ///
    /// // SAFETY: the file is ours alone.
    /// let map = unsafe { npz::Map::open("model.npz")? };
    /// let weights: NpyView<f32> = map.view("weights")?;
    /// assert_eq!(weights.at(&[1, 0]), Some(&2.0));
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// A [`ViewError`], as [`NpyView::from_bytes`]; [`ViewError::Compressed`] for a member that is not stored, and
    /// [`ViewError::Unreadable`] for one that is missing or incomplete.
    pub fn view<T: ZeroCopy>(&self, name: &str) -> Result<NpyView<'_, T>, ViewError> {
        self.located(name, |bytes| NpyView::of_file(bytes, self.limits()))
    }

    /// Returns one field of every record of a member; see [`mmap::Map::column`](crate::mmap::Map::column). The field may have the other
    /// byte order.
    ///
    /// ```
    /// # let dir = tempfile::tempdir()?;
    /// # std::env::set_current_dir(&dir)?;
    /// use npy_core::{NpyRecord, npz};
    ///
    /// #[derive(NpyRecord)]
    /// struct Pick {
    ///     station: u8,
    ///     time: f64,
    /// }
    ///
    /// let mut writer = npz::Writer::create("picks.npz")?;
    /// writer.write("picks", &[Pick { station: 7, time: 1.5 }, Pick { station: 9, time: 2.5 }])?;
    /// writer.finish()?;
    ///
    /// // SAFETY: the file is ours alone.
    /// let map = unsafe { npz::Map::open("picks.npz")? };
    /// assert_eq!(map.column::<f64>("picks", "time")?.get(1), Some(2.5));
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`view`](Self::view), and [`mmap::Map::column`](crate::mmap::Map::column).
    pub fn column<F: ZeroCopy>(&self, name: &str, field: &str) -> Result<Column<'_, F>, ViewError> {
        self.located(name, |bytes| {
            let (header, data) = mmap::header_and_data(bytes, self.limits())?;
            let data = checked::slice(bytes, data);
            let column = Column::new(&header, data, field, None, self.limits())?;
            let places = vec![Place::Path(self.path.clone()), Place::Member(name.to_owned())];
            Ok(column.within(Places::of(places)))
        })
    }

    /// Opens a member of any layout, whose elements are decoded when they are requested. The result keeps the file mapped.
    ///
    /// ```
    /// # let dir = tempfile::tempdir()?;
    /// # std::env::set_current_dir(&dir)?;
    /// use npy_core::{ByteOrder, WriteOptions, npz};
    ///
    /// let mut big = WriteOptions::new();
    /// big.byte_order(ByteOrder::Big);
    /// let mut writer = npz::WriteOptions::new().arrays(&big).create("model.npz")?;
    /// writer.write("weights", &[0.5f32, -1.0])?;
    /// writer.finish()?;
    ///
    /// // SAFETY: the file is ours alone.
    /// let map = unsafe { npz::Map::open("model.npz")? };
    /// assert_eq!(map.any("weights")?.get::<f32>(1)?, -1.0);
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`view`](Self::view), and [`MapAny::open`].
    pub fn any(&self, name: &str) -> Result<MapAny, ViewError> {
        let range = self.range(name).map_err(|error| self.locate(name, error))?;
        Ok(MapAny::new(Arc::clone(&self.map), range, &self.path, Some(name), &self.options)?)
    }

    fn limits(&self) -> &Limits {
        self.options.limit()
    }

    /// Returns the range of a stored member in the file.
    fn range(&self, name: &str) -> Result<Range<usize>, ViewError> {
        let index = self.directory.member(name)?;
        let mut file = Cursor::new(&self.map[..]);
        let (zip, entry) = (self.directory.zip(), self.directory.entry(index));
        let range = zip.stored_range(entry, &mut file, &of_archives(self.limits()));
        let range = range.map_err(Error::from)?;
        let range = range.ok_or_else(|| ViewError::Compressed {
            copy: copied(name, &self.path),
            places: Places::default(),
        })?;
        Ok(limits::to_usize(range.start)?..limits::to_usize(range.end)?)
    }

    /// Calls `view` with the bytes of a stored member; adds path and member to an error.
    fn located<'m, A>(
        &'m self,
        name: &str,
        view: impl FnOnce(&'m [u8]) -> Result<A, ViewError>,
    ) -> Result<A, ViewError> {
        // `range` has checked that the member ends before the directory.
        let bytes = self.range(name).map(|range| checked::slice(&self.map[..], range));
        bytes.and_then(view).map_err(|error| self.locate(name, error))
    }

    /// Adds path and member to an error.
    fn locate(&self, name: &str, error: ViewError) -> ViewError {
        let locate = |error: Error| {
            let missing = matches!(error.kind(), ErrorKind::MissingMember { .. });
            let error = if missing { error } else { error.in_member(name) };
            error.in_file(&self.path)
        };
        error.located(locate, |copy| *copy = copied(name, &self.path))
    }
}

/// Names the call that copies a member, for messages.
fn copied(name: &str, path: &Path) -> String {
    format!("npz::Reader::open({path:?})?.read({:?})", super::name::excerpt(name))
}

impl fmt::Debug for Map {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("npz::Map")
            .field("path", &self.path)
            .field("members", &self.names().len())
            .finish_non_exhaustive()
    }
}
