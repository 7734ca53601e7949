//! An array of any rank with elements of a Rust type.

pub(crate) mod access;
mod borrowed;
pub(crate) mod print;
mod traits;

use crate::checked;
use crate::error::Error;
use crate::reserve;
use crate::shape::{self, Iter, Order};
use access::{read_methods, write_methods};
pub use borrowed::{NpyView, NpyViewMut};
pub use traits::IntoIter;

/// An array of any rank: the elements, the shape, and the order in which the elements are in memory (C or Fortran).
///
/// [`at`](Self::at), `array[[i, j]]`, [`iter`](Self::iter), [`into_vec`](Self::into_vec) and `for` go by the *logical* (C) order, in which
/// the last index changes fastest, whatever the order in memory. The methods that end with `memory_order` go by that of the memory, which
/// is that of the file; they copy nothing.
///
/// ```
/// use npy_core::{NpyArray, Order, ReadNpy, WriteNpy};
///
/// let array = NpyArray::new(vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0], [2, 3])?;
/// assert_eq!(array[[1, 0]], 4.0);
///
/// let mut file = Vec::new();
/// array.to_order(Order::Fortran).write_npy_to(&mut file)?;
/// let read = NpyArray::<f64>::read_npy_from(&file[..])?;
/// assert_eq!(read, array);
/// assert_eq!(read.as_slice_memory_order(), [1.0, 4.0, 2.0, 5.0, 3.0, 6.0]);
/// assert_eq!(read.into_vec(), [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
/// # Ok::<(), npy_core::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct NpyArray<T> {
    shape: Vec<usize>,
    order: Order,
    data: Vec<T>,
}

impl<T> NpyArray<T> {
    /// Creates an array of this shape from its elements in C order: the last index changes fastest. The shape is an array, a slice or a `Vec`: NumPy's
    /// `(2, 3)` is `[2, 3]`.
    ///
    /// ```
    /// use npy_core::NpyArray;
    ///
    /// let gains = NpyArray::new(vec![1, 2, 3, 4, 5, 6], [2, 3])?;
    /// assert_eq!(gains[[1, 0]], 4);
    /// assert!(NpyArray::new(vec![1, 2, 3], [2, 3]).is_err());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Shape`](crate::ErrorKind::Shape) if an array of this shape has another number of elements than `data`.
    pub fn new(data: Vec<T>, shape: impl Into<Vec<usize>>) -> Result<Self, Error> {
        NpyArray::with_order(data, shape, Order::C)
    }

    /// Creates an array of this shape from its elements in this order.
    ///
    /// ```
    /// use npy_core::{NpyArray, Order};
    ///
    /// let gains = NpyArray::with_order(vec![1, 4, 2, 5, 3, 6], [2, 3], Order::Fortran)?;
    /// assert_eq!(gains[[1, 0]], 4);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Shape`](crate::ErrorKind::Shape) if an array of this shape has another number of elements than `data`.
    pub fn with_order(
        data: Vec<T>,
        shape: impl Into<Vec<usize>>,
        order: Order,
    ) -> Result<Self, Error> {
        let shape = shape.into();
        check_count(&shape, data.len())?;
        Ok(NpyArray { data, shape, order })
    }

    /// Creates an array of this shape whose elements are returned by a function of their indices, called in C order: from a matrix of
    /// another crate, or from a formula.
    ///
    /// ```
    /// use npy_core::NpyArray;
    ///
    /// let table = NpyArray::from_fn([2, 3], |[row, column]| 10 * row + column)?;
    /// assert_eq!(table[[1, 2]], 12);
    /// assert_eq!(table.into_vec(), [0, 1, 2, 10, 11, 12]);
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Shape`](crate::ErrorKind::Shape) if an array of this shape is larger than any memory, [`ErrorKind::Memory`](crate::ErrorKind::Memory) if the allocator refuses it.
    #[doc(alias = "fromfunction")]
    pub fn from_fn<const N: usize>(
        shape: [usize; N],
        mut element: impl FnMut([usize; N]) -> T,
    ) -> Result<Self, Error> {
        shape::bytes(&shape, size_of::<T>())?;
        let count = shape::count(&shape)?;
        let mut data = reserve::list(count)?;
        let mut index = [0; N];
        let mut next = || {
            let value = element(index);
            for (at, size) in index.iter_mut().zip(shape).rev() {
                *at = checked::some(at.checked_add(1));
                if *at < size {
                    break;
                }
                *at = 0;
            }
            value
        };
        data.extend((0..count).map(|_| next()));
        Ok(NpyArray { data, shape: shape.to_vec(), order: Order::C })
    }

    /// Returns the dimensions. A 0-d array, which is a single element, has none.
    ///
    /// ```
    /// use npy_core::NpyArray;
    ///
    /// let gains = NpyArray::new(vec![1, 2, 3, 4, 5, 6], [2, 3])?;
    /// assert_eq!(gains.shape(), [2, 3]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn shape(&self) -> &[usize] {
        &self.shape
    }

    /// Returns the order in which the elements are in memory.
    ///
    /// ```
    /// use npy_core::{NpyArray, Order};
    ///
    /// let gains = NpyArray::new(vec![1, 2, 3, 4, 5, 6], [2, 3])?;
    /// assert_eq!(gains.order(), Order::C);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn order(&self) -> Order {
        self.order
    }

    /// Returns the elements in C order, whatever their order in memory. Elements in Fortran order are moved, which takes the memory of
    /// up to two more arrays. [`ReadOptions::order`](crate::ReadOptions::order) does it while a file is read, which is faster for numbers.
    ///
    /// ```
    /// use npy_core::{NpyArray, Order};
    ///
    /// let array = NpyArray::with_order(vec![1, 4, 2, 5, 3, 6], [2, 3], Order::Fortran)?;
    /// assert_eq!(array.into_vec(), [1, 2, 3, 4, 5, 6]);
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    pub fn into_vec(self) -> Vec<T> {
        self.into_order(Order::C).data
    }

    /// Returns the elements in the order of the memory, which [`order`](Self::order) names.
    ///
    /// ```
    /// use npy_core::{NpyArray, Order};
    ///
    /// let gains = NpyArray::with_order(vec![1, 4, 2, 5, 3, 6], [2, 3], Order::Fortran)?;
    /// assert_eq!(gains.as_slice_memory_order(), [1, 4, 2, 5, 3, 6]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn as_slice_memory_order(&self) -> &[T] {
        &self.data
    }

    /// Returns the elements in the order of the memory.
    ///
    /// ```
    /// use npy_core::{NpyArray, Order};
    ///
    /// let gains = NpyArray::with_order(vec![1, 4, 2, 5, 3, 6], [2, 3], Order::Fortran)?;
    /// assert_eq!(gains.into_vec_memory_order(), [1, 4, 2, 5, 3, 6]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn into_vec_memory_order(self) -> Vec<T> {
        self.data
    }

    /// Returns a borrowed array of the same elements.
    ///
    /// ```
    /// use npy_core::{NpyArray, NpyView};
    ///
    /// let gains = NpyArray::new(vec![1, 2, 3, 4, 5, 6], [2, 3])?;
    /// let view: NpyView<i32> = gains.view();
    /// assert_eq!(view.shape(), [2, 3]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn view(&self) -> NpyView<'_, T> {
        NpyView::from_parts(&self.data, self.shape.clone(), self.order)
    }

    /// Applies a function to each element. The order in memory stays.
    pub(crate) fn map<U>(self, f: impl FnMut(T) -> U) -> NpyArray<U> {
        let NpyArray { data, shape, order } = self;
        NpyArray { data: data.into_iter().map(f).collect(), shape, order }
    }

    /// Iterates over the elements in this order.
    pub(crate) fn in_order(&self, order: Order) -> Iter<'_, T> {
        Iter::new(&self.data, &self.shape, self.order, order)
    }

    /// Returns the same array with its elements in this order in memory.
    ///
    /// ```
    /// use npy_core::{NpyArray, Order};
    ///
    /// let gains = NpyArray::new(vec![1, 2, 3, 4, 5, 6], [2, 3])?;
    /// let columns = gains.to_order(Order::Fortran);
    /// assert_eq!(columns.as_slice_memory_order(), [1, 4, 2, 5, 3, 6]);
    /// assert_eq!(columns, gains);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn to_order(&self, order: Order) -> Self
    where
        T: Clone,
    {
        let data = self.in_order(order).cloned().collect();
        NpyArray { data, shape: self.shape.clone(), order }
    }

    /// Moves the elements into this order in memory; nothing is copied if they already have it.
    ///
    /// ```
    /// use npy_core::{NpyArray, Order};
    ///
    /// let gains = NpyArray::with_order(vec![1, 4, 2, 5, 3, 6], [2, 3], Order::Fortran)?;
    /// let rows = gains.into_order(Order::C);
    /// assert_eq!(rows.as_slice_memory_order(), [1, 2, 3, 4, 5, 6]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn into_order(self, order: Order) -> Self {
        let NpyArray { data, shape, order: stored } = self;
        if stored.normalized(&shape) == order.normalized(&shape) {
            return NpyArray { data, shape, order };
        }
        let mut slots: Vec<Option<T>> = data.into_iter().map(Some).collect();
        let positions = shape::reordered(&shape, stored, order);
        let data = positions.filter_map(|at| slots.get_mut(at)?.take()).collect();
        NpyArray { data, shape, order }
    }

    fn parts_mut(&mut self) -> (&mut [T], &[usize], Order) {
        (&mut self.data, &self.shape, self.order)
    }
}

read_methods!([T] NpyArray<T>, '_);
write_methods!([T] NpyArray<T>);

/// Refuses a shape of another number of elements.
fn check_count(shape: &[usize], found: usize) -> Result<(), Error> {
    let count = shape::count(shape)?;
    if count == found {
        return Ok(());
    }
    Err(shape::wrong_count(shape, count, found))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ErrorKind;

    #[test]
    fn a_shape_with_another_number_of_elements_is_refused() {
        assert!(NpyArray::new(vec![0; 5], [2, 3]).is_err());
        assert!(NpyArray::new(Vec::<u8>::new(), [usize::MAX, 2]).is_err());
        assert!(NpyView::new(&[0; 5], [2, 3]).is_err());
        assert_eq!(NpyArray::new(vec![7], []).unwrap().at(&[]), Some(&7));
        assert!(NpyArray::new(Vec::<u8>::new(), [0, 3]).unwrap().is_empty());
    }

    #[test]
    fn a_function_of_the_indices_is_called_in_c_order() {
        let mut calls = Vec::new();
        let array = NpyArray::from_fn([2, 3, 2], |index| calls.push(index)).unwrap();
        assert_eq!((array.shape(), array.len()), (&[2, 3, 2][..], 12));
        assert!(calls.is_sorted());
        assert_eq!((calls[0], calls[7], calls[11]), ([0, 0, 0], [1, 0, 1], [1, 2, 1]));
        assert_eq!(NpyArray::from_fn([], |[]| 7).unwrap()[[]], 7);
        assert!(NpyArray::from_fn([3, 0], |_| -> u8 { unreachable!() }).unwrap().is_empty());
        let error = NpyArray::from_fn([usize::MAX / 4, 2], |_| 0u64).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::Shape { .. }));
    }

    #[test]
    fn arrays_of_different_order_are_equal() {
        let c = NpyArray::new((0..24).collect(), [2, 3, 4]).unwrap();
        let fortran = c.to_order(Order::Fortran);
        assert_ne!(c.as_slice_memory_order(), fortran.as_slice_memory_order());
        assert_eq!(c, fortran);
        assert_eq!(c.at(&[1, 2, 3]), fortran.at(&[1, 2, 3]));
        assert_eq!(fortran.to_order(Order::C).as_slice_memory_order(), c.as_slice_memory_order());
        assert_eq!(
            c.view().to_order(Order::Fortran).as_slice_memory_order(),
            fortran.as_slice_memory_order()
        );
    }

    /// Guards conversions that have nothing to do: the elements stay where they are.
    #[test]
    fn elements_in_both_orders_are_moved() {
        for shape in [&[6][..], &[1, 6], &[6, 1, 1], &[]] {
            let items = vec![7u8; shape.iter().product()];
            let start = items.as_ptr();
            let array = NpyArray::new(items, shape).unwrap().into_order(Order::Fortran);
            assert_eq!(array.order(), Order::Fortran, "{shape:?}");
            assert_eq!(array.as_slice_memory_order().as_ptr(), start, "{shape:?}");
            let items = array.into_vec();
            assert_eq!(items.as_ptr(), start, "{shape:?}");
        }
        let array = NpyArray::with_order(vec![1, 2, 3, 4], [2, 2], Order::Fortran).unwrap();
        let start = array.as_slice_memory_order().as_ptr();
        let same = array.into_order(Order::Fortran);
        assert_eq!(same.as_slice_memory_order().as_ptr(), start);
    }

    #[test]
    fn dimensions_are_those_that_are_expected_or_an_error() {
        let array = NpyArray::new(vec![0u8; 6], [1, 2, 3]).unwrap();
        let [a, b, c] = array.dims().unwrap();
        assert_eq!((a, b, c), (1, 2, 3));
        let error = array.view().dims::<2>().unwrap_err().to_string();
        assert_eq!(
            error,
            "the array has shape (1, 2, 3), [usize; 2] expects 2 dimensions; use `shape`, which has any number of them"
        );
        assert_eq!(NpyArray::new(vec![1], []).unwrap().dims::<0>().unwrap(), []);
    }

    /// Guards that no method hides the order of the memory: values, `for`, sums and indexes agree whatever the order.
    #[test]
    fn all_but_memory_order_is_logical() {
        let text = |n: usize| n.to_string();
        let c = NpyArray::new((0..24).map(text).collect(), [2, 3, 4]).unwrap();
        let fortran = c.clone().into_order(Order::Fortran);
        assert_eq!(fortran.as_slice_memory_order()[1], "12");
        assert_eq!(fortran[[1, 2, 3]], "23");
        assert_eq!(fortran.iter().len(), 24);
        assert!(fortran.iter().eq(c.iter()));
        assert!(fortran.iter().rev().eq(c.iter().rev()));
        assert!((&fortran).into_iter().eq(c.as_slice_memory_order()));
        let joined = fortran.iter().fold(String::new(), |all, text| all + text);
        assert_eq!(joined, (0..24).map(text).collect::<String>());
        assert_eq!(fortran.clone().into_iter().collect::<Vec<_>>(), c.clone().into_vec());
        assert_eq!(fortran.into_vec(), c.into_vec());
    }
}
