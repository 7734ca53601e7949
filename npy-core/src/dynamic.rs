//! An array whose dtype is only known at run time.

mod borrowed;
mod columns;
mod gather;
mod iter;
mod table;

use std::cell::Cell;
use std::fmt;

use crate::array::NpyArray;
use crate::array::print::{Align, MAX_PIECES, print};
use crate::checked;
use crate::dtype::{ByteOrder, DType, Scalar};
use crate::element::Element;
use crate::element::block::{self, Buffers};
use crate::element::typed_plan::{TypedPlan, check_zero_size_items};
use crate::error::Error;
use crate::header::{Header, Payload};
use crate::limits::{self, Limits};
use crate::plan::{Cast, Plan};
use crate::reserve;
use crate::shape::{self, Order};
use crate::value::Value;
pub use borrowed::DynView;
pub use gather::Gather;
pub use iter::Values;
pub use table::{Table, TableRow, TableRows};

/// The call that converts an array in memory, up to the cast.
const CAST_WITH: &str = "array.cast_with(&dtype, ";

/// An array of any dtype, stored as the bytes of its file.
///
/// An array of Python objects is kept as its pickle, which is written back unchanged. Each of its
/// elements is [`Value::Object`]; to read the objects, read the file as
/// [`Objects`](crate::Objects).
///
/// Writing the array again reproduces a file of `np.save` from NumPy 1.24 or later byte for byte.
/// For a file of an older NumPy, the data is the same, and the header is the one that NumPy writes
/// since 1.24.
///
/// ```
/// use npy_core::{DynArray, ReadNpy, WriteNpy};
///
/// let mut file = Vec::new();
/// [1.5f32, -2.0].write_npy_to(&mut file)?;
///
/// let array = DynArray::read_npy_from(&file[..])?;
/// assert_eq!(array.dtype().to_string(), "<f4");
/// assert_eq!(array.shape(), [2]);
/// assert_eq!(array.to_vec::<f32>()?, [1.5, -2.0]);
///
/// let mut again = Vec::new();
/// array.write_npy_to(&mut again)?;
/// assert_eq!(again, file);
/// # Ok::<(), npy_core::Error>(())
/// ```
#[derive(Clone)]
pub struct DynArray {
    header: Header,
    bytes: Vec<u8>,
    limits: Limits,
}

/// Arrays are equal if their headers and bytes are; limits are not compared.
impl PartialEq for DynArray {
    fn eq(&self, other: &Self) -> bool {
        self.header == other.header && self.bytes == other.bytes
    }
}

impl Eq for DynArray {}

impl DynArray {
    /// Creates an array. `bytes` holds its elements, in the byte orders of `dtype`; `order` says how they are arranged.
    ///
    /// ```
    /// use npy_core::{DynArray, Order};
    ///
    /// let array = DynArray::new("<u2".parse()?, [2], Order::C, vec![1, 0, 2, 0])?;
    /// assert_eq!(array.to_vec::<u16>()?, [1, 2]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Shape`](crate::ErrorKind::Shape) if the number of bytes does not match the shape,
    /// [`ErrorKind::DType`](crate::ErrorKind::DType) for a sub-array,
    /// [`ErrorKind::Unsupported`](crate::ErrorKind::Unsupported) for Python objects.
    pub fn new(
        dtype: DType,
        shape: impl Into<Vec<usize>>,
        order: Order,
        bytes: Vec<u8>,
    ) -> Result<Self, Error> {
        DynArray::from_parts(Header::new(dtype, shape, order)?, bytes)
    }

    pub(crate) fn from_parts(header: Header, bytes: Vec<u8>) -> Result<Self, Error> {
        header.check_data(limits::to_u64(bytes.len()))?;
        Ok(DynArray { header, bytes, limits: Limits::default() })
    }

    /// Creates an array of Python objects from their pickle, which is not parsed.
    pub(crate) fn of_pickle(header: Header, pickle: Vec<u8>) -> Self {
        debug_assert!(header.payload() == Payload::Pickle);
        DynArray { header, bytes: pickle, limits: Limits::default() }
    }

    /// Sets the limits on the values that are made from this array later. An array that was read has the limits of its
    /// [`ReadOptions`](crate::ReadOptions).
    ///
    /// ```
    /// use npy_core::{DynArray, Limits, Order};
    ///
    /// let array = DynArray::new("<u2".parse()?, [2], Order::C, vec![1, 0, 2, 0])?;
    /// let mut limits = Limits::default();
    /// limits.array_bytes = Some(1 << 20);
    /// let array = array.with_limits(limits);
    /// assert_eq!(array.to_vec::<u16>()?, [1, 2]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn with_limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Returns the dtype, the shape and the order.
    pub(crate) fn header(&self) -> &Header {
        &self.header
    }

    /// Returns the limits on the values that are made from this array.
    #[cfg(feature = "objects")]
    pub(crate) fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Returns the dtype of an element.
    ///
    /// ```
    /// use npy_core::{DynArray, Order};
    ///
    /// let array = DynArray::new("<u2".parse()?, [2], Order::C, vec![1, 0, 2, 0])?;
    /// assert_eq!(array.dtype().to_string(), "<u2");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn dtype(&self) -> &DType {
        self.header.dtype()
    }

    /// Returns the dimensions; an empty slice for a 0-d array.
    ///
    /// ```
    /// use npy_core::{DynArray, Order};
    ///
    /// let array = DynArray::new("|u1".parse()?, [2, 3], Order::C, vec![1, 2, 3, 4, 5, 6])?;
    /// assert_eq!(array.shape(), [2, 3]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn shape(&self) -> &[usize] {
        self.header.shape()
    }

    /// Returns the number of elements, also if they are Python objects.
    ///
    /// ```
    /// use npy_core::{DynArray, Order};
    ///
    /// let array = DynArray::new("|u1".parse()?, [2, 3], Order::C, vec![1, 2, 3, 4, 5, 6])?;
    /// assert_eq!(array.len(), 6);
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    pub fn len(&self) -> usize {
        self.header.count()
    }

    /// Returns true if the array has no elements.
    ///
    /// ```
    /// use npy_core::{DynArray, Order};
    ///
    /// assert!(DynArray::new("|u1".parse()?, [0, 3], Order::C, vec![])?.is_empty());
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the dimensions, if there are `N` of them: `let [rows, columns] = array.dims()?;`.
    ///
    /// ```
    /// use npy_core::{DynArray, Order};
    ///
    /// let array = DynArray::new("|u1".parse()?, [2, 3], Order::C, vec![1, 2, 3, 4, 5, 6])?;
    /// let [rows, columns] = array.dims()?;
    /// assert_eq!((rows, columns), (2, 3));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Rank`](crate::ErrorKind::Rank) for another number of dimensions.
    pub fn dims<const N: usize>(&self) -> Result<[usize; N], Error> {
        shape::dims(self.shape())
    }

    /// Returns the order in which the elements are stored.
    ///
    /// ```
    /// use npy_core::{DynArray, Order};
    ///
    /// let array = DynArray::new("|u1".parse()?, [2, 3], Order::C, vec![1, 2, 3, 4, 5, 6])?;
    /// assert_eq!(array.order(), Order::C);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn order(&self) -> Order {
        self.header.order()
    }

    /// Returns the data: the elements, with their padding, in the order and the byte orders of the
    /// file. For Python objects, the data is their pickle.
    ///
    /// ```
    /// use npy_core::{DynArray, Order};
    ///
    /// let array = DynArray::new("<u2".parse()?, [2], Order::C, vec![1, 0, 2, 0])?;
    /// assert_eq!(array.as_bytes(), [1, 0, 2, 0]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Returns the data, like [`as_bytes`](Self::as_bytes).
    ///
    /// ```
    /// use npy_core::{DynArray, Order};
    ///
    /// let array = DynArray::new("<u2".parse()?, [2], Order::C, vec![1, 0, 2, 0])?;
    /// assert_eq!(array.into_bytes(), [1, 0, 2, 0]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }

    /// Returns the element at this index; `None` if the index is out of range.
    ///
    /// ```
    /// use npy_core::{DynArray, Order};
    ///
    /// let array = DynArray::new("|u1".parse()?, [2, 3], Order::Fortran, vec![1, 4, 2, 5, 3, 6])?;
    /// assert_eq!(array.get(&[1, 0]).and_then(|value| value.as_u64()), Some(4));
    /// assert!(array.get(&[2, 0]).is_none());
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    pub fn get(&self, index: &[usize]) -> Option<Value<'_>> {
        let at = shape::position(self.shape(), self.order(), index)?;
        Some(self.value(at))
    }

    /// Returns the element at this position in the file. The position must be in range.
    fn value(&self, at: usize) -> Value<'_> {
        match self.header.payload() {
            Payload::Items => Value::new(self.dtype(), self.view().item(at)),
            Payload::Pickle => Value::Object,
        }
    }

    /// Iterates over the elements in C order, whatever the order of the file.
    ///
    /// ```
    /// use npy_core::{DynArray, Order};
    ///
    /// let array = DynArray::new("<u2".parse()?, [2], Order::C, vec![1, 0, 2, 0])?;
    /// let values: Vec<_> = array.iter().filter_map(|value| value.as_i64()).collect();
    /// assert_eq!(values, [1, 2]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn iter(&self) -> Values<'_> {
        Values { of: self, from: shape::reordered(self.shape(), self.order(), Order::C) }
    }

    /// Returns one field of every record (`"gain"`), or a part of a field: `"hdr.gain"` is NumPy's
    /// `array["hdr"]["gain"]`, and `"samples[3]"` (or `"samples.3"`) is `array["samples"][..., 3]`.
    ///
    /// If the field is a sub-array, its dimensions are appended to those of the array.
    ///
    /// ```
    /// use npy_core::{DynArray, NpyRecord, ReadNpy, WriteNpy};
    ///
    /// #[derive(NpyRecord)]
    /// struct Trace {
    ///     id: u8,
    ///     samples: [f32; 2],
    /// }
    ///
    /// let mut file = Vec::new();
    /// [Trace { id: 7, samples: [1.0, 2.0] }].write_npy_to(&mut file)?;
    /// let samples = DynArray::read_npy_from(&file[..])?.field("samples")?;
    /// assert_eq!(samples.shape(), [1, 2]);
    /// assert_eq!(samples.to_vec::<f32>()?, [1.0, 2.0]);
    /// // An element of a sub-array.
    /// let second = DynArray::read_npy_from(&file[..])?.field("samples[1]")?;
    /// assert_eq!(second.to_vec::<f32>()?, [2.0]);
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ErrorKind::MissingField`](crate::ErrorKind::MissingField) if there is no such field,
    /// [`ErrorKind::Shape`](crate::ErrorKind::Shape) if the result would have too many dimensions,
    /// [`ErrorKind::Unsupported`](crate::ErrorKind::Unsupported) for Python objects.
    pub fn field(&self, path: &str) -> Result<DynArray, Error> {
        self.header.without_objects()?;
        let field = Gather::new(self.dtype(), path)?;
        let (base, inner) = field.dtype().flat();
        let shape = [self.shape(), &inner].concat();
        if !inner.is_empty() && self.order() == Order::Fortran {
            return self.to_order(Order::C)?.field(path);
        }
        let header = Header::new(base.clone(), shape, self.order())?;
        let bytes = field.all(&self.bytes)?;
        Ok(DynArray::from_parts(header, bytes)?.with_limits(self.limits))
    }

    /// Returns the elements as values of a Rust type, in C order.
    ///
    /// A Rust array consumes the last dimensions, as when a `Vec` is read from a file: an array of
    /// shape `(n, 3)` becomes `n` values of `[f32; 3]`.
    ///
    /// ```
    /// use npy_core::{DynArray, Order};
    ///
    /// let pairs = DynArray::new("|u1".parse()?, [2, 2], Order::C, vec![1, 2, 3, 4])?;
    /// assert_eq!(pairs.to_vec::<[u8; 2]>()?, [[1, 2], [3, 4]]);
    /// assert_eq!(pairs.to_vec::<u8>()?, [1, 2, 3, 4]);
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Mismatch`](crate::ErrorKind::Mismatch) and
    /// [`ErrorKind::MissingField`](crate::ErrorKind::MissingField) if the dtype does not fit,
    /// [`ErrorKind::Rank`](crate::ErrorKind::Rank) if the last dimensions are not those of the
    /// type, [`ErrorKind::InvalidValue`](crate::ErrorKind::InvalidValue) for bytes that are not a
    /// value of the type, [`ErrorKind::Unsupported`](crate::ErrorKind::Unsupported) for Python
    /// objects.
    pub fn to_vec<T: Element>(&self) -> Result<Vec<T>, Error> {
        let plan = TypedPlan::new::<T>(&self.header, Cast::Exact)
            .map_err(|error| error.in_memory(CAST_WITH))?;
        match self.order().normalized(self.shape()) {
            Order::C => self.view().decode(&plan.items, &self.limits),
            Order::Fortran => self.to_order(Order::C)?.view().decode(&plan.items, &self.limits),
        }
        .map_err(|error| shape::in_row(error, plan.shape(&self.header), Order::C))
    }

    /// Converts the elements to a Rust type; keeps the shape and, where possible, the order.
    pub(crate) fn into_typed<T: Element>(self, cast: Cast) -> Result<NpyArray<T>, Error> {
        self.view().to_typed(cast, &self.limits)
    }

    /// Converts the array to another dtype. The new dtype may differ in byte order, padding and the
    /// order of fields, may leave out fields, and may have other scalars if they hold every value
    /// ([`Cast::Lossless`]).
    ///
    /// ```
    /// use npy_core::{DType, DynArray, Order};
    ///
    /// let array = DynArray::new(">i2".parse()?, [2], Order::C, vec![0, 1, 0, 2])?;
    /// let little: DType = "<i2".parse()?;
    /// assert_eq!(array.cast(&little)?.as_bytes(), [1, 0, 2, 0]);
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Mismatch`](crate::ErrorKind::Mismatch) if a value could change,
    /// [`ErrorKind::MissingField`](crate::ErrorKind::MissingField) if `dtype` has a field that the
    /// array lacks, [`ErrorKind::Unsupported`](crate::ErrorKind::Unsupported) for Python objects.
    pub fn cast(&self, dtype: &DType) -> Result<DynArray, Error> {
        self.cast_with(dtype, Cast::Lossless)
    }

    /// Converts the array to another dtype by this cast.
    ///
    /// ```
    /// use npy_core::{Cast, DType, DynArray, Order};
    ///
    /// let numbers = [0.1f64, -2.5].map(f64::to_le_bytes).concat();
    /// let array = DynArray::new("<f8".parse()?, [2], Order::C, numbers)?;
    /// let integers: DType = "|i1".parse()?;
    /// assert_eq!(array.cast_with(&integers, Cast::Numeric)?.as_bytes(), [0, 0xfe]);
    ///
    /// let error = array.cast_with(&integers, Cast::Checked).unwrap_err();
    /// let advice = "f64 holds it, and array.cast_with(&dtype, Cast::Numeric) makes 0 of it";
    /// assert_eq!(error.to_string(), format!("row 0: 0.1 does not fit '|i1'; {advice}"));
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`cast`](Self::cast); [`ErrorKind::InvalidValue`](crate::ErrorKind::InvalidValue), with the row, for a value that does not fit.
    pub fn cast_with(&self, dtype: &DType, cast: Cast) -> Result<DynArray, Error> {
        self.converted(dtype, cast).map_err(|error| error.in_memory(CAST_WITH))
    }

    fn converted(&self, dtype: &DType, cast: Cast) -> Result<DynArray, Error> {
        self.header.without_objects()?;
        let plan = Plan::new(self.dtype(), dtype, cast)?;
        let header = Header::new(dtype.clone(), self.shape(), self.order())?;
        let mut bytes = Vec::new();
        if header.data_bytes() == 0 {
            return Ok(DynArray::from_parts(header, bytes)?.with_limits(self.limits));
        }
        check_zero_size_items::<()>(&plan, header.count(), &self.limits)?;
        reserve::exact(&mut bytes, limits::to_usize(header.data_bytes())?)?;
        let (block_len, mut buffers) = (block::items_per_block(&plan), Buffers::default());
        for first in (0..header.count()).step_by(block_len) {
            let rows = first..header.count().min(checked::add(first, block_len));
            let count = rows.len();
            buffers.block.clear();
            buffers.block.extend(block::bytes_of(&self.bytes, rows, plan.src_itemsize));
            let located =
                |error| shape::in_row(block::invalid(error, first), self.shape(), self.order());
            buffers.check(&plan).map_err(located)?;
            bytes.extend_from_slice(buffers.run(&plan, count));
        }
        Ok(DynArray::from_parts(header, bytes)?.with_limits(self.limits))
    }

    /// Returns a copy of the array that stores the elements in this order.
    ///
    /// ```
    /// use npy_core::{DynArray, Order};
    ///
    /// let array = DynArray::new("|u1".parse()?, [2, 3], Order::C, vec![1, 2, 3, 4, 5, 6])?;
    /// let columns = array.to_order(Order::Fortran)?;
    /// assert_eq!(columns.as_bytes(), [1, 4, 2, 5, 3, 6]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Unsupported`](crate::ErrorKind::Unsupported) for Python objects, and
    /// [`ErrorKind::Memory`](crate::ErrorKind::Memory) if there is not enough memory for a second array.
    pub fn to_order(&self, order: Order) -> Result<DynArray, Error> {
        self.header.without_objects()?;
        let itemsize = self.dtype().itemsize();
        let header = Header::new(self.dtype().clone(), self.shape(), order)?;
        if order.normalized(self.shape()) == self.order().normalized(self.shape()) || itemsize == 0
        {
            return Ok(DynArray { header, ..self.clone() });
        }
        let bytes = self.view().transposed()?;
        Ok(DynArray::from_parts(header, bytes)?.with_limits(self.limits))
    }

    /// Stores the elements in this order; nothing is copied if they already have it.
    ///
    /// ```
    /// use npy_core::{DynArray, Order};
    ///
    /// let array = DynArray::new("|u1".parse()?, [2, 3], Order::C, vec![1, 2, 3, 4, 5, 6])?;
    /// let columns = array.into_order(Order::Fortran)?;
    /// assert_eq!(columns.as_bytes(), [1, 4, 2, 5, 3, 6]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`to_order`](Self::to_order).
    pub fn into_order(self, order: Order) -> Result<DynArray, Error> {
        if order == self.order() {
            return Ok(self);
        }
        let shape = self.shape();
        if order.normalized(shape) != self.order().normalized(shape) {
            return self.to_order(order);
        }
        self.header.without_objects()?;
        let header = self.header.with_shape(shape.to_vec(), order)?;
        Ok(DynArray { header, ..self })
    }

    /// Stores the numbers in this byte order; nothing is copied if they already have it.
    ///
    /// ```
    /// use npy_core::{ByteOrder, DynArray, Order};
    ///
    /// let array = DynArray::new(">i2".parse()?, [2], Order::C, vec![0, 1, 0, 2])?;
    /// let array = array.into_byte_order(ByteOrder::NATIVE)?;
    /// assert_eq!(array.as_bytes(), [1i16, 2].map(i16::to_ne_bytes).as_flattened());
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Unsupported`](crate::ErrorKind::Unsupported) for Python objects, and
    /// [`ErrorKind::Memory`](crate::ErrorKind::Memory) if there is not enough memory for a second array.
    pub fn into_byte_order(self, order: ByteOrder) -> Result<DynArray, Error> {
        let dtype = self.dtype().with_byte_order(order);
        match dtype == *self.dtype() {
            true => Ok(self),
            false => self.cast_with(&dtype, Cast::Exact),
        }
    }
}

/// Prints the elements in brackets, one row per line. An array of more than a thousand elements shows the first and the last three
/// along each dimension.
///
/// ```
/// use npy_core::{DynArray, Order};
///
/// let array = DynArray::new("<i2".parse()?, [2, 2], Order::C, vec![1, 0, 20, 0, 3, 0, 4, 0])?;
/// assert_eq!(array.to_string(), "[[ 1 20]\n [ 3  4]]");
/// # Ok::<(), npy_core::Error>(())
/// ```
/// Converts the elements as [`to_vec`](DynArray::to_vec) does, and keeps the shape and the order.
/// [`DynArray::cast_with`] first converts an array of another dtype.
///
/// ```
/// use npy_core::{DynArray, NpyArray, Order};
///
/// let grid = DynArray::new("|u1".parse()?, [2, 2], Order::C, vec![1, 2, 3, 4])?;
/// let grid = NpyArray::<u8>::try_from(grid)?;
/// assert_eq!(grid[[1, 0]], 3);
/// # Ok::<(), npy_core::Error>(())
/// ```
impl<T: Element> TryFrom<DynArray> for NpyArray<T> {
    type Error = Error;

    fn try_from(array: DynArray) -> Result<Self, Error> {
        array.into_typed(Cast::Exact).map_err(|error| error.in_memory(CAST_WITH))
    }
}

impl fmt::Display for DynArray {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Numbers are aligned in columns; other values are not padded.
        let is_number = self.dtype().scalar().is_some_and(Scalar::is_number);
        let align = if is_number { Align::Right } else { Align::None };
        let left = Cell::new(MAX_PIECES);
        let element = |index: &[usize]| {
            let mut text = String::new();
            // Writing to a `String` never fails.
            let _ = self.get(index).map(|value| value.print(&mut text, &left));
            text
        };
        print(f, self.shape(), align, element, || left.get() > 0)
    }
}

impl fmt::Debug for DynArray {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DynArray")
            .field("dtype", self.dtype())
            .field("shape", &self.shape())
            .field("order", &self.order())
            .finish_non_exhaustive()
    }
}
