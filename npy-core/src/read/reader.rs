//! The reader: its state, and every public method. `whole.rs` reads everything that remains, and `parts.rs` elements in parts.

mod any;
mod parts;
mod rows;
mod strided;
mod text;
mod whole;

use std::fmt;
use std::fs::File;
use std::io::{Read, Seek};
use std::path::Path;

use super::data::{Data, ITS_START};
use super::header::read_header;
use super::source::Source;
use super::{ReadNpy, ReadOptions};
use crate::array::NpyArray;
use crate::dtype::DType;
use crate::dynamic::DynArray;
use crate::element::block::Buffers;
use crate::element::typed_plan::{ItemPlan, TypedPlan, check_zero_size_items};
use crate::element::{Element, type_name};
use crate::error::{Error, ErrorKind, Place, Result};
use crate::header::{Header, Payload};
use crate::limits::{self, Limits, to_u64};
use crate::plan::Cast;
use crate::shape::{self, Order};
#[cfg(feature = "objects")]
use npy_pickle::Encoding;
#[cfg(feature = "serde")]
pub(crate) use parts::Items;
pub use parts::{IntoRecords, Records};
pub use rows::RowReader;

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
    #[cfg(feature = "objects")]
    pub(super) encoding: Encoding,
    /// The places to name in errors, innermost first.
    places: Vec<Place>,
}

impl Reader<File> {
    /// Opens a file and reads its header. A file that ends too early passes until its end is read; but for Python objects, the check is
    /// `data_offset() + header().data_bytes()` against the length of the file:
    ///
    /// ```
    /// # let dir = tempfile::tempdir()?;
    /// # std::env::set_current_dir(&dir)?;
    /// use npy_core::{Reader, WriteNpy};
    ///
    /// [1.0, 2.0, 3.0].write_npy("x.npy")?;
    /// let mut reader = Reader::open("x.npy")?;
    /// assert_eq!(reader.header().shape(), [3]);
    /// let length = reader.data_offset() + reader.header().data_bytes();
    /// assert_eq!(std::fs::metadata("x.npy")?.len(), length);
    /// assert_eq!(reader.read_vec::<f64>()?, [1.0, 2.0, 3.0]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`ReadNpy::read_npy`].
    pub fn open<P: AsRef<Path>>(path: P) -> Result<Self> {
        ReadOptions::new().open(path)
    }

    /// Opens a file without a header, which has the data alone, as NumPy's `tofile` writes it. Its length states the number of rows, each of
    /// the shape `row`; with `&[]`, the array has one dimension.
    ///
    /// ```
    /// use npy_core::{ByteOrder, Reader};
    ///
    /// # let dir = tempfile::tempdir()?;
    /// # std::env::set_current_dir(&dir)?;
    /// std::fs::write("x.raw", [1, 0, 2, 0, 3, 0, 4, 0])?;
    /// let mut reader = Reader::open_headerless("x.raw", "<u2".parse()?, &[2])?;
    /// assert_eq!(reader.header().shape(), [2, 2]);
    /// assert_eq!(reader.read_array::<u16>()?.into_vec(), [1, 2, 3, 4]);
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Shape`] if the file ends within a row, or a row has no bytes; [`ErrorKind::DType`] for a sub-array, whose dimensions
    /// belong in the shape; [`ErrorKind::Unsupported`] for Python objects, and for a pipe or a device, which has no length;
    /// [`ErrorKind::Io`].
    #[doc(alias("fromfile"))]
    pub fn open_headerless<P: AsRef<Path>>(path: P, dtype: DType, row: &[usize]) -> Result<Self> {
        ReadOptions::new().open_headerless(path, dtype, row)
    }
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
            let what = "flattening an array from a later position".into();
            return Err(ErrorKind::Unsupported { what, needs: ITS_START }.into());
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
}

/// Reading everything that remains.
impl<R: Read> Reader<R> {
    /// Reads the header, which must come next in `reader`, and no byte after it.
    ///
    /// ```
    /// use npy_core::{Reader, WriteNpy};
    ///
    /// let mut file = Vec::new();
    /// [1.0, 2.0, 3.0].write_npy_to(&mut file)?;
    /// let mut reader = Reader::new(&file[..])?;
    /// assert_eq!(reader.read_vec::<f64>()?, [1.0, 2.0, 3.0]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`ReadNpy::read_npy`].
    pub fn new(reader: R) -> Result<Self> {
        ReadOptions::new().reader(reader)
    }

    /// Starts at the data of an array without a header, which comes next in `reader`, in C order. For data in Fortran order, reverse the shape.
    /// A part of a file is read by seeking to its start first.
    ///
    /// ```
    /// use npy_core::Reader;
    ///
    /// let data: [u8; 6] = [0, 1, 0, 2, 0, 3];
    /// let mut reader = Reader::headerless(&data[..], ">i2".parse()?, [3])?;
    /// assert_eq!(reader.read_vec::<i16>()?, [1, 2, 3]);
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Shape`], [`ErrorKind::DType`] and [`ErrorKind::Unsupported`], as for [`open_headerless`](Reader::open_headerless). Data
    /// that is too short is an error of the read.
    #[doc(alias("fromfile", "frombuffer"))]
    pub fn headerless(reader: R, dtype: DType, shape: impl Into<Vec<usize>>) -> Result<Self> {
        ReadOptions::new().headerless(reader, dtype, shape)
    }

    /// Reads the array as any type that can be read: the method of [`ReadNpy`], for the type that the program expects here.
    ///
    /// ```
    /// use npy_core::{NpyArray, Reader, WriteNpy};
    ///
    /// let mut file = Vec::new();
    /// NpyArray::new(vec![1.0_f32, 2.0, 3.0, 4.0], [2, 2])?.write_npy_to(&mut file)?;
    ///
    /// let mut reader = Reader::new(&file[..])?;
    /// let array: NpyArray<f32> = reader.read()?;
    /// assert_eq!(array[[1, 0]], 3.0);
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`ReadNpy::read_npy`]. Most types are read whole, which is an error if a part of the array was read before. A `Vec` takes the elements
    /// that remain, as [`read_vec`](Self::read_vec) does: none after all were read.
    pub fn read<A: ReadNpy>(&mut self) -> Result<A> {
        A::read_npy_array(self)
    }

    /// Reads the elements that remain of an array of one dimension.
    ///
    /// ```
    /// use npy_core::{Reader, WriteNpy};
    ///
    /// let mut file = Vec::new();
    /// [1.0, 2.0, 3.0].write_npy_to(&mut file)?;
    /// let mut reader = Reader::new(&file[..])?;
    /// assert_eq!(reader.read_vec::<f64>()?, [1.0, 2.0, 3.0]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`ReadNpy::read_npy`](crate::ReadNpy::read_npy). If a read fails partway, the position is unknown and every later read fails.
    pub fn read_vec<T: Element>(&mut self) -> Result<Vec<T>> {
        match self.header.payload() {
            Payload::Items => whole::list(self),
            Payload::Pickle => self.read_object_vec(),
        }
    }

    /// Reads the whole array; an error if a part of it was read before.
    ///
    /// ```
    /// use npy_core::{NpyArray, Reader, WriteNpy};
    ///
    /// let mut file = Vec::new();
    /// NpyArray::new(vec![1, 2, 3, 4, 5, 6], [3, 2])?.write_npy_to(&mut file)?;
    /// let array = Reader::new(&file[..])?.read_array::<i32>()?;
    /// assert_eq!(array[[2, 1]], 6);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`Reader::read_vec`].
    pub fn read_array<T: Element>(&mut self) -> Result<NpyArray<T>> {
        match self.header.payload() {
            Payload::Items => whole::array(self),
            Payload::Pickle => self.read_object_array(),
        }
    }

    /// Reads the whole array without decoding it, whatever its dtype; an error if a part of it was read before.
    ///
    /// ```
    /// use npy_core::{Reader, WriteNpy};
    ///
    /// let mut file = Vec::new();
    /// [1.0, 2.0, 3.0].write_npy_to(&mut file)?;
    /// let mut reader = Reader::new(&file[..])?;
    /// let array = reader.read_dyn()?;
    /// assert_eq!(array.dtype().to_string(), "<f8");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`Reader::read_vec`]. Python objects are no error: the bytes of the array are their pickle, which is not parsed, and its dtype is
    /// `|O`.
    pub fn read_dyn(&mut self) -> Result<DynArray> {
        whole::dynamic(self)
    }

    /// Reads one field of every record that remains, `"gain"`, or a part of one: `"head.gain"` is a field of a nested record,
    /// `"samples[3]"` an element of a sub-array. Takes the memory of that field only.
    ///
    /// The values of an array of several dimensions are in C order, as in `arr["gain"].ravel()`, also if the file is in Fortran order;
    /// [`DynArray::field`](crate::DynArray::field) keeps the shape. A file in Fortran order gives the whole column, which is held
    /// twice while its order changes, or none after a part of it was read. After the last record was read, `seek_to(0)` comes before
    /// another column; a column from where a seek went is empty if that is the end.
    ///
    /// ```
    /// use npy_core::{NpyRecord, Reader, WriteNpy};
    ///
    /// #[derive(NpyRecord)]
    /// struct Pick {
    ///     station: u32,
    ///     time: f64,
    /// }
    ///
    /// let mut file = Vec::new();
    /// [Pick { station: 7, time: 1.5 }, Pick { station: 9, time: 2.5 }].write_npy_to(&mut file)?;
    /// assert_eq!(Reader::new(&file[..])?.read_column::<f64>("time")?, [1.5, 2.5]);
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`Reader::read_vec`], but any number of dimensions is accepted; [`ErrorKind::MissingField`] if there is no such field,
    /// [`ErrorKind::Unsupported`] after the last record.
    pub fn read_column<F: Element>(&mut self, path: &str) -> Result<Vec<F>> {
        parts::column(self, path)
    }

    /// Reads the single element of an array without dimensions.
    pub(crate) fn read_single<T: Element>(&mut self) -> Result<T> {
        match self.header.payload() {
            Payload::Items => whole::single(self),
            Payload::Pickle => self.read_object_single(),
        }
    }
}

/// Reading in parts.
impl<R: Read> Reader<R> {
    /// Iterates over the elements that remain, in the order of the file. Reads ahead up to 256 KiB; elements that you do not consume stay
    /// in the reader.
    ///
    /// ```
    /// use npy_core::{NpyRecord, Reader, WriteNpy};
    ///
    /// #[derive(NpyRecord)]
    /// struct Pick {
    ///     station: u32,
    ///     time: f64,
    /// }
    ///
    /// let mut file = Vec::new();
    /// [Pick { station: 7, time: 1.5 }, Pick { station: 9, time: 2.5 }].write_npy_to(&mut file)?;
    ///
    /// let mut reader = Reader::new(&file[..])?;
    /// let mut latest = f64::MIN;
    /// for pick in reader.records::<Pick>()? {
    ///     latest = latest.max(pick?.time);
    /// }
    /// assert_eq!(latest, 2.5);
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    ///
    /// # Fortran order
    ///
    /// The order of the file is that of the memory. In Fortran order the first index changes fastest: of a matrix, the elements come column by
    /// column. [`rows`](Self::rows) reads row by row in either order, and [`header().order()`](crate::Header::order) says which one it is.
    ///
    /// ```
    /// use npy_core::{NpyArray, Order, Reader, WriteNpy};
    ///
    /// // [[1, 2, 3],
    /// //  [4, 5, 6]]
    /// let array = NpyArray::new(vec![1, 2, 3, 4, 5, 6], [2, 3])?;
    /// let mut file = Vec::new();
    /// array.to_order(Order::Fortran).write_npy_to(&mut file)?;
    ///
    /// let mut reader = Reader::new(&file[..])?;
    /// let elements: Vec<i32> = reader.records()?.collect::<Result<_, _>>()?;
    /// assert_eq!(elements, [1, 4, 2, 5, 3, 6]);
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`Reader::read_vec`], but the array may have any number of dimensions; [`ErrorKind::Unsupported`] for elements that are sub-arrays
    /// (`[f32; 3]`) in Fortran order, where their parts are not side by side. An error on the way is the last item of the iterator.
    pub fn records<T: Element>(&mut self) -> Result<Records<&mut Self, T>> {
        parts::records(self)
    }

    /// Iterates over the elements that remain, like [`records`](Self::records), and takes the reader. So a function can return the iterator,
    /// and a struct can have it. The elements come in the order of the file, also [in Fortran order](Self::records).
    ///
    /// ```
    /// # let dir = tempfile::tempdir()?;
    /// # std::env::set_current_dir(&dir)?;
    /// use npy_core::{NpyRecord, Reader, Result, WriteNpy};
    ///
    /// #[derive(NpyRecord)]
    /// struct Pick {
    ///     station: u32,
    ///     time: f64,
    /// }
    ///
    /// fn times(path: &str) -> Result<impl Iterator<Item = Result<f64>>> {
    ///     let picks = Reader::open(path)?.into_records::<Pick>()?;
    ///     Ok(picks.map(|pick| Ok(pick?.time)))
    /// }
    ///
    /// [Pick { station: 7, time: 1.5 }, Pick { station: 9, time: 2.5 }].write_npy("picks.npy")?;
    /// assert_eq!(times("picks.npy")?.collect::<Result<Vec<_>>>()?, [1.5, 2.5]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`Reader::records`].
    pub fn into_records<T: Element>(self) -> Result<Records<Box<Self>, T>> {
        parts::records(Box::new(self))
    }

    /// Appends the next values to `out`, at most `max`. Returns their number, which is zero only at the end (or if `max` is).
    ///
    /// A value is a `T`, which need not be a row: of an array of shape `(n, 3)`, a row is three `f32` or one `[f32; 3]`. Values come in the order
    /// of the file, as from [`records`](Self::records): in Fortran order, the first index changes fastest.
    ///
    /// ```
    /// use npy_core::{Reader, WriteNpy};
    ///
    /// let mut file = Vec::new();
    /// [1u32, 2, 3, 4, 5].write_npy_to(&mut file)?;
    ///
    /// let mut reader = Reader::new(&file[..])?;
    /// let mut chunk = Vec::new();
    /// let mut sums = Vec::new();
    /// while reader.read_chunk::<u32>(&mut chunk, 2)? > 0 {
    ///     sums.push(chunk.drain(..).sum::<u32>());
    /// }
    /// assert_eq!(sums, [3, 7, 5]);
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`Reader::records`]; `out` then has the elements before the one that failed.
    #[inline]
    pub fn read_chunk<T: Element>(&mut self, out: &mut Vec<T>, max: usize) -> Result<usize> {
        parts::chunk(self, out, max)
    }

    /// Reads the next elements into memory that already exists: the values of `out` are replaced, from the first to the last. The array may
    /// have any number of dimensions; elements are read in the order of the file, also [in Fortran order](Self::records).
    ///
    /// Values whose memory is their bytes in the file, such as numbers, are read straight into `out`.
    ///
    /// ```
    /// use npy_core::{Reader, WriteNpy};
    ///
    /// let mut file = Vec::new();
    /// [1.0_f32, 2.0, 3.0, 4.0, 5.0].write_npy_to(&mut file)?;
    ///
    /// let mut reader = Reader::new(&file[..])?;
    /// let mut frame = [0.0_f32; 2];
    /// reader.read_into(&mut frame)?;
    /// assert_eq!(frame, [1.0, 2.0]);
    /// reader.read_into(&mut frame)?;
    /// assert_eq!(frame, [3.0, 4.0]);
    ///
    /// // A single element is left: an error that says so. The element is not lost.
    /// assert!(reader.read_into(&mut frame).unwrap_err().to_string().contains("1 element is left"));
    /// reader.read_into(&mut frame[..1])?;
    /// assert_eq!(frame, [5.0, 4.0]);
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Shape`] if fewer elements than `out` has are left, and [`ErrorKind::Truncated`] if the source is known to have fewer: then
    /// nothing is read, and the next read begins at the same element. All others as [`Reader::records`]; `out` may then have some of the
    /// new values.
    #[inline]
    pub fn read_into<T: Element>(&mut self, out: &mut [T]) -> Result<()> {
        parts::into_slice(self, out)
    }

    /// Reads the rows that remain of an array of two or more dimensions, one or several at a time, into a buffer that is used again. A row is
    /// everything after the first dimension, as `for row in array` in NumPy; its elements are in C order.
    ///
    /// ```
    /// use npy_core::{NpyArray, Reader, WriteNpy};
    ///
    /// let mut file = Vec::new();
    /// NpyArray::new((0..12).collect(), [4, 3])?.write_npy_to(&mut file)?;
    ///
    /// let mut reader = Reader::new(&file[..])?;
    /// let mut rows = reader.rows::<i32>()?;
    /// assert_eq!(rows.row_shape(), [3]);
    /// let mut sums = Vec::new();
    /// while let Some(row) = rows.next_row()? {
    ///     sums.push(row.iter().sum::<i32>());
    /// }
    /// assert_eq!(sums, [3, 12, 21, 30]);
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    ///
    /// A row is lent until the next one is read, so the reader of rows is not an iterator. If each row has a length that the program knows,
    /// [`records`](Self::records) of arrays is one:
    ///
    /// ```
    /// use npy_core::{NpyArray, Reader, WriteNpy};
    ///
    /// let mut file = Vec::new();
    /// NpyArray::new((0..12).collect(), [4, 3])?.write_npy_to(&mut file)?;
    /// let mut reader = Reader::new(&file[..])?;
    /// for row in reader.records::<[i32; 3]>()? {
    ///     let [x, y, z] = row?;
    ///     assert_eq!((y, z), (x + 1, x + 2));
    /// }
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    ///
    /// # Fortran order
    ///
    /// In a file in Fortran order, the elements of a row are far apart, and so rows are gathered:
    ///
    /// - From a regular file that was opened by its path, blocks of rows are gathered: each takes a read for each element of a row, or fewer if
    ///   the array has few rows. A block has 1 to 32 MiB (16 KiB for each of these reads), and is decoded into as much memory again.
    /// - Any other source is read into memory completely before the first row.
    ///
    /// After some of the rows, nothing but more rows can be read from such a reader, until it [seeks](Self::seek_to).
    ///
    /// # Errors
    ///
    /// As [`Reader::read_vec`]; [`ErrorKind::Rank`] for an array of fewer dimensions, which [`records`](Self::records)
    /// and [`read_chunk`](Self::read_chunk) read; [`ErrorKind::Unsupported`] if a part of a row was read before.
    pub fn rows<T: Element>(&mut self) -> Result<RowReader<'_, R, T>> {
        rows::rows(self)
    }

    /// Reads the next `n` rows without decoding them, whatever their dtype; fewer at the end of the array, and none after it. A row is an
    /// index of the first dimension: a single element, if that is the only dimension.
    ///
    /// Only these rows are read, so the first five rows of a large file cost little. In a file in Fortran order they are gathered, at the
    /// cost that [`rows`](Self::rows) states; the result is in C order.
    ///
    /// ```
    /// use npy_core::{NpyArray, Reader, WriteNpy};
    ///
    /// let mut file = Vec::new();
    /// NpyArray::new((0..12).collect(), [4, 3])?.write_npy_to(&mut file)?;
    ///
    /// let mut reader = Reader::new(&file[..])?;
    /// let first = reader.read_dyn_chunk(3)?;
    /// assert_eq!(first.shape(), [3, 3]);
    /// assert_eq!(first.to_vec::<i32>()?, [0, 1, 2, 3, 4, 5, 6, 7, 8]);
    /// assert_eq!(reader.read_dyn_chunk(3)?.shape(), [1, 3]);
    /// assert_eq!(reader.read_dyn_chunk(3)?.shape(), [0, 3]);
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`read_dyn`](Self::read_dyn), which also reads what this refuses: [`ErrorKind::Rank`] for a single element
    /// (0-d), and [`ErrorKind::Unsupported`] for Python objects. Also
    /// [`ErrorKind::Unsupported`] if a part of a row was read before.
    ///
    /// [`ErrorKind::Truncated`] if the file ends within these rows: none is returned. In C order, this reads the complete ones:
    ///
    /// ```
    /// use std::io::Cursor;
    ///
    /// use npy_core::{ErrorKind, Reader, WriteNpy};
    ///
    /// let mut file = Vec::new();
    /// (0..1000).collect::<Vec<i32>>().write_npy_to(&mut file)?;
    /// file.truncate(128 + 400 * 4 + 3); // 400 rows
    ///
    /// let mut reader = Reader::new(Cursor::new(file))?;
    /// reader.read_dyn_chunk(300)?;
    /// let error = reader.read_dyn_chunk(300).unwrap_err();
    /// let &ErrorKind::Truncated { expected, found, .. } = error.kind() else { return Err(error) };
    /// let row_bytes = expected / reader.header().shape()[0] as u64;
    /// let complete = (found / row_bytes) as usize;
    ///
    /// reader.seek_to(300)?;
    /// assert_eq!(reader.read_dyn_chunk(complete - 300)?.shape(), [100]);
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    pub fn read_dyn_chunk(&mut self, n: usize) -> Result<DynArray> {
        parts::dyn_chunk(self, n)
    }
}

impl<R: Read + Seek> Reader<R> {
    /// Moves to a row in the order of the file, so that the next read begins there. Rows are counted along the first dimension; in Fortran order,
    /// along the last: of a matrix, these are its columns, which [`records`](Self::records), [`read_chunk`](Self::read_chunk) and
    /// [`read_into`](Self::read_into) read from there on. To move to a row of [`rows`](Self::rows) and [`read_dyn_chunk`](Self::read_dyn_chunk), use
    /// [`seek_to_row`](Self::seek_to_row).
    ///
    /// A `row` equal to the number of rows means the end. A row of an array of several dimensions is many elements; [`read_chunk`](Self::read_chunk)
    /// then counts values of its type.
    ///
    /// A compressed member of an archive may have to be inflated up to the row: see `npz::Member`. If the file was
    /// opened by its path, bytes that were read ahead are read again, as it may have changed; those of a stream are not.
    ///
    /// ```
    /// use std::io::Cursor;
    ///
    /// use npy_core::{Reader, WriteNpy};
    ///
    /// let mut file = Vec::new();
    /// [1u32, 2, 3, 4, 5].write_npy_to(&mut file)?;
    ///
    /// let mut reader = Reader::new(Cursor::new(file))?;
    /// reader.seek_to(3)?;
    /// assert_eq!(reader.read_vec::<u32>()?, [4, 5]);
    /// reader.seek_to(1)?;
    /// let mut two = Vec::new();
    /// reader.read_chunk::<u32>(&mut two, 2)?;
    /// assert_eq!(two, [2, 3]);
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Shape`] for a row after the end, [`ErrorKind::Io`] if seeking fails; the position is then unchanged.
    pub fn seek_to(&mut self, row: usize) -> Result<()> {
        parts::seek(self, row, false)
    }

    /// Moves to a row as [`rows`](Self::rows) and [`read_dyn_chunk`](Self::read_dyn_chunk) count them: along the first dimension in either
    /// order, where [`seek_to`](Self::seek_to) counts along the last one in Fortran order. A `row` equal to the number of rows means the end.
    ///
    /// ```
    /// use std::io::Cursor;
    ///
    /// use npy_core::{NpyArray, Order, Reader, WriteNpy};
    ///
    /// let mut file = Vec::new();
    /// NpyArray::with_order((0u8..6).collect(), [3, 2], Order::Fortran)?.write_npy_to(&mut file)?;
    ///
    /// let mut reader = Reader::new(Cursor::new(file))?;
    /// reader.seek_to_row(2)?;
    /// assert_eq!(reader.read_dyn_chunk(1)?.to_vec::<u8>()?, [2, 5]);
    /// reader.seek_to_row(0)?;
    /// assert_eq!(reader.read_dyn_chunk(1)?.to_vec::<u8>()?, [0, 3]);
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`seek_to`](Self::seek_to).
    pub fn seek_to_row(&mut self, row: usize) -> Result<()> {
        parts::seek(self, row, true)
    }
}

/// The part that all ways of reading share.
impl<R> Reader<R> {
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
        check_zero_size_items::<T>(&plan.plan, count, &self.limits)?;
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
        // Of such a file, no position helps.
        plan.check_contiguous(parts::ROWS_OR_WHOLE)?;
        let what = "reading sub-arrays from the middle of one".into();
        let needs = "a position at the start of one: first read its remaining parts with their type, or seek to a row";
        Err(ErrorKind::Unsupported { what, needs }.into())
    }

    /// Refuses to read a whole array after a part of it was read.
    pub(super) fn check_nothing_read(&self) -> Result<()> {
        if self.data.is_lost() || self.data.is_at_start() {
            return Ok(());
        }
        let what = "reading a whole array from a later position".into();
        Err(ErrorKind::Unsupported { what, needs: ITS_START }.into())
    }

    /// Refuses to read this many bytes of data after a read that failed, or if they are over the limit.
    #[inline]
    pub(super) fn check_allowed(&self, bytes: u64) -> Result<()> {
        self.data.check()?;
        self.limits.check_array(bytes)
    }

    /// The error for an array that is not a list of elements with these dimensions.
    pub(super) fn no_list<A>(&self, inner: &[usize]) -> Error {
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
        let wanted = match inner {
            [] => "one dimension".into(),
            _ => shape::repr_after("n", inner),
        };
        self.header.rank(&type_name::<A>(), &wanted, remedy)
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
        let &ReadOptions { cast, limits, order, .. } = options;
        Reader {
            data: Data::new(source, &header),
            header,
            data_offset,
            plan: None,
            buffers: Buffers::default(),
            cast,
            limits,
            order,
            #[cfg(feature = "objects")]
            encoding: options.encoding,
            places: Vec::new(),
        }
    }

    /// Returns true if bytes of the array are missing in the source, or may be missing.
    pub(super) fn may_be_short(&self) -> bool {
        let bytes = self.data.size.bytes;
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

#[cfg(test)]
mod tests {
    use std::io::{self, SeekFrom};

    use super::*;
    use crate::header::Header;

    /// A file with a header and zeros after it.
    struct Zeros {
        header: Vec<u8>,
        at: u64,
        end: u64,
    }

    impl Read for Zeros {
        fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
            let header = self.header.get(usize::try_from(self.at).unwrap_or(usize::MAX)..);
            let left = usize::try_from(self.end - self.at).unwrap_or(usize::MAX);
            let read = match header {
                Some(mut header) if !header.is_empty() => header.read(out)?,
                _ => io::repeat(0).take(left as u64).read(out)?,
            };
            self.at += read as u64;
            Ok(read)
        }
    }

    impl Seek for Zeros {
        fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
            self.at = match to {
                SeekFrom::Start(at) => at,
                SeekFrom::Current(by) => self.at.checked_add_signed(by).unwrap(),
                SeekFrom::End(by) => self.end.checked_add_signed(by).unwrap(),
            };
            Ok(self.at)
        }
    }

    /// Guards that rows in Fortran order are found from any row, by a reader of a stream, which reads all data first.
    #[test]
    fn rows_in_fortran_order_are_sought_before_and_after_a_read() {
        let array =
            crate::NpyArray::with_order((0u8..12).collect(), [4, 3], Order::Fortran).unwrap();
        let mut file = Vec::new();
        crate::WriteNpy::write_npy_to(&array, &mut file).unwrap();
        let mut reader = Reader::new(io::Cursor::new(file)).unwrap();
        for row in [3, 0, 2, 2, 1] {
            reader.seek_to_row(row).unwrap();
            let first = u8::try_from(row).unwrap();
            let values = reader.read_dyn_chunk(1).unwrap().to_vec::<u8>().unwrap();
            assert_eq!(values, [first, first + 4, first + 8]);
        }
        reader.seek_to_row(4).unwrap();
        assert_eq!(reader.read_dyn_chunk(1).unwrap().shape(), [0, 3]);
        assert!(reader.seek_to_row(5).is_err());
    }

    /// Guards columns, and numbers of values, that 32 bits cannot count.
    #[test]
    fn rows_of_large_files_in_fortran_order_are_read_on_every_target() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("x.npy");
        let write = |dtype: &str, shape: [usize; 2]| {
            let header = Header::new(dtype.parse().unwrap(), shape, Order::Fortran).unwrap();
            let file = std::fs::File::create(&path).unwrap();
            io::Write::write_all(&mut &file, &header.to_bytes().unwrap()).unwrap();
            file.set_len(128 + header.data_bytes()).unwrap();
        };
        write("<f8", [1 << 29, 2]);
        let mut reader = Reader::open(&path).unwrap();
        reader.seek_to_row((1 << 29) - 1).unwrap();
        assert_eq!(reader.rows::<f64>().unwrap().next_row().unwrap(), Some(&[0.0; 2][..]));
        reader.seek_to_row(5).unwrap();
        assert_eq!(reader.read_dyn_chunk(3).unwrap().shape(), [3, 2]);

        // With 64 bits, this many values are only too large.
        write("|V0", [1 << 30, 8]);
        let mut reader = crate::ReadOptions::new();
        reader.limits(crate::Limits { empty_items: u64::MAX, ..Default::default() });
        let mut reader = reader.open(&path).unwrap();
        if cfg!(target_pointer_width = "32") {
            let mut rows = reader.rows::<crate::Void<0>>().unwrap();
            let error = rows.next_rows(1 << 30).unwrap_err();
            assert!(matches!(error.kind(), ErrorKind::Shape { .. }), "{error}");
        }
    }

    #[test]
    fn files_over_4_gib_are_read_on_every_target() {
        // More bytes, and in the second file more elements, than 32 bits count.
        for (dtype, shape) in [("<f8", [3_000_000_000, 2]), ("|u1", [3_000_000_000, 2])] {
            let header = Header::new(dtype.parse().unwrap(), shape, Order::C).unwrap();
            let itemsize = header.dtype().itemsize() as u64;
            let header = header.to_bytes().unwrap();
            let end = header.len() as u64 + 6_000_000_000 * itemsize;
            let mut reader = Reader::new(Zeros { header, at: 0, end }).unwrap();
            reader.seek_to(2_999_999_000).unwrap();
            assert_eq!(reader.remaining(), 2000);
            if dtype == "<f8" {
                assert_eq!(reader.records::<[f64; 2]>().unwrap().take(10).count(), 10);
                assert_eq!(reader.read_chunk(&mut Vec::<[f64; 2]>::new(), 2000).unwrap(), 990);
            } else {
                assert_eq!(reader.records::<[u8; 2]>().unwrap().count(), 1000);
            }
            assert_eq!(reader.remaining(), 0);
            reader.seek_to(2_999_999_999).unwrap();
            assert_eq!(reader.remaining(), 2);
        }
    }
}
