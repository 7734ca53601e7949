//! A borrowed array whose dtype is only known at run time.

use std::borrow::Cow;
use std::fmt;

use super::DynArray;
use crate::array::NpyArray;
use crate::checked;
use crate::dtype::DType;
use crate::element::decode::decode_all;
use crate::element::typed_plan::{ItemPlan, TypedPlan};
use crate::element::{Element, block};
use crate::error::Error;
use crate::header::Header;
use crate::limits::{self, Limits};
use crate::plan::Cast;
use crate::reserve;
use crate::shape::{self, Order};

/// A borrowed array of any dtype: bytes that are already in memory, with a dtype, a shape and an
/// order. It is written without copying the bytes.
///
/// It is for buffers without a Rust type, such as the tensors of other libraries. [`NpyView`](crate::NpyView) is for slices of an
/// [`Element`](crate::Element).
///
/// ```
/// use npy_core::{ByteOrder, DType, DynView, NpyArray, Order, ReadNpy, WriteNpy};
///
/// let tensor = [1.5f32, 2.0, -1.0, 0.0].map(f32::to_ne_bytes).concat();
/// let dtype = "<f4".parse::<DType>()?.with_byte_order(ByteOrder::NATIVE);
///
/// let mut file = Vec::new();
/// DynView::new(dtype, [2, 2], Order::C, &tensor)?.write_npy_to(&mut file)?;
/// assert_eq!(NpyArray::<f32>::read_npy_from(&file[..])?[[1, 0]], -1.0);
/// # Ok::<(), npy_core::Error>(())
/// ```
#[derive(Clone)]
pub struct DynView<'a> {
    header: Cow<'a, Header>,
    bytes: &'a [u8],
}

impl<'a> DynView<'a> {
    /// Creates an array. `bytes` holds its elements, in the byte orders of `dtype`; `order` says how they are arranged.
    ///
    /// ```
    /// # let dir = tempfile::tempdir()?;
    /// # std::env::set_current_dir(&dir)?;
    /// use npy_core::{DynView, Order, ReadNpy, WriteNpy};
    ///
    /// let bytes = [1, 0, 2, 0];
    /// let view = DynView::new("<u2".parse()?, [2], Order::C, &bytes)?;
    /// view.write_npy("counts.npy")?;
    /// assert_eq!(Vec::<u16>::read_npy("counts.npy")?, [1, 2]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`DynArray::new`].
    pub fn new(
        dtype: DType,
        shape: impl Into<Vec<usize>>,
        order: Order,
        bytes: &'a [u8],
    ) -> Result<Self, Error> {
        let header = Header::new(dtype, shape, order)?;
        header.check_data(limits::to_u64(bytes.len()))?;
        Ok(DynView { header: Cow::Owned(header), bytes })
    }

    /// Returns the dtype, the shape and the order.
    pub(crate) fn header(&self) -> &Header {
        &self.header
    }

    /// Returns the dtype of an element.
    ///
    /// ```
    /// use npy_core::{DynView, Order};
    ///
    /// let bytes = [1, 0, 2, 0];
    /// let view = DynView::new("<u2".parse()?, [2], Order::C, &bytes)?;
    /// assert_eq!(view.dtype().to_string(), "<u2");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn dtype(&self) -> &DType {
        self.header.dtype()
    }

    /// Returns the dimensions; an empty slice for a 0-d array.
    ///
    /// ```
    /// use npy_core::{DynView, Order};
    ///
    /// let bytes = [1, 0, 2, 0];
    /// let view = DynView::new("<u2".parse()?, [2], Order::C, &bytes)?;
    /// assert_eq!(view.shape(), [2]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn shape(&self) -> &[usize] {
        self.header.shape()
    }

    /// Returns the order in which the elements are in memory.
    ///
    /// ```
    /// use npy_core::{DynView, Order};
    ///
    /// let bytes = [1, 0, 2, 0];
    /// let view = DynView::new("<u2".parse()?, [2], Order::C, &bytes)?;
    /// assert_eq!(view.order(), Order::C);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn order(&self) -> Order {
        self.header.order()
    }

    /// Returns the bytes of the elements, in memory order.
    ///
    /// ```
    /// use npy_core::{DynView, Order};
    ///
    /// let bytes = [1, 0, 2, 0];
    /// let view = DynView::new("<u2".parse()?, [2], Order::C, &bytes)?;
    /// assert_eq!(view.as_bytes(), [1, 0, 2, 0]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn as_bytes(&self) -> &'a [u8] {
        self.bytes
    }

    /// Iterates over the bytes of each element; the elements come in this order.
    pub(crate) fn items_in(
        &self,
        order: Order,
    ) -> impl ExactSizeIterator<Item = &'a [u8]> + use<'a> {
        let (bytes, size) = (self.bytes, self.dtype().itemsize());
        shape::reordered(self.shape(), self.order(), order)
            .map(move |at| checked::part(bytes, at, size))
    }

    /// Converts the elements to those of a Rust type.
    pub(crate) fn to_typed<T: Element>(
        &self,
        cast: Cast,
        limits: &Limits,
    ) -> Result<NpyArray<T>, Error> {
        let plan = TypedPlan::new::<T>(&self.header, cast)?;
        let bytes = match plan.is_strided {
            true => Cow::Owned(self.transposed()?),
            false => Cow::Borrowed(self.bytes),
        };
        let array = DynView { header: Cow::Borrowed(&self.header), bytes: &bytes };
        let shape = plan.shape(&self.header);
        let values = array.decode(&plan.items, limits);
        let values = values.map_err(|error| shape::in_row(error, shape, plan.order))?;
        NpyArray::with_order(values, shape, plan.order)
    }

    /// Decodes the elements in the order of the bytes.
    pub(crate) fn decode<T: Element>(
        &self,
        items: &ItemPlan,
        limits: &Limits,
    ) -> Result<Vec<T>, Error> {
        let size = items.plan.src_itemsize;
        decode_all(&items.plan, 0..limits::to_usize(items.count)?, limits, |block, rows| {
            block.extend_from_slice(block::bytes_of(self.bytes, rows, size));
        })
    }

    /// Returns the bytes in the other order.
    pub(super) fn transposed(&self) -> Result<Vec<u8>, Error> {
        let mut bytes = reserve::zeros(self.bytes.len())?;
        let itemsize = self.dtype().itemsize();
        shape::transpose(self.bytes, &mut bytes, itemsize, self.shape(), self.order());
        Ok(bytes)
    }

    /// Returns the bytes of the element at this position in memory.
    pub(super) fn item(&self, at: usize) -> &'a [u8] {
        checked::part(self.bytes, at, self.dtype().itemsize())
    }
}

impl DynArray {
    /// Returns a borrowed array of the same elements.
    ///
    /// ```
    /// use npy_core::{DynArray, Order};
    ///
    /// let array = DynArray::new("<u2".parse()?, [2], Order::C, vec![1, 0, 2, 0])?;
    /// assert_eq!(array.view().as_bytes(), [1, 0, 2, 0]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn view(&self) -> DynView<'_> {
        DynView { header: Cow::Borrowed(&self.header), bytes: &self.bytes }
    }
}

impl fmt::Debug for DynView<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DynView")
            .field("dtype", self.dtype())
            .field("shape", &self.shape())
            .field("order", &self.order())
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::ReadNpy;
    use crate::write::WriteNpy;
    use crate::{ByteOrder, ErrorKind, NpyArray, WriteOptions};

    /// Guards that a view is written like the array that owns the bytes, also if the options change
    /// the order and the byte order.
    #[test]
    fn views_are_written_as_arrays_are() {
        let bytes: Vec<u8> = (0..48).collect();
        let dtype: DType = "<i4".parse().unwrap();
        for stored in [Order::C, Order::Fortran] {
            let view = DynView::new(dtype.clone(), [2, 3, 2], stored, &bytes).unwrap();
            let array = DynArray::new(dtype.clone(), [2, 3, 2], stored, bytes.clone()).unwrap();
            for order in [Order::C, Order::Fortran] {
                let (mut file, mut expected) = (Vec::new(), Vec::new());
                let mut options = WriteOptions::new();
                options.order(order).byte_order(ByteOrder::Big);
                options.write_to(&mut file, &view).unwrap();
                options.write_to(&mut expected, &array).unwrap();
                assert_eq!(file, expected);
                assert_eq!(
                    NpyArray::<i32>::read_npy_from(&file[..]).unwrap().into_vec(),
                    array.to_vec::<i32>().unwrap()
                );
            }
            let mut file = Vec::new();
            view.write_npy_to(&mut file).unwrap();
            assert_eq!(DynArray::read_npy_from(&file[..]).unwrap(), array);
        }
    }

    #[test]
    fn bytes_of_another_number_and_objects_are_refused() {
        let view = |dtype: &str, bytes| {
            DynView::new(dtype.parse().unwrap(), [2], Order::C, bytes).map(|_| ()).unwrap_err()
        };
        assert!(matches!(view("<i4", &[0; 7]).kind(), ErrorKind::Shape { .. }));
        assert!(matches!(view("|O", &[0; 16]).kind(), ErrorKind::Unsupported { .. }));
    }
}
