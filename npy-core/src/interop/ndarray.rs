//! Arrays of `ndarray`, read and written directly.

use std::io::Read;

use ndarray::{
    Array, ArrayBase, ArrayD, ArrayRef, ArrayViewD, ArrayViewMutD, Data, Dimension, IxDyn,
    ShapeBuilder, StrideShape,
};
#[cfg(feature = "mmap")]
use ndarray::{ArrayView1, Ix1};

use crate::array::{NpyArray, NpyView, NpyViewMut};
#[cfg(feature = "mmap")]
use crate::element::cast::zero_copy::ZeroCopy;
use crate::element::{Element, type_name};
#[cfg(feature = "mmap")]
use crate::error::ViewError;
use crate::error::{Error, ErrorKind, Result, counted};
#[cfg(feature = "mmap")]
use crate::mmap::{Column, Map, MapMut};
use crate::read::values::ReadItems;
use crate::read::{ReadNpy, Reader};
use crate::shape::{self, Order};
use crate::write::elements::Elements;
use crate::write::values::WriteItems;
use crate::write::{ArrayWriter, WriteNpy};

/// Reads an array with the number of dimensions of `D`, in the order of the file. `ArrayD` accepts any number.
///
/// ```
/// use ndarray::{Array2, array};
/// use npy_core::{ReadNpy, WriteNpy};
///
/// let matrix = array![[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]];
/// let mut file = Vec::new();
/// matrix.write_npy_to(&mut file)?;
/// assert_eq!(Array2::<f64>::read_npy_from(&file[..])?, matrix);
/// # Ok::<(), npy_core::Error>(())
/// ```
impl<T, D: Dimension> ReadNpy for Array<T, D>
where
    Array<T, D>: ReadItems<T>,
{
    fn read_npy_array<R: Read>(reader: &mut Reader<R>) -> Result<Self> {
        Self::read_items(reader)
    }
}

impl<T: Element, D: Dimension> ReadItems<T> for Array<T, D> {
    fn read_items<R: Read>(reader: &mut Reader<R>) -> Result<Self> {
        let array = reader.read_array::<T>()?;
        let found = array.shape().len();
        if let Some(ndim) = D::NDIM.filter(|ndim| *ndim != found) {
            let remedy = "read it as an ArrayD, which takes any shape";
            let wanted = counted(ndim, "dimension");
            let name = format!("an ndarray of {}", type_name::<T>());
            let error = reader.header().rank(&name, &wanted, remedy);
            return Err(reader.in_file(error));
        }
        ArrayD::try_from(array)?.into_dimensionality().map_err(unshaped)
    }
}

/// Writes any array or view, like the [`ArrayRef`] that it dereferences to.
impl<T, S: Data<Elem = T>, D: Dimension> WriteNpy for ArrayBase<S, D>
where
    ArrayBase<S, D>: WriteItems<T>,
{
    fn write_npy_array(&self, to: ArrayWriter<'_>) -> Result<()> {
        self.write_items(to)
    }
}

impl<T: Element, S: Data<Elem = T>, D: Dimension> WriteItems<T> for ArrayBase<S, D> {
    fn write_items(&self, to: ArrayWriter<'_>) -> Result<()> {
        ArrayRef::write_items(self, to)
    }
}

/// Writes the array. Like NumPy, uses Fortran order for an array that is in Fortran order in memory.
///
/// ```
/// use ndarray::{ArrayRef2, Axis, array};
/// use npy_core::{Result, WriteNpy};
///
/// fn bytes(matrix: &ArrayRef2<f32>) -> Result<Vec<u8>> {
///     let mut file = Vec::new();
///     matrix.write_npy_to(&mut file)?;
///     Ok(file)
/// }
///
/// let matrix = array![[1.0, 2.0], [3.0, 4.0]];
/// assert_eq!(bytes(&matrix)?, bytes(&matrix.view())?);
/// # Ok::<(), npy_core::Error>(())
/// ```
impl<T, D: Dimension> WriteNpy for ArrayRef<T, D>
where
    ArrayRef<T, D>: WriteItems<T>,
{
    fn write_npy_array(&self, to: ArrayWriter<'_>) -> Result<()> {
        self.write_items(to)
    }
}

impl<T: Element, D: Dimension> WriteItems<T> for ArrayRef<T, D> {
    fn write_items(&self, to: ArrayWriter<'_>) -> Result<()> {
        let in_c_order = self.as_slice().map(|elements| (elements, Order::C));
        let in_fortran_order = || {
            let elements = self.view().reversed_axes().to_slice()?;
            Some((elements, Order::Fortran))
        };
        let elements = Elements {
            contiguous: in_c_order.or_else(in_fortran_order),
            each: |order| match order {
                Order::C => self.view().into_iter(),
                Order::Fortran => self.view().reversed_axes().into_iter(),
            },
        };
        to.options.write_array(self.shape(), elements, to.sink)
    }
}

/// Moves the elements without copying them, and keeps their order in memory. `ArrayD` takes any number of dimensions.
///
/// ```
/// use ndarray::Array2;
/// use npy_core::NpyArray;
///
/// let array = NpyArray::new(vec![1, 2, 3, 4], [2, 2])?;
/// let matrix = Array2::try_from(array)?;
/// assert_eq!(NpyArray::try_from(matrix)?[[1, 0]], 3);
/// # Ok::<(), npy_core::Error>(())
/// ```
impl<T, D: Dimension> TryFrom<NpyArray<T>> for Array<T, D> {
    type Error = Error;

    fn try_from(array: NpyArray<T>) -> Result<Self> {
        let found = array.shape().len();
        if let Some(ndim) = D::NDIM.filter(|ndim| *ndim != found) {
            let ndim = counted(ndim, "dimension");
            let reason = format!("an array of {ndim} cannot have it; use an ArrayD");
            return Err(shape::invalid(array.shape(), reason));
        }
        let shape = dimensions(array.shape(), array.order());
        let array = ArrayD::from_shape_vec(shape, array.into_vec_memory_order());
        array.and_then(ArrayD::into_dimensionality).map_err(unshaped)
    }
}

/// Moves the elements. They keep their order in memory if that is C or Fortran order, and are otherwise in C order.
impl<T, D: Dimension> TryFrom<Array<T, D>> for NpyArray<T> {
    type Error = Error;

    fn try_from(array: Array<T, D>) -> Result<Self> {
        let shape = array.shape().to_vec();
        let is_fortran = !array.is_standard_layout() && array.t().is_standard_layout();
        let (array, order) = match is_fortran {
            true => (array.into_dyn().reversed_axes(), Order::Fortran),
            false => (array.into_dyn(), Order::C),
        };
        if !array.is_standard_layout() {
            return NpyArray::with_order(array.into_iter().collect(), shape, order);
        }
        let count = array.len();
        let (mut elements, start) = array.into_raw_vec_and_offset();
        // A part of a larger array still has all of its elements.
        let start = start.unwrap_or(0);
        elements.truncate(start.saturating_add(count));
        elements.drain(..start);
        NpyArray::with_order(elements, shape, order)
    }
}

/// Converts a shape and an order to `ndarray`'s type for both.
fn dimensions(shape: &[usize], order: Order) -> StrideShape<IxDyn> {
    IxDyn(shape).set_f(order == Order::Fortran).into()
}

/// Creates the error for a shape that NumPy allows and `ndarray` refuses.
fn unshaped(error: ndarray::ShapeError) -> Error {
    let reason = format!("ndarray refuses it: {error}");
    ErrorKind::Shape { shape: "of the array".into(), reason }.into()
}

/// Implements `as_ndarray` for types with elements, a shape and an order.
macro_rules! as_ndarray {
    ($([$($generics:tt)*] $type:ty),* $(,)?) => {$(
        impl<$($generics)*> $type {
            /// Returns an `ndarray` view of the array; nothing is copied.
            ///
            /// ```
            /// use npy_core::NpyArray;
            ///
            /// let array = NpyArray::new(vec![1, 2, 3, 4, 5, 6], [2, 3])?;
            /// let view = array.as_ndarray()?;
            /// assert_eq!(view[[1, 0]], 4);
            /// # Ok::<(), Box<dyn std::error::Error>>(())
            /// ```
            ///
            /// # Errors
            ///
            /// [`ErrorKind::Shape`](crate::ErrorKind::Shape) for a shape that `ndarray` refuses.
            pub fn as_ndarray(&self) -> Result<ArrayViewD<'_, T>> {
                let shape = dimensions(self.shape(), self.order());
                ArrayViewD::from_shape(shape, self.as_slice_memory_order()).map_err(unshaped)
            }
        }
    )*};
}

as_ndarray! { [T] NpyArray<T>, [T] NpyView<'_, T>, [T] NpyViewMut<'_, T> }

#[cfg(feature = "mmap")]
as_ndarray! { [T: ZeroCopy] Map<T>, [T: ZeroCopy] MapMut<T> }

/// Implements `as_ndarray_mut` for types with elements that can be changed.
macro_rules! as_ndarray_mut {
    ($([$($generics:tt)*] $type:ty),* $(,)?) => {$(
        impl<$($generics)*> $type {
            /// Returns an `ndarray` view of the array, to change its elements; nothing is copied.
            ///
            /// ```
            /// use ndarray::Axis;
            /// use npy_core::NpyArray;
            ///
            /// let mut array = NpyArray::new(vec![1, 2, 3, 4], [2, 2])?;
            /// array.as_ndarray_mut()?.index_axis_mut(Axis(1), 0).fill(9);
            /// assert_eq!(array.into_vec(), [9, 2, 9, 4]);
            /// # Ok::<(), npy_core::Error>(())
            /// ```
            ///
            /// # Errors
            ///
            /// [`ErrorKind::Shape`](crate::ErrorKind::Shape) for a shape that `ndarray` refuses.
            pub fn as_ndarray_mut(&mut self) -> Result<ArrayViewMutD<'_, T>> {
                let shape = dimensions(self.shape(), self.order());
                ArrayViewMutD::from_shape(shape, self.as_slice_memory_order_mut()).map_err(unshaped)
            }
        }
    )*};
}

as_ndarray_mut! { [T] NpyArray<T>, [T] NpyViewMut<'_, T> }

#[cfg(feature = "mmap")]
as_ndarray_mut! { [T: ZeroCopy] MapMut<T> }

#[cfg(feature = "mmap")]
impl<'a, F: ZeroCopy> Column<'a, F> {
    /// Returns an `ndarray` view of the column, with the stride of the records; nothing is copied.
    ///
    /// ```
    /// use npy_core::{Map, NpyRecord, WriteNpy, ZeroCopy};
    ///
    /// #[derive(NpyRecord, ZeroCopy, Clone, Copy)]
    /// #[npy(endian = "native")]
    /// #[repr(C)]
    /// struct Point {
    ///     x: f32,
    ///     y: f32,
    /// }
    ///
    /// # let dir = tempfile::tempdir()?;
    /// # std::env::set_current_dir(&dir)?;
    /// [Point { x: 0.0, y: 1.5 }, Point { x: 0.0, y: 2.5 }].write_npy("x.npy")?;
    /// // SAFETY: the file is ours alone.
    /// let map = unsafe { Map::<Point>::open("x.npy")? };
    /// let y = map.column::<f32>("y")?;
    /// assert_eq!(y.as_ndarray()?.mean(), Some(2.0));
    /// assert_eq!(y.as_ndarray()?.strides(), [2]);
    /// # drop(map);
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// A [`ViewError`] if the values are not stored as `F` has them in memory, are misaligned, or have a stride that is not a multiple of
    /// their size ([`Stride`](ViewError::Stride)). Its message names [`to_vec`](Column::to_vec), which copies them.
    pub fn as_ndarray(&self) -> Result<ArrayView1<'a, F>, ViewError> {
        let (values, step) = self.as_strided_slice()?;
        let view = ArrayView1::from_shape(Ix1(self.len()).strides(Ix1(step)), values);
        Ok(view.map_err(unshaped)?)
    }
}
