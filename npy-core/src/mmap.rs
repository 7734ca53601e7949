//! Files used in place (memory maps, `np.memmap`), without reading them first. Feature `mmap`, on by default.
//!
//! Opening a map takes the same time for every size of file: the system reads only the pages that
//! are used. [`Map`] and [`MapMut`] show elements in place, for types that are [`ZeroCopy`];
//! [`MapAny`] decodes elements of any layout as they are requested, and [`MapAnyMut`] changes a
//! file whose dtype is known only at run time. A `Map`, `MapMut` or `MapAny` of records can return
//! a [`Column`]: one field of every record. [`Access`] tells the system how a map will be used.
//!
//! Threads can share maps and columns: [`Column::range`], [`MapAny::read`] and `split_at_mut` of the slice in a [`MapMut`] give each thread
//! its part.
//!
//! # Safety
//!
//! Opening a map is `unsafe`. The caller promises that nobody shortens the file while the map
//! exists: an access beyond the new end would kill the program with a signal (`SIGBUS`). The caller
//! also promises that no element is read while another map of this process, or another process,
//! changes it. Several processes may fill *different* parts of one file.
//!
//! A [`MapMut`] also needs space on the disk for its changes: if the disk is full, and the file has no space of its own (it is sparse, or
//! shares blocks with a snapshot), a change ends the program with a signal. [`MapMut::create`] reserves the space;
//! [`MapMut::create_sparse`] does not.
//!
//! Opening a map checks that the file is as long as its header says. So no element is past the end
//! of the file while the file keeps its length.

mod access;
mod any;
mod any_mut;
mod column;
mod traits;

use std::fmt;
use std::fs::File;
use std::io::{self, Write};
use std::marker::PhantomData;
use std::ops::{Deref, DerefMut, Range};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use memmap2::{Mmap, MmapMut, MmapOptions};

pub use access::Access;
pub use any::MapAny;
#[cfg(feature = "npz")]
pub(crate) use any::header_and_data;
pub use any_mut::MapAnyMut;
pub use column::{Column, Values};

use crate::array::access::{read_methods, slice_method, write_methods};
use crate::checked;
use crate::element::cast::zero_copy::{ZeroCopy, values, values_mut};
use crate::element::item_shape::ItemShape;
use crate::element::type_name;
use crate::error::{Error, ErrorKind, Place, Places, Result, ViewError};
use crate::header::Header;
use crate::limits::{self, Limits};
use crate::read::{ReadOptions, headerless};
use crate::shape::Order;
use crate::view::{self, Located};
use crate::write::replace::{self, Existing};

/// A read-only array in a mapped file: `np.load(…, mmap_mode="r")`.
///
/// The map dereferences to a slice of the elements in the order of the file, and so `map[2]` and the methods of slices count in that order.
/// [`iter`](Self::iter), [`to_vec`](Self::to_vec) and [`at`](Self::at) count in C order, which is another one if the file is in Fortran order.
///
/// NaT is the least time here, and the last in NumPy: leave it out of `binary_search` and `partition_point` of what NumPy sorted.
///
/// ```
/// use npy_core::{Map, WriteNpy};
///
/// # let dir = tempfile::tempdir()?;
/// # std::env::set_current_dir(&dir)?;
/// [1.5f64, 2.5].write_npy("x.npy")?;
/// // SAFETY: the file is ours alone.
/// let map = unsafe { Map::<f64>::open("x.npy")? };
/// assert_eq!(map[1], 2.5);
/// # Ok::<(), npy_core::Error>(())
/// ```
#[doc(alias("memmap"))]
pub struct Map<T> {
    map: Mmap,
    located: Located,
    path: PathBuf,
    limits: Limits,
    of: PhantomData<T>,
}

// The functions have the bound `ZeroCopy`, not the impl. So the compiler names the missing trait
// instead of a missing function.
impl<T> Map<T> {
    /// Maps a file.
    ///
    /// ```
    /// # let dir = tempfile::tempdir()?;
    /// # std::env::set_current_dir(&dir)?;
    /// use npy_core::{Map, WriteNpy};
    ///
    /// [1.0, 2.0, 3.0].write_npy("x.npy")?;
    /// // SAFETY: the file is ours alone.
    /// let map = unsafe { Map::<f64>::open("x.npy")? };
    /// assert_eq!(map[2], 3.0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Safety
    ///
    /// The file must be left alone as the [module](self#safety) says.
    ///
    /// # Errors
    ///
    /// As [`NpyView::from_bytes`](crate::NpyView::from_bytes), and [`ViewError::Unreadable`] if the file cannot be opened or mapped. In a
    /// function that returns [`Error`], `?` converts it.
    #[expect(unsafe_code)]
    pub unsafe fn open<P: AsRef<Path>>(path: P) -> Result<Self, ViewError>
    where
        T: ZeroCopy,
    {
        // SAFETY: the caller keeps the contract.
        unsafe { ReadOptions::new().map(path) }
    }

    /// Maps a file without a header, as NumPy's `tofile` writes it: `np.memmap`. `row` is the shape of one row (`&[]` for a file of
    /// single elements), and the length of the file states the number of rows.
    ///
    /// The dtype is that of the type: `u16` has the byte order of the machine, and [`Be<u16>`](crate::Be) is big-endian on each.
    ///
    /// ```
    /// # let dir = tempfile::tempdir()?;
    /// # std::env::set_current_dir(&dir)?;
    /// use npy_core::Map;
    ///
    /// let tokens: [u16; 6] = [1, 2, 3, 4, 5, 6];
    /// std::fs::write("tokens.bin", tokens.map(u16::to_ne_bytes).as_flattened())?;
    /// // SAFETY: the file is ours alone.
    /// let map = unsafe { Map::<u16>::open_headerless("tokens.bin", &[3])? };
    /// assert_eq!(map.shape(), [2, 3]);
    /// assert_eq!(map[3..], [4, 5, 6]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Safety
    ///
    /// The file must be left alone as the [module](self#safety) says.
    ///
    /// # Errors
    ///
    /// [`ViewError::Unreadable`] if the file cannot be opened or mapped, or has no whole number of rows.
    #[expect(unsafe_code)]
    pub unsafe fn open_headerless<P: AsRef<Path>>(path: P, row: &[usize]) -> Result<Self, ViewError>
    where
        T: ZeroCopy,
    {
        let (path, item) = (path.as_ref(), ItemShape::of(&T::memory_dtype()));
        // SAFETY: the caller keeps the contract.
        let map = unsafe { map(path) }?;
        let header =
            headerless::header_of(limits::to_u64(map.len()), item.base.clone(), &item.array(row));
        Map::new(
            map,
            Some(header.map_err(|error| unreadable(error, path))?),
            path,
            &Limits::default(),
        )
    }
}

/// An array in a mapped file, to be changed in place: `np.memmap` in the modes `r+`, `w+` and `c`.
///
/// Like a [`Map`], it dereferences to a slice of the elements in the order of the file; [`iter`](Self::iter), [`iter_mut`](Self::iter_mut)
/// and [`at_mut`](Self::at_mut) count in C order.
///
/// ```
/// use npy_core::{MapMut, ReadNpy, NpyArray};
///
/// # let dir = tempfile::tempdir()?;
/// # std::env::set_current_dir(&dir)?;
/// // SAFETY: the file is ours alone.
/// let mut map = unsafe { MapMut::<f64>::create("x.npy", &[2, 3])? };
/// *map.at_mut(&[1, 0]).unwrap() = 2.5;
/// map.flush()?;
/// assert_eq!(NpyArray::<f64>::read_npy("x.npy")?.at(&[1, 0]), Some(&2.5));
/// # Ok::<(), npy_core::Error>(())
/// ```
#[doc(alias("memmap"))]
pub struct MapMut<T> {
    map: MmapMut,
    located: Located,
    path: PathBuf,
    limits: Limits,
    of: PhantomData<T>,
}

impl<T> MapMut<T> {
    /// Maps a file, to read and to change.
    ///
    /// ```
    /// # let dir = tempfile::tempdir()?;
    /// # std::env::set_current_dir(&dir)?;
    /// use npy_core::{MapMut, ReadNpy, WriteNpy};
    ///
    /// [1.0, 2.0, 3.0].write_npy("x.npy")?;
    /// // SAFETY: the file is ours alone.
    /// let mut map = unsafe { MapMut::<f64>::open("x.npy")? };
    /// map[0] = 9.0;
    /// map.flush()?;
    /// assert_eq!(Vec::<f64>::read_npy("x.npy")?, [9.0, 2.0, 3.0]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Safety
    ///
    /// The file must be left alone as the [module](self#safety) says.
    ///
    /// # Errors
    ///
    /// As [`Map::open`].
    #[expect(unsafe_code)]
    pub unsafe fn open<P: AsRef<Path>>(path: P) -> Result<Self, ViewError>
    where
        T: ZeroCopy,
    {
        // SAFETY: the caller keeps the contract.
        unsafe { ReadOptions::new().map_mut(path) }
    }

    /// Creates the file of an array of zeros with this shape, and maps it. An existing file is
    /// replaced.
    ///
    /// Reserves space on the disk, so that a full disk is an error here and not a signal later. Where space cannot be reserved (macOS, NFS
    /// before 4.2), the file is sparse, as by [`create_sparse`](Self::create_sparse).
    ///
    /// ```
    /// # let dir = tempfile::tempdir()?;
    /// # std::env::set_current_dir(&dir)?;
    /// use npy_core::{MapMut, NpyArray, ReadNpy};
    ///
    /// // SAFETY: the file is ours alone.
    /// let mut map = unsafe { MapMut::<f32>::create("grid.npy", &[2, 3])? };
    /// map[5] = 1.5;
    /// map.flush()?;
    /// assert_eq!(NpyArray::<f32>::read_npy("grid.npy")?[[1, 2]], 1.5);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Safety
    ///
    /// The file must be left alone as the [module](self#safety) says.
    ///
    /// # Errors
    ///
    /// [`ViewError::Unreadable`] if the file cannot be created, the disk is full, or no array can have this shape.
    #[doc(alias("open_memmap"))]
    #[expect(unsafe_code)]
    pub unsafe fn create<P: AsRef<Path>>(path: P, shape: &[usize]) -> Result<Self, ViewError>
    where
        T: ZeroCopy,
    {
        // SAFETY: the caller keeps the contract.
        unsafe { MapMut::create_with_order(path, shape, Order::C) }
    }

    /// Like [`create`](Self::create), with the elements in this order: in Fortran order, the first index changes fastest.
    ///
    /// ```
    /// use npy_core::{MapMut, Order};
    ///
    /// # let dir = tempfile::tempdir()?;
    /// # std::env::set_current_dir(&dir)?;
    /// // SAFETY: the file is ours alone.
    /// let mut map = unsafe { MapMut::<f64>::create_with_order("x.npy", &[2, 3], Order::Fortran)? };
    /// *map.at_mut(&[1, 0]).unwrap() = 2.5;
    /// assert_eq!(map.as_slice_memory_order(), [0.0, 2.5, 0.0, 0.0, 0.0, 0.0]);
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    ///
    /// # Safety
    ///
    /// The file must be left alone as the [module](self#safety) says.
    ///
    /// # Errors
    ///
    /// As [`create`](Self::create). In Fortran order, a type with dimensions of its own
    /// (`[f32; 3]`) is [`ViewError::Unreadable`], as the elements of a value would be strided.
    #[expect(unsafe_code)]
    pub unsafe fn create_with_order<P: AsRef<Path>>(
        path: P,
        shape: &[usize],
        order: Order,
    ) -> Result<Self, ViewError>
    where
        T: ZeroCopy,
    {
        let path = path.as_ref();
        let header = new_header::<T>(path, shape, order)?;
        // SAFETY: the caller keeps the contract.
        let map = unsafe { create(path, &header, whole_file::allocate) }?;
        MapMut::new(map, None, path, &Limits::default())
    }

    /// Like [`create`](Self::create), but reserves no space on the disk, as `np.memmap` does: only the parts that are written take space.
    ///
    /// ```
    /// use npy_core::MapMut;
    ///
    /// # let dir = tempfile::tempdir()?;
    /// # std::env::set_current_dir(&dir)?;
    /// // SAFETY: the file is ours alone, and a few values of it fit the disk.
    /// let mut map = unsafe { MapMut::<f64>::create_sparse("x.npy", &[1000, 1000])? };
    /// *map.at_mut(&[999, 999]).unwrap() = 2.5;
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    ///
    /// # Safety
    ///
    /// The file must be left alone as the [module](self#safety) says. If the disk is full when elements are changed, the program
    /// ends with a signal (`SIGBUS`).
    ///
    /// # Errors
    ///
    /// As [`create`](Self::create), except for a full disk.
    #[expect(unsafe_code)]
    pub unsafe fn create_sparse<P: AsRef<Path>>(path: P, shape: &[usize]) -> Result<Self, ViewError>
    where
        T: ZeroCopy,
    {
        let path = path.as_ref();
        let header = new_header::<T>(path, shape, Order::C)?;
        // SAFETY: the caller keeps the contract.
        let map = unsafe { create(path, &header, File::set_len) }?;
        MapMut::new(map, None, path, &Limits::default())
    }

    /// Maps a file. Changes stay in this map, and the file is not changed.
    ///
    /// ```
    /// # let dir = tempfile::tempdir()?;
    /// # std::env::set_current_dir(&dir)?;
    /// use npy_core::{MapMut, ReadNpy, WriteNpy};
    ///
    /// [1.0, 2.0, 3.0].write_npy("x.npy")?;
    /// // SAFETY: nobody else changes the file.
    /// let mut map = unsafe { MapMut::<f64>::open_copy_on_write("x.npy")? };
    /// map[0] = 9.0;
    /// assert_eq!(Vec::<f64>::read_npy("x.npy")?, [1.0, 2.0, 3.0]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Safety
    ///
    /// The file must be left alone as the [module](self#safety) says.
    ///
    /// # Errors
    ///
    /// As [`Map::open`].
    #[expect(unsafe_code)]
    pub unsafe fn open_copy_on_write<P: AsRef<Path>>(path: P) -> Result<Self, ViewError>
    where
        T: ZeroCopy,
    {
        // SAFETY: the caller keeps the contract.
        unsafe { ReadOptions::new().map_copy_on_write(path) }
    }
}

impl<T: ZeroCopy> MapMut<T> {
    fn parts_mut(&mut self) -> (&mut [T], &[usize], Order) {
        let Located { data, count, shape, order, .. } = &self.located;
        // `locate` has checked length and address.
        let elements = self.map.get_mut(data.clone()).and_then(|data| values_mut(data, *count));
        (checked::some(elements), shape, *order)
    }

    /// Writes all changes to the disk, and waits until the disk has them. Does nothing for a map of
    /// [`open_copy_on_write`](Self::open_copy_on_write).
    ///
    /// Other processes see changes at once, without this call.
    ///
    /// ```
    /// # let dir = tempfile::tempdir()?;
    /// # std::env::set_current_dir(&dir)?;
    /// use npy_core::{MapMut, WriteNpy};
    ///
    /// [1.0, 2.0, 3.0].write_npy("x.npy")?;
    /// // SAFETY: the file is ours alone.
    /// let mut map = unsafe { MapMut::<f64>::open("x.npy")? };
    /// map[0] = 9.0;
    /// map.flush()?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Io`].
    pub fn flush(&self) -> Result<()> {
        self.map.flush().map_err(|error| Error::from(error).in_file(&self.path))
    }

    /// Like [`flush`](Self::flush), but only for the elements at these positions in the file.
    /// Positions after the last element are ignored.
    ///
    /// ```
    /// # let dir = tempfile::tempdir()?;
    /// # std::env::set_current_dir(&dir)?;
    /// use npy_core::{MapMut, WriteNpy};
    ///
    /// [1.0, 2.0, 3.0].write_npy("x.npy")?;
    /// // SAFETY: the file is ours alone.
    /// let mut map = unsafe { MapMut::<f64>::open("x.npy")? };
    /// map[1] = 9.0;
    /// map.flush_range(1..2)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Io`].
    pub fn flush_range(&self, items: Range<usize>) -> Result<()> {
        let size = size_of::<T>();
        let bytes = |index: usize| checked::mul(index.min(self.located.count), size);
        let (start, end) = (bytes(items.start), bytes(items.end));
        let offset = checked::add(self.located.data.start, start);
        let flushed = self.map.flush_range(offset, end.saturating_sub(start));
        flushed.map_err(|error| Error::from(error).in_file(&self.path))
    }
}

impl<T: ZeroCopy> DerefMut for MapMut<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        self.as_slice_memory_order_mut()
    }
}

read_methods!([T: ZeroCopy] Map<T>, '_);
slice_method!([T: ZeroCopy] Map<T>, '_);
read_methods!([T: ZeroCopy] MapMut<T>, '_);
slice_method!([T: ZeroCopy] MapMut<T>, '_);
write_methods!([T: ZeroCopy] MapMut<T>);

/// Implements the methods that `Map` and `MapMut` share.
macro_rules! read_access {
    ($($map:ident: $inner:ty),*) => {$(
        impl<T: ZeroCopy> $map<T> {
            fn new(
                map: $inner,
                headerless: Option<Header>,
                path: &Path,
                limits: &Limits,
            ) -> Result<Self, ViewError> {
                let located = view::locate::<T>(&map, headerless, limits);
                let located = located.map_err(|error| in_file(error, path))?;
                Ok($map { map, located, path: path.to_owned(), limits: *limits, of: PhantomData })
            }

            fn data(&self) -> &[u8] {
                checked::slice(&self.map, self.located.data.clone())
            }

            /// Returns the header.
            ///
            /// ```
            /// # let dir = tempfile::tempdir()?;
            /// # std::env::set_current_dir(&dir)?;
            /// use npy_core::{Map, WriteNpy};
            ///
            /// [1.0, 2.0, 3.0].write_npy("x.npy")?;
            /// // SAFETY: the file is ours alone.
            /// let map = unsafe { Map::<f64>::open("x.npy")? };
            /// assert_eq!(map.header().dtype().to_string(), "<f8");
            /// # Ok::<(), Box<dyn std::error::Error>>(())
            /// ```
            pub fn header(&self) -> &Header {
                &self.located.header
            }

            /// Returns the dimensions; an empty slice for a 0-d array.
            ///
            /// ```
            /// # let dir = tempfile::tempdir()?;
            /// # std::env::set_current_dir(&dir)?;
            /// use npy_core::{Map, NpyArray, WriteNpy};
            ///
            /// NpyArray::new(vec![1, 2, 3, 4, 5, 6], [2, 3])?.write_npy("grid.npy")?;
            /// // SAFETY: the file is ours alone.
            /// let map = unsafe { Map::<i32>::open("grid.npy")? };
            /// assert_eq!(map.shape(), [2, 3]);
            /// # Ok::<(), Box<dyn std::error::Error>>(())
            /// ```
            pub fn shape(&self) -> &[usize] {
                &self.located.shape
            }

            /// Returns the order in which the elements are in the file.
            ///
            /// ```
            /// # let dir = tempfile::tempdir()?;
            /// # std::env::set_current_dir(&dir)?;
            /// use npy_core::{Map, NpyArray, Order, WriteNpy};
            ///
            /// NpyArray::new(vec![1, 2, 3, 4, 5, 6], [2, 3])?.write_npy("grid.npy")?;
            /// // SAFETY: the file is ours alone.
            /// let map = unsafe { Map::<i32>::open("grid.npy")? };
            /// assert_eq!(map.order(), Order::C);
            /// # Ok::<(), Box<dyn std::error::Error>>(())
            /// ```
            pub fn order(&self) -> Order {
                self.located.order
            }

            /// Returns the elements in the order of the file, like the slice that the map dereferences to.
            ///
            /// ```
            /// # let dir = tempfile::tempdir()?;
            /// # std::env::set_current_dir(&dir)?;
            /// use npy_core::{Map, NpyArray, WriteNpy};
            ///
            /// NpyArray::new(vec![1, 2, 3, 4, 5, 6], [2, 3])?.write_npy("grid.npy")?;
            /// // SAFETY: the file is ours alone.
            /// let map = unsafe { Map::<i32>::open("grid.npy")? };
            /// assert_eq!(map.as_slice_memory_order(), [1, 2, 3, 4, 5, 6]);
            /// # Ok::<(), Box<dyn std::error::Error>>(())
            /// ```
            pub fn as_slice_memory_order(&self) -> &[T] {
                // `locate` has checked length and address.
                checked::some(values(self.data(), self.located.count))
            }

            /// Returns one field of every record (`"gain"`), or a part of a field: `"head.gain"` is
            /// a field of a nested record, and `"samples[3]"` (or `"samples.3"`) is an element of a sub-array.
            ///
            /// The values are in the order of the file: of an array of several dimensions in Fortran order, the first index changes fastest.
            /// [`Reader::read_column`](crate::Reader::read_column) gives them in C order.
            ///
            /// ```
            /// # let dir = tempfile::tempdir()?;
            /// # std::env::set_current_dir(&dir)?;
            /// use npy_core::{Map, NpyRecord, WriteNpy, ZeroCopy};
            ///
            /// #[derive(NpyRecord, ZeroCopy, Clone, Copy)]
            /// #[repr(C)]
            /// struct Pick {
            ///     station: u32,
            ///     gain: f32,
            /// }
            ///
            /// [Pick { station: 7, gain: 1.5 }, Pick { station: 9, gain: 2.5 }].write_npy("picks.npy")?;
            /// // SAFETY: the file is ours alone.
            /// let map = unsafe { Map::<Pick>::open("picks.npy")? };
            /// let gain = map.column::<f32>("gain")?;
            /// assert_eq!(gain.to_vec()?, [1.5, 2.5]);
            /// # Ok::<(), Box<dyn std::error::Error>>(())
            /// ```
            ///
            /// # Errors
            ///
            /// [`ErrorKind::MissingField`] if there is no such field, and [`ErrorKind::Mismatch`]
            /// if its type is not `F`.
            pub fn column<F: ZeroCopy>(&self, path: &str) -> Result<Column<'_, F>> {
                let column = Column::new(self.header(), self.data(), path, None, &self.limits);
                let column = column.map_err(|error| error.in_file(&self.path))?;
                Ok(column.within(Places::of(vec![Place::Path(self.path.clone())])))
            }
        }

        /// The elements in the order of the file.
        impl<T: ZeroCopy> Deref for $map<T> {
            type Target = [T];

            fn deref(&self) -> &[T] {
                self.as_slice_memory_order()
            }
        }

        impl<T> fmt::Debug for $map<T> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                let mut debug = f.debug_struct(stringify!($map));
                debug.field("header", &self.located.header).finish_non_exhaustive()
            }
        }
    )*};
}

read_access!(Map: Mmap, MapMut: MmapMut);

impl MapAny {
    /// Maps a file.
    ///
    /// ```
    /// # let dir = tempfile::tempdir()?;
    /// # std::env::set_current_dir(&dir)?;
    /// use npy_core::{MapAny, WriteNpy};
    ///
    /// [1.0, 2.0, 3.0].write_npy("x.npy")?;
    /// // SAFETY: the file is ours alone.
    /// let map = unsafe { MapAny::open("x.npy")? };
    /// assert_eq!(map.get::<f64>(2)?, 3.0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Safety
    ///
    /// The file must be left alone as the [module](self#safety) says.
    ///
    /// # Errors
    ///
    /// As [`Header::parse`]; [`ErrorKind::Io`] if the file cannot be opened or mapped,
    /// [`ErrorKind::Truncated`](crate::ErrorKind::Truncated) if it is shorter than its header says,
    /// and [`ErrorKind::Unsupported`] for Python objects.
    #[expect(unsafe_code)]
    pub unsafe fn open<P: AsRef<Path>>(path: P) -> Result<Self> {
        // SAFETY: the caller keeps the contract.
        unsafe { ReadOptions::new().map_any(path) }
    }
}

impl MapAnyMut {
    /// Maps a file, to read and to change.
    ///
    /// ```
    /// # let dir = tempfile::tempdir()?;
    /// # std::env::set_current_dir(&dir)?;
    /// use npy_core::{MapAnyMut, WriteNpy};
    ///
    /// [1.0, 2.0, 3.0].write_npy("x.npy")?;
    /// // SAFETY: the file is ours alone.
    /// let mut map = unsafe { MapAnyMut::open("x.npy")? };
    /// map.view_mut::<f64>()?[0] = 9.0;
    /// map.flush()?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Safety
    ///
    /// The file must be left alone as the [module](self#safety) says.
    ///
    /// # Errors
    ///
    /// [`ViewError::Unreadable`] if the file cannot be opened or mapped, is shorter than its header says, or has Python objects.
    #[expect(unsafe_code)]
    pub unsafe fn open<P: AsRef<Path>>(path: P) -> Result<Self, ViewError> {
        // SAFETY: the caller keeps the contract.
        unsafe { ReadOptions::new().map_any_mut(path) }
    }

    /// Creates the file of an array of zeros with the dtype, shape and order of this header, and
    /// maps it, like [`MapMut::create`].
    ///
    /// ```
    /// # let dir = tempfile::tempdir()?;
    /// # std::env::set_current_dir(&dir)?;
    /// use npy_core::{Header, MapAnyMut, Order, ReadNpy};
    ///
    /// let header = Header::new("<i2".parse()?, [4], Order::C)?;
    /// // SAFETY: the file is ours alone.
    /// let mut map = unsafe { MapAnyMut::create("counts.npy", &header)? };
    /// map.view_mut::<i16>()?[3] = 7;
    /// map.flush()?;
    /// assert_eq!(Vec::<i16>::read_npy("counts.npy")?, [0, 0, 0, 7]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Safety
    ///
    /// The file must be left alone as the [module](self#safety) says.
    ///
    /// # Errors
    ///
    /// [`ViewError::Unreadable`] if the file cannot be created, the disk is full, or the dtype has Python objects.
    #[expect(unsafe_code)]
    pub unsafe fn create<P: AsRef<Path>>(path: P, header: &Header) -> Result<Self, ViewError> {
        let path = path.as_ref();
        // SAFETY: the caller keeps the contract.
        let map = unsafe { create(path, header, whole_file::allocate) }?;
        MapAnyMut::new(map, path, &Limits::default())
    }
}

/// Maps files with options. The limits apply to headers, and to values that are decoded later.
impl ReadOptions {
    /// Maps a file; see [`Map::open`].
    ///
    /// ```
    /// use npy_core::{Limits, ReadOptions, WriteNpy};
    ///
    /// # let dir = tempfile::tempdir()?;
    /// # std::env::set_current_dir(&dir)?;
    /// [1.5f64, 2.5].write_npy("x.npy")?;
    /// let mut limits = Limits::default();
    /// limits.array_bytes = Some(16);
    /// // SAFETY: the file is ours alone.
    /// let map = unsafe { ReadOptions::new().limits(limits).map::<f64>("x.npy")? };
    /// assert_eq!(map[1], 2.5);
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    ///
    /// # Safety
    ///
    /// The file must be left alone as the [module](self#safety) says.
    ///
    /// # Errors
    ///
    /// As [`Map::open`].
    #[expect(unsafe_code)]
    pub unsafe fn map<T: ZeroCopy>(&self, path: impl AsRef<Path>) -> Result<Map<T>, ViewError> {
        let path = path.as_ref();
        // SAFETY: the caller keeps the contract.
        Map::new(unsafe { map(path) }?, None, path, self.limit())
    }

    /// Maps a file, to read and to change; see [`MapMut::open`].
    ///
    /// ```
    /// # let dir = tempfile::tempdir()?;
    /// # std::env::set_current_dir(&dir)?;
    /// use npy_core::{ReadOptions, WriteNpy};
    ///
    /// [1.0, 2.0, 3.0].write_npy("x.npy")?;
    /// // SAFETY: the file is ours alone.
    /// let mut map = unsafe { ReadOptions::new().map_mut::<f64>("x.npy")? };
    /// map[0] = 9.0;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Safety
    ///
    /// The file must be left alone as the [module](self#safety) says.
    ///
    /// # Errors
    ///
    /// As [`MapMut::open`].
    #[expect(unsafe_code)]
    pub unsafe fn map_mut<T: ZeroCopy>(
        &self,
        path: impl AsRef<Path>,
    ) -> Result<MapMut<T>, ViewError> {
        let path = path.as_ref();
        // SAFETY: the caller keeps the contract.
        MapMut::new(unsafe { map_mut(path) }?, None, path, self.limit())
    }

    /// Maps a file; changes stay in this map. See [`MapMut::open_copy_on_write`].
    ///
    /// ```
    /// # let dir = tempfile::tempdir()?;
    /// # std::env::set_current_dir(&dir)?;
    /// use npy_core::{ReadOptions, WriteNpy};
    ///
    /// [1.0, 2.0, 3.0].write_npy("x.npy")?;
    /// // SAFETY: nobody else changes the file.
    /// let mut map = unsafe { ReadOptions::new().map_copy_on_write::<f64>("x.npy")? };
    /// map[0] = 9.0; // in this map only
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Safety
    ///
    /// The file must be left alone as the [module](self#safety) says.
    ///
    /// # Errors
    ///
    /// As [`MapMut::open_copy_on_write`].
    #[expect(unsafe_code)]
    pub unsafe fn map_copy_on_write<T: ZeroCopy>(
        &self,
        path: impl AsRef<Path>,
    ) -> Result<MapMut<T>, ViewError> {
        let path = path.as_ref();
        let copy = |file: &File| {
            // SAFETY: the caller keeps the contract.
            unsafe { MmapOptions::new().map_copy(file) }
        };
        let map = open_mapped(path, || File::open(path), copy)?;
        MapMut::new(map, None, path, self.limit())
    }

    /// Maps a file of any layout; see [`MapAny::open`]. The [cast](Self::cast) applies to elements
    /// when they are decoded.
    ///
    /// ```
    /// # let dir = tempfile::tempdir()?;
    /// # std::env::set_current_dir(&dir)?;
    /// use npy_core::{Cast, ReadOptions, WriteNpy};
    ///
    /// [1.0, 2.0, 3.0].write_npy("x.npy")?;
    /// // SAFETY: the file is ours alone.
    /// let map = unsafe { ReadOptions::new().cast(Cast::Numeric).map_any("x.npy")? };
    /// assert_eq!(map.get::<f32>(2)?, 3.0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Safety
    ///
    /// The file must be left alone as the [module](self#safety) says.
    ///
    /// # Errors
    ///
    /// As [`MapAny::open`].
    #[expect(unsafe_code)]
    pub unsafe fn map_any(&self, path: impl AsRef<Path>) -> Result<MapAny> {
        let path = path.as_ref();
        // SAFETY: the caller keeps the contract.
        let map = unsafe { map(path) }?;
        let all = 0..map.len();
        MapAny::new(Arc::new(map), all, path, None, self)
    }

    /// Maps a file of any layout, to read and to change; see [`MapAnyMut::open`].
    ///
    /// ```
    /// # let dir = tempfile::tempdir()?;
    /// # std::env::set_current_dir(&dir)?;
    /// use npy_core::{ReadOptions, WriteNpy};
    ///
    /// [1.0, 2.0, 3.0].write_npy("x.npy")?;
    /// // SAFETY: the file is ours alone.
    /// let map = unsafe { ReadOptions::new().map_any_mut("x.npy")? };
    /// assert_eq!(map.view::<f64>()?[2], 3.0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Safety
    ///
    /// The file must be left alone as the [module](self#safety) says.
    ///
    /// # Errors
    ///
    /// As [`MapAnyMut::open`].
    #[expect(unsafe_code)]
    pub unsafe fn map_any_mut(&self, path: impl AsRef<Path>) -> Result<MapAnyMut, ViewError> {
        let path = path.as_ref();
        // SAFETY: the caller keeps the contract.
        MapAnyMut::new(unsafe { map_mut(path) }?, path, self.limit())
    }
}

/// Maps a file, to read.
///
/// # Safety
///
/// As [`Map::open`].
#[expect(unsafe_code)]
pub(crate) unsafe fn map(path: &Path) -> Result<Mmap, ViewError> {
    // SAFETY: the caller keeps the contract.
    open_mapped(path, || File::open(path), |file| unsafe { Mmap::map(file) })
}

/// Maps a file, to read and to change.
///
/// # Safety
///
/// As [`MapMut::open`].
#[expect(unsafe_code)]
unsafe fn map_mut(path: &Path) -> Result<MmapMut, ViewError> {
    let open = || File::options().read(true).write(true).open(path).map_err(read_only);
    let map = |file: &File| {
        // SAFETY: the caller keeps the contract.
        unsafe { MmapMut::map_mut(file) }.map_err(read_only)
    };
    open_mapped(path, open, map)
}

/// Creates the file of an array of zeros with this header, and maps it; `extend` sets its length.
///
/// # Safety
///
/// As [`MapMut::create`].
#[expect(unsafe_code)]
unsafe fn create(path: &Path, header: &Header, extend: Extend) -> Result<MmapMut, ViewError> {
    let create = || create_file(path, header, extend);
    // SAFETY: the caller keeps the contract.
    open_mapped(path, create, |file| unsafe { MmapMut::map_mut(file) })
}

/// Opens a file and maps it. Errors name the path.
fn open_mapped<M, E: Into<Error>>(
    path: &Path,
    open: impl FnOnce() -> Result<File, E>,
    map: impl FnOnce(&File) -> io::Result<M>,
) -> Result<M, ViewError> {
    let file = open().map_err(|error| unreadable(error.into(), path))?;
    map(&file).map_err(|error| {
        if file.metadata().is_ok_and(|metadata| metadata.is_dir()) {
            let reason = "it is a directory; name a file in the directory";
            return unreadable(io::Error::new(io::ErrorKind::IsADirectory, reason).into(), path);
        }
        let reason =
            format!("it cannot be mapped ({error}); if it can be read, read_npy copies it");
        unreadable(io::Error::new(error.kind(), reason).into(), path)
    })
}

/// A function that sets the length of a file.
type Extend = fn(&File, u64) -> io::Result<()>;

/// Returns the header of a new array of `T`. Errors name the path.
fn new_header<T: ZeroCopy>(
    path: &Path,
    shape: &[usize],
    order: Order,
) -> Result<Header, ViewError> {
    let item = ItemShape::of(&T::memory_dtype());
    let full_shape = item.array(shape);
    let header = if item.is_strided(&full_shape, order) {
        // Such a file could not be viewed. It is refused here, before an old file is replaced.
        let name = type_name::<T>();
        let what = format!("a new map of {name} in Fortran order, which would separate its parts,");
        let needs =
            "C order, or the number as its type: then the last dimensions are those of the array";
        Err(ErrorKind::Unsupported { what, needs }.into())
    } else {
        Header::new(item.base, full_shape, order)
    };
    header.map_err(|error| unreadable(error, path))
}

/// Creates the file of an array with this header; `extend` sets its length.
fn create_file(path: &Path, header: &Header, extend: Extend) -> Result<File> {
    header.without_objects()?;
    let bytes = header.to_bytes()?;
    let length = limits::to_u64(bytes.len()).saturating_add(header.data_bytes());
    // An existing file is replaced only after the new one has its length.
    let (mut file, target) = replace::begin(path, Existing::Replace, false)?;
    if target.directory().is_none() {
        let reason = "only a regular file can be created and mapped; use a path of its own";
        return Err(io::Error::new(io::ErrorKind::InvalidInput, reason).into());
    }
    file.write_all(&bytes)?;
    extend(&file, length)?;
    target.commit(file)
}

/// Adds a remedy to the error if the program may not write the file.
fn read_only(error: io::Error) -> io::Error {
    use io::ErrorKind::{PermissionDenied, ReadOnlyFilesystem};
    if !matches!(error.kind(), PermissionDenied | ReadOnlyFilesystem) {
        return error;
    }
    let reason = format!(
        "{error}; if it may be read, use Map::open, or MapMut::open_copy_on_write to change a copy"
    );
    io::Error::new(error.kind(), reason)
}

/// Adds the path to an error.
fn in_file(error: ViewError, path: &Path) -> ViewError {
    error.located(
        |error| error.in_file(path),
        |copy| {
            if let Some(call) = copy.strip_suffix(view::OF_BYTES) {
                *copy = format!("{call}({path:?})");
            }
        },
    )
}

fn unreadable(error: Error, path: &Path) -> ViewError {
    ViewError::Unreadable(error.in_file(path))
}
