//! Arrays of any layout in a mapped file.

use std::fmt;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use memmap2::Mmap;

use super::column::Column;
use crate::checked;
use crate::element::cast::zero_copy::ZeroCopy;
use crate::element::decode::decode_all;
use crate::element::typed_plan::TypedPlan;
use crate::element::{Element, block};
use crate::error::{Error, Place, Places, Result, counted};
use crate::header::Header;
use crate::limits::{self, Limits};
use crate::read::ReadOptions;
use crate::shape;
use crate::view::data_range;

/// An array of any layout in a mapped file. Each element is decoded when it is requested.
///
/// As with [`ReadNpy`](crate::ReadNpy), byte order, padding and the order of fields do not matter, and fields that the type lacks
/// are skipped. [`ReadOptions::map_any`](crate::ReadOptions::map_any) also converts by a [`Cast`](crate::Cast).
///
/// ```
/// use npy_core::{ByteOrder, MapAny, WriteOptions};
///
/// # let dir = tempfile::tempdir()?;
/// # std::env::set_current_dir(&dir)?;
/// WriteOptions::new().byte_order(ByteOrder::Big).write("x.npy", &[1.5f64, 2.5, 3.5])?;
/// // SAFETY: the file is ours alone.
/// let map = unsafe { MapAny::open("x.npy")? };
/// assert_eq!(map.get::<f64>(2)?, 3.5);
/// assert_eq!(map.read::<f64>(0..2)?, [1.5, 2.5]);
/// # Ok::<(), npy_core::Error>(())
/// ```
pub struct MapAny {
    pub(super) map: Arc<Mmap>,
    header: Header,
    data: Range<usize>,
    pub(super) path: PathBuf,
    /// The name of the member, if the file is an archive.
    member: Option<String>,
    options: ReadOptions,
}

impl MapAny {
    /// Finds the array in the range `part` of the mapped file.
    pub(crate) fn new(
        map: Arc<Mmap>,
        part: Range<usize>,
        path: &Path,
        member: Option<&str>,
        options: &ReadOptions,
    ) -> Result<Self> {
        let open = |part: &Range<usize>| {
            let bytes = checked::slice(&map[..], part.clone());
            let (header, data) = header_and_data(bytes, options.limit())?;
            let in_map = |at: usize| checked::add(part.start, at);
            Ok((header, in_map(data.start)..in_map(data.end)))
        };
        let (header, data) = open(&part).map_err(|error| places(path, member).locate(error))?;
        let (path, member) = (path.to_owned(), member.map(str::to_owned));
        Ok(MapAny { map, header, data, path, member, options: options.clone() })
    }

    /// Returns the header.
    ///
    /// ```
    /// # let dir = tempfile::tempdir()?;
    /// # std::env::set_current_dir(&dir)?;
    /// use npy_core::{MapAny, WriteNpy};
    ///
    /// [1.0, 2.0, 3.0].write_npy("x.npy")?;
    /// // SAFETY: the file is ours alone.
    /// let map = unsafe { MapAny::open("x.npy")? };
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
    /// use npy_core::{MapAny, NpyArray, WriteNpy};
    ///
    /// NpyArray::new(vec![0.5f32; 6], [2, 3])?.write_npy("x.npy")?;
    /// // SAFETY: the file is ours alone.
    /// let map = unsafe { MapAny::open("x.npy")? };
    /// assert_eq!(map.shape(), [2, 3]);
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    pub fn shape(&self) -> &[usize] {
        self.header.shape()
    }

    /// Returns the number of elements.
    ///
    /// ```
    /// use npy_core::{MapAny, NpyArray, WriteNpy};
    ///
    /// # let dir = tempfile::tempdir()?;
    /// # std::env::set_current_dir(&dir)?;
    /// NpyArray::new(vec![0.5f32; 6], [2, 3])?.write_npy("x.npy")?;
    /// // SAFETY: the file is ours alone.
    /// let map = unsafe { MapAny::open("x.npy")? };
    /// assert_eq!(map.len(), 6);
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    pub fn len(&self) -> usize {
        self.header.count()
    }

    /// Returns true if the array has no elements.
    ///
    /// ```
    /// use npy_core::{MapAny, WriteNpy};
    ///
    /// # let dir = tempfile::tempdir()?;
    /// # std::env::set_current_dir(&dir)?;
    /// Vec::<f32>::new().write_npy("x.npy")?;
    /// // SAFETY: the file is ours alone.
    /// let map = unsafe { MapAny::open("x.npy")? };
    /// assert!(map.is_empty());
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the data as it is in the file: the elements, with their padding, in the order and
    /// the byte orders of the file.
    ///
    /// ```
    /// use npy_core::{MapAny, WriteNpy};
    ///
    /// # let dir = tempfile::tempdir()?;
    /// # std::env::set_current_dir(&dir)?;
    /// [1i16, -1].write_npy("x.npy")?;
    /// // SAFETY: the file is ours alone.
    /// let map = unsafe { MapAny::open("x.npy")? };
    /// assert_eq!(map.as_bytes(), [1, 0, 0xff, 0xff]);
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    pub fn as_bytes(&self) -> &[u8] {
        self.data()
    }

    /// Returns the element at this position in the file.
    ///
    /// ```
    /// # let dir = tempfile::tempdir()?;
    /// # std::env::set_current_dir(&dir)?;
    /// use npy_core::{MapAny, WriteNpy};
    ///
    /// [1.0, 2.0, 3.0].write_npy("x.npy")?;
    /// // SAFETY: the file is ours alone.
    /// let map = unsafe { MapAny::open("x.npy")? };
    /// assert_eq!(map.get::<f64>(1)?, 2.0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`MapAny::read`].
    pub fn get<T: Element>(&self, index: usize) -> Result<T> {
        let found = self.read(index..index.saturating_add(1))?.pop();
        found.ok_or_else(|| self.located(self.out_of_range(&format!("no element {index}"))))
    }

    /// Returns the elements at these positions in the file.
    ///
    /// ```
    /// # let dir = tempfile::tempdir()?;
    /// # std::env::set_current_dir(&dir)?;
    /// use npy_core::{MapAny, WriteNpy};
    ///
    /// [1.0, 2.0, 3.0].write_npy("x.npy")?;
    /// // SAFETY: the file is ours alone.
    /// let map = unsafe { MapAny::open("x.npy")? };
    /// assert_eq!(map.read::<f64>(1..3)?, [2.0, 3.0]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Shape`](crate::ErrorKind::Shape) if the range is not in the array; otherwise as [`Reader::records`](crate::Reader::records).
    pub fn read<T: Element>(&self, range: Range<usize>) -> Result<Vec<T>> {
        self.decode(range).map_err(|error| self.located(error))
    }

    /// Returns one field of every record; see [`Map::column`](super::Map::column). The field may
    /// have another byte order than `F`, and the options may allow a cast. A cast that must check
    /// each value is an error.
    ///
    /// ```
    /// # let dir = tempfile::tempdir()?;
    /// # std::env::set_current_dir(&dir)?;
    /// use npy_core::{MapAny, NpyRecord, WriteNpy, ZeroCopy};
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
    /// let map = unsafe { MapAny::open("picks.npy")? };
    /// assert_eq!(map.column::<f32>("gain")?.to_vec()?, [1.5, 2.5]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`Map::column`](super::Map::column).
    pub fn column<F: ZeroCopy>(&self, path: &str) -> Result<Column<'_, F>> {
        let (cast, limits) = (self.options.allowed_cast(), self.options.limit());
        let column = Column::new(&self.header, self.data(), path, Some(cast), limits);
        let column = column.map_err(|error| self.located(error))?;
        Ok(column.within(self.places()))
    }

    fn located(&self, error: Error) -> Error {
        self.places().locate(error)
    }

    fn places(&self) -> Places {
        places(&self.path, self.member.as_deref())
    }

    fn data(&self) -> &[u8] {
        // `new` has checked that the range is in the file.
        checked::slice(&self.map[..], self.data.clone())
    }

    fn decode<T: Element>(&self, range: Range<usize>) -> Result<Vec<T>> {
        let plan = TypedPlan::new::<T>(&self.header, self.options.allowed_cast())?;
        plan.check_contiguous("the whole array: NpyArray::read_npy")?;
        let plan = &plan.items;
        let Range { start, end } = range;
        if start > end {
            return Err(
                self.out_of_range(&format!("the range {start}..{end} ends before its start"))
            );
        }
        if limits::to_u64(end) > plan.count {
            let reason = match end.checked_sub(start) {
                Some(1) => format!("no element {start}"),
                _ => {
                    let all = counted(plan.count, "element");
                    format!("the range {start}..{end} ends after the {all}")
                }
            };
            return Err(self.out_of_range(&reason));
        }
        decode_all(&plan.plan, range, self.options.limit(), |block, rows| {
            block.extend_from_slice(block::bytes_of(self.data(), rows, plan.plan.src_itemsize));
        })
    }

    fn out_of_range(&self, reason: &str) -> Error {
        let reason = format!("{reason}; elements are counted from 0, in the order of the file");
        shape::invalid(self.header.shape(), reason)
    }
}

/// Reads the header, and returns it with the range of the data.
pub(crate) fn header_and_data(file: &[u8], limits: &Limits) -> Result<(Header, Range<usize>)> {
    let (header, start) = Header::parse_with(file, limits)?;
    header.without_objects()?;
    limits.check_array(header.data_bytes())?;
    let data = data_range(&header, start, file)?;
    Ok((header, data))
}

/// Returns the file, and the member, if there is one.
fn places(path: &Path, member: Option<&str>) -> Places {
    let member = member.map(|member| Place::Member(member.to_owned()));
    Places::of([Place::Path(path.to_owned())].into_iter().chain(member).collect())
}

impl fmt::Debug for MapAny {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MapAny").field("header", &self.header).finish_non_exhaustive()
    }
}
