//! Layer 5: an array of any rank with elements of a Rust type.

use std::fmt;

use crate::error::{Error, ErrorKind};
use crate::shape::{self, Order};

/// An array of any rank: the elements in the order of the file, the shape, and the order (C or Fortran).
///
/// ```
/// use npy_core::{NpyArray, Order, ReadNpy, WriteNpy};
///
/// let array = NpyArray::new(vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0], [2, 3])?;
/// assert_eq!(array.get(&[1, 0]), Some(&4.0));
///
/// let mut file = Vec::new();
/// array.to_order(Order::Fortran).write_npy_to(&mut file)?;
/// assert_eq!(NpyArray::<f64>::read_npy_from(&file[..])?, array);
/// # Ok::<(), npy_core::Error>(())
/// ```
#[derive(Clone)]
pub struct NpyArray<T> {
    data: Vec<T>,
    shape: Vec<usize>,
    order: Order,
}

impl<T> NpyArray<T> {
    /// Creates an array of this shape from its elements in C order: the last index changes fastest.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Shape`] if an array of this shape has another number of elements than `data`.
    pub fn new(data: Vec<T>, shape: impl Into<Vec<usize>>) -> Result<Self, Error> {
        NpyArray::with_order(data, shape, Order::C)
    }

    /// Creates an array of this shape from its elements in this order.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Shape`] if an array of this shape has another number of elements than `data`.
    pub fn with_order(
        data: Vec<T>,
        shape: impl Into<Vec<usize>>,
        order: Order,
    ) -> Result<Self, Error> {
        let shape = shape.into();
        let count = shape::count(&shape)?;
        if count != data.len() {
            let reason = format!("expected {count} elements, found {}", data.len());
            return Err(ErrorKind::Shape { shape: shape::excerpt(&shape), reason }.into());
        }
        Ok(NpyArray { data, shape, order })
    }

    /// Returns the dimensions. A 0-d array, which is a single element, has none.
    pub fn shape(&self) -> &[usize] {
        &self.shape
    }

    /// Returns the order in which the elements are stored.
    pub fn order(&self) -> Order {
        self.order
    }

    /// Returns the elements in the order of the file.
    pub fn as_slice(&self) -> &[T] {
        &self.data
    }

    /// Returns the elements in the order of the file, mutable.
    pub fn as_mut_slice(&mut self) -> &mut [T] {
        &mut self.data
    }

    /// Returns the elements in the order of the file.
    pub fn into_vec(self) -> Vec<T> {
        self.data
    }

    /// Returns the number of elements.
    pub fn len(&self) -> usize {
        self.data.len()
    }

    /// Returns true if the array has no elements.
    pub fn is_empty(&self) -> bool {
        self.data.is_empty()
    }

    /// Returns the element at this index, which has one number for each dimension; `None` if the index is out of range.
    pub fn get(&self, index: &[usize]) -> Option<&T> {
        self.data.get(shape::position(&self.shape, self.order, index)?)
    }

    /// Iterates over the elements in C order (the last index changes fastest), whatever the order of storage.
    ///
    /// ```
    /// use npy_core::{NpyArray, Order};
    ///
    /// let array = NpyArray::with_order(vec![1, 4, 2, 5, 3, 6], [2, 3], Order::Fortran)?;
    /// assert!(array.iter().eq(&[1, 2, 3, 4, 5, 6]));
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    pub fn iter(&self) -> impl Iterator<Item = &T> {
        self.in_order(Order::C)
    }

    /// Iterates over the elements in this order.
    pub(crate) fn in_order(&self, order: Order) -> impl Iterator<Item = &T> {
        let is_stored = self.order.normalized(&self.shape) == order.normalized(&self.shape);
        let stored = is_stored.then(|| self.data.iter());
        let permuted = (!is_stored).then(|| shape::reordered(&self.shape, self.order, order));
        let permuted = permuted.into_iter().flatten().filter_map(|at| self.data.get(at));
        stored.into_iter().flatten().chain(permuted)
    }

    /// Returns the same array with its elements stored in this order.
    #[must_use]
    pub fn to_order(&self, order: Order) -> Self
    where
        T: Clone,
    {
        let data = self.in_order(order).cloned().collect();
        NpyArray { data, shape: self.shape.clone(), order }
    }
}

/// Arrays are equal if they have the same shape and the same elements at the same indexes, whatever the order of storage.
impl<T: PartialEq> PartialEq for NpyArray<T> {
    fn eq(&self, other: &Self) -> bool {
        self.shape == other.shape && self.iter().eq(other.iter())
    }
}

impl<T: fmt::Debug> fmt::Debug for NpyArray<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("NpyArray")
            .field("shape", &self.shape)
            .field("order", &self.order)
            .field("data", &self.data)
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shape_with_another_number_of_elements_is_refused() {
        assert!(NpyArray::new(vec![0; 5], [2, 3]).is_err());
        assert!(NpyArray::new(Vec::<u8>::new(), [usize::MAX, 2]).is_err());
        assert_eq!(NpyArray::new(vec![7], []).unwrap().get(&[]), Some(&7));
        assert!(NpyArray::new(Vec::<u8>::new(), [0, 3]).unwrap().is_empty());
    }

    #[test]
    fn arrays_of_different_order_are_equal() {
        let c = NpyArray::new((0..24).collect(), [2, 3, 4]).unwrap();
        let fortran = c.to_order(Order::Fortran);
        assert_ne!(c.as_slice(), fortran.as_slice());
        assert_eq!(c, fortran);
        assert_eq!(c.get(&[1, 2, 3]), fortran.get(&[1, 2, 3]));
        assert_eq!(fortran.to_order(Order::C).as_slice(), c.as_slice());
    }
}
