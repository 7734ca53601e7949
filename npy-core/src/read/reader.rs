//! The reader: a source of bytes, the header, and the position in the array.

use std::fmt;
use std::io::Read;

use super::ReadOptions;
use super::data::Data;
use super::header::read_header;
use super::source::Source;
use crate::element::block::Buffers;
use crate::element::typed_plan::{ItemPlan, TypedPlan};
use crate::element::{Element, type_name};
use crate::error::{Error, ErrorKind, Place, Result};
use crate::header::{Header, Payload};
use crate::limits::{self, Limits, to_u64};
use crate::pickle::Encoding;
use crate::plan::Cast;
use crate::shape::Order;

/// An array that is being read: the header first, then the elements.
///
/// ```
/// use npy_core::{Reader, WriteNpy};
///
/// let mut file = Vec::new();
/// [1.0f64, 2.0].write_npy_to(&mut file)?;
///
/// let mut reader = Reader::new(&file[..])?;
/// assert_eq!(reader.header().shape(), [2]);
/// assert_eq!(reader.read_vec::<f64>()?, [1.0, 2.0]);
/// assert_eq!(reader.remaining(), 0);
/// # Ok::<(), npy_core::Error>(())
/// ```
///
/// When the array is read in parts, up to 256 KiB are read ahead, but never past the end of the array. Elements that you do not consume
/// stay in the reader.
pub struct Reader<R> {
    /// The data, and the position in it.
    pub(super) data: Data<R>,
    pub(super) header: Header,
    /// The number of bytes before the data, from the start of the header.
    data_offset: u64,
    /// The plan for the type that was read last.
    pub(super) plan: Option<TypedPlan>,
    /// The buffers of the last chunk; the next chunk uses them again if it has the same plan.
    pub(super) buffers: Buffers,
    pub(super) cast: Cast,
    pub(super) limits: Limits,
    /// The memory order that was asked for.
    pub(super) order: Option<Order>,
    pub(super) encoding: Encoding,
    /// The places to name in errors, innermost first.
    places: Vec<Place>,
}

impl<R> Reader<R> {
    /// Returns the header.
    ///
    /// ```
    /// use npy_core::{Reader, WriteNpy};
    ///
    /// let mut file = Vec::new();
    /// [1.0, 2.0, 3.0].write_npy_to(&mut file)?;
    /// let reader = Reader::new(&file[..])?;
    /// assert_eq!(reader.header().shape(), [3]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// Returns the offset of the data: the number of bytes before the first element, from the start of the header. It is 0 for data without a
    /// header ([`headerless`](Self::headerless)).
    ///
    /// ```
    /// use npy_core::{Reader, WriteNpy};
    ///
    /// let mut file = Vec::new();
    /// [1.5_f64].write_npy_to(&mut file)?;
    /// let reader = Reader::new(&file[..])?;
    /// assert_eq!(reader.data_offset(), 128);
    /// assert_eq!(file[128..], 1.5_f64.to_le_bytes());
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    pub fn data_offset(&self) -> u64 {
        self.data_offset
    }

    /// Treats the array as one of one dimension, whose elements are in the order of the file. So an array of any shape can be read in parts of
    /// any size: also one whose rows are large, or in Fortran order, and a single element.
    ///
    /// ```
    /// use npy_core::{NpyArray, Order, Reader, WriteNpy};
    ///
    /// let mut file = Vec::new();
    /// NpyArray::with_order((0u8..6).collect(), [3, 2], Order::Fortran)?.write_npy_to(&mut file)?;
    ///
    /// let mut reader = Reader::new(&file[..])?.flatten()?;
    /// assert_eq!(reader.header().shape(), [6]);
    /// assert_eq!(reader.read_dyn_chunk(4)?.to_vec::<u8>()?, [0, 1, 2, 3]);
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Unsupported`] if a part of the array was read before; [`ErrorKind::Shape`] on a 32-bit target if there are more
    /// elements than a `usize` counts.
    pub fn flatten(mut self) -> Result<Self> {
        if self.data.elements_before() > 0 {
            let (what, needs) =
                ("flattening an array after a part of it was read".into(), "a new reader");
            return Err(ErrorKind::Unsupported { what, needs }.into());
        }
        let count = limits::to_usize(self.header.elements())?;
        self.header = self.header.with_shape(vec![count], Order::C)?;
        self.plan = None;
        Ok(self)
    }

    /// Sets the memory order of arrays that are read whole, like [`ReadOptions::order`]: for a type that can only hold one order.
    ///
    /// ```
    /// use std::io::Read;
    ///
    /// use npy_core::{NpyArray, Order, ReadNpy, Reader, Result, WriteNpy, WriteOptions};
    ///
    /// /// A tensor of another library, in C order.
    /// struct Tensor(Vec<f32>, Vec<usize>);
    ///
    /// impl ReadNpy for Tensor {
    ///     fn read_npy_array<R: Read>(reader: &mut Reader<R>) -> Result<Self> {
    ///         let array: NpyArray<f32> = reader.set_order(Order::C).read_array()?;
    ///         let shape = array.shape().to_vec();
    ///         Ok(Tensor(array.into_vec_memory_order(), shape))
    ///     }
    /// }
    ///
    /// let matrix = NpyArray::new(vec![1.0f32, 2.0, 3.0, 4.0], [2, 2])?;
    /// let mut file = Vec::new();
    /// WriteOptions::new().order(Order::Fortran).write_to(&mut file, &matrix)?;
    /// assert_eq!(Tensor::read_npy_from(&file[..])?.0, [1.0, 2.0, 3.0, 4.0]);
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    pub fn set_order(&mut self, order: Order) -> &mut Self {
        self.order = Some(order);
        self
    }

    /// Returns the number of elements of the array that have not been read yet. On a 32-bit target, this is `usize::MAX` if there are more.
    ///
    /// Elements are those of the dtype: a `[u8; 3]` that is read from an array of shape `(n, 3)` is three of them.
    ///
    /// ```
    /// use npy_core::{Reader, WriteNpy};
    ///
    /// let mut file = Vec::new();
    /// [1.0, 2.0, 3.0].write_npy_to(&mut file)?;
    /// let mut reader = Reader::new(&file[..])?;
    /// reader.read_chunk::<f64>(&mut Vec::new(), 2)?;
    /// assert_eq!(reader.remaining(), 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn remaining(&self) -> usize {
        usize::try_from(self.data.elements_left()).unwrap_or(usize::MAX)
    }

    /// Returns the same reader, whose errors name this place.
    pub(crate) fn within(mut self, place: Place) -> Self {
        self.places.push(place);
        self
    }

    /// Returns the stream; `None` for a file that was opened here.
    #[cfg(feature = "npz")]
    pub(crate) fn inner(&self) -> Option<&R> {
        self.data.source.inner()
    }

    pub(super) fn into_header(self) -> Header {
        self.header
    }

    /// Returns the number of values of this plan's type that have not been read yet, at most `usize::MAX`.
    #[inline]
    pub(super) fn items_left(&self, plan: &ItemPlan) -> usize {
        let left = plan.count.saturating_sub(self.data.next_index(plan));
        usize::try_from(left).unwrap_or(usize::MAX)
    }

    /// Returns the index of the next value, for errors; `usize::MAX` if the index does not fit in a `usize`.
    pub(super) fn next_row(&self, plan: &ItemPlan) -> usize {
        usize::try_from(self.data.next_index(plan)).unwrap_or(usize::MAX)
    }

    /// Returns the number of values to read next: all that remain, but at most `max`.
    ///
    /// # Errors
    ///
    /// If reading these values exceeds the limits.
    pub(super) fn allowed_items<T>(&self, plan: &ItemPlan, max: usize) -> Result<usize> {
        let count = self.items_left(plan).min(max);
        plan.check_zero_size_items::<T>(count, &self.limits)?;
        self.check_allowed(to_u64(count).saturating_mul(to_u64(plan.plan.src_itemsize)))?;
        Ok(count)
    }

    /// Adds the places of the array to an error.
    pub(crate) fn in_file(&self, error: Error) -> Error {
        self.places.iter().cloned().fold(error, Error::within)
    }

    /// Runs `read`, and adds the places of the array to its error.
    pub(crate) fn located<A>(&mut self, read: impl FnOnce(&mut Self) -> Result<A>) -> Result<A> {
        read(self).map_err(|error| self.in_file(error))
    }

    /// Runs `read` with the plan for `T`, which is kept for the next read.
    pub(super) fn with_plan<T: Element, A>(
        &mut self,
        read: impl FnOnce(&mut Self, &TypedPlan) -> Result<A>,
    ) -> Result<A> {
        self.located(|reader| {
            let plan = reader.take_plan::<T>()?;
            let result = read(reader, &plan);
            reader.plan = Some(plan);
            result
        })
    }

    /// Returns the plan for `T`: the stored one, or a new one.
    pub(super) fn take_plan<T: Element>(&mut self) -> Result<TypedPlan> {
        let plan = match self.plan.take() {
            Some(plan) if plan.is_for::<T>() => plan,
            _ => {
                // New buffers, as padding must be zero, and the old ones may have data where this plan has padding.
                self.buffers = Buffers::default();
                TypedPlan::new::<T>(&self.header, self.cast)?
            }
        };
        if self.data.is_between(plan.items.per_item) {
            return Ok(plan);
        }
        let what = "reading sub-arrays from the middle of one".into();
        let needs = "a position at the start of one: first read its remaining parts with their type, or seek to a row";
        Err(ErrorKind::Unsupported { what, needs }.into())
    }

    /// Refuses to read a whole array after a part of it was read.
    pub(super) fn check_nothing_read(&self) -> Result<()> {
        if self.data.is_lost() || self.data.is_at_start() {
            return Ok(());
        }
        let what = "reading a whole array after a part of it was read".into();
        let needs = "a new reader: open the file again";
        Err(ErrorKind::Unsupported { what, needs }.into())
    }

    /// Refuses to read this many bytes of data after a read that failed, or if they are over the limit.
    #[inline]
    pub(super) fn check_allowed(&self, bytes: u64) -> Result<()> {
        self.data.check()?;
        self.limits.check_array(bytes)
    }

    /// The error for an array that is not a list.
    pub(super) fn no_list<A>(&self) -> Error {
        let is_single = self.header.shape().is_empty();
        let remedy = match self.header.payload() {
            Payload::Pickle if is_single => {
                "the file has a single Python object: read it with npy_core::object::load, or as npy_core::Objects"
            }
            Payload::Items if is_single => {
                "read it as the element itself, without Vec, or as an NpyArray, which takes any shape"
            }
            _ => "read it as an NpyArray, which takes any shape",
        };
        self.header.rank(&type_name::<A>(), "one dimension", remedy)
    }

    /// The error for an array that is not a single element.
    pub(super) fn no_single<A>(&self) -> Error {
        let remedy = "read it as a Vec, or as an NpyArray, which takes any shape";
        self.header.rank(&type_name::<A>(), "a single element", remedy)
    }
}

impl<R: Read> Reader<R> {
    /// Reads the header of an array.
    pub(super) fn start(mut source: Source<R>, options: &ReadOptions) -> Result<Self> {
        let (header, bytes) = read_header(&mut source, &options.limits)?;
        Ok(Reader::of_data(source, header, to_u64(bytes), options))
    }

    /// Starts at the data of an array, which comes next in the source.
    pub(super) fn of_data(
        source: Source<R>,
        header: Header,
        data_offset: u64,
        options: &ReadOptions,
    ) -> Self {
        let &ReadOptions { cast, limits, order, encoding, .. } = options;
        Reader {
            data: Data::new(source, &header),
            header,
            data_offset,
            plan: None,
            buffers: Buffers::default(),
            cast,
            limits,
            order,
            encoding,
            places: Vec::new(),
        }
    }

    /// Returns true if bytes of the array are missing in the source, or may be missing.
    pub(super) fn may_be_short(&self) -> bool {
        let bytes = self.data.bytes();
        self.header.payload() == Payload::Items
            && self.data.source.available(bytes).is_none_or(|found| found < bytes)
    }

    /// Refuses to read all that remains if the source is known to be too short; returns true if it is known to be long enough.
    pub(super) fn check_available(&self) -> Result<bool> {
        let bytes = self.data.bytes_left();
        self.check_allowed(bytes)?;
        self.data.check_exist(bytes)
    }
}

impl<R> fmt::Debug for Reader<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut debug = f.debug_struct("Reader");
        debug.field("header", &self.header).field("remaining", &self.remaining());
        debug.finish_non_exhaustive()
    }
}
