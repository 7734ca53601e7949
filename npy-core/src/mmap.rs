//! Layer 7: files mapped into memory. Feature `mmap`.
//!
//! A map costs the same whatever the size of the file: the system reads what is touched. [`Map`] and [`MapMut`] show items in place,
//! for types that are [`ZeroCopy`]; [`MapAny`] decodes items of any layout as they are requested. A [`Column`] is one field of
//! every record, of either. [`Access`] tells the system how a map will be used.
//!
//! Maps and columns go to other threads: [`Column::range`], [`MapAny::read`] and `split_at_mut` of the slice that a [`MapMut`] is give each
//! thread its part.
//!
//! # Safety
//!
//! Opening a map is `unsafe`, and this is its contract: as long as the map lives, nobody shortens the file (touching the part that is
//! gone then ends the program with a signal), and nobody changes items while they are read, or reads items while they are
//! changed: neither this process through another map nor another process. Several processes may fill *different* parts of one file.
//!
//! A [`MapMut`] also needs space on the disk for what is changed: if a file has none yet (it is sparse, or its blocks are
//! shared with a snapshot) and the disk is full, a change ends the program with a signal. [`MapMut::create`] reserves the space;
//! [`MapMut::create_sparse`] does not.
//!
//! The header is compared with the length of the file when it is opened: no index reaches past the end of a file that stays as it was.

mod access;
mod any;
mod column;

use std::fmt;
use std::fs::File;
use std::io::{self, Write};
use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};
use std::path::Path;
use std::sync::Arc;

use memmap2::{Mmap, MmapMut, MmapOptions};

pub use access::Access;
pub use any::MapAny;
pub use column::Column;

use crate::dtype::DType;
use crate::element::cast::zero_copy::{ZeroCopy, values, values_mut};
use crate::error::{Error, Result, ViewError};
use crate::header::Header;
use crate::limits;
use crate::plan;
use crate::shape::{self, Order};
use crate::view::{self, Located};
use crate::write::replace;

/// An array in a mapped file, to read: `np.load(…, mmap_mode="r")`.
///
/// It is a slice of the items in the order of the file, with a shape.
///
/// ```
/// use npy_core::{Map, WriteNpy};
///
/// # let dir = std::env::temp_dir().join(format!("npy-core-doc-map-{}", std::process::id()));
/// # std::fs::create_dir_all(&dir)?;
/// # let path = dir.join("x.npy");
/// [1.5f64, 2.5].write_npy(&path)?;
/// // SAFETY: the file is ours alone.
/// let map = unsafe { Map::<f64>::open(&path)? };
/// assert_eq!(map[1], 2.5);
/// # drop(map);
/// # std::fs::remove_dir_all(&dir)?;
/// # Ok::<(), npy_core::Error>(())
/// ```
pub struct Map<T> {
    map: Mmap,
    located: Located,
    of: PhantomData<T>,
}

impl<T: ZeroCopy> Map<T> {
    /// Maps a file.
    ///
    /// # Safety
    ///
    /// The file must be left alone as the [module](self#safety) says.
    ///
    /// # Errors
    ///
    /// A [`ViewError`], as [`ArrayView::from_bytes`](crate::ArrayView::from_bytes); [`ViewError::Unreadable`] also for a file that
    /// cannot be opened or mapped.
    #[expect(unsafe_code)]
    pub unsafe fn open<P: AsRef<Path>>(path: P) -> Result<Self, ViewError> {
        let path = path.as_ref();
        // SAFETY: the caller's.
        let map = unsafe { map(path) }?;
        let located = locate::<T>(&map, path)?;
        Ok(Map { map, located, of: PhantomData })
    }

    /// The items in the order of the file.
    pub fn as_slice(&self) -> &[T] {
        // `locate` has checked length and address.
        let data = self.map.get(self.located.data.clone());
        data.and_then(|data| values(data, self.located.count)).unwrap_or_default()
    }

    /// The header.
    pub fn header(&self) -> &Header {
        &self.located.header
    }

    /// The dimensions; none for a single item.
    pub fn shape(&self) -> &[usize] {
        &self.located.shape
    }

    /// The order in which the items are stored.
    pub fn order(&self) -> Order {
        self.located.order
    }

    /// The item of this index, one number for each dimension; `None` outside the shape.
    pub fn at(&self, index: &[usize]) -> Option<&T> {
        self.as_slice().get(shape::position(self.shape(), self.order(), index)?)
    }

    /// One field of every record, `"gain"`, or a part of one: `"head.gain"` is a field of a record in it, `"samples[3]"` an item of a
    /// sub-array.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::MissingField`](crate::ErrorKind::MissingField) and
    /// [`ErrorKind::Mismatch`](crate::ErrorKind::Mismatch) if there is no such field of this type.
    pub fn column<F: ZeroCopy>(&self, path: &str) -> Result<Column<'_, F>> {
        let data = self.map.get(self.located.data.clone()).unwrap_or_default();
        Column::new(self.header(), data, path)
    }
}

/// The items in the order of the file.
impl<T: ZeroCopy> Deref for Map<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        self.as_slice()
    }
}

impl<T> fmt::Debug for Map<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Map").field("header", &self.located.header).finish_non_exhaustive()
    }
}

/// An array in a mapped file, to be changed in place: `np.memmap` in the modes `r+`, `w+` and `c`.
///
/// ```
/// use npy_core::{MapMut, ReadNpy, NpyArray};
///
/// # let dir = std::env::temp_dir().join(format!("npy-core-doc-mapmut-{}", std::process::id()));
/// # std::fs::create_dir_all(&dir)?;
/// # let path = dir.join("x.npy");
/// // SAFETY: the file is ours alone.
/// let mut map = unsafe { MapMut::<f64>::create(&path, &[2, 3])? };
/// *map.at_mut(&[1, 0]).unwrap() = 2.5;
/// map.flush()?;
/// assert_eq!(NpyArray::<f64>::read_npy(&path)?.get(&[1, 0]), Some(&2.5));
/// # drop(map);
/// # std::fs::remove_dir_all(&dir)?;
/// # Ok::<(), npy_core::Error>(())
/// ```
pub struct MapMut<T> {
    map: MmapMut,
    located: Located,
    of: PhantomData<T>,
}

impl<T: ZeroCopy> MapMut<T> {
    /// Maps a file, to read and to change.
    ///
    /// # Safety
    ///
    /// The file must be left alone as the [module](self#safety) says.
    ///
    /// # Errors
    ///
    /// As [`Map::open`].
    #[expect(unsafe_code)]
    pub unsafe fn open<P: AsRef<Path>>(path: P) -> Result<Self, ViewError> {
        let path = path.as_ref();
        let open = || {
            let file = File::options().read(true).write(true).open(path)?;
            // SAFETY: the caller's.
            let map = unsafe { MmapMut::map_mut(&file) };
            map.map_err(unmapped)
        };
        MapMut::new(open().map_err(|error| unreadable(read_only(error).into(), path))?, path)
    }

    /// Makes a file of this shape, all zeros, and maps it. It replaces an existing one.
    ///
    /// Its space on the disk is reserved: a full disk is an error here, not a signal later. If the system or the file system cannot
    /// reserve space (macOS, NFS before 4.2), it is as by [`create_sparse`](Self::create_sparse).
    ///
    /// # Safety
    ///
    /// The file must be left alone as the [module](self#safety) says.
    ///
    /// # Errors
    ///
    /// [`ViewError::Unreadable`] if the file cannot be made, the disk is full, or the shape is one that no array can have.
    #[expect(unsafe_code)]
    pub unsafe fn create<P: AsRef<Path>>(path: P, shape: &[usize]) -> Result<Self, ViewError> {
        // SAFETY: the caller's.
        unsafe { Self::create_by(path.as_ref(), shape, allocate) }
    }

    /// [`create`](Self::create), for a file that takes space on the disk only where it is filled, as `np.memmap` makes it.
    ///
    /// ```
    /// use npy_core::MapMut;
    ///
    /// # let dir = std::env::temp_dir().join(format!("npy-core-doc-sparse-{}", std::process::id()));
    /// # std::fs::create_dir_all(&dir)?;
    /// # let path = dir.join("x.npy");
    /// // SAFETY: the file is ours alone, and a few values of it fit the disk.
    /// let mut map = unsafe { MapMut::<f64>::create_sparse(&path, &[1000, 1000])? };
    /// *map.at_mut(&[999, 999]).unwrap() = 2.5;
    /// # drop(map);
    /// # std::fs::remove_dir_all(&dir)?;
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    ///
    /// # Safety
    ///
    /// The file must be left alone as the [module](self#safety) says. If the disk is full when items are changed, the program ends
    /// with a signal (`SIGBUS`).
    ///
    /// # Errors
    ///
    /// As [`create`](Self::create), but for a full disk.
    #[expect(unsafe_code)]
    pub unsafe fn create_sparse<P: AsRef<Path>>(
        path: P,
        shape: &[usize],
    ) -> Result<Self, ViewError> {
        // SAFETY: the caller's.
        unsafe { Self::create_by(path.as_ref(), shape, File::set_len) }
    }

    /// Makes a file, whose length `extend` sets, and maps it.
    ///
    /// # Safety
    ///
    /// As [`create`](Self::create).
    #[expect(unsafe_code)]
    unsafe fn create_by(
        path: &Path,
        shape: &[usize],
        extend: fn(&File, u64) -> io::Result<()>,
    ) -> Result<Self, ViewError> {
        let create = || {
            let file = create_file(path, &T::memory_dtype(), shape, extend)?;
            // SAFETY: the caller's.
            Ok(unsafe { MmapMut::map_mut(&file) }?)
        };
        MapMut::new(create().map_err(|error| unreadable(error, path))?, path)
    }

    /// Maps a file of which a copy is changed: what is written stays in this map, and the file as it is.
    ///
    /// # Safety
    ///
    /// The file must be left alone as the [module](self#safety) says.
    ///
    /// # Errors
    ///
    /// As [`Map::open`].
    #[expect(unsafe_code)]
    pub unsafe fn open_copy_on_write<P: AsRef<Path>>(path: P) -> Result<Self, ViewError> {
        let path = path.as_ref();
        let open = || {
            let file = File::open(path)?;
            // SAFETY: the caller's.
            let map = unsafe { MmapOptions::new().map_copy(&file) };
            map.map_err(unmapped)
        };
        MapMut::new(open().map_err(|error| unreadable(error.into(), path))?, path)
    }

    fn new(map: MmapMut, path: &Path) -> Result<Self, ViewError> {
        let located = locate::<T>(&map, path)?;
        Ok(MapMut { map, located, of: PhantomData })
    }

    /// The items in the order of the file.
    pub fn as_slice(&self) -> &[T] {
        // `locate` has checked length and address.
        let data = self.map.get(self.located.data.clone());
        data.and_then(|data| values(data, self.located.count)).unwrap_or_default()
    }

    /// The items in the order of the file, to change them.
    pub fn as_mut_slice(&mut self) -> &mut [T] {
        let count = self.located.count;
        let data = self.map.get_mut(self.located.data.clone());
        data.and_then(|data| values_mut(data, count)).unwrap_or_default()
    }

    /// The header.
    pub fn header(&self) -> &Header {
        &self.located.header
    }

    /// The dimensions; none for a single item.
    pub fn shape(&self) -> &[usize] {
        &self.located.shape
    }

    /// The order in which the items are stored.
    pub fn order(&self) -> Order {
        self.located.order
    }

    /// The item of this index, one number for each dimension; `None` outside the shape.
    pub fn at(&self, index: &[usize]) -> Option<&T> {
        self.as_slice().get(shape::position(self.shape(), self.order(), index)?)
    }

    /// The item of this index, to change it; `None` outside the shape.
    pub fn at_mut(&mut self, index: &[usize]) -> Option<&mut T> {
        let position = shape::position(self.shape(), self.order(), index)?;
        self.as_mut_slice().get_mut(position)
    }

    /// One field of every record; see [`Map::column`].
    ///
    /// # Errors
    ///
    /// As [`Map::column`].
    pub fn column<F: ZeroCopy>(&self, path: &str) -> Result<Column<'_, F>> {
        let data = self.map.get(self.located.data.clone()).unwrap_or_default();
        Column::new(self.header(), data, path)
    }

    /// Writes all changes to the disk, and waits for that. Of a copy there are none to write.
    ///
    /// Other processes see changes at once, without it.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Io`](crate::ErrorKind::Io).
    pub fn flush(&self) -> Result<()> {
        Ok(self.map.flush()?)
    }

    /// [`flush`](Self::flush), for the items at these positions in the file alone. Positions after the end are ignored.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Io`](crate::ErrorKind::Io).
    pub fn flush_range(&self, items: std::ops::Range<usize>) -> Result<()> {
        let size = size_of::<T>();
        let bytes = |items: usize| items.min(self.located.count).saturating_mul(size);
        let (start, end) = (bytes(items.start), bytes(items.end));
        let offset = self.located.data.start.saturating_add(start);
        Ok(self.map.flush_range(offset, end.saturating_sub(start))?)
    }
}

/// The items in the order of the file.
impl<T: ZeroCopy> Deref for MapMut<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        self.as_slice()
    }
}

impl<T: ZeroCopy> DerefMut for MapMut<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        self.as_mut_slice()
    }
}

impl<T> fmt::Debug for MapMut<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MapMut").field("header", &self.located.header).finish_non_exhaustive()
    }
}

impl MapAny {
    /// Maps a file.
    ///
    /// # Safety
    ///
    /// The file must be left alone as the [module](self#safety) says.
    ///
    /// # Errors
    ///
    /// As [`Header::parse`]; [`ErrorKind::Io`](crate::ErrorKind::Io), [`ErrorKind::Truncated`](crate::ErrorKind::Truncated) if the file is
    /// shorter than its header says, and [`ErrorKind::Unsupported`](crate::ErrorKind::Unsupported) for Python objects.
    #[expect(unsafe_code)]
    pub unsafe fn open<P: AsRef<Path>>(path: P) -> Result<Self> {
        let path = path.as_ref();
        // SAFETY: the caller's.
        let map = unsafe { map(path) }?;
        let all = 0..map.len();
        MapAny::new(Arc::new(map), all, path, None)
    }
}

/// Maps a file, to read.
///
/// # Safety
///
/// As [`Map::open`].
#[expect(unsafe_code)]
pub(crate) unsafe fn map(path: &Path) -> Result<Mmap, ViewError> {
    let open = || {
        let file = File::open(path)?;
        // SAFETY: the caller's.
        let map = unsafe { Mmap::map(&file) };
        map.map_err(unmapped)
    };
    open().map_err(|error| unreadable(error.into(), path))
}

/// Makes a file for an array of this shape of items of this dtype; `extend` sets its length.
fn create_file(
    path: &Path,
    item: &DType,
    shape: &[usize],
    extend: fn(&File, u64) -> io::Result<()>,
) -> Result<File> {
    // The dimensions of an item are the last ones of the array.
    let (base, inner) = plan::flatten(item);
    let header = Header::new(base.clone(), [shape, &inner].concat(), Order::C)?;
    let bytes = header.to_bytes()?;
    let length = bytes.len().saturating_add(header.data_bytes());
    // An existing file stays as it is until the new one has its length.
    let (mut file, target) = replace::begin(path)?;
    if target.directory().is_none() {
        let reason = "only a regular file can be made and mapped; use a path of its own";
        return Err(io::Error::new(io::ErrorKind::InvalidInput, reason).into());
    }
    file.write_all(&bytes)?;
    extend(&file, limits::to_u64(length))?;
    target.take(file, false)
}

/// Sets the length of a file, and reserves the space on the disk where that is possible.
fn allocate(file: &File, length: u64) -> io::Result<()> {
    #[cfg(any(target_os = "linux", target_os = "android", target_os = "freebsd"))]
    {
        use rustix::fs::{FallocateFlags, fallocate, fstatvfs};
        use rustix::io::{Errno, retry_on_intr};
        let disk = fstatvfs(file)?;
        // The system would take all free space before it fails, and leave none to others.
        if disk.f_blocks > 0 && length > disk.f_bavail.saturating_mul(disk.f_frsize) {
            return Err(Errno::NOSPC.into());
        }
        match retry_on_intr(|| fallocate(file, FallocateFlags::empty(), 0, length)) {
            // The file system cannot; FreeBSD says `INVAL`.
            Err(Errno::OPNOTSUPP | Errno::NOSYS | Errno::INVAL) => {}
            done => return Ok(done?),
        }
    }
    file.set_len(length)
}

/// The system's error for a file that cannot be mapped.
fn unmapped(error: io::Error) -> io::Error {
    let reason = format!("it cannot be mapped ({error}); if it can be read, read_npy copies it");
    io::Error::new(error.kind(), reason)
}

/// The error for a file that may be read and not changed.
fn read_only(error: io::Error) -> io::Error {
    use io::ErrorKind::{PermissionDenied, ReadOnlyFilesystem};
    if !matches!(error.kind(), PermissionDenied | ReadOnlyFilesystem) {
        return error;
    }
    let reason = format!(
        "{error}; if it may be read, Map::open looks at it, and MapMut::open_copy_on_write changes a copy"
    );
    io::Error::new(error.kind(), reason)
}

fn unreadable(error: Error, path: &Path) -> ViewError {
    ViewError::Unreadable(error.in_file(path))
}

/// Finds the items of a type in a file.
fn locate<T: ZeroCopy>(file: &[u8], path: &Path) -> Result<Located, ViewError> {
    view::locate::<T>(file).map_err(|error| match error {
        ViewError::Unreadable(error) => unreadable(error, path),
        other => other,
    })
}
