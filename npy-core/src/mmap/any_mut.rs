//! Arrays in a mapped file that can be changed, with a dtype known only at run time.

use std::fmt;
use std::ops::Range;
use std::path::{Path, PathBuf};

use memmap2::MmapMut;

use super::any::header_and_data;
use super::{in_file, unreadable};
use crate::array::{NpyView, NpyViewMut};
use crate::checked;
use crate::element::cast::zero_copy::ZeroCopy;
use crate::error::{Error, Result, ViewError};
use crate::header::Header;
use crate::limits::Limits;

/// An array in a mapped file, to be changed in place; its dtype is known only at run time.
///
/// Its elements can be changed as bytes, or as values of a Rust type that has the same bytes in
/// memory.
///
/// ```
/// use npy_core::{DynArray, Header, MapAnyMut, NpyArray, Order, ReadNpy};
///
/// # let dir = tempfile::tempdir()?;
/// # std::env::set_current_dir(&dir)?;
/// // The dtype could be that of another file.
/// let header = Header::new("<i2".parse()?, [2, 3], Order::Fortran)?;
/// // SAFETY: the file is ours alone.
/// let mut map = unsafe { MapAnyMut::create("x.npy", &header)? };
/// map.as_bytes_mut()[..2].copy_from_slice(&[1, 0]);
/// # if cfg!(target_endian = "little") {
/// *map.view_mut::<i16>()?.at_mut(&[0, 2]).unwrap() = 5;
/// map.flush()?;
/// assert_eq!(NpyArray::<i16>::read_npy("x.npy")?.into_vec(), [1, 0, 5, 0, 0, 0]);
/// # }
/// # Ok::<(), npy_core::Error>(())
/// ```
#[doc(alias("memmap"))]
pub struct MapAnyMut {
    pub(super) map: MmapMut,
    header: Header,
    data: Range<usize>,
    pub(super) path: PathBuf,
    limits: Limits,
}

impl MapAnyMut {
    pub(super) fn new(map: MmapMut, path: &Path, limits: &Limits) -> Result<Self, ViewError> {
        let parsed = header_and_data(&map, limits);
        let (header, data) = parsed.map_err(|error| unreadable(error, path))?;
        Ok(MapAnyMut { map, header, data, path: path.to_owned(), limits: *limits })
    }

    /// Returns the header.
    ///
    /// ```
    /// # let dir = tempfile::tempdir()?;
    /// # std::env::set_current_dir(&dir)?;
    /// use npy_core::{MapAnyMut, WriteNpy};
    ///
    /// [1.0, 2.0, 3.0].write_npy("x.npy")?;
    /// // SAFETY: the file is ours alone.
    /// let map = unsafe { MapAnyMut::open("x.npy")? };
    /// assert_eq!(map.header().shape(), [3]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// Returns the length of each dimension.
    ///
    /// ```
    /// # let dir = tempfile::tempdir()?;
    /// # std::env::set_current_dir(&dir)?;
    /// use npy_core::{MapAnyMut, NpyArray, WriteNpy};
    ///
    /// NpyArray::new(vec![0.5f32; 6], [2, 3])?.write_npy("x.npy")?;
    /// // SAFETY: the file is ours alone.
    /// let map = unsafe { MapAnyMut::open("x.npy")? };
    /// assert_eq!(map.shape(), [2, 3]);
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    pub fn shape(&self) -> &[usize] {
        self.header.shape()
    }

    /// Returns the data as it is in the file: the elements, with their padding, in the order and
    /// the byte orders of the file.
    ///
    /// ```
    /// # let dir = tempfile::tempdir()?;
    /// # std::env::set_current_dir(&dir)?;
    /// use npy_core::{MapAnyMut, WriteNpy};
    ///
    /// [1.0, 2.0, 3.0].write_npy("x.npy")?;
    /// // SAFETY: the file is ours alone.
    /// let map = unsafe { MapAnyMut::open("x.npy")? };
    /// assert_eq!(map.as_bytes().len(), 24);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn as_bytes(&self) -> &[u8] {
        // `new` has checked that the range is in the file.
        checked::slice(&self.map[..], self.data.clone())
    }

    /// Returns the data, to change it. Any bytes are valid elements; padding bytes should stay zero.
    ///
    /// ```
    /// # let dir = tempfile::tempdir()?;
    /// # std::env::set_current_dir(&dir)?;
    /// use npy_core::{MapAnyMut, WriteNpy};
    ///
    /// [1.0, 2.0, 3.0].write_npy("x.npy")?;
    /// // SAFETY: the file is ours alone.
    /// let mut map = unsafe { MapAnyMut::open("x.npy")? };
    /// map.as_bytes_mut().fill(0);
    /// assert_eq!(map.view::<f64>()?[2], 0.0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn as_bytes_mut(&mut self) -> &mut [u8] {
        checked::slice_mut(&mut self.map, self.data.clone())
    }

    /// Returns the elements as values of a Rust type that has the same bytes in memory.
    ///
    /// ```
    /// # let dir = tempfile::tempdir()?;
    /// # std::env::set_current_dir(&dir)?;
    /// use npy_core::{MapAnyMut, WriteNpy};
    ///
    /// [1.0, 2.0, 3.0].write_npy("x.npy")?;
    /// // SAFETY: the file is ours alone.
    /// let map = unsafe { MapAnyMut::open("x.npy")? };
    /// assert_eq!(map.view::<f64>()?[2], 3.0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`NpyView::from_bytes`].
    pub fn view<T: ZeroCopy>(&self) -> Result<NpyView<'_, T>, ViewError> {
        let view = NpyView::of_file(&self.map, &self.limits);
        view.map_err(|error| in_file(error, &self.path))
    }

    /// Returns the elements, to change them, as values of a Rust type that has the same bytes in
    /// memory.
    ///
    /// ```
    /// # let dir = tempfile::tempdir()?;
    /// # std::env::set_current_dir(&dir)?;
    /// use npy_core::{MapAnyMut, WriteNpy};
    ///
    /// [1.0, 2.0, 3.0].write_npy("x.npy")?;
    /// // SAFETY: the file is ours alone.
    /// let mut map = unsafe { MapAnyMut::open("x.npy")? };
    /// map.view_mut::<f64>()?[2] = 9.0;
    /// assert_eq!(map.view::<f64>()?[2], 9.0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`NpyView::from_bytes`].
    pub fn view_mut<T: ZeroCopy>(&mut self) -> Result<NpyViewMut<'_, T>, ViewError> {
        let view = NpyViewMut::of_file(&mut self.map, &self.limits);
        view.map_err(|error| in_file(error, &self.path))
    }

    /// Writes all changes to the disk, and waits until the disk has them. Other processes see
    /// changes at once, without this call.
    ///
    /// ```
    /// # let dir = tempfile::tempdir()?;
    /// # std::env::set_current_dir(&dir)?;
    /// use npy_core::{MapAnyMut, WriteNpy};
    ///
    /// [1.0, 2.0, 3.0].write_npy("x.npy")?;
    /// // SAFETY: the file is ours alone.
    /// let mut map = unsafe { MapAnyMut::open("x.npy")? };
    /// map.view_mut::<f64>()?[2] = 9.0;
    /// map.flush()?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Io`](crate::ErrorKind::Io).
    pub fn flush(&self) -> Result<()> {
        self.map.flush().map_err(|error| Error::from(error).in_file(&self.path))
    }
}

impl fmt::Debug for MapAnyMut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MapAnyMut").field("header", &self.header).finish_non_exhaustive()
    }
}
